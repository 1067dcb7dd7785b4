/// 128 bits that stand for a row.
pub(crate) type Digest = [u8; 16];

/// SipHash-2-4 with 128 bits, under a key of zeros.
///
/// Kept in snapshots, so it must not change with the compiler, the platform or a dependency; two rows that somebody
/// makes up must not fall together either, which rules out the hashes meant for tables.
pub(crate) fn digest(bytes: &[u8]) -> Digest {
    siphash(0, 0, bytes)
}

fn siphash(key0: u64, key1: u64, bytes: &[u8]) -> Digest {
    let mut state = Sip {
        v0: key0 ^ 0x736f_6d65_7073_6575,
        v1: key1 ^ 0x646f_7261_6e64_6f6d ^ 0xee,
        v2: key0 ^ 0x6c79_6765_6e65_7261,
        v3: key1 ^ 0x7465_6462_7974_6573,
    };
    let (words, rest) = bytes.as_chunks::<8>();
    words.iter().for_each(|word| state.absorb(u64::from_le_bytes(*word)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    #[expect(clippy::cast_possible_truncation, reason = "SipHash takes the length modulo 256")]
    let len = bytes.len() as u8;
    last[7] = len;
    state.absorb(u64::from_le_bytes(last));

    state.v2 ^= 0xee;
    state.rounds(4);
    let low = state.fold();
    state.v1 ^= 0xdd;
    state.rounds(4);
    let high = state.fold();
    (u128::from(high) << 64 | u128::from(low)).to_le_bytes()
}

struct Sip {
    v0: u64,
    v1: u64,
    v2: u64,
    v3: u64,
}

impl Sip {
    fn absorb(&mut self, word: u64) {
        self.v3 ^= word;
        self.rounds(2);
        self.v0 ^= word;
    }

    fn rounds(&mut self, count: u32) {
        for _ in 0..count {
            self.v0 = self.v0.wrapping_add(self.v1);
            self.v2 = self.v2.wrapping_add(self.v3);
            self.v1 = self.v1.rotate_left(13) ^ self.v0;
            self.v3 = self.v3.rotate_left(16) ^ self.v2;
            self.v0 = self.v0.rotate_left(32).wrapping_add(self.v3);
            self.v2 = self.v2.wrapping_add(self.v1);
            self.v3 = self.v3.rotate_left(21) ^ self.v0;
            self.v1 = self.v1.rotate_left(17) ^ self.v2;
            self.v2 = self.v2.rotate_left(32);
        }
    }

    fn fold(&self) -> u64 {
        self.v0 ^ self.v1 ^ self.v2 ^ self.v3
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_siphash_2_4_128() {
        // vectors_sip128 of the reference implementation: key 00 01 .. 0f, message 00 01 .. of the given length.
        for (len, expected) in [
            (0, 0xa381_7f04_ba25_a8e6_6df6_7214_c755_0293_u128),
            (1, 0xda87_c1d8_6b99_af44_3476_5911_9b22_fc45),
            (7, 0xa1f1_ebbe_d8db_c153_c0b8_4aa6_1ff0_8239),
            (8, 0x3b62_a9ba_6258_f561_0f83_e264_f314_97b4),
            (15, 0x5493_e999_33b0_a811_7e08_ec0f_97cf_c3d9),
        ] {
            let message: Vec<u8> = (0..len).collect();
            let digest = siphash(0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908, &message);
            assert_eq!(digest, expected.to_be_bytes(), "{len} bytes");
        }
    }
}
