//! What a careful user writes: the same derive with a hand-written timestamp, the amount as a double, texts borrowed,
//! buffers reused.

use ::serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::common::orders::Order;

#[derive(Serialize, Deserialize)]
pub struct Key {
    pub order_id: i64,
}

/// Members may be missing, as in `sparse`.
#[derive(Serialize, Deserialize, PartialEq)]
pub struct OrderValue<'a> {
    pub order_id: i64,
    #[serde(borrow, default)]
    pub customer: &'a str,
    #[serde(default)]
    pub amount: f64,
    #[serde(borrow, default)]
    pub status: &'a str,
    /// In milliseconds.
    #[serde(default, serialize_with = "write_timestamp", deserialize_with = "read_timestamp")]
    pub updated_at: i64,
    #[serde(default)]
    pub quantity: i32,
    #[serde(default)]
    pub price: f64,
    #[serde(default)]
    pub active: bool,
}

impl<'a> OrderValue<'a> {
    pub fn of(order: &'a Order) -> Self {
        Self {
            order_id: order.order_id,
            customer: &order.customer,
            amount: order.amount.unscaled() as f64 / 100.0,
            status: order.status,
            updated_at: order.updated_at.millis(),
            quantity: order.quantity,
            price: order.price,
            active: order.active,
        }
    }

    /// Writes key and, unless it is a tombstone, value.
    pub fn encode(&self, tombstone: bool, key: &mut Vec<u8>, value: &mut Vec<u8>) {
        key.clear();
        value.clear();
        serde_json::to_writer(&mut *key, &Key { order_id: self.order_id }).unwrap();
        if !tombstone {
            serde_json::to_writer(&mut *value, self).unwrap();
        }
    }
}

pub fn decode_key(key: &[u8]) -> i64 {
    serde_json::from_slice::<Key>(key).unwrap().order_id
}

pub fn decode(value: &[u8]) -> OrderValue<'_> {
    serde_json::from_slice(value).unwrap()
}

const MILLIS_PER_DAY: i64 = 86_400_000;

/// `2024-05-06 12:54:21.003`.
fn write_timestamp<S: Serializer>(millis: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    let (year, month, day) = civil(millis.div_euclid(MILLIS_PER_DAY));
    let of_day = millis.rem_euclid(MILLIS_PER_DAY);
    let mut text = *b"0000-00-00 00:00:00.000";
    let mut put = |end: usize, digits: usize, mut number: i64| {
        for place in (end - digits..end).rev() {
            text[place] += (number % 10) as u8;
            number /= 10;
        }
    };
    put(4, 4, year);
    put(7, 2, month);
    put(10, 2, day);
    put(13, 2, of_day / 3_600_000);
    put(16, 2, of_day / 60_000 % 60);
    put(19, 2, of_day / 1000 % 60);
    put(23, 3, of_day % 1000);
    serializer.serialize_str(std::str::from_utf8(&text).unwrap())
}

fn read_timestamp<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    let text = <&str>::deserialize(deserializer)?.as_bytes();
    let number = |from: usize, to: usize| {
        let digits = text.get(from..to.min(text.len()))?;
        digits.iter().try_fold(0, |number, digit| {
            digit.is_ascii_digit().then(|| number * 10 + i64::from(digit - b'0'))
        })
    };
    let millis = || {
        let time = number(11, 13)? * 3_600_000 + number(14, 16)? * 60_000 + number(17, 19)? * 1000;
        // Trailing zeros are not written.
        let decimals = text.len().saturating_sub(20);
        let fraction = if decimals == 0 { 0 } else { number(20, 23)? * [0, 100, 10, 1][decimals.min(3)] };
        Some(days(number(0, 4)?, number(5, 7)?, number(8, 10)?) * MILLIS_PER_DAY + time + fraction)
    };
    millis().ok_or_else(|| ::serde::de::Error::custom("no timestamp"))
}

/// Year, month and day of a day since 1970, as Howard Hinnant's `civil_from_days`.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, of_year - (153 * from_march + 2) / 5 + 1)
}

/// The way back: `days_from_civil`.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let from_march = if month > 2 { month - 3 } else { month + 9 };
    let of_year = (153 * from_march + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + of_year - 719_468
}
