//! What every public type promises: to cross threads, to be shown, and, where a user would want it, to be cloned.

use std::error::Error as _;
use std::fmt::Debug;

use upsert_kafka::{
    ChangelogBuf, ChangelogNormalizer, Decimal, DefaultPartitioner, Error, ErrorKind, Headers, HeadersBuf,
    MemorySchemaRegistry, MemoryStore, Part, Record, RecordAccumulator, RecordBatchBuilder, ReduceBuffer,
    RowBuf, RowKind, Timestamp, UpdatePairs, UpsertMaterializer, VersionedTable,
};

fn crosses_threads<T: Send + Sync + Debug>() {}
fn is_cloned<T: Clone + Send + Sync + Debug>() {}
fn is_copied<T: Copy + Send + Sync + Debug>() {}

#[test]
fn types_cross_threads_and_are_shown() {
    crosses_threads::<Error>();
    is_cloned::<RowBuf>();
    is_cloned::<ChangelogBuf>();
    is_copied::<RowKind>();
    is_copied::<Decimal>();
    is_copied::<Timestamp>();
    is_copied::<Record<'static>>();
    is_copied::<Headers<'static>>();
    is_cloned::<HeadersBuf>();
    is_cloned::<RecordBatchBuilder>();
    is_cloned::<DefaultPartitioner>();
    is_cloned::<UpdatePairs>();
    is_cloned::<RecordAccumulator>();
    is_cloned::<ReduceBuffer>();
    is_cloned::<MemoryStore>();
    is_cloned::<VersionedTable>();
    crosses_threads::<MemorySchemaRegistry>();
    crosses_threads::<ChangelogNormalizer>();
    crosses_threads::<UpsertMaterializer>();
    is_copied::<ErrorKind>();
    is_copied::<Part>();
}

#[test]
fn an_error_tells_its_source() {
    let cause = std::io::Error::other("the registry is away");
    let error = Error::new(ErrorKind::Service, "no schema for subject t-value").with_source(cause);
    assert_eq!(error.to_string(), "no schema for subject t-value");
    assert_eq!(error.source().expect("a source").to_string(), "the registry is away");
    let boxed: Box<dyn std::error::Error + Send + Sync + 'static> = error.into();
    assert!(boxed.downcast_ref::<Error>().is_some_and(|error| error.kind() == ErrorKind::Service));
}
