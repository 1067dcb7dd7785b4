/// The candidate that was probably meant by `given`: what differs only in case and in `-`, `_` and `.`, otherwise what
/// few edits make of it.
pub(crate) fn closest<'a>(given: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let given = normalized(given)?;
    let near = candidates.into_iter().filter_map(|candidate| {
        let edits = edits(&given, &normalized(candidate)?);
        (edits <= given.len().max(3) / 3).then_some((edits, candidate))
    });
    near.min_by_key(|(edits, _)| *edits).map(|(_, candidate)| candidate)
}

/// `None` for what is too long to be a slip.
fn normalized(text: &str) -> Option<Vec<char>> {
    let separator = |character| if ['_', '.'].contains(&character) { '-' } else { character };
    let characters: Vec<char> = text.chars().take(101).flat_map(char::to_lowercase).map(separator).collect();
    (characters.len() <= 100).then_some(characters)
}

/// The edits, of one character each, between two texts: Levenshtein's distance.
fn edits(from: &[char], to: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (index, from) in from.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for (column, to) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(from != to);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_is_a_slip_away() {
        let options = ["topic", "topic-pattern", "scan.startup.mode", "value.format"];
        for (given, meant) in [
            ("topics", Some("topic")),
            ("Topic", Some("topic")),
            ("scan.startup-mode", Some("scan.startup.mode")),
            ("topic_patern", Some("topic-pattern")),
            ("foo", None),
            ("", None),
        ] {
            assert_eq!(closest(given, options), meant, "{given}");
        }
    }
}
