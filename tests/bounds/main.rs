//! A small record takes small memory and small time, whoever wrote it.
//!
//! Memory is the peak that an allocator counts. Time is the sum of all bytes that were ever taken, and the time that the
//! thread was on a processor. Both have to follow the bytes of the input, and what [`Limits`] allow.

#[path = "../counting/mod.rs"]
#[allow(unsafe_code, reason = "an allocator that counts is one")]
mod counting;

mod batches;
mod records;
mod schemas;
mod stages;
mod tables;

use std::time::{Duration, Instant};

use counting::{TAKEN_BYTES, peak_bytes};
use upsert_kafka::{ConsumerRecord, DecodeBuf, Decoder, Limits, Settings, Table};

const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];

/// What a byte of input may take, and what a reader may take in any case.
const BYTES_A_BYTE: usize = 64;
const BYTES_IN_ANY_CASE: usize = 64 << 10;

/// Ten times the input may take so many times the bytes: a buffer that doubles grows by powers of two, here by 2^4.
const TIMES: usize = 16;

/// And the largest input so many times the time of the one before: what is linear takes 10 times as long, what is
/// quadratic 100 times. The rest is caches, and a machine that does other things. Smaller inputs say little: a reader may
/// go about long ones in another way.
const TIMES_OF_TIME: u32 = 30;

/// Less than this is not measured.
const MEASURABLE: Duration = Duration::from_millis(3);

/// What the rows of a key, of a value and of both may take; a vector that doubles holds twice as much while it moves.
const ROW_BYTES: usize = 1 << 20;
const ALLOWED_BYTES: usize = 3 * 2 * ROW_BYTES;

/// Runs `read` on inputs of all sizes: the peak is bounded, and what is taken in all, and the time, grow no faster than
/// the input.
fn assert_bounded<I: AsRef<[u8]>, T>(
    what: &str,
    allowed_bytes: usize,
    input: impl Fn(usize) -> I,
    read: impl Fn(&I) -> T,
) {
    let mut before: Option<(usize, Duration)> = None;
    for size in SIZES {
        let input = input(size);
        let len = input.as_ref().len();
        let start = TAKEN_BYTES.get();
        let mut time = processor_time();
        let peak = peak_bytes(|| read(&input));
        time = processor_time() - time;
        let taken = TAKEN_BYTES.get() - start;
        let most = BYTES_A_BYTE * len + BYTES_IN_ANY_CASE + allowed_bytes;
        assert!(peak <= most, "{what}: {len} bytes make a reader hold {peak}, more than {most}");
        if let Some((taken_before, time_before)) = before {
            let most = TIMES * taken_before.max(BYTES_IN_ANY_CASE);
            assert!(taken <= most, "{what}: {len} bytes make a reader take {taken} in all, more than {most}");
            let most = TIMES_OF_TIME * time_before.max(MEASURABLE);
            let is_slow = |time: &Duration| size == SIZES[2] && *time > most;
            for _ in 0..3 {
                if is_slow(&time) {
                    time = processor_time();
                    read(&input);
                    time = processor_time() - time;
                }
            }
            assert!(!is_slow(&time), "{what}: {len} bytes take {time:?}, more than {most:?}");
        }
        before = Some((taken, time));
    }
}

/// How long the thread has been on a processor; where the system does not say, how long it has been there.
fn processor_time() -> Duration {
    thread_local! {
        static START: Instant = Instant::now();
    }
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = times.and_then(|times| times.split(' ').next()?.parse().ok());
    nanos.map_or_else(|| START.with(Instant::elapsed), Duration::from_nanos)
}

/// What `run` answers, and all bytes that it takes.
fn taken_by<T>(run: impl FnOnce() -> T) -> (T, usize) {
    let before = TAKEN_BYTES.get();
    (run(), TAKEN_BYTES.get() - before)
}

/// A start, a part as often as it takes to reach `size`, and an end.
fn repeated(start: &str, part: &str, end: &str, size: usize) -> Vec<u8> {
    [start, &part.repeat(size.div_ceil(part.len())), end].concat().into_bytes()
}

/// A start, parts with a number each until there are `size` bytes, and an end.
fn numbered(start: &str, part: impl Fn(usize) -> String, end: &str, size: usize) -> Vec<u8> {
    let mut text = start.to_owned();
    (0..)
        .take_while(|number| {
            text += &part(*number);
            text.len() < size
        })
        .for_each(drop);
    text += end;
    text.into_bytes()
}

/// `c0 INT, c1 INT, ..`
fn columns(count: usize) -> String {
    (0..count).map(|column| format!("c{column} INT")).collect::<Vec<_>>().join(", ")
}

fn table(columns: &str, options: &str) -> Table {
    let connector = if columns.contains("PRIMARY KEY") {
        "'connector' = 'upsert-kafka'"
    } else {
        "'connector' = 'kafka', 'scan.startup.mode' = 'earliest-offset'"
    };
    let table = Table::from_ddl(&format!(
        "CREATE TABLE t ({columns}) WITH ({connector}, 'topic' = 't', \
         'properties.bootstrap.servers' = 'b:9092', {options})"
    ));
    table.expect("a table")
}

fn decoder_with(columns: &str, options: &str, settings: &Settings) -> Decoder {
    let decoder = table(columns, options).source(settings).expect("a source").decoder();
    decoder.with_limits(Limits::default().with_max_row_bytes(ROW_BYTES))
}

fn decoder(columns: &str, options: &str) -> Decoder {
    decoder_with(columns, options, &Settings::default())
}

/// What a decoder makes of values of all sizes is bounded.
fn assert_values_bounded(what: &str, decoder: &Decoder, value: impl Fn(usize) -> Vec<u8>) {
    assert_bounded(what, ALLOWED_BYTES, value, |value| {
        let mut buf = DecodeBuf::new();
        let _ = decoder.decode(&ConsumerRecord::new(None, Some(value)), &mut buf);
        buf
    });
}
