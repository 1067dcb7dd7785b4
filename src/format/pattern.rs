use std::fmt;

use regex::Regex;

use crate::error::{Error, ErrorKind};

/// A regular expression that a whole text matches.
///
/// Agrees with `java.util.regex.Pattern` and its `matches()`, but for what the `regex` crate has not.
#[derive(Clone)]
pub(crate) struct Pattern {
    text: String,
    regex: Regex,
}

impl Pattern {
    /// # Errors
    ///
    /// For a text that is no expression.
    pub(crate) fn new(text: &str) -> Result<Self, Error> {
        let regex = Regex::new(&format!("^(?:{text})$"))
            .map_err(|error| Error::new(ErrorKind::Table, format!("Invalid regular expression: {error}")))?;
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
