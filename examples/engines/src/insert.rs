use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use datafusion::arrow::array::{RecordBatch, UInt64Array};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::common::Result;
use datafusion::common::runtime::SpawnedTask;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::functions_aggregate::sum::sum_udaf;
use datafusion::physical_expr::aggregate::AggregateExprBuilder;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{
    Distribution, EquivalenceProperties, OrderingRequirements, Partitioning, PhysicalExpr,
};
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode, PhysicalGroupBy};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    ChildrenPropertiesMode, DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties,
    InputDistributionRequirements, PlanProperties, ReplaceChildrenOptions,
};
use futures::{StreamExt, stream};
use upsert_kafka::adapters::arrow::ArrowRows;
use upsert_kafka::sink::ReduceBuffer;
use upsert_kafka::state::Changes;
use upsert_kafka::{Error, RecordAccumulator, TableSink};

use crate::table::external;
use crate::topic_log::{TopicLog, TopicWriter};
use crate::upsert::clock::now_ms;

/// How batches of Arrow become records of a topic.
#[derive(Clone, Debug)]
pub struct Rows {
    pub sink: TableSink,
    pub rows: ArrowRows,
    /// Of the columns to write, in the batches.
    pub places: Vec<usize>,
    pub log: Arc<dyn TopicLog>,
}

/// The plan of an `INSERT`, which answers how many rows there were.
pub fn plan(rows: Rows, input: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    let counts: Arc<dyn ExecutionPlan> = Arc::new(InsertExec::new(rows, input));
    let schema = counts.schema();
    let sum = AggregateExprBuilder::new(sum_udaf(), vec![Arc::new(Column::new(COUNT, 0))])
        .schema(Arc::clone(&schema))
        .alias(COUNT)
        .build()?;
    let (nothing, no_filter) = (PhysicalGroupBy::new_single(vec![]), vec![None]);
    let sum = AggregateExec::try_new(
        AggregateMode::Single,
        nothing,
        vec![Arc::new(sum)],
        no_filter,
        counts,
        schema,
    )?;
    Ok(Arc::new(sum))
}

const COUNT: &str = "count";

/// Writes each partition of its input by itself, and answers how many rows it had. All rows of a key come to one
/// partition, in the order that the query asked for.
#[derive(Debug)]
struct InsertExec {
    rows: Rows,
    input: Arc<dyn ExecutionPlan>,
    /// That of the query's `ORDER BY`.
    order: Option<OrderingRequirements>,
    properties: Arc<PlanProperties>,
}

impl InsertExec {
    fn new(rows: Rows, input: Arc<dyn ExecutionPlan>) -> Self {
        let order = input.output_ordering().cloned().map(Into::into);
        Self::with_order(rows, input, order)
    }

    fn with_order(rows: Rows, input: Arc<dyn ExecutionPlan>, order: Option<OrderingRequirements>) -> Self {
        let schema = Schema::new(vec![Field::new(COUNT, DataType::UInt64, false)]);
        let properties = PlanProperties::new(
            EquivalenceProperties::new(Arc::new(schema)),
            Partitioning::UnknownPartitioning(input.output_partitioning().partition_count()),
            input.pipeline_behavior(),
            input.boundedness(),
        );
        Self { rows, input, order, properties: Arc::new(properties) }
    }
}

impl ExecutionPlan for InsertExec {
    fn name(&self) -> &str {
        "InsertExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        let layout = self.rows.sink.layout();
        let key = layout.primary_key().iter().map(|&column| {
            let name = &layout.columns()[column].name;
            Arc::new(Column::new(name, self.rows.places[column])) as Arc<dyn PhysicalExpr>
        });
        InputDistributionRequirements::new(vec![Distribution::KeyPartitioned(key.collect())])
    }

    fn required_input_ordering(&self) -> Vec<Option<OrderingRequirements>> {
        vec![self.order.clone()]
    }

    /// In what is written.
    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn replace_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
        _options: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let input = children.swap_remove(0);
        Ok(Arc::new(Self::with_order(self.rows.clone(), input, self.order.clone())))
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
    }

    fn apply_expressions(
        &self,
        _each: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let input = self.input.execute(partition, context)?;
        let count = write(self.rows.clone(), partition, input, self.schema());
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), stream::once(count))))
    }
}

impl DisplayAs for InsertExec {
    fn fmt_as(&self, _format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let topics = self.rows.sink.layout().topics().unwrap_or_default();
        write!(f, "InsertExec: topic={}, partitions={}", topics.join(";"), self.rows.log.partitions())
    }
}

async fn write(
    of: Rows,
    partition: usize,
    mut input: SendableRecordBatchStream,
    schema: Arc<Schema>,
) -> Result<RecordBatch> {
    let log = Arc::clone(&of.log);
    let mut writer = blocking(move || log.writer()).await?;
    // What is full is sent after each batch of Arrow, whose size is the engine's choice.
    let mut batches = of.sink.accumulator(of.log.partitions()).with_buffer_memory(usize::MAX);
    batches = batches.with_subtask(u32::try_from(partition).unwrap_or_default());
    if let Some(producer) = writer.producer() {
        batches = batches.with_producer(producer);
    }
    let mut buffer = of.sink.reduce_buffer(now_ms());
    let mut count = 0;
    while let Some(batch) = input.next().await.transpose()? {
        append(&of, &batch.project(&of.places)?, buffer.as_mut(), &mut batches).map_err(external)?;
        count += batch.num_rows() as u64;
        writer = send(writer, batches.drain().collect()).await?;
    }
    if let Some(buffer) = &mut buffer {
        let now_ms = now_ms();
        append_changes(buffer.flush(now_ms), now_ms, &mut batches).map_err(external)?;
    }
    let rest = batches.flush().map_err(external)?.collect();
    send(writer, rest).await?;
    Ok(RecordBatch::try_new(schema, vec![Arc::new(UInt64Array::from(vec![count]))])?)
}

/// By way of the buffer, where the table has `sink.buffer-flush.*`.
fn append(
    of: &Rows,
    batch: &RecordBatch,
    mut buffer: Option<&mut ReduceBuffer>,
    batches: &mut RecordAccumulator,
) -> std::result::Result<(), Error> {
    let now_ms = now_ms();
    for (kind, row) in of.rows.rows(batch)?.iter() {
        match &mut buffer {
            None => batches.append(kind, &row, now_ms)?,
            Some(buffer) => append_changes(buffer.apply(kind, &row, now_ms)?, now_ms, batches)?,
        }
    }
    Ok(())
}

fn append_changes(
    changes: Changes<'_>,
    now_ms: i64,
    batches: &mut RecordAccumulator,
) -> std::result::Result<(), Error> {
    for (kind, row) in changes {
        batches.append(kind, row, now_ms)?;
    }
    Ok(())
}

async fn send(mut writer: Box<dyn TopicWriter>, batches: Vec<(i32, Bytes)>) -> Result<Box<dyn TopicWriter>> {
    if batches.is_empty() {
        return Ok(writer);
    }
    blocking(move || {
        for (partition, batch) in &batches {
            writer.append(*partition, batch)?;
        }
        Ok(writer)
    })
    .await
}

/// Disks and brokers take a thread of their own, so that the engine's go on.
async fn blocking<T: Send + 'static>(
    call: impl FnOnce() -> std::io::Result<T> + Send + 'static,
) -> Result<T> {
    Ok(SpawnedTask::spawn_blocking(call).join().await.map_err(external)??)
}
