//! The properties of Java's client in the words of librdkafka, and of the clients around it: rdkafka, confluent-kafka.
//!
//! Agrees with librdkafka's `CONFIGURATION.md` and Kafka's `ProducerConfig`, `ConsumerConfig`, `SaslConfigs` and
//! `SslConfigs`.

use super::properties::Properties;
use super::sink::TableSink;
use super::sink_partitioner::SinkPartitioner;
use super::source::TableSource;

/// What librdkafka is configured with, and what of the properties is not in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LibrdkafkaConfig {
    /// librdkafka's names and values. Shown without passwords.
    pub properties: Properties,
    /// Java's names without a twin, in order, each with the reason in words. Their values may be secrets and are left out.
    pub left_out: Vec<(String, &'static str)>,
}

impl TableSink {
    /// What librdkafka is configured with to write as Flink's producer does: [`producer_config`](Self::producer_config)
    /// translated, and the partitioner that puts keys where Java's client does.
    ///
    /// ```
    /// use upsert_kafka::{Settings, Table};
    ///
    /// let table = Table::from_ddl(
    ///     "CREATE TABLE counts (word STRING, n BIGINT, PRIMARY KEY (word) NOT ENFORCED) WITH (
    ///        'connector' = 'upsert-kafka', 'topic' = 'counts', 'key.format' = 'json', 'value.format' = 'json',
    ///        'properties.bootstrap.servers' = 'localhost:9092', 'properties.security.protocol' = 'SASL_SSL',
    ///        'properties.sasl.mechanism' = 'PLAIN', 'properties.max.block.ms' = '1000', 'properties.sasl.jaas.config' =
    ///        'org.apache.kafka.common.security.plain.PlainLoginModule required username=\"me\" password=\"mine\";')",
    /// )?;
    /// let config = table.sink(&Settings::default())?.librdkafka_config();
    /// assert_eq!(config.properties["sasl.username"], "me");
    /// assert_eq!(config.properties["partitioner"], "murmur2_random");
    /// assert!(config.left_out.iter().any(|(key, _)| key == "max.block.ms"));
    /// # Ok::<(), upsert_kafka::Error>(())
    /// ```
    #[must_use]
    pub fn librdkafka_config(&self) -> LibrdkafkaConfig {
        let mut config = translate(&self.producer_config());
        if *self.partitioner() == SinkPartitioner::Default {
            config.properties.set_default("partitioner", "murmur2_random");
        }
        config
    }
}

impl TableSource {
    /// What librdkafka is configured with to read as Flink's consumer does: [`consumer_config`](Self::consumer_config)
    /// translated.
    #[must_use]
    pub fn librdkafka_config(&self) -> LibrdkafkaConfig {
        translate(&self.consumer_config())
    }
}

/// Properties with another name and the same value.
const RENAMED: [(&str, &str); 8] = [
    ("fetch.max.wait.ms", "fetch.wait.max.ms"),
    ("max.request.size", "message.max.bytes"),
    ("metadata.max.age.ms", "topic.metadata.refresh.interval.ms"),
    ("sasl.oauthbearer.clientcredentials.client.id", "sasl.oauthbearer.client.id"),
    ("sasl.oauthbearer.clientcredentials.client.secret", "sasl.oauthbearer.client.secret"),
    ("ssl.keystore.certificate.chain", "ssl.certificate.pem"),
    ("ssl.keystore.key", "ssl.key.pem"),
    ("ssl.truststore.certificates", "ssl.ca.pem"),
];

/// Properties with the same name and the same values.
const ALIKE: [&str; 43] = [
    "acks",
    "allow.auto.create.topics",
    "auto.commit.interval.ms",
    "batch.size",
    "bootstrap.servers",
    "check.crcs",
    "client.dns.lookup",
    "client.id",
    "client.rack",
    "compression.type",
    "delivery.timeout.ms",
    "enable.auto.commit",
    "enable.idempotence",
    "fetch.max.bytes",
    "fetch.min.bytes",
    "group.id",
    "group.instance.id",
    "group.remote.assignor",
    "heartbeat.interval.ms",
    "isolation.level",
    "linger.ms",
    "max.in.flight.requests.per.connection",
    "max.partition.fetch.bytes",
    "max.poll.interval.ms",
    "metadata.recovery.rebootstrap.trigger.ms",
    "metadata.recovery.strategy",
    "reconnect.backoff.max.ms",
    "reconnect.backoff.ms",
    "request.timeout.ms",
    "retries",
    "retry.backoff.max.ms",
    "retry.backoff.ms",
    "sasl.kerberos.min.time.before.relogin",
    "sasl.kerberos.service.name",
    "sasl.mechanism",
    "sasl.oauthbearer.scope",
    "sasl.oauthbearer.token.endpoint.url",
    "session.timeout.ms",
    "socket.connection.setup.timeout.ms",
    "ssl.key.password",
    "ssl.keystore.password",
    "transaction.timeout.ms",
    "transactional.id",
];

const BYTES: &str = "librdkafka takes and gives keys and values as bytes";
const FLINK: &str = "Flink's own, which the client does not know";
const JAVA: &str = "a class of Java's";
const STORE: &str = "a store of Java's (JKS): export it as PEM or PKCS12";
const TRUST_STORE: &str = "a store of Java's: export its certificates as PEM";
const NO_TWIN: &str = "librdkafka has nothing like it";
const OTHER_VALUE: &str = "librdkafka has it, but not this value";

fn translate(java: &Properties) -> LibrdkafkaConfig {
    let mut config = LibrdkafkaConfig::default();
    for (key, value) in java {
        match twin(key, value, java) {
            Ok(twins) => twins.into_iter().for_each(|(key, value)| config.properties.set(key, value)),
            Err(reason) => config.left_out.push((key.clone(), reason)),
        }
    }
    config
}

/// What a property of Java's is in librdkafka, or why it is nothing.
fn twin(key: &str, value: &str, java: &Properties) -> Result<Vec<(&'static str, String)>, &'static str> {
    if let Some(key) = ALIKE.iter().find(|alike| **alike == key) {
        return Ok(vec![(*key, value.to_owned())]);
    }
    if let Some((_, name)) = RENAMED.iter().find(|(java, _)| *java == key) {
        return Ok(vec![(name, value.to_owned())]);
    }
    let one = |key, value: &str| Ok(vec![(key, value.to_owned())]);
    let is = |wanted: &str| value.eq_ignore_ascii_case(wanted);
    match key {
        "security.protocol" => one("security.protocol", &value.to_ascii_lowercase()),
        "auto.offset.reset" if is("none") => one("auto.offset.reset", "error"),
        "auto.offset.reset" if is("earliest") || is("latest") => {
            one("auto.offset.reset", &value.to_ascii_lowercase())
        }
        "auto.offset.reset" => Err(OTHER_VALUE),
        "group.protocol" => one("group.protocol", &value.to_ascii_lowercase()),
        "connections.max.idle.ms" => one("connections.max.idle.ms", if value == "-1" { "0" } else { value }),
        "receive.buffer.bytes" => one("socket.receive.buffer.bytes", if value == "-1" { "0" } else { value }),
        "send.buffer.bytes" => one("socket.send.buffer.bytes", if value == "-1" { "0" } else { value }),
        "buffer.memory" => {
            let bytes: u64 = value.trim().parse().map_err(|_| OTHER_VALUE)?;
            one("queue.buffering.max.kbytes", &bytes.div_ceil(1024).max(1).to_string())
        }
        "partition.assignment.strategy" => assignors(value).map(|twins| vec![(PARTITION_STRATEGY, twins)]),
        "ssl.endpoint.identification.algorithm" => {
            one("ssl.endpoint.identification.algorithm", if value.is_empty() { "none" } else { value })
        }
        "ssl.truststore.location" if store_type(java, "truststore") == "PEM" => one("ssl.ca.location", value),
        "ssl.keystore.location" => match store_type(java, "keystore").as_str() {
            "PEM" => Ok(vec![
                ("ssl.certificate.location", value.to_owned()),
                ("ssl.key.location", value.to_owned()),
            ]),
            "PKCS12" => one("ssl.keystore.location", value),
            _ => Err(STORE),
        },
        "ssl.truststore.location" | "ssl.truststore.password" => Err(TRUST_STORE),
        "ssl.truststore.type" | "ssl.keystore.type" => {
            Err("the type is in the name of librdkafka's property")
        }
        "sasl.jaas.config" => jaas(value).ok_or("a login module without a twin, or one that is not readable"),
        "key.serializer" | "value.serializer" | "key.deserializer" | "value.deserializer" => Err(BYTES),
        "client.id.prefix"
        | "commit.offsets.on.checkpoint"
        | "partition.discovery.interval.ms"
        | "register.consumer.metrics" => Err(FLINK),
        _ if key.ends_with(".class") || key.ends_with(".classes") || key == "metric.reporters" => Err(JAVA),
        _ => Err(NO_TWIN),
    }
}

const PARTITION_STRATEGY: &str = "partition.assignment.strategy";

/// The type of a store, as it is set or else Kafka's default.
fn store_type(java: &Properties, store: &str) -> String {
    let set = java.get(&format!("ssl.{store}.type"));
    set.map_or_else(|| "JKS".to_owned(), |set| set.to_ascii_uppercase())
}

/// Java's classes of assignors as librdkafka's names.
fn assignors(classes: &str) -> Result<String, &'static str> {
    let names = classes.split(',').map(|class| match class.trim().rsplit('.').next() {
        Some("RangeAssignor") => Ok("range"),
        Some("RoundRobinAssignor") => Ok("roundrobin"),
        Some("CooperativeStickyAssignor") => Ok("cooperative-sticky"),
        _ => Err(OTHER_VALUE),
    });
    names.collect::<Result<Vec<_>, _>>().map(|names| names.join(","))
}

/// What a login module of JAAS is told: `Class flag key="value" ..;`.
fn jaas(config: &str) -> Option<Vec<(&'static str, String)>> {
    let (class, options) = config.trim().split_once(char::is_whitespace)?;
    let (_, options) = options.trim_start().split_once(char::is_whitespace)?;
    let options = jaas_options(options)?;
    let names: &[(&str, &str)] = match class.rsplit('.').next()? {
        "PlainLoginModule" | "ScramLoginModule" => {
            &[("username", "sasl.username"), ("password", "sasl.password")]
        }
        "OAuthBearerLoginModule" => &[
            ("clientId", "sasl.oauthbearer.client.id"),
            ("clientSecret", "sasl.oauthbearer.client.secret"),
            ("scope", "sasl.oauthbearer.scope"),
        ],
        "Krb5LoginModule" => &[
            ("principal", "sasl.kerberos.principal"),
            ("keyTab", "sasl.kerberos.keytab"),
            ("serviceName", "sasl.kerberos.service.name"),
        ],
        _ => return None,
    };
    let mut twins: Vec<_> = options
        .into_iter()
        .filter_map(|(key, value)| Some((names.iter().find(|(java, _)| *java == key)?.1, value)))
        .collect();
    if class.ends_with("OAuthBearerLoginModule") {
        twins.push(("sasl.oauthbearer.method", "oidc".to_owned()));
    }
    Some(twins)
}

/// The options up to the semicolon, values without quotes and escapes.
fn jaas_options(mut text: &str) -> Option<Vec<(String, String)>> {
    let mut options = Vec::new();
    loop {
        text = text.trim_start();
        if text.starts_with(';') {
            return Some(options);
        }
        let (key, whole) = text.split_once('=')?;
        let whole = whole.trim_start();
        let mut rest = whole.char_indices().peekable();
        let quote = rest.next_if(|(_, c)| *c == '"' || *c == '\'').map(|(_, quote)| quote);
        let (mut value, mut end) = (String::new(), whole.len());
        while let Some((at, c)) = rest.next() {
            match (quote, c) {
                (Some(quote), c) if c == quote => {
                    end = at + 1;
                    break;
                }
                (None, c) if c == ';' || c.is_whitespace() => {
                    end = at;
                    break;
                }
                (Some(_), '\\') => value.extend(rest.next().map(|(_, escaped)| escaped)),
                (_, c) => value.push(c),
            }
        }
        options.push((key.trim().to_owned(), value));
        text = &whole[end..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(properties: &[(&str, &str)]) -> LibrdkafkaConfig {
        translate(&properties.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect())
    }

    /// By librdkafka's `CONFIGURATION.md` and Kafka's documentation.
    #[test]
    fn a_property_has_a_twin_or_is_listed() {
        for (key, value, twins) in [
            ("acks", "all", &[("acks", "all")][..]),
            ("security.protocol", "SASL_SSL", &[("security.protocol", "sasl_ssl")]),
            ("auto.offset.reset", "NONE", &[("auto.offset.reset", "error")]),
            ("auto.offset.reset", "earliest", &[("auto.offset.reset", "earliest")]),
            ("compression.type", "zstd", &[("compression.type", "zstd")]),
            ("fetch.max.wait.ms", "500", &[("fetch.wait.max.ms", "500")]),
            ("max.request.size", "1048576", &[("message.max.bytes", "1048576")]),
            ("buffer.memory", "33554432", &[("queue.buffering.max.kbytes", "32768")]),
            ("receive.buffer.bytes", "-1", &[("socket.receive.buffer.bytes", "0")]),
            (
                "ssl.endpoint.identification.algorithm",
                "",
                &[("ssl.endpoint.identification.algorithm", "none")],
            ),
            (
                "partition.assignment.strategy",
                "org.apache.kafka.clients.consumer.RangeAssignor, x.CooperativeStickyAssignor",
                &[("partition.assignment.strategy", "range,cooperative-sticky")],
            ),
            (
                "sasl.jaas.config",
                "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"a b\" password='c\\'\";' ;",
                &[("sasl.username", "a b"), ("sasl.password", "c'\";")],
            ),
            (
                "sasl.jaas.config",
                "x.ScramLoginModule required\n username = me password=mine;",
                &[("sasl.username", "me"), ("sasl.password", "mine")],
            ),
            (
                "sasl.jaas.config",
                "x.OAuthBearerLoginModule required clientId='id' clientSecret='s' scope='all';",
                &[
                    ("sasl.oauthbearer.client.id", "id"),
                    ("sasl.oauthbearer.client.secret", "s"),
                    ("sasl.oauthbearer.scope", "all"),
                    ("sasl.oauthbearer.method", "oidc"),
                ],
            ),
            (
                "sasl.jaas.config",
                "com.sun.security.auth.module.Krb5LoginModule required useKeyTab=true keyTab=\"/k\" principal=\"p@R\";",
                &[("sasl.kerberos.principal", "p@R"), ("sasl.kerberos.keytab", "/k")],
            ),
        ] {
            let expected: Properties =
                twins.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
            assert_eq!(
                of(&[(key, value)]),
                LibrdkafkaConfig { properties: expected, left_out: Vec::new() },
                "{value}"
            );
        }
        for (key, value, reason) in [
            ("key.serializer", "x", BYTES),
            ("client.id.prefix", "x", FLINK),
            ("interceptor.classes", "x", JAVA),
            ("max.block.ms", "1", NO_TWIN),
            ("max.poll.records", "1", NO_TWIN),
            ("ssl.keystore.location", "/k.jks", STORE),
            ("ssl.truststore.location", "/t.p12", TRUST_STORE),
            ("auto.offset.reset", "by_duration:PT1H", OTHER_VALUE),
            ("partition.assignment.strategy", "x.StickyAssignor", OTHER_VALUE),
        ] {
            assert_eq!(of(&[(key, value)]).left_out, [(key.to_owned(), reason)]);
        }
        for unreadable in
            ["", "x", "x required", "x.PlainLoginModule required username", "x.Other required a=b;"]
        {
            assert_eq!(of(&[("sasl.jaas.config", unreadable)]).left_out.len(), 1, "{unreadable}");
        }
    }

    #[test]
    fn the_type_of_a_store_says_where_it_belongs() {
        let keystore =
            |of_type| of(&[("ssl.keystore.location", "/k"), ("ssl.keystore.type", of_type)]).properties;
        assert_eq!(keystore("PKCS12")["ssl.keystore.location"], "/k");
        assert_eq!(keystore("pem")["ssl.key.location"], "/k");
        let truststore = of(&[("ssl.truststore.location", "/t"), ("ssl.truststore.type", "PEM")]);
        assert_eq!(truststore.properties["ssl.ca.location"], "/t");
    }

    #[test]
    fn passwords_are_not_shown() {
        let config = of(&[("sasl.jaas.config", "x.PlainLoginModule required username=u password=hidden;")]);
        assert!(!format!("{config:?}").contains("hidden"));
    }
}
