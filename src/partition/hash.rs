//! Kafka's key hash. Agrees with `org.apache.kafka.common.utils.Utils.murmur2`.

/// The hash that Kafka's Java client computes of a key, with Kafka's seed.
///
/// An empty key is a key and has a hash; only a null key has none.
#[expect(clippy::cast_possible_wrap, reason = "the same 32 bits, as Java's int")]
#[inline]
#[must_use]
pub fn murmur2(key: &[u8]) -> i32 {
    murmur2::murmur2(key, murmur2::KAFKA_SEED) as i32
}

/// The partition that Kafka's Java client chooses for records with this key, out of `partitions`.
///
/// All partitions of the topic count, whether they are available or not.
///
/// ```
/// use upsert_kafka::partition_for_key;
///
/// assert_eq!(partition_for_key(b"foobar", 12), 6);
/// ```
///
/// # Panics
///
/// If `partitions` is not above 0.
#[inline]
#[must_use]
pub fn partition_for_key(key: &[u8], partitions: i32) -> i32 {
    assert!(partitions > 0, "a topic has at least one partition");
    // Java's toPositive: the sign bit is masked away. abs() would put half of all keys elsewhere.
    (murmur2(key) & i32::MAX) % partitions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_hash_as_the_java_client_hashes_them() {
        // Kafka's UtilsTest.testMurmur2.
        let cases: [(&str, i32); 8] = [
            ("21", -973_932_308),
            ("foobar", -790_332_482),
            ("a-little-bit-long-string", -985_981_536),
            ("a-little-bit-longer-string", -1_486_304_829),
            ("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58_897_971),
            ("abc", 479_470_107),
            ("a", -1_563_381_124),
            ("", 275_646_681),
        ];
        for (key, hash) in cases {
            assert_eq!(murmur2(key.as_bytes()), hash, "{key}");
        }
    }

    #[test]
    fn a_negative_hash_is_masked_not_negated() {
        assert_eq!(murmur2(b"3490358332"), i32::MIN);
        assert_eq!(partition_for_key(b"3490358332", 12), 0);
        assert_eq!(murmur2(b"8527350971"), -1);
        assert_eq!(partition_for_key(b"8527350971", 12), 7);
    }
}
