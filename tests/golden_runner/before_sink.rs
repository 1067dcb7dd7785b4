//! What Flink's planner and the connector put in front of a sink's encoder.

use serde_json::Value;
use upsert_kafka::sink::ReduceBuffer;
use upsert_kafka::source::Retractions;
use upsert_kafka::state::Changes;
use upsert_kafka::{ChangelogNormalizer, Encoder, Error, RecordBuf, RowBuf, RowKind, TableSink};

use super::Case;
use super::table::list;

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
        return reduce(case, &sink.encoder(), buffer, &changes);
    }
    let layout = sink.layout();
    let key = layout.primary_key();
    let mut arrivals = Arrivals::default();
    if is_materialized(case, &changes) {
        let materializer = sink.materializer().expect("a primary key");
        // By default the changelog's own key is the sink's, and then the planner does without -U.
        let has_key = input_key(case).is_none_or(|key| !key.is_empty());
        let mut materializer = if has_key { materializer.with_upsert_key(key) } else { materializer };
        for (kind, row) in changes.iter().filter(|(kind, _)| !has_key || *kind != RowKind::UpdateBefore) {
            arrivals.add(materializer.apply(*kind, row, 0)?);
        }
    } else if is_upsert(case) {
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

/// Whether the planner materializes: where it is told to, or where rows of other keys may meet in one of the sink's.
/// `ON CONFLICT DO DEDUPLICATE` allows what it refuses without.
fn is_materialized(case: &Case, changes: &[(RowKind, RowBuf)]) -> bool {
    match case.setting("table.exec.sink.upsert-materialize") {
        Some("NONE") => false,
        Some("FORCE") => true,
        _ => {
            let inserts_alone = changes.iter().all(|(kind, _)| *kind == RowKind::Insert);
            let same_key = input_key(case).is_none_or(|key| key == list(&case.get("table")["primary_key"]));
            !inserts_alone && !same_key
        }
    }
}

/// The key of the changelog that is fed; `None` is the sink's.
fn input_key(case: &Case) -> Option<&[Value]> {
    case.get("input_primary_key").as_array().map(Vec::as_slice)
}

/// Whether the changelog that is fed has no `-U`: then the planner makes it whole first.
fn is_upsert(case: &Case) -> bool {
    let mode = case.get("input_changelog_mode").as_str().unwrap_or_default();
    mode.contains("UPDATE_AFTER") && !mode.contains("UPDATE_BEFORE")
}

/// The planner keeps `-U` from the buffer. A row that was held back finds the timer due once it is buffered.
fn reduce(
    case: &Case,
    encoder: &Encoder,
    mut buffer: ReduceBuffer,
    changes: &[(RowKind, RowBuf)],
) -> Result<Arrivals, Error> {
    let mut arrivals = Arrivals::default();
    let mut note = |flushed: Changes<'_>| {
        arrivals.flush_sizes.extend(Some(flushed.len()).filter(|size| *size > 0));
        arrivals.add(flushed);
    };
    let (mut now_ms, mut record) = (0, RecordBuf::new());
    for (index, (kind, row)) in changes.iter().enumerate() {
        now_ms += case.get("pause_ms_before_row")[index.to_string()].as_i64().unwrap_or(0);
        // The enforcer stands before the buffer, too.
        if *kind != RowKind::UpdateBefore && encoder.encode(*kind, row, &mut record)?.is_some() {
            note(buffer.apply(*kind, row, now_ms)?);
        }
    }
    note(buffer.flush(now_ms));
    Ok(arrivals)
}
