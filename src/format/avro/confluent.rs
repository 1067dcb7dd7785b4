//! `avro-confluent`: a datum behind a zero byte and the id of its schema in a registry.

use std::sync::{Arc, OnceLock};

use super::encode::RowWriter;
use super::encode_binary::BinaryEmit;
use super::options::{AvroTimestamps, ConfluentOptions};
use super::registry::SchemaRegistry;
use super::schema::AvroSchema;
use crate::error::{Error, ErrorKind};
use crate::format::{EncodeRow, Encoded, FormatSettings, Projection};
use crate::row::{Row, RowKind};
use crate::types::Field;

/// What a record starts with.
const MAGIC: u8 = 0;

/// Writes the projected columns of a row as one Avro datum behind the id of its schema, which is registered with the
/// first row.
///
/// Agrees with `org.apache.flink.formats.avro.RegistryAvroSerializationSchema` and `ConfluentSchemaRegistryCoder`.
#[derive(Clone, Debug)]
pub(crate) struct ConfluentEncoder {
    rows: RowWriter,
    registry: Arc<dyn SchemaRegistry>,
    subject: String,
    id: OnceLock<i32>,
}

impl ConfluentEncoder {
    /// # Errors
    ///
    /// Flink's, for columns that have no schema or do not fit the one given; and without a registry.
    pub(crate) fn new(
        projection: Projection<'_>,
        options: &ConfluentOptions,
        settings: FormatSettings<'_>,
    ) -> Result<Self, Error> {
        let schema = schema_of(projection.fields, options)?;
        let registry = registry(settings)?;
        let subject = options.subject.clone().unwrap_or_default();
        Ok(Self {
            rows: RowWriter::new(schema, projection, settings),
            registry,
            subject,
            id: OnceLock::new(),
        })
    }

    #[cold]
    fn register(&self) -> Result<i32, Error> {
        let id = self.registry.register(&self.subject, &self.rows.schema.to_string()).map_err(|error| {
            Error::new(ErrorKind::Service, "Could not register schema in registry").with_source(error)
        })?;
        Ok(*self.id.get_or_init(|| id))
    }
}

impl EncodeRow for ConfluentEncoder {
    fn encode<R: Row + ?Sized>(&self, _kind: RowKind, row: &R, out: &mut Vec<u8>) -> Result<Encoded, Error> {
        let id = match self.id.get() {
            Some(id) => *id,
            None => self.register()?,
        };
        out.push(MAGIC);
        out.extend_from_slice(&id.to_be_bytes());
        self.rows.write(row, &mut BinaryEmit { out })?;
        Ok(Encoded::Bytes)
    }
}

/// The schema of the option, which must be one of the columns; otherwise the one that is derived from them.
pub(super) fn schema_of(fields: &[Field], options: &ConfluentOptions) -> Result<AvroSchema, Error> {
    let Some(text) = &options.schema else {
        return AvroSchema::of_fields(fields, AvroTimestamps::Legacy);
    };
    let schema = AvroSchema::parse(text).map_err(|error| {
        Error::new(ErrorKind::Table, "Could not parse Avro schema string.").with_source(error)
    })?;
    if schema.is_of(fields) {
        return Ok(schema);
    }
    let message =
        format!("Schema provided for 'avro-confluent' format does not match the table schema: {text}");
    Err(Error::new(ErrorKind::Table, message))
}

fn registry(settings: FormatSettings<'_>) -> Result<Arc<dyn SchemaRegistry>, Error> {
    settings.schema_registry.cloned().ok_or_else(|| {
        Error::new(ErrorKind::Table, "the format 'avro-confluent' needs a schema registry")
            .with_help("give one with `Settings::schema_registry`")
    })
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;
    use crate::format::avro::MemorySchemaRegistry;
    use crate::row::Datum;
    use crate::text::Jdk;
    use crate::types::LogicalType;

    /// Fails the first time, and counts what it is asked.
    #[derive(Debug)]
    struct Reluctant {
        registry: MemorySchemaRegistry,
        asked: AtomicU32,
    }

    impl Reluctant {
        fn new() -> Arc<Self> {
            Arc::new(Self { registry: MemorySchemaRegistry::with_first_id(7), asked: AtomicU32::new(0) })
        }

        fn answer<T>(
            &self,
            answer: impl FnOnce() -> Result<T, Box<dyn std::error::Error + Send + Sync>>,
        ) -> Result<T, Box<dyn std::error::Error + Send + Sync>> {
            match self.asked.fetch_add(1, Ordering::Relaxed) {
                0 => Err("the registry is away".into()),
                _ => answer(),
            }
        }
    }

    impl SchemaRegistry for Reluctant {
        fn register(
            &self,
            subject: &str,
            schema: &str,
        ) -> Result<i32, Box<dyn std::error::Error + Send + Sync>> {
            self.answer(|| self.registry.register(subject, schema))
        }

        fn schema(&self, id: i32) -> Result<String, Box<dyn std::error::Error + Send + Sync>> {
            self.answer(|| self.registry.schema(id))
        }
    }

    fn settings(registry: &Arc<dyn SchemaRegistry>) -> FormatSettings<'_> {
        FormatSettings {
            jdk: Jdk::default(),
            avro_true_micros: true,
            avro_json_line_feeds: false,
            schema_registry: Some(registry),
        }
    }

    fn options() -> ConfluentOptions {
        ConfluentOptions { subject: Some("t-value".to_owned()), schema: None, client: Default::default() }
    }

    #[test]
    fn a_schema_is_registered_once_and_again_after_a_failure() {
        let registry = Reluctant::new();
        let shared: Arc<dyn SchemaRegistry> = registry.clone();
        let fields = [Field::new("k", LogicalType::Int.not_null())];
        let projection = Projection { fields: &fields, columns: &[0], metadata: &[] };
        let encoder = ConfluentEncoder::new(projection, &options(), settings(&shared)).unwrap();
        assert_eq!(registry.asked.load(Ordering::Relaxed), 0, "before the first row nothing is registered");

        let mut out = Vec::new();
        let error = encoder.encode(RowKind::Insert, &[Datum::Int(1)], &mut out).unwrap_err();
        assert_eq!(
            (error.kind(), error.message()),
            (ErrorKind::Service, "Could not register schema in registry")
        );
        assert_eq!(error.source().unwrap().to_string(), "the registry is away");
        for _ in 0..3 {
            out.clear();
            encoder.encode(RowKind::Insert, &[Datum::Int(1)], &mut out).unwrap();
            assert_eq!(out, [0, 0, 0, 0, 7, 2]);
        }
        assert_eq!(registry.asked.load(Ordering::Relaxed), 2);
    }
}
