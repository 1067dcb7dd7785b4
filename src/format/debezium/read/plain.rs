//! The fast path: members that stand as connectors write them, in the order of their schema and without blanks, read at one
//! go, and values that nobody wants, passed over at one go.
//!
//! Whatever else there is it leaves to the tokens. A property holds the two together:
//! `tests::plain_members_are_read_as_by_their_tokens`.

use crate::error::Error;
use crate::format::Scratch;
use crate::format::json::{Compact, Lexer, Token};
use crate::format::plain_number;
use crate::format::scalar::Scalar;
use crate::row::{RowBuf, Slot};
use crate::text;

use super::connect_type::Digits;
use super::decimals;
use super::members::{Member, Members, Reader, TextOf};
use super::placeholder::Placeholder;

/// Reads the first members of the object that starts here, as far as they are plain, and says how many: the lexer then
/// stands on the value of the last.
#[inline]
pub(super) fn read_members(
    lexer: &mut Lexer<'_>,
    members: &Members,
    row: &mut RowBuf,
    scratch: &mut Scratch,
    placeholder: &Placeholder,
) -> usize {
    let (Token::StartObject, Some(mut start)) = (lexer.token(), lexer.next_member()) else { return 0 };
    let (input, text) = lexer.document();
    let compact = Compact { input, text };
    let (mut count, mut end_of_last) = (0, None);
    for member in members.in_order() {
        let Some(end) = read_member(compact, member, start, row, scratch, placeholder) else { break };
        (count, end_of_last) = (count + 1, Some(end));
        if compact.byte(end) != Some(b',') {
            break;
        }
        start = end + 1;
    }
    if let Some(end) = end_of_last {
        lexer.jump_after_value(end);
    }
    count
}

/// Goes from the start of an object or array to its end; elsewhere stays.
pub(super) fn skip(lexer: &mut Lexer<'_>) -> Result<(), Error> {
    let (input, text) = lexer.document();
    if matches!(lexer.token(), Token::StartObject | Token::StartArray)
        && text.is_some()
        && let Some(end) = (Compact { input, text }).skip(lexer.offset())
    {
        lexer.jump_to_end(end);
        return Ok(());
    }
    lexer.skip_children()
}

/// Reads the member, if it stands at `start` and is plain, and says where its value ends: at a comma or a closing brace.
#[inline]
fn read_member(
    compact: Compact<'_>,
    member: &Member,
    start: usize,
    row: &mut RowBuf,
    scratch: &mut Scratch,
    placeholder: &Placeholder,
) -> Option<usize> {
    if !compact.input.get(start..)?.starts_with(&member.label) {
        return None;
    }
    let position = start + member.label.len();
    let end = match &member.column {
        Some((place, reader)) => read_value(compact, reader, position, *place, row, scratch, placeholder)?,
        None if compact.text.is_some() => compact.skip(position)?,
        None => return None,
    };
    matches!(compact.byte(end), Some(b',' | b'}')).then_some(end)
}

#[inline]
fn read_value(
    compact: Compact<'_>,
    reader: &Reader,
    position: usize,
    place: usize,
    row: &mut RowBuf,
    scratch: &mut Scratch,
    placeholder: &Placeholder,
) -> Option<usize> {
    let rest = compact.input.get(position..)?;
    let first = *rest.first()?;
    match reader {
        _ if rest.starts_with(b"null") => {
            row.store(place, Slot::Null);
            Some(position + 4)
        }
        Reader::Number(scalar, _) if first != b'"' => compact.scalar(*scalar, position, place, row),
        Reader::Boolean => compact.scalar(Scalar::Boolean, position, place, row),
        Reader::Text(TextOf::Anything) => {
            let end = compact.scalar(Scalar::String, position, place, row)?;
            (!placeholder.is(compact.input.get(position + 1..end - 1)?)).then_some(end)
        }
        Reader::Decimal { precision, scale, digits: Digits::Unscaled { scale: from } } if first == b'"' => {
            let end = compact.end_of_plain_string(position, MAX_DIGITS)?;
            let raw = compact.input.get(position + 1..end - 1)?;
            if placeholder.is(raw) {
                return None;
            }
            scratch.bytes.clear();
            text::read_base64(&mut scratch.bytes, raw).ok()?;
            let decimal = decimals::fit(decimals::of_bytes(&scratch.bytes)?, *from, *precision, *scale)?;
            row.store(place, Slot::Decimal(decimal));
            Some(end)
        }
        Reader::Date(_) | Reader::Time(_) | Reader::Timestamp(_) | Reader::YearMonth | Reader::DayTime(_) => {
            let (number, len) = plain_number::read_integer(rest)?;
            row.store(place, reader.time_of_number(number)?);
            Some(position + len)
        }
        _ => None,
    }
}

/// More digits of base64 than a DECIMAL has.
const MAX_DIGITS: usize = 64;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::plan::EventTable;
    use super::super::settings::DebeziumSettings;
    use super::super::values::Walk;
    use super::*;
    use crate::types::{DataType, Field};

    const TYPES: [&str; 11] = [
        "INT",
        "BIGINT",
        "DOUBLE",
        "FLOAT",
        "BOOLEAN",
        "STRING",
        "DECIMAL(6, 2)",
        "DATE",
        "TIME(3)",
        "TIMESTAMP(3)",
        "BYTES",
    ];
    const VALUES: [&str; 26] = [
        "null",
        "nul",
        "0",
        "-0",
        "7",
        "-70000",
        "99999999999",
        "1.5",
        "1e3",
        "01",
        "1.",
        "true",
        "false",
        "tru",
        r#""""#,
        r#""x""#,
        r#""ä\n""#,
        r#""\q""#,
        r#""__debezium_unavailable_value""#,
        r#""X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ==""#,
        r#""AX0=""#,
        r#""f////w==""#,
        r#""2024-02-29""#,
        "{}",
        r#"{"a":[1,{"b":"\u00e4"}]}"#,
        "[1,]",
    ];

    fn read(table: &EventTable, document: &str) -> String {
        let plan = table.plan(None).unwrap();
        let placeholder = Placeholder::new(&DebeziumSettings::default());
        let (mut row, mut scratch) = (RowBuf::with_columns(TYPES.len()), Scratch::default());
        let read = Lexer::new(document.as_bytes()).and_then(|mut lexer| {
            let mut walk = Walk {
                lexer: &mut lexer,
                row: &mut row,
                scratch: &mut scratch,
                placeholder: &placeholder,
                is_unavailable: false,
            };
            walk.row(&plan.after, None)
        });
        match read {
            Ok(()) => format!("{row:?}"),
            Err(error) => format!("{:?} {:?} {}", error.kind(), error.column_path(), error.message()),
        }
    }

    proptest! {
        /// A blank before a name is left to the tokens.
        #[test]
        fn plain_members_are_read_as_by_their_tokens(
            values in proptest::collection::vec(proptest::sample::select(&VALUES[..]), TYPES.len()),
            order in Just((0..TYPES.len()).collect::<Vec<_>>()).prop_shuffle(),
            is_shuffled in any::<bool>(),
        ) {
            let field = |(index, data_type): (usize, &&str)| {
                Field::new(format!("c{index}"), data_type.parse::<DataType>().unwrap())
            };
            let fields = TYPES.iter().enumerate().map(field).collect();
            let table = EventTable::new(fields, (0..TYPES.len()).collect(), &DebeziumSettings::default());
            let place = |index: usize| if is_shuffled { order[index] } else { index };
            let members: Vec<String> =
                (0..TYPES.len()).map(|index| format!("\"c{}\":{}", place(index), values[index])).collect();
            let plain = read(&table, &format!("{{{}}}", members.join(",")));
            prop_assert_eq!(plain, read(&table, &format!("{{ {}}}", members.join(", "))));
        }
    }
}
