//! What Flink's planner and the connector put in front of a sink's encoder.

use upsert_kafka::sink::ReduceBuffer;
use upsert_kafka::source::Retractions;
use upsert_kafka::state::Changes;
use upsert_kafka::{ChangelogNormalizer, Error, RowBuf, RowKind, TableSink};

use super::Case;

/// What reaches the encoder, and the number of rows of each flush where there are flushes.
#[derive(Default)]
pub struct Arrivals {
    pub changes: Vec<(RowKind, RowBuf)>,
    pub flush_sizes: Vec<usize>,
}

impl Arrivals {
    fn add(&mut self, changes: Changes<'_>) {
        self.changes.extend(changes.map(|(kind, row)| (kind, row.clone())));
    }
}

/// Sends `changes` through the operator of the case, if it has one.
pub fn before_sink(
    case: &Case,
    sink: &TableSink,
    changes: Vec<(RowKind, RowBuf)>,
) -> Result<Arrivals, Error> {
    if let Some(buffer) = sink.reduce_buffer(0) {
        return reduce(case, buffer, &changes);
    }
    let layout = sink.layout();
    let key = layout.primary_key();
    let mut arrivals = Arrivals::default();
    if case.id().starts_with("sink-materialize") {
        // The changelog's own key is the sink's here, so the planner does without -U.
        let mut materializer = sink.materializer().expect("a primary key").with_upsert_key(key);
        for (kind, row) in changes.iter().filter(|(kind, _)| *kind != RowKind::UpdateBefore) {
            arrivals.add(materializer.apply(*kind, row, 0)?);
        }
    } else if case.id().starts_with("sink-mode-upsert") {
        let normalizer = ChangelogNormalizer::new(layout.columns().len(), key);
        let mut normalizer = normalizer.with_retractions(Retractions::Deletes);
        for (kind, row) in &changes {
            arrivals.add(normalizer.apply(*kind, row, 0)?);
        }
    } else {
        arrivals.changes = changes;
    }
    Ok(arrivals)
}

/// The planner keeps `-U` from the buffer. A row that was held back finds the timer due once it is buffered.
fn reduce(case: &Case, mut buffer: ReduceBuffer, changes: &[(RowKind, RowBuf)]) -> Result<Arrivals, Error> {
    let mut arrivals = Arrivals::default();
    let mut note = |flushed: Changes<'_>| {
        arrivals.flush_sizes.extend(Some(flushed.len()).filter(|size| *size > 0));
        arrivals.add(flushed);
    };
    let mut now_ms = 0;
    for (index, (kind, row)) in changes.iter().enumerate() {
        now_ms += case.get("pause_ms_before_row")[index.to_string()].as_i64().unwrap_or(0);
        if *kind != RowKind::UpdateBefore {
            note(buffer.apply(*kind, row, now_ms)?);
        }
    }
    note(buffer.flush(now_ms));
    Ok(arrivals)
}
