//! A registry that is not asked again at once.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::kept_error::KeptError;
use super::references::RegisteredSchema;
use super::registry::SchemaRegistry;
use crate::error::Error;

/// A schema registry that is not asked again for some time what it could not answer.
///
/// Whoever writes records names the ids in them, and a decoder asks for an unknown one with each record that has it. This
/// asks once in `retry_ms` milliseconds of a clock that you bring; the records in between fail at once with the
/// registry's error as the source. Of failures it keeps at most 1000. What succeeds and what is registered goes through.
///
/// Flink and Confluent's client ask each time.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicI64, Ordering};
///
/// use upsert_kafka::format::{BackoffRegistry, MemorySchemaRegistry, SchemaRegistry};
///
/// let registry = Arc::new(MemorySchemaRegistry::new());
/// let now_ms = Arc::new(AtomicI64::new(0));
/// let clock = Arc::clone(&now_ms);
/// let patient = BackoffRegistry::new(Arc::clone(&registry), 1000, move || clock.load(Ordering::Relaxed));
///
/// assert!(patient.schema(1).is_err());
/// registry.insert(1, r#""string""#);
/// assert!(patient.schema(1).is_err(), "it was asked a moment ago");
/// now_ms.store(1000, Ordering::Relaxed);
/// assert!(patient.schema(1).is_ok());
/// ```
pub struct BackoffRegistry<R, C> {
    registry: R,
    retry_ms: i64,
    now_ms: C,
    failures: Mutex<BTreeMap<Question, Failure>>,
}

/// What a registry is asked for: a schema by its id or as a subject's version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Question {
    Id(i32),
    Version(String, i32),
}

#[derive(Clone, Debug)]
struct Failure {
    at_ms: i64,
    error: KeptError,
}

/// So many failures are known; beyond that the others start anew.
const MAX_FAILURES: usize = 1000;

impl<R: SchemaRegistry, C: Fn() -> i64 + Send + Sync> BackoffRegistry<R, C> {
    /// `registry`, asked again `retry_ms` milliseconds of the clock `now_ms` after a failure.
    pub fn new(registry: R, retry_ms: u32, now_ms: C) -> Self {
        Self { registry, retry_ms: retry_ms.into(), now_ms, failures: Mutex::default() }
    }

    fn ask(
        &self,
        question: Question,
        ask: impl FnOnce(&R) -> Result<RegisteredSchema, Error>,
    ) -> Result<RegisteredSchema, Error> {
        let now_ms = (self.now_ms)();
        if let Some(failure) = self.failures().get(&question)
            // A clock that was set back tells nothing.
            && (0..self.retry_ms).contains(&now_ms.saturating_sub(failure.at_ms))
        {
            return Err(self.failed(&failure.error));
        }
        let answer = ask(&self.registry);
        let mut failures = self.failures();
        match answer {
            Ok(schema) => {
                failures.remove(&question);
                Ok(schema)
            }
            Err(error) => {
                if failures.len() >= MAX_FAILURES {
                    failures.clear();
                }
                let error = KeptError::new(error);
                let failed = self.failed(&error);
                failures.insert(question, Failure { at_ms: now_ms, error });
                Err(failed)
            }
        }
    }

    #[cold]
    fn failed(&self, error: &KeptError) -> Error {
        let message = format!("the registry failed, and is asked again after {} ms", self.retry_ms);
        Error::new(error.kind(), message).with_source(error.clone())
    }

    fn failures(&self) -> MutexGuard<'_, BTreeMap<Question, Failure>> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<R: SchemaRegistry, C: Fn() -> i64 + Send + Sync> SchemaRegistry for BackoffRegistry<R, C> {
    fn register(&self, subject: &str, schema: &str) -> Result<i32, Error> {
        self.registry.register(subject, schema)
    }

    fn schema(&self, id: i32) -> Result<RegisteredSchema, Error> {
        self.ask(Question::Id(id), |registry| registry.schema(id))
    }

    fn version(&self, subject: &str, version: i32) -> Result<RegisteredSchema, Error> {
        let question = Question::Version(subject.to_owned(), version);
        self.ask(question, |registry| registry.version(subject, version))
    }
}

/// Says nothing of the registry: its client may know passwords.
impl<R, C> fmt::Debug for BackoffRegistry<R, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BackoffRegistry").field("retry_ms", &self.retry_ms).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;
    use std::sync::atomic::{AtomicI64, AtomicU32, Ordering::Relaxed};

    use super::*;
    use crate::error::ErrorKind;

    /// Answers nothing, and counts how often it is asked.
    #[derive(Default)]
    struct Silent(AtomicU32);

    impl SchemaRegistry for Silent {
        fn register(&self, _: &str, _: &str) -> Result<i32, Error> {
            Ok(1)
        }

        fn schema(&self, id: i32) -> Result<RegisteredSchema, Error> {
            self.0.fetch_add(1, Relaxed);
            Err(Error::new(ErrorKind::Unavailable, format!("no answer for {id}")))
        }
    }

    #[test]
    fn a_failure_is_told_again_until_its_time_is_over_or_the_clock_was_set_back() {
        let now_ms = AtomicI64::new(0);
        let registry = BackoffRegistry::new(Silent::default(), 1000, || now_ms.load(Relaxed));
        for (now, asked) in
            [(5000, 1), (5000, 1), (5999, 1), (6000, 2), (6500, 2), (100, 3), (1099, 3), (1100, 4)]
        {
            now_ms.store(now, Relaxed);
            let error = registry.schema(7).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unavailable);
            assert_eq!(error.source().unwrap().to_string(), "no answer for 7");
            assert_eq!(registry.registry.0.load(Relaxed), asked, "at {now}");
        }
        assert!(registry.schema(8).is_err());
        assert_eq!(registry.registry.0.load(Relaxed), 5, "another id is another question");
    }

    #[test]
    fn failures_do_not_pile_up() {
        let registry = BackoffRegistry::new(Silent::default(), 1000, || 0);
        for id in 0..5000 {
            assert!(registry.schema(id).is_err());
            assert!(registry.failures().len() <= MAX_FAILURES);
        }
    }
}
