//! Bridges to other crates, each behind the feature of its name.
//!
//! | feature | type | column |
//! |---|---|---|
//! | `chrono` | `NaiveDate`, `NaiveTime` | DATE, TIME |
//! | | `NaiveDateTime`, `DateTime<Tz>` | TIMESTAMP and TIMESTAMP_LTZ |
//! | `jiff` | `civil::Date`, `civil::Time` | DATE, TIME |
//! | | `civil::DateTime`, `Timestamp`, `ZonedDateTime` | TIMESTAMP and TIMESTAMP_LTZ |
//! | `time` | `Date`, `Time` | DATE, TIME |
//! | | `PrimitiveDateTime`, `OffsetDateTime` | TIMESTAMP and TIMESTAMP_LTZ |
//! | `rust_decimal` | `Decimal` | DECIMAL |
//! | `bigdecimal` | `BigDecimal`, up to 38 digits | DECIMAL |
//! | `uuid` | `Uuid` | BINARY(16), BYTES; it is read from texts too |
//! | | [`UuidText`](self::uuid::UuidText) | CHAR(36), STRING |
//!
//! They are [`AsDatum`](crate::row::AsDatum) and [`FromDatum`](crate::row::FromDatum): fields of structs with
//! [`impl_row!`](crate::impl_row), and what [`Row::get`](crate::Row::get) answers. A point in time is written in UTC and
//! read in it, whatever the column's type; TIME has milliseconds and drops what is finer, as Flink's does. A value that the
//! type of Rust cannot hold is an error of its row.
//!
//! With the feature `serde` any `Serialize` becomes a row, and any `Deserialize` comes of one, without `impl_row!`. With `arrow` the rows of a `RecordBatch` are lent, and batches are built of rows.

// Links of this page need the feature.
#![cfg_attr(not(feature = "uuid"), allow(rustdoc::broken_intra_doc_links))]

#[cfg(feature = "arrow")]
pub mod arrow;
#[cfg(feature = "bigdecimal")]
mod bigdecimal;
#[cfg(feature = "chrono")]
mod chrono;
#[cfg(any(feature = "chrono", feature = "jiff", feature = "time", feature = "rust_decimal"))]
mod convert;
#[cfg(feature = "jiff")]
mod jiff;
#[cfg(feature = "kafka-protocol")]
pub mod kafka_protocol;
#[cfg(feature = "rust_decimal")]
mod rust_decimal;
#[cfg(feature = "serde")]
pub mod serde;
#[cfg(feature = "time")]
mod time;
#[cfg(feature = "uuid")]
pub mod uuid;
