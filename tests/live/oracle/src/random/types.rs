//! Random types, and values of them in the form of the vectors.

use fastrand::Rng;
use serde_json::{Value, json};

/// The type of a column, as far as values need it.
#[derive(Clone, Debug)]
pub struct Type {
    root: Root,
    nullable: bool,
}

#[derive(Clone, Debug)]
enum Root {
    Boolean,
    TinyInt,
    SmallInt,
    Int,
    BigInt,
    Float,
    Double,
    Decimal(usize, usize),
    Char(usize),
    VarChar(usize),
    String,
    Binary(usize),
    VarBinary(usize),
    Bytes,
    Date,
    Time(usize),
    Timestamp(usize),
    TimestampLtz(usize),
    YearMonth,
    DayTime,
    Array(Box<Type>),
    Map(Box<Type>, Box<Type>),
    Multiset(Box<Type>),
    Row(Vec<(String, Type)>),
}

const SCALARS: u32 = 20;

/// A type that the format can hold, and now and then one that it refuses.
#[must_use]
pub fn random_type(rng: &mut Rng, format: &str, depth: u32) -> Type {
    let nests = depth > 0 && format != "raw";
    let kinds = if nests { SCALARS + 5 } else { SCALARS };
    let inner = if format == "csv" && rng.u32(..20) > 0 { 0 } else { depth.saturating_sub(1) };
    let root = match rng.u32(..kinds) {
        0 => Root::Boolean,
        1 => Root::TinyInt,
        2 => Root::SmallInt,
        3 => Root::Int,
        4 => Root::BigInt,
        5 => Root::Float,
        6 => Root::Double,
        7 => {
            let precision = rng.usize(1..=38);
            Root::Decimal(precision, rng.usize(..=precision))
        }
        8 | 9 => Root::String,
        10 => Root::VarChar(rng.usize(1..=40)),
        11 => Root::Char(rng.usize(1..=8)),
        12 => Root::Bytes,
        13 => match rng.bool() {
            true => Root::Binary(rng.usize(1..=8)),
            false => Root::VarBinary(rng.usize(1..=20)),
        },
        14 => Root::Date,
        15 => Root::Time(precision(rng, format, 9)),
        16 => Root::Timestamp(precision(rng, format, 9)),
        17 => Root::TimestampLtz(precision(rng, format, 9)),
        // csv and avro refuse intervals.
        18 if format == "json" || rng.u32(..20) == 0 => Root::YearMonth,
        19 if format == "json" || rng.u32(..20) == 0 => Root::DayTime,
        18 | 19 => Root::Int,
        20 => Root::Array(Box::new(random_type(rng, format, inner))),
        21 | 22 => {
            let fields = (0..rng.usize(1..=4)).map(|index| {
                let name = if rng.u32(..8) == 0 && !format.starts_with("avro") { "é" } else { "" };
                (format!("f{index}{name}"), random_type(rng, format, inner))
            });
            Root::Row(fields.collect())
        }
        _ if format == "csv" && rng.u32(..20) > 0 => Root::String,
        23 => {
            let key = if rng.u32(..8) == 0 { Root::VarChar(20) } else { Root::String };
            let key = Type { root: key, nullable: format.contains("json") && rng.bool() };
            Root::Map(Box::new(key), Box::new(random_type(rng, format, inner)))
        }
        _ => Root::Multiset(Box::new(Type { root: Root::String, nullable: false })),
    };
    Type { root, nullable: rng.u32(..6) > 0 }
}

/// A format's own limit mostly, any precision now and then.
fn precision(rng: &mut Rng, format: &str, most: usize) -> usize {
    match format {
        "csv" | "avro" | "avro-confluent" if rng.u32(..10) > 0 => rng.usize(..=3),
        _ => rng.usize(..=most),
    }
}

impl Type {
    #[must_use]
    pub fn int() -> Self {
        Self { root: Root::Int, nullable: true }
    }

    #[must_use]
    pub fn is_scalar(&self) -> bool {
        !matches!(self.root, Root::Array(_) | Root::Map(..) | Root::Multiset(_) | Root::Row(_))
    }

    #[must_use]
    pub fn is_nullable(&self) -> bool {
        self.nullable
    }

    #[must_use]
    pub fn not_null(self) -> Self {
        Self { nullable: false, ..self }
    }

    /// In Flink's SQL.
    #[must_use]
    pub fn sql(&self) -> String {
        let not_null = if self.nullable { "" } else { " NOT NULL" };
        let root = match &self.root {
            Root::Boolean => "BOOLEAN".to_owned(),
            Root::TinyInt => "TINYINT".to_owned(),
            Root::SmallInt => "SMALLINT".to_owned(),
            Root::Int => "INT".to_owned(),
            Root::BigInt => "BIGINT".to_owned(),
            Root::Float => "FLOAT".to_owned(),
            Root::Double => "DOUBLE".to_owned(),
            Root::Decimal(precision, scale) => format!("DECIMAL({precision}, {scale})"),
            Root::Char(length) => format!("CHAR({length})"),
            Root::VarChar(length) => format!("VARCHAR({length})"),
            Root::String => "VARCHAR(2147483647)".to_owned(),
            Root::Binary(length) => format!("BINARY({length})"),
            Root::VarBinary(length) => format!("VARBINARY({length})"),
            Root::Bytes => "VARBINARY(2147483647)".to_owned(),
            Root::Date => "DATE".to_owned(),
            Root::Time(precision) => format!("TIME({precision})"),
            Root::Timestamp(precision) => format!("TIMESTAMP({precision})"),
            Root::TimestampLtz(precision) => format!("TIMESTAMP({precision}) WITH LOCAL TIME ZONE"),
            Root::YearMonth => "INTERVAL YEAR TO MONTH".to_owned(),
            Root::DayTime => "INTERVAL DAY TO SECOND(3)".to_owned(),
            Root::Array(element) => format!("ARRAY<{}>", element.sql()),
            Root::Map(key, value) => format!("MAP<{}, {}>", key.sql(), value.sql()),
            Root::Multiset(element) => format!("MULTISET<{}>", element.sql()),
            Root::Row(fields) => {
                let fields: Vec<_> =
                    fields.iter().map(|(name, field)| format!("`{name}` {}", field.sql())).collect();
                format!("ROW<{}>", fields.join(", "))
            }
        };
        root + not_null
    }

    /// A value that the type holds.
    #[must_use]
    pub fn value(&self, rng: &mut Rng) -> Value {
        if self.nullable && rng.u32(..6) == 0 {
            return Value::Null;
        }
        match &self.root {
            Root::Boolean => json!(rng.bool()),
            Root::TinyInt => json!(rng.i8(..)),
            Root::SmallInt => json!(rng.i16(..)),
            Root::Int | Root::YearMonth => match rng.bool() {
                true => json!(rng.i32(..)),
                false => json!(rng.i32(..100)),
            },
            Root::BigInt | Root::DayTime => match rng.bool() {
                true => json!(rng.i64(..)),
                false => json!(rng.i64(..1000)),
            },
            Root::Float => json!(
                match rng.u32(..3) {
                    0 if rng.bool() => special_float(rng),
                    0 => f32::from_bits(rng.u32(..)).to_string(),
                    1 => format!("{}", f64::from(rng.i32(-100_000..100_000)) / 100.0),
                    _ => format!("{}", rng.f32()),
                }
                .replace("inf", "Infinity")
            ),
            Root::Double => json!(
                match rng.u32(..3) {
                    0 if rng.bool() => special_float(rng),
                    0 => f64::from_bits(rng.u64(..)).to_string(),
                    1 => format!("{}", f64::from(rng.i32(-10_000_000..10_000_000)) / 1000.0),
                    _ => format!("{}", rng.f64()),
                }
                .replace("inf", "Infinity")
            ),
            Root::Decimal(precision, scale) => json!(decimal(rng, *precision, *scale)),
            Root::Char(length) | Root::VarChar(length) => json!(string(rng, (*length).min(60))),
            Root::String => json!(string(rng, 60)),
            Root::Binary(length) => json!(base64(&bytes(rng, *length))),
            Root::VarBinary(length) => {
                let length = rng.usize(..=*length);
                json!(base64(&bytes(rng, length)))
            }
            Root::Bytes => {
                let length = rng.usize(..12);
                json!(base64(&bytes(rng, length)))
            }
            Root::Date => json!(date(rng)),
            Root::Time(precision) => json!(clock(rng, (*precision).min(3))),
            Root::Timestamp(precision) => json!(format!("{} {}", date(rng), clock(rng, *precision))),
            Root::TimestampLtz(precision) => json!(format!("{} {}Z", date(rng), clock(rng, *precision))),
            Root::Array(element) => (0..rng.usize(..4)).map(|_| element.value(rng)).collect(),
            Root::Map(key, value) => {
                distinct_keys(rng, key).into_iter().map(|key| json!([key, value.value(rng)])).collect()
            }
            Root::Multiset(element) => {
                distinct_keys(rng, element).into_iter().map(|key| json!([key, rng.u32(1..6)])).collect()
            }
            Root::Row(fields) => fields.iter().map(|(_, field)| field.value(rng)).collect(),
        }
    }
}

/// What numbers compare otherwise than bits.
fn special_float(rng: &mut Rng) -> String {
    (*rng.choice(&["NaN", "0.0", "-0.0", "Infinity", "-Infinity"]).expect("there are numbers")).to_owned()
}

fn distinct_keys(rng: &mut Rng, key: &Type) -> Vec<Value> {
    let mut keys = Vec::new();
    for _ in 0..rng.usize(..4) {
        let value = key.value(rng);
        if !keys.contains(&value) {
            keys.push(value);
        }
    }
    keys
}

fn decimal(rng: &mut Rng, precision: usize, scale: usize) -> String {
    let mut digits: String = (0..rng.usize(1..=precision)).map(|_| rng.digit(10)).collect();
    if rng.u32(..3) == 0 {
        let zeros = rng.usize(..=digits.len());
        digits.replace_range(digits.len() - zeros.., &"0".repeat(zeros));
    }
    let digits = format!("{digits:0>width$}", width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    let whole = whole.trim_start_matches('0');
    let text = format!(
        "{}{}{fraction}",
        if whole.is_empty() { "0" } else { whole },
        if scale > 0 { "." } else { "" }
    );
    let is_zero = text.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    if is_zero || rng.bool() { text } else { format!("-{text}") }
}

#[must_use]
pub fn string(rng: &mut Rng, most: usize) -> String {
    let length = if rng.u32(..4) == 0 { rng.usize(..=most) } else { rng.usize(..=most.min(10)) };
    let style = rng.u32(..5);
    (0..length)
        .map(|_| match style {
            0 => rng.lowercase(),
            1 => char::from(rng.u8(0x20..0x7f)),
            2 => *rng
                .choice(&[
                    ' ', ',', ';', '"', '\'', '\\', '\n', '\t', '/', '|', '#', 'a', '1', 'é', '\r', '~',
                ])
                .unwrap_or(&' '),
            3 => *rng.choice(&['0', '1', '9', '-', '+', '.', 'e', ':', 'T', 'Z', ' ']).unwrap_or(&'0'),
            _ => match rng.u32(..4) {
                0 => char::from(rng.u8(..0x20)),
                1 => rng.char('\u{a0}'..'\u{7a0}'),
                2 => rng.char('\u{4e00}'..'\u{9e00}'),
                _ => rng.char('\u{1f300}'..'\u{1f600}'),
            },
        })
        .collect()
}

#[must_use]
pub fn bytes(rng: &mut Rng, length: usize) -> Vec<u8> {
    (0..length).map(|_| rng.u8(..)).collect()
}

fn date(rng: &mut Rng) -> String {
    let year = if rng.u32(..8) == 0 { rng.u32(1..=9999) } else { rng.u32(1970..2050) };
    format!("{year:04}-{:02}-{:02}", rng.u32(1..=12), rng.u32(1..=28))
}

fn clock(rng: &mut Rng, precision: usize) -> String {
    match rng.u32(..5) {
        0 => "00:00:00".to_owned(),
        1 => format!("{:02}:{:02}:00", rng.u32(..24), rng.u32(..60)),
        _ => {
            let fraction: String =
                (0..precision).map(|_| if rng.bool() { '0' } else { rng.digit(10) }).collect();
            let fraction = fraction.trim_end_matches('0');
            let dot = if fraction.is_empty() { "" } else { "." };
            format!("{:02}:{:02}:{:02}{dot}{fraction}", rng.u32(..24), rng.u32(..60), rng.u32(..60))
        }
    }
}

/// Standard base64 with padding.
#[must_use]
pub fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits =
            chunk.iter().chain([&0, &0]).take(3).fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte));
        for digit in 0..4 {
            let letter = ALPHABET[(bits >> (18 - 6 * digit) & 63) as usize];
            text.push(if digit <= chunk.len() { letter.into() } else { '=' });
        }
    }
    text
}
