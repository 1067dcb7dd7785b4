//! How clients other than Java's choose the partition of a key, for topics that they write.
//!
//! Held against the clients themselves: `tests/partitioners/clients.jsonl`, recorded by `tests/live/partitioners`.

use super::{DefaultPartitioner, PartitionInput, Partitioner, partition_for_key};

/// The rule by which a client chooses the partition of a key.
///
/// A topic keeps one rule: a key that is hashed by another may get another partition, and then neither its order nor
/// its compaction holds. [`moved_keys`] tells which keys a change of rule moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum KeyRule {
    /// Kafka's Java client, and so Flink, Kafka Streams, ksqlDB: murmur2, its sign bit masked.
    Java,
    /// librdkafka's `partitioner` = `consistent`: CRC-32, null keys as empty ones.
    LibrdkafkaConsistent,
    /// librdkafka's default, `consistent_random`: CRC-32; null and empty keys go anywhere.
    LibrdkafkaConsistentRandom,
    /// librdkafka's `murmur2`: as Java, null keys as empty ones.
    LibrdkafkaMurmur2,
    /// librdkafka's `murmur2_random`: as Java; null keys go anywhere.
    LibrdkafkaMurmur2Random,
    /// librdkafka's `fnv1a`: FNV-1a, its absolute value; null keys as empty ones.
    LibrdkafkaFnv1a,
    /// librdkafka's `fnv1a_random`: FNV-1a, its absolute value; null keys go anywhere.
    LibrdkafkaFnv1aRandom,
    /// Sarama's `NewHashPartitioner`, its default: FNV-1a, its absolute value.
    SaramaHash,
    /// Sarama's `NewReferenceHashPartitioner`: FNV-1a, its sign bit masked.
    SaramaReference,
    /// kafka-python's `DefaultPartitioner`: as Java.
    KafkaPythonDefault,
    /// KafkaJS's `LegacyPartitioner`, the default of its version 1: murmur2 in JavaScript's numbers, which round.
    KafkaJsLegacy,
    /// KafkaJS's `DefaultPartitioner`, as of its version 2: as Java.
    KafkaJsDefault,
    /// franz-go's `StickyKeyPartitioner(nil)`, its default: as Java.
    FranzGoStickyKey,
}

impl KeyRule {
    /// The rule of that name in the `partitioner` option of librdkafka and its bindings; `None` for `random` and
    /// unknown names.
    #[must_use]
    pub fn from_librdkafka(name: &str) -> Option<Self> {
        Some(match name {
            "consistent" => Self::LibrdkafkaConsistent,
            "consistent_random" => Self::LibrdkafkaConsistentRandom,
            "murmur2" => Self::LibrdkafkaMurmur2,
            "murmur2_random" => Self::LibrdkafkaMurmur2Random,
            "fnv1a" => Self::LibrdkafkaFnv1a,
            "fnv1a_random" => Self::LibrdkafkaFnv1aRandom,
            _ => return None,
        })
    }

    /// The partition of `key` out of `partitions`; `None` where the client takes one at random or in turn.
    ///
    /// One pass over the key, no allocation. All partitions of the topic count, whether they are available or not.
    ///
    /// # Panics
    ///
    /// If `partitions` is not above 0.
    #[must_use]
    pub fn partition(self, key: Option<&[u8]>, partitions: i32) -> Option<i32> {
        assert!(partitions > 0, "a topic has at least one partition");
        let of_hash = |hash: u32| (hash % partitions.cast_unsigned()).cast_signed();
        let or_empty = key.unwrap_or(b"");
        Some(match self {
            Self::Java
            | Self::LibrdkafkaMurmur2Random
            | Self::KafkaPythonDefault
            | Self::KafkaJsDefault
            | Self::FranzGoStickyKey => partition_for_key(key?, partitions),
            Self::LibrdkafkaMurmur2 => partition_for_key(or_empty, partitions),
            Self::LibrdkafkaConsistent => of_hash(crc32(or_empty)),
            Self::LibrdkafkaConsistentRandom => of_hash(crc32(key.filter(|key| !key.is_empty())?)),
            Self::LibrdkafkaFnv1a => of_hash(fnv1a(or_empty).unsigned_abs()),
            Self::LibrdkafkaFnv1aRandom | Self::SaramaHash => of_hash(fnv1a(key?).unsigned_abs()),
            Self::SaramaReference => of_hash(masked(fnv1a(key?))),
            Self::KafkaJsLegacy => of_hash(masked(murmur2_of_kafkajs_1(key?))),
        })
    }
}

/// The [`Partitioner`] of a [`KeyRule`]; where the rule leaves the choice open, records stick to a partition as
/// [`DefaultPartitioner`]'s do.
#[derive(Clone, Debug)]
pub struct KeyRulePartitioner {
    rule: KeyRule,
    skips_schema_id: bool,
    keyless: DefaultPartitioner,
}

impl KeyRulePartitioner {
    /// A partitioner that follows `rule`.
    #[must_use]
    pub fn new(rule: KeyRule) -> Self {
        Self { rule, skips_schema_id: false, keyless: DefaultPartitioner::new() }
    }

    /// Leaves the frame of a schema registry, the byte 0 and four bytes of the schema's id, out of the hash.
    ///
    /// A key keeps its partition when its schema gets another id. Java's producer hashes the frame, so this is for
    /// topics that no Java client writes; compaction sees whole keys all the same.
    #[must_use]
    pub fn without_schema_id(mut self) -> Self {
        self.skips_schema_id = true;
        self
    }
}

impl Partitioner for KeyRulePartitioner {
    fn partition(&mut self, of: &PartitionInput<'_>) -> i32 {
        let hashed = match of.key {
            Some([0, _, _, _, _, datum @ ..]) if self.skips_schema_id => Some(datum),
            key => key,
        };
        match self.rule.partition(hashed, of.partitions) {
            Some(partition) => partition,
            None => self.keyless.partition(&PartitionInput { key: None, ..*of }),
        }
    }
}

/// A key that another rule puts on another partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
// Exhaustive: a key and two partitions are all there is to say.
pub struct MovedKey<K> {
    /// The key.
    pub key: K,
    /// Its partition by the old rule.
    pub from: i32,
    /// Its partition by the other rule.
    pub to: i32,
}

/// The keys that move when a topic of `partitions` partitions changes from one rule to another.
///
/// Each of them needs a tombstone on its old partition, or its last value stays there for ever. A key that either rule
/// leaves to chance is skipped.
///
/// # Panics
///
/// If `partitions` is not above 0 and a key comes.
///
/// ```
/// use upsert_kafka::partition::{KeyRule, moved_keys};
///
/// let (from, to) = (KeyRule::LibrdkafkaConsistentRandom, KeyRule::Java);
/// let keys: [&[u8]; 3] = [b"a", b"b", b"foobar"];
/// let moved: Vec<_> = moved_keys(keys, from, to, 12).collect();
/// assert_eq!(moved.len(), 3);
/// ```
pub fn moved_keys<K: AsRef<[u8]>>(
    keys: impl IntoIterator<Item = K>,
    from: KeyRule,
    to: KeyRule,
    partitions: i32,
) -> impl Iterator<Item = MovedKey<K>> {
    keys.into_iter().filter_map(move |key| {
        let of = |rule: KeyRule| rule.partition(Some(key.as_ref()), partitions);
        let (from, to) = (of(from)?, of(to)?);
        (from != to).then_some(MovedKey { key, from, to })
    })
}

/// Java's `toPositive`.
fn masked(hash: i32) -> u32 {
    (hash & i32::MAX).cast_unsigned()
}

/// FNV-1a, 32 bits, as Go's `hash/fnv` and librdkafka's `rd_fnv1a`.
fn fnv1a(key: &[u8]) -> i32 {
    let hash =
        key.iter().fold(0x811c_9dc5_u32, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    hash.cast_signed()
}

/// CRC-32 as of ISO 3309, gzip and librdkafka's `rd_crc32`: polynomial 0xEDB88320, reflected.
fn crc32(key: &[u8]) -> u32 {
    !key.iter()
        .fold(u32::MAX, |crc, &byte| CRC32_OF_BYTE[usize::from(crc.to_le_bytes()[0] ^ byte)] ^ (crc >> 8))
}

const CRC32_OF_BYTE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    let mut index = 0;
    while index < table.len() {
        let mut crc: u32 = byte;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
            bit += 1;
        }
        table[index] = crc;
        index += 1;
        byte += 1;
    }
    table
};

/// murmur2 as KafkaJS 1 computes it: products are JavaScript numbers, rounded to 53 bits, and the last block is taken
/// twice where it is not whole, filled with zeros first.
fn murmur2_of_kafkajs_1(key: &[u8]) -> i32 {
    const M: f64 = 1_540_483_477.0;
    let block = |bytes: &[u8]| {
        bytes.iter().rev().fold(0_u32, |word, &byte| (word << 8) | u32::from(byte)).cast_signed()
    };
    let length = u32::try_from(key.len()).unwrap_or(u32::MAX);
    let mut hash = f64::from((0x9747_b28c_u32 ^ length).cast_signed());
    for bytes in key.chunks(4) {
        let mut word = f64::from(block(bytes)) * M;
        word = f64::from(to_int32(word) ^ (to_int32(word).cast_unsigned() >> 24).cast_signed()) * M;
        hash = f64::from(to_int32(hash * M) ^ to_int32(word));
    }
    let rest = &key[key.len() / 4 * 4..];
    if !rest.is_empty() {
        hash = f64::from(to_int32(hash) ^ block(rest)) * M;
    }
    let hash = to_int32(hash);
    let hash = f64::from(hash ^ (hash.cast_unsigned() >> 13).cast_signed()) * M;
    let hash = to_int32(hash);
    hash ^ (hash.cast_unsigned() >> 15).cast_signed()
}

/// JavaScript's `ToInt32` of a whole number below 2^63.
#[expect(clippy::cast_possible_truncation, reason = "the lower 32 bits, as ToInt32 takes them")]
fn to_int32(number: f64) -> i32 {
    number as i64 as i32
}
