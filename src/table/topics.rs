use crate::error::{Error, ErrorKind, Part};
use crate::format::Pattern;

/// The topics of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Topics {
    /// `topic`.
    List(Vec<String>),
    /// `topic-pattern`.
    Pattern(Pattern),
}

impl Topics {
    /// The one topic that every record goes to; a name listed twice is one topic.
    pub(crate) fn single(&self) -> Option<&str> {
        match self {
            Self::List(topics) => {
                let (first, others) = topics.split_first()?;
                others.iter().all(|topic| topic == first).then_some(first)
            }
            Self::Pattern(_) => None,
        }
    }

    /// Whether rows name their topic: the option lists several, or a pattern. Here a name listed twice counts as two.
    pub(crate) fn are_written(&self) -> bool {
        match self {
            Self::List(topics) => topics.len() > 1,
            Self::Pattern(_) => true,
        }
    }

    /// Refuses a topic that a row names and the table does not have.
    ///
    /// Agrees with `KafkaDynamicTableRecordSerializationSchema.TopicSelector`.
    pub(crate) fn admit(&self, topic: &str) -> Result<(), Error> {
        match self {
            Self::List(topics) if topics.iter().any(|listed| listed == topic) => Ok(()),
            Self::Pattern(pattern) if pattern.matches(topic) => Ok(()),
            Self::List(_) | Self::Pattern(_) => Err(self.refusal(Some(topic))),
        }
    }

    /// The refusal of a topic, or of none, where a row must name one.
    #[cold]
    pub(crate) fn refusal(&self, topic: Option<&str>) -> Error {
        let expected = match (topic, self) {
            (None, _) => "Expected a single topic but no topic is set.".to_owned(),
            (Some(topic), Self::List(topics)) => {
                let topics = in_hash_set_order(topics).join(", ");
                format!("Expected topic to be in: [{topics}] but was: {topic}")
            }
            (Some(topic), Self::Pattern(pattern)) => {
                format!("Expected topic to match: {} but was: {topic}", pattern.as_str())
            }
        };
        Error::new(ErrorKind::Row, format!("The topic of the sink record is not valid. {expected}"))
            .with_part(Part::Topic)
    }
}

/// The distinct topics as a `java.util.HashSet` holds them: Flink's refusal lists them so.
fn in_hash_set_order(topics: &[String]) -> Vec<&str> {
    let mut distinct: Vec<&str> = Vec::new();
    for topic in topics {
        if !distinct.contains(&topic.as_str()) {
            distinct.push(topic);
        }
    }
    // `new HashSet<>(list)`: room for the list at a load of 0.75, at least 16, rounded up to a power of two.
    let buckets = (topics.len() * 4 / 3 + 1).max(16).next_power_of_two();
    distinct.sort_by_key(|topic| {
        let hash =
            topic.encode_utf16().fold(0u32, |hash, unit| hash.wrapping_mul(31).wrapping_add(unit.into()));
        (hash ^ hash >> 16) as usize & (buckets - 1)
    });
    distinct
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_lists_topics_as_javas_hash_set_does() {
        let topics = Topics::List(["a", "b", "c", "topic10", "topic2"].map(str::to_owned).to_vec());
        assert_eq!(
            topics.admit("x").unwrap_err().message(),
            "The topic of the sink record is not valid. Expected topic to be in: [a, topic2, b, c, topic10] but was: x"
        );
    }

    #[test]
    fn a_topic_listed_twice_is_written_by_rows_and_yet_single() {
        let topics = Topics::List(vec!["a".to_owned(), "a".to_owned()]);
        assert_eq!((topics.single(), topics.are_written()), (Some("a"), true));
    }
}
