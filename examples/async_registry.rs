//! `avro-confluent` with a schema registry that is asked asynchronously: no thread waits for it.
//!
//! ```text
//! cargo run --example async_registry
//! ```
//!
//! The decoder's registry is a cache that answers at once. `Decoder::missing_schema` says what it lacks; that is fetched
//! with `.await`, while other partitions go on, and then the record decodes. The remote registry is one in memory here, and
//! the executor a loop: take your own HTTP client and runtime.

use std::collections::HashMap;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use upsert_kafka::format::{MemorySchemaRegistry, RegisteredSchema, SchemaRegistry};
use upsert_kafka::{
    ConsumerRecord, Datum, DecodeBuf, Decoder, Error, ErrorKind, RecordBuf, RowKind, Settings, Table,
};

const DDL: &str =
    "CREATE TABLE pageviews (user_id BIGINT, region STRING, PRIMARY KEY (user_id) NOT ENFORCED) WITH (
  'connector' = 'upsert-kafka', 'topic' = 'pageviews', 'properties.bootstrap.servers' = 'localhost:9092',
  'key.format' = 'avro-confluent', 'key.avro-confluent.url' = 'http://localhost:8081',
  'value.format' = 'avro-confluent', 'value.avro-confluent.url' = 'http://localhost:8081')";

fn main() -> Result<(), Error> {
    let remote = Arc::new(MemorySchemaRegistry::new());
    let records = written_elsewhere(remote.clone())?;

    let cache = Arc::new(SchemaCache::default());
    let settings = Settings::default().with_schema_registry(cache.clone());
    let decoder = Table::from_ddl(DDL)?.source(&settings)?.decoder();
    let client = Client { remote: &remote, cache: &cache };
    let (left, right) = records.split_at(records.len() / 2);
    let partitions = [read_partition(0, left, &decoder, client), read_partition(1, right, &decoder, client)];
    run_all(partitions.map(|partition| Box::pin(partition) as _).into())
}

/// Reads the records of a partition, and waits only where a schema is missing.
async fn read_partition(
    partition: i32,
    records: &[KeyValue],
    decoder: &Decoder,
    client: Client<'_>,
) -> Result<(), Error> {
    let mut buf = DecodeBuf::new();
    for (key, value) in records {
        let record = ConsumerRecord::new(Some(key), Some(value));
        while let Some(id) = decoder.missing_schema(&record) {
            println!("partition {partition}: schema {id} is asked for");
            client.fetch(id).await?; // an error that `is_transient` is for trying again after a while
        }
        for (kind, row) in decoder.decode(&record, &mut buf)?.rows() {
            println!("partition {partition}: {kind} {row:?}");
        }
    }
    Ok(())
}

/// The schemas that were fetched.
#[derive(Debug, Default)]
struct SchemaCache {
    schemas: Mutex<HashMap<i32, RegisteredSchema>>,
    versions: Mutex<HashMap<(String, i32), RegisteredSchema>>,
}

/// What the decoder asks. Nothing here waits.
impl SchemaRegistry for SchemaCache {
    fn register(&self, _subject: &str, _schema: &str) -> Result<i32, Error> {
        Err(Error::new(ErrorKind::Refused, "the cache only reads"))
    }

    fn schema(&self, id: i32) -> Result<RegisteredSchema, Error> {
        let schema = self.schemas.lock().expect("no panic").get(&id).cloned();
        schema.ok_or_else(|| Error::new(ErrorKind::NoSchema, format!("schema {id} is not here yet")))
    }

    fn version(&self, subject: &str, version: i32) -> Result<RegisteredSchema, Error> {
        let schema = self.versions.lock().expect("no panic").get(&(subject.to_owned(), version)).cloned();
        schema.ok_or_else(|| {
            Error::new(ErrorKind::NoSchema, format!("version {version} of {subject} is not here yet"))
        })
    }
}

/// Brings schemas from the registry into the cache.
#[derive(Clone, Copy)]
struct Client<'a> {
    remote: &'a MemorySchemaRegistry,
    cache: &'a SchemaCache,
}

impl Client<'_> {
    /// Fetches a schema and all that it refers to, itself last: then the decoder finds all it needs.
    async fn fetch(self, id: i32) -> Result<(), Error> {
        let schema = self.get(|remote| remote.schema(id)).await?;
        let mut wanted = schema.references.clone();
        while let Some(reference) = wanted.pop() {
            let version = self.get(|remote| remote.version(&reference.subject, reference.version)).await?;
            wanted.extend(version.references.iter().cloned());
            let name = (reference.subject, reference.version);
            self.cache.versions.lock().expect("no panic").insert(name, version);
        }
        self.cache.schemas.lock().expect("no panic").insert(id, schema);
        Ok(())
    }

    /// A request, whose answer is not there at once.
    async fn get<T>(self, request: impl Fn(&MemorySchemaRegistry) -> Result<T, Error>) -> Result<T, Error> {
        let mut polls = 0;
        std::future::poll_fn(|_| {
            polls += 1;
            if polls < 3 { Poll::Pending } else { Poll::Ready(()) }
        })
        .await;
        request(self.remote)
    }
}

/// A reader of a partition.
type Task<'a> = Pin<Box<dyn Future<Output = Result<(), Error>> + 'a>>;

/// Runs the tasks in turn until all are done: in place of a runtime.
fn run_all(mut tasks: Vec<Task<'_>>) -> Result<(), Error> {
    let mut context = Context::from_waker(Waker::noop());
    while !tasks.is_empty() {
        let mut waiting = Vec::new();
        for mut task in tasks {
            match pin!(&mut task).poll(&mut context) {
                Poll::Ready(done) => done?,
                Poll::Pending => waiting.push(task),
            }
        }
        tasks = waiting;
    }
    Ok(())
}

/// Key and value of a record.
type KeyValue = (Vec<u8>, Vec<u8>);

/// Records of another program, whose schemas are in the registry.
fn written_elsewhere(registry: Arc<MemorySchemaRegistry>) -> Result<Vec<KeyValue>, Error> {
    let encoder = Table::from_ddl(DDL)?.sink(&Settings::default().with_schema_registry(registry))?.encoder();
    let mut buf = RecordBuf::new();
    let mut records = Vec::new();
    for (user, region) in [(7, "EU"), (8, "US"), (9, "EU"), (7, "APAC")] {
        let row = [Datum::BigInt(user), Datum::String(region)];
        let record = encoder.encode(RowKind::Insert, &row, &mut buf)?.expect("an insert is a record");
        records.push((record.key.unwrap_or_default().into(), record.value.unwrap_or_default().into()));
    }
    Ok(records)
}
