//! What Flink's planner and the connector put in front of a sink's encoder.

use upsert_kafka::{
    BufferFlush, ChangelogBuf, ChangelogNormalizer, Error, RecordBuf, ReduceBuffer, Retractions, RowBuf,
    RowKind, Table, UpsertMaterializer,
};

use super::Case;
use super::encode::Encoder;

/// What reaches the encoder, and the number of rows of each flush where there are flushes.
#[derive(Default)]
pub struct Arrivals {
    pub changes: Vec<(RowKind, RowBuf)>,
    pub flush_sizes: Vec<usize>,
}

/// Sends `changes` through the operator of the case, if it has one.
pub fn before_sink(
    case: &Case,
    table: &Table,
    encoder: &Encoder,
    changes: Vec<(RowKind, RowBuf)>,
) -> Result<Arrivals, Error> {
    if let Some(flush) = table.sink()?.buffer_flush() {
        return reduce(case, encoder, flush, &changes);
    }
    let columns = changes.first().map_or(0, |(_, row)| row.columns());
    let key = table.schema().primary_key().map_or(&[][..], |key| key.columns());
    let mut out = ChangelogBuf::new();
    if case.id().starts_with("sink-materialize") {
        // The changelog's own key is the sink's here, so the planner does without -U.
        let mut materializer = UpsertMaterializer::new(columns, key).with_upsert_key(key);
        for (kind, row) in changes.iter().filter(|(kind, _)| *kind != RowKind::UpdateBefore) {
            materializer.apply(*kind, row, &mut out)?;
        }
    } else if case.id().starts_with("sink-mode-upsert") {
        let normalizer = ChangelogNormalizer::new(columns, key);
        let mut normalizer = normalizer.with_retractions(Retractions::Deletes);
        for (kind, row) in &changes {
            normalizer.apply(*kind, row, 0, &mut out)?;
        }
    } else {
        return Ok(Arrivals { changes, flush_sizes: Vec::new() });
    }
    let changes = out.iter().map(|(kind, row)| (kind, row.clone())).collect();
    Ok(Arrivals { changes, flush_sizes: Vec::new() })
}

/// The planner keeps `-U` from the buffer. A row that was held back finds the timer due once it is buffered.
fn reduce(
    case: &Case,
    encoder: &Encoder,
    flush: BufferFlush,
    changes: &[(RowKind, RowBuf)],
) -> Result<Arrivals, Error> {
    let mut arrivals = Arrivals::default();
    let mut drain = |buffer: &mut ReduceBuffer, now_ms| {
        arrivals.flush_sizes.extend(Some(buffer.len()).filter(|size| *size > 0));
        buffer.drain(now_ms, |reduced| {
            arrivals.changes.push((reduced.kind, reduced.row.clone()));
            Ok::<(), Error>(())
        })
    };
    let columns = changes.first().map_or(0, |(_, row)| row.columns());
    let mut buffer = ReduceBuffer::new(columns, flush, 0);
    let mut record = RecordBuf::new();
    let mut now_ms = 0;
    for (index, (kind, row)) in changes.iter().enumerate() {
        now_ms += case.get("pause_ms_before_row")[index.to_string()].as_i64().unwrap_or(0);
        if *kind == RowKind::UpdateBefore {
            continue;
        }
        let key = encoder.encode(*kind, row, &mut record)?.and_then(|record| record.key);
        buffer.put(key.expect("an upsert has a key"), *kind, row, None);
        if buffer.should_flush(now_ms) {
            drain(&mut buffer, now_ms)?;
        }
    }
    drain(&mut buffer, now_ms)?;
    Ok(arrivals)
}
