//! The messages that batches travel in, of the crate `kafka-protocol`.

use std::collections::BTreeMap;

use bytes::Bytes;
use kafka_protocol::messages::fetch_response;
use kafka_protocol::messages::produce_request::{PartitionProduceData, TopicProduceData};
use kafka_protocol::messages::{ProduceRequest, TopicName};
use kafka_protocol::protocol::StrBytes;

use crate::record::AbortedTransaction;

/// The produce requests that send finished batches of one topic, to be sent one after the other.
///
/// Brokers take one batch a partition in a request: the second batch of a partition goes into the second request,
/// and so on, which keeps their order. The batches are shared, not copied. `acks` is -1 for all in-sync replicas,
/// 1 for the leader, 0 for none.
///
/// The batches should be those whose partitions the broker at the other end leads. A transactional producer adds its
/// `transactional_id`; from version 13 of the request on, the topic is named by its `topic_id`, to be set too.
///
/// ```
/// use upsert_kafka::{Record, RecordAccumulator, produce_requests};
///
/// let mut batches = RecordAccumulator::new("orders", 12);
/// batches.append_record(&Record::new(Some(b"foobar"), Some(b"v")), 1_717_200_000_000)?;
/// let requests = produce_requests("orders", -1, 30_000, batches.flush()?);
/// assert_eq!(requests[0].topic_data[0].partition_data[0].index, 6);
/// # Ok::<(), upsert_kafka::Error>(())
/// ```
///
/// Agrees with `org.apache.kafka.clients.producer.internals.Sender.sendProduceRequest`.
pub fn produce_requests(
    topic: &str,
    acks: i16,
    timeout_ms: i32,
    batches: impl IntoIterator<Item = (i32, Bytes)>,
) -> Vec<ProduceRequest> {
    let mut requests: Vec<Vec<PartitionProduceData>> = Vec::new();
    let mut batches_of: BTreeMap<i32, usize> = BTreeMap::new();
    for (partition, batch) in batches {
        let turn = batches_of.entry(partition).or_default();
        if *turn == requests.len() {
            requests.push(Vec::new());
        }
        let data = PartitionProduceData::default().with_index(partition).with_records(Some(batch));
        requests[*turn].push(data);
        *turn += 1;
    }
    let name = TopicName(StrBytes::from_string(topic.to_owned()));
    requests
        .into_iter()
        .map(|partitions| {
            let topic = TopicProduceData::default().with_name(name.clone()).with_partition_data(partitions);
            ProduceRequest::default().with_acks(acks).with_timeout_ms(timeout_ms).with_topic_data(vec![topic])
        })
        .collect()
}

/// For [`RecordBatches::read_committed`](crate::RecordBatches::read_committed).
impl From<&fetch_response::AbortedTransaction> for AbortedTransaction {
    fn from(listed: &fetch_response::AbortedTransaction) -> Self {
        Self { producer_id: listed.producer_id.0, first_offset: listed.first_offset }
    }
}

#[cfg(test)]
mod tests {
    use bytes::BytesMut;
    use kafka_protocol::protocol::{Decodable, Encodable};

    use super::*;

    fn contents(request: &ProduceRequest) -> Vec<(i32, &[u8])> {
        let partitions = &request.topic_data[0].partition_data;
        partitions.iter().map(|data| (data.index, data.records.as_deref().unwrap_or_default())).collect()
    }

    #[test]
    fn a_request_has_one_batch_a_partition_and_keeps_their_order() {
        let batches = [(3, "a"), (0, "b"), (3, "c"), (3, "d"), (0, "e")]
            .map(|(partition, batch)| (partition, Bytes::from_static(batch.as_bytes())));
        let requests = produce_requests("t", -1, 30_000, batches);
        let contents: Vec<_> = requests.iter().map(contents).collect();
        assert_eq!(
            contents,
            [
                vec![(3, &b"a"[..]), (0, &b"b"[..])],
                vec![(3, &b"c"[..]), (0, &b"e"[..])],
                vec![(3, &b"d"[..])],
            ]
        );
    }

    #[test]
    fn a_broker_reads_what_was_asked_for() {
        let requests = produce_requests("orders", 1, 1500, [(7, Bytes::from_static(b"batch"))]);
        let mut wire = BytesMut::new();
        requests[0].encode(&mut wire, 9).unwrap();
        let read = ProduceRequest::decode(&mut wire.freeze(), 9).unwrap();
        assert_eq!((read.acks, read.timeout_ms), (1, 1500));
        assert_eq!(&*read.topic_data[0].name.0, "orders");
        assert_eq!(contents(&read), [(7, &b"batch"[..])]);
    }

    #[test]
    fn without_batches_there_is_nothing_to_send() {
        assert!(produce_requests("t", -1, 30_000, []).is_empty());
    }
}
