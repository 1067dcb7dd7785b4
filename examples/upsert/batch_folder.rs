use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::named::named;

/// Of the names of the files, in front of the partition.
const PREFIX: &str = "partition-";

/// A folder of record batches, a file a partition, which appears when it is complete: it is written beside its place
/// and renamed. What is not finished is removed.
pub struct BatchFolder {
    path: PathBuf,
    partial: PathBuf,
    partitions: i32,
}

impl BatchFolder {
    /// Begins what is to become the folder at `path`, where nothing is yet but perhaps an empty folder.
    pub fn create(path: &Path, partitions: i32) -> io::Result<Self> {
        let shown = path.display().to_string();
        if is_taken(path).map_err(|error| named(error, &shown))? {
            return Err(named(io::Error::other("it is there already, and not empty"), &shown));
        }
        let mut name =
            path.file_name().ok_or_else(|| named(io::Error::other("not a name"), &shown))?.to_owned();
        name.push(".partial");
        let partial = path.with_file_name(name);
        fs::create_dir(&partial).map_err(|error| named(error, &partial.display().to_string()))?;
        Ok(Self { path: path.to_owned(), partial, partitions })
    }

    pub fn append(&mut self, partition: i32, batch: &[u8]) -> io::Result<()> {
        self.open(partition).and_then(|mut file| file.write_all(batch)).map_err(|error| self.named(error))
    }

    /// Lets the folder appear, with an empty file for each partition without records.
    pub fn finish(self) -> io::Result<()> {
        let finish = || {
            for partition in 0..self.partitions {
                self.open(partition)?;
            }
            if self.path.exists() {
                fs::remove_dir(&self.path)?; // it is empty
            }
            fs::rename(&self.partial, &self.path)
        };
        finish().map_err(|error| self.named(error))
    }

    fn open(&self, partition: i32) -> io::Result<File> {
        let path = self.partial.join(format!("{PREFIX}{partition}"));
        OpenOptions::new().create(true).append(true).open(path)
    }

    fn named(&self, error: io::Error) -> io::Error {
        named(error, &self.path.display().to_string())
    }
}

impl Drop for BatchFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.partial); // which is not there any more when it was finished
    }
}

/// The files of the folder at `path` with their partitions, in order; or what is there else.
pub fn files(path: &Path) -> io::Result<Vec<(i32, PathBuf)>> {
    if !path.is_dir() {
        return Ok(vec![(partition_of(path).unwrap_or(0), path.to_owned())]);
    }
    let list = || {
        let mut files = Vec::new();
        for entry in fs::read_dir(path)? {
            let path = entry?.path();
            files.extend(partition_of(&path).map(|partition| (partition, path)));
        }
        files.sort();
        if files.is_empty() {
            return Err(io::Error::other(format!("it holds no file {PREFIX}0, nor of another partition")));
        }
        Ok(files)
    };
    list().map_err(|error| named(error, &path.display().to_string()))
}

fn partition_of(path: &Path) -> Option<i32> {
    path.file_name()?.to_str()?.strip_prefix(PREFIX)?.parse().ok()
}

fn is_taken(path: &Path) -> io::Result<bool> {
    match fs::read_dir(path) {
        Ok(mut entries) => Ok(entries.next().is_some()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}
