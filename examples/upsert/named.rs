use std::io;

/// An error of a file, with its name.
pub fn named(error: io::Error, name: &str) -> io::Error {
    io::Error::new(error.kind(), format!("{name}: {error}"))
}
