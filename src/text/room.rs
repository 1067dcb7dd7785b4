//! Where short texts are written: in place, at the end of a buffer.

/// More than a number, a date or a time ever takes.
pub(super) const ROOM: usize = 64;

/// The place of a short text, to be filled from its beginning. What is after the text is of no account.
pub(crate) type Room = [u8; ROOM];

/// Every two-digit number. There are 128 entries so that a masked index needs no check.
static PAIRS: [[u8; 2]; 128] = {
    let mut pairs = [[b'0'; 2]; 128];
    let mut number = 0;
    while number < 100 {
        #[expect(clippy::cast_possible_truncation, reason = "below 10")]
        {
            pairs[number] = [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8];
        }
        number += 1;
    }
    pairs
};

/// The two digits of `number`, which is below 100.
#[inline]
pub(super) fn pair(number: u32) -> [u8; 2] {
    PAIRS[(number & 127) as usize]
}

/// Writes `bytes` from `at` on.
#[inline]
pub(super) fn put<const N: usize>(room: &mut Room, at: usize, bytes: [u8; N]) {
    room[at..at + N].copy_from_slice(&bytes);
}

/// Writes `text` from `at` on, and says where it ends.
#[inline]
pub(super) fn put_text(room: &mut Room, at: usize, text: &[u8]) -> usize {
    let end = at + text.len();
    room[at..end].copy_from_slice(text);
    end
}

/// Writes `true` or `false`.
#[inline]
pub(crate) fn put_boolean(room: &mut Room, value: bool) -> usize {
    put(room, 0, if value { *b"true " } else { *b"false" });
    if value { 4 } else { 5 }
}

/// Appends as much of a room as `put` says it wrote.
#[inline]
pub(crate) fn append(out: &mut Vec<u8>, put: impl FnOnce(&mut Room) -> usize) {
    let mut room = [0; ROOM];
    let len = put(&mut room);
    out.extend_from_slice(&room[..len]);
}

#[cfg(test)]
pub(super) fn text_of(put: impl FnOnce(&mut Room) -> usize) -> String {
    let mut room = [b'?'; ROOM];
    let len = put(&mut room);
    String::from_utf8(room[..len].to_vec()).unwrap()
}
