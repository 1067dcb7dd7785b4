//! Changelogs as Kafka records, byte for byte as Apache Flink and Kafka's Java client write them, and back.
//!
//! A changelog says what happens to the rows of a table: `+I` inserts one, `-U` and `+U` update it, `-D` deletes it.
//! The crate turns those rows into the keys and values of Flink's `upsert-kafka` and `kafka` SQL connectors, and deletes
//! into tombstones. It chooses partitions as Kafka's Java producer does, and packs records into RecordBatch v2 bytes
//! that go straight into a produce request. It reads all of this back, too.
//!
//! ```
//! use std::num::NonZeroU32;
//! use upsert_kafka::{
//!     ConsumerRecord, Datum, DecodeBuf, RecordBuf, Row, RowKind, Settings, Table, UpsertDecoder, UpsertEncoder,
//!     impl_row, partition_for_key,
//! };
//!
//! struct Count { value_key: i32, count_number: i64 }
//! impl_row!(Count { value_key, count_number }); // columns are fields by position
//!
//! let table = Table::from_ddl(
//!     "CREATE TABLE counts (valueKey INT, countNumber BIGINT, PRIMARY KEY (valueKey) NOT ENFORCED) WITH (
//!        'connector' = 'upsert-kafka', 'topic' = 'counts', 'key.format' = 'json', 'value.format' = 'json',
//!        'properties.bootstrap.servers' = 'localhost:9092')",
//! )?;
//! let encoder = UpsertEncoder::new(&table, &Settings::default())?;
//! let (count, mut buf) = (Count { value_key: 2, count_number: 4 }, RecordBuf::new());
//!
//! let record = encoder.encode(RowKind::UpdateAfter, &count, &mut buf)?.expect("an update is a record");
//! assert_eq!(record.value, Some(&br#"{"valueKey":2,"countNumber":4}"#[..]));
//! let key = record.key.expect("an upsert has a key"); // {"valueKey":2}
//! assert_eq!(partition_for_key(key, NonZeroU32::new(6).unwrap()), 3);
//!
//! let decoder = UpsertDecoder::new(&table, &Settings::default())?;
//! let mut rows = DecodeBuf::new();
//! decoder.decode(&ConsumerRecord::new(record.key, record.value), &mut rows)?;
//! let (kind, row) = rows.iter().next().expect("an upsert is a row");
//! assert_eq!(kind, RowKind::Insert); // a ChangelogNormalizer knows better
//! assert!(matches!(row.datum(1), Datum::BigInt(4)));
//!
//! let record = encoder.encode(RowKind::Delete, &count, &mut buf)?.expect("a delete is a record");
//! assert_eq!(record.value, None); // a tombstone
//! # Ok::<(), upsert_kafka::Error>(())
//! ```
//!
//! # Where to start
//!
//! | to | take |
//! |---|---|
//! | declare a table, as in Flink | [`Table::from_ddl`], [`Table::new`]; [`Table::explain`] shows keys, values and pitfalls |
//! | match your Flink and its JDK | [`Settings`] |
//! | provide rows | [`impl_row!`], `[Datum; N]`, [`RowBuf`], or [`Row`] by hand; [`JsonRows`] for test data |
//! | write records | [`UpsertEncoder`], [`ChangelogEncoder`]; [`DebeziumEncoder`] for events in Debezium's own shape |
//! | write batches | [`RecordAccumulator`] over an encoder, [`RecordBatchBuilder`] over records |
//! | choose partitions | [`partition_for_key`], [`Partitioner`] and its implementations |
//! | write fewer records | [`UpdatePairs`], [`ReduceBuffer`] |
//! | make upserts of a changelog with another key | [`UpsertMaterializer`] |
//! | read batches and records | [`RecordBatches`], [`UpsertDecoder`], [`ChangelogDecoder`]; [`Row::datum`] for values |
//! | turn upserts back into a changelog | [`ChangelogNormalizer`] |
//! | look rows up as of a time | [`VersionedTable`] |
//! | handle what fails | [`Error`], [`Decoded`], [`DecodeStats`], [`DeadLetter`] |
//!
//! # Clients
//!
//! The crate opens no connection. `produce_requests` puts batches into the messages of the kafka-protocol crate. A
//! client that takes records, such as rdkafka, gets key, value and partition:
//!
//! ```
//! # use std::num::NonZeroU32;
//! # use upsert_kafka::{ConsumerRecord, Record, partition_for_key};
//! # // Of rdkafka, as far as it is used here.
//! # struct BaseRecord<'a, K: ?Sized, P: ?Sized> {
//! #     topic: &'a str, partition: Option<i32>, payload: Option<&'a P>, key: Option<&'a K>, timestamp: Option<i64>,
//! # }
//! # impl<'a, K: ?Sized, P: ?Sized> BaseRecord<'a, K, P> {
//! #     fn to(topic: &'a str) -> Self { Self { topic, partition: None, payload: None, key: None, timestamp: None } }
//! # }
//! # struct Message;
//! # impl Message {
//! #     fn topic(&self) -> &str { "counts" }
//! #     fn partition(&self) -> i32 { 3 }
//! #     fn offset(&self) -> i64 { 0 }
//! #     fn key(&self) -> Option<&[u8]> { None }
//! #     fn payload(&self) -> Option<&[u8]> { None }
//! # }
//! # let (record, message) = (Record::tombstone(b"foobar"), Message);
//! let partitions = NonZeroU32::new(12).unwrap();
//! // producer.send(...) what encoder.encode(...) has returned:
//! let to_send = BaseRecord::<[u8], [u8]> {
//!     key: record.key,
//!     payload: record.value, // None is a tombstone
//!     partition: record.key.map(|key| partition_for_key(key, partitions) as i32),
//!     timestamp: record.timestamp,
//!     ..BaseRecord::to("counts")
//! };
//! // decoder.decode(...) what consumer.recv() has returned:
//! let received = ConsumerRecord::new(message.key(), message.payload())
//!     .with_topic_partition(message.topic(), message.partition() as u32)
//!     .with_offset(message.offset());
//! # assert_eq!((to_send.partition, received.partition), (Some(6), 3));
//! ```
//!
//! # Promises
//!
//! - Bytes equal to those of Flink 2.3 and Kafka 4, held against vectors recorded from them. [`Settings`] says where a
//!   default differs, and [`Settings::flink`] has Flink's.
//! - Uncompressed batches equal to those of Kafka's Java client; compressed ones decompress to the same.
//! - Bytes of unknown origin neither panic nor abort, and nothing is allocated because they claim a length.
//! - In the steady state a row allocates nothing, and a finished batch twice at most.
//! - No I/O, clock, thread, logging or global state; no `unsafe`.
//!
//! # Features
//!
//! | feature | what it brings |
//! |---|---|
//! | `kafka-protocol` (default) | `produce_requests`: batches in the messages of the kafka-protocol crate |
//! | `gzip` `snappy` `lz4` `zstd` | batches of that [`Compression`], in pure Rust |
//! | `charsets` | `raw` in GBK, Shift_JIS, windows-1252 and the like |
//! | `testing` | `CompactedLog`, a model of a compacted topic for your tests |
//!
//! A feature drops a dependency; it never changes bytes.
#![cfg_attr(docsrs, feature(doc_cfg))]

/// Makes a doctest of the README's example.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod adapters;
#[cfg(feature = "testing")]
mod compacted;
mod error;
mod fixture;
mod format;
mod partition;
mod record;
mod row;
mod sink;
mod source;
mod state;
mod table;
mod text;
mod types;
mod wire;

#[cfg(feature = "kafka-protocol")]
pub use crate::adapters::kafka_protocol::produce_requests;
#[cfg(feature = "testing")]
pub use crate::compacted::{CompactedLog, LogRecord};
pub use crate::error::{Error, ErrorKind, Part};
pub use crate::fixture::JsonRows;
pub use crate::format::{
    AvroSchema, AvroTimestamps, DebeziumChange, DebeziumSource, MemorySchemaRegistry, RegisteredSchema,
    SchemaReference, SchemaRegistry,
};
pub use crate::partition::{
    DefaultPartitioner, FixedPartitioner, KeyRule, KeyRulePartitioner, MovedKey, PartitionInput, Partitioner,
    RoundRobinPartitioner, moved_keys, murmur2, partition_for_key,
};
pub use crate::record::{
    AbortedTransaction, Compression, ConsumerRecord, Header, Headers, HeadersBuf, HeadersIter, Limits,
    Producer, Record, RecordBatch, RecordBatchBuilder, RecordBatches, Records, TimestampType,
};
pub use crate::row::{
    AsDatum, ChangelogBuf, Datum, Decimal, Entries, Row, RowBuf, RowKind, Timestamp, ValueSource, Values,
};
pub use crate::sink::{
    ChangelogEncoder, DebeziumEncoder, RecordAccumulator, RecordBuf, RecordEncoder, ReduceBuffer, ReducedRow,
    UpdatePairs, UpsertEncoder, UpsertMaterializer,
};
pub use crate::source::{
    ChangelogDecoder, ChangelogNormalizer, DeadLetter, DecodeBuf, DecodeStats, Decoded, DeleteTime,
    Retractions, SkipReason, UpsertDecoder, VersionedTable,
};
pub use crate::state::{MemoryStore, StateStore};
pub use crate::table::{
    BoundedMode, BufferFlush, ChangelogMode, Column, ColumnKind, Connector, DeliveryGuarantee, Lint,
    LintKind, NotNullEnforcer, PrimaryKey, RecordLayout, Settings, SinkPartitioner, StartupMode, Table,
    TableOptions, TableSchema, TableSchemaBuilder, TableSink, TableSource, TransactionNamingStrategy,
    UpdateBefore, ValueFieldsInclude, Watermark, WritableMetadata,
};
pub use crate::text::Jdk;
pub use crate::types::{DataType, DayTimeInterval, Field, LogicalType, RowType, YearMonthInterval};
