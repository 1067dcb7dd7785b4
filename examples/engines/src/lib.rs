//! DataFusion on topics of upsert-kafka: a table provider made from the `CREATE TABLE` of Flink SQL.
//!
//! `INSERT INTO topic SELECT ..` encodes in parallel, each writer the rows of its keys; `SELECT .. FROM topic` decodes
//! the topic's partitions in parallel and gives the table's current rows. The topic is a folder or at a broker.

mod broker;
mod folder;
mod insert;
mod scan;
mod table;
mod topic_log;
mod upsert;

pub use table::TopicTable;
