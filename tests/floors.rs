//! The floors of `docs/architecture.md`: a module imports from its own folder and from lower floors, never from a
//! neighbour on its floor and never upward. Inside a folder, too, no files import each other in a circle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Floor by floor from the ground; `lib.rs`, `adapters` and `cookbook` stand on top of them all and may import anything.
const FLOORS: [&[&str]; 5] = [
    &["wire", "text", "error"],
    &["row", "types", "partition"],
    &["format", "record", "fixture", "state"],
    &["table"],
    &["sink", "source", "compacted"],
];
const TOP: [&str; 3] = ["lib", "adapters", "cookbook"];

#[test]
fn imports_only_go_down() {
    let climbing: Vec<String> =
        sources().iter().flat_map(|(file, source)| violations(file, source)).collect();
    assert!(climbing.is_empty(), "imports that climb:\n{}", climbing.join("\n"));
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    let circles = circles(&sources());
    assert!(circles.is_empty(), "circles of files:\n{}", circles.join("\n"));
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

#[test]
fn the_check_sees_circles() {
    let seen = |files: &[(&str, &str)]| {
        let files: BTreeMap<_, _> =
            files.iter().map(|(file, source)| (PathBuf::from(file), (*source).to_owned())).collect();
        circles(&files)
    };
    let plan = ("row/plan.rs", "use super::emit::Emit;");
    assert_eq!(
        seen(&[plan, ("row/emit.rs", "use super::plan::{Plan, Step};")]),
        ["row/emit.rs -> row/plan.rs -> row/emit.rs"]
    );
    assert_eq!(
        seen(&[plan, ("row/emit.rs", "fn f(_: &crate::row::plan::Plan) {}")]).len(),
        1,
        "a path in code"
    );
    let house = ("row/mod.rs", "mod emit;\nmod plan;\npub(crate) use self::plan::Plan;");
    assert_eq!(seen(&[plan, house, ("row/emit.rs", "use super::Plan;")]).len(), 1, "by way of a re-export");
    assert_eq!(
        seen(&[plan, house, ("row/emit.rs", "use crate::{row::Plan, wire::Cursor};")]).len(),
        1,
        "in a group"
    );
    assert_eq!(seen(&[plan, house, ("row/emit.rs", "use super::Emitter;")]).len(), 0, "of the folder itself");
    assert_eq!(
        seen(&[
            ("row/mod.rs", "mod plan;\nuse self::plan::Plan;\nstruct Row(Plan);"),
            ("row/plan.rs", "use super::Row;")
        ])
        .len(),
        1,
        "a folder that uses what it holds"
    );
    assert_eq!(
        seen(&[plan, ("row/emit.rs", "#[cfg(test)]\nmod tests {\n    use super::plan::Plan;\n}")]).len(),
        0
    );
}

/// The files of `src`, by their paths in it, without comments.
fn sources() -> BTreeMap<PathBuf, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&root, &mut files);
    assert!(files.len() > 10, "src is read: {files:?}");
    let read = |path: &PathBuf| {
        let source = fs::read_to_string(path).expect("a source file is UTF-8");
        (path.strip_prefix(&root).expect("the file is in src").to_owned(), source)
    };
    files.iter().map(read).collect()
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

/// The first name after every `crate::`, and of each member of a `crate::{...}` group. `$crate::` in a macro is
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

/// The first names of the members of an import group, given what follows its opening brace.
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

/// The circles in which files import each other, one for each set of files that are tied so.
fn circles(sources: &BTreeMap<PathBuf, String>) -> Vec<String> {
    let house = House::of(sources);
    let arrows: BTreeMap<&Path, BTreeSet<PathBuf>> =
        sources.keys().map(|file| (file.as_path(), house.imports(file))).collect();
    let mut circles: Vec<String> = Vec::new();
    let mut told = BTreeSet::new();
    for file in sources.keys() {
        if told.contains(file) {
            continue;
        }
        if let Some(circle) = shortest_way(&arrows, file) {
            circles
                .push(circle.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(" -> "));
            told.extend(circle);
        }
    }
    circles
}

/// The shortest way along the arrows from `file` back to itself.
fn shortest_way(arrows: &BTreeMap<&Path, BTreeSet<PathBuf>>, file: &Path) -> Option<Vec<PathBuf>> {
    let mut ways = vec![vec![file.to_owned()]];
    let mut seen = BTreeSet::new();
    while !ways.is_empty() {
        let mut longer = Vec::new();
        for way in ways {
            for next in arrows.get(way.last()?.as_path()).into_iter().flatten() {
                let further: Vec<PathBuf> = way.iter().chain([next]).cloned().collect();
                if next == file {
                    return Some(further);
                }
                if seen.insert(next.clone()) {
                    longer.push(further);
                }
            }
        }
        ways = longer;
    }
    None
}

/// What the files import, name by name.
struct House {
    /// Module by module, such as `["row", "buf"]`: its file, and the paths that it names from the crate's root.
    modules: BTreeMap<Vec<String>, Module>,
}

struct Module {
    file: PathBuf,
    /// What a `pub use` hands on, under its name.
    handed_on: BTreeMap<String, Vec<String>>,
    /// What the code uses itself.
    used: Vec<Vec<String>>,
}

impl House {
    fn of(sources: &BTreeMap<PathBuf, String>) -> Self {
        let modules = sources.iter().map(|(file, source)| (module_of(file), Module::of(file, source)));
        Self { modules: modules.collect() }
    }

    /// The files whose names `file` uses, other than itself.
    fn imports(&self, file: &Path) -> BTreeSet<PathBuf> {
        let used = self.modules[&module_of(file)].used.iter();
        used.filter_map(|path| self.file_of(path)).filter(|other| other != file).collect()
    }

    /// The file in which what `path` names stands: the deepest module of the path, or where that has it from.
    fn file_of(&self, path: &[String]) -> Option<PathBuf> {
        let depth = (0..=path.len()).rev().find(|depth| self.modules.contains_key(&path[..*depth]))?;
        let module = &self.modules[&path[..depth]];
        match path.get(depth).and_then(|name| module.handed_on.get(name)) {
            Some(from) => self.file_of(from),
            None => Some(module.file.clone()),
        }
    }
}

impl Module {
    fn of(file: &Path, source: &str) -> Self {
        let code = without_comments(source);
        let code = code.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        let own = module_of(file);
        let mut module = Self { file: file.to_owned(), handed_on: BTreeMap::new(), used: Vec::new() };
        let mut rest = String::new();
        for statement in code.split_inclusive(';') {
            let Some((before, tree)) = statement.split_once("use ").filter(|(before, _)| is_use(before))
            else {
                rest += statement;
                continue;
            };
            let hands_on = before.lines().last().is_some_and(|line| line.contains("pub"));
            for path in leaves(tree.trim_end_matches(';')) {
                let name = path.last().cloned().unwrap_or_default();
                match (absolute(&own, file, &path), hands_on) {
                    (Some(path), true) => drop(module.handed_on.insert(name, path)),
                    (Some(path), false) => module.used.push(path),
                    (None, _) => {}
                }
            }
        }
        module.used.extend(paths(&rest).filter_map(|path| absolute(&own, file, &path)));
        module
    }
}

/// `row/buf.rs` is `["row", "buf"]`, `row/mod.rs` is `["row"]`.
fn module_of(file: &Path) -> Vec<String> {
    let names = file.with_extension("");
    let names = names.iter().map(|name| name.to_string_lossy().into_owned());
    names.filter(|name| name != "mod" && name != "lib").collect()
}

/// Whether what stands before `use ` makes it a statement: the end of another one, attributes, `pub(crate)`.
fn is_use(before: &str) -> bool {
    let line = before.lines().last().unwrap_or_default().trim();
    line.is_empty() || line == "pub" || line.starts_with("pub(") && line.ends_with(')')
}

/// The paths of a tree of imports: `a::{b, c::d}` has `a::b` and `a::c::d`. `self` at the end is the path before it.
fn leaves(tree: &str) -> Vec<Vec<String>> {
    let tree = tree.trim();
    match tree.split_once('{') {
        None => vec![segments(tree.split(" as ").next().unwrap_or_default())],
        Some((before, group)) => {
            let group = group.trim_end().strip_suffix('}').unwrap_or(group);
            let inner = split_top(group).into_iter().flat_map(leaves);
            inner.map(|leaf| segments(before).into_iter().chain(leaf).collect()).collect()
        }
    }
}

fn segments(path: &str) -> Vec<String> {
    path.split("::").map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// The members of a group, split at the commas that stand in no inner group.
fn split_top(group: &str) -> Vec<&str> {
    let (mut members, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                members.push(&group[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    members.push(&group[start..]);
    members.retain(|member| !member.trim().is_empty());
    members
}

/// The paths that code names, such as `json::Tree`.
fn paths(code: &str) -> impl Iterator<Item = Vec<String>> {
    let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':' || c == '$';
    // `pub(in crate::format)` says who may see, not what is seen.
    let code = code.replace("pub(in crate", "");
    let paths = code.split(move |c| !is_path(c)).filter(|path| path.contains("::")).map(segments);
    paths.collect::<Vec<_>>().into_iter()
}

/// A path from the crate's root; `None` for what is of another crate, or needs no import.
fn absolute(own: &[String], file: &Path, path: &[String]) -> Option<Vec<String>> {
    let mut base = match path.first()?.as_str() {
        "crate" => Vec::new(),
        "self" | "super" => own.to_vec(),
        // In a folder's `mod.rs`, that of a file in it.
        _ if file.ends_with("mod.rs") => return Some(own.iter().chain(path).cloned().collect()),
        _ => return None,
    };
    for name in path.iter().skip_while(|name| *name == "crate" || *name == "self") {
        if name == "super" { drop(base.pop()) } else { base.push(name.clone()) }
    }
    Some(base)
}
