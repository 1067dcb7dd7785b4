//! Workloads of other shapes than `orders`: wide rows, long and Chinese texts, composite keys, nested values.
//!
//! One struct serves us, by `impl_row!`, and serde, by its derive.

use std::fmt::Write as _;

use serde::{Serialize, Serializer};
use upsert_kafka::{Decoder, Encoder, RowKind, Settings, Table, impl_row};

use super::ROWS;

/// A workload: a table, its rows, and the key of a row as serde writes it.
pub struct Shape<R> {
    pub name: &'static str,
    pub ddl: String,
    pub rows: Vec<(RowKind, R)>,
    pub write_key: fn(&R, &mut Vec<u8>),
}

impl<R> Shape<R> {
    fn new(
        name: &'static str,
        columns: &str,
        key: &str,
        row: impl Fn(usize) -> R,
        write_key: fn(&R, &mut Vec<u8>),
    ) -> Self {
        let ddl = format!(
            "CREATE TABLE t ({columns}, PRIMARY KEY ({key}) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', \
             'topic' = 't', 'properties.bootstrap.servers' = 'localhost:9092', 'key.format' = 'json', \
             'value.format' = 'json')"
        );
        Self { name, ddl, rows: (0..ROWS).map(|i| (RowKind::UpdateAfter, row(i))).collect(), write_key }
    }

    pub fn encoder(&self) -> Encoder {
        Table::from_ddl(&self.ddl).unwrap().sink(&Settings::default()).unwrap().encoder()
    }

    pub fn decoder(&self) -> Decoder {
        Table::from_ddl(&self.ddl).unwrap().source(&Settings::default()).unwrap().decoder()
    }
}

#[derive(Serialize)]
struct IdKey {
    id: i64,
}

fn write<T: Serialize>(value: &T, out: &mut Vec<u8>) {
    serde_json::to_writer(out, value).unwrap();
}

macro_rules! wide {
    ($($int:ident)+; $($text:ident)+; $($double:ident)+; $($small:ident)+; $($flag:ident)+) => {
        #[derive(Serialize)]
        pub struct Wide {
            pub id: i64,
            $(pub $int: Option<i64>,)+
            $(pub $text: Option<String>,)+
            $(pub $double: Option<f64>,)+
            $(pub $small: Option<i32>,)+
            $(pub $flag: Option<bool>,)+
        }

        impl_row!(Wide { id, $($int,)+ $($text,)+ $($double,)+ $($small,)+ $($flag,)+ });

        /// 100 nullable columns, half of them NULL.
        pub fn wide() -> Shape<Wide> {
            let mut columns = "id BIGINT".to_owned();
            $(write!(columns, ", {} BIGINT", stringify!($int)).unwrap();)+
            $(write!(columns, ", {} STRING", stringify!($text)).unwrap();)+
            $(write!(columns, ", {} DOUBLE", stringify!($double)).unwrap();)+
            $(write!(columns, ", {} INT", stringify!($small)).unwrap();)+
            $(write!(columns, ", {} BOOLEAN", stringify!($flag)).unwrap();)+
            let row = |i: usize| {
                let mut seed = i;
                let mut next = || {
                    seed += 1;
                    seed.is_multiple_of(2).then_some(seed * 7919)
                };
                Wide {
                    id: i as i64,
                    $($int: next().map(|n| n as i64),)+
                    $($text: next().map(|n| format!("text-{n}")),)+
                    $($double: next().map(|n| n as f64 * 0.37),)+
                    $($small: next().map(|n| (n % 1000) as i32),)+
                    $($flag: next().map(|n| n.is_multiple_of(3)),)+
                }
            };
            Shape::new("wide", &columns, "id", row, |row, key| write(&IdKey { id: row.id }, key))
        }
    };
}

/// The names of the columns of `wide`, type by type, for a macro that makes a struct of them.
macro_rules! wide_columns {
    ($make:ident) => {
        $make! {
            c00 c01 c02 c03 c04 c05 c06 c07 c08 c09
                c10 c11 c12 c13 c14 c15 c16 c17 c18 c19;
            c20 c21 c22 c23 c24 c25 c26 c27 c28 c29
                c30 c31 c32 c33 c34 c35 c36 c37 c38 c39;
            c40 c41 c42 c43 c44 c45 c46 c47 c48 c49
                c50 c51 c52 c53 c54 c55 c56 c57 c58 c59;
            c60 c61 c62 c63 c64 c65 c66 c67 c68 c69
                c70 c71 c72 c73 c74 c75 c76 c77 c78 c79;
            c80 c81 c82 c83 c84 c85 c86 c87 c88 c89
                c90 c91 c92 c93 c94 c95 c96 c97 c98 c99
        }
    };
}
pub(crate) use wide_columns;

wide_columns!(wide);

#[derive(Serialize)]
pub struct Text {
    pub id: i64,
    pub a: String,
    pub b: String,
    pub c: String,
    pub d: String,
    pub e: String,
}

impl_row!(Text { id, a, b, c, d, e });

/// Five strings of 200 bytes, 2 % of which need an escape; some are not ASCII.
pub fn text() -> Shape<Text> {
    let column = |i: usize, salt: usize| {
        let mut text = String::new();
        while text.len() < 200 {
            match (text.len() + i * salt) % 50 {
                7 => text.push(['"', '\\', '\n'][(i + salt) % 3]),
                23 if i.is_multiple_of(4) => text.push('é'),
                n => text.push(char::from(b'a' + (n % 26) as u8)),
            }
        }
        text
    };
    five_texts("text", column)
}

/// Five strings of 40 Chinese characters.
pub fn cjk() -> Shape<Text> {
    // Of the commonest block, so that each takes three bytes.
    let char = |n: usize| char::from_u32(0x4E00 + (n * 7919 % 20_000) as u32).unwrap();
    five_texts("cjk", |i, salt| (0..40).map(|n| char(i * salt + n)).collect())
}

fn five_texts(name: &'static str, column: impl Fn(usize, usize) -> String) -> Shape<Text> {
    let row = |i: usize| Text {
        id: i as i64,
        a: column(i, 1),
        b: column(i, 3),
        c: column(i, 7),
        d: column(i, 11),
        e: column(i, 13),
    };
    let columns = "id BIGINT, a STRING, b STRING, c STRING, d STRING, e STRING";
    Shape::new(name, columns, "id", row, |row, key| write(&IdKey { id: row.id }, key))
}

#[derive(Serialize)]
pub struct Keyed {
    pub region: String,
    pub shop: i32,
    pub order_id: i64,
    pub customer: String,
    pub price: f64,
}

#[derive(Serialize)]
struct KeyedKey<'a> {
    region: &'a str,
    shop: i32,
    order_id: i64,
}

impl_row!(Keyed { region, shop, order_id, customer, price });

/// A key of three columns.
pub fn keyed() -> Shape<Keyed> {
    let row = |i: usize| Keyed {
        region: ["eu-west", "us-east", "ap-south"][i % 3].to_owned(),
        shop: (i % 97) as i32,
        order_id: i as i64 * 7919,
        customer: format!("customer-{i:06}"),
        price: i as f64 * 0.37,
    };
    Shape::new(
        "keyed",
        "region STRING, shop INT, order_id BIGINT, customer STRING, price DOUBLE",
        "region, shop, order_id",
        row,
        |row, key| write(&KeyedKey { region: &row.region, shop: row.shop, order_id: row.order_id }, key),
    )
}

#[derive(Serialize)]
pub struct Nested {
    pub id: i64,
    pub address: Address,
    pub items: Vec<Item>,
    #[serde(serialize_with = "as_map")]
    pub tags: Vec<(String, String)>,
}

#[derive(Serialize)]
pub struct Address {
    pub street: String,
    pub zip: i32,
}

#[derive(Serialize)]
pub struct Item {
    pub sku: String,
    pub quantity: i32,
    pub price: f64,
}

impl_row!(Nested { id, address, items, tags });
impl_row!(Address { street, zip });
impl_row!(Item { sku, quantity, price });

fn as_map<S: Serializer>(pairs: &[(String, String)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(key, value)| (key, value)))
}

/// A row, an array of rows and a map.
pub fn nested() -> Shape<Nested> {
    let row = |i: usize| Nested {
        id: i as i64,
        address: Address { street: format!("{i} Main Street"), zip: 10_000 + (i % 90_000) as i32 },
        items: (0..3)
            .map(|item| Item {
                sku: format!("sku-{}", i * 3 + item),
                quantity: item as i32 + 1,
                price: (i + item) as f64 * 0.37,
            })
            .collect(),
        tags: vec![("channel".to_owned(), "web".to_owned()), ("campaign".to_owned(), format!("c{}", i % 10))],
    };
    Shape::new(
        "nested",
        "id BIGINT, address ROW<street STRING, zip INT>, items ARRAY<ROW<sku STRING, quantity INT, price DOUBLE>>, \
         tags MAP<STRING, STRING>",
        "id",
        row,
        |row, key| write(&IdKey { id: row.id }, key),
    )
}
