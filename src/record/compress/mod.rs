//! The codecs of compressed batches. Agrees with Kafka's `org.apache.kafka.common.compress.Compression`.

mod codec;
#[cfg(feature = "gzip")]
mod gzip;
#[cfg(feature = "lz4")]
mod lz4;
#[cfg(feature = "lz4")]
mod lz4_search;
#[cfg(feature = "snappy")]
mod snappy;
#[cfg(feature = "zstd")]
mod zstd;

use crate::error::{Error, ErrorKind};

use self::codec::Codec;

/// How the records of a batch are compressed: Kafka's `compression.type`.
///
/// All but `None` need the feature of their name; each is pure Rust.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Compression {
    /// Not at all.
    #[default]
    None,
    /// `gzip`.
    Gzip,
    /// `snappy`, in the frames of Java's `SnappyOutputStream`; raw blocks, as librdkafka writes them, are read too.
    Snappy,
    /// `lz4`, in LZ4 frames of independent blocks, the only ones Java reads.
    Lz4,
    /// `zstd`.
    Zstd,
}

impl Compression {
    const ALL: [Self; 5] = [Self::None, Self::Gzip, Self::Snappy, Self::Lz4, Self::Zstd];

    /// The name it has as `compression.type`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Gzip => "gzip",
            Self::Snappy => "snappy",
            Self::Lz4 => "lz4",
            Self::Zstd => "zstd",
        }
    }

    /// The levels that Kafka's `compression.<name>.level` takes, and its default.
    const fn levels(self) -> Option<(i32, i32, i32)> {
        match self {
            Self::None | Self::Snappy => None,
            Self::Gzip => Some((1, 9, -1)),
            Self::Lz4 => Some((1, 17, 9)),
            Self::Zstd => Some((-131_072, 22, 3)),
        }
    }

    /// Kafka's default level; 0 where there are no levels.
    pub(super) fn default_level(self) -> i32 {
        self.levels().map_or(0, |(_, _, default)| default)
    }

    /// Refuses what Kafka refuses, with its sentence.
    ///
    /// # Errors
    ///
    /// If there is no such level.
    pub(super) fn check_level(self, level: i32) -> Result<(), Error> {
        let name = self.as_str();
        let Some((least, most, default)) = self.levels() else {
            return Err(Error::new(ErrorKind::Table, format!("compression {name} has no levels")));
        };
        let expected = match self {
            _ if (least..=most).contains(&level) || level == default => return Ok(()),
            Self::Gzip => format!("between {least} and {most} or equal to {default}"),
            _ if level < least => format!("at least {least}"),
            _ => format!("no more than {most}"),
        };
        let option = format!("compression.{name}.level");
        let message = format!("Invalid value {level} for configuration {option}: Value must be {expected}");
        Err(Error::new(ErrorKind::Table, message).in_option(&option))
    }

    /// Its number in the lowest bits of a batch's attributes.
    pub(super) fn id(self) -> i16 {
        self as i16
    }

    pub(super) fn from_id(id: i16) -> Option<Self> {
        Self::ALL.into_iter().find(|compression| compression.id() == id)
    }

    /// How it is done; `None` for [`Compression::None`].
    ///
    /// # Errors
    ///
    /// If its feature is off.
    pub(super) fn codec(self) -> Result<Option<Codec>, Error> {
        match self {
            Self::None => Ok(None),
            #[cfg(feature = "gzip")]
            Self::Gzip => Ok(Some(gzip::CODEC)),
            #[cfg(feature = "snappy")]
            Self::Snappy => Ok(Some(snappy::CODEC)),
            #[cfg(feature = "lz4")]
            Self::Lz4 => Ok(Some(lz4::CODEC)),
            #[cfg(feature = "zstd")]
            Self::Zstd => Ok(Some(zstd::CODEC)),
            #[cfg(not(all(feature = "gzip", feature = "snappy", feature = "lz4", feature = "zstd")))]
            missing => Err(missing_feature(missing)),
        }
    }
}

#[cfg(not(all(feature = "gzip", feature = "snappy", feature = "lz4", feature = "zstd")))]
#[cold]
fn missing_feature(compression: Compression) -> Error {
    let name = compression.as_str();
    Error::new(ErrorKind::Feature, format!("compression {name} needs the feature `{name}` of this crate"))
}

#[cfg(all(test, feature = "gzip", feature = "snappy", feature = "lz4", feature = "zstd"))]
mod tests {
    use super::*;

    fn codecs() -> impl Iterator<Item = (Compression, Codec)> {
        Compression::ALL.into_iter().filter_map(|compression| Some((compression, compression.codec().ok()??)))
    }

    fn compressed(compression: Compression, codec: Codec, input: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        (codec.compress)(input, compression.default_level(), &mut out);
        out
    }

    /// Bytes that no codec can shorten.
    fn noise(len: usize) -> Vec<u8> {
        let mut state = 0x2545_f491_u32;
        std::iter::repeat_with(|| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            state.to_le_bytes()[0]
        })
        .take(len)
        .collect()
    }

    #[test]
    fn names_and_ids_are_kafkas() {
        let ids: Vec<_> =
            Compression::ALL.iter().map(|compression| (compression.id(), compression.as_str())).collect();
        assert_eq!(ids, [(0, "none"), (1, "gzip"), (2, "snappy"), (3, "lz4"), (4, "zstd")]);
        assert_eq!(Compression::from_id(5), None);
    }

    /// What `CompressionType.levelValidator()` of Kafka's clients 4.4 says.
    #[test]
    fn levels_are_kafkas() {
        let refusal =
            |compression: Compression, level| compression.check_level(level).unwrap_err().to_string();
        for (compression, levels) in [
            (Compression::Gzip, &[-1, 1, 9][..]),
            (Compression::Lz4, &[1, 9, 17]),
            (Compression::Zstd, &[-131_072, -1, 0, 3, 22]),
        ] {
            assert!(levels.iter().all(|level| compression.check_level(*level).is_ok()), "{compression:?}");
            assert!(compression.check_level(compression.default_level()).is_ok());
        }
        let gzip = "Invalid value 0 for configuration compression.gzip.level: Value must be between 1 and 9 or equal to -1";
        assert!(refusal(Compression::Gzip, 0).contains(gzip));
        let lz4 = "Invalid value 18 for configuration compression.lz4.level: Value must be no more than 17";
        assert!(refusal(Compression::Lz4, 18).contains(lz4));
        let zstd =
            "Invalid value -131073 for configuration compression.zstd.level: Value must be at least -131072";
        assert!(refusal(Compression::Zstd, -131_073).contains(zstd));
        assert_eq!(refusal(Compression::Snappy, 1), "compression snappy has no levels");
    }

    #[test]
    fn every_level_is_read_back_and_the_highest_is_smaller_than_the_lowest() {
        let input: String =
            (0..4000_u32).map(|n| format!("{{\"id\":{n},\"user\":{}}}", n * n % 97)).collect();
        for (compression, levels) in [
            (Compression::Gzip, &[1, -1, 9][..]),
            (Compression::Lz4, &[9, 1, 4, 17]),
            (Compression::Zstd, &[-131_072, -3, 1, 3, 0, 22]),
        ] {
            let codec = compression.codec().unwrap().unwrap();
            let sizes = levels.iter().map(|level| {
                let mut out = Vec::new();
                (codec.compress)(input.as_bytes(), *level, &mut out);
                assert!((codec.decompress)(&out, input.len()).unwrap() == input.as_bytes(), "{level}");
                out.len()
            });
            let sizes: Vec<_> = sizes.collect();
            assert!(sizes.last() < sizes.first(), "{compression:?}: {sizes:?}");
        }
    }

    #[test]
    fn what_is_compressed_comes_back() {
        let inputs = [Vec::new(), b"a".to_vec(), b"abcd".repeat(100_000), noise(200_000), vec![0; 65_536]];
        for (compression, codec) in codecs() {
            for input in &inputs {
                let output = (codec.decompress)(&compressed(compression, codec, input), input.len()).unwrap();
                assert!(output == *input, "{compression:?}, {} bytes", input.len());
            }
        }
    }

    #[test]
    fn what_grows_beyond_the_limit_is_an_error() {
        for input in [b"abcd".repeat(100_000), noise(400_000)] {
            for (compression, codec) in codecs() {
                let bytes = compressed(compression, codec, &input);
                for limit in [0, 1, 65_536, 399_999] {
                    let error = (codec.decompress)(&bytes, limit).unwrap_err();
                    assert_eq!(error.kind(), ErrorKind::Limit, "{compression:?}, {limit}");
                }
            }
        }
    }

    #[test]
    fn cut_off_bytes_never_pass_for_the_whole() {
        let input = b"some bytes, some of them again, some bytes".repeat(50);
        for (compression, codec) in codecs() {
            let bytes = compressed(compression, codec, &input);
            for len in 0..bytes.len() {
                let output = (codec.decompress)(&bytes[..len], input.len());
                assert!(
                    output.map_or(0, |output| output.len()) < input.len(),
                    "{compression:?}, {len} bytes of it"
                );
            }
        }
    }
}
