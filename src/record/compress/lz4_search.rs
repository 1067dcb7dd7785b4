//! Blocks of LZ4 that are searched for their longest matches: slower than the fast way, and smaller. Does what
//! `net.jpountz.lz4.LZ4Factory.highCompressor` does; the bytes are not the same.
//!
//! ```text
//! sequences: u8 lengths (4 bits literals, 4 bits match less 4), [more of the first], literals,
//!            u16 little-endian distance of the match, [more of the second]
//! more:      255 as often as there are 255, then what is left
//! ```

/// No match is shorter.
const MIN_MATCH: usize = 4;
/// No match begins in the last bytes of a block,
const LAST_MATCH: usize = 12;
/// and the very last are literals.
const LAST_LITERALS: usize = 5;
const HASH_BITS: u32 = 15;
/// Of a chain of positions: there is none.
const NONE: u32 = u32::MAX;

/// Finds matches in blocks of 64 KiB at most: for the hash of four bytes the last position, and from each position the one
/// before it with the same hash.
pub(super) struct Searcher {
    heads: Vec<u32>,
    before: Vec<u32>,
    /// How many positions are tried.
    attempts: usize,
}

/// Bytes that are there already.
#[derive(Clone, Copy)]
struct Match {
    distance: usize,
    len: usize,
}

impl Searcher {
    /// One that tries twice as many positions with each level, from 1 on.
    pub(super) fn new(level: i32) -> Self {
        let attempts = 1 << level.clamp(1, 17).unsigned_abs().saturating_sub(1);
        Self { heads: vec![NONE; 1 << HASH_BITS], before: Vec::new(), attempts }
    }

    /// Appends the block, compressed.
    pub(super) fn compress(&mut self, block: &[u8], out: &mut Vec<u8>) {
        self.heads.fill(NONE);
        self.before.clear();
        let last = block.len().saturating_sub(LAST_MATCH - 1);
        let (mut at, mut written) = (0, 0);
        while at < last {
            let Some(mut found) = self.longest(block, at) else {
                at += 1;
                continue;
            };
            // One position on there may be a longer one, for one more literal.
            while at + 1 < last
                && let Some(next) = self.longest(block, at + 1)
                && next.len > found.len
            {
                (found, at) = (next, at + 1);
            }
            put_sequence(out, &block[written..at], Some(found));
            at += found.len;
            written = at;
        }
        put_sequence(out, &block[written..], None);
    }

    /// The longest match at a position, which comes after those asked for before.
    fn longest(&mut self, block: &[u8], at: usize) -> Option<Match> {
        while self.before.len() < at {
            self.enter(block);
        }
        let rest = &block[at..block.len() - LAST_LITERALS];
        let mut best = Match { distance: 0, len: MIN_MATCH - 1 };
        let mut candidate = self.heads[hash(rest)?];
        for _ in 0..self.attempts {
            let Some(from) = usize::try_from(candidate).ok().filter(|_| candidate != NONE) else { break };
            if block[from + best.len] == block[at + best.len] {
                let len = rest.iter().zip(&block[from..]).take_while(|(one, other)| one == other).count();
                if len > best.len {
                    best = Match { distance: at - from, len };
                    if len == rest.len() {
                        break;
                    }
                }
            }
            candidate = self.before[from];
        }
        (best.distance > 0).then_some(best)
    }

    /// Enters the next position into its chain.
    fn enter(&mut self, block: &[u8]) {
        let at = self.before.len();
        let head = block.get(at..).and_then(hash).map(|hash| &mut self.heads[hash]);
        let position = u32::try_from(at).unwrap_or(NONE);
        self.before.push(head.map_or(NONE, |head| std::mem::replace(head, position)));
    }
}

/// That of the first four bytes.
fn hash(bytes: &[u8]) -> Option<usize> {
    let word = u32::from_le_bytes(*bytes.first_chunk()?);
    usize::try_from(word.wrapping_mul(2_654_435_761) >> (u32::BITS - HASH_BITS)).ok()
}

/// Literals, and after them a match but for those at the end.
fn put_sequence(out: &mut Vec<u8>, literals: &[u8], found: Option<Match>) {
    let beyond = found.map_or(0, |found| found.len - MIN_MATCH);
    let nibble = |len: usize| u8::try_from(len.min(15)).unwrap_or(15);
    out.push(nibble(literals.len()) << 4 | nibble(beyond));
    put_more(out, literals.len());
    out.extend_from_slice(literals);
    if let Some(found) = found {
        let distance = u16::try_from(found.distance).unwrap_or(u16::MAX);
        out.extend_from_slice(&distance.to_le_bytes());
        put_more(out, beyond);
    }
}

/// What of a length the four bits do not hold.
fn put_more(out: &mut Vec<u8>, len: usize) {
    let Some(mut more) = len.checked_sub(15) else { return };
    while more >= 255 {
        out.push(255);
        more -= 255;
    }
    out.push(u8::try_from(more).unwrap_or(254));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn comes_back(input: &[u8], level: i32) -> usize {
        let mut out = Vec::new();
        let mut searcher = Searcher::new(level);
        searcher.compress(b"another block before it, another block", &mut out);
        out.clear();
        searcher.compress(input, &mut out);
        let back = lz4_flex::block::decompress(&out, input.len()).unwrap();
        assert!(back == input, "level {level}, {} bytes", input.len());
        out.len()
    }

    #[test]
    fn long_runs_and_far_matches_come_back() {
        let mut far = b"0123456789abcdef".to_vec();
        far.resize(65_520, b'x');
        far.extend_from_slice(b"0123456789abcdef");
        for input in [vec![0; 65_536], far, b"ab".repeat(32_768), b"abcdefgh".repeat(2)] {
            for level in [1, 3, 12, 17] {
                comes_back(&input, level);
            }
        }
    }

    #[test]
    fn a_search_finds_more_than_the_fast_way_and_more_with_a_higher_level() {
        let rows: String = (0..900_u32)
            .map(|n| {
                format!(
                    "{{\"id\":{n},\"user\":{},\"state\":\"{}\"}}",
                    n * n % 97,
                    ["new", "paid"][n as usize % 2]
                )
            })
            .collect();
        let rows = &rows.as_bytes()[..rows.len().min(65_536)];
        let fast = lz4_flex::block::compress(rows).len();
        let (low, high) = (comes_back(rows, 3), comes_back(rows, 12));
        assert!(high <= low && low < fast, "{high}, {low}, {fast}");
    }

    proptest! {
        #[test]
        fn any_block_comes_back(
            parts in prop::collection::vec((prop::collection::vec(0_u8..4, 0..20), 1_usize..40), 0..20),
            level in 1..18_i32,
        ) {
            let input: Vec<u8> = parts.iter().flat_map(|(part, times)| part.repeat(*times)).collect();
            comes_back(&input, level);
        }
    }
}
