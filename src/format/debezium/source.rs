/// Where changes come from: what the `source` block of Debezium's events says of it.
///
/// Agrees with `io.debezium.connector.AbstractSourceInfo`; what is one database's alone (`lsn`, `gtid`, ...) is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
// Exhaustive: callers make it, and what one database alone has is left out.
pub struct DebeziumSource<'a> {
    /// `version`: that of the program that writes the events.
    pub version: &'a str,
    /// `connector`: the database's kind, such as `postgresql`.
    pub connector: &'a str,
    /// `name`: Debezium's `topic.prefix`.
    pub name: &'a str,
    /// `db`.
    pub database: &'a str,
    /// `schema`, of databases that have schemas.
    pub schema: Option<&'a str>,
    /// `table`.
    pub table: &'a str,
}
