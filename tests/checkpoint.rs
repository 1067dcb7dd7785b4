//! The example `checkpoint`: killed at every byte that it writes, or with its file cut or changed at every byte, it has
//! the right table in the end.

use std::fs;
use std::path::{Path, PathBuf};

#[path = "../examples/checkpoint.rs"]
#[allow(dead_code, reason = "main is the example's")]
mod checkpoint;

use checkpoint::{Life, Sums, run, topic};

/// A life that ends after so many bytes.
fn life(bytes: usize) -> Life {
    Life { bytes, syncs: false }
}

/// A new folder of the test `name`.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

/// What the thirty changes of the topic add up to: the last one of each order, unless it is a delete.
fn expected() -> Sums {
    let mut orders = std::collections::BTreeMap::new();
    for change in 0..30_i64 {
        let region = ["EU", "US", "APAC"][usize::try_from(change % 3).expect("small")];
        match change % 10 {
            9 => orders.remove(&(change * change % 7)),
            _ => orders.insert(change * change % 7, (region, change)),
        };
    }
    let mut sums: Sums = ["EU", "US", "APAC"].map(|region| (region.to_owned(), 0)).into();
    orders.into_values().for_each(|(region, amount)| *sums.get_mut(region).expect("a region") += amount);
    sums
}

#[test]
fn killed_at_any_byte_and_started_again_the_table_is_right() {
    let (folder, topic, expected) = (folder("checkpoint_killed"), topic().expect("a topic"), expected());
    for bytes_to_live in 0.. {
        let _ = fs::remove_file(folder.join("checkpoint"));
        let survived = run(&folder, &topic, life(bytes_to_live));
        match &survived {
            Ok(sums) => assert_eq!(*sums, expected, "not killed"),
            Err(error) => assert_eq!(error.to_string(), "killed while writing"),
        }
        let sums = run(&folder, &topic, life(usize::MAX)).expect("it goes on where it was");
        assert_eq!(sums, expected, "killed after {bytes_to_live} bytes");
        if survived.is_ok() {
            assert!(bytes_to_live > 800, "it has written several checkpoints: {bytes_to_live}");
            break;
        }
    }
}

#[test]
fn killed_again_and_again_the_table_is_right() {
    let (topic, expected) = (topic().expect("a topic"), expected());
    for bytes_to_live in [500, 600, 700] {
        let folder = folder("checkpoint_killed_again");
        let ended = (1..50).find_map(|lives| Some((lives, run(&folder, &topic, life(bytes_to_live)).ok()?)));
        let (lives, sums) = ended.expect("each life brings it on by a checkpoint");
        assert_eq!(sums, expected, "{bytes_to_live}");
        assert!(lives > 1, "{bytes_to_live}");
    }
}

#[test]
fn a_checkpoint_that_was_cut_or_changed_at_any_byte_is_noticed() {
    let (folder, topic, expected) = (folder("checkpoint_damaged"), topic().expect("a topic"), expected());
    run(&folder, &topic, life(usize::MAX)).expect("it runs");
    let file = folder.join("checkpoint");
    let whole = fs::read(&file).expect("a checkpoint");
    for at in 0..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        for damaged in [&whole[..at], &changed] {
            fs::write(&file, damaged).expect("the folder takes files");
            assert_eq!(run(&folder, &topic, life(usize::MAX)).expect("it reads anew"), expected, "byte {at}");
        }
    }
}
