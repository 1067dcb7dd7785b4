//! The README and its fellows say what is so.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn path(inside: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(inside)
}

fn read(inside: impl AsRef<Path>) -> String {
    let path = path("").join(inside);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder of the repository");
    entries.map(|entry| entry.expect("a readable folder").path()).collect()
}

fn count_lines(folder: &Path) -> usize {
    let lines = |path: PathBuf| match path.extension() {
        _ if path.is_dir() => count_lines(&path),
        Some(extension) if extension == "jsonl" => read(path).lines().count(),
        _ => 0,
    };
    entries(folder).into_iter().map(lines).sum()
}

/// With `UPDATE_DOCS=1` it writes the counts.
#[test]
fn the_readme_counts_the_vectors_and_the_deviations() {
    let deviations: toml::Table = read("tests/golden/deviations.toml").parse().expect("the file is TOML");
    let sum = |sort: &str| -> usize {
        let counts =
            deviations[sort].as_array().into_iter().flatten().filter_map(|rule| rule["count"].as_integer());
        usize::try_from(counts.sum::<i64>()).expect("counts are not negative")
    };
    let counts = [count_lines(&path("tests/golden")), sum("rule"), sum("words")];
    for (document, words) in COUNTS {
        let text = read(document);
        let counted = words
            .iter()
            .zip(counts)
            .fold(text.clone(), |text, ([before, after], count)| with_number(&text, before, count, after));
        if env::var_os("UPDATE_DOCS").is_some() {
            fs::write(path(document), &counted).expect("a document can be written");
        } else {
            assert!(text == counted, "{document} counts otherwise: run the tests with UPDATE_DOCS=1");
        }
    }
}

/// The words around the numbers of cases, of deviations and of failures in words of our own.
const COUNTS: [(&str, [[&str; 2]; 3]); 2] = [
    (
        "README.md",
        [["held against ", " cases"], ["deviates in ", " of them"], ["same place; ", " of the failures"]],
    ),
    (CHINESE, [["本 crate 与 ", " 条用例"], ["其中 ", " 条有偏差"], ["失败；有 ", " 个失败"]]),
];

const CHINESE: &str = "README.zh-CN.md";

/// The text with `number` between these words of it.
fn with_number(text: &str, before: &str, number: usize, after: &str) -> String {
    let (start, rest) = text.split_once(before).expect("the README has such a sentence");
    let (_, end) = rest.split_once(after).expect("the README has such a sentence");
    format!("{start}{before}{number}{after}{end}")
}

#[test]
fn links_lead_to_files_that_are_there() {
    let documents = documents();
    assert!(documents.len() > 10, "the documents are read: {documents:?}");
    for document in documents {
        let text = read(&document);
        for target in link_targets(&text).filter(|target| !target.contains("://") && !target.contains("::")) {
            let file = target.split('#').next().unwrap_or_default();
            let is_there = file.is_empty() || document.with_file_name(file).exists();
            assert!(is_there, "{} links to {target}", document.display());
        }
    }
}

/// A zero byte makes git take a document for a binary file.
#[test]
fn documents_are_lines_of_text() {
    for document in documents() {
        let control = read(&document).chars().find(|char| char.is_control() && *char != '\n');
        assert_eq!(control, None, "{}", document.display());
    }
}

#[test]
fn no_line_of_the_readme_is_longer_than_a_terminal_is_wide() {
    let readme = read("README.md");
    let long: Vec<_> = readme.lines().filter(|line| line.chars().count() > 120).collect();
    assert!(long.is_empty(), "{long:#?}");
}

#[test]
fn the_chinese_readme_has_the_same_code_and_numbers_in_the_same_sections() {
    let (english, chinese) = (Skeleton::of(&read("README.md")), Skeleton::of(&read(CHINESE)));
    for (number, (section, translated)) in english.sections.iter().zip(&chinese.sections).enumerate() {
        assert_eq!(section, translated, "section {number} of {CHINESE}, on the left the README's");
    }
    assert_eq!(english.sections.len(), chinese.sections.len());
    assert_eq!(english.code, chinese.code);
}

/// What a translation keeps of a document.
#[derive(Default)]
struct Skeleton {
    /// The blocks of code, line by line.
    code: Vec<String>,
    /// Each with its heading's level, and its numbers in an order that is not that of the sentences.
    sections: Vec<Vec<String>>,
}

impl Skeleton {
    fn of(text: &str) -> Self {
        let mut skeleton = Self::default();
        let (mut in_code, mut prose) = (false, String::new());
        for line in text.lines().chain(["#"]) {
            if line.starts_with("```") || in_code {
                in_code ^= line.starts_with("```");
                skeleton.code.push(line.to_owned());
            } else if line.starts_with('#') && !prose.is_empty() {
                skeleton.sections.push(section(&std::mem::take(&mut prose)));
            }
            if !in_code && !line.starts_with("```") {
                prose.push_str(line);
                prose.push('\n');
            }
        }
        skeleton
    }
}

fn section(prose: &str) -> Vec<String> {
    let level = prose.split(' ').next().unwrap_or_default();
    let words =
        prose.split('`').step_by(2).flat_map(|words| words.split(|c: char| !c.is_ascii_digit() && c != '.'));
    let numbers = words.map(|word| word.trim_matches('.')).filter(|word| !word.is_empty());
    let mut found: Vec<_> = numbers.chain([level]).map(str::to_owned).collect();
    found.sort_unstable();
    found
}

/// All documents of the repository that are not made by a build.
fn documents() -> Vec<PathBuf> {
    let mut documents = Vec::new();
    let mut folders = vec![path("")];
    while let Some(folder) = folders.pop() {
        for entry in entries(&folder) {
            let name = entry.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if entry.is_dir() && name != "target" && !name.starts_with('.') {
                folders.push(entry);
            } else if name.ends_with(".md") {
                documents.push(entry);
            }
        }
    }
    documents
}

/// Where the links of a text lead: `[..](target)`, and `[label]: target` on a line of its own.
fn link_targets(text: &str) -> impl Iterator<Item = &str> {
    let inline = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    inline.chain(link_definitions(text).map(|(_, target)| target))
}

fn link_definitions(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().filter_map(|line| line.strip_prefix('[')?.split_once("]: "))
}

/// In the API documentation a page's link to another one leads to a module, by a label that `links.md` defines first.
#[test]
fn the_cookbook_lists_its_pages_and_ends_each_with_what_can_go_wrong() {
    let (contents, modules) = (read("docs/cookbook/README.md"), read("src/cookbook/mod.rs"));
    let (links, front_page) = (read("src/cookbook/links.md"), read("src/lib.rs"));
    let mut pages = 0;
    for page in entries(&path("docs/cookbook")) {
        let file = page.file_name().and_then(|name| name.to_str()).expect("a name of ours");
        let label = file.trim_end_matches(".md").replace('-', "_");
        let text = read(&page);
        for (label, target) in link_definitions(&text).filter(|(_, target)| target.ends_with(".md")) {
            assert_eq!(label, target.trim_end_matches(".md").replace('-', "_"), "a label of {file}");
            assert!(links.contains(&format!("[{label}]: crate::cookbook::{label}\n")), "{label} of {file}");
            assert!(text.contains(&format!("][{label}]")), "{file} does not use {label}");
        }
        if file == "README.md" {
            continue;
        }
        pages += 1;
        assert!(contents.contains(&format!("][{label}]")), "{file} is not listed");
        assert!(modules.contains(&format!("{label} = \"{file}\"")), "{file} is in no module");
        assert!(front_page.contains(&format!("(cookbook::{label})")), "src/lib.rs does not list {file}");
        assert!(text.contains("\n**The problem:** "), "{file} does not begin with its problem");
        let last = text.rsplit("\n## ").next().unwrap_or_default();
        assert!(last.starts_with("What can go wrong\n"), "{file} does not end with what can go wrong");
    }
    assert!(pages > 5, "the cookbook is read");
}

/// What is quoted stands after the name of its file: `From examples/..:`, in backticks. It is Rust, but not run here.
#[test]
fn the_cookbook_quotes_what_its_examples_say() {
    let mut quotes = 0;
    for page in entries(&path("docs/cookbook")) {
        let text = read(&page);
        for (before, after) in
            text.match_indices("```rs\n").map(|(at, start)| (&text[..at], &text[at + start.len()..]))
        {
            let file = before.rsplit("From `").next().and_then(|rest| rest.trim_end().strip_suffix("`:"));
            let file = file.unwrap_or_else(|| panic!("{} quotes a file without its name", page.display()));
            let (quote, _) = after.split_once("```\n").expect("a block ends");
            assert!(read(file).contains(quote), "{} does not quote {file}:\n{quote}", page.display());
            quotes += 1;
        }
    }
    assert!(quotes > 2, "the cookbook quotes");
}

#[test]
fn the_architecture_names_every_module() {
    let architecture = read("docs/architecture.md");
    for entry in entries(&path("src")) {
        let name = entry.file_name().and_then(|name| name.to_str()).expect("a name of ours");
        let name = if entry.is_dir() { format!("`{name}/`") } else { format!("`{name}`") };
        assert!(
            name == "`lib.rs`" || architecture.contains(&name),
            "docs/architecture.md has to say what {name} does"
        );
    }
}

#[test]
fn contributing_names_every_test() {
    let contributing = read("CONTRIBUTING.md");
    // Beside them a property that failed may have left its seed.
    let is_test = |entry: &PathBuf| entry.extension().is_some_and(|extension| extension == "rs");
    for entry in entries(&path("tests")).into_iter().filter(is_test) {
        let name = entry.file_name().and_then(|name| name.to_str()).expect("a name of ours");
        assert!(contributing.contains(&format!("`{name}`")), "CONTRIBUTING.md has to say what {name} holds");
    }
}

#[test]
fn every_feature_is_explained() {
    let manifest = read("Cargo.toml");
    let (_, features) = manifest.split_once("[features]").expect("the crate has features");
    let (features, _) = features.split_once("\n[").expect("dependencies come after them");
    let names = features.lines().filter_map(|line| line.split_once(" = ")).map(|(name, _)| name);
    for name in names.filter(|name| *name != "default" && !name.starts_with('#')) {
        for document in ["README.md", "src/lib.rs"] {
            assert!(
                read(document).contains(&format!("`{name}`")),
                "{document} has to say what {name} brings"
            );
        }
    }
}
