use super::{Case, Unmet, ddl, decode, encode, partition};

/// A case from a user's report, in the form of the vectors of its `kind`.
pub fn run(case: &Case) -> Result<(), Unmet> {
    match case.get("kind").as_str() {
        Some("partition") => partition::run(case),
        Some("encode") => encode::run(case),
        Some("ddl") => ddl::run(case),
        Some("decode") => decode::run(case),
        kind => Err(Unmet::mismatch("a kind of case", format!("{kind:?}"))),
    }
}
