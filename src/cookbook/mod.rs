#![doc = include_str!("links.md")]
#![doc = include_str!("../../docs/cookbook/README.md")]
// The pages of `docs/cookbook`, for the documentation and as doctests: nothing of this is in the crate. Where a page
// defines a link's label, `links.md` has done so before: here it leads to a module, in the repository to a file.

macro_rules! pages {
    ($($name:ident = $file:literal $(if $feature:literal)?;)+) => {
        $(
            #[doc = include_str!("links.md")]
            #[doc = include_str!(concat!("../../docs/cookbook/", $file))]
            $(#[cfg(any(not(doctest), feature = $feature))])?
            pub mod $name {}
        )+
    };
}

pages! {
    arrow = "arrow.md" if "arrow";
    avro_registry = "avro-registry.md";
    cdc_to_upsert = "cdc-to-upsert.md";
    checkpoint = "checkpoint.md";
    compacted_tests = "compacted-tests.md" if "testing";
    datafusion = "datafusion.md";
    dead_letters = "dead-letters.md";
    flink_release = "flink-release.md";
    keys = "keys.md";
    librdkafka = "librdkafka.md";
    structs = "structs.md";
    tombstones = "tombstones.md";
    transactions = "transactions.md";
    tuning = "tuning.md";
    upsert_to_map = "upsert-to-map.md";
}
