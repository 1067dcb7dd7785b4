/// Bytes that stand for choices. Once they have run out, each choice is its first.
#[derive(Clone, Debug)]
pub struct Draw<'a> {
    bytes: &'a [u8],
}

impl<'a> Draw<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub fn byte(&mut self) -> u8 {
        let [byte] = self.array();
        byte
    }

    /// The next `N` bytes, after the last one zeros.
    pub fn array<const N: usize>(&mut self) -> [u8; N] {
        let mut array = [0; N];
        let bytes = self.bytes(N);
        array[..bytes.len()].copy_from_slice(bytes);
        array
    }

    /// A number below `n`, which is 256 at most.
    pub fn below(&mut self, n: usize) -> usize {
        usize::from(self.byte()) % n
    }

    /// True once in `n` times.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }

    pub fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// The next `max` bytes, or as many as there are.
    pub fn bytes(&mut self, max: usize) -> &'a [u8] {
        let (bytes, rest) = self.bytes.split_at(max.min(self.bytes.len()));
        self.bytes = rest;
        bytes
    }

    pub fn rest(self) -> &'a [u8] {
        self.bytes
    }
}
