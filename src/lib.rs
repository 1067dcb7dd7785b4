//! Changelogs as Kafka records, byte for byte as Apache Flink and Kafka's Java client write them, and back.
//!
//! A changelog says what happens to the rows of a table: `+I` inserts one, `-U` and `+U` update it, `-D` deletes it.
//! The crate turns those rows into the keys and values of Flink's `upsert-kafka` and `kafka` SQL connectors, and deletes
//! into tombstones. It chooses partitions as Kafka's Java producer does, and packs records into RecordBatch v2 bytes
//! that go straight into a produce request. It reads all of this back, too.
//!
//! ```
//! use upsert_kafka::{Datum, RowKind, Settings, Table};
//!
//! let table = Table::from_ddl(
//!     "CREATE TABLE counts (word STRING, n BIGINT, PRIMARY KEY (word) NOT ENFORCED) WITH (
//!        'connector' = 'upsert-kafka', 'topic' = 'counts', 'key.format' = 'json', 'value.format' = 'json',
//!        'properties.bootstrap.servers' = 'localhost:9092')",
//! )?;
//! let mut batches = table.sink(&Settings::default())?.accumulator(6);
//! batches.append(RowKind::Insert, &[Datum::String("kafka"), Datum::BigInt(1)], 1_717_200_000_000)?;
//! batches.append(RowKind::Delete, &[Datum::String("kafka"), Datum::BigInt(1)], 1_717_200_000_001)?;
//! for (partition, batch) in batches.flush()? {
//!     println!("partition {partition}: {} bytes, an upsert and a tombstone", batch.len());
//! }
//! # Ok::<(), upsert_kafka::Error>(())
//! ```
//!
//! # Where to start
//!
//! | to | take |
//! |---|---|
//! | declare a table, as in Flink | [`Table::from_ddl`], [`Table::new`] |
//! | see what it does | [`TableSink::explain`], [`TableSink::lints`]; both also on [`TableSource`] |
//! | match your Flink and its JDK | [`Settings`] |
//! | write and read your structs | [`impl_row!`], [`Table::sink_of`], [`Table::source_of`], [`Row::read`] |
//! | provide other rows | `[Datum; N]`, [`RowBuf`], or [`Row`] by hand; [`fixture::JsonRows`] for test data |
//! | write records | [`TableSink::encoder`]; [`TableSink::debezium_encoder`] for events in Debezium's own shape |
//! | write batches | [`TableSink::accumulator`] of rows, [`RecordAccumulator::new`] and [`record::RecordBatchBuilder`] of records |
//! | choose partitions | [`partition_for_key`], [`partition::Partitioner`] and its implementations |
//! | write fewer records | [`UpdateBefore::Pairs`], [`TableSink::reduce_buffer`] |
//! | make upserts of a changelog with another key | [`TableSink::materializer`] |
//! | read batches and records | [`RecordBatches`], [`TableSource::decoder`]; [`Row::read`], [`Row::get`] and [`Row::datum`] for values |
//! | read Debezium's own events | [`TableSource::debezium_decoder`] |
//! | turn upserts back into a changelog | [`TableSource::normalizer`] |
//! | look rows up as of a time | [`TableSource::versioned_table`] |
//! | configure a client | [`TableSink::producer_config`], [`TableSource::consumer_config`]; [`TableSink::librdkafka_config`] |
//! | handle what fails | [`Error`], [`Decoded`], [`source::DecodeStats`], [`source::DeadLetter`], [`table::NullInKey`] |
//! | ask a registry asynchronously | [`Decoder::missing_schema`] |
//!
//! The [`cookbook`] has a page for each thing that people come to do, and says what can go wrong with it:
//!
//! - upsert topics: [tombstones](cookbook::tombstones), [from CDC](cookbook::cdc_to_upsert), [into a
//!   map](cookbook::upsert_to_map), [keys and partitions](cookbook::keys), [in tests](cookbook::compacted_tests);
//! - your own types: [a struct both ways](cookbook::structs), [Arrow](cookbook::arrow),
//!   [a query engine on topics](cookbook::datafusion);
//! - beside others: [Flink and its JDK](cookbook::flink_release), [librdkafka](cookbook::librdkafka), [a schema
//!   registry](cookbook::avro_registry);
//! - in production: [state and offsets together](cookbook::checkpoint), [dead letters and
//!   metrics](cookbook::dead_letters), [transactions](cookbook::transactions), [tuning](cookbook::tuning).
//!
//! Each module is a page on its subject: tables in [`table`] and their [`types`]; [`row`], [`record`] and [`partition`];
//! what writes in [`sink`], what reads in [`source`], what stages remember in [`state`]; registries, schemas and Debezium's
//! events in [`format`](mod@format).
//!
//! Stages speak one dialect: `apply(kind, &row, now_ms)` takes a change and returns the changes that follow from it,
//! `flush` returns the rest; `with_*` configures, in any order; `snapshot` writes what a stage holds and `restore`
//! takes it; `len` and `size_in_bytes` say how much that is.
//!
//! # Clients
//!
//! The crate opens no connection. `produce_requests` puts batches into the messages of the kafka-protocol crate. A
//! client that takes records, such as rdkafka, gets key, value and partition:
//!
//! ```
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
//! // producer.send(...) what encoder.encode(...) has returned:
//! let to_send = BaseRecord::<[u8], [u8]> {
//!     key: record.key,
//!     payload: record.value, // None is a tombstone
//!     partition: record.key.map(|key| partition_for_key(key, 12)),
//!     timestamp: record.timestamp,
//!     ..BaseRecord::to("counts")
//! };
//! // decoder.decode(...) what consumer.recv() has returned:
//! let received = ConsumerRecord::new(message.key(), message.payload())
//!     .with_topic_partition(message.topic(), message.partition())
//!     .with_offset(message.offset());
//! # assert_eq!((to_send.partition, received.partition), (Some(6), Some(3)));
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
//! | `gzip` `snappy` `lz4` `zstd` | batches of that [`record::Compression`], in pure Rust |
//! | `charsets` | `raw` in GBK, Shift_JIS, windows-1252 and the like |
//! | `base64-simd` | byte strings in JSON, csv and Debezium's events written and read faster |
//! | `simdutf8` | texts beyond ASCII decoded faster |
//! | `chrono` `jiff` `time` | dates and times of these crates as fields of structs: [`adapters`] |
//! | `rust_decimal` `bigdecimal` `uuid` | numbers and identifiers of these crates |
//! | `serde` | `SerdeRows`: rows of any `Serialize`, and any `Deserialize` of rows |
//! | `arrow` | `ArrowRows`: rows of a `RecordBatch` without a copy, and batches of rows |
//! | `testing` | `CompactedLog`, a model of a compacted topic for your tests |
//!
//! A feature drops a dependency; it never changes bytes.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
#![deny(clippy::print_stdout, clippy::print_stderr)]

/// Makes a doctest of the README's example.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod adapters;
#[cfg(feature = "testing")]
pub mod compacted;
#[cfg(any(doc, doctest))]
pub mod cookbook;
pub mod error;
pub mod fixture;
pub mod format;
pub mod partition;
pub mod record;
pub mod row;
pub mod sink;
pub mod source;
pub mod state;
pub mod table;
mod text;
pub mod types;
mod wire;

// What the README and this page use; all else is in its module. `tests/promises.rs` has the list.
#[cfg(feature = "kafka-protocol")]
pub use crate::adapters::kafka_protocol::produce_requests;
pub use crate::error::{Error, ErrorKind};
pub use crate::partition::partition_for_key;
pub use crate::record::{ConsumerRecord, Limits, Record, RecordBatches};
pub use crate::row::{Datum, Decimal, Row, RowBuf, RowKind, Timestamp};
pub use crate::sink::{Encoder, RecordAccumulator, RecordBuf};
pub use crate::source::{ChangelogNormalizer, DecodeBuf, Decoded, Decoder};
pub use crate::table::{Jdk, Settings, Table, TableSink, TableSource, UpdateBefore};
