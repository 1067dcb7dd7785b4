//! The JDKs of this machine.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// An installed JDK or JRE.
#[derive(Clone, Debug)]
pub struct Java {
    pub home: PathBuf,
    /// Its feature release: 17.
    pub feature: u32,
}

impl Java {
    /// All that `JAVA_HOME`, `JAVA_HOMES` (a path list), `/usr/lib/jvm` and `java` on the `PATH` lead to, the oldest
    /// first.
    #[must_use]
    pub fn installed() -> Vec<Self> {
        let mut homes: Vec<PathBuf> = env::var_os("JAVA_HOME").map(PathBuf::from).into_iter().collect();
        homes.extend(env::var_os("JAVA_HOMES").iter().flat_map(env::split_paths));
        homes.extend(fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten().map(|entry| entry.path()));
        for folder in env::var_os("PATH").iter().flat_map(env::split_paths) {
            let command = fs::canonicalize(folder.join("java")).ok();
            homes.extend(command.and_then(|java| Some(java.parent()?.parent()?.to_owned())));
        }
        let mut found: Vec<Self> = Vec::new();
        for home in homes.iter().filter_map(|home| fs::canonicalize(home).ok()) {
            let is_known = found.iter().any(|java| java.home == home);
            if let (false, true, Some(feature)) = (is_known, home.join("bin/java").exists(), feature(&home)) {
                found.push(Self { home, feature });
            }
        }
        found.sort_by_key(|java| java.feature);
        found
    }

    #[must_use]
    pub fn command(&self) -> PathBuf {
        self.home.join("bin/java")
    }

    /// Whether it can compile.
    #[must_use]
    pub fn is_jdk(&self) -> bool {
        self.home.join("bin/javac").exists()
    }
}

/// `JAVA_VERSION="17.0.15"` of the file `release`; `1.8.0_402` is 8.
fn feature(home: &Path) -> Option<u32> {
    let release = fs::read_to_string(home.join("release")).ok()?;
    let version = release.lines().find_map(|line| line.strip_prefix("JAVA_VERSION=\""))?;
    let version = version.strip_prefix("1.").unwrap_or(version);
    version.split(|character: char| !character.is_ascii_digit()).next()?.parse().ok()
}
