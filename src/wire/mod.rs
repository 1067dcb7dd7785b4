//! Kafka's wire primitives: varints, CRC-32C, a bounds-checked reader.
