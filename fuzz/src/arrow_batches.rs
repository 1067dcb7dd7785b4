use arrow_array::{ArrayRef, RecordBatch, StringArray};
use upsert_kafka::adapters::arrow::ArrowRows;
use upsert_kafka::{Datum, DecodeBuf, RecordBuf, Row, RowBuf, RowKind};

use super::arrays::{array, held};
use super::consumed::consumed;
use super::draw::Draw;
use super::table::DrawnTable;
use super::value::{Value, value};

const KINDS: &str = "the kind";

/// Arrow lends the values that an array was made of, whatever its layout, and they are written as the values themselves;
/// rows that are read go into a batch and come out as they were.
pub fn arrow_batches(data: &[u8]) {
    let mut draw = Draw::new(data);
    let Some(drawn) = DrawnTable::draw(&mut draw) else { return };
    let (sink, source) = (drawn.table.sink(&drawn.settings), drawn.table.source(&drawn.settings));
    let (Ok(sink), Ok(source)) = (sink, source) else { return };
    let mut rows = Vec::new();
    for _ in 0..draw.below(6) {
        let values =
            drawn.columns.iter().map(|column| held(value(&mut draw, &column.data_type), &column.data_type));
        let values = values.collect::<Vec<_>>();
        rows.push((drawn.row_kind(&mut draw), values));
    }
    let (arrow_rows, has_kinds) = match draw.once_in(2) {
        true => (sink.arrow_rows().with_kinds(KINDS), true),
        false => (sink.arrow_rows(), false),
    };
    let batch = batch(&mut draw, &drawn, &rows, has_kinds);
    let lent = arrow_rows.rows(&batch).expect("every value fits its column");
    assert_eq!(lent.len(), rows.len());
    let (encoder, mut record, mut of_arrow) = (sink.encoder(), RecordBuf::new(), RecordBuf::new());
    let (decoder, mut decoded) = (source.decoder(), DecodeBuf::new());
    let mut read = Vec::new();
    for ((kind, values), (lent_kind, lent)) in rows.iter().zip(lent.iter()) {
        let kind = if has_kinds { *kind } else { RowKind::Insert };
        assert_eq!((lent_kind, shown(&lent, values.len())), (kind, shown(values, values.len())));
        let written = encoder.encode(kind, values, &mut record).map_err(|error| error.to_string());
        let same = encoder.encode(kind, &lent, &mut of_arrow).map_err(|error| error.to_string());
        assert_eq!(same, written);
        let Ok(Some(written)) = written else { continue };
        if let Ok(decoded) = decoder.decode(&consumed(&written), &mut decoded) {
            read.extend(decoded.rows().map(|(kind, row)| (kind, row.clone())));
        }
    }
    let width = drawn.columns.len();
    let owned = rows.iter().map(|(kind, values)| (*kind, RowBuf::copy_of(values, width))).collect::<Vec<_>>();
    come_back(&arrow_rows, has_kinds, width, &owned);
    come_back(&source.arrow_rows(), false, source.layout().columns().len(), &read);
}

fn batch(
    draw: &mut Draw<'_>,
    drawn: &DrawnTable,
    rows: &[(RowKind, Vec<Value>)],
    has_kinds: bool,
) -> RecordBatch {
    let columns = drawn.columns.iter().enumerate().map(|(index, column)| {
        let values: Vec<_> = rows.iter().map(|(_, values)| values[index].clone()).collect();
        (column.name.as_str(), array(draw, &column.data_type, &values), true)
    });
    let mut columns: Vec<_> = columns.collect();
    if has_kinds {
        let kinds: StringArray = rows.iter().map(|(kind, _)| Some(kind.short_string())).collect();
        columns.push((KINDS, std::sync::Arc::new(kinds) as ArrayRef, false));
    }
    columns.reverse();
    RecordBatch::try_from_iter_with_nullable(columns).expect("columns of one length")
}

/// Rows that a builder takes are those of its batch.
fn come_back(arrow_rows: &ArrowRows, has_kinds: bool, width: usize, rows: &[(RowKind, RowBuf)]) {
    let mut builder = arrow_rows.builder();
    let taken: Vec<_> = rows.iter().filter(|(kind, row)| builder.push(*kind, row).is_ok()).collect();
    assert_eq!(builder.len(), taken.len());
    let batch = match builder.finish() {
        Ok(batch) => batch,
        Err(error) => {
            let has_null_key =
                taken.iter().any(|(_, row)| (0..width).any(|column| has_null_key(row.datum(column))));
            assert!(has_null_key, "{error:?}");
            return;
        }
    };
    let lent = arrow_rows.rows(&batch).expect("its own schema");
    assert_eq!(lent.len(), taken.len());
    for ((kind, row), (lent_kind, lent)) in taken.iter().zip(lent.iter()) {
        let kind = if has_kinds { *kind } else { RowKind::Insert };
        assert_eq!((lent_kind, shown(&lent, width)), (kind, shown(row, width)));
    }
}

fn shown(row: &(impl Row + ?Sized), width: usize) -> String {
    format!("{:?}", (0..width).map(|column| row.datum(column)).collect::<Vec<_>>())
}

fn has_null_key(datum: Datum<'_>) -> bool {
    match datum {
        Datum::Map(entries) => {
            entries.iter().any(|(key, value)| key.is_null() || has_null_key(key) || has_null_key(value))
        }
        Datum::Array(values) | Datum::Row(values) => values.iter().any(has_null_key),
        _ => false,
    }
}
