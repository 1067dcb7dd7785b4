//! What of options is not shown: passwords, tokens and whoever knows them.

use std::borrow::Cow;

/// What stands for a value that is not shown; Flink's text for it.
const HIDDEN: &str = "******";

/// Parts of keys whose values are secret. Agrees with Flink's `GlobalConfiguration.SENSITIVE_KEYS`, and has what options
/// of Kafka and of schema registries add.
const SECRET_KEYS: [&str; 14] = [
    "password",
    "secret",
    "fs.azure.account.key",
    "apikey",
    "api-key",
    "auth-params",
    "service-key",
    "token",
    "basic-auth",
    "jaas.config",
    "http-headers",
    ".credentials",
    "user.info",
    "keystore.key",
];

/// The value of the option `key` as it may be shown: hidden where the key says that it is secret, and without the user
/// and password of URLs.
pub(super) fn shown<'a>(key: &str, value: &'a str) -> Cow<'a, str> {
    let key = key.to_ascii_lowercase();
    if SECRET_KEYS.iter().any(|secret| key.contains(secret)) { HIDDEN.into() } else { without_users(value) }
}

/// The text with `******` for what stands between `://` and `@` in it.
fn without_users(text: &str) -> Cow<'_, str> {
    let mut shown = String::new();
    let mut rest = text;
    while let Some((before, url)) = rest.split_once("://") {
        let end = url.find(|c: char| c.is_whitespace() || ",;'\"".contains(c)).unwrap_or(url.len());
        // A password may have a slash or another `@`: what is before the last one is hidden.
        let host = url[..end].rfind('@').map_or(0, |user| user + 1);
        let user = if host > 0 { "******@" } else { "" };
        shown.extend([before, "://", user, &url[host..end]]);
        rest = &url[end..];
    }
    if shown.is_empty() { text.into() } else { (shown + rest).into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_hidden_and_nothing_else() {
        for (key, value, expected) in [
            ("properties.sasl.jaas.config", "x required username=\"u\" password=\"p\";", HIDDEN),
            ("properties.ssl.keystore.PASSWORD", "p", HIDDEN),
            ("properties.sasl.oauthbearer.client.secret", "p", HIDDEN),
            ("value.avro-confluent.basic-auth.credentials-source", "USER_INFO", HIDDEN),
            ("value.avro-confluent.basic-auth.user-info", "u:p", HIDDEN),
            ("properties.schema.registry.basic.auth.user.info", "u:p", HIDDEN),
            ("key.avro-confluent.bearer-auth.token", "p", HIDDEN),
            ("properties.ssl.keystore.key", "-----BEGIN PRIVATE KEY-----", HIDDEN),
            ("value.avro-confluent.url", "https://u:p@registry:8081/x", "https://******@registry:8081/x"),
            (
                "url",
                "http://u:p/q@a:1,http://b:2, https://u@c/",
                "http://******@a:1,http://b:2, https://******@c/",
            ),
            ("url", "http://u:p@q@a", "http://******@a"),
            ("properties.bootstrap.servers", "SASL_SSL://b:9092", "SASL_SSL://b:9092"),
            ("topic", "a@b", "a@b"),
            ("key.fields", "id", "id"),
        ] {
            assert_eq!(shown(key, value), expected, "{key} = {value}");
        }
    }
}
