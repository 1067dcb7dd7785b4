//! The folder of batches and the client of the example `upsert`.

#[allow(dead_code, reason = "it writes a folder at once")]
#[path = "../../upsert/batch_folder.rs"]
pub mod batch_folder;
#[path = "../../upsert/clock.rs"]
pub mod clock;
#[path = "../../upsert/connection.rs"]
pub mod connection;
#[allow(dead_code, reason = "it reports on itself")]
#[path = "../../upsert/kafka_topic.rs"]
pub mod kafka_topic;
#[path = "../../upsert/named.rs"]
pub mod named;
