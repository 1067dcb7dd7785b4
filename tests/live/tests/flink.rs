//! Against a real Flink: it writes what we read, reads what we write, and joins it. `LIVE_ROWS` (100,000 by default) says
//! how many rows each way.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::Path;

use upsert_kafka::record::Compression;
use upsert_kafka::source::DeleteTime;
use upsert_kafka::{Datum, Decimal, DecodeBuf, Row, RowKind, Settings, Table, Timestamp};
use upsert_kafka_live::kafka::broker::Broker;
use upsert_kafka_live::kafka::changes::{Changes, Random, batches_of_changes, ddl, fields, rows};
use upsert_kafka_live::kafka::clients::read;
use upsert_kafka_live::kafka::kafka_topic::{Isolation, KafkaTopic, Patience};
use upsert_kafka_live::kafka::programs;

const PARTITIONS: i32 = 4;

/// What a job makes of a sequence of numbers: keys of six changes each, a fifth of them deletes.
const WRITE: &str = "INSERT INTO flinks SELECT id, region, COUNT(*) AS version,
  CAST(SUM(CAST(MOD(i, 100000) AS DECIMAL(12, 2))) / 7 AS DECIMAL(12, 2)), MAX(paid_at), SUM(rate),
  MOD(COUNT(*), 2) = 0, MAX(note)
FROM (
  SELECT i, MOD(i * 7919, $IDS) AS id, CASE MOD(i, 3) WHEN 0 THEN 'größer \"Asien\"' ELSE '' END AS region,
    TIMESTAMPADD(SECOND, CAST(i AS INT), TIMESTAMP '2024-02-28 23:59:59.123') AS paid_at,
    CAST(i AS DOUBLE) * 0.37 AS rate,
    CASE MOD(i, 5) WHEN 0 THEN CAST(NULL AS STRING) ELSE CONCAT('n° ', CAST(i AS STRING), ' 😀') END AS note
  FROM numbers
)
GROUP BY id, region HAVING MOD(COUNT(*), 5) <> 0";

/// The rates of a currency, whose time is the record's or a column of the value.
const RATES: &str = "CREATE TABLE $TOPIC (
  currency STRING,
  rate DECIMAL(10, 4),
  changed TIMESTAMP_LTZ(3)$METADATA,
  WATERMARK FOR changed AS changed,
  PRIMARY KEY (currency) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka', 'topic' = '$TOPIC', 'properties.bootstrap.servers' = '$BOOTSTRAP',
  'key.format' = 'json', 'value.format' = 'json', 'value.json.timestamp-format.standard' = 'ISO-8601'
)";

const ORDERS: &str = "CREATE TABLE orders (
  id BIGINT,
  currency STRING,
  ordered TIMESTAMP_LTZ(3),
  WATERMARK FOR ordered AS ordered
) WITH (
  'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = '$BOOTSTRAP',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'json'
)";

const JOIN: &str = "SELECT o.id, o.currency, r.rate, r.changed
FROM orders o LEFT JOIN $RATES FOR SYSTEM_TIME AS OF o.ordered AS r ON o.currency = r.currency";

/// As many rows are in each of the two topics, at least.
fn row_count() -> usize {
    env::var("LIVE_ROWS").map_or(100_000, |rows| rows.parse().expect("LIVE_ROWS is a number"))
}

/// Reads end where the topic does.
fn bounded(ddl: &str) -> String {
    let end = ddl.rfind(')').expect("it has options");
    format!("{}, 'scan.bounded.mode' = 'latest-offset')", &ddl[..end])
}

fn create(address: &str, name: &str, partitions: i32) -> KafkaTopic {
    let mut topic = KafkaTopic::connect(address, name, Patience::default()).expect("the broker is there");
    topic.create(partitions, &[("cleanup.policy", "delete")]).expect("the broker creates it");
    topic
}

/// Writes rows to a new topic of one partition.
fn write(address: &str, name: &str, ddl: &str, rows: impl Iterator<Item = (RowKind, Vec<Datum<'static>>)>) {
    let table = Table::from_ddl(ddl).expect("the table is good");
    let sink = table.sink(&Settings::default()).expect("it can be written");
    let mut batches = sink.accumulator(1).with_compression(Compression::Lz4).expect("all features are on");
    for (kind, row) in rows {
        batches.append(kind, &row[..], 0).expect("the row is good");
    }
    let mut topic = create(address, name, 1);
    for (partition, batch) in batches.flush().expect("the partitioner knows the topic") {
        topic.append(partition, &batch).expect("the broker takes it");
    }
}

const CURRENCIES: [&str; 6] = ["EUR", "USD", "JPY", "GBP", "\"\u{20bf}\"", ""];

fn rates() -> impl Iterator<Item = (RowKind, Vec<Datum<'static>>)> {
    let mut random = Random::new(31);
    (1..=5000).map(move |second| {
        let currency = Datum::String(CURRENCIES[random.below(6) as usize]);
        let rate = Datum::Decimal(Decimal::new(random.below(1_000_000).into(), 4));
        let changed = Datum::Timestamp(Timestamp::from_millis(second * 1000));
        let kind = if random.below(4) == 0 { RowKind::Delete } else { RowKind::UpdateAfter };
        (kind, vec![currency, rate, changed])
    })
}

fn orders() -> impl Iterator<Item = (RowKind, Vec<Datum<'static>>)> {
    let mut random = Random::new(32);
    let mut time = 0;
    (0..20_000).map(move |id| {
        time += i64::try_from(random.below(500)).expect("it is small");
        let currency = Datum::String(CURRENCIES[random.below(6) as usize]);
        (RowKind::Insert, vec![Datum::BigInt(id), currency, Datum::Timestamp(Timestamp::from_millis(time))])
    })
}

/// What `VersionedTable` makes of the two topics.
fn join(address: &str, rates: &str, ddl: &str, deletes: DeleteTime) -> BTreeSet<String> {
    let table = Table::from_ddl(ddl).expect("the table is good");
    let source = table.source(&Settings::default()).expect("it can be read");
    let mut versions = source.versioned_table().expect("it has a primary key").with_delete_time(deletes);
    let (decoder, mut buf) = (source.decoder(), DecodeBuf::new());
    let stored = read(address, rates, Isolation::ReadUncommitted);
    for (offset, sent) in stored.values().flatten() {
        let headers = sent.headers();
        let record = sent.consumer_record(&headers).with_topic_partition(rates, 0).with_offset(*offset);
        for (kind, row) in decoder.decode(&record, &mut buf).expect("the record is good").rows() {
            let time = match row.datum(2) {
                Datum::Timestamp(time) => time.millis(),
                _ => 0, // Flink files the delete of a tombstone without a time under the epoch
            };
            versions.apply(kind, row, time).expect("the row is good");
        }
    }
    let joined = orders().map(|(_, order)| {
        let Datum::Timestamp(time) = order[2] else { panic!("an order has a time") };
        let order_fields = fields(&order[..], &[0, 1]);
        match versions.as_of(&order[1..2], time.millis()) {
            Some(rate) => format!("{order_fields}\t{}", fields(rate, &[1, 2])),
            None => format!("{order_fields}\t-\t-"),
        }
    });
    joined.collect()
}

#[test]
fn flink_and_we_read_the_same_tables_out_of_each_others_topics_and_join_them_alike() {
    let row_count = row_count();
    let broker = Broker::start("flink");
    let address = &*broker.address;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("flink");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for the test");

    create(address, "flinks", PARTITIONS);
    let mut ours = create(address, "ours", PARTITIONS);
    for (partition, batch) in
        batches_of_changes(Changes::new(30, row_count as u64 / 20), row_count, PARTITIONS)
    {
        ours.append(partition, &batch).expect("the broker takes it");
    }
    let rates_ddl = |topic: &str, metadata: &str| {
        RATES.replace("$TOPIC", topic).replace("$METADATA", metadata).replace("$BOOTSTRAP", address)
    };
    let tables = [("rates_at", " METADATA FROM 'timestamp'"), ("rates_in", "")];
    let tables = tables.map(|(topic, metadata)| (topic, rates_ddl(topic, metadata)));
    for (topic, ddl) in &tables {
        write(address, topic, ddl, rates());
    }
    let orders_ddl = ORDERS.replace("$BOOTSTRAP", address);
    write(address, "orders", &orders_ddl, orders());

    // A change of a row is a tombstone and a value in Flink's topic, but for the first.
    let number_count = row_count * 62 / 100;
    let numbers = format!(
        "CREATE TABLE numbers (i BIGINT) WITH ('connector' = 'datagen', 'number-of-rows' = '{number_count}',
           'rows-per-second' = '100000000', 'fields.i.kind' = 'sequence', 'fields.i.start' = '0',
           'fields.i.end' = '{}')",
        number_count - 1
    );
    let write = WRITE.replace("$IDS", &(row_count / 20 + 21).to_string());
    let script = [
        ("numbers", numbers),
        ("flinks' table", bounded(&ddl("flinks", address))),
        ("Flink writes", write),
        ("flinks", "SELECT * FROM flinks".to_owned()),
        ("our table", bounded(&ddl("ours", address))),
        ("ours", "SELECT * FROM ours".to_owned()),
        ("orders' table", bounded(&orders_ddl)),
        ("rates_at's table", bounded(&tables[0].1)),
        ("rates_at", JOIN.replace("$RATES", "rates_at")),
        ("rates_in's table", bounded(&tables[1].1)),
        ("rates_in", JOIN.replace("$RATES", "rates_in")),
    ];
    let script: String = script.map(|(name, statement)| format!("-- {name}\n{statement};\n")).concat();
    let file = folder.join("script.sql");
    fs::write(&file, script).expect("the folder takes files");
    let path = |path: &Path| path.to_str().expect("a path of ours").to_owned();
    println!("{}", programs::FLINK.run("Job", &[&path(&file), &path(&folder)]));
    let flinks_rows = |name: &str| -> BTreeSet<String> {
        let text = fs::read_to_string(folder.join(name)).expect("the job wrote it");
        text.lines().map(str::to_owned).collect()
    };

    for topic in ["flinks", "ours"] {
        let stored = read(address, topic, Isolation::ReadUncommitted);
        let records = stored.values().map(Vec::len).sum::<usize>();
        assert!(records >= row_count, "{records} records");
        let (ours, flinks) = (rows(&stored).into_values().collect(), flinks_rows(topic));
        assert_equal(topic, &ours, &flinks);
        println!("{topic}: {records} records, {} rows are left, equal", flinks.len());
    }
    for ((topic, ddl), deletes) in tables.iter().zip([DeleteTime::PreviousRow, DeleteTime::Own]) {
        let (ours, flinks) = (join(address, topic, ddl, deletes), flinks_rows(topic));
        assert_equal(topic, &ours, &flinks);
        let found = flinks.iter().filter(|row| !row.ends_with('-')).count();
        assert!(found > flinks.len() / 10 && found < flinks.len(), "{found} orders found a rate");
        println!("{topic}: {} orders joined, {found} found a rate, equal", flinks.len());
    }
}

#[track_caller]
fn assert_equal(topic: &str, ours: &BTreeSet<String>, flinks: &BTreeSet<String>) {
    let (more, less): (Vec<_>, Vec<_>) =
        (ours.difference(flinks).collect(), flinks.difference(ours).collect());
    assert!(
        more.is_empty() && less.is_empty(),
        "{topic}: {} rows of ours are not Flink's, such as {:?}; {} of Flink's are not ours, such as {:?}",
        more.len(),
        more.first(),
        less.len(),
        less.first()
    );
}
