use upsert_kafka::{DecodeBuf, Decoder, Record, RecordBuf, RowBuf, RowKind};

use super::consumed::consumed;
use super::draw::Draw;
use super::table::DrawnTable;

/// The records of any table are read, and what they are read to is written and read to the same.
pub fn round_trip(data: &[u8]) {
    let mut draw = Draw::new(data);
    let Some(drawn) = DrawnTable::draw(&mut draw) else { return };
    let (sink, source) = (drawn.table.sink(&drawn.settings), drawn.table.source(&drawn.settings));
    let (Ok(sink), Ok(source)) = (sink, source) else { return };
    let (encoder, decoder) = (sink.encoder(), source.decoder());
    let (mut record, mut rows) = (RecordBuf::new(), DecodeBuf::new());
    while !draw.is_empty() {
        let (kind, row) = (drawn.row_kind(&mut draw), drawn.row(&mut draw));
        let Ok(Some(written)) = encoder.encode(kind, &row, &mut record) else { continue };
        let Some((kind, row)) = read(&decoder, &written, &mut rows) else {
            assert!(!drawn.is_lossless, "{written:?} is not read");
            continue;
        };
        if let Ok(Some(written)) = encoder.encode(kind, &row, &mut record)
            && drawn.is_lossless
        {
            let again = read(&decoder, &written, &mut rows).expect("another such record was read");
            assert_eq!(format!("{again:?}"), format!("{:?}", (kind, row)), "{written:?}");
        }
    }
}

/// The row of a record, where it holds one.
fn read(decoder: &Decoder, record: &Record<'_>, buf: &mut DecodeBuf) -> Option<(RowKind, RowBuf)> {
    let mut rows = decoder.decode(&consumed(record), buf).ok()?.rows();
    rows.next().filter(|_| rows.len() == 0).map(|(kind, row)| (kind, row.clone()))
}
