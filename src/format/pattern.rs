//! Java's regular expressions, through the `regex` crate: [`Pattern`].

use std::fmt;

use regex::Regex;

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
        let translated = Translator { rest: text, out: String::new(), class_depth: 0 }.translate();
        let translated = translated.map_err(|what| invalid(what.to_owned()))?;
        let regex = Regex::new(&format!("^(?:{translated})$")).map_err(|error| invalid(error.to_string()))?;
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
        let flags = self.rest.strip_prefix('?').map(|rest| &rest[..rest.find([':', ')', '<']).unwrap_or(0)]);
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
        let braced = self.rest.strip_prefix('{').and_then(|rest| rest.split_once('}'));
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
