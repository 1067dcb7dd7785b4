//! Java's regular expressions, through the `regex` crate: [`Pattern`].

use std::fmt;

use regex::{Regex, RegexBuilder};

use crate::error::{Error, ErrorKind};

/// A regular expression that a whole text matches.
///
/// Classes such as `\d` and `\w` are ASCII's, as they are in Java. What the `regex` crate has not, look-around and back
/// references above all, is refused by name.
///
/// Agrees with `java.util.regex.Pattern` and its `matches()`.
#[derive(Clone)]
pub(crate) struct Pattern {
    text: String,
    regex: Regex,
}

impl Pattern {
    /// # Errors
    ///
    /// For a text that is no expression, and for one that needs what is not there.
    pub(crate) fn new(text: &str) -> Result<Self, Error> {
        if text.len() > MAX_TEXT {
            return Err(too_large(format!("is longer than {MAX_TEXT} bytes")));
        }
        let translated = Translator { rest: text, out: String::new(), class_depth: 0 }.translate();
        let translated = translated.map_err(|what| invalid(what.to_owned()))?;
        let mut builder = RegexBuilder::new(&format!("^(?:{translated})$"));
        let regex = builder.size_limit(MAX_COMPILED).dfa_size_limit(MAX_COMPILED).build();
        let regex = regex.map_err(|error| match error {
            regex::Error::CompiledTooBig(limit) => {
                too_large(format!("takes more than {limit} bytes of memory"))
            }
            error => invalid(error.to_string()),
        })?;
        Ok(Self { text: text.to_owned(), regex })
    }

    /// The expression as it was written.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether all of `text` matches.
    pub(crate) fn matches(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Pattern {}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pattern({:?})", self.text)
    }
}

/// The longest expression that is read, in bytes. Its parts take some hundred times that while they are read.
const MAX_TEXT: usize = 64 * 1024;

/// What an expression may take once it is compiled, and again what it may take to match, in bytes: enough for a list of
/// names of the longest text.
const MAX_COMPILED: usize = 4 * 1024 * 1024;

#[cold]
fn too_large(what: String) -> Error {
    Error::new(ErrorKind::Limit, format!("the regular expression {what}"))
}

#[cold]
fn invalid(what: String) -> Error {
    Error::new(ErrorKind::Table, format!("Invalid regular expression: {what}"))
}

/// Writes an expression of Java's as one of the `regex` crate's.
struct Translator<'a> {
    rest: &'a str,
    out: String,
    /// How many `[` are open.
    class_depth: usize,
}

/// What an expression has that cannot be had.
type Unsupported = &'static str;

impl Translator<'_> {
    fn translate(mut self) -> Result<String, Unsupported> {
        while let Some(character) = self.rest.chars().next() {
            self.rest = &self.rest[character.len_utf8()..];
            match character {
                '\\' => self.escape()?,
                '[' => {
                    self.class_depth += 1;
                    self.out.push('[');
                }
                ']' if self.class_depth > 0 => {
                    self.class_depth -= 1;
                    self.out.push(']');
                }
                // Twice in a class they are operators of the regex crate's.
                '-' | '~' if self.class_depth > 0 && self.out.ends_with(character) => {
                    self.out.push('\\');
                    self.out.push(character);
                }
                '(' if self.class_depth == 0 => self.group()?,
                '*' | '+' | '?' | '}' if self.class_depth == 0 && self.rest.starts_with('+') => {
                    return Err("possessive quantifiers are not supported");
                }
                other => self.out.push(other),
            }
        }
        Ok(self.out)
    }

    /// What follows a `(`.
    fn group(&mut self) -> Result<(), Unsupported> {
        const UNSUPPORTED: [(&str, Unsupported); 5] = [
            ("?=", "look-ahead, (?=...), is not supported"),
            ("?!", "negative look-ahead, (?!...), is not supported"),
            ("?<=", "look-behind, (?<=...), is not supported"),
            ("?<!", "negative look-behind, (?<!...), is not supported"),
            ("?>", "atomic groups, (?>...), are not supported"),
        ];
        let starts = |(start, _): &&(&str, Unsupported)| self.rest.starts_with(start);
        if let Some((_, what)) = UNSUPPORTED.iter().find(starts) {
            return Err(what);
        }
        self.out.push('(');
        let flags = self.rest.strip_prefix('?').map(|rest| {
            let length = rest.bytes().take_while(|byte| byte.is_ascii_alphabetic() || *byte == b'-').count();
            if rest[length..].starts_with([':', ')', '<']) { &rest[..length] } else { "" }
        });
        if let Some(flags) = flags.filter(|flags| !flags.is_empty()) {
            if flags.contains('U') {
                return Err("the flag U, (?U), is not supported");
            }
            // `d` and `u` say how lines end and letters fold beyond ASCII; the regex crate has its own way.
            let kept: String = flags.chars().filter(|flag| !['d', 'u'].contains(flag)).collect();
            let kept = kept.trim_end_matches('-');
            self.rest = &self.rest[1 + flags.len()..];
            match (kept, self.rest.starts_with(')')) {
                ("", true) => self.out.push_str("?:"),
                _ => {
                    self.out.push('?');
                    self.out.push_str(kept);
                }
            }
        }
        Ok(())
    }

    /// What follows a `\`.
    fn escape(&mut self) -> Result<(), Unsupported> {
        let Some(character) = self.rest.chars().next() else { return Err("it ends with a backslash") };
        self.rest = &self.rest[character.len_utf8()..];
        let class = match character {
            'd' => "[0-9]",
            'D' => "[^0-9]",
            'w' => "[A-Za-z0-9_]",
            'W' => "[^A-Za-z0-9_]",
            's' => "[ \\t\\n\\x0B\\f\\r]",
            'S' => "[^ \\t\\n\\x0B\\f\\r]",
            'h' => "[ \\t\\xA0\\u1680\\u180E\\u2000-\\u200A\\u202F\\u205F\\u3000]",
            'v' => "[\\n\\x0B\\f\\r\\x85\\u2028\\u2029]",
            'e' => "\\x1B",
            'a' | 'f' | 'n' | 'r' | 't' | 'x' | 'u' | 'b' | 'B' | 'A' | 'z' => {
                self.out.push('\\');
                self.out.push(character);
                return Ok(());
            }
            'p' | 'P' => return self.property(character),
            'Q' => {
                let (literal, rest) = self.rest.split_once("\\E").unwrap_or((self.rest, ""));
                self.out.push_str(&regex::escape(literal));
                self.rest = rest;
                return Ok(());
            }
            '0' => return self.octal(),
            '1'..='9' => return Err("back references are not supported"),
            'k' => return Err("back references are not supported"),
            'G' | 'R' | 'X' | 'Z' | 'N' | 'c' | 'H' | 'V' => {
                return Err("the escapes \\G, \\R, \\X, \\Z, \\N, \\c, \\H and \\V are not supported");
            }
            letter if letter.is_ascii_alphabetic() => return Err("there is no such escape"),
            other => {
                self.out.push_str(&regex::escape(other.encode_utf8(&mut [0; 4])));
                return Ok(());
            }
        };
        self.out.push_str(class);
        Ok(())
    }

    /// `\0`, and one to three octal digits.
    fn octal(&mut self) -> Result<(), Unsupported> {
        let most = if self.rest.starts_with(['0', '1', '2', '3']) { 3 } else { 2 };
        let digits = self.rest.bytes().take(most).take_while(|digit| (b'0'..=b'7').contains(digit)).count();
        let (octal, rest) = self.rest.split_at(digits);
        let code = u32::from_str_radix(octal, 8).map_err(|_| "an octal escape has no digits")?;
        self.out.push_str(&format!("\\x{{{code:X}}}"));
        self.rest = rest;
        Ok(())
    }

    /// `\p{...}` or `\P{...}`: POSIX classes are ASCII's, `Is` in front of Unicode's names is Java's.
    fn property(&mut self, escape: char) -> Result<(), Unsupported> {
        // No name is longer: the rest is not searched again and again for the end of one.
        let head =
            self.rest.char_indices().map(|(at, _)| at).nth(100).map_or(self.rest, |at| &self.rest[..at]);
        let end = head.strip_prefix('{').and_then(|name| name.find('}'));
        let braced = end.map(|end| (&self.rest[1..=end], &self.rest[end + 2..]));
        let Some((name, rest)) = braced else {
            self.out.push('\\');
            self.out.push(escape);
            return Ok(());
        };
        self.rest = rest;
        const POSIX: [&str; 12] = [
            "Lower", "Upper", "ASCII", "Alpha", "Digit", "Alnum", "Punct", "Graph", "Print", "Blank",
            "Cntrl", "XDigit",
        ];
        let negation = if escape == 'P' { "^" } else { "" };
        match name {
            "Space" => self.out.push_str(&format!("[{negation}[:space:]]")),
            posix if POSIX.contains(&posix) => {
                self.out.push_str(&format!("[[:{negation}{}:]]", posix.to_lowercase()));
            }
            java if java.starts_with("java") => return Err("the classes \\p{java...} are not supported"),
            block if block.starts_with("In") || block.starts_with("bl") => {
                return Err("the blocks \\p{In...} are not supported");
            }
            name => {
                let name = name.strip_prefix("Is").unwrap_or(name);
                self.out.push_str(&format!("\\{escape}{{{name}}}"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_matches_what_javas_would() {
        for (pattern, matching, other) in [
            ("t.*", "topic", "a topic"),
            ("mydb|mydb2", "mydb2", "mydb3"),
            ("test-topic-[0-9]", "test-topic-7", "test-topic-77"),
            (r"t\d", "t1", "t٣"),
            (r"[\w&&[^\d]]+", "ab", "a1"),
            (r"\Qa.b\E.", "a.bc", "axbc"),
            (r"a\-b\<\é", "a-b<é", "a-b"),
            (r"\p{Lower}+", "abc", "äbc"),
            (r"\p{IsAlphabetic}+", "äbc", "1"),
            (r"\P{Alpha}", "1", "a"),
            (r"\0101\x42C", "ABC", "abc"),
            ("(?iu)topic", "TOPIC", "topics"),
            ("(?u)topic", "topic", "TOPIC"),
            ("(?<name>a)(?:b)", "ab", "a"),
            ("[+--]", ",", "a"),
            ("[~~a]", "~", "b"),
            ("a{2}", "aa", "a"),
            ("", "", "a"),
        ] {
            let compiled = Pattern::new(pattern).unwrap();
            assert!(compiled.matches(matching), "{pattern} matches {matching}");
            assert!(!compiled.matches(other), "{pattern} does not match {other}");
        }
    }

    /// Without limits of ours each took 300 MB or seconds.
    #[test]
    fn an_expression_is_limited_in_length_and_in_what_it_compiles_to() {
        for pattern in [
            r"\p{L}{1000}".to_owned(),
            r"\w{1000}{1000}".to_owned(),
            "((a{100}){100}){100}".to_owned(),
            "a".repeat(1 << 20),
            "[a-c]|".repeat(1 << 18),
        ] {
            let error = Pattern::new(&pattern).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
        }
        for hostile in ["(?", r"\p{", r"\Q", "[", "(?i", "(", r"\"] {
            let _ = Pattern::new(&hostile.repeat(MAX_TEXT / hostile.len()));
        }
        let topics = (0..2000).map(|number| format!("orders-of-the-region-{number}"));
        let all = Pattern::new(&topics.collect::<Vec<_>>().join("|")).unwrap();
        assert!(all.matches("orders-of-the-region-1999") && !all.matches("orders-of-the-region-2000"));
        assert!(Pattern::new(r"[\w.-]{1,249}").unwrap().matches("a.b-c_d"));
        assert!(Pattern::new(r"\p{L}{1,9}|.{1,249}").unwrap().matches("äöü"));
    }

    #[test]
    fn what_is_not_there_is_refused_by_name() {
        for (pattern, what) in [
            ("(?!a)b", "negative look-ahead"),
            ("a(?=b)", "look-ahead"),
            ("(?<=a)b", "look-behind"),
            ("(?<!a)b", "negative look-behind"),
            ("(?>a)b", "atomic groups"),
            (r"(a)\1", "back references"),
            (r"(?<n>a)\k<n>", "back references"),
            ("a*+b", "possessive quantifiers"),
            ("a{2}+b", "possessive quantifiers"),
            (r"\p{javaLowerCase}", r"\p{java...}"),
            (r"\y", "no such escape"),
            ("t[.*", "unclosed character class"),
            ("(", "unclosed group"),
            ("\\", "ends with a backslash"),
        ] {
            let message = Pattern::new(pattern).unwrap_err().message().to_owned();
            assert!(message.contains(what), "{pattern}: {message}");
        }
    }
}
