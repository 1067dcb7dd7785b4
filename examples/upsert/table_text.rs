use std::path::Path;
use std::{fs, io};

use upsert_kafka::Error;
use upsert_kafka::table::RecordLayout;

use super::changelog::BadInput;
use super::named::named;
use super::sample::Sample;

/// A `CREATE TABLE`, and the name of its file.
pub struct TableText {
    pub name: String,
    pub text: String,
}

impl TableText {
    pub fn of_sample(sample: &Sample) -> Self {
        Self { name: format!("{}.sql", sample.name), text: sample.table.to_owned() }
    }

    pub fn open(path: &Path) -> io::Result<Self> {
        let name = path.display().to_string();
        let text = fs::read_to_string(path).map_err(|error| named(error, &name))?;
        Ok(Self { name, text })
    }

    /// The table is none that can be written or read: `error` says why.
    pub fn bad_input(&self, error: &Error) -> BadInput {
        BadInput::in_table(&self.name, &self.text, error)
    }

    /// The topic of the table, which has to have one.
    pub fn only_topic(&self, layout: &RecordLayout) -> Result<String, String> {
        match layout.topics() {
            Some([topic]) => Ok(topic.clone()),
            _ => Err(format!("{}: the example takes tables of one topic", self.name)),
        }
    }
}
