//! What the producer of the example makes of brokers that die and networks that fail. `FAULT_ROUNDS` (1 by default) says
//! how long that goes on.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use upsert_kafka::record::Compression;
use upsert_kafka_live::kafka::broker::Broker;
use upsert_kafka_live::kafka::changes::{Changes, Random, batches, records_of, records_since};
use upsert_kafka_live::kafka::clients::read;
use upsert_kafka_live::kafka::faults::{FAULTS, Proxy};
use upsert_kafka_live::kafka::kafka_topic::{Isolation, KafkaTopic, Patience};
use upsert_kafka_live::kafka::record::{Sent, assert_same, without_offsets};

use crate::create_at;

const PARTITIONS: i32 = 3;
const PATIENCE: Patience = Patience {
    request: Duration::from_millis(400),
    delivery: Duration::from_secs(240),
    backoff: Duration::from_millis(20),
};

fn rounds() -> usize {
    env::var("FAULT_ROUNDS").map_or(1, |rounds| rounds.parse().expect("FAULT_ROUNDS is a number"))
}

/// Small batches of so many records, of an idempotent producer or of one without an id.
fn batches_of(topic: &mut KafkaTopic, seed: u64, count: usize, idempotent: bool) -> Vec<(i32, Bytes)> {
    let producer = idempotent.then(|| topic.producer().expect("the broker registers it"));
    batches(
        &records_since(now_ms(), Changes::new(seed, 200), count),
        PARTITIONS,
        Compression::Lz4,
        producer,
        2000,
    )
}

/// Brokers forget producers whose records are old.
fn now_ms() -> i64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).expect("it is after 1970");
    i64::try_from(since_1970.as_millis()).expect("it is not so long after 1970")
}

fn stored(broker: &Broker, topic: &str) -> BTreeMap<i32, Vec<Sent>> {
    without_offsets(read(&broker.address, topic, Isolation::ReadUncommitted))
}

#[test]
fn a_broker_that_is_killed_loses_and_doubles_nothing() {
    let broker = Broker::start("killed");
    let mut topic = create_at(&broker.address, "killed", PARTITIONS, &[], PATIENCE);
    let kills = 4 * rounds();
    let all = batches_of(&mut topic, 11, 4000 * kills, true);
    let broker = Mutex::new(broker);
    let kill = || {
        let mut broker = broker.lock().expect("nobody panicked");
        broker.kill();
        broker.restart();
    };
    let mut random = Random::new(12);
    let (mut between, mut amid) = (0, 0);
    thread::scope(|scope| {
        for (index, (partition, batch)) in all.iter().enumerate() {
            if (index + 1).is_multiple_of(all.len() / kills) {
                if random.below(3) == 0 {
                    between += 1;
                    kill();
                } else {
                    amid += 1;
                    let soon = Duration::from_micros(random.below(5000));
                    scope.spawn(move || {
                        thread::sleep(soon);
                        kill();
                    });
                }
            }
            topic.append(*partition, batch).expect("the broker is back in time");
        }
    });
    let mut broker = broker.into_inner().expect("nobody panicked");
    assert!(amid == 0 || topic.retries() > 0, "the producer has noticed");
    assert_same("the topic", &stored(&broker, "killed"), &records_of(&all));

    // A producer that gives up says so: this batch was not acknowledged, and all others are still there.
    let brief = Patience { request: Duration::from_secs(30), delivery: Duration::from_secs(1), ..PATIENCE };
    let mut hasty = KafkaTopic::connect(&broker.address, "killed", brief).expect("the broker is there");
    broker.kill();
    hasty.append(0, &all[0].1).expect_err("nobody is there");
    broker.restart();
    assert_same("the topic", &stored(&broker, "killed"), &records_of(&all));
    println!(
        "killed {between} times between two batches, {amid} times amid them, once for a producer that gave up: \
         {} batches of {} records sent, {} requests sent again, 0 records lost, 0 there twice, 0 out of order",
        all.len(),
        4000 * kills,
        topic.retries(),
    );
}

/// What `KafkaTopic::producer` warns of.
#[test]
fn a_broker_that_was_killed_knows_the_producers_of_recent_records_alone() {
    let mut broker = Broker::start("forgotten");
    let mut count_after_repetition = |name: &str, start_ms: i64| {
        let mut topic = create_at(&broker.address, name, 1, &[], PATIENCE);
        let producer = topic.producer().expect("the broker registers it");
        let sent = records_since(start_ms, Changes::new(13, 10), 10);
        let batches = batches(&sent, 1, Compression::None, Some(producer), 1 << 20);
        topic.append(0, &batches[0].1).expect("the broker takes it");
        broker.kill();
        broker.restart();
        topic.append(0, &batches[0].1).expect("the broker takes it, or knows it");
        stored(&broker, name)[&0].len()
    };
    assert_eq!(count_after_repetition("recent", now_ms()), 10);
    assert_eq!(count_after_repetition("old", now_ms() - 2 * 24 * 3_600_000), 20, "a day is over");
}

#[test]
fn a_network_that_fails_loses_and_doubles_nothing_and_without_an_idempotent_producer_doubles() {
    let mut proxy = None;
    let broker = Broker::start_behind("network", |target| {
        let started = Proxy::start(21, 8, PATIENCE.request, target);
        let port = started.port;
        proxy = Some(started);
        port
    });
    let proxy = proxy.expect("it was started");
    let address = format!("127.0.0.1:{}", proxy.port);
    let count = 6000 * rounds();
    for idempotent in [true, false] {
        let name = if idempotent { "idempotent" } else { "careless" };
        let mut topic = create_at(&address, name, PARTITIONS, &[], PATIENCE);
        let all = batches_of(&mut topic, 22, count, idempotent);
        let before = proxy.faults();
        for (partition, batch) in &all {
            topic.append(*partition, batch).expect("the network works now and then");
        }
        let faults: BTreeMap<_, _> = proxy
            .faults()
            .into_iter()
            .map(|(fault, count)| (fault, count - before.get(&fault).unwrap_or(&0)))
            .collect();
        assert!(
            faults.len() == FAULTS.len() && faults.values().all(|count| *count > 0),
            "all faults happened: {faults:?}"
        );
        let (sent, stored) = (records_of(&all), stored(&broker, name));
        let total = stored.values().map(Vec::len).sum::<usize>();
        println!(
            "{name} producer, {faults:?}: {} batches of {count} records sent, {} requests sent again, {} records too many",
            all.len(),
            topic.retries(),
            total - count
        );
        if idempotent {
            assert_same(name, &stored, &sent);
        } else {
            assert!(total > count, "the faults are real");
            for (partition, sent) in sent {
                let stored: BTreeSet<_> = stored[&partition].iter().collect();
                assert!(sent.iter().all(|record| stored.contains(record)), "nothing is lost even so");
            }
        }
    }
}
