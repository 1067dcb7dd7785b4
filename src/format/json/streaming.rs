//! JSON to rows with the streaming decoder: the cursor walks over the tokens and each column takes its value.
//!
//! Agrees with `org.apache.flink.formats.json.JsonParserRowDataDeserializationSchema` and
//! `JsonParserToRowDataConverters`, wrong turns included: a converter that meets a container where it wants a scalar
//! leaves the cursor inside it, and the walk goes on from there.

use super::compact;
use super::lexer::{Lexer, Token};
use super::options::JsonOptions;
use super::plan::{Converter, FieldPlan, Fields};
use super::scalar;
use super::tree::FloatNodes;
use super::utf8;
use crate::error::{Error, ErrorKind};
use crate::format::scalar::Scalar;
use crate::format::{Projection, Rows, Scratch, Skip};
use crate::row::{RowBuf, RowKind, Slot};
use crate::text::Jdk;

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
        let fields = Fields::of(projection, options.timestamp_format)?;
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
            rows.skip(Skip::Empty);
            return Ok(());
        };
        let result = self.document(&utf8::to_utf8(bytes), rows);
        match result {
            Err(_) if self.ignore_parse_errors => {
                rows.skip(Skip::ParseError);
                Ok(())
            }
            result => result,
        }
    }

    fn document(&self, bytes: &[u8], rows: &mut Rows<'_>) -> Result<(), Error> {
        let mut lexer = Lexer::new(bytes)?;
        let text = std::str::from_utf8(bytes).ok();
        match lexer.token() {
            Token::StartObject => self.element(&mut lexer, text, rows),
            Token::StartArray => {
                if lexer.advance()? == Token::EndArray {
                    rows.skip(Skip::Empty);
                }
                while lexer.token() != Token::EndArray {
                    self.element(&mut lexer, text, rows)?;
                    if lexer.advance()? == Token::End {
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
    fn element(&self, lexer: &mut Lexer<'_>, text: Option<&str>, rows: &mut Rows<'_>) -> Result<(), Error> {
        if lexer.token() == Token::Null {
            rows.push_null_row();
            return Ok(());
        }
        let (row, scratch) = rows.push_with_scratch(RowKind::Insert);
        let mut walk = Walk { decoder: self, lexer, text, row, scratch };
        if let Err(error) = walk.object(&self.fields, 0) {
            rows.pop();
            if !self.ignore_parse_errors {
                return Err(error);
            }
            rows.push_null_row();
        }
        Ok(())
    }
}

/// A walk over the tokens of one object, and what it fills.
struct Walk<'w, 'a> {
    decoder: &'w StreamingDecoder,
    lexer: &'w mut Lexer<'a>,
    /// All of the document, if it is UTF-8.
    text: Option<&'w str>,
    row: &'w mut RowBuf,
    scratch: &'w mut Scratch,
}

impl Walk<'_, '_> {
    /// Fills the places from `base` on out of the object that starts here.
    fn object(&mut self, fields: &Fields, base: usize) -> Result<(), Error> {
        if self.lexer.token() != Token::StartObject {
            return Err(self.unexpected("an object"));
        }
        let mut found = 0;
        loop {
            found += self.compact_members(fields, found, base);
            self.step()?;
            if self.lexer.token() == Token::EndObject {
                break;
            }
            // Flink counts the members that it knows, and looks at no more than there are columns.
            if found == fields.len() {
                self.lexer.skip_children()?;
                continue;
            }
            let field = self.field(fields, found)?;
            self.lexer.advance()?;
            let Some(field) = field else {
                self.lexer.skip_children()?;
                continue;
            };
            match self.value(&field.converter) {
                Ok(slot) => self.row.store(base + field.position, slot),
                Err(error) => return Err(failed(&field.name, error)),
            }
            found += 1;
        }
        if found < fields.len() && self.decoder.fail_on_missing_field {
            return Err(Error::new(ErrorKind::Data, "Some field is missing in the JSON data.")
                .with_offset(self.lexer.offset()));
        }
        Ok(())
    }

    /// Fills the places of the next fields in order, as far as the text goes on with such members and [`compact`] reads
    /// them, and says how many. The cursor then stands on the last value.
    #[inline]
    fn compact_members(&mut self, fields: &Fields, found: usize, base: usize) -> usize {
        let Some(mut start) = self.lexer.next_member() else { return 0 };
        let (input, mut count) = (self.lexer.input(), 0);
        while let Some(field) = fields.get(found + count)
            && let Converter::Scalar(scalar) = field.converter
            && let Some((slot, end)) = compact::read(&field.label, scalar, input, self.text, start, self.row)
        {
            self.row.store(base + field.position, slot);
            self.lexer.jump_behind_value(end);
            count += 1;
            match input.get(end) {
                Some(b',') => start = end + 1,
                _ => break,
            }
        }
        count
    }

    /// The field that the token, most likely a name, names. `likely` is its place if the members are in order.
    #[inline]
    fn field<'f>(&mut self, fields: &'f Fields, likely: usize) -> Result<Option<&'f FieldPlan>, Error> {
        if let Some(field) = fields.get(likely)
            && field.name.as_bytes() == self.lexer.raw()
        {
            return Ok(Some(field));
        }
        if self.lexer.token() == Token::End {
            return Err(self.lexer.ended());
        }
        Ok(fields.find(self.lexer.text(&mut self.scratch.bytes)?))
    }

    /// The next token, which there must be.
    #[inline]
    fn step(&mut self) -> Result<(), Error> {
        match self.lexer.advance()? {
            Token::End => Err(self.lexer.ended()),
            _ => Ok(()),
        }
    }

    /// The value that starts here; where parse errors are ignored, NULL for one that does not convert.
    #[inline]
    fn value(&mut self, converter: &Converter) -> Result<Slot, Error> {
        if self.lexer.token() == Token::Null {
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
    fn converted(&mut self, converter: &Converter) -> Result<Slot, Error> {
        match converter {
            Converter::Scalar(scalar) => {
                scalar::read(*scalar, self.lexer, self.row, self.scratch, self.decoder.floats)
            }
            Converter::Array(element) => self.array(element),
            Converter::Map(value) => self.map(value),
            Converter::Row(fields) => {
                let mark = self.row.begin();
                self.row.push_nulls(fields.len());
                self.object(fields, mark)?;
                Ok(self.row.row_slot(mark))
            }
        }
    }

    fn array(&mut self, element: &Converter) -> Result<Slot, Error> {
        if self.lexer.token() != Token::StartArray {
            return Err(self.unexpected("an array"));
        }
        let mark = self.row.begin();
        self.step()?;
        while self.lexer.token() != Token::EndArray {
            let index = self.row.begin() - mark;
            let slot = self.value(element).map_err(|error| error.in_element(index))?;
            self.row.push_slot(slot);
            self.step()?;
        }
        Ok(self.row.array_slot(mark))
    }

    fn map(&mut self, value: &Converter) -> Result<Slot, Error> {
        if self.lexer.token() != Token::StartObject {
            return Err(self.unexpected("an object"));
        }
        let mark = self.row.begin();
        self.step()?;
        while self.lexer.token() != Token::EndObject {
            // Most likely a name; else what the cursor has come to, read as a STRING column is.
            let key = self.value(&Converter::Scalar(Scalar::String))?;
            self.step()?;
            let slot = self.value(value)?;
            self.row.push_slot(key);
            self.row.push_slot(slot);
            self.step()?;
        }
        Ok(self.row.unique_map_slot(mark))
    }

    #[cold]
    fn unexpected(&self, expected: &str) -> Error {
        let found = self.lexer.token().name();
        Error::new(ErrorKind::Data, format!("expected {expected}, found {found}"))
            .with_offset(self.lexer.offset())
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
    use crate::row::ChangelogBuf;
    use crate::types::Field;

    /// One column of each scalar type.
    const TYPES: [&str; 14] = [
        "BOOLEAN",
        "TINYINT",
        "SMALLINT",
        "INT",
        "BIGINT",
        "FLOAT",
        "DOUBLE",
        "DECIMAL(10, 2)",
        "DECIMAL(38, 20)",
        "STRING",
        "BYTES",
        "DATE",
        "TIME(3)",
        "TIMESTAMP(3)",
    ];

    fn decoder(ignore_parse_errors: bool) -> StreamingDecoder {
        let fields: Vec<Field> = TYPES
            .iter()
            .enumerate()
            .map(|(i, text)| Field::new(format!("c{i}"), text.parse::<crate::types::DataType>().unwrap()))
            .collect();
        let columns: Vec<usize> = (0..TYPES.len()).collect();
        let projection = Projection { fields: &fields, columns: &columns, metadata: &[] };
        let options = JsonOptions { ignore_parse_errors, ..JsonOptions::default() };
        StreamingDecoder::new(projection, &options, Jdk::default()).unwrap()
    }

    fn decode(decoder: &StreamingDecoder, text: &str) -> Option<String> {
        let (mut out, mut scratch) = (ChangelogBuf::new(), Scratch::default());
        let mut rows = Rows::new(&mut out, TYPES.len(), NullRow::Skip, &mut scratch);
        let result = decoder.decode(Some(text.as_bytes()), &mut rows);
        result.ok().map(|()| format!("{out:?}"))
    }

    fn value() -> impl Strategy<Value = String> {
        prop_oneof![
            4 => "-?[0-9]{1,3}",
            4 => "-?(0|[1-9][0-9]{0,19})(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,2})?",
            1 => "[-0-9.eE+]{1,20}",
            3 => "\"[ -!#-\\[\\]-~é😀]{0,20}\"",
            1 => "\"(\\\\[\"\\\\/bfnrtux]|[a-z]){0,8}\"",
            1 => "\"20[0-9]{2}-[01][0-9]-[0-3][0-9]( [0-2][0-9]:[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?)?\"",
            1 => "\"[0-2][0-9]:[0-5][0-9]:[0-5][0-9]\"",
            2 => prop::sample::select(vec!["null", "true", "false", "nul", "{}", "[1]", "\"true\"", "{\"c1\":1}"])
                .prop_map(str::to_owned),
        ]
    }

    #[test]
    fn what_stands_behind_an_object_is_none_of_its_members() {
        let decoder = decoder(false);
        assert_eq!(decode(&decoder, r#"{"c0":true}"c1":1}"#), decode(&decoder, r#"{"c0":true}"#));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn compact_members_read_as_tokens_do(
            values in prop::collection::vec((0..TYPES.len(), value()), 0..TYPES.len() + 2),
            in_order: bool,
            ignore_parse_errors: bool,
        ) {
            let member = |place: usize, (column, value): &(usize, String), blank: &str| {
                let column = if in_order { place } else { *column };
                format!("\"c{column}\"{blank}:{blank}{value}{blank}")
            };
            let text = |blank: &str| {
                let members = values.iter().enumerate().map(|(place, pair)| member(place, pair, blank));
                format!("{{{}}}", members.collect::<Vec<_>>().join(&format!(",{blank}")))
            };
            let decoder = decoder(ignore_parse_errors);
            prop_assert_eq!(decode(&decoder, &text("")), decode(&decoder, &text(" ")), "{}", text(""));
        }
    }
}
