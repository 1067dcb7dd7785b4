use upsert_kafka::adapters::serde::SerdeRows;
use upsert_kafka::types::{DataType, LogicalType};
use upsert_kafka::{Datum, DecodeBuf, RecordBuf, Row};

use super::consumed::consumed;
use super::draw::Draw;
use super::read_tree::{Any, Hinted, hint_from, is_any};
use super::table::DrawnTable;
use super::value::Value;
use super::written_tree::{Fields, Forms};

/// Rows that serde serializes, in any form that it has for a value, are written as the same rows lent as data are; and
/// what it deserializes of rows that are read serializes to the same rows again.
pub fn serde_rows(data: &[u8]) {
    hint_from(data.len());
    let mut draw = Draw::new(data);
    let forms = Forms::new(u64::from_le_bytes(draw.array()));
    let Some(drawn) = DrawnTable::draw(&mut draw) else { return };
    let (sink, source) = (drawn.table.sink(&drawn.settings), drawn.table.source(&drawn.settings));
    let (Ok(sink), Ok(source)) = (sink, source) else { return };
    let (encoder, decoder) = (sink.encoder(), source.decoder());
    let (mut of_sink, mut of_source) = (sink.serde_rows(), source.serde_rows());
    let (mut record, mut of_serde, mut decoded) = (RecordBuf::new(), RecordBuf::new(), DecodeBuf::new());
    while !draw.is_empty() {
        let (kind, row) = (drawn.row_kind(&mut draw), drawn.row(&mut draw));
        let fits = row.iter().zip(&drawn.columns).all(|(value, column)| fits(value, &column.data_type));
        let written = encoder.encode(kind, &row, &mut record).map_err(|error| error.to_string());
        match of_sink.row(&Fields { fields: &drawn.columns, values: &row, forms: &forms }) {
            Ok(same) if fits => {
                let same = encoder.encode(kind, same, &mut of_serde).map_err(|error| error.to_string());
                assert_eq!(same, written);
            }
            // An integer of another width is an integer.
            Ok(other) => {
                let _ = encoder.encode(kind, other, &mut of_serde);
            }
            Err(error) => assert!(!fits, "{error}"),
        }
        let Ok(Some(written)) = written else { continue };
        let Ok(decoded) = decoder.decode(&consumed(&written), &mut decoded) else { continue };
        for (_, row) in decoded.rows() {
            read(&mut of_source, row, source.layout().columns().len());
        }
    }
}

fn read(rows: &mut SerdeRows, row: &impl Row, width: usize) {
    let _ = rows.read::<Hinted>(row);
    let any: Any = rows.read(row).expect("a row is a map of what it holds");
    let data: Vec<_> = (0..width).map(|column| row.datum(column)).collect();
    let Any::Map(columns) = &any else { panic!("a row is a map") };
    assert_eq!(columns.len(), width);
    for ((_, value), datum) in columns.iter().zip(&data) {
        assert!(is_any(value, *datum), "{value:?} is not {datum:?}");
    }
    if !data.iter().all(|datum| is_spelled(*datum)) {
        return;
    }
    let again = rows.row(&any).expect("what was read of a row");
    assert_eq!(format!("{again:?}"), format!("{data:?}"));
}

/// Whether the value is one of the type, or NULL: what serde may say of it in any form, and a row can hold.
fn fits(value: &Value, of: &DataType) -> bool {
    match (value, &of.logical_type) {
        (Value::Array(values), LogicalType::Array(element)) => {
            values.iter().all(|value| fits(value, element))
        }
        (Value::Map(entries), LogicalType::Map(key, of_key)) => {
            entries.iter().all(|(k, value)| fits(k, key) && fits(value, of_key))
        }
        (Value::Map(entries), LogicalType::Multiset(element)) => {
            entries.iter().all(|(key, count)| fits(key, element) && fits(count, &LogicalType::Int.nullable()))
        }
        (Value::Row(values), LogicalType::Row(row)) => {
            values.len() == row.fields().len()
                && values.iter().zip(row.fields()).all(|(value, field)| fits(value, &field.data_type))
        }
        (Value::Text(_), LogicalType::Char(_) | LogicalType::VarChar(_))
        | (Value::Bytes(_), LogicalType::Binary(_) | LogicalType::VarBinary(_)) => true,
        (Value::Scalar(datum), of) => matches!(
            (datum, of),
            (Datum::Null, _)
                | (Datum::Boolean(_), LogicalType::Boolean)
                | (Datum::TinyInt(_), LogicalType::TinyInt)
                | (Datum::SmallInt(_), LogicalType::SmallInt)
                | (Datum::Int(_), LogicalType::Int | LogicalType::YearMonthInterval(_))
                | (Datum::BigInt(_), LogicalType::BigInt | LogicalType::DayTimeInterval(_))
                | (Datum::Float(_), LogicalType::Float)
                | (Datum::Double(_), LogicalType::Double)
                | (Datum::Decimal(_), LogicalType::Decimal { .. })
                | (Datum::Date(_), LogicalType::Date)
                | (Datum::Time(0..86_400_000), LogicalType::Time(_))
                | (Datum::Timestamp(_), LogicalType::Timestamp(_) | LogicalType::TimestampLtz(_))
        ),
        _ => false,
    }
}

/// Whether a text says exactly the value, all the way down: not of times beyond the day and days beyond an int.
fn is_spelled(datum: Datum<'_>) -> bool {
    match datum {
        Datum::Time(millis) => (0..86_400_000).contains(&millis),
        Datum::Timestamp(at) => {
            i32::try_from(at.millis() / 86_400_000).is_ok_and(|days| days.abs() < i32::MAX)
        }
        Datum::Array(values) | Datum::Row(values) => values.iter().all(is_spelled),
        Datum::Map(entries) => entries.iter().all(|(key, value)| is_spelled(key) && is_spelled(value)),
        _ => true,
    }
}
