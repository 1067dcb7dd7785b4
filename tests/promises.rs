//! What every public type promises: to cross threads, to be shown, and, where a user would want it, to be cloned.

use std::error::Error as _;
use std::fmt::Debug;

use upsert_kafka::*;

/// Traits and functions, which promise nothing by themselves.
const NO_TYPES: [&str; 6] = ["AsDatum", "Partitioner", "Row", "SchemaRegistry", "StateStore", "ValueSource"];

macro_rules! hold {
    ($promise:ident: $($type:ty),+ $(,)?) => { $($promise::<$type>();)+ };
}

fn crosses_threads<T: Send + Sync + Debug>() {}
fn is_cloned<T: Clone + Send + Sync + Debug>() {}
fn is_copied<T: Copy + Send + Sync + Debug>() {}

#[test]
fn types_cross_threads_are_shown_and_mostly_cloned() {
    hold!(crosses_threads: Error, MemorySchemaRegistry, ChangelogNormalizer, Changes<'_>, RecordAccumulator);
    hold!(is_cloned:
        AvroSchema, ChangelogBuf, Column, ColumnKind, DataType, DeadLetter,
        DebeziumEncoder, DecodeBuf, Decoder, DefaultPartitioner, Encoder, Field, FixedPartitioner, HeadersBuf, HeadersIter<'_>, JsonRows,
        KeyRulePartitioner, Lint, LogicalType, MemoryStore,
        PrimaryKey, RecordBatch<'_>, RecordBatchBuilder, RecordBatches<'_>, RecordBuf, RecordLayout,
        Records<'_>, RegisteredSchema, SchemaReference, ReduceBuffer, RoundRobinPartitioner, RowBuf, RowType, Settings, SinkPartitioner, StartupMode,
        BoundedMode, Table, TableOptions, TableSchema, TableSchemaBuilder, TableSink, TableSource, UpdatePairs,
        UpsertMaterializer, VersionedTable, Watermark,
    );
    hold!(is_copied:
        AbortedTransaction, AvroTimestamps, BufferFlush, ChangelogMode, Compression, Connector, ConsumerRecord<'_>, Datum<'_>,
        DayTimeInterval, DebeziumChange<'_, RowBuf>, DebeziumSource<'_>, Decimal, DecodeStats, Decoded<'_>, DeleteTime,
        DeliveryGuarantee, Entries<'_>, ErrorKind, Header<'_>, Headers<'_>, Jdk, KeyRule, Limits, LintKind, MovedKey<&[u8]>, NotNullEnforcer, Part,
        PartitionInput<'_>, Producer, Record<'_>,
        Retractions, RowKind, SkipReason, Timestamp, TimestampType, TransactionNamingStrategy,
        UpdateBefore, ValueFieldsInclude, Values<'_>, WritableMetadata, YearMonthInterval,
    );
    #[cfg(feature = "testing")]
    hold!(is_cloned: CompactedLog, LogRecord);
}

#[test]
fn every_public_type_is_held_to_its_promise() {
    let (library, held) = (include_str!("../src/lib.rs"), include_str!("promises.rs"));
    let exports = library.split("pub use crate::").skip(1).filter_map(|export| export.split(';').next());
    let names = exports.flat_map(|export| export.split(|c: char| !c.is_alphanumeric()));
    let types: Vec<&str> = names.filter(|name| name.starts_with(char::is_uppercase)).collect();
    assert!(types.len() > 50, "lib.rs is read: {types:?}");
    let is_held = |name: &&&str| held.split(|c: char| !c.is_alphanumeric()).any(|word| word == **name);
    let forgotten: Vec<_> = types.iter().filter(|name| !NO_TYPES.contains(name) && !is_held(name)).collect();
    assert!(forgotten.is_empty(), "add these to the test above: {forgotten:?}");
}

#[test]
fn an_error_tells_its_source() {
    let cause = std::io::Error::other("the registry is away");
    let error = Error::new(ErrorKind::Unavailable, "no schema for subject t-value").with_source(cause);
    assert_eq!(error.to_string(), "no schema for subject t-value: the registry is away");
    assert_eq!(error.source().expect("a source").to_string(), "the registry is away");
    let boxed: Box<dyn std::error::Error + Send + Sync + 'static> = error.into();
    assert!(boxed.downcast_ref::<Error>().is_some_and(|error| error.kind() == ErrorKind::Unavailable));
}
