//! The Java programs in the folders `broker` and `flink` of this package, each a Maven project.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::{env, fs};

/// A Maven project whose programs are run.
pub struct Project {
    name: &'static str,
    /// For the Java machine.
    options: &'static [&'static str],
    class_path: OnceLock<String>,
}

/// The broker, Java's clients and Kafka Streams.
pub static BROKER: Project =
    Project::new("broker", &["-Xmx768m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]);
/// A Flink that runs in one process.
pub static FLINK: Project = Project::new(
    "flink",
    &[
        "-Xmx2g",
        "-XX:+UseSerialGC",
        "--add-opens=java.base/java.lang=ALL-UNNAMED",
        "--add-opens=java.base/java.util=ALL-UNNAMED",
        "--add-opens=java.base/java.time=ALL-UNNAMED",
    ],
);

const LONGEST_RUN: &str = "1h";

impl Project {
    const fn new(name: &'static str, options: &'static [&'static str]) -> Self {
        Self { name, options, class_path: OnceLock::new() }
    }

    /// A command that runs the class `live.CLASS`. Its standard error is this process's.
    pub fn command(&self, class: &str) -> Command {
        let class_path = self.class_path.get_or_init(|| self.build());
        let java_home = env::var_os("JAVA_HOME").map(PathBuf::from);
        let java = java_home.map_or("java".into(), |home| home.join("bin/java"));
        let mut command = Command::new(java);
        command.args(self.options).args(["-cp", class_path]).arg(format!("live.{class}"));
        command
    }

    /// Runs the class to its end and answers what it prints. Kills it after an hour.
    pub fn run(&self, class: &str, arguments: &[&str]) -> String {
        let java = self.command(class);
        let mut bounded = Command::new("timeout");
        bounded.args(["--signal=KILL", LONGEST_RUN]).arg(java.get_program()).args(java.get_args());
        let output = bounded.args(arguments).stdin(Stdio::null()).output().expect("timeout is there");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{class} ended with {}:\n{errors}", output.status);
        String::from_utf8(output.stdout).expect("our programs print text")
    }

    /// Compiles the project and answers the class path.
    fn build(&self) -> String {
        // This file's own place: the package `examples/engines` has it, too.
        let this = Path::new(env!("CARGO_MANIFEST_DIR")).join(file!());
        let package = this.ancestors().nth(3).expect("src/kafka/programs.rs is in it");
        let folder = package.join(self.name);
        let status = Command::new("mvn")
            .args([
                "-q",
                "-B",
                "-Dstyle.color=never",
                "compile",
                "dependency:build-classpath",
                "-Dmdep.outputFile=target/classpath",
            ])
            .current_dir(&folder)
            .status()
            .expect("maven is there");
        assert!(status.success(), "maven ended with {status}");
        let target = folder.join("target");
        let dependencies = fs::read_to_string(target.join("classpath")).expect("maven wrote it");
        format!("{}:{dependencies}", target.join("classes").display())
    }
}
