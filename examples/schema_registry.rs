//! `avro-confluent` against a registry behind HTTP, with nothing but the standard library.
//!
//! ```text
//! cargo run --example schema_registry -- localhost:8081
//! ```
//!
//! Without an address the example serves a registry of its own, in memory. The client is as small as can be: no TLS,
//! no authentication, no retries. For those implement [`SchemaRegistry`] over the HTTP client that you have.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::{env, thread};

use serde_json::{Value, json};
use upsert_kafka::format::{MemorySchemaRegistry, RegisteredSchema, SchemaReference, SchemaRegistry};
use upsert_kafka::{ConsumerRecord, Datum, DecodeBuf, Error, ErrorKind, RecordBuf, RowKind, Settings, Table};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let address = env::args().nth(1).map_or_else(serve_a_registry, Ok)?;
    let settings = Settings::default().with_schema_registry(Arc::new(HttpRegistry { address }));
    let table = Table::from_ddl(
        "CREATE TABLE pageviews (user_id BIGINT, region STRING, PRIMARY KEY (user_id) NOT ENFORCED) WITH (
           'connector' = 'upsert-kafka', 'topic' = 'pageviews', 'properties.bootstrap.servers' = 'localhost:9092',
           'key.format' = 'avro-confluent', 'key.avro-confluent.url' = 'http://localhost:8081',
           'value.format' = 'avro-confluent', 'value.avro-confluent.url' = 'http://localhost:8081')",
    )?;
    let (encoder, decoder) = (table.sink(&settings)?.encoder(), table.source(&settings)?.decoder());

    let (mut buf, mut rows) = (RecordBuf::new(), DecodeBuf::new());
    let row = [Datum::BigInt(7), Datum::String("EU")];
    let record = encoder.encode(RowKind::Insert, &row, &mut buf)?.expect("an insert is a record");
    println!("key {:02x?}\nvalue {:02x?}", record.key.unwrap_or_default(), record.value.unwrap_or_default());
    for (kind, row) in decoder.decode(&ConsumerRecord::new(record.key, record.value), &mut rows)?.rows() {
        println!("row {kind} {row:?}");
    }
    Ok(())
}

/// The requests that `avro-confluent` needs of a registry.
#[derive(Debug)]
struct HttpRegistry {
    /// `host:port`.
    address: String,
}

impl SchemaRegistry for HttpRegistry {
    fn register(&self, subject: &str, schema: &str) -> Result<i32, Error> {
        let path = format!("/subjects/{}/versions", percent_encoded(subject));
        let answer = self.request("POST", &path, &json!({ "schema": schema }).to_string())?;
        let id = answer["id"].as_i64().and_then(|id| i32::try_from(id).ok());
        id.ok_or_else(|| Error::new(ErrorKind::Refused, "an answer without an id"))
    }

    fn schema(&self, id: i32) -> Result<RegisteredSchema, Error> {
        registered_schema(&self.request("GET", &format!("/schemas/ids/{id}"), "")?)
    }

    fn version(&self, subject: &str, version: i32) -> Result<RegisteredSchema, Error> {
        let path = format!("/subjects/{}/versions/{version}", percent_encoded(subject));
        registered_schema(&self.request("GET", &path, "")?)
    }
}

impl HttpRegistry {
    /// What the registry answers. The kind of an error says what to do about it: try again, or not.
    fn request(&self, method: &str, path: &str, body: &str) -> Result<Value, Error> {
        let (status, answer) = self.exchange(method, path, body).map_err(|error| {
            Error::new(ErrorKind::Unavailable, format!("{method} {path}")).with_source(error)
        })?;
        let kind = match (status, method) {
            (200, _) => return Ok(answer),
            (404, "GET") => ErrorKind::NoSchema,
            (429 | 500.., _) => ErrorKind::Unavailable,
            _ => ErrorKind::Refused,
        };
        Err(Error::new(kind, format!("HTTP {status}: {}", answer["message"])))
    }

    /// The status and the body of a response.
    fn exchange(&self, method: &str, path: &str, body: &str) -> io::Result<(u16, Value)> {
        let mut stream = TcpStream::connect(&self.address)?;
        write!(
            stream,
            "{method} {path} HTTP/1.0\r\nHost: {}\r\nContent-Type: application/vnd.schemaregistry.v1+json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        )?;
        let mut response = String::new();
        stream.read_to_string(&mut response)?;
        let (head, body) = response.split_once("\r\n\r\n").unwrap_or((&response, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.ok_or_else(|| io::Error::other("the response is no HTTP"))?;
        Ok((status, serde_json::from_str(body).unwrap_or_default()))
    }
}

/// `{"schema": ..., "references": [{"name": ..., "subject": ..., "version": ...}]}`, the references only where there are
/// some.
fn registered_schema(answer: &Value) -> Result<RegisteredSchema, Error> {
    let malformed = || Error::new(ErrorKind::Refused, "an answer without a schema");
    let text = answer["schema"].as_str().ok_or_else(malformed)?.to_owned();
    let references = answer["references"].as_array().map_or(&[][..], Vec::as_slice).iter().map(|reference| {
        Some(SchemaReference {
            name: reference["name"].as_str()?.to_owned(),
            subject: reference["subject"].as_str()?.to_owned(),
            version: i32::try_from(reference["version"].as_i64()?).ok()?,
        })
    });
    Ok(RegisteredSchema { text, references: references.collect::<Option<_>>().ok_or_else(malformed)? })
}

/// A subject as one segment of a path.
fn percent_encoded(subject: &str) -> String {
    let encode = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    subject.bytes().map(encode).collect()
}

/// Serves a registry in memory on a free port, and answers its address.
fn serve_a_registry() -> io::Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?.to_string();
    let registry = MemorySchemaRegistry::new();
    thread::spawn(move || listener.incoming().flatten().try_for_each(|stream| answer(&registry, stream)));
    Ok(address)
}

fn answer(registry: &MemorySchemaRegistry, mut stream: TcpStream) -> io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let (mut request, mut header, mut length) = (String::new(), String::new(), 0);
    reader.read_line(&mut request)?;
    while reader.read_line(&mut header)? > 2 {
        if let Some(value) = header.strip_prefix("Content-Length: ") {
            length = value.trim().parse().unwrap_or(0);
        }
        header.clear();
    }
    let mut body = String::new();
    reader.take(length).read_to_string(&mut body)?;
    println!("{} {body}", request.trim());
    let path: Vec<&str> = request.split([' ', '/']).collect();
    let answer = match path.as_slice() {
        ["POST", "", "subjects", subject, "versions", ..] => {
            let schema = serde_json::from_str::<Value>(&body).unwrap_or_default();
            registry
                .register(subject, schema["schema"].as_str().unwrap_or_default())
                .map(|id| json!({ "id": id }))
        }
        ["GET", "", "schemas", "ids", id, ..] => {
            registry.schema(id.parse().unwrap_or(-1)).map(|schema| json!({ "schema": schema.text }))
        }
        _ => Err(Error::new(ErrorKind::NoSchema, "no such path")),
    };
    let (status, answer) = match answer {
        Ok(answer) => ("200 OK", answer),
        Err(error) => {
            let status = if error.kind() == ErrorKind::NoSchema { "404 Not Found" } else { "422 Refused" };
            (status, json!({ "message": error.to_string() }))
        }
    };
    write!(stream, "HTTP/1.0 {status}\r\n\r\n{answer}")
}
