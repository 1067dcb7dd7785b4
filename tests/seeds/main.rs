//! The customer's documents: each of their statements, option lists and errors, with what happens here.
//!
//! Where a document is wrong about Flink, we do what Flink does, and the test says so. Documents 000 and 001 compare the
//! two connectors, 002 has the rules of Huawei's MRS, 003 reads a `kafka` table, 004 is the upsert sink of Huawei's DLI.

#![allow(clippy::unwrap_used, reason = "a test fails where it stands")]

use upsert_kafka::fixture::JsonRows;
use upsert_kafka::table::{ChangelogMode, SinkPartitioner, StartupMode, TableOptions, TableSchema};
use upsert_kafka::types::LogicalType;
use upsert_kafka::{
    ConsumerRecord, DecodeBuf, Error, RecordBuf, RowBuf, RowKind, Settings, Table, UpdateBefore,
};

mod document_000_two_connectors;
mod document_001_versioned_table;
mod document_002_rules_of_mrs;
mod document_003_reading_kafka;
mod document_004_upsert_sink_of_dli;

/// A statement that Flink accepts.
fn table(ddl: &str) -> Table {
    Table::from_ddl(ddl).unwrap_or_else(|error| panic!("{error}\n{ddl}"))
}

fn refusal<T>(result: Result<T, Error>) -> String {
    result.map(drop).unwrap_err().message().to_owned()
}

/// What a sink makes of these rows: key and value, `None` for a tombstone, and nothing for no record.
fn written(table: &Table, rows: &[&str]) -> Vec<Option<(String, Option<String>)>> {
    let sink = table.sink(&Settings::default()).unwrap();
    let (encoder, columns) = (sink.encoder(), JsonRows::new(sink.layout().columns()));
    let (mut row, mut buf) = (RowBuf::new(), RecordBuf::new());
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    rows.iter()
        .map(|line| {
            let kind = columns.read(line, &mut row).unwrap();
            let record = encoder.encode(kind, &row, &mut buf).unwrap()?;
            Some((text(record.key?), record.value.map(text)))
        })
        .collect()
}

/// The columns of the one row that a record is read as.
fn read(table: &Table, key: Option<&str>, value: Option<&str>) -> String {
    let source = table.source(&Settings::default()).unwrap();
    let columns = JsonRows::new(source.layout().columns());
    let mut buf = DecodeBuf::new();
    let record = ConsumerRecord::new(key.map(str::as_bytes), value.map(str::as_bytes));
    let decoder = source.decoder();
    let (kind, row) = decoder.decode(&record, &mut buf).unwrap().rows().next().expect("a row");
    let mut line = Vec::new();
    columns.write(kind, row, &mut line).unwrap();
    String::from_utf8(line).unwrap()
}
