//! The same rows through every door: structs with `impl_row!`, `serde`, Arrow and data by hand.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use upsert_kafka::row::{Entries, Values};
use upsert_kafka::{
    ConsumerRecord, Datum, Decimal, DecodeBuf, Error, RecordBuf, Row, RowBuf, RowKind, Settings, Table,
    Timestamp, impl_row,
};

/// A table of `kafka` with these columns and a value of that format.
fn table(columns: &str, format: &str) -> Table {
    // TIMESTAMP_LTZ is none of the older mapping.
    let option = if format == "avro" { "'avro.timestamp_mapping.legacy' = 'false', " } else { "" };
    let ddl = format!(
        "CREATE TABLE t ({columns}) WITH ('connector' = 'kafka', 'topic' = 't', 'format' = '{format}', {option}\
         'scan.startup.mode' = 'earliest-offset', 'properties.bootstrap.servers' = 'h:9092')"
    );
    Table::from_ddl(&ddl).expect("a table")
}

/// The value that a row is written as.
fn written(table: &Table, row: &(impl Row + ?Sized)) -> Result<Vec<u8>, Error> {
    let mut buf = RecordBuf::new();
    let record = table.sink(&Settings::default())?.encoder();
    let record = record.encode(RowKind::Insert, row, &mut buf)?.expect("an insert is a record");
    Ok(record.value.expect("an insert has a value").to_vec())
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Part {
    a: Option<i32>,
    b: String,
}
impl_row!(Part { a, b });

/// A column of each type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct All {
    flag: bool,
    tiny: i8,
    small: i16,
    whole: i32,
    big: i64,
    single: f32,
    double: f64,
    amount: Decimal,
    letters: String,
    raw: Vec<u8>,
    day: Day,
    clock: Clock,
    stamp: Timestamp,
    instant: Timestamp,
    tags: Vec<Option<String>>,
    counts: BTreeMap<String, i64>,
    part: Part,
    parts: Vec<Part>,
    nothing: Option<i64>,
}
impl_row!(All {
    flag,
    tiny,
    small,
    whole,
    big,
    single,
    double,
    amount,
    letters,
    raw,
    day,
    clock,
    stamp,
    instant,
    tags,
    counts,
    part,
    parts,
    nothing,
});

const COLUMNS: &str = "flag BOOLEAN, tiny TINYINT, small SMALLINT, whole INT, big BIGINT, single FLOAT, `double` DOUBLE, \
    amount DECIMAL(10, 2), letters STRING, `raw` BYTES, `day` DATE, clock TIME(3), stamp TIMESTAMP(3), \
    instant TIMESTAMP_LTZ(3), tags ARRAY<STRING>, counts MAP<STRING, BIGINT>, part ROW<a INT, b STRING>, \
    parts ARRAY<ROW<a INT, b STRING>>, nothing BIGINT";

/// A type of the user's own: by serde and by `impl_row!`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Day(chrono::NaiveDate);

impl upsert_kafka::row::AsDatum for Day {
    fn as_datum(&self) -> Datum<'_> {
        self.0.as_datum()
    }
}

impl<'a> upsert_kafka::row::FromDatum<'a> for Day {
    fn from_datum(datum: Datum<'a>) -> Result<Self, Error> {
        chrono::NaiveDate::from_datum(datum).map(Self)
    }
}

impl Serialize for Day {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map(Self).map_err(serde::de::Error::custom)
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Clock(chrono::NaiveTime);

impl upsert_kafka::row::AsDatum for Clock {
    fn as_datum(&self) -> Datum<'_> {
        self.0.as_datum()
    }
}

impl<'a> upsert_kafka::row::FromDatum<'a> for Clock {
    fn from_datum(datum: Datum<'a>) -> Result<Self, Error> {
        chrono::NaiveTime::from_datum(datum).map(Self)
    }
}

impl Serialize for Clock {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Clock {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map(Self).map_err(serde::de::Error::custom)
    }
}

fn all() -> All {
    let part = |a, b: &str| Part { a, b: b.to_owned() };
    All {
        flag: true,
        tiny: i8::MIN,
        small: i16::MAX,
        whole: -7,
        big: i64::MIN,
        single: 1.5,
        double: -0.37,
        amount: Decimal::new(-150, 2),
        letters: "é\"\\".to_owned(),
        raw: vec![0, 255],
        day: Day("2024-02-29".parse().expect("a date")),
        clock: Clock("12:34:56.789".parse().expect("a time")),
        stamp: Timestamp::from_millis(1_709_210_096_789),
        instant: Timestamp::from_millis(-1),
        tags: vec![Some("new".to_owned()), None],
        counts: [("a".to_owned(), 1), ("b".to_owned(), 2)].into(),
        part: part(None, "whole"),
        parts: vec![part(Some(1), "first"), part(None, "")],
        nothing: None,
    }
}

#[test]
fn structs_serde_arrow_and_data_write_the_same_bytes_in_every_format() {
    let all = all();
    let tags = [Datum::String("new"), Datum::Null];
    let counts = [Datum::String("a"), Datum::BigInt(1), Datum::String("b"), Datum::BigInt(2)];
    let part = [Datum::Null, Datum::String("whole")];
    let (first, second) = ([Datum::Int(1), Datum::String("first")], [Datum::Null, Datum::String("")]);
    let parts = [Datum::Row(Values::new(&first, 2)), Datum::Row(Values::new(&second, 2))];
    let data = [
        Datum::Boolean(true),
        Datum::TinyInt(i8::MIN),
        Datum::SmallInt(i16::MAX),
        Datum::Int(-7),
        Datum::BigInt(i64::MIN),
        Datum::Float(1.5),
        Datum::Double(-0.37),
        Datum::Decimal(Decimal::new(-150, 2)),
        Datum::String("é\"\\"),
        Datum::Bytes(&[0, 255]),
        Datum::Date(19_782),
        Datum::Time(45_296_789),
        Datum::Timestamp(Timestamp::from_millis(1_709_210_096_789)),
        Datum::Timestamp(Timestamp::from_millis(-1)),
        Datum::Array(Values::new(&tags, 2)),
        Datum::Map(Entries::new(&counts, 2)),
        Datum::Row(Values::new(&part, 2)),
        Datum::Array(Values::new(&parts, 2)),
        Datum::Null,
    ];
    for format in ["json", "avro", "debezium-json", "canal-json", "maxwell-json", "ogg-json"] {
        let table = table(COLUMNS, format);
        let expected = written(&table, &data).unwrap();
        assert_eq!(written(&table, &all).unwrap(), expected, "{format}, impl_row!");
        let sink = table.sink(&Settings::default()).unwrap();
        let mut rows = sink.serde_rows();
        for _ in 0..2 {
            assert_eq!(written(&table, rows.row(&all).unwrap()).unwrap(), expected, "{format}, serde");
        }
        let arrow = sink.arrow_rows();
        let mut builder = arrow.builder();
        builder.push(RowKind::Insert, &all).unwrap();
        let batch = builder.finish().unwrap();
        let lent = arrow.rows(&batch).unwrap();
        assert_eq!(lent.iter().len(), 1, "{format}");
        for (_, row) in lent.iter() {
            assert_eq!(written(&table, &row).unwrap(), expected, "{format}, Arrow");
        }

        let source = table.source(&Settings::default()).unwrap();
        let (decoder, rows, mut buf) = (source.decoder(), source.serde_rows(), DecodeBuf::new());
        let decoded = decoder.decode(&ConsumerRecord::new(None, Some(&expected)), &mut buf).unwrap().rows();
        assert_eq!(decoded.len(), 1, "{format}");
        for (_, row) in decoded {
            assert_eq!(row.read::<All>().unwrap(), all, "{format}, impl_row!");
            assert_eq!(rows.read::<All>(row).unwrap(), all, "{format}, serde");
        }
    }
}

#[test]
fn serde_finds_columns_by_name_and_means_its_attributes() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(rename_all = "UPPERCASE")]
    enum Status {
        New,
        Paid,
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Order {
        #[serde(rename = "order_id")]
        id: i64,
        #[serde(skip_serializing_if = "Option::is_none", default)]
        note: Option<String>,
        status: Status,
        #[serde(skip)]
        cache: u64,
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Address {
        city: String,
        zip: u16,
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Customer {
        #[serde(flatten)]
        address: Address,
        name: Option<String>,
    }
    let orders = table("status STRING, order_id BIGINT, note STRING", "json");
    let mut rows = orders.sink(&Settings::default()).unwrap().serde_rows();
    let order = |note: Option<&str>, status| Order { id: 7, note: note.map(str::to_owned), status, cache: 0 };
    for (order, json) in [
        (order(None, Status::New), r#"{"status":"NEW","order_id":7,"note":null}"#),
        (order(Some("n"), Status::Paid), r#"{"status":"PAID","order_id":7,"note":"n"}"#),
    ] {
        let row = rows.row(&order).unwrap().clone();
        assert_eq!(String::from_utf8(written(&orders, &row).unwrap()).unwrap(), json);
        assert_eq!(rows.read::<Order>(&row).unwrap(), order);
    }
    let customers = table("name STRING, zip INT, city STRING", "json");
    let mut rows = customers.sink(&Settings::default()).unwrap().serde_rows();
    let address = Address { city: "Zürich".to_owned(), zip: 8000 };
    let customer = Customer { address, name: None };
    let row = rows.row(&customer).unwrap().clone();
    assert_eq!(written(&customers, &row).unwrap(), r#"{"name":null,"zip":8000,"city":"Zürich"}"#.as_bytes());
    assert_eq!(rows.read::<Customer>(&row).unwrap(), customer);
    // A map is a row with what it has, a tuple one by position.
    let map: HashMap<&str, &str> = [("city", "Bern")].into();
    assert_eq!(
        written(&customers, rows.row(&map).unwrap()).unwrap(),
        br#"{"name":null,"zip":null,"city":"Bern"}"#
    );
    let row = rows.row(&("n", 1, "c")).unwrap().clone();
    assert_eq!(rows.read::<(&str, i32, &str)>(&row).unwrap(), ("n", 1, "c"));
}

#[test]
fn serdes_integers_of_any_width_are_decimals_as_far_as_these_go() {
    #[derive(Serialize)]
    struct Wide {
        unsigned: u64,
        long: i128,
        longest: u128,
    }
    let columns = "unsigned DECIMAL(20, 0), `long` DECIMAL(38, 0), longest DECIMAL(38, 0)";
    let mut rows = table(columns, "json").sink(&Settings::default()).unwrap().serde_rows();
    let long = -10_i128.pow(37);
    let row = rows.row(&Wide { unsigned: u64::MAX, long, longest: 10_u128.pow(37) }).unwrap();
    let decimals = [0, 1, 2].map(|column| row.get::<Decimal>(column).unwrap());
    assert_eq!(decimals, [u64::MAX.into(), long, -long].map(|unscaled| Decimal::new(unscaled, 0)));
    let error = rows.row(&Wide { unsigned: 0, long: 0, longest: u128::MAX }).unwrap_err().to_string();
    assert_eq!(error, "column `longest`: expected DECIMAL, found a larger integer");
}

#[test]
fn serde_is_refused_with_the_column() {
    #[derive(Serialize)]
    struct Order {
        id: i64,
        tags: Vec<&'static str>,
    }
    #[derive(Serialize)]
    enum Shape {
        Round { radius: f64 },
    }
    #[derive(Serialize)]
    struct Shaped {
        id: Shape,
    }
    let refusal = |columns: &str, row: &dyn erased::Row| {
        let mut rows = table(columns, "json").sink(&Settings::default()).unwrap().serde_rows();
        row.of(&mut rows).to_string()
    };
    let order = Order { id: 300, tags: vec!["a"] };
    for (columns, message) in [
        (
            "id BIGINT, tags ARRAY<STRING>, note STRING",
            "column `note`: the struct has no field for this column",
        ),
        ("id BIGINT", "column `tags`: the table has no such column"),
        ("id STRING, tags ARRAY<STRING>", "column `id`: expected STRING, found an integer"),
        ("id TINYINT, tags ARRAY<STRING>", "column `id`: expected TINYINT, found 300"),
        ("id BIGINT, tags ARRAY<INT>", "column `tags`[0]: expected INT, found a text"),
        ("id BIGINT, tags ARRAY<DATE>", "column `tags`[0]: expected DATE, found \"a\""),
        ("id BIGINT, tags MAP<STRING, INT>", "column `tags`: expected MAP, found a sequence"),
    ] {
        assert_eq!(refusal(columns, &order), message);
    }
    let shaped = Shaped { id: Shape::Round { radius: 1.0 } };
    assert_eq!(refusal("id STRING", &shaped), "column `id`: expected STRING, found an enum with data");
    assert_eq!(refusal("id STRING", &7), "expected a struct, a map or a tuple, found an integer");
    assert_eq!(refusal("id STRING", &("a", "b")), "expected a tuple of 1, found a longer one");
    assert_eq!(refusal("id STRING, n INT", &("a",)), "expected a tuple of 2, found one of 1");

    #[derive(Deserialize, Debug)]
    struct Wanted {
        #[expect(dead_code, reason = "it is never there")]
        id: i64,
    }
    let rows = table("id STRING", "json").source(&Settings::default()).unwrap().serde_rows();
    let row: RowBuf = [Datum::String("x")].into_iter().collect();
    let error = rows.read::<Wanted>(&row).unwrap_err().to_string();
    assert_eq!(error, "column `id`: invalid type: string \"x\", expected i64");
    let rows = table("other STRING", "json").source(&Settings::default()).unwrap().serde_rows();
    assert_eq!(rows.read::<Wanted>(&row).unwrap_err().to_string(), "missing field `id`");
}

/// Refusals of rows of several types.
mod erased {
    use upsert_kafka::Error;
    use upsert_kafka::adapters::serde::SerdeRows;

    pub(super) trait Row {
        fn of(&self, rows: &mut SerdeRows) -> Error;
    }

    impl<T: serde::Serialize> Row for T {
        fn of(&self, rows: &mut SerdeRows) -> Error {
            rows.row(self).map(|_| ()).expect_err("a refusal")
        }
    }
}

/// The texts are those of `java.time` as well.
#[test]
fn types_of_other_crates_come_as_the_texts_that_they_serialize_to() {
    // Serde's newtypes are what is in them.
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Local(chrono::NaiveDateTime);
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Texts {
        at: chrono::DateTime<chrono::Utc>,
        local: Local,
        day: chrono::NaiveDate,
        clock: chrono::NaiveTime,
        amount: rust_decimal::Decimal,
        id: uuid::Uuid,
    }
    let columns = "id CHAR(36), amount DECIMAL(10, 2), clock TIME(3), `day` DATE, `local` TIMESTAMP(3), `at` TIMESTAMP_LTZ(3)";
    let texts = Texts {
        at: "2024-05-06T12:53:19.010Z".parse().unwrap(),
        local: Local("2024-05-06T12:53:19.010".parse().unwrap()),
        day: "2024-02-29".parse().unwrap(),
        clock: "12:34:56.789".parse().unwrap(),
        amount: "1.50".parse().unwrap(),
        id: uuid::Uuid::nil(),
    };
    let mut rows = table(columns, "json").sink(&Settings::default()).unwrap().serde_rows();
    let row = rows.row(&texts).unwrap().clone();
    let at = Timestamp::from_millis(1_714_999_999_010);
    assert_eq!(row.get::<Timestamp>(5).unwrap(), at);
    assert_eq!(row.get::<Timestamp>(4).unwrap(), at);
    assert!(matches!(row.datum(3), Datum::Date(19_782)));
    assert!(matches!(row.datum(2), Datum::Time(45_296_789)));
    assert_eq!(row.get::<Decimal>(1).unwrap(), Decimal::new(150, 2));
    assert_eq!(rows.read::<Texts>(&row).unwrap(), texts);
    // Elsewhere our own types are texts.
    assert_eq!(
        serde_json::to_string(&(Decimal::new(150, 2), at)).unwrap(),
        r#"["1.50","2024-05-06T12:53:19.01"]"#
    );
    let read: (Decimal, Decimal, Timestamp) =
        serde_json::from_str(r#"["1.50",-7,"2024-05-06T12:53:19.010"]"#).unwrap();
    assert_eq!(read, (Decimal::new(150, 2), Decimal::new(-7, 0), at));
}
