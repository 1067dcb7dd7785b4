use std::fmt;

/// A byte string for people: the text that it is, or else with escapes.
pub(crate) struct Shown<'a>(pub(crate) &'a [u8]);

impl fmt::Debug for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match std::str::from_utf8(self.0) {
            Ok(text) if !text.chars().any(char::is_control) => write!(f, "{text:?}"),
            _ => write!(f, "b\"{}\"", self.0.escape_ascii()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_shown_as_text_and_anything_else_with_escapes() {
        assert_eq!(format!("{:?}", Shown("{\"k\":\"日\"}".as_bytes())), r#""{\"k\":\"日\"}""#);
        assert_eq!(format!("{:?}", Shown(b"\0\0\0\x07a\xff")), r#"b"\x00\x00\x00\x07a\xff""#);
        assert_eq!(format!("{:?}", Shown(b"")), r#""""#);
    }
}
