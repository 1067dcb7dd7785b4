//! A transactional producer, as far as the tests need one.

use std::time::Duration;

use bytes::Bytes;
use kafka_protocol::messages::add_partitions_to_txn_request::AddPartitionsToTxnTopic;
use kafka_protocol::messages::{
    AddPartitionsToTxnRequest, EndTxnRequest, FindCoordinatorRequest, InitProducerIdRequest, ProducerId,
    TopicName, TransactionalId,
};
use kafka_protocol::protocol::{Request, StrBytes};
use upsert_kafka::produce_requests;
use upsert_kafka::record::Producer;

use super::connection::Connection;

/// A producer that is registered for transactions, on a cluster of one broker.
pub struct Transactional {
    connection: Connection,
    id: TransactionalId,
    pub producer: Producer,
}

/// Errors that pass: the topic or the coordinator is coming up, or still ends the transaction before.
const TRANSIENT: [i16; 6] = [3, 6, 14, 15, 16, 51];
const TIMEOUT_MS: i32 = 30_000;

impl Transactional {
    /// Registers the producer. A transaction that an older one of the same id has left open is aborted.
    pub fn register(address: &str, id: &str) -> Self {
        let mut connection = Connection::open(address, Duration::from_secs(30)).expect("the broker is there");
        let id = TransactionalId(StrBytes::from_string(id.to_owned()));
        let coordinator = FindCoordinatorRequest::default().with_key(id.0.clone()).with_key_type(1);
        until_done(&mut connection, &coordinator, 2, |response| vec![response.error_code]);
        let register = InitProducerIdRequest::default()
            .with_transactional_id(Some(id.clone()))
            .with_transaction_timeout_ms(300_000)
            .with_producer_id(ProducerId(-1))
            .with_producer_epoch(-1);
        let registered = until_done(&mut connection, &register, 3, |response| vec![response.error_code]);
        let producer = Producer::new(registered.producer_id.0, registered.producer_epoch).transactional();
        Self { connection, id, producer }
    }

    /// Sends batches of this producer inside a transaction, and ends it.
    pub fn send(&mut self, topic: &str, batches: Vec<(i32, Bytes)>, commit: bool) {
        self.send_and_leave(topic, batches);
        let end = EndTxnRequest::default()
            .with_transactional_id(self.id.clone())
            .with_producer_id(ProducerId(self.producer.id))
            .with_producer_epoch(self.producer.epoch)
            .with_committed(commit);
        until_done(&mut self.connection, &end, 3, |response| vec![response.error_code]);
    }

    /// Sends batches of this producer inside a transaction that stays open.
    pub fn send_and_leave(&mut self, topic: &str, batches: Vec<(i32, Bytes)>) {
        let mut partitions: Vec<_> = batches.iter().map(|(partition, _)| *partition).collect();
        partitions.sort_unstable();
        partitions.dedup();
        let name = TopicName(StrBytes::from_string(topic.to_owned()));
        let add = AddPartitionsToTxnRequest::default()
            .with_v3_and_below_transactional_id(self.id.clone())
            .with_v3_and_below_producer_id(ProducerId(self.producer.id))
            .with_v3_and_below_producer_epoch(self.producer.epoch)
            .with_v3_and_below_topics(vec![
                AddPartitionsToTxnTopic::default().with_name(name).with_partitions(partitions),
            ]);
        until_done(&mut self.connection, &add, 3, |response| {
            let topics = response.results_by_topic_v3_and_below.iter();
            let partitions = topics.flat_map(|topic| &topic.results_by_partition);
            partitions.map(|partition| partition.partition_error_code).collect()
        });
        for request in produce_requests(topic, -1, TIMEOUT_MS, batches) {
            let request = request.with_transactional_id(Some(self.id.clone()));
            until_done(&mut self.connection, &request, 7, |response| {
                let partitions = response.responses.iter().flat_map(|topic| &topic.partition_responses);
                partitions.map(|partition| partition.error_code).collect()
            });
        }
    }
}

/// Sends a request until its response has no error in it.
fn until_done<R: Request>(
    connection: &mut Connection,
    request: &R,
    version: i16,
    errors: impl Fn(&R::Response) -> Vec<i16>,
) -> R::Response {
    for _ in 0..1200 {
        let response = connection.call(request, version).expect("the broker answers");
        let errors = errors(&response);
        if errors.iter().all(|error| *error == 0) {
            return response;
        }
        let lasting: Vec<_> =
            errors.iter().filter(|error| **error != 0 && !TRANSIENT.contains(error)).collect();
        assert!(lasting.is_empty(), "request {} is refused with {lasting:?}", R::KEY);
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("request {} is not done in two minutes", R::KEY);
}
