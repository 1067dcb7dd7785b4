//! Releases of Flink, as far as they do otherwise than the newest.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, ErrorKind};

/// A release of Flink, with the newest Kafka connector that was released for it: which bytes, options and oddities.
///
/// `docs/compatibility.md` says what releases do otherwise, and what of it is imitated.
///
/// ```
/// use upsert_kafka::Settings;
/// use upsert_kafka::format::FlinkRelease;
///
/// let release: FlinkRelease = "1.17.2".parse()?;
/// assert_eq!(release, FlinkRelease::V1_17);
/// let settings = Settings::default().with_flink_release(release);
/// # Ok::<(), upsert_kafka::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FlinkRelease {
    /// 1.15, whose connector has its number.
    V1_15,
    /// 1.16, whose connector has its number.
    V1_16,
    /// 1.17, whose connector has its number.
    V1_17,
    /// 1.18 with connector 3.2.
    V1_18,
    /// 1.19 with connector 3.3.
    V1_19,
    /// 1.20 with connector 3.4.
    V1_20,
    /// 2.0 with connector 4.0.
    V2_0,
    /// 2.1 with connector 5.0.
    V2_1,
    /// 2.2 with connector 5.0.
    V2_2,
    /// 2.3 with the connector of June 2026, which is not released yet: what the crate does unless told otherwise.
    #[default]
    V2_3,
}

/// The releases, the numbers of Flink and those of the connector.
const RELEASES: [(FlinkRelease, Version, Version); 10] = [
    (FlinkRelease::V1_15, (1, 15), (1, 15)),
    (FlinkRelease::V1_16, (1, 16), (1, 16)),
    (FlinkRelease::V1_17, (1, 17), (1, 17)),
    (FlinkRelease::V1_18, (1, 18), (3, 2)),
    (FlinkRelease::V1_19, (1, 19), (3, 3)),
    (FlinkRelease::V1_20, (1, 20), (3, 4)),
    (FlinkRelease::V2_0, (2, 0), (4, 0)),
    (FlinkRelease::V2_1, (2, 1), (5, 0)),
    (FlinkRelease::V2_2, (2, 2), (5, 0)),
    (FlinkRelease::V2_3, (2, 3), (5, 1)),
];

type Version = (u8, u8);

/// The first version of the connector that has a number of its own.
const FIRST_CONNECTOR: Version = (3, 0);

impl FlinkRelease {
    /// Whether it has what came with the version at the start of `since`: Flink's, from 3.0 on the connector's.
    pub(crate) fn has(self, since: &str) -> bool {
        let (_, flink, connector) = self.line();
        match version(since) {
            Some(since) if since >= FIRST_CONNECTOR => connector >= since,
            Some(since) => flink >= since,
            None => true,
        }
    }

    fn line(self) -> (Self, Version, Version) {
        let line = RELEASES.into_iter().find(|(release, ..)| *release == self);
        line.unwrap_or((self, (u8::MAX, 0), (u8::MAX, 0)))
    }
}

/// `1.17` of `1.17.2` or `1.17; for ..`.
fn version(text: &str) -> Option<Version> {
    let mut numbers = text.split(|char: char| !char.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

impl fmt::Display for FlinkRelease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (_, (major, minor), _) = self.line();
        write!(f, "{major}.{minor}")
    }
}

/// `1.17`, also with the number of a patch after it.
///
/// # Errors
///
/// For any other text, and a release that is none of these.
impl FromStr for FlinkRelease {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let is_number = text.split('.').all(|number| number.parse::<u8>().is_ok());
        let wanted = version(text).filter(|_| is_number);
        let line = RELEASES.into_iter().find(|(_, flink, _)| Some(*flink) == wanted);
        line.map(|(release, ..)| release).ok_or_else(|| {
            let known: Vec<String> = RELEASES.iter().map(|(release, ..)| release.to_string()).collect();
            let message = format!("'{text}' is no release of Flink that is known: {}", known.join(", "));
            Error::new(ErrorKind::Table, message)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_reads_back_from_its_number_and_is_refused_by_any_other() {
        for (release, ..) in RELEASES {
            assert_eq!(release.to_string().parse::<FlinkRelease>().unwrap(), release);
            assert_eq!(format!("{release}.3").parse::<FlinkRelease>().unwrap(), release);
        }
        for text in ["", "1", "1.14", "3.0", "1.17-SNAPSHOT", "flink 1.17", "1.17.x", "2.3 "] {
            assert!(text.parse::<FlinkRelease>().is_err(), "{text}");
        }
    }

    #[test]
    fn what_came_with_a_connector_is_there_in_the_releases_that_have_it() {
        for (since, first) in [
            ("1.16", FlinkRelease::V1_16),
            ("2.1", FlinkRelease::V2_1),
            ("3.1", FlinkRelease::V1_18),
            ("3.3", FlinkRelease::V1_19),
            ("4.0", FlinkRelease::V2_0),
            ("5.0", FlinkRelease::V2_1),
            ("1.12, deprecated since 1.14", FlinkRelease::V1_15),
        ] {
            let having = RELEASES.iter().map(|(release, ..)| *release).find(|release| release.has(since));
            assert_eq!(having, Some(first), "{since}");
        }
    }
}
