//! Once its buffers have grown, a stage allocates nothing for a row; and untrusted bytes make nothing allocate more
//! than they are worth.

#[allow(unsafe_code, reason = "an allocator that counts is one")]
mod counting;

use std::sync::Arc;

use counting::{ALLOCATIONS, peak_bytes};
use serde_json::{Value, json};
use upsert_kafka::fixture::JsonRows;
use upsert_kafka::format::{AvroSchema, DebeziumSettings, MemorySchemaRegistry};
use upsert_kafka::record::{Header, RecordBatchBuilder};
use upsert_kafka::row::ChangelogBuf;
use upsert_kafka::sink::{ReduceBuffer, UpsertMaterializer};
use upsert_kafka::source::{DeleteTime, Retractions, VersionedTable};
use upsert_kafka::table::BufferFlush;
use upsert_kafka::types::{DataType, LogicalType};
use upsert_kafka::{
    ChangelogNormalizer, ConsumerRecord, Datum, Decimal, DecodeBuf, Error, Limits, Record, RecordBatches,
    RecordBuf, Row, RowKind, Settings, Table, Timestamp, UpdateBefore,
};

const KEYS: i64 = 100;

/// A change of the table `orders`: each key is deleted and comes back now and then, and changes else.
fn order(index: i64, round: i64) -> (RowKind, [Datum<'static>; 8]) {
    let kind = if (index + round) % 10 == 9 { RowKind::Delete } else { RowKind::UpdateAfter };
    let amount = Decimal::new(i128::from(index * 37 + round), 2);
    let row = [
        Datum::BigInt(1_000_000 + index),
        Datum::String("customer-000031"),
        Datum::Decimal(amount),
        Datum::String(["NEW", "PAID", "SHIPPED"][usize::try_from(round % 3).expect("not negative")]),
        Datum::Timestamp(Timestamp::from_millis(1_715_000_000_000 + index)),
        Datum::Int(7),
        Datum::Double(0.37),
        Datum::Boolean(index % 2 == 0),
    ];
    (kind, row)
}

/// Runs rounds of changes of every key until the buffers have grown, and counts the allocations of the rounds after that.
fn allocations(mut apply: impl FnMut(i64, RowKind, &[Datum<'_>; 8]) -> Result<(), Error>) -> usize {
    let mut run = |rounds: std::ops::Range<i64>| {
        let before = ALLOCATIONS.get();
        for round in rounds {
            for index in 0..KEYS {
                let (kind, row) = order(index, round);
                apply(round, kind, &row).expect("a flat row");
            }
        }
        ALLOCATIONS.get() - before
    };
    assert!(run(0..30) > 0, "allocations are counted");
    run(30..60)
}

/// Calls `run` until its buffers have grown, and counts the allocations of as many calls after that.
fn steady(mut run: impl FnMut()) -> usize {
    (0..5).for_each(|_| run());
    let before = ALLOCATIONS.get();
    (0..5).for_each(|_| run());
    ALLOCATIONS.get() - before
}

/// The table `orders` with the formats of `options`.
fn orders(connector: &str, options: &str) -> Table {
    let ddl = format!(
        "CREATE TABLE orders (order_id BIGINT, customer STRING, amount DECIMAL(10, 2), status STRING, \
         updated_at TIMESTAMP(3), quantity INT, price DOUBLE, active BOOLEAN, PRIMARY KEY (order_id) NOT ENFORCED) \
         WITH ('connector' = '{connector}', 'topic' = 'orders', 'properties.bootstrap.servers' = 'localhost:9092', \
         {options})"
    );
    Table::from_ddl(&ddl).expect("a table")
}

#[test]
fn a_row_allocates_nothing_on_its_way_into_a_batch_and_a_batch_twice_or_once_if_the_last_one_is_gone() {
    let table = orders("upsert-kafka", "'key.format' = 'json', 'value.format' = 'json'");
    let settings = Settings::default().with_update_before(UpdateBefore::Pairs);
    let sink = table.sink(&settings).expect("a sink");
    for (is_held, most) in [(true, 2), (false, 1)] {
        let mut accumulator = sink.accumulator(12);
        let (mut flushed, mut batches, mut held) = (0, 0, Vec::new());
        let count = allocations(|round, kind, row| {
            if round != flushed {
                flushed = round;
                let flushed = accumulator.flush()?;
                held.clear();
                held.extend(flushed);
                batches += if round > 30 { held.len() } else { 0 };
                if !is_held {
                    held.clear();
                }
            }
            accumulator.append(kind, row, round)
        });
        assert_eq!(batches, 29 * 12);
        // Those drained at round 30 were begun before the count, those of round 59 are not closed: half of each counts.
        assert!(count <= most * (batches + 12), "{count} allocations for {batches} batches");
    }
}

/// The README's numbers.
#[cfg(all(feature = "gzip", feature = "lz4", feature = "snappy", feature = "zstd"))]
#[test]
fn a_compressed_batch_allocates_as_often_as_promised_whatever_its_size() {
    use upsert_kafka::record::Compression;

    let noise: Vec<u8> =
        (0..200_000_u32).map(|index| index.wrapping_mul(2_654_435_761).to_le_bytes()[2]).collect();
    let text: String =
        (0..20_000).map(|index| format!("{{\"id\":{index},\"n\":{}}}", index * 7919 % 1000)).collect();
    let text = text.into_bytes();
    for compression in [Compression::Gzip, Compression::Snappy, Compression::Lz4, Compression::Zstd] {
        for value in [&noise[..10], &noise[..10_000], &noise, &text[..200], &text[..20_000], text.as_slice()]
        {
            let mut builder =
                RecordBatchBuilder::new().with_compression(compression).expect("its feature is on");
            let mut held = None;
            let count = steady(|| {
                let record = Record::new(Some(b"key"), Some(value)).with_timestamp(1);
                // Up to four records, or what there is room for.
                (0..4).all(|_| builder.append(&record).expect("a record"));
                held = Some(builder.finish());
            });
            let blocks = 4 * value.len() / (128 << 10);
            let most = if compression == Compression::Zstd { 50 + 10 * blocks } else { 4 };
            assert!(count <= 5 * most, "{compression:?}, {} bytes: {count} in 5 batches", value.len());
        }
    }
}

#[test]
fn every_format_is_written_and_read_without_allocating() {
    let url =
        "'key.avro-confluent.url' = 'http://localhost', 'value.avro-confluent.url' = 'http://localhost'";
    for options in [
        "'key.format' = 'json', 'value.format' = 'json'",
        "'key.format' = 'json', 'value.format' = 'json', 'value.json.decode.json-parser.enabled' = 'false'",
        "'key.format' = 'csv', 'value.format' = 'csv'",
        "'key.format' = 'raw', 'value.format' = 'csv', 'value.csv.field-delimiter' = '。'",
        "'key.format' = 'avro', 'value.format' = 'avro'",
        "'key.format' = 'avro', 'value.format' = 'avro', 'value.avro.encoding' = 'json'",
        &format!("'key.format' = 'avro-confluent', 'value.format' = 'avro-confluent', {url}"),
    ] {
        let settings = Settings::default().with_schema_registry(Arc::new(MemorySchemaRegistry::new()));
        let table = orders("upsert-kafka", options);
        let encoder = table.sink(&settings).expect("a sink").encoder();
        let decoder = table.source(&settings).expect("a source").decoder();
        let (mut record, mut rows) = (RecordBuf::new(), DecodeBuf::new());
        let count = allocations(|_, kind, row| {
            let record = encoder.encode(kind, row, &mut record)?.expect("every change is a record");
            let decoded = decoder.decode(&ConsumerRecord::new(record.key, record.value), &mut rows)?;
            assert_eq!(decoded.rows().len(), 1);
            Ok(())
        });
        assert_eq!(count, 0, "{options}");
    }
}

#[test]
fn a_changelog_envelope_is_written_and_read_without_allocating() {
    for format in ["debezium-json", "debezium-avro-confluent", "canal-json", "maxwell-json", "ogg-json"] {
        let url =
            if format.contains("avro") { ", 'value.debezium-avro-confluent.url' = 'http://r'" } else { "" };
        let options = format!("'scan.startup.mode' = 'earliest-offset', 'value.format' = '{format}'{url}");
        let table = orders("kafka", &options);
        let settings = Settings::default().with_schema_registry(Arc::new(MemorySchemaRegistry::new()));
        let encoder = table.sink(&settings).expect("a sink").encoder();
        let decoder = table.source(&settings).expect("a source").decoder();
        let (mut record, mut rows) = (RecordBuf::new(), DecodeBuf::new());
        let count = allocations(|_, kind, row| {
            let record = encoder.encode(kind, row, &mut record)?.expect("a record");
            let decoded = decoder.decode(&ConsumerRecord::new(None, record.value), &mut rows)?;
            assert_eq!(decoded.rows().len(), 1);
            Ok(())
        });
        assert_eq!(count, 0, "{format}");
    }
}

#[test]
fn metadata_are_cast_without_allocating() {
    let kafka = "'connector' = 'kafka', 'topic' = 't', 'scan.startup.mode' = 'earliest-offset', \
                 'properties.bootstrap.servers' = 'b:9092'";
    let table = |columns: &str, format: &str| {
        let ddl = format!("CREATE TABLE t (id BIGINT, {columns}) WITH ({kafka}, 'format' = '{format}')");
        Table::from_ddl(&ddl).expect("a table")
    };
    let settings = Settings::default();
    let columns = "ts STRING METADATA FROM 'timestamp', h MAP<STRING, STRING> METADATA FROM 'headers'";
    let table_of_json = table(columns, "json");
    let sink = table_of_json.sink(&settings).expect("a sink");
    let encoder = sink.encoder();
    let decoder = table_of_json.source(&settings).expect("a source").decoder();
    let line = r#"["+I",[1,"2024-06-01 08:00:00.123",[["a","x"],["b",null]]]]"#;
    let written = JsonRows::new(sink.layout().columns()).read_all(line).expect("a row");
    let (mut record, mut rows) = (RecordBuf::new(), DecodeBuf::new());
    let count = steady(|| {
        for (kind, row) in written.iter() {
            let record = encoder.encode(kind, row, &mut record).expect("a row").expect("a record");
            assert_eq!(record.timestamp, Some(1_717_228_800_123));
            let mut consumed = ConsumerRecord::new(record.key, record.value);
            (consumed.timestamp, consumed.headers) = (record.timestamp, record.headers);
            let decoded = decoder.decode(&consumed, &mut rows).expect("a record");
            assert_eq!(decoded.rows().len(), 1);
        }
    });
    assert_eq!(count, 0, "json");

    let columns = "made STRING METADATA FROM 'value.ingestion-timestamp' VIRTUAL, \
                   props MAP<STRING, INT> METADATA FROM 'value.source.properties' VIRTUAL";
    let decoder = table(columns, "debezium-json").source(&settings).expect("a source").decoder();
    let event = br#"{"after":{"id":1},"source":{"a":"5","b":"6"},"op":"c","ts_ms":1717200000123}"#;
    let count = steady(|| {
        let decoded = decoder.decode(&ConsumerRecord::new(None, Some(event)), &mut rows).expect("an event");
        assert_eq!(decoded.rows().len(), 1);
    });
    assert_eq!(count, 0, "debezium-json");
}

/// How many elements the arrays and maps of [`nested_rows`] have.
const LENGTHS: [usize; 7] = [0, 1, 2, 16, 17, 60, 300];

/// Rows of a key and then columns of these types, each with as many elements and entries as one of [`LENGTHS`] says.
fn nested_rows(table: &Table) -> ChangelogBuf {
    fn value(data_type: &DataType, len: usize, index: usize) -> Value {
        match &data_type.logical_type {
            LogicalType::Array(element) => (0..len).map(|index| value(element, len.min(3), index)).collect(),
            LogicalType::Map(key, of) => {
                let entry = |index| json!([value(key, len, index), value(of, len.min(3), index)]);
                (0..len).map(entry).collect()
            }
            LogicalType::Multiset(element) => {
                (0..len).map(|index| json!([value(element, len, index), 2])).collect()
            }
            LogicalType::Row(row) => {
                row.fields().iter().map(|field| value(&field.data_type, len, index)).collect()
            }
            LogicalType::VarChar(_) => json!(format!("text \u{e9} {}", index * 7919 % 1000)),
            LogicalType::Double => json!("0.5"),
            _ => json!(index),
        }
    }
    let fields: Vec<_> = table.schema().physical_fields().map(|(_, field)| field).collect();
    let lines = LENGTHS.iter().map(|&len| {
        let values: Vec<_> = fields.iter().map(|field| value(&field.data_type, len, len)).collect();
        json!(["+I", values]).to_string() + "\n"
    });
    JsonRows::new(fields.clone()).read_all(&lines.collect::<String>()).expect("rows of the table")
}

const NESTED: &str = "tags ARRAY<STRING>, items ARRAY<ROW<sku STRING, n INT, parts ARRAY<DOUBLE>>>, \
     props MAP<STRING, INT>, deep MAP<STRING, MAP<STRING, ARRAY<INT>>>, bag MULTISET<STRING>, \
     address ROW<street STRING, place ROW<lat DOUBLE, names MAP<STRING, STRING>>>";

#[test]
fn nested_rows_arrays_and_maps_are_written_and_read_without_allocating() {
    let upsert = "'connector' = 'upsert-kafka', 'key.format' = 'json', 'value.format'";
    let kafka = "'connector' = 'kafka', 'scan.startup.mode' = 'earliest-offset', 'value.format'";
    // The tables of csv have neither maps nor anything nested twice.
    let flat = "tags ARRAY<STRING>, numbers ARRAY<DOUBLE>, address ROW<street STRING, house INT>";
    let columns = |count| (0..count).map(|column| format!("c{column} STRING")).collect::<Vec<_>>().join(", ");
    let wide = columns(40);
    let mut failed = Vec::new();
    for (columns, options) in [
        (NESTED, format!("{upsert} = 'json'")),
        (NESTED, format!("{upsert} = 'json', 'value.json.decode.json-parser.enabled' = 'false'")),
        (NESTED, format!("{upsert} = 'avro'")),
        (NESTED, format!("{upsert} = 'avro', 'value.avro.encoding' = 'json'")),
        (NESTED, format!("{upsert} = 'avro-confluent', 'value.avro-confluent.url' = 'http://localhost'")),
        (NESTED, format!("{kafka} = 'debezium-json'")),
        (NESTED, format!("{kafka} = 'canal-json'")),
        (NESTED, format!("{kafka} = 'maxwell-json'")),
        (NESTED, format!("{kafka} = 'ogg-json'")),
        (flat, format!("{upsert} = 'csv'")),
        (&wide, format!("{upsert} = 'json'")),
        (&wide, format!("{upsert} = 'json', 'value.json.decode.json-parser.enabled' = 'false'")),
        (&wide, format!("{upsert} = 'avro', 'value.avro.encoding' = 'json'")),
        (&wide, format!("{kafka} = 'debezium-json'")),
        (&wide, format!("{kafka} = 'canal-json'")),
        (&wide, format!("{kafka} = 'maxwell-json'")),
        (&wide, format!("{kafka} = 'ogg-json'")),
        (&wide, format!("{upsert} = 'csv'")),
    ] {
        let key = if options.contains("upsert") { ", PRIMARY KEY (id) NOT ENFORCED" } else { "" };
        let table = Table::from_ddl(&format!(
            "CREATE TABLE t (id BIGINT NOT NULL, {columns}{key}) WITH ('topic' = 't', \
             'properties.bootstrap.servers' = 'localhost:9092', {options})"
        ));
        let table = table.expect("a table");
        let settings = Settings::default().with_schema_registry(Arc::new(MemorySchemaRegistry::new()));
        let encoder = table.sink(&settings).expect("a sink").encoder();
        let decoder = table.source(&settings).expect("a source").decoder();
        let rows = nested_rows(&table);
        for (len, (kind, row)) in LENGTHS.iter().zip(rows.iter()) {
            let (mut record, mut buf) = (RecordBuf::new(), DecodeBuf::new());
            let encoded = steady(|| {
                encoder.encode(kind, row, &mut record).expect("a row of the table").expect("a record");
            });
            let record =
                encoder.encode(kind, row, &mut record).expect("a row of the table").expect("a record");
            let record = ConsumerRecord::new(record.key, record.value);
            let decoded = steady(|| {
                assert_eq!(decoder.decode(&record, &mut buf).expect("our own record").rows().len(), 1);
            });
            if (encoded, decoded) != (0, 0) {
                failed.push(format!("{len} elements: {encoded} and {decoded} in 5 rows, {options}"));
            }
        }
    }
    assert!(failed.is_empty(), "allocations written and read:\n{}", failed.join("\n"));
}

/// The events of a recording in turn, with their schemas: those of a whole table of all types, before and after its times
/// have changed their unit.
#[test]
fn debeziums_events_are_read_without_allocating() {
    for name in ["postgres-types", "postgres-changes-full"] {
        let path = format!("{}/tests/debezium/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
        let recording: &'static str = std::fs::read_to_string(path).expect("a recording").leak();
        let head: Value = serde_json::from_str(recording.lines().next().expect("a line")).expect("a head");
        let columns: Vec<&str> =
            head["table"].as_array().expect("columns").iter().filter_map(Value::as_str).collect();
        let table = Table::from_ddl(&format!(
            "CREATE TABLE t ({}) WITH ('connector' = 'kafka', 'topic' = 't', 'value.format' = 'debezium-json', \
             'properties.bootstrap.servers' = 'localhost:9092', 'scan.startup.mode' = 'earliest-offset')",
            columns.join(", ")
        ));
        let source = table.and_then(|table| table.source(&Settings::default())).expect("a table");
        let decoder = source.debezium_decoder(&DebeziumSettings::default()).expect("a decoder");
        let of_schema = |line: &'static str| line.strip_prefix("{\"schema\":")?.strip_suffix('}');
        let schemas: Vec<&str> = recording.lines().filter_map(of_schema).collect();
        let message = |line: &'static str| {
            let (_, value) = line.split_once(",\"value\":[")?;
            let (schema, payload) = value.strip_suffix("]}")?.split_once(',')?;
            let schema = schemas[schema.parse::<usize>().ok()?];
            Some(format!("{{\"schema\":{schema},\"payload\":{payload}}}").into_bytes())
        };
        let events: Vec<Vec<u8>> = recording.lines().filter_map(message).collect();
        let mut buf = DecodeBuf::new();
        let mut rows = 0;
        let count = steady(|| {
            for event in &events {
                let record = ConsumerRecord::new(None, Some(event));
                rows += decoder.decode(&record, &mut buf).expect("an event").rows().len();
            }
        });
        assert!(rows > 0);
        assert_eq!(count, 0, "{name}");
    }
}

/// Documents in texts, with escapes outside and inside.
#[test]
fn documents_in_texts_are_read_without_allocating() {
    let table = Table::from_ddl(
        "CREATE TABLE t (id INT, doc ROW<a STRING, b STRING>) WITH ('connector' = 'kafka', 'topic' = 't',
         'value.format' = 'debezium-json', 'properties.bootstrap.servers' = 'localhost:9092',
         'scan.startup.mode' = 'earliest-offset')",
    );
    let source = table.and_then(|table| table.source(&Settings::default())).expect("a table");
    let decoder = source.debezium_decoder(&DebeziumSettings::default()).expect("a decoder");
    let doc = json!({"a": "two\nlines", "b": "a \"word\""});
    let row = json!({"id": 1, "doc": doc.to_string()});
    // MongoDB's events have the whole row in a text.
    let events = [row.clone(), json!(row.to_string())]
        .map(|after| json!({"before": null, "after": after, "op": "c"}).to_string());
    let mut buf = DecodeBuf::new();
    let count = steady(|| {
        for event in &events {
            let record = ConsumerRecord::new(None, Some(event.as_bytes()));
            assert_eq!(decoder.decode(&record, &mut buf).expect("an event").rows().len(), 1);
        }
    });
    assert_eq!(count, 0);
}

#[test]
fn a_batch_is_read_without_allocating() {
    let mut builder = RecordBatchBuilder::new();
    let headers = [Header::new("h", Some(b"v"))];
    for _ in 0..KEYS {
        let record = Record::new(Some(b"k"), Some(b"v")).with_timestamp(1).with_headers(&headers);
        assert!(builder.append(&record).expect("a record"));
    }
    let batch = builder.finish();
    let before = ALLOCATIONS.get();
    let mut records = 0;
    for batch in RecordBatches::new(&batch, Limits::default()) {
        for record in batch.expect("our own batch").records() {
            records += record.expect("our own record").headers.iter().count();
        }
    }
    assert_eq!((records, ALLOCATIONS.get() - before), (100, 0));
}

#[test]
fn a_normalizer_allocates_nothing() {
    for retractions in [Retractions::Full, Retractions::Deletes, Retractions::KeyedDeletes] {
        for bundle in [1, 10] {
            let normalizer = ChangelogNormalizer::new(8, &[0]).with_retractions(retractions);
            let mut normalizer = normalizer.with_bundle(bundle);
            let count = allocations(|_, kind, row| {
                normalizer.apply(kind, row, 0).map(|changes| changes.for_each(drop))
            });
            assert_eq!(count, 0, "{retractions:?} in bundles of {bundle}");
        }
    }
}

#[test]
fn a_materializer_allocates_nothing() {
    let mut materializer = UpsertMaterializer::new(8, &[0]).with_upsert_key(&[0, 6]);
    let count =
        allocations(|_, kind, row| materializer.apply(kind, row, 0).map(|changes| changes.for_each(drop)));
    assert_eq!(count, 0);
}

#[test]
fn a_reduce_buffer_allocates_nothing() {
    let mut buffer = ReduceBuffer::new(8, &[0], BufferFlush { max_rows: 10, interval_ms: 1000 }, 0);
    let count =
        allocations(|round, kind, row| buffer.apply(kind, row, round).map(|flushed| flushed.for_each(drop)));
    assert_eq!(count, 0);
}

#[test]
fn a_versioned_table_allocates_nothing_behind_its_watermark() {
    let mut table = VersionedTable::new(8, &[0]).with_delete_time(DeleteTime::Own);
    let count = allocations(|round, kind, row| {
        table.advance_watermark(round - 3);
        table.apply(kind, row, round)?;
        assert_eq!(table.as_of(&row[..1], round).is_some(), kind != RowKind::Delete);
        Ok(())
    });
    assert_eq!(count, 0);
}

/// What untrusted bytes may make a reader hold: so much for each of them, and so much in any case.
const BYTES_A_BYTE: usize = 96;
const BYTES_IN_ANY_CASE: usize = 64 << 10;

fn assert_bounded<T>(what: &str, input: &[u8], read: impl FnOnce(&[u8]) -> T) {
    let peak = peak_bytes(|| read(input));
    let most = BYTES_A_BYTE * input.len() + BYTES_IN_ANY_CASE;
    assert!(peak <= most, "{what}: {} bytes make a reader hold {peak}, more than {most}", input.len());
}

#[test]
fn a_value_holds_memory_in_proportion_to_its_bytes() {
    let columns =
        "a ARRAY<INT>, b ARRAY<ROW<x INT, y STRING>>, c MAP<STRING, INT>, s STRING, d DECIMAL(38, 18)";
    let sizes = [10, 1_000, 100_000];
    // As many bytes as a size says of a start, a part that is repeated, and an end.
    let repeated = |start: &str, part: &str, end: &str, size: usize| {
        [start, &part.repeat(size.div_ceil(part.len())), end].concat().into_bytes()
    };
    let json = |size| {
        [
            repeated("", "[", "", size),
            repeated("", r#"{"a":"#, "", size),
            repeated(r#"{"a":["#, "1,", "1]}", size),
            repeated(r#"{"b":["#, "{},", "{}]}", size),
            repeated(r#"{"c":{"#, r#""k":1,"#, r#""k":2}}"#, size),
            repeated("{", r#""a":[],"#, r#""s":""}"#, size),
            repeated(r#"{"s":["#, "[],", "[]]}", size),
            repeated(r#"{"s":""#, r"\u00e9", r#""}"#, size),
            repeated(r#"{"d":"#, "9", "}", size),
            repeated(r#"{"d":1e"#, "9", "}", size),
            repeated("\u{feff}", " ", "{}", size),
            [b"{\0".to_vec(), repeated("", "\"\0a\0", "", size)].concat(),
        ]
    };
    let csv = |size| {
        [
            repeated("", ",", "", size),
            repeated("", ";", "", size),
            repeated("", "\"\"", "", size),
            repeated("\"", "a", "", size),
            repeated("", "\n", "", size),
        ]
    };
    // Counts and lengths of 2^31 - 9 and of 2^63 - 1, as zig-zag varints, with bytes after them that are none.
    let claims: [&[u8]; 2] =
        [&[0xee, 0xff, 0xff, 0xff, 0x0f], &[0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]];
    let avro = |size: usize| {
        let nulls =
            (0..6).flat_map(|len| claims.map(|claim| [&vec![2; len], claim, &vec![0; size]].concat()));
        let ones = (0..6).map(|len| [&vec![2; len][..], &vec![2; size]].concat());
        nulls.chain(ones).collect::<Vec<_>>()
    };
    for (options, inputs) in [
        ("'value.format' = 'json'", sizes.map(|size| json(size).to_vec()).concat()),
        (
            "'value.format' = 'json', 'value.json.decode.json-parser.enabled' = 'false'",
            sizes.map(|size| json(size).to_vec()).concat(),
        ),
        (
            "'value.format' = 'avro', 'value.avro.encoding' = 'json'",
            sizes.map(|size| json(size).to_vec()).concat(),
        ),
        ("'value.format' = 'debezium-json'", sizes.map(|size| json(size).to_vec()).concat()),
        ("'value.format' = 'avro'", sizes.map(avro).concat()),
        ("'value.format' = 'csv'", sizes.map(|size| csv(size).to_vec()).concat()),
    ] {
        let columns =
            if options.contains("csv") { "a ARRAY<INT>, s STRING, d DECIMAL(38, 18)" } else { columns };
        let table = Table::from_ddl(&format!(
            "CREATE TABLE t ({columns}) WITH ('connector' = 'kafka', 'topic' = 't', \
             'scan.startup.mode' = 'earliest-offset', 'properties.bootstrap.servers' = 'b:9092', {options})"
        ));
        let decoder = table.expect("a table").source(&Settings::default()).expect("a source").decoder();
        for input in inputs {
            let start = String::from_utf8_lossy(&input[..input.len().min(20)]).into_owned();
            assert_bounded(&format!("{options} of {start}"), &input, |input| {
                let mut buf = DecodeBuf::new();
                let _ = decoder.decode(&ConsumerRecord::new(None, Some(input)), &mut buf);
                buf
            });
        }
    }
}

#[test]
fn a_schema_and_a_statement_hold_memory_in_proportion_to_their_text() {
    for size in [10, 1_000, 50_000] {
        for (start, part) in [("", "["), ("", r#"{"type":"#), ("[", "\"int\","), ("\"", "a"), ("[", "{},")] {
            let text = start.to_owned() + &part.repeat(size);
            assert_bounded("an Avro schema", text.as_bytes(), |_| AvroSchema::parse(&text));
        }
        for (start, part) in
            [("", "("), ("CREATE TABLE t (", "a INT, "), ("CREATE TABLE t (a ", "ROW<a "), ("'", "a")]
        {
            let text = start.to_owned() + &part.repeat(size.min(5_000));
            assert_bounded("a statement", text.as_bytes(), |_| Table::from_ddl(&text));
        }
    }
}

/// Batches whose checksum is right and whose claims are not.
#[cfg(all(feature = "gzip", feature = "lz4", feature = "snappy", feature = "zstd"))]
#[test]
fn a_batch_holds_memory_in_proportion_to_its_bytes_or_up_to_its_limit() {
    use upsert_kafka::record::Compression;

    let limits = Limits::default().with_max_decompressed_bytes(256 << 10);
    let batch = |codec: u8, records: &[u8]| {
        let mut builder = RecordBatchBuilder::new();
        assert!(builder.append(&Record::tombstone(b"k").with_timestamp(0)).expect("a record"));
        let mut bytes = builder.finish()[..61].to_vec();
        bytes.extend_from_slice(records);
        let length = u32::try_from(bytes.len() - 12).expect("a short batch");
        bytes[8..12].copy_from_slice(&length.to_be_bytes());
        bytes[22] = codec;
        let crc = crc32c::crc32c(&bytes[21..]);
        bytes[17..21].copy_from_slice(&crc.to_be_bytes());
        bytes
    };
    let read = |bytes: &[u8]| -> usize {
        let batches = RecordBatches::new(bytes, limits).flatten();
        batches
            .map(|batch| batch.records().flatten().map(|record| record.headers.iter().count()).sum::<usize>())
            .sum()
    };
    // A record of attributes, deltas, null key and value, and 2^31 - 1 headers; one whose key claims 2^30 bytes.
    for record in
        [&[20, 0, 0, 0, 1, 1, 0xfe, 0xff, 0xff, 0xff, 0x0f][..], &[20, 0, 0, 0, 0x80, 0x80, 0x80, 0x80, 8, 0]]
    {
        assert_bounded("a record", &batch(0, record), read);
    }
    // An LZ4 block that claims 4 MiB, a raw snappy block that claims 4 GiB, a zstd frame that claims 2^60 bytes.
    let lz4 = b"\x04\x22\x4d\x18\x60\x70\0\x05\0\0\0\x10a\x01\0\xff\0\0\0\0";
    let snappy = b"\xff\xff\xff\xff\x0f\x10hello";
    let zstd = b"\x28\xb5\x2f\xfd\xe0\0\0\0\0\0\0\0\x10\x01\0\0";
    for (codec, claim) in [(3, &lz4[..]), (2, snappy), (4, zstd)] {
        assert_bounded("a claim", &batch(codec, claim), read);
    }
    // What really is a bomb ends at the limit, whatever it would become: 8 MiB of one byte.
    for compression in [Compression::Gzip, Compression::Snappy, Compression::Lz4, Compression::Zstd] {
        let mut builder = RecordBatchBuilder::new().with_compression(compression).expect("its feature is on");
        let value = vec![b'x'; 8 << 20];
        assert!(builder.append(&Record::new(None, Some(&value)).with_timestamp(0)).expect("a record"));
        let bomb = builder.finish();
        assert!(bomb.len() < 1 << 19, "{compression:?}: {} bytes", bomb.len());
        let peak = peak_bytes(|| read(&bomb));
        // A buffer that doubles holds the old one and the new one while it moves.
        assert!(peak <= 1 << 20, "{compression:?}: {} bytes make a reader hold {peak}", bomb.len());
    }
}

#[test]
fn a_struct_is_written_and_read_by_name_without_allocating() {
    struct Order<'a> {
        active: Option<bool>,
        status: &'a str,
        quantity: u16,
        price: f64,
        amount: Decimal,
        updated_at: Timestamp,
        customer: &'a str,
        order_id: i64,
    }
    upsert_kafka::impl_row!(Order<'a> { active, status, quantity, price, amount, updated_at, customer, order_id });

    let table = orders("upsert-kafka", "'key.format' = 'json', 'value.format' = 'json'");
    let settings = Settings::default();
    let encoder = table.sink_of::<Order<'_>>(&settings).expect("the struct fits").encoder();
    let decoder = table.source_of::<Order<'_>>(&settings).expect("the struct fits").decoder();
    let (mut buf, mut decoded) = (RecordBuf::new(), DecodeBuf::new());
    let order = Order {
        active: None,
        status: "NEW",
        quantity: 65_535,
        price: 0.37,
        amount: Decimal::new(150, 2),
        updated_at: Timestamp::from_millis(1_715_000_000_000),
        customer: "customer-000031",
        order_id: 1_000_000,
    };
    let count = steady(|| {
        let record = encoder.encode(RowKind::Insert, &order, &mut buf).expect("a row").expect("a record");
        let record = ConsumerRecord::new(record.key, record.value);
        let rows = decoder.decode(&record, &mut decoded).expect("a record").rows();
        assert_eq!(rows.len(), 1);
        for (_, row) in rows {
            let read: Order<'_> = row.read().expect("the row of an order");
            assert_eq!((read.customer, read.quantity, read.active), ("customer-000031", 65_535, None));
        }
    });
    assert_eq!(count, 0);
}

#[cfg(feature = "serde")]
#[test]
fn serde_writes_and_reads_rows_without_allocating() {
    // Of another crate, as texts.
    #[derive(serde::Serialize)]
    struct Event {
        day: chrono::NaiveDate,
        at: chrono::DateTime<chrono::Utc>,
    }
    let columns = [("day", "DATE"), ("at", "TIMESTAMP_LTZ(3)")];
    let columns = columns
        .map(|(name, sql)| upsert_kafka::types::Field::new(name, sql.parse::<DataType>().expect("a type")));
    let mut rows = upsert_kafka::adapters::serde::SerdeRows::new(&columns);
    let at = chrono::DateTime::from_timestamp(1_715_000_000, 0).expect("a time");
    let event = Event { day: at.date_naive(), at };
    assert_eq!(steady(|| assert!(rows.row(&event).is_ok())), 0);

    #[derive(serde::Serialize, serde::Deserialize)]
    struct Order<'a> {
        active: Option<bool>,
        status: &'a str,
        quantity: i32,
        price: f64,
        amount: Decimal,
        updated_at: Timestamp,
        customer: &'a str,
        order_id: i64,
    }
    let table = orders("upsert-kafka", "'key.format' = 'json', 'value.format' = 'json'");
    let sink = table.sink(&Settings::default()).expect("a sink");
    let source = table.source(&Settings::default()).expect("a source");
    let (encoder, mut rows, mut buf) = (sink.encoder(), sink.serde_rows(), RecordBuf::new());
    let (decoder, read, mut decoded) = (source.decoder(), source.serde_rows(), DecodeBuf::new());
    let order = Order {
        active: None,
        status: "NEW",
        quantity: 7,
        price: 0.37,
        amount: Decimal::new(150, 2),
        updated_at: Timestamp::from_millis(1_715_000_000_000),
        customer: "customer-000031",
        order_id: 1_000_000,
    };
    let count = steady(|| {
        let row = rows.row(&order).expect("an order");
        let record = encoder.encode(RowKind::Insert, row, &mut buf).expect("a row").expect("a record");
        let record = ConsumerRecord::new(record.key, record.value);
        let rows = decoder.decode(&record, &mut decoded).expect("a record").rows();
        assert_eq!(rows.len(), 1);
        for (_, row) in rows {
            let order: Order<'_> = read.read(row).expect("the row of an order");
            assert_eq!(
                (order.customer, order.amount, order.active),
                ("customer-000031", Decimal::new(150, 2), None)
            );
        }
    });
    assert_eq!(count, 0);
}

#[cfg(feature = "arrow")]
#[test]
fn the_rows_of_a_batch_of_arrow_are_written_without_allocating() {
    let table = orders("upsert-kafka", "'key.format' = 'json', 'value.format' = 'json'");
    let sink = table.sink(&Settings::default()).expect("a sink");
    let (encoder, rows, mut buf) = (sink.encoder(), sink.arrow_rows().with_kinds("op"), RecordBuf::new());
    let mut builder = rows.builder();
    for index in 0..KEYS {
        let (kind, row) = order(index, 0);
        builder.push(kind, &row).expect("an order");
    }
    let batch = builder.finish().expect("a batch");
    let lent = rows.rows(&batch).expect("its own schema");
    let count = steady(|| {
        for (kind, row) in lent.iter() {
            encoder.encode(kind, &row, &mut buf).expect("a row");
        }
    });
    assert_eq!(count, 0);
}
