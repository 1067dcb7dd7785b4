//! Texts as SQL's `CAST` reads them.
//!
//! Agrees with `org.apache.flink.table.data.binary.BinaryStringDataUtil` and `org.apache.flink.table.utils.DateTimeUtils`.

use crate::text::calendar::Date;
use crate::text::parse_datetime::{Cursor, Moment, ResolverStyle, Time, number_of, resolve_date};
use crate::text::{MILLIS_OF_DAY, parse_f32, parse_f64};

/// A whole number, the decimals of a text that has some cut off, blanks around it passed over.
pub(crate) fn cast_integer(text: &str) -> Option<i64> {
    let text = text.trim_matches(' ');
    let (is_negative, digits) = match text.as_bytes() {
        [sign @ (b'-' | b'+'), digits @ ..] if !digits.is_empty() => (*sign == b'-', digits),
        digits => (false, digits),
    };
    if digits.is_empty() {
        return None;
    }
    let point = digits.iter().position(|byte| *byte == b'.').unwrap_or(digits.len());
    let (whole, decimals) = digits.split_at(point);
    if !decimals.iter().skip(1).chain(whole).all(u8::is_ascii_digit) {
        return None;
    }
    let number = whole
        .iter()
        .try_fold(0_i64, |number, digit| number.checked_mul(10)?.checked_sub(i64::from(digit - b'0')))?;
    if is_negative { Some(number) } else { number.checked_neg() }
}

/// What `Double.parseDouble` takes.
pub(crate) fn cast_f64(text: &str) -> Option<f64> {
    parse_f64(text.trim_matches(' '))
}

/// What `Float.parseFloat` takes.
pub(crate) fn cast_f32(text: &str) -> Option<f32> {
    parse_f32(text.trim_matches(' '))
}

/// A word for yes or no, in any case.
pub(crate) fn cast_boolean(text: &str) -> Option<bool> {
    let is_one_of = |words: [&str; 5]| words.iter().any(|word| word.eq_ignore_ascii_case(text));
    if is_one_of(["t", "true", "y", "yes", "1"]) {
        return Some(true);
    }
    is_one_of(["f", "false", "n", "no", "0"]).then_some(false)
}

/// A date such as `2024-02-29`, and perhaps a time such as ` 8:00:00.123` after it: milliseconds after 1970-01-01, and
/// nanoseconds after these. Fields of two digits may have one; days up to 31 that the month has not are its last.
pub(crate) fn cast_timestamp(text: &str) -> Option<(i64, u32)> {
    let mut cursor = Cursor::new(text);
    let year = cursor.year(10).filter(|year| *year > 0)?;
    cursor.one_of(b"-")?;
    let month = field(&mut cursor)?;
    cursor.one_of(b"-")?;
    let day = field(&mut cursor)?;
    let days = resolve_date(Date { year, month, day }, ResolverStyle::Smart)?;
    let mut time = Time { hour: 0, minute: 0, second: 0, nanos: 0 };
    if !cursor.rest().is_empty() {
        cursor.one_of(b" ")?;
        time.hour = field(&mut cursor)?;
        cursor.one_of(b":")?;
        time.minute = field(&mut cursor)?;
        cursor.one_of(b":")?;
        time.second = field(&mut cursor)?;
        time.nanos = cursor.nanos();
    }
    cursor.end()?;
    let moment = time.resolve(ResolverStyle::Smart)?;
    Some(Moment { days: days + moment.days, ..moment }.instant())
}

/// The days after 1970-01-01 of a date such as `2024-02-29`, whose month and day may be left out, and which a blank ends.
pub(crate) fn cast_date(text: &str) -> Option<i32> {
    let text = text.trim_matches(' ');
    let mut cursor = Cursor::new(text.split_once(' ').map_or(text, |(date, _)| date));
    let year = cursor.digits(4);
    if year.is_empty() {
        return None;
    }
    let mut date = Date { year: number_of(year), month: 1, day: 1 };
    if !cursor.rest().is_empty() {
        cursor.one_of(b"-")?;
        date.month = field(&mut cursor)?;
    }
    if !cursor.rest().is_empty() {
        cursor.one_of(b"-")?;
        date.day = field(&mut cursor)?;
    }
    cursor.end()?;
    i32::try_from(resolve_date(date, ResolverStyle::Strict)?).ok()
}

/// The milliseconds after midnight of a time such as `12:34:56.789`, whose minutes and seconds may be left out. Decimals
/// beyond three are rounded; what is no digit is 0.
pub(crate) fn cast_time(text: &str) -> Option<i32> {
    let text = text.trim_matches(' ');
    let (text, decimals) = text.split_once('.').unwrap_or((text, ""));
    let mut cursor = Cursor::new(text);
    let mut fields = [field(&mut cursor)?, 0, 0];
    for value in &mut fields[1..] {
        if !cursor.rest().is_empty() {
            cursor.one_of(b":")?;
            *value = field(&mut cursor)?;
        }
    }
    cursor.end()?;
    let [hour, minute, second] = fields;
    let mut millis = 0;
    for (decimal, unit) in decimals.bytes().zip([100, 10, 1]) {
        millis += i32::from(if decimal.is_ascii_digit() { decimal - b'0' } else { 0 }) * unit;
    }
    millis += i32::from(decimals.as_bytes().get(3).is_some_and(|next| *next >= b'5'));
    let moment = Time { hour, minute, second, nanos: 0 }.resolve(ResolverStyle::Strict)?;
    let millis = i32::try_from(moment.millis_of_day).ok()? + millis;
    (i64::from(millis) < MILLIS_OF_DAY).then_some(millis)
}

/// A field of one or two digits.
fn field(cursor: &mut Cursor<'_>) -> Option<u32> {
    let digits = cursor.digits(2);
    if digits.is_empty() { None } else { u32::try_from(number_of(digits)).ok() }
}
