//! Instructions of a process of this program, counted by callgrind: unlike times, the same on a busy machine.

use std::env;
use std::process::Command;

/// The instructions of this program with these arguments.
#[allow(clippy::cast_precision_loss, reason = "far below 2^53")]
pub(crate) fn count(arguments: &[&str]) -> f64 {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(env::current_exe().unwrap())
        .args(arguments)
        .output()
        .expect("valgrind, a package of that name");
    let report = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {report}");
    let collected = report.lines().find_map(|line| line.split_once("Collected : "));
    collected.expect("a count").1.trim().parse::<u64>().unwrap() as f64
}
