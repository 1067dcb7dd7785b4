//! Values of other crates' types as values of columns, and back.

use std::fmt::Debug;

use upsert_kafka::adapters::uuid::UuidText;
use upsert_kafka::row::{AsDatum, FromDatum};
use upsert_kafka::{
    ConsumerRecord, Datum, Decimal, DecodeBuf, RecordBuf, Row, RowKind, Settings, Table, Timestamp, impl_row,
};
use uuid::Uuid;

/// That the value is lent as `datum`, and read from it.
#[track_caller]
fn is_lent_as<T: AsDatum + for<'a> FromDatum<'a> + PartialEq + Debug>(value: T, datum: Datum<'_>) {
    assert_eq!(format!("{:?}", value.as_datum()), format!("{datum:?}"));
    assert_eq!(T::from_datum(datum).expect("a value of the type"), value);
}

#[track_caller]
fn is_refused<T: for<'a> FromDatum<'a> + Debug>(datum: Datum<'_>, message: &str) {
    let error = T::from_datum(datum).expect_err("a refusal");
    assert!(error.to_string().starts_with(message), "{error}");
}

/// Days, milliseconds and nanoseconds are those of `java.time.LocalDate.toEpochDay` and the like.
const DATES: [((i32, u32, u32), i32); 4] =
    [((2024, 2, 29), 19_782), ((1970, 1, 1), 0), ((1969, 12, 31), -1), ((1, 1, 1), -719_162)];

#[test]
fn dates_of_each_crate_are_days_since_the_epoch() {
    for ((year, month, day), days) in DATES {
        is_lent_as(chrono::NaiveDate::from_ymd_opt(year, month, day).unwrap(), Datum::Date(days));
        let (short_year, month, day) =
            (i16::try_from(year).unwrap(), i8::try_from(month).unwrap(), i8::try_from(day).unwrap());
        is_lent_as(jiff::civil::date(short_year, month, day), Datum::Date(days));
        let month = time::Month::try_from(month.unsigned_abs()).unwrap();
        let date = time::Date::from_calendar_date(year, month, day.unsigned_abs()).unwrap();
        is_lent_as(date, Datum::Date(days));
    }
    is_refused::<chrono::NaiveDate>(Datum::Date(i32::MAX), "expected a value that NaiveDate can hold");
    is_refused::<jiff::civil::Date>(Datum::Date(i32::MIN), "expected a value that Date can hold");
    is_refused::<time::Date>(Datum::Date(i32::MAX), "expected a value that Date can hold");
    is_refused::<time::Date>(Datum::Int(1), "expected DATE, found INT");
}

#[test]
fn times_of_each_crate_are_milliseconds_of_the_day_and_drop_what_is_finer() {
    for (nanos, millis) in [(0_u32, 45_296_000), (789_000_000, 45_296_789)] {
        let datum = Datum::Time(millis);
        is_lent_as(chrono::NaiveTime::from_hms_nano_opt(12, 34, 56, nanos).unwrap(), datum);
        is_lent_as(jiff::civil::time(12, 34, 56, i32::try_from(nanos).unwrap()), datum);
        is_lent_as(time::Time::from_hms_nano(12, 34, 56, nanos).unwrap(), datum);
    }
    let finer = chrono::NaiveTime::from_hms_nano_opt(23, 59, 59, 999_999_999).unwrap();
    assert!(matches!(finer.as_datum(), Datum::Time(86_399_999)));
    // A leap second.
    let leap = chrono::NaiveTime::from_hms_nano_opt(23, 59, 59, 1_500_000_000).unwrap();
    assert!(matches!(leap.as_datum(), Datum::Time(86_399_999)));
    for beyond in [-1, 86_400_000, i32::MAX] {
        is_refused::<chrono::NaiveTime>(Datum::Time(beyond), "expected a value that NaiveTime can hold");
        is_refused::<jiff::civil::Time>(Datum::Time(beyond), "expected a value that Time can hold");
        is_refused::<time::Time>(Datum::Time(beyond), "expected a value that Time can hold");
    }
}

#[test]
fn points_in_time_of_each_crate_have_all_nanoseconds_before_the_epoch_too() {
    for (text, millis, nanos) in [
        ("2024-05-06T12:53:19.010000001", 1_714_999_999_010, 1),
        ("1969-12-31T23:59:59.999999999", -1, 999_999),
        ("1970-01-01T00:00:00", 0, 0),
        ("0001-01-01T00:00:00.5", -62_135_596_799_500, 0),
    ] {
        let datum = Datum::Timestamp(Timestamp::new(millis, nanos));
        let local: chrono::NaiveDateTime = text.parse().unwrap();
        is_lent_as(local, datum);
        is_lent_as(local.and_utc(), datum);
        is_lent_as(local.and_utc().fixed_offset(), datum);
        let civil: jiff::civil::DateTime = text.parse().unwrap();
        is_lent_as(civil, datum);
        let zoned: jiff::Timestamp = format!("{text}Z").parse().unwrap();
        is_lent_as(zoned, datum);
        is_lent_as(zoned.to_zoned_datetime(jiff::tz::TimeZone::UTC), datum);
        let since = i128::from(millis) * 1_000_000 + i128::from(nanos);
        let at = time::OffsetDateTime::from_unix_timestamp_nanos(since).unwrap();
        is_lent_as(at, datum);
        is_lent_as(time::PrimitiveDateTime::new(at.date(), at.time()), datum);
    }
    let zone = chrono::FixedOffset::east_opt(7200).unwrap();
    let local = chrono::NaiveDate::from_ymd_opt(1970, 1, 1).unwrap().and_hms_opt(2, 0, 0).unwrap();
    let there = local.and_local_timezone(zone).unwrap();
    assert!(matches!(there.as_datum(), Datum::Timestamp(at) if at == Timestamp::default()), "in UTC");
    for millis in [i64::MIN, i64::MAX] {
        let beyond = Datum::Timestamp(Timestamp::from_millis(millis));
        is_refused::<chrono::DateTime<chrono::Utc>>(beyond, "expected a value that DateTime can hold");
        is_refused::<jiff::Timestamp>(beyond, "expected a value that Timestamp can hold");
        is_refused::<jiff::civil::DateTime>(beyond, "expected a value that DateTime can hold");
        is_refused::<time::OffsetDateTime>(beyond, "expected a value that OffsetDateTime can hold");
    }
}

#[test]
fn numbers_of_each_crate_keep_their_scale() {
    for (text, unscaled, scale) in
        [("1.50", 150, 2), ("-0.005", -5, 3), ("0", 0, 0), ("79228162514264", 79_228_162_514_264, 0)]
    {
        let datum = Datum::Decimal(Decimal::new(unscaled, scale));
        is_lent_as(text.parse::<rust_decimal::Decimal>().unwrap(), datum);
        is_lent_as(text.parse::<bigdecimal::BigDecimal>().unwrap(), datum);
    }
    let thirty_zeros = Datum::Decimal(Decimal::new(10_i128.pow(30), 30));
    assert_eq!(rust_decimal::Decimal::from_datum(thirty_zeros).unwrap(), rust_decimal::Decimal::ONE);
    is_refused::<rust_decimal::Decimal>(
        Datum::Decimal(Decimal::new(Decimal::MAX_UNSCALED, 0)),
        "expected a value that Decimal can hold, found 99999999999999999999999999999999999999",
    );
    let large: bigdecimal::BigDecimal = "1e3".parse().unwrap();
    assert!(matches!(large.as_datum(), Datum::Decimal(number) if number == Decimal::new(1000, 0)));
    let beyond: bigdecimal::BigDecimal = "1e38".parse().unwrap();
    assert!(!matches!(beyond.as_datum(), Datum::Decimal(_)));
}

#[test]
fn a_uuid_is_sixteen_bytes_or_its_text() {
    let uuid = Uuid::from_u128(0x67e5_5044_10b1_426f_9247_bb68_0e5f_e0c8);
    let text = "67e55044-10b1-426f-9247-bb680e5fe0c8";
    is_lent_as(uuid, Datum::Bytes(uuid.as_bytes()));
    is_lent_as(UuidText::from(uuid), Datum::String(text));
    assert_eq!(Uuid::from_datum(Datum::String(text)).unwrap(), uuid);
    assert_eq!(UuidText::from_datum(Datum::Bytes(uuid.as_bytes())).unwrap().uuid(), uuid);
    is_refused::<Uuid>(Datum::String("67e5"), "expected a UUID: ");
    is_refused::<Uuid>(Datum::Int(1), "expected BYTES, found INT");
}

#[test]
fn a_struct_of_them_is_written_as_flink_writes_its_columns_and_read_back() {
    #[derive(Debug, PartialEq)]
    struct Order {
        id: UuidText,
        trace: Uuid,
        amount: rust_decimal::Decimal,
        rate: bigdecimal::BigDecimal,
        day: chrono::NaiveDate,
        at: Option<chrono::DateTime<chrono::Utc>>,
        local: jiff::civil::DateTime,
        clock: time::Time,
        note: bytes::Bytes,
    }
    impl_row!(Order { id, trace, amount, rate, day, at, local, clock, note });
    let table = Table::from_ddl(
        "CREATE TABLE orders (clock TIME(3), `day` DATE, id CHAR(36), trace BINARY(16), amount DECIMAL(10, 2),
           rate DECIMAL(10, 5), `at` TIMESTAMP_LTZ(3), `local` TIMESTAMP(6), note BYTES) WITH ('connector' = 'kafka',
           'topic' = 'orders', 'format' = 'json', 'scan.startup.mode' = 'earliest-offset',
           'properties.bootstrap.servers' = 'h:9092')"
    )
    .unwrap();
    let order = Order {
        id: Uuid::nil().into(),
        trace: Uuid::nil(),
        amount: "1.5".parse().unwrap(),
        rate: "0.25".parse().unwrap(),
        day: chrono::NaiveDate::from_ymd_opt(2024, 2, 29).unwrap(),
        at: "2024-05-06T12:53:19.010Z".parse().ok(),
        local: jiff::civil::date(2024, 5, 6).at(12, 53, 19, 10_000),
        clock: time::Time::from_hms(1, 2, 3).unwrap(),
        note: bytes::Bytes::from_static(b"note"),
    };
    let (settings, mut buf) = (Settings::default(), RecordBuf::new());
    let encoder = table.sink_of::<Order>(&settings).unwrap().encoder();
    let record = encoder.encode(RowKind::Insert, &order, &mut buf).unwrap().unwrap();
    assert_eq!(
        std::str::from_utf8(record.value.unwrap()).unwrap(),
        r#"{"clock":"01:02:03","day":"2024-02-29","id":"00000000-0000-0000-0000-000000000000","trace":"AAAAAAAAAAAAAAAAAAAAAA==","amount":1.5,"rate":0.25,"at":"2024-05-06 12:53:19.01Z","local":"2024-05-06 12:53:19.00001","note":"bm90ZQ=="}"#
    );
    let (decoder, mut buf) = (table.source_of::<Order>(&settings).unwrap().decoder(), DecodeBuf::new());
    let record = ConsumerRecord::new(None, record.value);
    let decoded = decoder.decode(&record, &mut buf).unwrap().rows();
    assert_eq!(decoded.len(), 1);
    for (_, row) in decoded {
        assert_eq!(row.read::<Order>().unwrap(), order);
    }
}
