use crate::format::json::{Kind, NodeId, Tree};
use crate::row::Timestamp;
use crate::types::LogicalType;

use super::settings::{DebeziumDecimals, DebeziumSettings, DebeziumTimes};

/// What a schema says of a field, in the form of Kafka Connect's `JsonConverter`.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConnectType<'a> {
    tree: &'a Tree,
    node: NodeId,
}

/// What one of a number that stands for a time is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Days,
    Millis,
    Micros,
    Nanos,
}

/// What a text stands for where a number is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Digits {
    /// The number as people write it.
    Plain,
    /// The bytes of the number times 10^`scale`, highest first, in base64.
    Unscaled { scale: i32 },
    /// Bits, lowest byte first, in base64.
    Bits,
}

impl Unit {
    pub(super) fn per_day(self) -> i64 {
        match self {
            Self::Days => 1,
            Self::Millis => 86_400_000,
            Self::Micros => 86_400_000_000,
            Self::Nanos => 86_400_000_000_000,
        }
    }

    /// The milliseconds of a length, what is below them cut off.
    pub(super) fn millis(self, number: i64) -> Option<i64> {
        match self {
            Self::Days => number.checked_mul(Self::Millis.per_day()),
            Self::Millis | Self::Micros | Self::Nanos => {
                Some(number.div_euclid(self.per_day() / Self::Millis.per_day()))
            }
        }
    }

    pub(super) fn timestamp(self, number: i64) -> Option<Timestamp> {
        let millis = self.millis(number)?;
        let nanos_each = match self {
            Self::Days | Self::Millis => return Some(Timestamp::from_millis(millis)),
            Self::Micros => 1_000,
            Self::Nanos => 1,
        };
        let below = number.rem_euclid(self.per_day() / Self::Millis.per_day()) * nanos_each;
        Some(Timestamp::new(millis, u32::try_from(below).ok()?))
    }

    /// What a number in a column of this type is where no schema says so.
    pub(super) fn of_column(logical_type: &LogicalType, times: DebeziumTimes) -> Self {
        let adaptive = |precision| match precision {
            0..=3 => Self::Millis,
            4..=6 => Self::Micros,
            _ => Self::Nanos,
        };
        match (logical_type, times) {
            (LogicalType::Date, _) => Self::Days,
            (LogicalType::DayTimeInterval(_), DebeziumTimes::Nanoseconds) => Self::Nanos,
            (LogicalType::DayTimeInterval(_), _) => Self::Micros,
            (_, DebeziumTimes::Connect) => Self::Millis,
            (_, DebeziumTimes::Microseconds)
            | (LogicalType::Time(_), DebeziumTimes::AdaptiveTimeMicroseconds) => Self::Micros,
            (_, DebeziumTimes::Nanoseconds) => Self::Nanos,
            (
                LogicalType::Time(precision)
                | LogicalType::Timestamp(precision)
                | LogicalType::TimestampLtz(precision),
                DebeziumTimes::Adaptive | DebeziumTimes::AdaptiveTimeMicroseconds,
            ) => adaptive(*precision),
            (_, DebeziumTimes::Adaptive | DebeziumTimes::AdaptiveTimeMicroseconds) => Self::Millis,
        }
    }
}

impl Digits {
    /// What a text in a column of this type is where no schema says so.
    pub(super) fn of_column(logical_type: &LogicalType, settings: &DebeziumSettings) -> Self {
        match (logical_type, settings.decimals) {
            (LogicalType::Decimal { scale, .. }, DebeziumDecimals::Precise) => {
                Self::Unscaled { scale: (*scale).into() }
            }
            _ => Self::Plain,
        }
    }
}

impl<'a> ConnectType<'a> {
    pub(super) fn new(tree: &'a Tree, node: NodeId) -> Self {
        Self { tree, node }
    }

    fn text(self, member: &str) -> &'a str {
        self.child(member).map_or("", |child| match child.tree.kind(child.node) {
            Kind::String => child.tree.text(child.node),
            _ => "",
        })
    }

    fn child(self, member: &str) -> Option<Self> {
        self.tree.get(self.node, member).map(|node| Self { tree: self.tree, node })
    }

    fn parameter(self, name: &str) -> Option<i32> {
        self.child("parameters")?.text(name).parse().ok()
    }

    /// Its `type` is bytes, which are in base64.
    pub(super) fn is_bytes(self) -> bool {
        self.text("type") == "bytes"
    }

    pub(super) fn is_struct(self) -> bool {
        self.text("type") == "struct"
    }

    /// The elements of an array.
    pub(super) fn items(self) -> Option<Self> {
        self.child("items")
    }

    /// The values of a map.
    pub(super) fn map_values(self) -> Option<Self> {
        self.child("values")
    }

    /// The fields of a struct, with their names.
    pub(super) fn fields(self) -> impl Iterator<Item = (&'a str, Self)> {
        let fields = self.child("fields").filter(|fields| self.tree.kind(fields.node) == Kind::Array);
        let fields = fields.into_iter().flat_map(move |fields| self.tree.elements(fields.node));
        fields.map(move |node| {
            let field = Self { tree: self.tree, node };
            (field.text("field"), field)
        })
    }

    /// The field of that name.
    pub(super) fn field(self, name: &str) -> Option<Self> {
        self.fields().find_map(|(field, schema)| (field == name).then_some(schema))
    }

    /// The unit of a semantic type that is a number.
    pub(super) fn unit(self) -> Option<Unit> {
        Some(match self.text("name") {
            "io.debezium.time.Date" | "org.apache.kafka.connect.data.Date" => Unit::Days,
            "io.debezium.time.Time"
            | "io.debezium.time.Timestamp"
            | "org.apache.kafka.connect.data.Time"
            | "org.apache.kafka.connect.data.Timestamp" => Unit::Millis,
            "io.debezium.time.MicroTime"
            | "io.debezium.time.MicroTimestamp"
            | "io.debezium.time.MicroDuration" => Unit::Micros,
            "io.debezium.time.NanoTime"
            | "io.debezium.time.NanoTimestamp"
            | "io.debezium.time.NanoDuration" => Unit::Nanos,
            _ => return None,
        })
    }

    pub(super) fn digits(self) -> Digits {
        match self.text("name") {
            "org.apache.kafka.connect.data.Decimal" => {
                Digits::Unscaled { scale: self.parameter("scale").unwrap_or(0) }
            }
            "io.debezium.data.Bits" => Digits::Bits,
            _ => Digits::Plain,
        }
    }

    /// Whether it is a number of any scale: an object with both.
    pub(super) fn is_variable_scale_decimal(self) -> bool {
        self.text("name") == "io.debezium.data.VariableScaleDecimal"
    }

    /// Whether it is several words with commas between them.
    pub(super) fn is_set(self) -> bool {
        self.text("name") == "io.debezium.data.EnumSet"
    }
}
