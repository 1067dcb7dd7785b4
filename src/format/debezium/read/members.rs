use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::error::{Error, ErrorKind};
use crate::format::scalar::Scalar;
use crate::row::Slot;
use crate::types::{DataType, Field, LogicalType};

use super::connect_type::{ConnectType, Digits, Unit};
use super::settings::{DebeziumBytes, DebeziumSettings};

/// The members of an object, in the order in which they are likely to come, and where their values go.
#[derive(Clone, Debug, Default)]
pub(super) struct Members {
    members: Box<[Member]>,
    by_name: HashMap<Box<[u8]>, usize, FixedState>,
}

#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) name: Box<str>,
    /// The name in quotes and its colon.
    pub(super) label: Box<[u8]>,
    /// The place in the row, and how the value is read; `None` of one that no column wants.
    pub(super) column: Option<(usize, Reader)>,
}

/// How a value becomes that of a column.
#[derive(Clone, Debug)]
pub(super) enum Reader {
    Boolean,
    Number(Scalar, Digits),
    Decimal {
        precision: u8,
        scale: u8,
        digits: Digits,
    },
    Text(TextOf),
    Bytes(DebeziumBytes),
    Date(Unit),
    Time(Unit),
    Timestamp(Unit),
    YearMonth,
    DayTime(Unit),
    Array {
        element: Box<Reader>,
        is_set: bool,
    },
    Map(Box<Reader>),
    Row {
        members: Members,
        width: usize,
    },
    /// The value, in JSON, is the content of a text.
    InText(Box<Reader>),
}

/// What a text is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextOf {
    /// The text, or another value as it is written.
    Anything,
    /// A number with its decimals.
    Decimal(Digits),
    /// A number in an object with its scale.
    VariableScaleDecimal,
}

impl Members {
    /// Joins the fields with what the schema says of them, or with what their types suggest. `place` says where in the row
    /// a field is.
    ///
    /// # Errors
    ///
    /// For a type that no event holds.
    pub(super) fn of(
        fields: &[Field],
        place: impl Fn(usize) -> usize,
        schema: Option<ConnectType<'_>>,
        settings: &DebeziumSettings,
    ) -> Result<Self, Error> {
        let column = |index: usize, schema| {
            let field = fields.get(index)?;
            let reader = Reader::of(&field.data_type, schema, settings);
            Some(reader.map(|reader| (place(index), reader)).map_err(|error| error.in_column(&field.name)))
        };
        // MongoDB's keys have an `id` that is the text of the document's `_id`.
        let position = |name: &str| fields.iter().position(|field| field.name == name);
        let id =
            if position("id").is_none() { position("_id").and_then(|id| column(id, None)) } else { None };
        let id = id.transpose()?.map(|(place, reader)| (place, Reader::InText(Box::new(reader))));
        let members: Box<[Member]> = match schema.filter(|schema| schema.is_struct()) {
            Some(schema) => {
                let places: std::collections::HashMap<&str, usize> =
                    fields.iter().enumerate().map(|(index, field)| (field.name.as_str(), index)).collect();
                let members = schema.fields().map(|(name, schema)| {
                    let column =
                        places.get(name).and_then(|index| column(*index, Some(schema))).transpose()?;
                    let id = id.as_ref().filter(|_| name == "id").cloned();
                    Ok(Member::new(name, column.or(id)))
                });
                members.collect::<Result<_, Error>>()?
            }
            None => {
                let members = fields
                    .iter()
                    .enumerate()
                    .map(|(index, field)| Ok(Member::new(&field.name, column(index, None).transpose()?)));
                let id = id.map(|id| Ok(Member::new("id", Some(id))));
                members.chain(id).collect::<Result<_, Error>>()?
            }
        };
        let by_name =
            members.iter().enumerate().map(|(index, member)| (member.name.as_bytes().into(), index));
        Ok(Self { by_name: by_name.collect(), members })
    }

    /// All of them, in the order in which events likely have them.
    pub(super) fn in_order(&self) -> &[Member] {
        &self.members
    }

    /// The member called `name`, which is likely the one at `next`.
    #[inline]
    pub(super) fn find(&self, name: &[u8], next: usize) -> Option<(usize, &Member)> {
        if let Some(member) = self.members.get(next)
            && member.name.as_bytes() == name
        {
            return Some((next, member));
        }
        let index = *self.by_name.get(name)?;
        Some((index, self.members.get(index)?))
    }
}

impl Member {
    fn new(name: &str, column: Option<(usize, Reader)>) -> Self {
        Self { name: name.into(), label: format!("\"{name}\":").into_bytes().into(), column }
    }
}

impl Reader {
    /// What a number stands for in the column of a time.
    pub(super) fn time_of_number(&self, number: i64) -> Option<Slot> {
        match self {
            Self::Date(unit) => i32::try_from(number.div_euclid(unit.per_day())).ok().map(Slot::Date),
            Self::Time(unit) if (0..unit.per_day()).contains(&number) => {
                unit.millis(number).and_then(|millis| i32::try_from(millis).ok()).map(Slot::Time)
            }
            Self::Timestamp(unit) => unit.timestamp(number).map(Slot::Timestamp),
            Self::YearMonth => i32::try_from(number).ok().map(Slot::Int),
            Self::DayTime(unit) => unit.millis(number).map(Slot::BigInt),
            _ => None,
        }
    }

    fn of(
        data_type: &DataType,
        schema: Option<ConnectType<'_>>,
        settings: &DebeziumSettings,
    ) -> Result<Self, Error> {
        let logical_type = &data_type.logical_type;
        let unit = schema.and_then(ConnectType::unit);
        let unit = unit.unwrap_or_else(|| Unit::of_column(logical_type, settings.times));
        let digits =
            schema.map_or_else(|| Digits::of_column(logical_type, settings), |schema| schema.digits());
        let nested = |element: &DataType, schema| Self::of(element, schema, settings).map(Box::new);
        Ok(match logical_type {
            LogicalType::Boolean => Self::Boolean,
            LogicalType::TinyInt
            | LogicalType::SmallInt
            | LogicalType::Int
            | LogicalType::BigInt
            | LogicalType::Float
            | LogicalType::Double => {
                Self::Number(Scalar::of(logical_type).ok_or_else(|| unsupported(data_type))?, digits)
            }
            LogicalType::Decimal { precision, scale } => {
                Self::Decimal { precision: *precision, scale: *scale, digits }
            }
            LogicalType::Char(_) | LogicalType::VarChar(_) => Self::Text(match (digits, schema) {
                (Digits::Unscaled { .. }, _) => TextOf::Decimal(digits),
                (_, Some(schema)) if schema.is_variable_scale_decimal() => TextOf::VariableScaleDecimal,
                _ => TextOf::Anything,
            }),
            LogicalType::Binary(_) | LogicalType::VarBinary(_) => {
                let is_base64 = schema.is_some_and(ConnectType::is_bytes);
                Self::Bytes(if is_base64 { DebeziumBytes::Base64 } else { settings.bytes })
            }
            LogicalType::Date => Self::Date(unit),
            LogicalType::Time(_) => Self::Time(unit),
            LogicalType::Timestamp(_) | LogicalType::TimestampLtz(_) => Self::Timestamp(unit),
            LogicalType::YearMonthInterval(_) => Self::YearMonth,
            LogicalType::DayTimeInterval(_) => Self::DayTime(unit),
            LogicalType::Array(element) => Self::Array {
                element: nested(element, schema.and_then(ConnectType::items))?,
                is_set: schema.map_or(is_text(element), ConnectType::is_set),
            },
            LogicalType::Map(key, value) if is_text(key) => {
                Self::Map(nested(value, schema.and_then(ConnectType::map_values))?)
            }
            LogicalType::Row(row) => {
                // The connector's mode is for columns of bytes: those inside of a geometry are always in base64.
                let settings = DebeziumSettings { bytes: DebeziumBytes::Base64, ..settings.clone() };
                Self::Row {
                    members: Members::of(row.fields(), |field| field, schema, &settings)?,
                    width: row.fields().len(),
                }
            }
            LogicalType::TimestampTz(_)
            | LogicalType::Map(..)
            | LogicalType::Multiset(_)
            | LogicalType::Null
            | LogicalType::Variant
            | LogicalType::Bitmap => return Err(unsupported(data_type)),
        })
    }

    /// What is expected, for messages.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Boolean => "BOOLEAN",
            Self::Number(scalar, _) => scalar.name(),
            Self::Decimal { .. } => "DECIMAL",
            Self::Text(_) => "STRING",
            Self::Bytes(DebeziumBytes::Base64) => "base64",
            Self::Bytes(DebeziumBytes::Hex) => "hexadecimal bytes",
            Self::Date(_) => "DATE",
            Self::Time(_) => "TIME, less than 24 hours",
            Self::Timestamp(_) => "TIMESTAMP",
            Self::YearMonth => "INTERVAL YEAR TO MONTH",
            Self::DayTime(_) => "INTERVAL DAY TO SECOND",
            Self::Array { .. } => "an array",
            Self::Map(_) | Self::Row { .. } => "an object",
            Self::InText(reader) => reader.name(),
        }
    }
}

fn is_text(data_type: &DataType) -> bool {
    matches!(data_type.logical_type, LogicalType::Char(_) | LogicalType::VarChar(_))
}

#[cold]
fn unsupported(data_type: &DataType) -> Error {
    Error::new(ErrorKind::Table, format!("events of Debezium hold no {data_type}"))
}
