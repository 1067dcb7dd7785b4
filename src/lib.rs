//! An upsert changelog codec and partitioner core.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod adapters;
#[cfg(feature = "testing")]
mod compacted;
mod error;
mod fixture;
#[allow(dead_code, reason = "the codecs come to use all of it")]
mod format;
mod partition;
mod record;
mod row;
mod sink;
mod source;
mod state;
mod table;
#[allow(dead_code, unused_imports, reason = "the formats come to use all of it")]
mod text;
mod types;
mod wire;

#[cfg(feature = "kafka-protocol")]
pub use crate::adapters::kafka_protocol::produce_requests;
#[cfg(feature = "testing")]
pub use crate::compacted::{CompactedLog, LogRecord};
pub use crate::error::{Error, ErrorKind, Part};
pub use crate::fixture::JsonRows;
pub use crate::format::{AvroSchema, AvroTimestamps, MemorySchemaRegistry, SchemaRegistry};
pub use crate::partition::{
    DefaultPartitioner, FixedPartitioner, PartitionInput, Partitioner, RoundRobinPartitioner, murmur2,
    partition_for_key,
};
pub use crate::record::{
    Compression, ConsumerRecord, Header, Headers, HeadersBuf, HeadersIter, Limits, Producer, Record,
    RecordBatch, RecordBatchBuilder, RecordBatches, Records, TimestampType,
};
pub use crate::row::{
    AsDatum, ChangelogBuf, Datum, Decimal, Entries, Row, RowBuf, RowKind, Timestamp, ValueSource, Values,
};
pub use crate::sink::{
    ChangelogEncoder, RecordAccumulator, RecordBuf, RecordEncoder, ReduceBuffer, ReducedRow, UpdatePairs,
    UpsertEncoder, UpsertMaterializer,
};
pub use crate::source::{
    ChangelogDecoder, ChangelogNormalizer, DeadLetter, DecodeBuf, DecodeStats, Decoded, DeleteTime,
    Retractions, SkipReason, UpsertDecoder, VersionedTable,
};
pub use crate::state::{MemoryStore, StateStore};
pub use crate::table::{
    BoundedMode, BufferFlush, ChangelogMode, Column, ColumnKind, Connector, DeliveryGuarantee,
    NotNullEnforcer, PrimaryKey, RecordLayout, Settings, SinkPartitioner, StartupMode, Table, TableOptions,
    TableSchema, TableSchemaBuilder, TableSink, TableSource, TransactionNamingStrategy, UpdateBefore,
    ValueFieldsInclude, Watermark, WritableMetadata,
};
pub use crate::text::Jdk;
pub use crate::types::{DataType, DayTimeInterval, Field, LogicalType, RowType, YearMonthInterval};
