use crate::error::{Error, ErrorKind};

/// How much the rows of one record may still become.
///
/// Most of what a record holds takes memory in proportion to its bytes. Rows and nested rows do not: `{}` is as wide as
/// the table says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowBudget {
    max_rows: usize,
    max_bytes: usize,
    rows: usize,
    bytes: usize,
    is_exceeded: bool,
    has_too_many_rows: bool,
}

impl RowBudget {
    pub(crate) fn new(max_rows: usize, max_bytes: usize) -> Self {
        Self {
            max_rows,
            max_bytes,
            rows: max_rows,
            bytes: max_bytes,
            is_exceeded: false,
            has_too_many_rows: false,
        }
    }

    /// Takes a row.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`] if there have been as many as may be.
    #[inline]
    pub(crate) fn take_row(&mut self) -> Result<(), Error> {
        self.take_rows(1)
    }

    /// Takes as many rows.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`] if there have been as many as may be.
    #[inline]
    pub(crate) fn take_rows(&mut self, count: usize) -> Result<(), Error> {
        match self.rows.checked_sub(count) {
            Some(rows) => self.rows = rows,
            None => return Err(self.too_many_rows()),
        }
        Ok(())
    }

    /// Puts back a row that has been taken.
    pub(crate) fn put_row_back(&mut self) {
        self.rows += 1;
    }

    /// Takes the bytes of a row that is complete.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`] if there are not so many left.
    #[inline]
    pub(crate) fn take_bytes(&mut self, bytes: usize) -> Result<(), Error> {
        match self.bytes.checked_sub(bytes) {
            Some(bytes) => self.bytes = bytes,
            None => return Err(self.too_large()),
        }
        Ok(())
    }

    /// The bytes that the next row may take.
    #[inline]
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Fails if something before has failed for the budget, even if the format has passed over the error.
    #[inline]
    pub(crate) fn check(&mut self) -> Result<(), Error> {
        if !self.is_exceeded {
            return Ok(());
        }
        Err(if self.has_too_many_rows { self.too_many_rows() } else { self.too_large() })
    }

    #[cold]
    fn too_many_rows(&mut self) -> Error {
        self.is_exceeded = true;
        self.has_too_many_rows = true;
        let message = format!("the record holds more rows than the limit of {}", self.max_rows);
        Error::new(ErrorKind::Limit, message).with_help("`Limits::max_rows` of the decoder allows more")
    }

    #[cold]
    pub(crate) fn too_large(&mut self) -> Error {
        self.is_exceeded = true;
        let message = format!("the rows of the record take more than the limit of {} bytes", self.max_bytes);
        Error::new(ErrorKind::Limit, message).with_help("`Limits::max_row_bytes` of the decoder allows more")
    }
}

#[cfg(test)]
impl Default for RowBudget {
    fn default() -> Self {
        Self::new(usize::MAX, usize::MAX)
    }
}
