use crate::error::{Error, ErrorKind};
use crate::row::Row;
use crate::table::NotNullEnforcer;
use crate::types::Field;

/// Flink's constraint enforcer, which stands before every sink: no NULL in a NOT NULL column.
///
/// Agrees with `org.apache.flink.table.runtime.operators.sink.constraint.ConstraintEnforcer`.
#[derive(Clone, Debug)]
pub(super) struct NotNullCheck {
    policy: NotNullEnforcer,
    /// The NOT NULL columns: position and name.
    columns: Box<[(usize, Box<str>)]>,
}

impl NotNullCheck {
    /// `fields` are the columns of the rows to come, in order.
    pub(super) fn new<'a>(policy: NotNullEnforcer, fields: impl IntoIterator<Item = &'a Field>) -> Self {
        let columns = fields.into_iter().enumerate();
        let columns =
            columns.filter(|(_, field)| policy != NotNullEnforcer::Off && !field.data_type.nullable);
        Self {
            policy,
            columns: columns.map(|(column, field)| (column, field.name.as_str().into())).collect(),
        }
    }

    /// Whether the row may be written; `false` drops it.
    #[inline]
    pub(super) fn admits<R: Row + ?Sized>(&self, row: &R) -> Result<bool, Error> {
        match self.columns.iter().find(|(column, _)| row.is_null(*column)) {
            None => Ok(true),
            Some((_, name)) => self.violation(name),
        }
    }

    #[cold]
    fn violation(&self, name: &str) -> Result<bool, Error> {
        match self.policy {
            NotNullEnforcer::Off | NotNullEnforcer::Drop => Ok(false),
            NotNullEnforcer::Error => Err(Error::new(
                ErrorKind::Row,
                format!(
                    "Column '{name}' is NOT NULL, however, a null value is being written into it. You can set job \
                     configuration 'table.exec.sink.not-null-enforcer'='DROP' to suppress this exception and drop \
                     such records silently."
                ),
            )
            .in_column(name)
            .with_help("that is Settings::not_null_enforcer here; NotNullEnforcer::Drop drops such rows")),
        }
    }
}
