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
    let readme = read("README.md");
    let counted = with_number(&readme, "held against ", count_lines(&path("tests/golden")), " cases");
    let counted = with_number(&counted, "deviates in ", sum("rule"), " of them");
    let counted = with_number(&counted, "same place; ", sum("words"), " of the failures");
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(path("README.md"), &counted).expect("the README can be written");
        return;
    }
    assert!(readme == counted, "the README counts otherwise: run the tests with UPDATE_DOCS=1");
}

/// The text with `number` between these words of it.
fn with_number(text: &str, before: &str, number: usize, behind: &str) -> String {
    let (start, rest) = text.split_once(before).expect("the README has such a sentence");
    let (_, end) = rest.split_once(behind).expect("the README has such a sentence");
    format!("{start}{before}{number}{behind}{end}")
}

#[test]
fn links_lead_to_files_that_are_there() {
    let is_document = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "md");
    for document in [path(""), path("docs")].iter().flat_map(|folder| entries(folder)).filter(is_document) {
        let text = read(&document);
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for target in targets.filter(|target| !target.starts_with("http") && !target.starts_with('#')) {
            let is_there = document.with_file_name(target).exists();
            assert!(is_there, "{} links to {target}", document.display());
        }
    }
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
    for entry in entries(&path("tests")).into_iter().filter(|entry| entry.is_file()) {
        let name = entry.file_name().and_then(|name| name.to_str()).expect("a name of ours");
        assert!(contributing.contains(&format!("`{name}`")), "CONTRIBUTING.md has to say what {name} holds");
    }
}

#[test]
fn every_feature_is_explained() {
    let manifest = read("Cargo.toml");
    let (_, features) = manifest.split_once("[features]").expect("the crate has features");
    let (features, _) = features.split_once("\n[").expect("dependencies come behind them");
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
