/// The path with the names of Flink's default catalog and database, where it has none of its own.
pub(super) fn whole_path(path: &[String]) -> impl Iterator<Item = &str> {
    let defaults = ["default_catalog", "default_database"];
    let missing = defaults.into_iter().take(3usize.saturating_sub(path.len()));
    missing.chain(path.iter().map(String::as_str))
}
