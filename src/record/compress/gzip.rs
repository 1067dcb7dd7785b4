//! `gzip`. Agrees with `java.util.zip.GZIPOutputStream`.

use std::io::Write;

use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;

use super::codec::{Codec, read_up_to};
use crate::error::Error;

pub(super) const CODEC: Codec = Codec { compress, decompress };

/// -1 is zlib's own choice, which is 6.
fn compress(input: &[u8], level: i32, out: &mut Vec<u8>) {
    let level = u32::try_from(level).map_or(flate2::Compression::default(), flate2::Compression::new);
    let mut encoder = GzEncoder::new(out, level);
    let written = encoder.write_all(input).and_then(|()| encoder.finish().map(|_| ()));
    written.expect("writing to a Vec does not fail");
}

fn decompress(input: &[u8], max_len: usize) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    read_up_to(MultiGzDecoder::new(input), max_len, &mut out)?;
    Ok(out)
}
