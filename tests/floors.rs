//! The floors of `docs/architecture.md`: a module imports from its own folder and from lower floors, never from a
//! neighbour on its floor and never upward.

use std::fs;
use std::path::{Path, PathBuf};

/// Floor by floor from the ground; `lib.rs` and `adapters` stand on top of them all and may import anything.
const FLOORS: [&[&str]; 5] = [
    &["wire", "text", "error"],
    &["row", "types", "partition"],
    &["format", "record", "fixture", "state"],
    &["table"],
    &["sink", "source", "compacted"],
];
const TOP: [&str; 2] = ["lib", "adapters"];

#[test]
fn imports_only_go_down() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&root, &mut files);
    assert!(files.len() > 10, "src is read: {files:?}");
    let climbing: Vec<String> = files
        .iter()
        .flat_map(|path| {
            let source = fs::read_to_string(path).expect("a source file is UTF-8");
            let file = path.strip_prefix(&root).expect("the file is in src");
            violations(file, &source)
        })
        .collect();
    assert!(climbing.is_empty(), "imports that climb:\n{}", climbing.join("\n"));
}

#[test]
fn the_check_sees_what_climbs() {
    let seen = |file: &str, source: &str| violations(Path::new(file), source).len();
    assert_eq!(seen("row/buf.rs", "use crate::error::Error;\nuse crate::row::Datum;\nuse super::Row;"), 0);
    assert_eq!(seen("row/buf.rs", "use crate::types::RowType;"), 1, "a neighbour");
    assert_eq!(
        seen("row/buf.rs", "use crate::{\n    error::Error,\n    sink::{Encoder, Plan},\n};"),
        1,
        "in a group"
    );
    assert_eq!(seen("row/buf.rs", "fn f() -> crate::table::Table {}"), 1, "a path in code");
    assert_eq!(seen("row/buf.rs", "use super::super::types::RowType;"), 1, "by way of the parents");
    assert_eq!(seen("row/buf.rs", "use crate::Datum;"), 1, "a re-export hides its floor");
    assert_eq!(
        seen("row/buf.rs", "/// As [`Table`](crate::table::Table).\n// crate::sink"),
        0,
        "not in comments"
    );
    assert_eq!(seen("lib.rs", "pub use crate::sink::Encoder;"), 0);
}

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("src is readable") {
        let path = entry.expect("src is readable").path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// The imports of `file` (its path in `src`) that go elsewhere than down.
fn violations(file: &Path, source: &str) -> Vec<String> {
    let module = file.iter().next().expect("a file has a name").to_string_lossy();
    let module = module.strip_suffix(".rs").unwrap_or(&module);
    if TOP.contains(&module) {
        return Vec::new();
    }
    let show = file.display();
    let Some(own_floor) = floor_of(module) else {
        return vec![format!("{show}: `{module}` is on no floor; name it in tests/floors.rs")];
    };
    let code = without_comments(source);
    let climbs = imported_modules(&code)
        .into_iter()
        .filter(|name| name != module && floor_of(name).is_none_or(|floor| floor >= own_floor))
        .map(|name| format!("{show}: `{module}` (floor {own_floor}) imports crate::{name}"));
    let escapes = code
        .lines()
        .filter(|line| line.contains(&"super::".repeat(depth(file))) && !line.starts_with(' '))
        .map(|line| format!("{show}: leaves its module: {line}"));
    climbs.chain(escapes).collect()
}

fn floor_of(module: &str) -> Option<usize> {
    FLOORS.iter().position(|floor| floor.contains(&module))
}

/// How many modules the file is below the crate's root: so many `super::` reach it.
fn depth(file: &Path) -> usize {
    file.components().count() - usize::from(file.ends_with("mod.rs"))
}

/// No string literal of ours holds `//`, or it says nothing about imports: cutting at it is exact enough.
fn without_comments(source: &str) -> String {
    source.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n")
}

/// The first name behind every `crate::`, and of each member of a `crate::{...}` group. `$crate::` in a macro is
/// the user's path to the root, not an import of ours.
fn imported_modules(code: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (at, path) in code.match_indices("crate::") {
        let before = code[..at].chars().next_back();
        if before.is_some_and(|before| before == '$' || before == '_' || before.is_alphanumeric()) {
            continue;
        }
        let rest = &code[at + path.len()..];
        match rest.strip_prefix('{') {
            Some(group) => names.extend(members(group)),
            None => names.push(first_name(rest)),
        }
    }
    names
}

/// The first names of the members of an import group, given what stands behind its opening brace.
fn members(group: &str) -> Vec<String> {
    let (mut names, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => {
                names.push(first_name(&group[start..at]));
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                names.push(first_name(&group[start..at]));
                start = at + 1;
            }
            _ => {}
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

fn first_name(path: &str) -> String {
    path.trim_start()
        .chars()
        .take_while(|character| character.is_alphanumeric() || *character == '_')
        .collect()
}
