use super::lexer::MAX_NAME_LENGTH;

/// What stands in front of a value in compact text: looked for with a few instructions if it is short.
#[derive(Clone, Debug)]
pub(super) struct MemberName {
    text: Box<[u8]>,
    /// The start of the text, and ones where there is some.
    words: [u64; WORDS],
    masks: [u64; WORDS],
}

/// As many as most labels need.
const WORDS: usize = 3;

impl MemberName {
    pub(super) fn new(text: &[u8]) -> Self {
        let word = |index: usize, byte: &dyn Fn(u8) -> u8| {
            u64::from_le_bytes(std::array::from_fn(|at| text.get(8 * index + at).copied().map_or(0, byte)))
        };
        Self {
            text: text.into(),
            words: std::array::from_fn(|index| word(index, &|byte| byte)),
            masks: std::array::from_fn(|index| word(index, &|_| 0xFF)),
        }
    }

    /// Where the label ends, if it stands at `start`.
    #[inline]
    pub(super) fn end(&self, input: &[u8], start: usize) -> Option<usize> {
        let rest = input.get(start..)?;
        let stands = match rest.first_chunk::<{ 8 * WORDS }>() {
            Some(chunk) if self.text.len() <= chunk.len() => {
                let words = chunk.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word));
                let masked = words.zip(&self.masks).map(|(word, mask)| word & mask);
                masked.zip(&self.words).fold(0, |differences, (word, own)| differences | (word ^ own)) == 0
            }
            // The lexer refuses a longer name.
            _ => self.text.len() <= MAX_NAME_LENGTH && rest.starts_with(&self.text),
        };
        stands.then_some(start + self.text.len())
    }
}
