//! The rows of the other workloads as serde, sonic-rs and simd-json read them: texts borrowed where they have no escapes.

use std::borrow::Cow;
use std::collections::HashMap;

use ::serde::de::Error as _;
use ::serde::{Deserialize, Deserializer};

#[derive(Deserialize)]
pub struct IdKey {
    pub id: i64,
}

#[derive(Deserialize)]
pub struct Text<'a> {
    pub id: i64,
    #[serde(borrow)]
    pub a: Cow<'a, str>,
    #[serde(borrow)]
    pub b: Cow<'a, str>,
    #[serde(borrow)]
    pub c: Cow<'a, str>,
    #[serde(borrow)]
    pub d: Cow<'a, str>,
    #[serde(borrow)]
    pub e: Cow<'a, str>,
}

#[derive(Deserialize)]
pub struct Keyed<'a> {
    pub region: &'a str,
    pub shop: i32,
    pub order_id: i64,
    pub customer: &'a str,
    pub price: f64,
}

#[derive(Deserialize)]
pub struct KeyedKey<'a> {
    pub region: &'a str,
    pub shop: i32,
    pub order_id: i64,
}

#[derive(Deserialize)]
pub struct Nested<'a> {
    pub id: i64,
    #[serde(borrow)]
    pub address: Address<'a>,
    #[serde(borrow)]
    pub items: Vec<Item<'a>>,
    #[serde(borrow)]
    pub tags: HashMap<&'a str, &'a str>,
}

#[derive(Deserialize)]
pub struct Address<'a> {
    pub street: &'a str,
    pub zip: i32,
}

#[derive(Deserialize)]
pub struct Item<'a> {
    pub sku: &'a str,
    pub quantity: i32,
    pub price: f64,
}

/// The envelope of a change with its images typed.
#[derive(Deserialize)]
pub struct Change<'a> {
    #[serde(borrow)]
    pub before: Option<super::serde_tuned::OrderValue<'a>>,
    #[serde(borrow)]
    pub after: Option<super::serde_tuned::OrderValue<'a>>,
    pub op: &'a str,
}

/// An event of Kafka Connect, with its schema passed over.
#[derive(Deserialize)]
pub struct Wrapped<'a> {
    #[serde(borrow)]
    pub payload: ConnectChange<'a>,
}

/// An event of Kafka Connect with its images typed.
#[derive(Deserialize)]
pub struct ConnectChange<'a> {
    #[serde(borrow)]
    pub before: Option<ConnectOrder<'a>>,
    #[serde(borrow)]
    pub after: Option<ConnectOrder<'a>>,
    pub op: &'a str,
}

#[derive(Deserialize)]
pub struct ConnectOrder<'a> {
    pub order_id: i64,
    pub customer: &'a str,
    /// The unscaled number.
    #[serde(deserialize_with = "read_decimal")]
    pub amount: i128,
    pub status: &'a str,
    pub updated_at: i64,
    pub quantity: i32,
    pub price: f64,
    pub active: bool,
}

/// The number whose bytes stand there in base64.
fn read_decimal<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i128, D::Error> {
    let text = <&str>::deserialize(deserializer)?.trim_end_matches('=');
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let word = text.bytes().try_fold(0_i128, |word, byte| Some(word << 6 | i128::from(digit(byte)?)));
    let word = word.ok_or_else(|| D::Error::custom("no base64"))?;
    // The last digit has bits to spare, and the first one of the number is its sign.
    let bits = text.len() * 6 / 8 * 8;
    let number = word >> (text.len() * 6 - bits);
    Ok(number << (128 - bits) >> (128 - bits))
}

macro_rules! wide {
    ($($int:ident)+; $($text:ident)+; $($double:ident)+; $($small:ident)+; $($flag:ident)+) => {
        #[derive(Deserialize)]
        pub struct Wide<'a> {
            pub id: i64,
            $(pub $int: Option<i64>,)+
            $(#[serde(borrow)] pub $text: Option<&'a str>,)+
            $(pub $double: Option<f64>,)+
            $(pub $small: Option<i32>,)+
            $(pub $flag: Option<bool>,)+
        }
    };
}

crate::common::shapes::wide_columns!(wide);
