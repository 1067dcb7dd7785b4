//! Batches of Arrow: their rows, and batches of rows.

use std::sync::Arc;

use arrow_array::builder::{ListBuilder, MapBuilder, StringBuilder, StringDictionaryBuilder};
use arrow_array::types::{Float16Type, Int8Type, Int32Type, UInt64Type};
use arrow_array::*;
use arrow_buffer::{IntervalDayTime, NullBuffer, ScalarBuffer, i256};
use arrow_schema::{DataType as ArrowType, Field as ArrowField, Fields, Schema, TimeUnit};
use upsert_kafka::adapters::arrow::{ArrowRows, FLINK_TYPE};
use upsert_kafka::row::{Entries, Values};
use upsert_kafka::types::{DataType, Field};
use upsert_kafka::{Datum, Decimal, Row, RowBuf, RowKind, Timestamp};

fn column(name: &str, sql: &str) -> Field {
    Field::new(name, sql.parse::<DataType>().expect("a type"))
}

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
        .expect("columns of one length")
}

/// The values of an array as those of a column of that type.
#[track_caller]
fn read(sql: &str, array: ArrayRef) -> Vec<String> {
    let batch = batch(vec![("c", array)]);
    let rows = ArrowRows::new(&[column("c", sql)]);
    let rows = rows.rows(&batch).expect("the type fits");
    rows.iter().map(|(_, row)| format!("{:?}", row.datum(0))).collect()
}

#[track_caller]
fn refusal(sql: &str, array: ArrayRef) -> String {
    let batch = batch(vec![("c", array)]);
    ArrowRows::new(&[column("c", sql)]).rows(&batch).expect_err("a refusal").to_string()
}

fn shown(data: &[Datum<'_>]) -> Vec<String> {
    data.iter().map(|datum| format!("{datum:?}")).collect()
}

/// The data of a batch built of them: as they were.
#[track_caller]
fn comes_back(sql: &str, data: &[Datum<'_>]) {
    let rows = ArrowRows::new(&[column("c", sql)]);
    let mut builder = rows.builder();
    for datum in data {
        builder.push(RowKind::Insert, std::slice::from_ref(datum)).expect("a value of the type");
    }
    let batch = builder.finish().expect("a batch");
    let lent = rows.rows(&batch).expect("its own schema");
    let lent: Vec<String> = lent.iter().map(|(_, row)| format!("{:?}", row.datum(0))).collect();
    assert_eq!(lent, shown(data), "{sql}");
    let columns = ArrowRows::columns_of(&batch.schema()).expect("types of a table");
    assert_eq!(columns, [column("c", sql)], "the schema tells the type");
}

#[test]
fn every_type_goes_into_a_batch_and_comes_back_with_its_name() {
    let tags = [Datum::String("a"), Datum::Null];
    let counts = [Datum::String("a"), Datum::BigInt(1), Datum::String("b"), Datum::Null];
    let bag = [Datum::String("a"), Datum::Int(2)];
    let part = [Datum::Int(1), Datum::Array(Values::new(&tags, 2))];
    for (sql, data) in [
        ("BOOLEAN", vec![Datum::Boolean(true), Datum::Null, Datum::Boolean(false)]),
        ("TINYINT", vec![Datum::TinyInt(i8::MIN), Datum::Null]),
        ("SMALLINT", vec![Datum::SmallInt(i16::MAX), Datum::Null]),
        ("INT", vec![Datum::Null, Datum::Int(i32::MIN)]),
        ("BIGINT NOT NULL", vec![Datum::BigInt(i64::MAX), Datum::BigInt(0)]),
        ("FLOAT", vec![Datum::Float(1.5), Datum::Null]),
        ("DOUBLE", vec![Datum::Double(-0.37), Datum::Null]),
        ("DECIMAL(38, 2)", vec![Datum::Decimal(Decimal::new(Decimal::MAX_UNSCALED, 2)), Datum::Null]),
        ("CHAR(3)", vec![Datum::String("abc"), Datum::Null]),
        ("VARCHAR(3)", vec![Datum::String(""), Datum::Null]),
        ("STRING", vec![Datum::String("é"), Datum::Null, Datum::String("")]),
        ("BINARY(2)", vec![Datum::Bytes(&[0, 255]), Datum::Null]),
        ("BYTES", vec![Datum::Bytes(&[]), Datum::Null]),
        ("DATE", vec![Datum::Date(19_782), Datum::Null]),
        ("TIME(0)", vec![Datum::Time(0), Datum::Null]),
        ("TIME(3)", vec![Datum::Time(86_399_999), Datum::Null]),
        ("TIMESTAMP(0)", vec![Datum::Timestamp(Timestamp::from_millis(-1000)), Datum::Null]),
        ("TIMESTAMP(3)", vec![Datum::Timestamp(Timestamp::from_millis(-1)), Datum::Null]),
        ("TIMESTAMP(6)", vec![Datum::Timestamp(Timestamp::new(-1, 999_000)), Datum::Null]),
        ("TIMESTAMP(9)", vec![Datum::Timestamp(Timestamp::new(-1, 999_999)), Datum::Null]),
        ("TIMESTAMP_LTZ(3)", vec![Datum::Timestamp(Timestamp::from_millis(1)), Datum::Null]),
        ("TIMESTAMP_LTZ(6)", vec![Datum::Timestamp(Timestamp::new(1, 1000)), Datum::Null]),
        ("INTERVAL YEAR(4) TO MONTH", vec![Datum::Int(13), Datum::Null]),
        ("INTERVAL MONTH", vec![Datum::Int(13), Datum::Null]),
        ("INTERVAL DAY(2) TO SECOND(3)", vec![Datum::BigInt(-1), Datum::Null]),
        (
            "ARRAY<STRING>",
            vec![Datum::Array(Values::new(&tags, 2)), Datum::Null, Datum::Array(Values::new(&tags, 0))],
        ),
        ("MAP<STRING NOT NULL, BIGINT>", vec![Datum::Map(Entries::new(&counts, 2)), Datum::Null]),
        ("MULTISET<STRING NOT NULL>", vec![Datum::Map(Entries::new(&bag, 1)), Datum::Null]),
        ("ROW<a INT, b ARRAY<STRING>>", vec![Datum::Row(Values::new(&part, 2)), Datum::Null]),
        ("ROW<a INT, b ARRAY<CHAR(2)>>", vec![Datum::Null, Datum::Row(Values::new(&part, 2))]),
    ] {
        comes_back(sql, &data);
    }
}

#[test]
fn the_schema_is_that_of_arrow_with_metadata_where_arrow_has_no_twin() {
    let columns =
        [column("id", "BIGINT NOT NULL"), column("code", "CHAR(3)"), column("at", "TIMESTAMP_LTZ(6)")];
    let schema = ArrowRows::new(&columns).with_kinds("op").schema();
    let code = [(FLINK_TYPE.to_owned(), "CHAR(3)".to_owned())].into();
    let expected = Schema::new(vec![
        ArrowField::new("id", ArrowType::Int64, false),
        ArrowField::new("code", ArrowType::Utf8, true).with_metadata(code),
        ArrowField::new("at", ArrowType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())), true),
        ArrowField::new("op", ArrowType::Utf8, false),
    ]);
    assert_eq!(*schema, expected);
    let union = Schema::new(vec![ArrowField::new("u", ArrowType::Null, true)]);
    assert_eq!(
        ArrowRows::columns_of(&union).unwrap_err().to_string(),
        "column `u`: no type of a table is Null"
    );
}

#[test]
fn integers_are_widened_and_never_narrowed() {
    assert_eq!(read("BIGINT", Arc::new(Int8Array::from(vec![Some(-1), None]))), ["BigInt(-1)", "Null"]);
    assert_eq!(read("SMALLINT", Arc::new(UInt8Array::from(vec![255]))), ["SmallInt(255)"]);
    assert_eq!(read("INT", Arc::new(UInt16Array::from(vec![65_535]))), ["Int(65535)"]);
    assert_eq!(read("BIGINT", Arc::new(UInt32Array::from(vec![u32::MAX]))), ["BigInt(4294967295)"]);
    let huge = read("DECIMAL(20, 0)", Arc::new(UInt64Array::from(vec![u64::MAX])));
    assert_eq!(huge, ["Decimal(18446744073709551615)"]);
    assert_eq!(
        read("DECIMAL(20, 0)", Arc::new(Int64Array::from(vec![i64::MIN]))),
        ["Decimal(-9223372036854775808)"]
    );
    for (sql, array, found) in [
        ("INT", Arc::new(Int64Array::from(vec![1])) as ArrayRef, "Int64"),
        ("SMALLINT", Arc::new(UInt16Array::from(vec![1])), "UInt16"),
        ("BIGINT", Arc::new(UInt64Array::from(vec![1])), "UInt64"),
        ("FLOAT", Arc::new(Float64Array::from(vec![1.0])), "Float64"),
        ("STRING", Arc::new(Int32Array::from(vec![1])), "Int32"),
    ] {
        assert_eq!(refusal(sql, array), format!("column `c`: the column is {sql}, the array {found}"));
    }
    assert_eq!(read("DOUBLE", Arc::new(Float32Array::from(vec![1.5]))), ["Double(1.5)"]);
    let half = PrimitiveArray::<Float16Type>::from_iter_values([half(1.5)]);
    assert_eq!(read("FLOAT", Arc::new(half)), ["Float(1.5)"]);
}

/// A number of half precision.
fn half(value: f32) -> <Float16Type as ArrowPrimitiveType>::Native {
    <Float16Type as ArrowPrimitiveType>::Native::from_f32(value)
}

#[test]
fn decimals_of_all_widths_and_scales_are_lent_if_they_fit() {
    let scaled = |array: ArrayRef| read("DECIMAL(38, 2)", array);
    let d32 = Decimal32Array::from(vec![150]).with_precision_and_scale(9, 2).unwrap();
    let d64 = Decimal64Array::from(vec![-150]).with_precision_and_scale(18, 2).unwrap();
    let d128 = Decimal128Array::from(vec![150]).with_precision_and_scale(38, 1).unwrap();
    let d256 = Decimal256Array::from(vec![i256::from_i128(150)]).with_precision_and_scale(76, 0).unwrap();
    let hundreds = Decimal128Array::from(vec![15]).with_precision_and_scale(5, -2).unwrap();
    assert_eq!(scaled(Arc::new(d32)), ["Decimal(1.50)"]);
    assert_eq!(scaled(Arc::new(d64)), ["Decimal(-1.50)"]);
    assert_eq!(scaled(Arc::new(d128)), ["Decimal(15.0)"]);
    assert_eq!(scaled(Arc::new(d256)), ["Decimal(150)"]);
    assert_eq!(scaled(Arc::new(hundreds)), ["Decimal(1500)"]);
    let beyond = Decimal256Array::from(vec![None, Some(i256::MAX)]).with_precision_and_scale(76, 0).unwrap();
    let error = refusal("DECIMAL(38, 0)", Arc::new(beyond));
    assert_eq!(error, "row 1, column `c`: a value that DECIMAL(38, 0) cannot hold");
}

#[test]
fn times_of_all_units_are_milliseconds_and_nanoseconds() {
    let millis = |millis, nanos| format!("{:?}", Datum::Timestamp(Timestamp::new(millis, nanos)));
    let at = |array: ArrayRef| read("TIMESTAMP(9)", array);
    assert_eq!(at(Arc::new(TimestampSecondArray::from(vec![-1]))), [millis(-1000, 0)]);
    assert_eq!(at(Arc::new(TimestampMillisecondArray::from(vec![-1]))), [millis(-1, 0)]);
    assert_eq!(at(Arc::new(TimestampMicrosecondArray::from(vec![-1]))), [millis(-1, 999_000)]);
    assert_eq!(at(Arc::new(TimestampNanosecondArray::from(vec![-1]))), [millis(-1, 999_999)]);
    let zoned = TimestampMillisecondArray::from(vec![1]).with_timezone("Europe/Zurich");
    assert_eq!(read("TIMESTAMP_LTZ(3)", Arc::new(zoned)), [millis(1, 0)]);
    let beyond = refusal("TIMESTAMP(3)", Arc::new(TimestampSecondArray::from(vec![i64::MAX])));
    assert_eq!(beyond, "row 0, column `c`: a value that TIMESTAMP(3) cannot hold");
    assert_eq!(read("TIME(3)", Arc::new(Time32SecondArray::from(vec![1]))), ["Time(1000)"]);
    assert_eq!(read("TIME(3)", Arc::new(Time64MicrosecondArray::from(vec![1_999]))), ["Time(1)"]);
    assert_eq!(
        read("TIME(3)", Arc::new(Time64NanosecondArray::from(vec![86_399_999_999_999]))),
        ["Time(86399999)"]
    );
    assert_eq!(read("DATE", Arc::new(Date64Array::from(vec![-1]))), ["Date(-1)"]);
    assert_eq!(
        read("INTERVAL DAY TO SECOND", Arc::new(DurationSecondArray::from(vec![2]))),
        ["BigInt(2000)"]
    );
    let days = IntervalDayTimeArray::from(vec![IntervalDayTime::new(1, -1)]);
    assert_eq!(read("INTERVAL DAY TO SECOND", Arc::new(days)), ["BigInt(86399999)"]);
}

#[test]
fn texts_views_dictionaries_and_runs_are_lent_alike() {
    let expected = ["String(\"a longer text than twelve\")", "Null", "String(\"b\")", "String(\"b\")"];
    let texts = [Some("a longer text than twelve"), None, Some("b"), Some("b")];
    let mut keyed = StringDictionaryBuilder::<Int8Type>::new();
    let mut unsigned = StringDictionaryBuilder::<UInt64Type>::new();
    texts.iter().for_each(|text| {
        keyed.append_option(*text);
        unsigned.append_option(*text);
    });
    let runs: RunArray<Int32Type> = texts.into_iter().collect();
    let sliced: RunArray<Int32Type> = [Some("x")].into_iter().chain(texts).collect();
    let arrays: [ArrayRef; 7] = [
        Arc::new(StringArray::from(texts.to_vec())),
        Arc::new(LargeStringArray::from(texts.to_vec())),
        Arc::new(StringViewArray::from(texts.to_vec())),
        Arc::new(keyed.finish()),
        Arc::new(unsigned.finish()),
        Arc::new(runs),
        Arc::new(sliced.slice(1, 4)),
    ];
    for array in arrays {
        let arrow_type = array.data_type().clone();
        assert_eq!(read("STRING", array), expected, "{arrow_type}");
    }
    // A key may lead to NULL.
    let values: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None]));
    let to_null = DictionaryArray::<Int8Type>::new(Int8Array::from(vec![1, 0]), values);
    assert_eq!(read("STRING", Arc::new(to_null)), ["Null", "String(\"a\")"]);
    let fixed = FixedSizeBinaryArray::try_from_iter([[1_u8, 2], [3, 4]].into_iter()).unwrap();
    for array in [
        Arc::new(BinaryArray::from_vec(vec![&[1, 2], &[3, 4]])) as ArrayRef,
        Arc::new(LargeBinaryArray::from_vec(vec![&[1, 2], &[3, 4]])),
        Arc::new(BinaryViewArray::from_iter_values([[1_u8, 2], [3, 4]])),
        Arc::new(fixed),
    ] {
        assert_eq!(read("BYTES", array), ["Bytes([1, 2])", "Bytes([3, 4])"]);
    }
    assert_eq!(read("INT", Arc::new(NullArray::new(1))), ["Null"]);
}

#[test]
fn lists_maps_and_structs_are_lent_in_place_slices_too() {
    let mut list = ListBuilder::new(StringBuilder::new());
    for texts in [Some(vec![Some("x")]), Some(vec![Some("a"), None]), None, Some(vec![])] {
        list.append_option(texts);
    }
    let list = list.finish().slice(1, 3);
    let expected = ["Array([String(\"a\"), Null])", "Null", "Array([])"];
    assert_eq!(read("ARRAY<STRING>", Arc::new(list)), expected);
    let values: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3, 4]));
    let item = Arc::new(ArrowField::new("item", ArrowType::Int32, true));
    let fixed = FixedSizeListArray::new(Arc::clone(&item), 2, Arc::clone(&values), None).slice(1, 1);
    assert_eq!(read("ARRAY<INT>", Arc::new(fixed)), ["Array([Int(3), Int(4)])"]);
    let offsets = ScalarBuffer::from(vec![2_i32, 0]);
    let view = ListViewArray::new(item, offsets, ScalarBuffer::from(vec![2_i32, 1]), values, None);
    assert_eq!(read("ARRAY<INT>", Arc::new(view)), ["Array([Int(3), Int(4)])", "Array([Int(1)])"]);

    let mut map = MapBuilder::new(None, StringBuilder::new(), Int32Array::builder(4));
    for entries in [&[("a", 1)][..], &[("b", 2), ("d", 4), ("e", 5)], &[("c", 3)]] {
        for (key, value) in entries {
            map.keys().append_value(key);
            map.values().append_value(*value);
        }
        map.append(true).unwrap();
    }
    map.append(false).unwrap();
    let map = map.finish().slice(1, 3);
    let of_three = "Map({String(\"b\"): Int(2), String(\"d\"): Int(4), String(\"e\"): Int(5)})";
    let expected = [of_three, "Map({String(\"c\"): Int(3)})", "Null"];
    assert_eq!(read("MAP<STRING, INT>", Arc::new(map)), expected);

    let fields = Fields::from(vec![
        ArrowField::new("b", ArrowType::Utf8, true),
        ArrowField::new("a", ArrowType::Int32, true),
    ]);
    let columns: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from(vec![Some("x"), None, Some("z")])),
        Arc::new(Int32Array::from(vec![Some(1), Some(2), None])),
    ];
    let nulls = NullBuffer::from(vec![true, true, false]);
    let structs = StructArray::new(fields, columns, Some(nulls)).slice(1, 2);
    assert_eq!(read("ROW<a INT, b STRING>", Arc::new(structs.clone())), ["Row([Int(2), Null])", "Null"]);
    assert_eq!(
        refusal("ROW<a INT, b STRING, c INT>", Arc::new(structs.clone())),
        "column `c`.`c`: the batch has no such column"
    );
    assert_eq!(refusal("ROW<a INT>", Arc::new(structs)), "column `c`.`b`: the table has no such column");
}

#[test]
fn kinds_come_from_a_column_or_are_inserts() {
    let columns = [column("id", "INT")];
    let ids = || Arc::new(Int32Array::from(vec![1, 2, 3, 4])) as ArrayRef;
    let texts: ArrayRef = Arc::new(StringViewArray::from(vec!["+I", "-U", "+U", "-D"]));
    let numbers: ArrayRef = Arc::new(Int8Array::from(vec![0, 1, 2, 3]));
    let rows = ArrowRows::new(&columns).with_kinds("op");
    for kinds in [texts, numbers] {
        let batch = batch(vec![("op", kinds), ("id", ids())]);
        let rows = rows.rows(&batch).unwrap();
        assert_eq!(rows.iter().map(|(kind, _)| kind).collect::<Vec<_>>(), RowKind::ALL);
        assert!(matches!(rows.row(3).datum(0), Datum::Int(4)));
    }
    let plain = batch(vec![("id", ids())]);
    let inserts = ArrowRows::new(&columns);
    assert!(inserts.rows(&plain).unwrap().iter().all(|(kind, _)| kind == RowKind::Insert));
    assert_eq!(rows.rows(&plain).unwrap_err().to_string(), "column `op`: the batch has no such column");
    let bad =
        batch(vec![("op", Arc::new(StringArray::from(vec![Some("+I"), None, None, None]))), ("id", ids())]);
    let error = rows.rows(&bad).unwrap_err();
    assert_eq!(error.to_string(), "row 1, column `op`: expected a kind such as +U, or 0 to 3");
    assert_eq!(inserts.rows(&bad).unwrap_err().to_string(), "column `op`: the table has no such column");
    let mut builder = rows.builder();
    builder.push(RowKind::Delete, &[Datum::Int(7)]).unwrap();
    let built = builder.finish().unwrap();
    assert_eq!(rows.rows(&built).unwrap().kind(0), RowKind::Delete);
}

#[test]
fn a_batch_that_arrow_refuses_leaves_the_builder_empty() {
    let columns = [column("m", "MAP<STRING, INT>"), column("id", "INT")];
    let rows = ArrowRows::new(&columns);
    let (null_key, entry) = ([Datum::Null, Datum::Int(1)], [Datum::String("a"), Datum::Int(1)]);
    let row = |entries| [Datum::Map(entries), Datum::Int(1)];
    let mut builder = rows.builder();
    builder.push(RowKind::Insert, &row(Entries::new(&null_key, 1))).unwrap();
    builder.finish().unwrap_err();
    let good = row(Entries::new(&entry, 1));
    builder.push(RowKind::Insert, &good).unwrap();
    let batch = builder.finish().unwrap();
    assert_eq!(batch.num_rows(), 1);
    for (_, row) in rows.rows(&batch).unwrap().iter() {
        assert_eq!(RowBuf::copy_of(&row, 2), RowBuf::copy_of(&good, 2));
    }
}

#[test]
fn a_row_that_does_not_fit_leaves_the_builder_as_it_was() {
    let columns =
        [column("tags", "ARRAY<STRING>"), column("at", "TIMESTAMP(9)"), column("id", "INT NOT NULL")];
    let rows = ArrowRows::new(&columns);
    let (tags, at) =
        ([Datum::String("a"), Datum::Int(1)], Datum::Timestamp(Timestamp::from_millis(i64::MAX)));
    let good = [Datum::Array(Values::new(&tags, 1)), Datum::Null, Datum::Int(1)];
    let mut builder = rows.builder();
    for (row, message) in [
        (
            [Datum::Array(Values::new(&tags, 2)), Datum::Null, Datum::Int(1)],
            "column `tags`[1]: expected STRING, found INT",
        ),
        ([good[0], at, Datum::Int(1)], "column `at`: +292278994-08-17T07:12:55.807 is beyond"),
        ([good[0], Datum::Null, Datum::Null], "column `id`: the column is NOT NULL, found NULL"),
    ] {
        builder.push(RowKind::Insert, &good).unwrap();
        let error = builder.push(RowKind::Insert, &row).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
    }
    let batch = builder.finish().unwrap();
    assert_eq!((batch.num_rows(), builder.len()), (3, 0));
    for (_, row) in rows.rows(&batch).unwrap().iter() {
        assert_eq!(RowBuf::copy_of(&row, 3), RowBuf::copy_of(&good, 3));
    }
}
