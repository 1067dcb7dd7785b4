use std::time::Duration;

use super::MemoryStore;

/// How long state lives after it was last written; by default for ever. The time stands after the state.
///
/// Agrees with `org.apache.flink.api.common.state.StateTtlConfig` as Flink's operators set it: `OnCreateAndWrite`,
/// `NeverReturnExpired`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ttl {
    /// 0 is for ever.
    millis: i64,
}

impl Ttl {
    pub(crate) fn new(ttl: Duration) -> Self {
        Self { millis: i64::try_from(ttl.as_millis()).unwrap_or(i64::MAX) }
    }

    /// Whether state expires at all.
    pub(crate) fn is_finite(self) -> bool {
        self.millis > 0
    }

    /// What the time takes after the state.
    pub(crate) fn time_len(self) -> usize {
        if self.is_finite() { size_of::<i64>() } else { 0 }
    }

    /// Whether state expires, for the header of a snapshot: then times stand in it.
    pub(crate) fn setting(self) -> (&'static str, String) {
        ("the TTL", if self.is_finite() { "finite" } else { "none" }.to_owned())
    }

    /// Appends the time of the state in `value`.
    pub(crate) fn append(self, value: &mut Vec<u8>, now_ms: i64) {
        if self.is_finite() {
            value.extend_from_slice(&now_ms.to_le_bytes());
        }
    }

    /// The state of `value` without its time, or `Some(None)` if it has expired; `None` where there is no time.
    pub(crate) fn split(self, value: &[u8], now_ms: i64) -> Option<Option<&[u8]>> {
        if !self.is_finite() {
            return Some(Some(value));
        }
        let (state, written) = value.split_last_chunk()?;
        Some((!self.has_expired(*written, now_ms)).then_some(state))
    }

    /// Drops what has expired.
    pub(crate) fn remove_expired(self, store: &mut MemoryStore, now_ms: i64) {
        if self.is_finite() {
            store.retain(|_, value| !matches!(self.split(value, now_ms), Some(None)));
        }
    }

    /// `TtlUtils.expired`: the last millisecond belongs to the expired.
    fn has_expired(self, written: [u8; 8], now_ms: i64) -> bool {
        i64::from_le_bytes(written).saturating_add(self.millis) <= now_ms
    }
}
