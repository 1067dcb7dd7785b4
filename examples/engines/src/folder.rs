use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use upsert_kafka::record::Producer;
use upsert_kafka::{Limits, RecordBatches};

use crate::topic_log::{BoxError, TopicLog, TopicWriter};
use crate::upsert::batch_folder::{self, BatchFolder};
use crate::upsert::named::named;

/// A topic in a folder, a file of batches a partition, as the example `upsert` writes and reads it.
#[derive(Debug)]
pub struct Folder {
    /// One thread at a time has a file.
    files: Arc<[Mutex<PathBuf>]>,
}

impl Folder {
    /// The topic at `path`, with `partitions` if it is not there yet.
    pub fn open(path: &Path, partitions: i32) -> io::Result<Self> {
        if !path.exists() {
            BatchFolder::create(path, partitions)?.finish()?;
        }
        let refuse = |why: String| Err(in_file(io::Error::other(why), path));
        if !path.is_dir() {
            return refuse("it is not a folder".to_owned());
        }
        let mut files = Vec::new();
        for (expected, (partition, file)) in (0..).zip(batch_folder::files(path)?) {
            if partition != expected {
                return refuse(format!("partition {expected} is missing"));
            }
            files.push(Mutex::new(file));
        }
        Ok(Self { files: files.into() })
    }
}

impl TopicLog for Folder {
    fn partitions(&self) -> i32 {
        i32::try_from(self.files.len()).unwrap_or(i32::MAX)
    }

    fn writer(&self) -> io::Result<Box<dyn TopicWriter>> {
        Ok(Box::new(Self { files: Arc::clone(&self.files) }))
    }

    fn read(
        &self,
        partition: i32,
        each: &mut dyn FnMut(&mut RecordBatches<'_>, i64) -> Result<(), BoxError>,
    ) -> Result<(), BoxError> {
        let bytes = {
            let path = locked(&self.files, partition)?;
            fs::read(&*path).map_err(|error| in_file(error, &path))?
        };
        let mut batches = RecordBatches::new(&bytes, Limits::default());
        each(&mut batches, 0)?;
        match batches.rest().len() {
            0 => Ok(()),
            rest => Err(format!("partition {partition}: the last {rest} bytes are not a whole batch").into()),
        }
    }
}

impl TopicWriter for Folder {
    fn producer(&self) -> Option<Producer> {
        None
    }

    fn append(&mut self, partition: i32, batch: &Bytes) -> io::Result<()> {
        let path = locked(&self.files, partition)?;
        let append = || {
            let mut file = OpenOptions::new().append(true).open(&*path)?;
            let len = file.metadata()?.len();
            // All of it or nothing, as far as the disk lets us.
            file.write_all(batch).inspect_err(|_| drop(file.set_len(len)))
        };
        append().map_err(|error| in_file(error, &path))
    }
}

fn in_file(error: io::Error, path: &Path) -> io::Error {
    named(error, &path.display().to_string())
}

fn locked(files: &[Mutex<PathBuf>], partition: i32) -> io::Result<MutexGuard<'_, PathBuf>> {
    let file = usize::try_from(partition).ok().and_then(|partition| files.get(partition));
    let file = file.ok_or_else(|| io::Error::other(format!("the topic has no partition {partition}")))?;
    Ok(file.lock().unwrap_or_else(PoisonError::into_inner))
}
