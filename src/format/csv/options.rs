use crate::error::Error;
use crate::format::options::{FormatOptions, OptionReader, OptionSpec, Role};
use crate::format::values::ValueType;

/// The options of `csv`.
///
/// Agrees with `org.apache.flink.formats.csv.CsvFormatOptions`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CsvOptions {
    /// `field-delimiter`, unescaped.
    pub(crate) field_delimiter: char,
    /// `quote-character`; `None` where `disable-quote-character` is set.
    pub(crate) quote: Option<char>,
    /// `escape-character`.
    pub(crate) escape: Option<char>,
    /// `array-element-delimiter`: between the elements of an ARRAY and the fields of a nested ROW.
    pub(crate) array_element_delimiter: char,
    /// `null-literal`: what stands for NULL.
    pub(crate) null_literal: Option<String>,
    /// `write-bigdecimal-in-scientific-notation`: `1E+2` and not `100`.
    pub(crate) scientific_decimals: bool,
    /// `allow-comments`: lines that begin with `#` are passed over.
    pub(crate) allow_comments: bool,
    /// `ignore-parse-errors`: what does not convert is NULL, what does not parse is passed over.
    pub(crate) ignore_parse_errors: bool,
    /// `trim-spaces`: cells without quotes are trimmed.
    pub(crate) trim_spaces: bool,
    /// `ignore-trailing-unmappable`: cells after the last column are dropped.
    pub(crate) ignore_trailing_unmappable: bool,
    /// `allow-trailing-comma`: one empty cell after the last column is dropped.
    pub(crate) allow_trailing_comma: bool,
    /// `fail-on-missing-columns`: another message for a line that is too short.
    pub(crate) fail_on_missing_columns: bool,
    /// `empty-string-as-null`: an empty cell is NULL, quoted or not.
    pub(crate) empty_string_as_null: bool,
}

const FIELD_DELIMITER: OptionSpec = OptionSpec::string(
    "field-delimiter",
    "1.11",
    "What stands between columns: one character, or one of Java's escapes such as `\\t` and `\\u0001`.",
)
.or(",");
const DISABLE_QUOTE_CHARACTER: OptionSpec = OptionSpec::flag(
    "disable-quote-character",
    "1.11",
    "Whether nothing is ever quoted. Not together with `quote-character`.",
);
const QUOTE_CHARACTER: OptionSpec = OptionSpec::string(
    "quote-character",
    "1.11",
    "What stands around a cell that holds a delimiter, a quote or a line break: one character.",
)
.or("\"");
const ALLOW_COMMENTS: OptionSpec = OptionSpec::flag(
    "allow-comments",
    "1.11",
    "Whether lines that begin with `#`, blank lines and leading blanks are passed over.",
);
const IGNORE_PARSE_ERRORS: OptionSpec = OptionSpec::flag(
    "ignore-parse-errors",
    "1.11",
    "Whether what does not convert is NULL and what does not parse is passed over, instead of an error.",
);
const ARRAY_ELEMENT_DELIMITER: OptionSpec = OptionSpec::string(
    "array-element-delimiter",
    "1.11",
    "What stands between the elements of an ARRAY and the fields of a nested ROW: one character.",
)
.or(";");
const ESCAPE_CHARACTER: OptionSpec = OptionSpec::string(
    "escape-character",
    "1.11",
    "What takes the meaning from the character after it: one character. Without it there is none.",
);
const NULL_LITERAL: OptionSpec = OptionSpec::string(
    "null-literal",
    "1.11",
    "The text that stands for NULL. Without it NULL is written as an empty cell.",
);
const SCIENTIFIC_DECIMALS: OptionSpec = OptionSpec::new(
    "write-bigdecimal-in-scientific-notation",
    ValueType::Boolean,
    "1.16",
    "Whether a DECIMAL is written as Java's `1E+2` where that is shorter. Flink's documentation gives `true` as its \
     default; without the option nothing is written so.",
);
const TRIM_SPACES: OptionSpec =
    OptionSpec::flag("trim-spaces", "2.3", "Whether cells without quotes are trimmed when read.");
const IGNORE_TRAILING_UNMAPPABLE: OptionSpec = OptionSpec::flag(
    "ignore-trailing-unmappable",
    "2.3",
    "Whether cells after the last column are dropped when read.",
);
const ALLOW_TRAILING_COMMA: OptionSpec = OptionSpec::new(
    "allow-trailing-comma",
    ValueType::Boolean,
    "2.3",
    "Whether one empty cell after the last column is dropped when read.",
)
.or("true");
const FAIL_ON_MISSING_COLUMNS: OptionSpec = OptionSpec::flag(
    "fail-on-missing-columns",
    "2.3",
    "Whether a line that is too short is refused by the parser already, with another message.",
);
const EMPTY_STRING_AS_NULL: OptionSpec =
    OptionSpec::flag("empty-string-as-null", "2.3", "Whether an empty cell, quoted or not, is read as NULL.");

impl FormatOptions for CsvOptions {
    const IDENTIFIER: &'static str = "csv";
    const OPTIONS: &'static [OptionSpec] = &[
        FIELD_DELIMITER,
        DISABLE_QUOTE_CHARACTER,
        QUOTE_CHARACTER,
        ALLOW_COMMENTS,
        IGNORE_PARSE_ERRORS,
        ARRAY_ELEMENT_DELIMITER,
        ESCAPE_CHARACTER,
        NULL_LITERAL,
        SCIENTIFIC_DECIMALS,
        TRIM_SPACES,
        IGNORE_TRAILING_UNMAPPABLE,
        ALLOW_TRAILING_COMMA,
        FAIL_ON_MISSING_COLUMNS,
        EMPTY_STRING_AS_NULL,
    ];

    fn read(options: OptionReader<'_>, _role: Role) -> Result<Self, Error> {
        let disable_quote = options.boolean(&DISABLE_QUOTE_CHARACTER)?;
        if disable_quote && options.text(&QUOTE_CHARACTER).is_some() {
            return Err(options.refuse(
                &DISABLE_QUOTE_CHARACTER,
                "Format cannot define a quote character and disabled quote character at the same time.",
            ));
        }
        let field_delimiter = options.string(&FIELD_DELIMITER).unwrap_or_default();
        let field_delimiter = match single_character(&unescape_java(field_delimiter)) {
            Some(delimiter) => delimiter,
            None => return Err(refuse_character(options, &FIELD_DELIMITER)),
        };
        let character = |spec| {
            options
                .string(spec)
                .map(|text| single_character(text).ok_or_else(|| refuse_character(options, spec)))
        };
        let quote = character(&QUOTE_CHARACTER).transpose()?;
        let array_element_delimiter = character(&ARRAY_ELEMENT_DELIMITER).transpose()?;
        Ok(Self {
            field_delimiter,
            quote: quote.filter(|_| !disable_quote),
            array_element_delimiter: array_element_delimiter.unwrap_or(';'),
            escape: character(&ESCAPE_CHARACTER).transpose()?,
            null_literal: options.string(&NULL_LITERAL).map(str::to_owned),
            scientific_decimals: options.boolean(&SCIENTIFIC_DECIMALS)?,
            allow_comments: options.boolean(&ALLOW_COMMENTS)?,
            ignore_parse_errors: options.boolean(&IGNORE_PARSE_ERRORS)?,
            trim_spaces: options.boolean(&TRIM_SPACES)?,
            ignore_trailing_unmappable: options.boolean(&IGNORE_TRAILING_UNMAPPABLE)?,
            allow_trailing_comma: options.boolean(&ALLOW_TRAILING_COMMA)?,
            fail_on_missing_columns: options.boolean(&FAIL_ON_MISSING_COLUMNS)?,
            empty_string_as_null: options.boolean(&EMPTY_STRING_AS_NULL)?,
        })
    }
}

#[cfg(test)]
impl Default for CsvOptions {
    /// The options of a table that gives none.
    fn default() -> Self {
        Self::read(OptionReader::new(&[], ""), Role::Sink).expect("the defaults are good")
    }
}

/// The one character of `text`, as Java counts: beyond U+FFFF it would be two.
fn single_character(text: &str) -> Option<char> {
    let mut characters = text.chars();
    let character = characters.next().filter(|character| character.len_utf16() == 1)?;
    characters.next().is_none().then_some(character)
}

#[cold]
fn refuse_character(options: OptionReader<'_>, spec: &OptionSpec) -> Error {
    let text = options.string(spec).unwrap_or_default();
    options.refuse(
        spec,
        // Flink names the option without its prefix, whatever that is.
        format!("Option 'csv.{}' must be a string with single character, but was: {text}", spec.key),
    )
}

/// `StringEscapeUtils.unescapeJava`: the escapes of a string literal, octal ones too. A backslash before anything
/// else, or at the end, vanishes.
fn unescape_java(text: &str) -> String {
    let mut unescaped = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        unescaped.push_str(before);
        let (character, length) = match after.chars().next() {
            None => (None, 0),
            Some('u') => unicode_escape(after),
            Some('0'..='7') => octal_escape(after),
            Some('b') => (Some('\u{8}'), 1),
            Some('t') => (Some('\t'), 1),
            Some('n') => (Some('\n'), 1),
            Some('f') => (Some('\u{c}'), 1),
            Some('r') => (Some('\r'), 1),
            Some(other) => (Some(other), other.len_utf8()),
        };
        unescaped.extend(character);
        rest = &after[length..];
    }
    unescaped.push_str(rest);
    unescaped
}

/// One `u` or more, and four hexadecimal digits.
fn unicode_escape(text: &str) -> (Option<char>, usize) {
    let digits = text.trim_start_matches('u').strip_prefix('+').unwrap_or(text.trim_start_matches('u'));
    let start = text.len() - digits.len();
    let code = digits.get(..4).and_then(|digits| u32::from_str_radix(digits, 16).ok());
    match code.and_then(char::from_u32) {
        Some(character) => (Some(character), start + 4),
        None => (None, start),
    }
}

/// One to three octal digits, up to 377.
fn octal_escape(text: &str) -> (Option<char>, usize) {
    let longest = if text.starts_with(['0', '1', '2', '3']) { 3 } else { 2 };
    let length = text.bytes().take(longest).take_while(|digit| (b'0'..=b'7').contains(digit)).count();
    (u32::from_str_radix(&text[..length], 8).ok().and_then(char::from_u32), length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delimiter_is_unescaped_as_a_java_literal() {
        for (text, expected) in [
            (",", ","),
            ("\\t", "\t"),
            ("\\u0001", "\u{1}"),
            ("\\uu0041", "A"),
            ("\\1", "\u{1}"),
            ("\\101b", "Ab"),
            ("\\477", "\u{27}7"),
            ("\\\\", "\\"),
            ("\\|", "|"),
            ("\\", ""),
        ] {
            assert_eq!(unescape_java(text), expected, "{text}");
        }
    }

    #[test]
    fn a_character_is_one_unit_of_utf16() {
        assert_eq!(single_character("é"), Some('é'));
        for text in ["", "::", "😀"] {
            assert_eq!(single_character(text), None, "{text}");
        }
    }
}
