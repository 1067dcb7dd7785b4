use std::collections::BTreeMap;

use crate::error::{Error, ErrorKind};
use crate::format::{parse_int, parse_long};

/// `partition:0,offset:42;partition:1,offset:300`: an offset for each partition, the last one where one is there twice.
///
/// Agrees with `KafkaConnectorOptionsUtil.parseSpecificOffsets`, Java's `String.split` included: empty pieces at the
/// end do not count.
pub(super) fn parse_specific_offsets(text: &str, option_key: &str) -> Result<BTreeMap<i32, i64>, Error> {
    let malformed = || {
        Error::new(
            ErrorKind::Table,
            format!(
                "Invalid properties '{option_key}' should follow the format \
                 'partition:0,offset:42;partition:1,offset:300', but is '{text}'."
            ),
        )
    };
    let pairs = text.trim_end_matches(';');
    let mut offsets = BTreeMap::new();
    for pair in pairs.split(';') {
        let pieces = pair.trim_end_matches(',');
        let (partition, offset) = pieces.split_once(',').ok_or_else(malformed)?;
        let partition = partition.strip_prefix("partition:").ok_or_else(malformed)?;
        let offset = offset.strip_prefix("offset:").filter(|offset| !offset.contains(','));
        let offset = offset.ok_or_else(malformed)?;
        let in_option = |error: Error| error.in_option(option_key);
        offsets.insert(parse_int(partition).map_err(in_option)?, parse_long(offset).map_err(in_option)?);
    }
    Ok(offsets)
}
