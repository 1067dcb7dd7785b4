//! Record to row, beside peers that are too heavy for the crate's own benches.

#![allow(missing_docs, clippy::unwrap_used, reason = "a bench")]

use std::hint::black_box;
use std::sync::Arc;

use apache_avro::reader::datum::GenericDatumReader;
use arrow_json::ReaderBuilder;
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use serde::Deserialize;
use upsert_kafka::{ConsumerRecord, DecodeBuf, Decoder, Settings};

#[path = "../../common/mod.rs"]
mod common;
#[path = "contestants/serde_map.rs"]
mod serde_map;

use common::peers::borrowed::{Change, IdKey, Keyed, KeyedKey, Nested, Text, Wide};
use common::peers::serde_tuned::{Key, OrderValue};
use common::{KeyAndValue, ROWS, encoded, formats, orders, shapes};

fn decode(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("decode");
    group.throughput(Throughput::Elements(ROWS as u64));
    let rows = orders::changelog();
    let (encoder, decoder) = formats::upsert("json");
    let records = encoded(&encoder, &rows);
    let of_orders = |group: &mut BenchmarkGroup<'_, WallTime>, workload: &str, records: &[KeyAndValue]| {
        ours(group, workload, records, &decoder);
        sonic::<Key, OrderValue<'_>>(group, workload, records);
        simd::<Key, OrderValue<'_>>(group, workload, records);
    };
    of_orders(&mut group, "orders", &records);
    for (name, spelling) in orders::SPELLINGS {
        of_orders(&mut group, name, &orders::spelled(spelling));
    }
    peer(&mut group, "serde-map", "orders", &records, |key, value| {
        black_box(serde_map::decode_key(key));
        black_box(value.map(serde_map::decode));
    });
    arrow_json(&mut group, "orders", &records);
    arrow(&mut group, &records);
    macro_rules! shape {
        ($shape:expr, $key:ty, $value:ty) => {
            let shape = $shape;
            let records = encoded(&shape.encoder(), &shape.rows);
            ours(&mut group, shape.name, &records, &shape.decoder());
            sonic::<$key, $value>(&mut group, shape.name, &records);
            simd::<$key, $value>(&mut group, shape.name, &records);
        };
    }
    shape!(shapes::text(), IdKey, Text<'_>);
    shape!(shapes::cjk(), IdKey, Text<'_>);
    shape!(shapes::keyed(), KeyedKey<'_>, Keyed<'_>);
    shape!(shapes::nested(), IdKey, Nested<'_>);
    shape!(shapes::wide(), IdKey, Wide<'_>);

    let (encoder, decoder) = formats::changelog("debezium-json");
    let records = encoded(&encoder, &rows);
    ours(&mut group, "orders-debezium-json", &records, &decoder);
    sonic::<(), Change<'_>>(&mut group, "orders-debezium-json", &records);
    simd::<(), Change<'_>>(&mut group, "orders-debezium-json", &records);

    let (encoder, decoder) = formats::upsert("csv");
    let records = encoded(&encoder, &rows);
    ours(&mut group, "orders-csv", &records, &decoder);
    csv_and_serde(&mut group, &records);

    let (encoder, decoder) = formats::upsert("avro");
    let records = encoded(&encoder, &rows);
    ours(&mut group, "orders-avro", &records, &decoder);
    avro(&mut group, &records);
    group.finish();
}

fn ours(
    group: &mut BenchmarkGroup<'_, WallTime>,
    workload: &str,
    records: &[KeyAndValue],
    decoder: &Decoder,
) {
    group.bench_function(BenchmarkId::new("upsert-kafka", workload), |bencher| {
        let mut buf = DecodeBuf::new();
        bencher.iter(|| {
            for (key, value) in records {
                let record = ConsumerRecord::new(key.as_deref(), value.as_deref());
                black_box(decoder.decode(&record, &mut buf).unwrap());
            }
        });
    });
}

/// Decodes keys and values; a workload without keys has empty ones.
fn peer(
    group: &mut BenchmarkGroup<'_, WallTime>,
    contestant: &str,
    workload: &str,
    records: &[KeyAndValue],
    mut decode: impl FnMut(&[u8], Option<&[u8]>),
) {
    group.bench_function(BenchmarkId::new(contestant, workload), |bencher| {
        bencher.iter(|| {
            for (key, value) in records {
                decode(key.as_deref().unwrap_or_default(), value.as_deref());
            }
        });
    });
}

fn sonic<'a, K: Deserialize<'a>, V: Deserialize<'a>>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    workload: &str,
    records: &'a [KeyAndValue],
) {
    group.bench_function(BenchmarkId::new("sonic-rs", workload), |bencher| {
        bencher.iter(|| {
            for (key, value) in records {
                black_box(key.as_deref().map(|key| sonic_rs::from_slice::<K>(key).is_ok()));
                black_box(value.as_deref().map(|value| sonic_rs::from_slice::<V>(value).unwrap()));
            }
        });
    });
}

/// simd-json parses in place: each text is first copied into a reused buffer, as a consumer that lends it has to.
fn simd<K, V>(group: &mut BenchmarkGroup<'_, WallTime>, workload: &str, records: &[KeyAndValue])
where
    K: Owned,
    V: Owned,
{
    group.bench_function(BenchmarkId::new("simd-json", workload), |bencher| {
        let (mut text, mut buffers) = (Vec::new(), simd_json::Buffers::default());
        bencher.iter(|| {
            for (key, value) in records {
                if let Some(key) = key {
                    text.clear();
                    text.extend_from_slice(key);
                    K::simd(&mut text, &mut buffers);
                }
                if let Some(value) = value {
                    text.clear();
                    text.extend_from_slice(value);
                    V::simd(&mut text, &mut buffers);
                }
            }
        });
    });
}

/// A type that borrows from whatever text it is read from.
trait Owned {
    fn simd(text: &mut [u8], buffers: &mut simd_json::Buffers);
}

macro_rules! owned {
    ($($of_any:ty => $of_text:ty),+ $(,)?) => {
        $(impl Owned for $of_any {
            fn simd(text: &mut [u8], buffers: &mut simd_json::Buffers) {
                let value: $of_text = simd_json::serde::from_slice_with_buffers(text, buffers).unwrap();
                black_box(value);
            }
        })+
    };
}

owned! {
    () => (),
    Key => Key,
    IdKey => IdKey,
    KeyedKey<'_> => KeyedKey<'_>,
    OrderValue<'_> => OrderValue<'_>,
    Change<'_> => Change<'_>,
    Text<'_> => Text<'_>,
    Keyed<'_> => Keyed<'_>,
    Nested<'_> => Nested<'_>,
    Wide<'_> => Wide<'_>,
}

/// Both into one batch, of the rows that have a value; ours reads keys, too.
fn arrow(group: &mut BenchmarkGroup<'_, WallTime>, records: &[KeyAndValue]) {
    let records: Vec<_> = records.iter().filter(|(_, value)| value.is_some()).cloned().collect();
    group.throughput(Throughput::Elements(records.len() as u64));
    let source = formats::upsert_table("json").source(&Settings::default()).unwrap();
    group.bench_function(BenchmarkId::new("upsert-kafka", "orders-arrow"), |bencher| {
        let (decoder, mut batch, mut buf) =
            (source.decoder(), source.arrow_rows().builder(), DecodeBuf::new());
        bencher.iter(|| {
            for (key, value) in &records {
                let record = ConsumerRecord::new(key.as_deref(), value.as_deref());
                for (kind, row) in decoder.decode(&record, &mut buf).unwrap().rows() {
                    batch.push(kind, row).unwrap();
                }
            }
            black_box(batch.finish().unwrap());
        });
    });
    arrow_json(group, "orders-arrow", &records);
    group.throughput(Throughput::Elements(ROWS as u64));
}

/// All values as lines, decoded into one batch; no keys.
fn arrow_json(group: &mut BenchmarkGroup<'_, WallTime>, workload: &str, records: &[KeyAndValue]) {
    let field = |name: &str, data_type| Field::new(name, data_type, true);
    let schema = Arc::new(Schema::new(vec![
        field("order_id", DataType::Int64),
        field("customer", DataType::Utf8),
        field("amount", DataType::Decimal128(10, 2)),
        field("status", DataType::Utf8),
        field("updated_at", DataType::Timestamp(TimeUnit::Millisecond, None)),
        field("quantity", DataType::Int32),
        field("price", DataType::Float64),
        field("active", DataType::Boolean),
    ]));
    let values = records.iter().filter_map(|(_, value)| value.as_deref());
    let lines: Vec<u8> = values.flat_map(|value| [value, b"\n"].concat()).collect();
    group.bench_function(BenchmarkId::new("arrow-json", workload), |bencher| {
        let mut decoder =
            ReaderBuilder::new(Arc::clone(&schema)).with_batch_size(ROWS).build_decoder().unwrap();
        bencher.iter(|| {
            decoder.decode(&lines).unwrap();
            black_box(decoder.flush().unwrap());
        });
    });
}

/// `csv` reads all messages as one text, as a reader is meant to be used: one that is made for each message compiles its
/// automaton first, which takes a hundred times as long as the row. `csv-core` is what there is for texts of a line: a
/// message at a time, with one reader that is reset.
fn csv_and_serde(group: &mut BenchmarkGroup<'_, WallTime>, records: &[KeyAndValue]) {
    #[derive(Deserialize)]
    struct CsvKey {
        #[allow(dead_code, reason = "only read")]
        order_id: i64,
    }
    let lines = |part: fn(&KeyAndValue) -> &Option<Vec<u8>>| {
        let texts: Vec<&[u8]> = records.iter().filter_map(|record| part(record).as_deref()).collect();
        texts.join(&b'\n')
    };
    let (keys, values) = (lines(|(key, _)| key), lines(|(_, value)| value));
    let reader = |text| csv::ReaderBuilder::new().has_headers(false).from_reader(text);
    group.bench_function(BenchmarkId::new("csv", "orders-csv"), |bencher| {
        let mut record = csv::StringRecord::new();
        bencher.iter(|| {
            let (mut keys, mut values) = (reader(&keys[..]), reader(&values[..]));
            while keys.read_record(&mut record).unwrap() {
                black_box(record.deserialize::<CsvKey>(None).unwrap());
            }
            while values.read_record(&mut record).unwrap() {
                black_box(record.deserialize::<OrderValue<'_>>(None).unwrap());
            }
        });
    });
    let mut reader = csv_core::Reader::new();
    let (mut cells, mut ends) = ([0; 4096], [0; 32]);
    let mut record = csv::StringRecord::new();
    let mut read = |text: &[u8], record: &mut csv::StringRecord| {
        reader.reset();
        let (_, read, filled, ended) = reader.read_record(text, &mut cells, &mut ends);
        assert_eq!(read, text.len());
        // The end of the text ends the line.
        let (_, _, more, last) = reader.read_record(&[], &mut cells[filled..], &mut ends[ended..]);
        let cells = std::str::from_utf8(&cells[..filled + more]).unwrap();
        record.clear();
        let mut start = 0;
        for end in &ends[..ended + last] {
            record.push_field(&cells[start..*end]);
            start = *end;
        }
    };
    peer(group, "csv-core", "orders-csv", records, |key, value| {
        read(key, &mut record);
        black_box(record.deserialize::<CsvKey>(None).unwrap());
        if let Some(value) = value {
            read(value, &mut record);
            black_box(record.deserialize::<OrderValue<'_>>(None).unwrap());
        }
    });
}

fn avro(group: &mut BenchmarkGroup<'_, WallTime>, records: &[KeyAndValue]) {
    /// The fields of the schema of the table, all of them nullable.
    const VALUE: &str = r#"{"type":"record","name":"record","fields":[
        {"name":"order_id","type":"long"},
        {"name":"customer","type":["null","string"]},
        {"name":"amount","type":["null",{"type":"bytes","logicalType":"decimal","precision":10,"scale":2}]},
        {"name":"status","type":["null","string"]},
        {"name":"updated_at","type":["null",{"type":"long","logicalType":"timestamp-millis"}]},
        {"name":"quantity","type":["null","int"]},
        {"name":"price","type":["null","double"]},
        {"name":"active","type":["null","boolean"]}]}"#;
    const KEY: &str = r#"{"type":"record","name":"record","fields":[{"name":"order_id","type":"long"}]}"#;
    #[derive(Deserialize)]
    #[allow(dead_code, reason = "only read")]
    struct AvroOrder<'a> {
        order_id: i64,
        customer: Option<&'a str>,
        amount: Option<f64>,
        status: Option<&'a str>,
        updated_at: Option<i64>,
        quantity: Option<i32>,
        price: Option<f64>,
        active: Option<bool>,
    }
    let (key_schema, value_schema): (serde_avro_fast::Schema, serde_avro_fast::Schema) =
        (KEY.parse().unwrap(), VALUE.parse().unwrap());
    peer(group, "serde_avro_fast", "orders-avro", records, |key, value| {
        black_box(serde_avro_fast::from_datum_slice::<Key>(key, &key_schema).unwrap());
        black_box(
            value.map(|value| {
                serde_avro_fast::from_datum_slice::<AvroOrder<'_>>(value, &value_schema).unwrap()
            }),
        );
    });
    let schema = |text| apache_avro::Schema::parse_str(text).unwrap();
    let (key_schema, value_schema) = (schema(KEY), schema(VALUE));
    let reader = |schema| GenericDatumReader::builder(schema).build().unwrap();
    let (keys, values) = (reader(&key_schema), reader(&value_schema));
    peer(group, "apache-avro", "orders-avro", records, |mut key, value| {
        black_box(keys.read_value(&mut key).unwrap());
        black_box(value.map(|mut value| values.read_value(&mut value).unwrap()));
    });
}

criterion_group!(benches, decode);
criterion_main!(benches);
