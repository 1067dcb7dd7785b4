//! A transaction from begin to commit: what was read and what was written are there together, or neither.
//!
//! ```text
//! cargo run --example transaction -- HOST:PORT
//! ```
//!
//! Counts are written to the topic `counts-in-transactions` of a Kafka broker, and with them the offset of the input up to
//! which they count, for a consumer group. The first transaction is aborted, as after an error; the same rows go into the
//! second, which is committed. A reader that reads committed records alone then finds each count once.
//!
//! The client speaks to one broker, which is all of the cluster: one that is to find leaders and coordinators takes a
//! client of its own. What it does for the crate stays the same: it registers the producer, gives it to the accumulator,
//! and puts the transaction's id into the requests.

use std::error::Error;
use std::io;
use std::time::Duration;

use bytes::Bytes;
use kafka_protocol::ResponseError;
use kafka_protocol::messages::add_partitions_to_txn_request::AddPartitionsToTxnTopic;
use kafka_protocol::messages::txn_offset_commit_request::{
    TxnOffsetCommitRequestPartition, TxnOffsetCommitRequestTopic,
};
use kafka_protocol::messages::{
    AddOffsetsToTxnRequest, AddPartitionsToTxnRequest, EndTxnRequest, FindCoordinatorRequest, GroupId,
    InitProducerIdRequest, ProducerId, TopicName, TransactionalId, TxnOffsetCommitRequest,
};
use kafka_protocol::protocol::{Request, StrBytes};
use upsert_kafka::record::Producer;
use upsert_kafka::{
    Datum, DecodeBuf, Limits, RecordBatches, Row, RowKind, Settings, Table, produce_requests,
};

#[allow(dead_code, unreachable_pub, reason = "the client of the example `upsert`")]
#[path = "upsert/connection.rs"]
mod connection;
#[allow(dead_code, unreachable_pub, reason = "the client of the example `upsert`")]
#[path = "upsert/kafka_topic.rs"]
mod kafka_topic;

use connection::Connection;
use kafka_topic::{Isolation, KafkaTopic};

const TOPIC: &str = "counts-in-transactions";
const INPUT: &str = "words";
const GROUP: &str = "counters";
const DDL: &str = "CREATE TABLE counts (word STRING, n BIGINT, PRIMARY KEY (word) NOT ENFORCED) WITH (
  'connector' = 'upsert-kafka', 'topic' = 'counts-in-transactions', 'key.format' = 'raw', 'value.format' = 'json',
  'properties.bootstrap.servers' = 'localhost:9092')";
const NOW_MS: i64 = 1_717_200_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let address = std::env::args().nth(1).ok_or("name a broker: HOST:PORT")?;
    KafkaTopic::open(&address, INPUT, 1, &[])?; // the group's offsets are of a topic that is there
    let mut topic = KafkaTopic::open(&address, TOPIC, 2, &[("cleanup.policy", "compact")])?;
    let partitions = topic.partitions().ok_or("a topic")?;

    let (mut client, mut producer) = Transactions::register(&address, "counters-1")?;
    let sink = Table::from_ddl(DDL)?.sink(&Settings::default())?;
    let mut batches = sink.accumulator(partitions).with_producer(producer);
    for commit in [false, true] {
        // The transaction begins with the first partition that is added to it.
        for (word, n) in [("kafka", 2), ("flink", 1)] {
            let row = [Datum::String(word), Datum::BigInt(n)];
            batches.append(RowKind::UpdateAfter, &row, NOW_MS)?;
        }
        // All that belongs to it is sent and acknowledged before it ends.
        client.send(&producer, batches.flush()?.collect())?;
        client.send_offsets(&producer, [(0, 3)])?;
        client.end(&producer, commit)?;
        if !commit {
            // Batches that were not sent would leave a gap in the sequence numbers: a new epoch begins again from 0.
            producer = client.register_again()?;
            batches.set_producer(producer);
        }
        println!("{}", if commit { "committed" } else { "aborted" });
    }

    let decoder = Table::from_ddl(DDL)?.source(&Settings::default())?.decoder();
    let mut buf = DecodeBuf::new();
    for partition in 0..partitions {
        let fetched = topic.fetch(partition, 0, Isolation::ReadCommitted)?;
        let mut committed =
            RecordBatches::new(&fetched.records, Limits::default()).read_committed(fetched.aborted);
        for record in committed.records() {
            let record = record?;
            for (kind, row) in decoder.decode(&record, &mut buf)?.rows() {
                println!("partition {partition}, offset {:?}: {kind} {:?}", record.offset, row.datum(0));
            }
        }
    }
    Ok(())
}

/// The requests of a transactional producer.
struct Transactions {
    connection: Connection,
    id: TransactionalId,
}

/// The versions of the requests that are sent.
mod version {
    pub(super) const FIND_COORDINATOR: i16 = 2;
    pub(super) const INIT_PRODUCER_ID: i16 = 3;
    pub(super) const ADD_PARTITIONS_TO_TXN: i16 = 3;
    pub(super) const ADD_OFFSETS_TO_TXN: i16 = 3;
    pub(super) const TXN_OFFSET_COMMIT: i16 = 2;
    pub(super) const PRODUCE: i16 = 7;
    pub(super) const END_TXN: i16 = 3;
}

/// Of a coordinator that is asked for.
const OF_GROUP: i8 = 0;
const OF_TRANSACTION: i8 = 1;
const ACKS_ALL: i16 = -1;
const TIMEOUT_MS: i32 = 30_000;

impl Transactions {
    /// Registers the producer of that id. A transaction that an older one has left open is aborted, and the older one is
    /// shut out.
    fn register(address: &str, id: &str) -> io::Result<(Self, Producer)> {
        let connection = Connection::open(address, Duration::from_secs(30))?;
        let id = TransactionalId(StrBytes::from_string(id.to_owned()));
        let mut client = Self { connection, id };
        client.find_coordinator(client.id.0.clone(), OF_TRANSACTION)?;
        let producer = client.register_again()?;
        Ok((client, producer))
    }

    /// A new epoch of the producer, whose sequence numbers begin again from 0.
    fn register_again(&mut self) -> io::Result<Producer> {
        let request = InitProducerIdRequest::default()
            .with_transactional_id(Some(self.id.clone()))
            .with_transaction_timeout_ms(60_000)
            .with_producer_id(ProducerId(-1))
            .with_producer_epoch(-1);
        let response =
            self.until_done(&request, version::INIT_PRODUCER_ID, |response| vec![response.error_code])?;
        Ok(Producer::new(response.producer_id.0, response.producer_epoch).transactional())
    }

    fn find_coordinator(&mut self, key: StrBytes, of: i8) -> io::Result<()> {
        let request = FindCoordinatorRequest::default().with_key(key).with_key_type(of);
        self.until_done(&request, version::FIND_COORDINATOR, |response| vec![response.error_code]).map(|_| ())
    }

    /// Adds the partitions to the transaction, and sends their batches.
    fn send(&mut self, producer: &Producer, batches: Vec<(i32, Bytes)>) -> io::Result<()> {
        let mut partitions: Vec<_> = batches.iter().map(|(partition, _)| *partition).collect();
        partitions.dedup();
        let topic = AddPartitionsToTxnTopic::default().with_name(name(TOPIC)).with_partitions(partitions);
        let request = AddPartitionsToTxnRequest::default()
            .with_v3_and_below_transactional_id(self.id.clone())
            .with_v3_and_below_producer_id(ProducerId(producer.id))
            .with_v3_and_below_producer_epoch(producer.epoch)
            .with_v3_and_below_topics(vec![topic]);
        self.until_done(&request, version::ADD_PARTITIONS_TO_TXN, |response| {
            let topics = response.results_by_topic_v3_and_below.iter();
            let partitions = topics.flat_map(|topic| &topic.results_by_partition);
            partitions.map(|partition| partition.partition_error_code).collect()
        })?;
        for request in produce_requests(TOPIC, ACKS_ALL, TIMEOUT_MS, batches) {
            let request = request.with_transactional_id(Some(self.id.clone()));
            self.until_done(&request, version::PRODUCE, |response| {
                let partitions = response.responses.iter().flat_map(|topic| &topic.partition_responses);
                partitions.map(|partition| partition.error_code).collect()
            })?;
        }
        Ok(())
    }

    /// Commits, inside the transaction, the offsets of the input that are to be read next, by partition.
    fn send_offsets(
        &mut self,
        producer: &Producer,
        offsets: impl IntoIterator<Item = (i32, i64)>,
    ) -> io::Result<()> {
        let group = GroupId(StrBytes::from_static_str(GROUP));
        let request = AddOffsetsToTxnRequest::default()
            .with_transactional_id(self.id.clone())
            .with_producer_id(ProducerId(producer.id))
            .with_producer_epoch(producer.epoch)
            .with_group_id(group.clone());
        self.until_done(&request, version::ADD_OFFSETS_TO_TXN, |response| vec![response.error_code])?;
        self.find_coordinator(group.0.clone(), OF_GROUP)?;
        let partitions = offsets.into_iter().map(|(partition, offset)| {
            TxnOffsetCommitRequestPartition::default()
                .with_partition_index(partition)
                .with_committed_offset(offset)
        });
        let topic = TxnOffsetCommitRequestTopic::default()
            .with_name(name(INPUT))
            .with_partitions(partitions.collect());
        let request = TxnOffsetCommitRequest::default()
            .with_transactional_id(self.id.clone())
            .with_group_id(group)
            .with_producer_id(ProducerId(producer.id))
            .with_producer_epoch(producer.epoch)
            .with_topics(vec![topic]);
        self.until_done(&request, version::TXN_OFFSET_COMMIT, |response| {
            let partitions = response.topics.iter().flat_map(|topic| &topic.partitions);
            partitions.map(|partition| partition.error_code).collect()
        })
        .map(|_| ())
    }

    fn end(&mut self, producer: &Producer, commit: bool) -> io::Result<()> {
        let request = EndTxnRequest::default()
            .with_transactional_id(self.id.clone())
            .with_producer_id(ProducerId(producer.id))
            .with_producer_epoch(producer.epoch)
            .with_committed(commit);
        self.until_done(&request, version::END_TXN, |response| vec![response.error_code]).map(|_| ())
    }

    /// Sends a request until its response has no error in it, or one that lasts.
    fn until_done<R: Request>(
        &mut self,
        request: &R,
        version: i16,
        errors: impl Fn(&R::Response) -> Vec<i16>,
    ) -> io::Result<R::Response> {
        let mut waiting_for = None;
        for _ in 0..300 {
            let response = self.connection.call(request, version)?;
            let errors = errors(&response);
            let mut errors = errors.into_iter().filter_map(ResponseError::try_from_code).peekable();
            if errors.peek().is_none() {
                return Ok(response);
            }
            waiting_for = errors.peek().copied();
            // The coordinator still ends the transaction before.
            let passes = |error: &ResponseError| {
                error.is_retriable() || *error == ResponseError::ConcurrentTransactions
            };
            if let Some(lasting) = errors.find(|error| !passes(error)) {
                return Err(io::Error::other(format!("request {}: {lasting}", R::KEY)));
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        Err(io::Error::other(format!("request {} is not done in 30 seconds: {waiting_for:?}", R::KEY)))
    }
}

fn name(topic: &str) -> TopicName {
    TopicName(StrBytes::from_string(topic.to_owned()))
}
