use crate::error::{Error, ErrorKind, Part};
use crate::row::{ChangelogBuf, Row, RowBuf};
use crate::table::{Connector, NullInKey, RecordLayout};

/// What is done about rows whose primary key has a NULL in it.
#[derive(Clone, Debug)]
pub(super) struct NullInKeyCheck {
    policy: NullInKey,
    /// The columns of the primary key, position and name; none where nobody looks.
    columns: Box<[(usize, Box<str>)]>,
    part: Part,
}

impl NullInKeyCheck {
    pub(super) fn new(policy: NullInKey, layout: &RecordLayout) -> Self {
        let key = layout.primary_key().iter().filter(|_| policy != NullInKey::Row);
        let part = match layout.connector() {
            Connector::UpsertKafka => Part::Key,
            Connector::Kafka => Part::Value,
        };
        Self {
            policy,
            columns: key.map(|&column| (column, layout.columns()[column].name.as_str().into())).collect(),
            part,
        }
    }

    /// Leaves the rows that may be handed out.
    ///
    /// # Errors
    ///
    /// Where the policy says so.
    #[inline(always)]
    pub(super) fn apply(&self, rows: &mut ChangelogBuf) -> Result<(), Error> {
        if self.columns.is_empty() { Ok(()) } else { self.look(rows) }
    }

    #[inline(never)]
    fn look(&self, rows: &mut ChangelogBuf) -> Result<(), Error> {
        let null_in = |row: &RowBuf| self.columns.iter().find(|(column, _)| row.datum(*column).is_null());
        match rows.iter().find_map(|(_, row)| null_in(row)) {
            Some((_, name)) if self.policy == NullInKey::Error => {
                let message = "the record has NULL in a column of the primary key";
                Err(Error::new(ErrorKind::Data, message).in_column(name).with_part(self.part))
            }
            Some(_) => {
                rows.retain(|row| null_in(row).is_none());
                Ok(())
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::ConsumerRecord;
    use crate::row::RowKind;
    use crate::source::{DecodeBuf, SkipReason};
    use crate::table::{Settings, Table};

    const UPSERTS: &str = "CREATE TABLE t (a STRING, n INT, PRIMARY KEY (a) NOT ENFORCED) WITH (
        'connector' = 'upsert-kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'b:9092',
        'key.format' = 'json', 'value.format' = 'json', 'value.fields-include' = 'EXCEPT_KEY')";
    const EVENTS: &str = "CREATE TABLE t (n INT, a STRING, PRIMARY KEY (n, a) NOT ENFORCED) WITH (
        'connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'b:9092',
        'format' = 'debezium-json',
        'scan.startup.mode' = 'earliest-offset')";

    /// The kinds of the rows, or why there are none, or the error.
    fn decoded(ddl: &str, policy: NullInKey, record: &ConsumerRecord<'_>) -> Result<Vec<RowKind>, String> {
        let settings = Settings::default().with_null_in_key(policy);
        let decoder = Table::from_ddl(ddl).unwrap().source(&settings).unwrap().decoder();
        let mut buf = DecodeBuf::new();
        let decoded = decoder.decode(record, &mut buf).map_err(|error| error.to_string())?;
        match decoded.skipped() {
            Some(reason) => Err(reason.as_str().to_owned()),
            None => Ok(decoded.rows().map(|(kind, _)| kind).collect()),
        }
    }

    #[test]
    fn a_null_in_the_key_is_a_row_as_in_flink_or_skipped_or_an_error() {
        for (value, kind) in [(Some(&br#"{"n":1}"#[..]), RowKind::Insert), (None, RowKind::Delete)] {
            let record = ConsumerRecord::new(Some(br#"{"a":null}"#), value);
            assert_eq!(decoded(UPSERTS, NullInKey::Row, &record), Ok(vec![kind]));
            assert_eq!(decoded(UPSERTS, NullInKey::Skip, &record), Err("null_in_key".to_owned()));
            let error = "key, column `a`: the record has NULL in a column of the primary key";
            assert_eq!(decoded(UPSERTS, NullInKey::Error, &record), Err(error.to_owned()));
        }
        let record = ConsumerRecord::new(Some(br#"{"a":"x"}"#), Some(br#"{"n":null}"#));
        for policy in [NullInKey::Row, NullInKey::Skip, NullInKey::Error] {
            assert_eq!(decoded(UPSERTS, policy, &record), Ok(vec![RowKind::Insert]), "{policy:?}");
        }
    }

    #[test]
    fn of_a_records_rows_those_with_a_null_in_the_key_are_skipped() {
        let event = br#"{"before":{"n":1,"a":null},"after":{"n":1,"a":"x"},"op":"u"}"#;
        let record = ConsumerRecord::new(None, Some(event));
        let update = vec![RowKind::UpdateBefore, RowKind::UpdateAfter];
        assert_eq!(decoded(EVENTS, NullInKey::Row, &record), Ok(update));
        assert_eq!(decoded(EVENTS, NullInKey::Skip, &record), Ok(vec![RowKind::UpdateAfter]));
        let error = "value, column `a`: the record has NULL in a column of the primary key";
        assert_eq!(decoded(EVENTS, NullInKey::Error, &record), Err(error.to_owned()));
        assert_eq!(SkipReason::NullInKey.as_str(), "null_in_key");
    }
}
