use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::{Result, not_impl_err};
use datafusion::error::DataFusionError;
use datafusion::logical_expr::dml::InsertOp;
use datafusion::logical_expr::{Expr, TableType, lit};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::streaming::{PartitionStream, StreamingTableExec};
use upsert_kafka::adapters::arrow::ArrowRows;
use upsert_kafka::table::Connector;
use upsert_kafka::{Settings, Table, TableSink, TableSource};

use crate::broker::Broker;
use crate::folder::Folder;
use crate::insert::{self, Rows};
use crate::scan::Partitions;
use crate::topic_log::{BoxError, TopicLog};

/// A topic of upsert-kafka as a table of DataFusion.
///
/// `INSERT INTO` upserts: of rows with one key the last one stays. `SELECT` gives the rows that the topic adds up to.
#[derive(Debug)]
pub struct TopicTable {
    sink: TableSink,
    source: TableSource,
    topic: String,
    log: Arc<dyn TopicLog>,
    kinds: Option<String>,
    insert: Expr,
    schema: SchemaRef,
}

impl TopicTable {
    /// The topic of a `CREATE TABLE` in the folder at `path`, with `partitions` if it is not there yet.
    pub fn in_folder(ddl: &str, path: &Path, partitions: i32) -> Result<Self> {
        Self::new(ddl, |_, _| Ok(Arc::new(Folder::open(path, partitions)?)))
    }

    /// The topic of a `CREATE TABLE` at the broker that it names, with `partitions` if it is not there yet.
    ///
    /// Waits for the broker's answers, and so blocks its thread: in a task call it by `spawn_blocking`.
    pub fn at_broker(ddl: &str, partitions: i32) -> Result<Self> {
        Self::new(ddl, |source, topic| Ok(Arc::new(Broker::open(source, topic, partitions)?)))
    }

    fn new(
        ddl: &str,
        log: impl FnOnce(&TableSource, &str) -> Result<Arc<dyn TopicLog>, BoxError>,
    ) -> Result<Self> {
        let table = Table::from_ddl(ddl).map_err(external)?;
        if table.connector() != Connector::UpsertKafka {
            return not_impl_err!("a table whose connector is not upsert-kafka");
        }
        let sink = table.sink(&Settings::default()).map_err(external)?;
        let source = table.source(&Settings::default()).map_err(external)?;
        let Some([topic]) = source.layout().topics() else {
            return not_impl_err!("a table of several topics");
        };
        let topic = topic.clone();
        let log = log(&source, &topic).map_err(external)?;
        let schema = source.arrow_rows().schema();
        Ok(Self { sink, source, topic, log, kinds: None, insert: lit("+I"), schema })
    }

    /// The same with one more column for the kind of each row, such as `+U`: a `-D` becomes a tombstone. An `INSERT`
    /// that leaves it out inserts, and what is read are inserts.
    #[must_use]
    pub fn with_kinds(mut self, column: &str) -> Self {
        self.kinds = Some(column.to_owned());
        self.schema = self.with_kinds_of(self.source.arrow_rows()).schema();
        self
    }

    fn with_kinds_of(&self, rows: ArrowRows) -> ArrowRows {
        match &self.kinds {
            Some(column) => rows.with_kinds(column),
            None => rows,
        }
    }
}

#[async_trait]
impl TableProvider for TopicTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn get_column_default(&self, column: &str) -> Option<&Expr> {
        (self.kinds.as_deref() == Some(column)).then_some(&self.insert)
    }

    /// As many streams as the session wants partitions, each over partitions of the topic of its own.
    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        _filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let rows = Arc::new(self.with_kinds_of(self.source.arrow_rows()));
        let source = Arc::new(self.source.clone());
        let streams =
            state.config().target_partitions().min(usize::try_from(self.log.partitions()).unwrap_or(1));
        let streams = (0..streams).map(|stream| {
            Arc::new(Partitions {
                source: Arc::clone(&source),
                topic: self.topic.clone(),
                log: Arc::clone(&self.log),
                rows: Arc::clone(&rows),
                schema: self.schema(),
                partitions: (0..self.log.partitions()).skip(stream).step_by(streams).collect(),
            }) as Arc<dyn PartitionStream>
        });
        let plan =
            StreamingTableExec::try_new(self.schema(), streams.collect(), projection, [], false, limit)?;
        Ok(Arc::new(plan))
    }

    async fn insert_into(
        &self,
        _state: &dyn Session,
        input: Arc<dyn ExecutionPlan>,
        op: InsertOp,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if op != InsertOp::Append {
            return not_impl_err!("{op} of a topic");
        }
        let columns = self.sink.layout().columns().iter().map(|column| column.name.as_str());
        let places = columns.chain(self.kinds.as_deref()).map(|column| self.schema.index_of(column));
        let rows = Rows {
            sink: self.sink.clone(),
            rows: self.with_kinds_of(self.sink.arrow_rows()),
            places: places.collect::<Result<_, _>>()?,
            log: Arc::clone(&self.log),
        };
        insert::plan(rows, input)
    }
}

pub fn external(error: impl Into<BoxError>) -> DataFusionError {
    DataFusionError::External(error.into())
}
