//! The Java process that answers cases.

use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::SystemTime;
use std::{fs, io, thread};

use crate::java::Java;

/// The releases of `java/pom.xml`, the oldest first.
pub const RELEASES: [&str; 10] = ["1.15", "1.16", "1.17", "1.18", "1.19", "1.20", "2.0", "2.1", "2.2", "2.3"];

/// Flink of one release on one JDK, ready to answer.
pub struct Oracle {
    process: Child,
    questions: Option<BufWriter<ChildStdin>>,
    answers: BufReader<ChildStdout>,
}

impl Oracle {
    /// Starts Flink `release` on `java`. Maven fetches and compiles before, if it has not yet.
    ///
    /// # Errors
    ///
    /// If Maven or Java cannot be run, or Maven does not find what the release needs.
    pub fn start(release: &str, java: &Java) -> Result<Self, String> {
        let built = build(release)?;
        let classpath = fs::read_to_string(built.join("classpath")).map_err(|error| error.to_string())?;
        let mut process = Command::new(java.command())
            .args(
                ["java.lang", "java.util", "java.time"]
                    .map(|package| format!("--add-opens=java.base/{package}=ALL-UNNAMED")),
            )
            .args(["-Duser.timezone=UTC", "-Dfile.encoding=UTF-8", "-XX:+UseSerialGC", "-Xmx1g"])
            .args(["-Dsun.net.httpserver.nodelay=true", "-cp"]) // the registry answers at once
            .arg(format!("{}:{classpath}", built.join("classes").display()))
            .arg("Oracle")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(
                fs::File::create(built.join(format!("oracle-{}.log", java.feature)))
                    .map_err(|error| error.to_string())?,
            )
            .spawn()
            .map_err(|error| format!("{}: {error}", java.command().display()))?;
        let questions = process.stdin.take().map(BufWriter::new);
        let answers = BufReader::new(process.stdout.take().expect("it is piped"));
        Ok(Self { process, questions, answers })
    }

    /// The answers to `cases`, a line each.
    ///
    /// # Errors
    ///
    /// If the process has ended, or failed in itself with a case.
    pub fn ask(&mut self, cases: &[String]) -> io::Result<Vec<String>> {
        let questions = self.questions.as_mut().expect("it is there until the process ends");
        let answers = &mut self.answers;
        thread::scope(|scope| {
            // Neither end of a pipe holds all.
            let writer = scope.spawn(move || {
                for case in cases {
                    questions.write_all(case.as_bytes())?;
                    questions.write_all(b"\n")?;
                }
                questions.flush()
            });
            let mut lines = Vec::with_capacity(cases.len());
            for case in cases {
                let mut line = String::new();
                if answers.read_line(&mut line)? == 0 {
                    return Err(io::Error::other(format!("the oracle ended at {case}")));
                }
                if line.starts_with("{\"oracle_error\"") {
                    return Err(io::Error::other(format!("{line}of {case}")));
                }
                lines.push(line.trim_end().to_owned());
            }
            writer.join().expect("it does not panic")?;
            Ok(lines)
        })
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        self.questions = None; // the end of its input is its end
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Compiles the oracle against `release`: the folder with `classes/` and `classpath`.
fn build(release: &str) -> Result<PathBuf, String> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("java");
    let out = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/java").join(release);
    let done = out.join("done");
    let sources =
        || fs::read_dir(project.join("src")).into_iter().flatten().flatten().map(|entry| entry.path());
    let newest = sources().chain([project.join("pom.xml")]).filter_map(|path| modified(&path)).max();
    if modified(&done).is_some() && modified(&done) > newest {
        return Ok(out);
    }
    fs::create_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
    let mut maven = Command::new("mvn");
    maven.args(["-q", "-B", "-ntp", "-P", release, "compile", "-f"]).arg(project.join("pom.xml"));
    maven.arg(format!("-Dout={}", out.display()));
    if let Some(jdk) = Java::installed().iter().find(|java| java.is_jdk() && java.feature >= 17) {
        maven.env("JAVA_HOME", &jdk.home);
    }
    let output = maven.output().map_err(|error| format!("mvn: {error}"))?;
    if !output.status.success() {
        return Err(format!("mvn -P {release} compile: {}", String::from_utf8_lossy(&output.stdout)));
    }
    fs::write(&done, "").map_err(|error| error.to_string())?;
    Ok(out)
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|data| data.modified()).ok()
}
