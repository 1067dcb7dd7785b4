//! JSON to rows with the streaming decoder: the cursor walks over the tokens and each column takes its value.
//!
//! Agrees with `org.apache.flink.formats.json.JsonParserRowDataDeserializationSchema` and
//! `JsonParserToRowDataConverters`, wrong turns included: a converter that meets a container where it wants a scalar
//! leaves the cursor inside it, and the walk goes on from there.

use super::compact::{Compact, Progress};
use super::lexer::{Lexer, Token};
use super::options::JsonOptions;
use super::plan::{Fields, ValueReader};
use super::scalar;
use super::tree::FloatNodes;
use super::utf8;
use crate::error::{Error, ErrorKind};
use crate::format::scalar::Scalar;
use crate::format::{NoRow, Projection, Rows, Scratch, map_slot};
use crate::row::{RowBuf, RowKind, Slot};
use crate::text::{Jdk, as_utf8};

/// Reads one JSON object, or an array of them, into rows.
#[derive(Clone, Debug)]
pub(crate) struct StreamingDecoder {
    fields: Fields,
    /// How numbers are held in the text of a container that a STRING column takes.
    floats: FloatNodes,
    ignore_parse_errors: bool,
    fail_on_missing_field: bool,
}

impl StreamingDecoder {
    /// # Errors
    ///
    /// Flink's, for a type that JSON does not take.
    pub(crate) fn new(projection: Projection<'_>, options: &JsonOptions, jdk: Jdk) -> Result<Self, Error> {
        let fields = Fields::of(projection, options)?;
        Ok(Self {
            floats: fields.float_nodes(jdk),
            fields,
            ignore_parse_errors: options.ignore_parse_errors,
            fail_on_missing_field: options.fail_on_missing_field,
        })
    }

    /// Appends the rows that `bytes` hold.
    pub(crate) fn decode(&self, bytes: Option<&[u8]>, rows: &mut Rows<'_>) -> Result<(), Error> {
        let Some(bytes) = bytes.filter(|bytes| !bytes.is_empty()) else {
            rows.skip(NoRow::Empty);
            return Ok(());
        };
        let result = self.document(&utf8::to_utf8(bytes), rows);
        match result {
            Err(_) if self.ignore_parse_errors => {
                rows.skip(NoRow::ParseError);
                Ok(())
            }
            result => result,
        }
    }

    /// As [`decode`](Self::decode), of a value whose object begins with the members of its key, which are its first
    /// `members` fields: the key decodes to what they decode to, and to nothing else.
    ///
    /// `false`, and no row, of any other value: whoever decodes the key finds out what it says.
    pub(super) fn decode_with_key(
        &self,
        key: &[u8],
        members: usize,
        value: &[u8],
        rows: &mut Rows<'_>,
    ) -> bool {
        let Some(key) = key.strip_suffix(b"}") else { return false };
        if value.get(key.len()) != Some(&b',') || !value.starts_with(key) {
            return false;
        }
        let Ok((row, scratch)) = rows.push_with_scratch(RowKind::Insert) else { return false };
        let is_read = self.object_with_key(key.len(), members, value, row, scratch).is_some();
        if !is_read {
            rows.pop();
        }
        is_read
    }

    fn object_with_key(
        &self,
        end_of_key: usize,
        members: usize,
        value: &[u8],
        row: &mut RowBuf,
        scratch: &mut Scratch,
    ) -> Option<()> {
        let [b'{', b'"', ..] = value else { return None };
        let compact = Compact { input: value, text: as_utf8(value) };
        let end = compact.members_in_order(self.fields.range(0, members), 1, row)?;
        if end != end_of_key {
            return None;
        }
        let progress = Progress { found: members, next: members, end: Some(end) };
        self.object(compact, progress, row, scratch).ok()
    }

    /// Reads the object that is the document, whose first members have been read: at one go as far as that goes, then by
    /// its tokens.
    #[inline]
    fn object(
        &self,
        compact: Compact<'_>,
        mut progress: Progress,
        row: &mut RowBuf,
        scratch: &mut Scratch,
    ) -> Result<(), Error> {
        let start = progress.end.unwrap_or(0) + 1;
        compact.members(&self.fields, start, &mut progress, 0, row, Some(&mut scratch.members));
        let is_over = progress.end.is_some_and(|end| compact.byte(end) == Some(b'}'));
        if is_over && (progress.found == self.fields.len() || !self.fail_on_missing_field) {
            return Ok(());
        }
        let mut lexer = Lexer::of_text(compact.input, compact.text)?;
        if let Some(end) = progress.end {
            lexer.jump_after_value(end);
        }
        Walk { decoder: self, lexer: &mut lexer, row, scratch }.members(&self.fields, 0, progress)
    }

    fn document(&self, bytes: &[u8], rows: &mut Rows<'_>) -> Result<(), Error> {
        let text = as_utf8(bytes);
        if let Some(b'{') = bytes.first() {
            let (row, scratch) = rows.push_with_scratch(RowKind::Insert)?;
            let read = self.object(Compact { input: bytes, text }, Progress::default(), row, scratch);
            return self.end_row(read, rows);
        }
        let mut lexer = Lexer::of_text(bytes, text)?;
        match lexer.token() {
            Token::StartObject => self.element(&mut lexer, rows),
            Token::StartArray => {
                if lexer.advance()? == Token::EndArray {
                    rows.skip(NoRow::Empty);
                }
                while lexer.token() != Token::EndArray {
                    self.element(&mut lexer, rows)?;
                    lexer.advance()?;
                    if lexer.is_over() {
                        return Err(lexer.ended());
                    }
                }
                Ok(())
            }
            _ => Err(Error::new(ErrorKind::Data, "expected a JSON object or an array of them")
                .with_offset(lexer.offset())),
        }
    }

    /// The root object, or one element of the root array; `null` is a row NULL.
    fn element(&self, lexer: &mut Lexer<'_>, rows: &mut Rows<'_>) -> Result<(), Error> {
        if lexer.token() == Token::Null {
            return rows.push_null_row();
        }
        let (row, scratch) = rows.push_with_scratch(RowKind::Insert)?;
        let read = Walk { decoder: self, lexer, row, scratch }.object(&self.fields, 0);
        self.end_row(read, rows)
    }

    /// Takes the row back that could not be read.
    #[inline]
    fn end_row(&self, read: Result<(), Error>, rows: &mut Rows<'_>) -> Result<(), Error> {
        let Err(error) = read else { return Ok(()) };
        rows.pop();
        if self.ignore_parse_errors { rows.push_null_row() } else { Err(error) }
    }
}

/// A walk over the tokens of one object, and what it fills.
struct Walk<'w, 'a> {
    decoder: &'w StreamingDecoder,
    lexer: &'w mut Lexer<'a>,
    row: &'w mut RowBuf,
    scratch: &'w mut Scratch,
}

impl Walk<'_, '_> {
    /// Fills the places from `base` on out of the object that starts here.
    fn object(&mut self, fields: &Fields, base: usize) -> Result<(), Error> {
        if self.lexer.token() != Token::StartObject {
            return Err(self.unexpected("an object"));
        }
        let mut progress = Progress::default();
        self.compact_members(fields, &mut progress, base);
        self.members(fields, base, progress)
    }

    /// The same of the members after those that have been read, of which the next one is no compact one.
    fn members(&mut self, fields: &Fields, base: usize, mut progress: Progress) -> Result<(), Error> {
        loop {
            self.step()?;
            if self.lexer.token() == Token::EndObject {
                break;
            }
            self.member(fields, base, &mut progress)?;
            self.compact_members(fields, &mut progress, base);
        }
        if progress.found < fields.len() && self.decoder.fail_on_missing_field {
            return Err(Error::new(ErrorKind::Data, "Some field is missing in the JSON data.")
                .with_offset(self.lexer.offset()));
        }
        Ok(())
    }

    /// Reads the member whose name the lexer stands on.
    fn member(&mut self, fields: &Fields, base: usize, progress: &mut Progress) -> Result<(), Error> {
        // Flink counts the members that it knows, and looks at no more than there are columns.
        if progress.found == fields.len() {
            if self.lexer.token() == Token::End {
                return Err(self.lexer.ended());
            }
            return self.lexer.skip_children();
        }
        let index = self.field(fields, progress.next)?;
        let Some((index, field)) = index.and_then(|index| Some((index, fields.get(index)?))) else {
            if self.lexer.advance()? == Token::End {
                return Err(self.lexer.ended());
            }
            return self.lexer.skip_children();
        };
        if let Err(error) = self.lexer.advance() {
            let is_in_value = self.lexer.token() == Token::String;
            return Err(if is_in_value { failed(&field.name, error) } else { error });
        }
        match self.value(&field.converter) {
            Ok(slot) => self.row.store(base + field.position, slot),
            Err(error) => return Err(failed(&field.name, error)),
        }
        (progress.found, progress.next) = (progress.found + 1, index + 1);
        Ok(())
    }

    /// Fills the places of the next fields, as far as the text goes on with members that [`Compact`] reads. The cursor
    /// then stands on the last value.
    #[inline]
    fn compact_members(&mut self, fields: &Fields, progress: &mut Progress, base: usize) {
        let Some(start) = self.lexer.next_member() else { return };
        let (input, text) = self.lexer.document();
        // Nested rows would unlearn what the table's row has learned.
        let order = (base == 0).then_some(&mut self.scratch.members);
        progress.end = None;
        Compact { input, text }.members(fields, start, progress, base, self.row, order);
        if let Some(end) = progress.end {
            self.lexer.jump_after_value(end);
        }
    }

    /// The index of the field that the token, most likely a name, names. It is `likely` if the members are in order.
    #[inline]
    fn field(&mut self, fields: &Fields, likely: usize) -> Result<Option<usize>, Error> {
        if let Some(field) = fields.get(likely)
            && field.name.as_bytes() == self.lexer.raw()
        {
            return Ok(Some(likely));
        }
        if self.lexer.token() == Token::End {
            return Ok(None);
        }
        Ok(fields.find(self.lexer.text(&mut self.scratch.text)?.as_bytes()))
    }

    /// The next token, which there must be.
    #[inline]
    fn step(&mut self) -> Result<(), Error> {
        self.lexer.advance()?;
        if self.lexer.is_over() {
            return Err(self.lexer.ended());
        }
        Ok(())
    }

    /// The value that starts here; where parse errors are ignored, NULL for one that does not convert.
    #[inline]
    fn value(&mut self, converter: &ValueReader) -> Result<Slot, Error> {
        if matches!(self.lexer.token(), Token::Null | Token::End) {
            return Ok(Slot::Null);
        }
        let mark = self.row.begin();
        match self.converted(converter) {
            Err(_) if self.decoder.ignore_parse_errors => {
                self.row.rewind(mark);
                Ok(Slot::Null)
            }
            result => result,
        }
    }

    #[inline]
    fn converted(&mut self, converter: &ValueReader) -> Result<Slot, Error> {
        match converter {
            ValueReader::Scalar(scalar) => {
                scalar::read(*scalar, self.lexer, self.row, self.scratch, self.decoder.floats)
            }
            ValueReader::Array(element) => self.array(element),
            ValueReader::Map(value) => self.map(value),
            ValueReader::Row(fields) => {
                let mark = self.row.begin_row(fields.len())?;
                self.object(fields, mark)?;
                Ok(self.row.row_slot(mark))
            }
        }
    }

    fn array(&mut self, element: &ValueReader) -> Result<Slot, Error> {
        if self.lexer.token() != Token::StartArray {
            return Err(self.unexpected("an array"));
        }
        let mark = self.row.begin();
        self.step()?;
        while self.lexer.token() != Token::EndArray {
            let index = self.row.begin() - mark;
            let slot = self.value(element).map_err(|error| error.in_element(index))?;
            self.row.push_item(slot)?;
            self.step()?;
        }
        Ok(self.row.array_slot(mark))
    }

    fn map(&mut self, value: &ValueReader) -> Result<Slot, Error> {
        if self.lexer.token() != Token::StartObject {
            return Err(self.unexpected("an object"));
        }
        let mark = self.row.begin();
        self.step()?;
        while self.lexer.token() != Token::EndObject {
            // Most likely a name; else what the cursor has come to, read as a STRING column is.
            let name = self.lexer.raw();
            let key = self.value(&ValueReader::Scalar(Scalar::String))?;
            self.step()?;
            let slot = self.value(value).map_err(|error| error.in_key(&unescaped(name)))?;
            self.row.push_item(key)?;
            self.row.push_item(slot)?;
            self.step()?;
        }
        Ok(map_slot(self.row, mark))
    }

    #[cold]
    fn unexpected(&self, expected: &str) -> Error {
        let found = self.lexer.token().name();
        Error::new(ErrorKind::Data, format!("expected {expected}, found {found}"))
            .with_offset(self.lexer.offset())
    }
}

/// A name as it is meant.
#[cold]
fn unescaped(name: &[u8]) -> String {
    let mut out = String::new();
    match utf8::unescape(name, &mut out) {
        Ok(()) => out,
        Err(_) => String::from_utf8_lossy(name).into_owned(),
    }
}

/// Flink tells the outermost field and nothing else; the path and the cause are ours.
#[cold]
fn failed(name: &str, cause: Error) -> Error {
    cause.in_column(name).in_context(format!("Fail to deserialize at field: {name}."))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::format::NullRow;
    use crate::row::{ChangelogBuf, RowBudget};
    use crate::types::Field;

    /// A column of each scalar type, of nested ones, and one whose name needs escapes.
    const COLUMNS: [(&str, &str); 20] = [
        ("c0", "BOOLEAN"),
        ("c1", "TINYINT"),
        ("c2", "SMALLINT"),
        ("c3", "INT"),
        ("c4", "BIGINT"),
        ("c5", "FLOAT"),
        ("c6", "DOUBLE"),
        ("c7", "DECIMAL(10, 2)"),
        ("c8", "DECIMAL(38, 20)"),
        ("c9", "STRING"),
        ("c10", "BYTES"),
        ("c11", "DATE"),
        ("c12", "TIME(3)"),
        ("c13", "TIMESTAMP(3)"),
        ("c14", "ARRAY<INT>"),
        ("c15", "MAP<STRING, DOUBLE>"),
        ("c16", "ROW<c1 INT, c9 STRING>"),
        ("c17", "ARRAY<ROW<c9 STRING, c14 ARRAY<BIGINT>>>"),
        ("é\"名", "STRING"),
        ("c19", "MULTISET<STRING>"),
    ];

    fn decoder(ignore_parse_errors: bool) -> StreamingDecoder {
        let field =
            |(name, text): &(&str, &str)| Field::new(*name, text.parse::<crate::types::DataType>().unwrap());
        let fields: Vec<Field> = COLUMNS.iter().map(field).collect();
        let columns: Vec<usize> = (0..COLUMNS.len()).collect();
        let projection = Projection { fields: &fields, columns: &columns, metadata: &[] };
        let options = JsonOptions { ignore_parse_errors, ..JsonOptions::default() };
        StreamingDecoder::new(projection, &options, Jdk::default()).unwrap()
    }

    fn decode(decoder: &StreamingDecoder, document: &[u8]) -> Option<String> {
        decode_with(decoder, document, &mut Scratch::default())
    }

    fn decode_with(decoder: &StreamingDecoder, document: &[u8], scratch: &mut Scratch) -> Option<String> {
        let mut out = ChangelogBuf::new();
        let mut rows = Rows::new(&mut out, COLUMNS.len(), NullRow::Skip, RowBudget::default(), scratch);
        let result = decoder.decode(Some(document), &mut rows);
        let skipped = rows.skipped;
        result.ok().map(|()| format!("{out:?} {skipped:?}"))
    }

    /// Stands for bytes that may be no UTF-8.
    const LOOSE: u8 = 0x7F;

    /// Here and below, `~` stands for a blank or nothing.
    fn string() -> impl Strategy<Value = String> {
        let part = prop_oneof![
            4 => "[ -!#-\\[\\]-}é名😀]{0,30}",
            1 => "(\\\\[\"\\\\/bfnrt]){1,3}",
            1 => "\\\\[a-z]",
            1 => "(\\\\u[0-9a-fA-F]{4}){1,2}",
            1 => "(\\\\ud[8-9a-f][0-9a-f]{2}){1,3}",
            1 => "\\x7F",
        ];
        prop::collection::vec(part, 0..3).prop_map(|parts| format!("\"{}\"", parts.concat()))
    }

    fn scalar() -> impl Strategy<Value = String> {
        prop_oneof![
            4 => "-?[0-9]{1,3}",
            4 => "-?(0|[1-9][0-9]{0,19})(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,2})?",
            1 => "[-0-9.eE+]{1,20}",
            4 => string(),
            1 => "\"[A-Za-z0-9+/]{0,9}={0,2}\"",
            1 => "\"20[0-9]{2}-[01][0-9]-[0-3][0-9]( [0-2][0-9]:[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?)?\"",
            1 => "\"[0-2][0-9]:[0-5][0-9]:[0-5][0-9]\"",
            2 => prop::sample::select(vec!["null", "true", "false", "nul", "nullx", "{}", "[1]", "\"true\"", "{\"c1\":1}"])
                .prop_map(str::to_owned),
        ]
    }

    /// Also values that fit the nested columns, and some that nearly do.
    fn value() -> impl Strategy<Value = String> {
        let name = || prop_oneof![3 => prop::sample::select(vec!["\"c1\"", "\"c9\"", "\"c14\"", "null"]).prop_map(str::to_owned), 1 => string()];
        scalar().prop_recursive(3, 16, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4)
                    .prop_map(|values| format!("[~{}~]", values.join("~,~"))),
                prop::collection::vec((name(), inner), 0..4).prop_map(|members| {
                    let members: Vec<_> =
                        members.iter().map(|(name, value)| format!("{name}~:~{value}")).collect();
                    format!("{{~{}~}}", members.join("~,~"))
                }),
            ]
        })
    }

    /// The members of an object: mostly a column's name with a value of any kind.
    fn members() -> impl Strategy<Value = Vec<String>> {
        let name = |column: usize| match column {
            18 => r#""é\"名""#.to_owned(),
            20 => r#""unknown""#.to_owned(),
            21 => r#""\u0063\u0031""#.to_owned(),
            _ => format!("\"c{column}\""),
        };
        let fitting = |column: usize, value: String, n: i32| match column {
            14 => format!("[{n},null,{value}]"),
            15 => format!("{{\"k\":{n},{}:{n}.5}}", if value.starts_with('"') { &value } else { "\"k\"" }),
            16 => format!("{{\"c1\":{n},\"c9\":{value}}}"),
            17 => format!("[{{\"c9\":{value},\"c14\":[{n}]}},{{}}]"),
            _ => value,
        };
        let member = (0..22_usize, value(), any::<i32>(), any::<bool>());
        (prop::collection::vec(member, 0..24), any::<bool>()).prop_map(move |(members, in_order)| {
            let member = |(place, (column, value, n, fits)): (usize, (usize, String, i32, bool))| {
                let column = if in_order { place.min(21) } else { column };
                let value = if fits { fitting(column, value, n) } else { value };
                format!("{}~:~{value}~", name(column))
            };
            members.into_iter().enumerate().map(member).collect()
        })
    }

    #[test]
    fn what_stands_behind_an_object_is_none_of_its_members() {
        let decoder = decoder(false);
        assert_eq!(decode(&decoder, br#"{"c0":true}"c1":1}"#), decode(&decoder, br#"{"c0":true}"#));
    }

    #[test]
    fn a_repeated_member_counts_toward_the_columns_in_compact_text_too() {
        let decoder = decoder(false);
        let repeated = format!("{{{}\"c1\":1}}", "\"c0\":true,".repeat(COLUMNS.len()));
        assert_eq!(decode(&decoder, repeated.as_bytes()), decode(&decoder, br#"{"c0":true}"#));
    }

    /// `StreamReadConstraints`: 20,000,000.
    #[test]
    fn a_string_is_refused_beyond_jacksons_limit() {
        let decoder = decoder(false);
        for (len, is_read) in [(20_000_000, true), (20_000_001, false)] {
            let text = "x".repeat(len);
            for document in [format!("{{\"c9\":\"{text}\"}}"), format!("{{\"c9\":\t\"{text}\"}}")] {
                assert_eq!(decode(&decoder, document.as_bytes()).is_some(), is_read, "{len}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn compact_members_read_as_tokens_do(
            members in members(),
            ignore_parse_errors: bool,
            bom: bool,
            loose in prop_oneof![
                4 => Just(&b"x"[..]),
                1 => prop::sample::select(vec![&b"\xFF"[..], b"\xED\xA0\x80", b"\xC0\x80", b"\xE9"]),
            ],
        ) {
            // After what is no JSON Jackson goes on after the byte that it has read, a blank too.
            let text = format!("{{~{}}}", members.join(",~")).replace('~', " ");
            let is_json = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
            // No fast path takes a tab.
            let [compact, spaced, tabbed] = ["", " ", "\t"].map(|blank| {
                let text = format!("{{~{}}}", members.join(",~")).replace('~', blank);
                let mut document = if bom { b"\xEF\xBB\xBF".to_vec() } else { Vec::new() };
                text.bytes().for_each(|byte| match byte {
                    LOOSE => document.extend_from_slice(loose),
                    _ => document.push(byte),
                });
                document
            });
            let decoder = decoder(ignore_parse_errors && is_json);
            let expected = decode(&decoder, &tabbed);
            prop_assert_eq!(decode(&decoder, &compact), expected.clone(), "{}", String::from_utf8_lossy(&compact));
            prop_assert_eq!(decode(&decoder, &spaced), expected, "{}", String::from_utf8_lossy(&spaced));
        }

        #[test]
        fn the_order_of_other_documents_changes_nothing(others in prop::collection::vec(members(), 0..3), members in members()) {
            let decoder = decoder(true);
            let document = |members: &[String]| format!("{{{}}}", members.join(",").replace('~', ""));
            let mut scratch = Scratch::default();
            for other in &others {
                decode_with(&decoder, document(other).as_bytes(), &mut scratch);
            }
            let document = document(&members);
            let read = decode_with(&decoder, document.as_bytes(), &mut scratch);
            prop_assert_eq!(read, decode(&decoder, document.as_bytes()));
        }
    }
}
