use std::fmt;
use std::sync::Arc;

use crate::error::{Error, ErrorKind};

/// An error that is the source of many.
#[derive(Clone, Debug)]
pub(super) struct KeptError(Arc<Error>);

impl KeptError {
    pub(super) fn new(error: Error) -> Self {
        Self(Arc::new(error))
    }

    pub(super) fn kind(&self) -> ErrorKind {
        self.0.kind()
    }
}

impl fmt::Display for KeptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for KeptError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}
