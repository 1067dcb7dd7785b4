//! Kafka's wire primitives: varints, CRC-32C, a bounds-checked reader; and how byte strings are shown.
//!
//! Agrees with Kafka's `org.apache.kafka.common.utils.ByteUtils` and `Crc32C`.

mod buffer;
mod cursor;
mod give_back;
mod shown;
mod varint;
mod word;

pub(crate) use buffer::Buffer;
pub(crate) use cursor::Cursor;
pub(crate) use give_back::{GiveBack, Rarely, is_to_be_given_back};
pub(crate) use shown::Shown;
pub(crate) use varint::{append_varint, append_varlong, put_varlong, varint_len, varlong_len};
pub(crate) use word::{HIGH_BITS, below, each, equal};

/// The CRC-32C (Castagnoli) of `bytes`, by the processor's own instruction where it has one.
pub(crate) fn crc32c(bytes: &[u8]) -> u32 {
    crc32c::crc32c(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crc_is_castagnolis_not_the_one_of_zip() {
        // RFC 3720, appendix B.4.
        assert_eq!(crc32c(&[0; 32]), 0x8a91_36aa);
        assert_eq!(crc32c(&[0xff; 32]), 0x62a8_ab43);
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
    }
}
