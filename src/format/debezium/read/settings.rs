/// What a [`DebeziumDecoder`](crate::source::DebeziumDecoder) has to know of the connector that wrote the events, and what
/// it does where they say too little.
///
/// Decimals, times and bytes matter where events have no schema: a schema says it all but for bytes in a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DebeziumSettings {
    /// Events whole, or rows alone.
    pub shape: DebeziumShape,
    /// What becomes of an update or a delete without `before`.
    pub missing_before: MissingBefore,
    /// What becomes of a value that the database did not send.
    pub unavailable_value: UnavailableValue,
    /// The connector's `unavailable.value.placeholder`, octets after `hex:`; `None` for Debezium's default,
    /// `__debezium_unavailable_value`.
    pub unavailable_placeholder: Option<Box<str>>,
    /// The connector's `decimal.handling.mode`.
    pub decimals: DebeziumDecimals,
    /// The connector's `time.precision.mode`.
    pub times: DebeziumTimes,
    /// The connector's `binary.handling.mode`.
    pub bytes: DebeziumBytes,
}

/// The shape of events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum DebeziumShape {
    /// `before`, `after`, `source` and `op`: what connectors write.
    #[default]
    Envelope,
    /// The row alone, perhaps with `__deleted` and `__op`: what Debezium's `ExtractNewRecordState` makes of an event.
    ///
    /// `__deleted` makes a `-D`, as does a tombstone, whose columns are those of the key; `__op` tells `+I` from `+U`, and
    /// without it a row is a `+I`, as in an `upsert-kafka` table. Where deletes are rewritten and followed by tombstones
    /// there are two `-D`s: a [`ChangelogNormalizer`](crate::source::ChangelogNormalizer) drops the second.
    Flattened,
}

/// What becomes of an update whose `before` is null, as with PostgreSQL's REPLICA IDENTITY DEFAULT and with MongoDB, and of
/// such a delete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum MissingBefore {
    /// An error, as in Flink.
    #[default]
    Error,
    /// An update is a `+U` with its `after`, a delete a `-D` with the columns of the record's key: an upsert changelog, which
    /// a [`ChangelogNormalizer`](crate::source::ChangelogNormalizer) completes.
    Upsert,
}

/// What becomes of the value of a column that the database did not send because it has not changed: of PostgreSQL's
/// TOASTed columns, which have a [placeholder](DebeziumSettings::unavailable_placeholder) in its place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnavailableValue {
    /// An error.
    #[default]
    Error,
    /// NULL.
    Null,
    /// The placeholder, as it stands there.
    Placeholder,
}

/// The connector's `decimal.handling.mode`: what a text stands for in a DECIMAL column. Numbers are taken in either mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum DebeziumDecimals {
    /// `precise`: the unscaled number's bytes in base64, with the decimals that the column has.
    #[default]
    Precise,
    /// `string` or `double`: the number.
    Number,
}

/// The connector's `time.precision.mode`: what a number stands for in a TIME or TIMESTAMP column.
///
/// Texts, those of `isostring` among them, are taken in any mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum DebeziumTimes {
    /// `adaptive`: milliseconds for up to 3 decimals of the column's type, microseconds for up to 6, else nanoseconds.
    ///
    /// A TIME has at most 3 in Flink: columns of the database with more need a schema or the next mode.
    #[default]
    Adaptive,
    /// `adaptive_time_microseconds`: the same for TIMESTAMP, microseconds for TIME.
    AdaptiveTimeMicroseconds,
    /// `connect`: milliseconds.
    Connect,
    /// `microseconds`.
    Microseconds,
    /// `nanoseconds`.
    Nanoseconds,
}

/// The connector's `binary.handling.mode`: what a text stands for in a BYTES column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum DebeziumBytes {
    /// `bytes`, `base64` or `base64-url-safe`: base64 in either alphabet.
    #[default]
    Base64,
    /// `hex`.
    Hex,
}
