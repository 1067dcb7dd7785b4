//! Rows written in place, by position, into the room that a buffer lends.

use crate::error::Error;
use crate::wire::Buffer;

/// Why writing ended early.
pub(super) enum Stop {
    /// There is not room enough: a larger one is wanted, and the row is written anew.
    Full,
    Error(Error),
}

/// Where that ends which was written so far.
pub(super) type End = Result<usize, Stop>;

impl Stop {
    /// Adds to an error where it is.
    #[cold]
    pub(super) fn at(self, place: impl FnOnce(Error) -> Error) -> Self {
        match self {
            Self::Full => Self::Full,
            Self::Error(error) => Self::Error(place(error)),
        }
    }
}

impl From<Error> for Stop {
    #[cold]
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// Appends what `write` writes, from the beginning of the room that it is given.
#[inline]
pub(super) fn write_in_place(out: &mut Buffer, write: impl Fn(&mut [u8]) -> End) -> Result<(), Error> {
    loop {
        match write(out.room()) {
            Ok(end) => {
                out.advance(end);
                return Ok(());
            }
            Err(Stop::Full) => out.grow(1),
            Err(Stop::Error(error)) => return Err(error),
        }
    }
}

/// The place of something short.
#[inline]
pub(super) fn chunk<const N: usize>(out: &mut [u8], at: usize) -> Result<&mut [u8; N], Stop> {
    out.get_mut(at..).and_then(<[u8]>::first_chunk_mut).ok_or(Stop::Full)
}

/// Writes a text of known length.
#[inline]
pub(super) fn put<const N: usize>(out: &mut [u8], at: usize, text: &[u8; N]) -> End {
    *chunk(out, at)? = *text;
    Ok(at + N)
}

/// Writes bytes of any number.
#[inline]
pub(super) fn put_bytes(out: &mut [u8], at: usize, bytes: &[u8]) -> End {
    let room = out.get_mut(at..).and_then(|room| room.get_mut(..bytes.len())).ok_or(Stop::Full)?;
    room.copy_from_slice(bytes);
    Ok(at + bytes.len())
}

/// Puts brackets around a list in JSON whose items, from `start` to `end`, have a comma in front of each: the opening one
/// takes the place of the first comma.
#[inline]
pub(super) fn close(out: &mut [u8], start: usize, end: usize, [opening, closing]: [u8; 2]) -> End {
    let end = end.max(start + 1);
    *out.get_mut(end).ok_or(Stop::Full)? = closing;
    out[start] = opening;
    Ok(end + 1)
}
