//! What every public type promises: to cross threads, to be shown, and, where a user would want it, to be cloned.

use std::error::Error as _;
use std::fmt::Debug;
use std::fs;
use std::path::Path;

#[cfg(feature = "testing")]
use upsert_kafka::compacted::*;
use upsert_kafka::error::*;
use upsert_kafka::fixture::*;
use upsert_kafka::format::*;
use upsert_kafka::partition::*;
use upsert_kafka::record::*;
use upsert_kafka::row::*;
use upsert_kafka::sink::*;
use upsert_kafka::source::*;
use upsert_kafka::state::*;
use upsert_kafka::table::*;
use upsert_kafka::types::*;

/// Traits and functions, which promise nothing by themselves.
const NO_TYPES: [&str; 9] = [
    "AsDatum",
    "FromDatum",
    "FromRow",
    "NamedRow",
    "Partitioner",
    "Row",
    "SchemaRegistry",
    "StateStore",
    "ValueSource",
];

macro_rules! hold {
    ($promise:ident: $($type:ty),+ $(,)?) => { $($promise::<$type>();)+ };
}

fn crosses_threads<T: Send + Sync + Debug>() {}
fn is_cloned<T: Clone + Send + Sync + Debug>() {}
fn is_copied<T: Copy + Send + Sync + Debug>() {}

#[test]
fn types_cross_threads_are_shown_and_mostly_cloned() {
    hold!(crosses_threads: BackoffRegistry<MemorySchemaRegistry, fn() -> i64>, Error, MemorySchemaRegistry, ChangelogNormalizer, Changes<'_>, RecordAccumulator);
    hold!(is_cloned:
        AvroSchema, ChangelogBuf, ChangelogIter<'_>, Column, ColumnKind, DataType, DeadLetter,
        DebeziumDecoder, DebeziumEncoder, DebeziumSettings, DecodeBuf, Decoder, DefaultPartitioner, Encoder, EntriesIter<'_>, Field, FixedPartitioner, HeadersBuf, HeadersIter<'_>, JsonRows,
        KeyRulePartitioner, LibrdkafkaConfig, Lint, LocalTimeZone, LogicalType, MemoryStore, OwnedRecord,
        PrimaryKey, Properties, RecordBatch<'_>, RecordBatchBuilder, RecordBatches<'_>, RecordBuf, RecordLayout,
        Records<'_>, RegisteredSchema, SchemaReference, ReduceBuffer, RoundRobinPartitioner, RowBuf, RowBufIter<'_>, RowType, Settings, SinkPartitioner, StartupMode,
        BoundedMode, Table, TableOptions, TableSchema, TableSchemaBuilder, TableSink, TableSource, UpdatePairs,
        UpsertMaterializer, ValuesIter<'_>, VersionedTable, Watermark,
    );
    hold!(is_copied:
        AbortedTransaction, AvroTimestamps, BufferFlush, ChangelogMode, ColumnShape, Compression, Connector, ConsumerRecord<'_>, Datum<'_>, DatumKind,
        DayTimeInterval, FlinkRelease, DebeziumBytes, DebeziumDecimals, DebeziumShape, DebeziumTimes, MissingBefore, UnavailableValue, DebeziumChange<'_, RowBuf>, DebeziumSource<'_>, Decimal, DecodeStats, Decoded<'_>, DeleteTime,
        DeliveryGuarantee, Entries<'_>, ErrorKind, Header<'_>, Headers<'_>, Jdk, KeyRule, Limits, LintKind, MovedKey<&[u8]>, NotNullEnforcer, NullInKey, Part,
        PartitionInput<'_>, Producer, Record<'_>,
        Retractions, RowKind, Shape, SkipReason, Timestamp, TimestampType, TransactionNamingStrategy,
        UpdateBefore, ValueFieldsInclude, Values<'_>, WritableMetadata, YearMonthInterval,
    );
    #[cfg(feature = "testing")]
    hold!(is_cloned: CompactedLog, LogRecord);
}

#[test]
fn every_public_type_is_held_to_its_promise() {
    let held = include_str!("promises.rs");
    let types: Vec<String> = MODULES
        .iter()
        .flat_map(|module| exports(&source_of(module)))
        .filter(|name| name.starts_with(char::is_uppercase))
        .collect();
    assert!(types.len() > 80, "the modules are read: {types:?}");
    let is_held = |name: &&String| held.split(|c: char| !c.is_alphanumeric()).any(|word| word == *name);
    let forgotten: Vec<_> =
        types.iter().filter(|name| !NO_TYPES.contains(&name.as_str()) && !is_held(name)).collect();
    assert!(forgotten.is_empty(), "add these to the test above: {forgotten:?}");
}

/// The pages of the documentation.
const MODULES: [&str; 14] = [
    "adapters",
    "compacted",
    "cookbook",
    "error",
    "fixture",
    "format",
    "partition",
    "record",
    "row",
    "sink",
    "source",
    "state",
    "table",
    "types",
];

/// What is to be had without the name of a module: what the README and the front page use, and `impl_row!`.
const ROOT: [&str; 27] = [
    "ChangelogNormalizer",
    "ConsumerRecord",
    "Datum",
    "Decimal",
    "DecodeBuf",
    "Decoded",
    "Decoder",
    "Encoder",
    "Error",
    "ErrorKind",
    "Jdk",
    "Limits",
    "Record",
    "RecordAccumulator",
    "RecordBatches",
    "RecordBuf",
    "Row",
    "RowBuf",
    "RowKind",
    "Settings",
    "Table",
    "TableSink",
    "TableSource",
    "Timestamp",
    "UpdateBefore",
    "partition_for_key",
    "produce_requests",
];

#[test]
fn the_root_has_the_names_of_this_list_alone() {
    let library = source_of("lib");
    let mut names = exports(&library);
    names.sort_unstable();
    assert_eq!(names, ROOT, "a new name belongs into its module");
    let modules = library.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
    assert_eq!(modules.collect::<Vec<_>>(), MODULES);
}

/// The source of a module of the root.
fn source_of(module: &str) -> String {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let file = [src.join(format!("{module}.rs")), src.join(module).join("mod.rs")];
    let file = file.iter().find(|file| file.exists()).expect("a module of ours");
    fs::read_to_string(file).expect("a source file is UTF-8")
}

/// The names that a module exports: those of its `pub use`, or what it holds itself.
fn exports(source: &str) -> Vec<String> {
    let of_use = source.split("\npub use ").skip(1).filter_map(|export| {
        let path = export.split(';').next()?;
        Some(path.rsplit("::").next()?.trim_matches(['{', '}']))
    });
    let names = of_use.flat_map(|names| names.split(',')).map(str::trim).filter(|name| !name.is_empty());
    let items = ["struct ", "enum ", "trait "].into_iter().flat_map(|item| {
        let items = source.lines().filter_map(move |line| line.strip_prefix("pub ")?.strip_prefix(item));
        items.filter_map(|item| item.split(|c: char| !c.is_alphanumeric()).next())
    });
    names.chain(items).map(str::to_owned).collect()
}

#[test]
fn what_may_grow_is_non_exhaustive_or_says_why_it_never_will() {
    let mut files = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    let (mut exhaustive, mut seen) = (Vec::new(), 0);
    while let Some(path) = files.pop() {
        if path.is_dir() {
            files.extend(
                fs::read_dir(path).expect("src is readable").map(|entry| entry.expect("an entry").path()),
            );
            continue;
        }
        let source = fs::read_to_string(&path).expect("a source file is UTF-8");
        for (at, item) in ["\npub enum ", "\npub struct "].iter().flat_map(|item| source.match_indices(item))
        {
            let (head, body) = (&source[..at], &source[at + item.len()..]);
            let fields = body.split("\n}").next().unwrap_or_default();
            let has_private_field = item.contains("struct")
                && (!body.split('\n').next().unwrap_or_default().ends_with('{')
                    || fields.lines().skip(1).any(|line| {
                        line.starts_with("    ")
                            && !line.trim_start().starts_with(['/', '#'])
                            && !line.starts_with("    pub ")
                    }));
            if has_private_field {
                continue;
            }
            seen += 1;
            let before = head.lines().rev().take_while(|line| line.starts_with(['#', '/']));
            let says = ["#[non_exhaustive]", "// Exhaustive: "];
            if !before.into_iter().any(|line| says.iter().any(|start| line.starts_with(start))) {
                exhaustive
                    .push(body.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_owned());
            }
        }
    }
    assert!(seen > 30, "src is read: {seen}");
    assert!(exhaustive.is_empty(), "`#[non_exhaustive]`, or a comment `// Exhaustive: why`: {exhaustive:?}");
}

#[test]
fn an_error_tells_its_source() {
    let cause = std::io::Error::other("the registry is away");
    let error = Error::new(ErrorKind::Unavailable, "no schema for subject t-value").with_source(cause);
    assert_eq!(error.to_string(), "no schema for subject t-value: the registry is away");
    assert_eq!(error.source().expect("a source").to_string(), "the registry is away");
    let boxed: Box<dyn std::error::Error + Send + Sync + 'static> = error.into();
    assert!(boxed.downcast_ref::<Error>().is_some_and(|error| error.kind() == ErrorKind::Unavailable));
}

/// What a library without I/O, threads and clock does not name, outside of its unit tests.
const OUTSIDE: [&str; 8] = ["env", "fs", "net", "os", "process", "thread", "io", "time"];
/// What is in there and reaches nothing.
const HARMLESS: [&str; 4] = ["io::Error", "io::Read", "io::Write", "time::Duration"];
/// Sources that hold tests alone.
const TESTS: [&str; 2] = ["tests.rs", "options_reference.rs"];

#[test]
fn the_library_names_no_files_sockets_threads_clock_or_environment() {
    let mut named = Vec::new();
    paths_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut named);
    assert!(named.iter().any(|(_, path)| path.starts_with("fmt")), "src is read: {named:?}");
    let is_outside = |path: &str| {
        OUTSIDE.contains(&path.split("::").next().unwrap_or_default())
            && !HARMLESS.iter().any(|harmless| path.starts_with(harmless))
    };
    let outside: Vec<_> = named.iter().filter(|(_, path)| is_outside(path)).collect();
    assert!(outside.is_empty(), "{outside:?}");
}

#[test]
fn the_search_sees_what_is_named() {
    let source = "use std::{fmt, fs::{self, File}};\nlet now = std::time::Instant::now(); // std::net";
    assert_eq!(std_paths(source), ["fmt", "fs::self", "fs::File", "time::Instant::now"]);
}

/// What the sources of a folder name of `std`, with the file.
fn paths_of(folder: &Path, named: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).expect("a folder of the repository") {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            paths_of(&path, named);
        } else {
            let source = fs::read_to_string(&path).expect("a source is text");
            if TESTS.iter().any(|tests| path.ends_with(tests)) {
                continue;
            }
            let source = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            named.extend(std_paths(source).into_iter().map(|name| (path.display().to_string(), name)));
        }
    }
}

/// The paths into `std` that the code names, groups of imports resolved.
fn std_paths(source: &str) -> Vec<String> {
    let code: Vec<&str> = source.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let code = code.join(" ");
    let mut paths = Vec::new();
    for rest in code.split("std::").skip(1) {
        resolve("", &mut rest.trim_start(), &mut paths);
    }
    paths
}

/// Reads a path, or a group of them in braces, and adds `start` before each.
fn resolve(start: &str, rest: &mut &str, paths: &mut Vec<String>) {
    if let Some(group) = rest.strip_prefix('{') {
        *rest = group;
        while !rest.starts_with('}') && !rest.is_empty() {
            resolve(start, rest, paths);
            *rest = rest.trim_start_matches([',', ' ']);
        }
        *rest = rest.strip_prefix('}').unwrap_or(rest);
        return;
    }
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').unwrap_or(rest.len());
    let (path, after) = rest.split_at(end);
    *rest = after;
    match path.strip_suffix("::").filter(|_| after.starts_with('{')) {
        Some(parent) => resolve(&format!("{start}{parent}::"), rest, paths),
        None => paths.push(format!("{start}{path}")),
    }
    // A path that is none: a glob, a type's parameters.
    if end == 0 {
        *rest = rest.get(1..).unwrap_or_default();
    }
}
