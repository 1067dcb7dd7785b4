//! `orders`: eight columns of eight types; 169.5 bytes of key and value a row.

use upsert_kafka::{
    Decimal, RecordBuf, RowKind, Settings, Table, Timestamp, UpsertDecoder, UpsertEncoder, impl_row,
};

use super::ROWS;

pub struct Order {
    pub order_id: i64,
    pub customer: String,
    pub amount: Decimal,
    pub status: &'static str,
    pub updated_at: Timestamp,
    pub quantity: i32,
    pub price: f64,
    pub active: bool,
}

impl_row!(Order { order_id, customer, amount, status, updated_at, quantity, price, active });

impl Order {
    fn new(i: usize) -> Self {
        let n = i as i64;
        Self {
            order_id: 1_000_000 + (n * 7919) % 1_000_003,
            customer: format!("customer-{:06}", n * 31 % 10_007),
            amount: Decimal::new((n * 37 % 100_000 * 100 + n % 100).into(), 2),
            status: ["NEW", "PAID", "SHIPPED"][i % 3],
            updated_at: Timestamp::from_millis(1_715_000_000_000 + n * 61_003),
            quantity: (n % 100) as i32,
            price: n as f64 * 0.37,
            active: i.is_multiple_of(2),
        }
    }
}

pub const DDL: &str = "CREATE TABLE orders (order_id BIGINT, customer STRING, amount DECIMAL(10, 2), \
    status STRING, updated_at TIMESTAMP(3), quantity INT, price DOUBLE, active BOOLEAN, \
    PRIMARY KEY (order_id) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = 'orders', \
    'properties.bootstrap.servers' = 'localhost:9092', 'key.format' = 'json', 'value.format' = 'json')";

/// The changelog: each row with its kind.
pub fn changelog() -> Vec<(RowKind, Order)> {
    let kind = |i| match i % 10 {
        0 => RowKind::Insert,
        9 => RowKind::Delete,
        _ => RowKind::UpdateAfter,
    };
    (0..ROWS).map(|i| (kind(i), Order::new(i))).collect()
}

pub fn encoder() -> UpsertEncoder {
    UpsertEncoder::new(&Table::from_ddl(DDL).unwrap(), &Settings::default()).unwrap()
}

pub fn decoder() -> UpsertDecoder {
    UpsertDecoder::new(&Table::from_ddl(DDL).unwrap(), &Settings::default()).unwrap()
}

/// Key and value of each row, by our encoder.
pub fn records() -> Vec<(Vec<u8>, Option<Vec<u8>>)> {
    let (encoder, mut buf) = (encoder(), RecordBuf::new());
    let records = changelog().into_iter().map(|(kind, row)| {
        let record = encoder.encode(kind, &row, &mut buf).unwrap().unwrap();
        (record.key.unwrap().to_vec(), record.value.map(<[u8]>::to_vec))
    });
    records.collect()
}
