use std::io::Write;
use std::time::{Duration, Instant};

/// A bar for input that takes a while.
pub struct Progress<'a> {
    out: Option<&'a mut dyn Write>,
    start: Instant,
    due: Instant,
}

/// A look at the clock for so many rows.
const ROWS: u64 = 1024;
const INTERVAL: Duration = Duration::from_millis(100);
const WIDTH: usize = 40;

impl<'a> Progress<'a> {
    pub fn new(shown: bool, out: &'a mut dyn Write) -> Self {
        let start = Instant::now();
        Self { out: shown.then_some(out), start, due: start + 5 * INTERVAL }
    }

    /// So many rows are done; `share` says how much of the whole that is, from 0 to 1, where it is known.
    pub fn advance(&mut self, rows: u64, share: impl FnOnce() -> Option<f64>) {
        if let Some(out) = &mut self.out
            && rows.is_multiple_of(ROWS)
            && self.due <= Instant::now()
        {
            let _ = write!(out, "\r{}", line(rows, self.start.elapsed(), share()));
            let _ = out.flush();
            self.due = Instant::now() + INTERVAL;
        }
    }
}

impl Drop for Progress<'_> {
    fn drop(&mut self) {
        if let Some(out) = &mut self.out {
            let _ = write!(out, "\r\x1b[K"); // clears the line
        }
    }
}

pub fn per_second(count: u64, elapsed: Duration) -> u64 {
    let nanos = elapsed.as_nanos().max(1);
    u64::try_from(u128::from(count) * 1_000_000_000 / nanos).unwrap_or(u64::MAX)
}

fn line(rows: u64, elapsed: Duration, share: Option<f64>) -> String {
    let rate = per_second(rows, elapsed);
    let Some(share) = share else { return format!("{rows} rows, {rate} rows/s ") };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of the width")]
    let done = (share.clamp(0.0, 1.0) * WIDTH as f64) as usize;
    let (done, left) = ("#".repeat(done), "-".repeat(WIDTH - done));
    format!("[{done}{left}] {:3.0} %, {rows} rows, {rate} rows/s ", share * 100.0)
}
