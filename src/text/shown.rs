/// Enough to recognise a text.
const MOST_SHOWN: usize = 40;

/// What a message shows of foreign text: in quotes, its first characters.
#[cold]
#[inline(never)]
pub(crate) fn shown(text: &str) -> String {
    let shown: String = text.chars().take(MOST_SHOWN).collect();
    let ellipsis = if shown.len() < text.len() { "…" } else { "" };
    format!("{shown:?}{ellipsis}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut() {
        assert_eq!(shown("a\"\n"), r#""a\"\n""#);
        assert_eq!(shown(&"ä".repeat(40)), format!("\"{}\"", "ä".repeat(40)));
        assert_eq!(shown(&"ä".repeat(41)), format!("\"{}\"…", "ä".repeat(40)));
    }
}
