//! What the fuzzers run: a function a target, which takes any bytes and panics where a promise is broken.
//!
//! `tests/properties.rs` includes this file as a module: it runs every target over `corpus/` and draws its tables and
//! rows here.

mod ddl;
mod decode;
mod draw;
mod json_decode;
mod record_batch;
mod restore;
mod round_trip;
mod row_to_batch;
mod table;
mod type_text;
mod value;

pub use self::ddl::ddl;
pub use self::decode::decode;
pub use self::draw::Draw;
pub use self::json_decode::json_decode;
pub use self::record_batch::record_batch;
pub use self::restore::restore;
pub use self::round_trip::round_trip;
pub use self::row_to_batch::row_to_batch;
pub use self::table::DrawnTable;
pub use self::type_text::type_text;

type Target = (&'static str, fn(&[u8]));

/// The targets by name.
pub const TARGETS: &[Target] = &[
    ("ddl", ddl),
    ("decode", decode),
    ("json_decode", json_decode),
    ("record_batch", record_batch),
    ("restore", restore),
    ("round_trip", round_trip),
    ("row_to_batch", row_to_batch),
    ("type_text", type_text),
];
