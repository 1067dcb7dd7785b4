//! What the fuzzers run: a function a target, which takes any bytes and panics where a promise is broken.
//!
//! `tests/properties.rs` includes this file as a module: it runs every target over `corpus/` and draws its tables and
//! rows here.

mod array_of_scalars;
mod arrays;
mod arrow_batches;
mod avro_resolution;
mod avro_schema;
mod batch_differential;
mod batch_mutate;
mod consumed;
mod csv_decode;
mod ddl;
mod debezium_decode;
mod debezium_events;
mod decode;
mod draw;
mod json_decode;
mod raw_decode;
mod read_tree;
mod record_batch;
mod restore;
mod round_trip;
mod row_to_batch;
mod serde_rows;
mod snapshot_restore;
mod stages;
mod table;
mod table_options;
mod type_text;
mod value;
mod written_tree;

pub use self::arrow_batches::arrow_batches;
pub use self::avro_resolution::avro_resolution;
pub use self::avro_schema::avro_schema;
pub use self::batch_differential::batch_differential;
pub use self::batch_mutate::batch_mutate;
pub use self::csv_decode::csv_decode;
pub use self::ddl::ddl;
pub use self::debezium_decode::debezium_decode;
pub use self::debezium_events::debezium_events;
pub use self::decode::decode;
pub use self::draw::Draw;
pub use self::json_decode::json_decode;
pub use self::raw_decode::raw_decode;
pub use self::record_batch::record_batch;
pub use self::restore::{restore, snapshots};
pub use self::round_trip::round_trip;
pub use self::row_to_batch::row_to_batch;
pub use self::serde_rows::serde_rows;
pub use self::snapshot_restore::snapshot_restore;
pub use self::stages::stages;
pub use self::table::DrawnTable;
pub use self::table_options::table_options;
pub use self::type_text::type_text;

type Target = (&'static str, fn(&[u8]));

/// The targets by name.
pub const TARGETS: &[Target] = &[
    ("arrow_batches", arrow_batches),
    ("avro_resolution", avro_resolution),
    ("avro_schema", avro_schema),
    ("batch_differential", batch_differential),
    ("batch_mutate", batch_mutate),
    ("csv_decode", csv_decode),
    ("ddl", ddl),
    ("debezium_decode", debezium_decode),
    ("debezium_events", debezium_events),
    ("decode", decode),
    ("json_decode", json_decode),
    ("raw_decode", raw_decode),
    ("record_batch", record_batch),
    ("restore", restore),
    ("round_trip", round_trip),
    ("row_to_batch", row_to_batch),
    ("serde_rows", serde_rows),
    ("snapshot_restore", snapshot_restore),
    ("stages", stages),
    ("table_options", table_options),
    ("type_text", type_text),
];
