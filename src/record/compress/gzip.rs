//! `gzip`. Agrees with `java.util.zip.GZIPOutputStream`.

use std::io::Write;

use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;

use super::codec::{Codec, read_up_to};
use crate::error::Error;

pub(super) const CODEC: Codec = Codec { compress, decompress };

fn compress(input: &[u8], out: &mut Vec<u8>) {
    let mut encoder = GzEncoder::new(out, flate2::Compression::default());
    let written = encoder.write_all(input).and_then(|()| encoder.finish().map(|_| ()));
    written.expect("writing to a Vec does not fail");
}

fn decompress(input: &[u8], max_len: usize) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    read_up_to(MultiGzDecoder::new(input), max_len, &mut out)?;
    Ok(out)
}
