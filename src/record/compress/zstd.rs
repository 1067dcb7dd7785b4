//! `zstd`. Agrees with `com.github.luben.zstd.ZstdOutputStream`.

use ruzstd::decoding::StreamingDecoder;
use ruzstd::encoding::CompressionLevel;

use super::{Codec, corrupt, read_up_to};
use crate::error::Error;

pub(super) const CODEC: Codec = Codec { compress, decompress };

fn compress(input: &[u8], out: &mut Vec<u8>) {
    ruzstd::encoding::compress(input, out, CompressionLevel::Fastest);
}

/// One frame or several, of windows up to 128 MiB, the decoder's default and that of zstd itself.
fn decompress(input: &[u8], max_len: usize) -> Result<Vec<u8>, Error> {
    let (mut rest, mut out) = (input, Vec::new());
    while !rest.is_empty() {
        let frame = StreamingDecoder::new(&mut rest).map_err(corrupt)?;
        read_up_to(frame, max_len, &mut out)?;
    }
    Ok(out)
}
