use std::collections::{BTreeMap, HashMap};
use std::io;
use std::time::{Duration, Instant};

use bytes::Bytes;
use kafka_protocol::ResponseError;
use kafka_protocol::messages::create_topics_request::{CreatableTopic, CreatableTopicConfig};
use kafka_protocol::messages::fetch_request::{FetchPartition, FetchTopic};
use kafka_protocol::messages::list_offsets_request::{ListOffsetsPartition, ListOffsetsTopic};
use kafka_protocol::messages::metadata_request::MetadataRequestTopic;
use kafka_protocol::messages::{
    BrokerId, CreateTopicsRequest, FetchRequest, InitProducerIdRequest, ListOffsetsRequest, MetadataRequest,
    ProducerId, TopicName,
};
use kafka_protocol::protocol::{Request, StrBytes};
use upsert_kafka::record::{AbortedTransaction, Producer};
use upsert_kafka::{Limits, RecordBatches, produce_requests};

use super::connection::Connection;

/// A topic of a Kafka cluster: the smallest client that writes and reads it. Each request goes to the broker that has
/// to answer it, and is sent again until it does.
///
/// It speaks to brokers from Kafka 2.4 on, without TLS and passwords.
pub struct KafkaTopic {
    name: TopicName,
    bootstrap: String,
    patience: Patience,
    /// The address of the broker that leads each partition; empty while there is no such topic.
    leaders: Vec<String>,
    controller: String,
    connections: HashMap<String, Connection>,
    retries: u64,
}

/// How long is waited.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For a response: `request.timeout.ms`.
    pub request: Duration,
    /// For a request to succeed, with all that it is sent again: `delivery.timeout.ms`.
    pub delivery: Duration,
    /// Before a request is sent again: `retry.backoff.ms`.
    pub backoff: Duration,
}

/// Which records of transactions are read.
#[derive(Clone, Copy, Debug)]
pub enum Isolation {
    /// All; it is Kafka's default.
    ReadUncommitted,
    /// Those up to the first transaction that is still open. The response names those that were aborted.
    ReadCommitted,
}

/// What a fetch has brought.
#[derive(Debug)]
pub struct Fetched {
    /// Batches in a row; none at the end.
    pub records: Bytes,
    /// The transactions whose records are not to be read.
    pub aborted: Vec<AbortedTransaction>,
}

/// An end of a partition.
#[derive(Clone, Copy)]
enum End {
    /// The offset of the first record.
    Earliest,
    /// The offset after the last record.
    Latest,
}

/// Which broker is asked.
#[derive(Clone, Copy)]
enum Broker {
    /// The one that was named by the user.
    Bootstrap,
    Controller,
    /// The leader of a partition.
    Leader(i32),
}

/// A response that says what went wrong, and what the broker adds to it.
struct Refusal {
    error: ResponseError,
    message: Option<String>,
}

/// The versions of the requests that are sent.
mod version {
    pub const METADATA: i16 = 4;
    pub const CREATE_TOPICS: i16 = 4;
    pub const INIT_PRODUCER_ID: i16 = 1;
    pub const PRODUCE: i16 = 7;
    pub const LIST_OFFSETS: i16 = 2;
    pub const FETCH: i16 = 10;
}

/// For all in-sync replicas.
const ACKS_ALL: i16 = -1;
/// A fetch waits so long at the end of a partition.
const FETCH_WAIT_MS: i32 = 500;
const FETCH_BYTES: i32 = 8 << 20;

impl Default for Patience {
    /// Kafka's defaults.
    fn default() -> Self {
        Self {
            request: Duration::from_secs(30),
            delivery: Duration::from_secs(120),
            backoff: Duration::from_millis(100),
        }
    }
}

impl Isolation {
    /// What a consumer's options say: `isolation.level`.
    pub fn of(options: &BTreeMap<String, String>) -> Self {
        match options.get("isolation.level").map(String::as_str) {
            Some("read_committed") => Self::ReadCommitted,
            _ => Self::ReadUncommitted,
        }
    }
}

impl KafkaTopic {
    /// Asks the broker at `bootstrap`, a `HOST:PORT`, for the topic, which need not be there. Fails at once if there is
    /// no broker.
    pub fn connect(bootstrap: &str, name: &str, patience: Patience) -> io::Result<Self> {
        let mut topic = Self {
            name: TopicName(StrBytes::from_string(name.to_owned())),
            bootstrap: bootstrap.to_owned(),
            patience,
            leaders: Vec::new(),
            controller: bootstrap.to_owned(),
            connections: HashMap::new(),
            retries: 0,
        };
        let connection = Connection::open(bootstrap, patience.request)
            .map_err(|error| io::Error::new(error.kind(), format!("{bootstrap}: {error}")))?;
        topic.connections.insert(bootstrap.to_owned(), connection);
        topic.until_done("finding the topic", |topic| match topic.find_leaders()? {
            Err(Refusal { error: ResponseError::UnknownTopicOrPartition, .. }) => Ok(Ok(())),
            outcome => Ok(outcome),
        })?;
        Ok(topic)
    }

    /// The topic at the broker at `bootstrap`; it is created with `partitions` and `configs` if it is not there yet.
    pub fn open(bootstrap: &str, name: &str, partitions: i32, configs: &[(&str, &str)]) -> io::Result<Self> {
        let mut topic = Self::connect(bootstrap, name, Patience::default())?;
        if topic.partitions().is_none() {
            topic.create(partitions, configs)?;
        }
        Ok(topic)
    }

    /// How many partitions the topic has; `None` if there is no such topic.
    pub fn partitions(&self) -> Option<i32> {
        i32::try_from(self.leaders.len()).ok().filter(|count| *count > 0)
    }

    /// The broker that was named first, a `HOST:PORT`.
    pub fn bootstrap(&self) -> &str {
        &self.bootstrap
    }

    /// How often a request was sent again.
    pub fn retries(&self) -> u64 {
        self.retries
    }

    /// Creates the topic, with the cluster's default of replicas and `configs` such as `cleanup.policy`.
    pub fn create(&mut self, partitions: i32, configs: &[(&str, &str)]) -> io::Result<()> {
        let text = |text: &str| StrBytes::from_string(text.to_owned());
        let configs = configs.iter().map(|(name, value)| {
            CreatableTopicConfig::default().with_name(text(name)).with_value(Some(text(value)))
        });
        let topic = CreatableTopic::default()
            .with_name(self.name.clone())
            .with_num_partitions(partitions)
            .with_replication_factor(-1)
            .with_configs(configs.collect());
        let request = CreateTopicsRequest::default().with_topics(vec![topic]).with_timeout_ms(30_000);
        self.until_done("creating the topic", |topic| {
            let response = topic.call(Broker::Controller, &request, version::CREATE_TOPICS)?;
            let topic = response.topics.into_iter().next().ok_or_else(no_answer)?;
            Ok(match refused(topic.error_code) {
                // Created by a request whose response did not come through, or by another.
                Err(Refusal { error: ResponseError::TopicAlreadyExists, .. }) => Ok(()),
                outcome => outcome.map_err(|refusal| Refusal {
                    message: topic.error_message.map(|message| message.to_string()),
                    ..refusal
                }),
            })
        })?;
        self.until_done("waiting for the topic", Self::find_leaders)
    }

    /// Registers an idempotent producer: brokers drop those of its batches that come twice.
    ///
    /// A broker knows a producer for a day (`producer.id.expiration.ms`) by the timestamps of its records, not by its
    /// clock: where records are older, a batch that was sent again after the broker had died may be there twice.
    pub fn producer(&mut self) -> io::Result<Producer> {
        let request = InitProducerIdRequest::default()
            .with_transactional_id(None)
            .with_producer_id(ProducerId(-1))
            .with_producer_epoch(-1);
        self.until_done("registering a producer", |topic| {
            let response = topic.call(Broker::Bootstrap, &request, version::INIT_PRODUCER_ID)?;
            Ok(refused(response.error_code)
                .map(|()| Producer::new(response.producer_id.0, response.producer_epoch)))
        })
    }

    /// Sends a batch until it is acknowledged. The next batch of the partition goes out after that, so that their order
    /// holds; and none is there twice if they are those of a [`producer`](Self::producer).
    pub fn append(&mut self, partition: i32, batch: &Bytes) -> io::Result<()> {
        let timeout_ms = i32::try_from(self.patience.request.as_millis()).unwrap_or(i32::MAX);
        let name = self.name.to_string();
        let requests = produce_requests(&name, ACKS_ALL, timeout_ms, [(partition, batch.clone())]);
        self.until_done("producing", |topic| {
            let response = topic.call(Broker::Leader(partition), &requests[0], version::PRODUCE)?;
            let partition = response.responses.into_iter().flat_map(|topic| topic.partition_responses).next();
            Ok(match refused(partition.ok_or_else(no_answer)?.error_code) {
                // It was there already: a response before this one did not come through.
                Err(Refusal { error: ResponseError::DuplicateSequenceNumber, .. }) => Ok(()),
                outcome => outcome,
            })
        })
    }

    /// Reads a partition to where it ends now, and hands on the batches of each fetch, whose records count from an offset
    /// on. All of them have to be taken: the next fetch begins after the last.
    pub fn read<E: From<io::Error>>(
        &mut self,
        partition: i32,
        isolation: Isolation,
        mut each: impl FnMut(&mut RecordBatches<'_>, i64) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut offset = self.offset(partition, End::Earliest)?;
        let end = self.offset(partition, End::Latest)?;
        while offset < end {
            let fetched = self.fetch(partition, offset, isolation)?;
            let mut batches =
                RecordBatches::new(&fetched.records, Limits::default()).read_committed(fetched.aborted);
            each(&mut batches, offset)?;
            match batches.next_offset() {
                Some(next) => offset = next,
                None => break, // nothing that is left after compaction, or committed
            }
        }
        Ok(())
    }

    /// The offset at an end of a partition.
    fn offset(&mut self, partition: i32, end: End) -> io::Result<i64> {
        let wanted =
            ListOffsetsPartition::default().with_partition_index(partition).with_timestamp(match end {
                End::Earliest => -2,
                End::Latest => -1,
            });
        let topic = ListOffsetsTopic::default().with_name(self.name.clone()).with_partitions(vec![wanted]);
        let request = ListOffsetsRequest::default().with_replica_id(BrokerId(-1)).with_topics(vec![topic]);
        self.until_done("asking for offsets", |topic| {
            let response = topic.call(Broker::Leader(partition), &request, version::LIST_OFFSETS)?;
            let partition = response.topics.into_iter().flat_map(|topic| topic.partitions).next();
            let partition = partition.ok_or_else(no_answer)?;
            Ok(refused(partition.error_code).map(|()| partition.offset))
        })
    }

    /// The batches of a partition from `offset` on, the first of them perhaps from before it.
    pub fn fetch(&mut self, partition: i32, offset: i64, isolation: Isolation) -> io::Result<Fetched> {
        let wanted = FetchPartition::default()
            .with_partition(partition)
            .with_fetch_offset(offset)
            .with_partition_max_bytes(FETCH_BYTES);
        let topic = FetchTopic::default().with_topic(self.name.clone()).with_partitions(vec![wanted]);
        let request = FetchRequest::default()
            .with_max_wait_ms(FETCH_WAIT_MS)
            .with_min_bytes(1)
            .with_max_bytes(FETCH_BYTES)
            .with_isolation_level(isolation as i8)
            .with_topics(vec![topic]);
        self.until_done("fetching", |topic| {
            let response = topic.call(Broker::Leader(partition), &request, version::FETCH)?;
            if let Err(refusal) = refused(response.error_code) {
                return Ok(Err(refusal));
            }
            let partition = response.responses.into_iter().flat_map(|topic| topic.partitions).next();
            let partition = partition.ok_or_else(no_answer)?;
            let aborted = partition.aborted_transactions.unwrap_or_default().into_iter();
            let aborted = aborted.map(|aborted| AbortedTransaction {
                producer_id: aborted.producer_id.0,
                first_offset: aborted.first_offset,
            });
            Ok(refused(partition.error_code).map(|()| Fetched {
                records: partition.records.unwrap_or_default(),
                aborted: aborted.collect(),
            }))
        })
    }

    /// Makes an attempt after the other until one succeeds, is refused for good, or patience ends. Attempts fail when
    /// connections break, brokers do not answer, or leaders move.
    fn until_done<T>(
        &mut self,
        doing: &str,
        mut attempt: impl FnMut(&mut Self) -> io::Result<Result<T, Refusal>>,
    ) -> io::Result<T> {
        let deadline = Instant::now() + self.patience.delivery;
        loop {
            let failure = match attempt(self) {
                Ok(Ok(done)) => return Ok(done),
                Ok(Err(refusal)) if !refusal.error.is_retriable() => return Err(self.failed(doing, &refusal)),
                Ok(Err(refusal)) => self.failed(doing, &refusal),
                Err(error) => {
                    self.connections.clear(); // a response may still be on its way
                    io::Error::new(error.kind(), format!("{doing} at {}: {error}", self.bootstrap))
                }
            };
            if Instant::now() >= deadline {
                return Err(failure);
            }
            std::thread::sleep(self.patience.backoff);
            self.retries += 1;
            if self.find_leaders().is_err() {
                self.connections.clear();
            }
        }
    }

    /// Asks who leads the partitions.
    fn find_leaders(&mut self) -> io::Result<Result<(), Refusal>> {
        let topic = MetadataRequestTopic::default().with_name(Some(self.name.clone()));
        let request =
            MetadataRequest::default().with_topics(Some(vec![topic])).with_allow_auto_topic_creation(false);
        let response = self.call(Broker::Bootstrap, &request, version::METADATA)?;
        let address = |id: BrokerId| {
            let broker = response.brokers.iter().find(|broker| broker.node_id == id)?;
            Some(format!("{}:{}", broker.host, broker.port))
        };
        if let Some(controller) = address(response.controller_id) {
            self.controller = controller;
        }
        let topic = response.topics.first().ok_or_else(no_answer)?;
        if let Err(refusal) = refused(topic.error_code) {
            return Ok(Err(refusal));
        }
        let mut partitions: Vec<_> = topic.partitions.iter().collect();
        partitions.sort_by_key(|partition| partition.partition_index);
        let leaders: Option<_> = partitions.iter().map(|partition| address(partition.leader_id)).collect();
        Ok(match leaders {
            Some(leaders) => {
                self.leaders = leaders;
                Ok(())
            }
            None => Err(ResponseError::LeaderNotAvailable.into()),
        })
    }

    fn call<R: Request>(&mut self, broker: Broker, request: &R, version: i16) -> io::Result<R::Response> {
        let address = match broker {
            Broker::Bootstrap => &self.bootstrap,
            Broker::Controller => &self.controller,
            Broker::Leader(partition) => usize::try_from(partition)
                .ok()
                .and_then(|partition| self.leaders.get(partition))
                .ok_or_else(|| io::Error::other(format!("the topic has no partition {partition}")))?,
        };
        if !self.connections.contains_key(address) {
            let connection = Connection::open(address, self.patience.request)?;
            self.connections.insert(address.clone(), connection);
        }
        self.connections.get_mut(address).expect("it was opened").call(request, version)
    }

    fn failed(&self, doing: &str, Refusal { error, message }: &Refusal) -> io::Error {
        let Self { name, bootstrap, .. } = self;
        let message = message.as_ref().map(|message| format!(" ({message})")).unwrap_or_default();
        io::Error::other(format!("topic {} at {bootstrap}, {doing}: {error}{message}", **name))
    }
}

impl From<ResponseError> for Refusal {
    fn from(error: ResponseError) -> Self {
        Self { error, message: None }
    }
}

fn refused(code: i16) -> Result<(), Refusal> {
    ResponseError::try_from_code(code).map_or(Ok(()), |error| Err(error.into()))
}

fn no_answer() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the response leaves out what was asked for")
}
