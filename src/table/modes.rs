//! The enumerations of Flink's that are values of connector options.
//!
//! Agrees with `org.apache.flink.streaming.connectors.kafka.table.KafkaConnectorOptions`.

use crate::format::option_enum;

option_enum! {
    /// `scan.startup.mode`: where the reading of a `kafka` table starts.
    pub(super) enum ScanStartupMode = "org.apache.flink.streaming.connectors.kafka.table.KafkaConnectorOptions$ScanStartupMode" {
        /// At the first record.
        EarliestOffset = "earliest-offset",
        /// After the last record.
        LatestOffset = "latest-offset",
        /// At what the consumer group committed.
        GroupOffsets = "group-offsets",
        /// At the first record of a time or later.
        Timestamp = "timestamp",
        /// At an offset for each partition.
        SpecificOffsets = "specific-offsets",
    }
}

option_enum! {
    /// `scan.bounded.mode`: where the reading of a table ends.
    pub(super) enum ScanBoundedMode = "org.apache.flink.streaming.connectors.kafka.table.KafkaConnectorOptions$ScanBoundedMode" {
        /// Nowhere.
        Unbounded = "unbounded",
        /// At the end that the partition had at the start.
        LatestOffset = "latest-offset",
        /// At what the consumer group had committed at the start.
        GroupOffsets = "group-offsets",
        /// In front of the first record of a time or later.
        Timestamp = "timestamp",
        /// In front of an offset for each partition.
        SpecificOffsets = "specific-offsets",
    }
}

option_enum! {
    /// `value.fields-include`: which columns the value holds.
    pub enum ValueFieldsInclude = "org.apache.flink.streaming.connectors.kafka.table.KafkaConnectorOptions$ValueFieldsStrategy" {
        /// All, those of the key too.
        All = "ALL",
        /// All but those of the key.
        ExceptKey = "EXCEPT_KEY",
    }
}

option_enum! {
    /// `sink.delivery-guarantee`: what a writer promises when it fails and starts again.
    pub enum DeliveryGuarantee = "org.apache.flink.connector.base.DeliveryGuarantee" {
        /// Every row once, in transactions.
        ExactlyOnce = "exactly-once",
        /// No row is lost.
        AtLeastOnce = "at-least-once",
        /// Nothing.
        None = "none",
    }
}

option_enum! {
    /// `sink.transaction-naming-strategy`: how transactional ids are made.
    pub enum TransactionNamingStrategy = "org.apache.flink.connector.kafka.sink.TransactionNamingStrategy" {
        /// A growing number after the prefix.
        Incrementing = "INCREMENTING",
        /// Ids from a pool, used again.
        Pooling = "POOLING",
    }
}
