//! The fast path of the streaming decoder: the members of a compact object, read at one go without tokens.
//!
//! It takes what writers write: the member that is next in the order of the columns, without blanks, without escapes,
//! its number without an exponent. Whatever else it finds it leaves alone, and the tokens' path reads the member. A
//! property holds the two together: `streaming::tests::compact_members_read_as_tokens_do`.

use crate::format::scalar::Scalar;
use crate::row::{Decimal, RowBuf, Slot};

use super::utf8;

/// What stands in front of a value in compact text: looked for with a few instructions if it is short.
#[derive(Clone, Debug)]
pub(super) struct Label {
    text: Box<[u8]>,
    /// The start of the text, and ones where there is some.
    words: [u64; WORDS],
    masks: [u64; WORDS],
}

/// As many as most labels need.
const WORDS: usize = 3;

impl Label {
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
    fn end(&self, input: &[u8], start: usize) -> Option<usize> {
        let rest = input.get(start..)?;
        let stands = match rest.first_chunk::<{ 8 * WORDS }>() {
            Some(chunk) if self.text.len() <= chunk.len() => {
                let words = chunk.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word));
                let masked = words.zip(&self.masks).map(|(word, mask)| word & mask);
                masked.zip(&self.words).fold(0, |differences, (word, own)| differences | (word ^ own)) == 0
            }
            _ => rest.starts_with(&self.text),
        };
        stands.then_some(start + self.text.len())
    }
}

/// The value of `scalar`'s type behind the label that stands at `start` in `input`, and where it ends: at a comma or a
/// closing brace. `text` is all of `input`, if it is UTF-8.
///
/// `None` leaves the decision to others.
#[inline]
pub(super) fn read(
    label: &Label,
    scalar: Scalar,
    input: &[u8],
    text: Option<&str>,
    start: usize,
    row: &mut RowBuf,
) -> Option<(Slot, usize)> {
    let position = label.end(input, start)?;
    let rest = input.get(position..)?;
    let (slot, len) = match scalar {
        _ if rest.starts_with(b"null") => (Slot::Null, 4),
        Scalar::Boolean => match rest {
            [b't', b'r', b'u', b'e', ..] => (Slot::Boolean(true), 4),
            [b'f', b'a', b'l', b's', b'e', ..] => (Slot::Boolean(false), 5),
            _ => return None,
        },
        Scalar::TinyInt | Scalar::SmallInt | Scalar::Int | Scalar::BigInt => {
            let number = Number::read(rest)?;
            let value = number.integer()?;
            let slot = match scalar {
                Scalar::TinyInt => Slot::TinyInt(value.try_into().ok()?),
                Scalar::SmallInt => Slot::SmallInt(value.try_into().ok()?),
                Scalar::Int => Slot::Int(value.try_into().ok()?),
                _ => Slot::BigInt(value),
            };
            (slot, number.len)
        }
        Scalar::Double => {
            let number = Number::read(rest)?;
            (Slot::Double(number.double()?), number.len)
        }
        Scalar::Decimal { precision, scale } => {
            let number = Number::read(rest)?;
            (Slot::Decimal(number.decimal(precision, scale)?), number.len)
        }
        Scalar::String
        | Scalar::Date
        | Scalar::SqlDate
        | Scalar::Time
        | Scalar::LocalTime { .. }
        | Scalar::Timestamp
        | Scalar::TimestampLtz
        | Scalar::IsoTimestamp
        | Scalar::IsoTimestampLtz => {
            let b'"' = rest.first()? else { return None };
            let (end, plain) = utf8::end_of_string(input, position + 1);
            let text = if plain { text?.get(position + 1..end)? } else { return None };
            (scalar.parse(text, row)?, text.len() + 2)
        }
        Scalar::Float | Scalar::Bytes => return None,
    };
    matches!(rest.get(len), Some(b',' | b'}')).then_some((slot, position + len))
}

/// A number without an exponent and of at most 18 digits, which fit a word.
#[derive(Clone, Copy)]
struct Number {
    negative: bool,
    digits: u64,
    /// How many of the digits stand behind the point.
    decimals: usize,
    len: usize,
}

/// Powers of ten that a double holds exactly, as far as [`Number`] has use for them.
const POWERS_OF_TEN: [f64; 19] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18];

/// Powers of ten that a word holds; every word has fewer digits than the next.
const WORD_POWERS_OF_TEN: [u64; 20] = {
    let mut powers = [1; 20];
    let mut exponent = 1;
    while exponent < powers.len() {
        powers[exponent] = 10 * powers[exponent - 1];
        exponent += 1;
    }
    powers
};

impl Number {
    #[inline]
    fn read(text: &[u8]) -> Option<Self> {
        let negative = text.first() == Some(&b'-');
        let start = usize::from(negative);
        let mut position = start;
        let mut digits = 0;
        while let Some(digit) = digit_at(text, position) {
            digits = digits * 10 + digit;
            position += 1;
            // Wrapped digits are never looked at: there are too many.
            if position > MAX_LEN {
                return None;
            }
        }
        let whole = position - start;
        if whole == 0 || whole > 1 && text[start] == b'0' {
            return None;
        }
        let mut decimals = 0;
        if text.get(position) == Some(&b'.') {
            position += 1;
            while let Some(digit) = digit_at(text, position) {
                digits = digits * 10 + digit;
                position += 1;
                decimals += 1;
                if position > MAX_LEN {
                    return None;
                }
            }
            if decimals == 0 {
                return None;
            }
        }
        Some(Self { negative, digits, decimals, len: position })
    }

    #[inline]
    fn integer(self) -> Option<i64> {
        let magnitude = i64::try_from(self.digits).ok().filter(|_| self.decimals == 0)?;
        Some(if self.negative { -magnitude } else { magnitude })
    }

    /// The nearest double: that of two exact ones, divided, is rounded once.
    #[inline]
    fn double(self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
        let digits = (self.digits <= 1 << 53).then_some(self.digits as f64)?;
        let magnitude = digits / POWERS_OF_TEN[self.decimals];
        Some(if self.negative { -magnitude } else { magnitude })
    }

    /// The decimal, where no digit is rounded off and it surely fits the column.
    #[inline]
    fn decimal(self, precision: u8, scale: u8) -> Option<Decimal> {
        let zeros = usize::from(scale).checked_sub(self.decimals)?;
        let magnitude = self.digits.checked_mul(*WORD_POWERS_OF_TEN.get(zeros)?)?;
        if WORD_POWERS_OF_TEN.get(usize::from(precision)).is_some_and(|limit| magnitude >= *limit) {
            return None;
        }
        let unscaled = i128::from(magnitude);
        Decimal::try_new(if self.negative { -unscaled } else { unscaled }, scale)
    }
}

/// The most bytes that a number has here: its digits, 18 at most, fit a word.
const MAX_LEN: usize = 18;

#[inline]
fn digit_at(text: &[u8], position: usize) -> Option<u64> {
    let digit = text.get(position)?.wrapping_sub(b'0');
    (digit < 10).then_some(digit.into())
}
