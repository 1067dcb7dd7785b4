use regex::Regex;

/// What Flink and we say of the same failure.
#[derive(Clone, Debug, PartialEq)]
pub struct Words {
    /// The class of Flink's root cause, without its package.
    pub class: Option<String>,
    pub flink: String,
    pub ours: String,
}

/// Sentences of Flink's, and those that we have for them.
///
/// In both `*` is any text. Flink's may start with a class: `EOFException: *`. In ours `{1}` is what the first `*` of
/// Flink's was.
pub struct Pattern {
    class: Option<String>,
    flink: Regex,
    ours: Vec<String>,
}

impl Pattern {
    pub fn new(flink: &str, ours: &[String]) -> Self {
        let is_class =
            |text: &str| text.starts_with(char::is_uppercase) && text.chars().all(char::is_alphanumeric);
        let (class, sentence) = match flink.split_once(": ") {
            Some((class, sentence)) if is_class(class) => (Some(class.to_owned()), sentence),
            _ => (None, flink),
        };
        Self { class, flink: glob(sentence, &[]), ours: ours.to_vec() }
    }

    pub fn explains(&self, words: &Words) -> bool {
        if self.class.is_some() && words.class.is_some() && self.class != words.class {
            return false;
        }
        let Some(found) = self.flink.captures(&words.flink) else { return false };
        let taken: Vec<&str> = found.iter().skip(1).flatten().map(|taken| taken.as_str()).collect();
        self.ours.iter().any(|ours| glob(ours, &taken).is_match(&words.ours))
    }
}

/// The whole text, with `*` for any and `{n}` for the nth of `taken`.
fn glob(pattern: &str, taken: &[&str]) -> Regex {
    let mut pattern = regex::escape(pattern).replace(r"\*", "(.*?)");
    for (index, text) in taken.iter().enumerate() {
        pattern = pattern.replace(&format!(r"\{{{}\}}", index + 1), &regex::escape(text));
    }
    Regex::new(&format!("(?s)^{pattern}$")).expect("an escaped pattern")
}
