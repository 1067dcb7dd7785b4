//! Values as texts, as `CAST(.. AS STRING)` has them.
//!
//! Agrees with the rules to `CharacterString` of `org.apache.flink.table.planner.functions.casting`.

use crate::row::{Datum, LocalTimeZone, Timestamp};
use crate::text::{
    self, Jdk, MILLIS_OF_DAY, put_date, put_decimal_plain, put_f32, put_f64, put_integer, put_time,
    put_timestamp,
};
use crate::types::LogicalType;

/// How values of a type become texts.
#[derive(Clone, Debug)]
pub(crate) struct ToText {
    pub(super) from: LogicalType,
    pub(super) zone: LocalTimeZone,
    pub(super) jdk: Jdk,
}

impl ToText {
    /// Appends the text of a value of the type. No allocation but for what `out` grows by.
    pub(crate) fn write(&self, value: Datum<'_>, out: &mut String) {
        self.value(&self.from, value, out);
    }

    fn value(&self, from: &LogicalType, value: Datum<'_>, out: &mut String) {
        let mut room = [0; 64];
        let end = match value {
            Datum::Null => return out.push_str("NULL"),
            Datum::String(value) => return out.push_str(value),
            Datum::Bytes(value) => return text::decode_utf8(value, out),
            Datum::Boolean(value) => return out.push_str(if value { "TRUE" } else { "FALSE" }),
            Datum::TinyInt(value) => put_integer(&mut room, value.into()),
            Datum::SmallInt(value) => put_integer(&mut room, value.into()),
            Datum::Int(months) if matches!(from, LogicalType::YearMonthInterval(_)) => {
                sign(months < 0, out);
                let months = months.unsigned_abs();
                integer((months / 12).into(), 1, out);
                out.push('-');
                return integer((months % 12).into(), 2, out);
            }
            Datum::Int(value) => put_integer(&mut room, value.into()),
            Datum::BigInt(millis) if matches!(from, LogicalType::DayTimeInterval(_)) => {
                sign(millis < 0, out);
                integer((millis / MILLIS_OF_DAY).unsigned_abs(), 1, out);
                out.push(' ');
                return time((millis % MILLIS_OF_DAY).abs(), 3, out);
            }
            Datum::BigInt(value) => put_integer(&mut room, value),
            Datum::Float(value) => put_f32(&mut room, value, self.jdk),
            Datum::Double(value) => put_f64(&mut room, value, self.jdk),
            Datum::Decimal(value) => put_decimal_plain(&mut room, value.unscaled(), value.scale()),
            Datum::Date(days) => put_date(&mut room, days),
            Datum::Time(millis) => {
                let decimals = if let LogicalType::Time(decimals) = from { *decimals } else { 0 };
                return time(i64::from(millis).rem_euclid(MILLIS_OF_DAY), decimals.min(3), out);
            }
            Datum::Timestamp(value) => return self.timestamp(from, value, out),
            Datum::Array(values) => {
                let LogicalType::Array(element) = from else { return };
                out.push('[');
                for (index, value) in values.iter().enumerate() {
                    out.push_str(if index == 0 { "" } else { ", " });
                    self.value(&element.logical_type, value, out);
                }
                return out.push(']');
            }
            Datum::Map(entries) => {
                let (key, of) = match from {
                    LogicalType::Map(key, of) => (&key.logical_type, &of.logical_type),
                    LogicalType::Multiset(element) => (&element.logical_type, &LogicalType::Int),
                    _ => return,
                };
                out.push('{');
                for (index, (name, value)) in entries.iter().enumerate() {
                    out.push_str(if index == 0 { "" } else { ", " });
                    self.value(key, name, out);
                    out.push('=');
                    self.value(of, value, out);
                }
                return out.push('}');
            }
            Datum::Row(values) => {
                let LogicalType::Row(row) = from else { return };
                out.push('(');
                for (index, (value, field)) in values.iter().zip(row.fields()).enumerate() {
                    out.push_str(if index == 0 { "" } else { ", " });
                    self.value(&field.data_type.logical_type, value, out);
                }
                return out.push(')');
            }
        };
        out.push_str(str::from_utf8(&room[..end]).unwrap_or_default());
    }

    /// With as many decimals as its type has.
    fn timestamp(&self, from: &LogicalType, value: Timestamp, out: &mut String) {
        let (value, decimals) = match from {
            LogicalType::TimestampLtz(decimals) => (self.zone.to_local(value), *decimals),
            LogicalType::Timestamp(decimals) => (value, *decimals),
            _ => (value, 0),
        };
        let (seconds, millis) = (value.millis().div_euclid(1000), value.millis().rem_euclid(1000));
        let mut room = [0; 64];
        let end = put_timestamp(&mut room, seconds.saturating_mul(1000), 0, b' ');
        out.push_str(str::from_utf8(&room[..end]).unwrap_or_default());
        fraction(millis.unsigned_abs() * 1_000_000 + u64::from(value.nanos_of_millis()), decimals, out);
    }
}

fn sign(is_negative: bool, out: &mut String) {
    out.push(if is_negative { '-' } else { '+' });
}

/// A time of a day, with so many decimals.
fn time(millis_of_day: i64, decimals: u8, out: &mut String) {
    let millis = millis_of_day % 1000;
    let mut room = [0; 64];
    let end = put_time(&mut room, i32::try_from(millis_of_day - millis).unwrap_or_default());
    out.push_str(str::from_utf8(&room[..end]).unwrap_or_default());
    fraction(millis.unsigned_abs() * 1_000_000, decimals, out);
}

/// A point and so many decimals, if any.
fn fraction(nanos: u64, decimals: u8, out: &mut String) {
    if decimals > 0 {
        out.push('.');
        let unit = 10_u64.pow(9 - u32::from(decimals.min(9)));
        integer(nanos / unit, decimals.into(), out);
    }
}

/// A number of at least so many digits.
fn integer(value: u64, digits: usize, out: &mut String) {
    let mut room = [0; 64];
    let end = put_integer(&mut room, i64::try_from(value).unwrap_or(i64::MAX));
    out.extend(std::iter::repeat_n('0', digits.saturating_sub(end)));
    out.push_str(str::from_utf8(&room[..end]).unwrap_or_default());
}
