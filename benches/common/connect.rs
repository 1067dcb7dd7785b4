//! The orders as a connector of Debezium writes them by way of Kafka Connect's `JsonConverter`.

use upsert_kafka::format::DebeziumSettings;
use upsert_kafka::source::DebeziumDecoder;
use upsert_kafka::{ConsumerRecord, DecodeBuf, RowKind};

use super::orders::{self, Order};
use super::{NOW_MS, formats};

/// The event of each order: `c`, `u` with both images, `d`.
pub fn events(with_schema: bool) -> Vec<Vec<u8>> {
    let schema = schema();
    let events = orders::changelog().into_iter().enumerate().map(|(i, (kind, order))| {
        let row = image(&order);
        let older = image(&Order { quantity: order.quantity + 1, ..order });
        let (before, after, op) = match kind {
            RowKind::Insert => ("null", row.as_str(), "c"),
            RowKind::Delete => (row.as_str(), "null", "d"),
            RowKind::UpdateBefore | RowKind::UpdateAfter => (older.as_str(), row.as_str(), "u"),
        };
        let millis = NOW_MS + i as i64;
        let payload = format!(
            r#"{{"before":{before},"after":{after},"source":{{"version":"3.6.1.Final","connector":"postgresql","name":"shop","ts_ms":{millis},"snapshot":"false","db":"shop","sequence":"[\"24023119\",\"{i}\"]","ts_us":{millis}123,"ts_ns":{millis}123000,"schema":"public","table":"orders","txId":{i},"lsn":{i},"xmin":null}},"transaction":null,"op":"{op}","ts_ms":{millis},"ts_us":{millis}456,"ts_ns":{millis}456789}}"#
        );
        match with_schema {
            true => format!(r#"{{"schema":{schema},"payload":{payload}}}"#).into_bytes(),
            false => payload.into_bytes(),
        }
    });
    events.collect()
}

pub fn decoder() -> DebeziumDecoder {
    formats::changelog_source("debezium-json").debezium_decoder(&DebeziumSettings::default()).unwrap()
}

/// Decodes all.
pub fn decode(events: &[Vec<u8>], decoder: &DebeziumDecoder, buf: &mut DecodeBuf) {
    for event in events {
        std::hint::black_box(decoder.decode(&ConsumerRecord::new(None, Some(event)), buf).unwrap());
    }
}

fn image(order: &Order) -> String {
    format!(
        r#"{{"order_id":{},"customer":"{}","amount":"{}","status":"{}","updated_at":{},"quantity":{},"price":{:?},"active":{}}}"#,
        order.order_id,
        order.customer,
        base64(order.amount.unscaled()),
        order.status,
        order.updated_at.millis(),
        order.quantity,
        order.price,
        order.active
    )
}

/// The bytes of the number, no more than it takes, in base64.
fn base64(unscaled: i128) -> String {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bytes = unscaled.to_be_bytes();
    let needless = bytes.windows(2).take_while(|pair| pair[0] == 0 && pair[1] < 0x80).count();
    let groups = bytes[needless..].chunks(3).map(|group| {
        let word =
            group.iter().fold(0, |word, byte| word << 8 | usize::from(*byte)) << (8 * (3 - group.len()));
        let digit = |place: usize| match place <= group.len() {
            true => char::from(ALPHABET[word >> (18 - 6 * place) & 63]),
            false => '=',
        };
        (0..4).map(digit).collect::<String>()
    });
    groups.collect()
}

fn schema() -> String {
    let field = |name: &str, rest: &str| format!(r#"{{{rest},"field":"{name}"}}"#);
    let plain = |name: &str, kind: &str| field(name, &format!(r#""type":"{kind}","optional":true"#));
    let group = |fields: &[String], name: &str, rest: &str| {
        format!(
            r#"{{"type":"struct","fields":[{}],"optional":true,"name":"{name}"{rest}}}"#,
            fields.join(",")
        )
    };
    let decimal = r#""type":"bytes","optional":true,"name":"org.apache.kafka.connect.data.Decimal","version":1,"parameters":{"scale":"2","connect.decimal.precision":"10"}"#;
    let timestamp = r#""type":"int64","optional":true,"name":"io.debezium.time.Timestamp","version":1"#;
    let row = [
        plain("order_id", "int64"),
        plain("customer", "string"),
        field("amount", decimal),
        plain("status", "string"),
        field("updated_at", timestamp),
        plain("quantity", "int32"),
        plain("price", "double"),
        plain("active", "boolean"),
    ];
    let strings = ["version", "connector", "name", "snapshot", "db", "sequence", "schema", "table"];
    let numbers = ["ts_ms", "ts_us", "ts_ns", "txId", "lsn", "xmin"];
    let source: Vec<_> = (strings.iter().map(|name| plain(name, "string")))
        .chain(numbers.iter().map(|name| plain(name, "int64")))
        .collect();
    let block =
        [plain("id", "string"), plain("total_order", "int64"), plain("data_collection_order", "int64")];
    let image = |name| group(&row, "shop.public.orders.Value", &format!(r#","field":"{name}""#));
    let envelope = [
        image("before"),
        image("after"),
        group(&source, "io.debezium.connector.postgresql.Source", r#","version":1,"field":"source""#),
        group(&block, "event.block", r#","version":1,"field":"transaction""#),
        plain("op", "string"),
        plain("ts_ms", "int64"),
        plain("ts_us", "int64"),
        plain("ts_ns", "int64"),
    ];
    group(&envelope, "shop.public.orders.Envelope", r#","version":2"#)
}
