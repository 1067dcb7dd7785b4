use std::sync::Arc;

use crate::error::{Error, ErrorKind, Part};
use crate::format::Rows;
use crate::format::json::{self, Lexer, Token};
use crate::row::{Row, RowKind};

use super::connect_type::ConnectType;
use super::event::{Event, EventMember, EventSkip, Image, Operation, missing, no_before};
use super::members::Members;
use super::metadata::{Content, Place, Places};
use super::plain;
use super::plan::{EventTable, Plan};
use super::schemas::Schemas;
use super::settings::{DebeziumShape, MissingBefore};
use super::values::{Marks, Walk, misfit};

/// A metadata column of the table.
#[derive(Clone, Debug)]
struct Metadata {
    content: Content,
    column: usize,
    name: Box<str>,
}

/// Reads the events of a table.
#[derive(Clone, Debug)]
pub(crate) struct EventReader {
    table: Arc<EventTable>,
    /// For events without a schema.
    plain: Arc<Plan>,
    metadata: Box<[Metadata]>,
}

impl EventReader {
    /// `metadata`: keys of the metadata of `debezium-json`, their columns and the names of these.
    ///
    /// # Errors
    ///
    /// For a column of a type that no event holds.
    pub(crate) fn new(table: EventTable, metadata: &[(&str, usize, &str)]) -> Result<Self, Error> {
        let metadata = metadata.iter().filter_map(|&(key, column, name)| {
            Some(Metadata { content: Content::of(key)?, column, name: name.into() })
        });
        Ok(Self { plain: Arc::new(table.plan(None)?), metadata: metadata.collect(), table: Arc::new(table) })
    }

    /// Appends the rows of a record, or says why there are none.
    pub(crate) fn read(
        &self,
        key: Option<&[u8]>,
        value: Option<&[u8]>,
        schemas: &mut Schemas,
        rows: &mut Rows<'_>,
    ) -> Result<Option<EventSkip>, Error> {
        let is_flattened = self.table.settings.shape == DebeziumShape::Flattened;
        let message = match value.filter(|value| !value.is_empty()) {
            Some(value) => {
                let message = self.open(value, schemas).map_err(|error| error.with_part(Part::Value))?;
                (!message.is_null()).then_some(message)
            }
            None => None,
        };
        let (outcome, places) = match &message {
            Some(message) => {
                self.message(message, rows).map_err(|error| message.place(error).with_part(Part::Value))?
            }
            None if is_flattened && key.is_some() => (Outcome::DeleteByKey, Places::default()),
            None => (Outcome::Skip(EventSkip::Tombstone), Places::default()),
        };
        match outcome {
            Outcome::Rows => Ok(None),
            Outcome::DeleteByKey => {
                self.delete_by_key(key, schemas, rows).map_err(|error| error.with_part(Part::Key))?;
                if let Some(message) = &message {
                    let filled = self.fill_metadata(&places, rows);
                    filled.map_err(|error| message.place(error).with_part(Part::Value))?;
                }
                Ok(None)
            }
            Outcome::Skip(skip) => Ok(Some(skip)),
        }
    }

    fn message<'m>(
        &self,
        message: &Message<'m>,
        rows: &mut Rows<'_>,
    ) -> Result<(Outcome, Places<'m>), Error> {
        let mut event = Event::new(message.schema, rows.mark());
        let outcome = if self.table.settings.shape == DebeziumShape::Flattened {
            self.flattened(message, rows)?;
            Outcome::Rows
        } else {
            self.envelope(message, &mut event, rows)?;
            self.settle(message, &event, rows)?
        };
        match outcome {
            Outcome::Rows => self.fill_metadata(&event.places, rows)?,
            Outcome::DeleteByKey | Outcome::Skip(_) => rows.rewind(event.mark),
        }
        Ok((outcome, event.places))
    }

    /// Finds the payload, and the schema if there is one.
    fn open<'m>(&self, bytes: &'m [u8], schemas: &mut Schemas) -> Result<Message<'m>, Error> {
        let plain = |payload: &'m [u8], is_wrapped| {
            let offset = bytes.len() - payload.len();
            Message { plan: Arc::clone(&self.plain), schema: None, payload, offset, is_wrapped }
        };
        if let Some(schema) = bytes.strip_prefix(SCHEMA)
            && let Some((plan, len)) = schemas.find(&self.table, schema)
            && let Some((schema, rest)) = schema.split_at_checked(len)
            && let Some(payload) = rest.strip_prefix(PAYLOAD)
        {
            return Ok(Message { plan, schema: Some(schema), ..plain(payload, true) });
        }
        let Some((schema, payload)) = parts(bytes)? else { return Ok(plain(bytes, false)) };
        let Some(schema) = schema else { return Ok(plain(payload, true)) };
        let plan = match schemas.find(&self.table, schema) {
            Some((plan, len)) if len == schema.len() => plan,
            _ => {
                let plan = Arc::new(self.parse(schema)?);
                schemas.insert(&self.table, schema, &plan);
                plan
            }
        };
        Ok(Message { plan, schema: Some(schema), ..plain(payload, true) })
    }

    #[cold]
    fn parse(&self, schema: &[u8]) -> Result<Plan, Error> {
        let mut tree = json::Tree::default();
        let document = json::parse_document(schema, &mut tree)?;
        self.table.plan(document.map(|document| ConnectType::new(&tree, document)))
    }

    /// Reads the images into rows, and notes what else there is.
    fn envelope<'m>(
        &self,
        message: &Message<'m>,
        event: &mut Event<'m>,
        rows: &mut Rows<'_>,
    ) -> Result<(), Error> {
        let mut lexer = message.lexer()?;
        while lexer.advance()? == Token::Name {
            let member = EventMember::of(lexer.text(&mut rows.scratch.text)?);
            let token = lexer.advance()?;
            let start = lexer.offset() - usize::from(token == Token::String);
            match member {
                EventMember::Image(_) if token == Token::Null => {}
                EventMember::Image(image) => {
                    event.note_image(image, start);
                    self.image(image.members(&message.plan), image.kind(), &mut lexer, rows)?;
                }
                EventMember::Operation => {
                    event.operation = Operation::of(lexer.text(&mut rows.scratch.text)?)?;
                }
                EventMember::Source => {
                    plain::skip(&mut lexer)?;
                    event.places.source = Some(Place::new(&lexer, token, start));
                }
                EventMember::Time => {
                    lexer.skip_children()?;
                    event.places.time = Some(Place::new(&lexer, token, start));
                }
                EventMember::Hint(skip) => event.hint = Some(skip),
                EventMember::Other => event.has_others = true,
            }
            plain::skip(&mut lexer)?;
        }
        message.check_end(&lexer)
    }

    /// Settles what the rows are, or that there are none.
    fn settle(
        &self,
        message: &Message<'_>,
        event: &Event<'_>,
        rows: &mut Rows<'_>,
    ) -> Result<Outcome, Error> {
        use Image::{After, Before};
        let upserts = self.table.settings.missing_before == MissingBefore::Upsert;
        let has_before = event.images[Before as usize].is_some();
        let wanted: &[(Image, RowKind)] = match event.operation()? {
            Operation::Insert => &[(After, RowKind::Insert)],
            Operation::Update if has_before => {
                &[(Before, RowKind::UpdateBefore), (After, RowKind::UpdateAfter)]
            }
            Operation::Update if upserts => &[(After, RowKind::UpdateAfter)],
            Operation::Delete if has_before => &[(Before, RowKind::Delete)],
            Operation::Delete if upserts => return Ok(Outcome::DeleteByKey),
            operation @ (Operation::Update | Operation::Delete) => return Err(no_before(operation)),
            Operation::Skip(skip) => return Ok(Outcome::Skip(skip)),
        };
        if event.is_in_order(wanted) {
            wanted.iter().for_each(|(_, kind)| rows.set_kind_of_last(*kind));
            return Ok(Outcome::Rows);
        }
        rows.rewind(event.mark);
        for (image, kind) in wanted {
            let start = event.images[*image as usize].ok_or_else(|| missing(image.name()))?;
            let mut lexer = Lexer::new(message.payload.get(start..).unwrap_or_default())?;
            self.image(image.members(&message.plan), *kind, &mut lexer, rows)?;
        }
        Ok(Outcome::Rows)
    }

    fn flattened(&self, message: &Message<'_>, rows: &mut Rows<'_>) -> Result<(), Error> {
        let mut lexer = message.lexer()?;
        let marks = self.image(&message.plan.after, RowKind::Insert, &mut lexer, rows)?;
        message.check_end(&lexer)?;
        rows.set_kind_of_last(match marks.operation {
            _ if marks.is_deleted => RowKind::Delete,
            Some(b'd') => RowKind::Delete,
            Some(b'u') => RowKind::UpdateAfter,
            _ => RowKind::Insert,
        });
        Ok(())
    }

    /// A delete with the columns that the key has.
    fn delete_by_key(
        &self,
        key: Option<&[u8]>,
        schemas: &mut Schemas,
        rows: &mut Rows<'_>,
    ) -> Result<(), Error> {
        let key =
            key.ok_or_else(|| Error::new(ErrorKind::Data, "a delete that has neither `before` nor a key"))?;
        let message = self.open(key, schemas)?;
        let mut lexer = message.lexer()?;
        let read = self.image(&message.plan.after, RowKind::Delete, &mut lexer, rows);
        read.and_then(|_| message.check_end(&lexer)).map_err(|error| message.place(error))
    }

    /// Gives each row what the event says beside it.
    fn fill_metadata(&self, places: &Places<'_>, rows: &mut Rows<'_>) -> Result<(), Error> {
        if self.metadata.is_empty() {
            return Ok(());
        }
        let mut values = std::mem::take(&mut rows.scratch.row);
        values.reset(self.metadata.len());
        values.set_room(rows.budget.bytes());
        for (index, metadata) in self.metadata.iter().enumerate() {
            let slot = metadata.content.read(places, &mut values, rows.scratch);
            let slot = slot.map_err(|error| error.in_column(&metadata.name))?;
            values.store(index, slot);
        }
        let mut grown = 0;
        for (_, row) in rows.out.iter_mut() {
            let before = row.size_in_bytes();
            for (index, metadata) in self.metadata.iter().enumerate() {
                row.set(metadata.column, values.datum(index));
            }
            grown += row.size_in_bytes() - before;
        }
        rows.scratch.row = values;
        rows.count(grown)
    }

    /// Reads an image, an object or the text of one, into a row.
    fn image(
        &self,
        members: &Members,
        kind: RowKind,
        lexer: &mut Lexer<'_>,
        rows: &mut Rows<'_>,
    ) -> Result<Marks, Error> {
        let (row, scratch) = rows.push_with_scratch(kind)?;
        let mut marks = Marks::default();
        let has_marks = self.table.settings.shape == DebeziumShape::Flattened;
        let placeholder = &self.table.placeholder;
        if lexer.token() != Token::String {
            let mut walk = Walk { lexer, row, scratch, placeholder, is_unavailable: false };
            walk.row(members, has_marks.then_some(&mut marks))?;
            return Ok(marks);
        }
        let offset = lexer.offset();
        let mut text = scratch.documents.pop().unwrap_or_default();
        let read = lexer.text(&mut text).and_then(|text| {
            let mut lexer = Lexer::new(text.as_bytes())?;
            let mut walk = Walk { lexer: &mut lexer, row, scratch, placeholder, is_unavailable: false };
            walk.row(members, has_marks.then_some(&mut marks))
        });
        scratch.documents.push(text);
        read.map(|()| marks).map_err(|error| error.at_offset(offset))
    }
}

/// A message on its way to rows.
struct Message<'m> {
    plan: Arc<Plan>,
    schema: Option<&'m [u8]>,
    /// From the payload's start on.
    payload: &'m [u8],
    /// Where the payload starts.
    offset: usize,
    /// The payload is a member of the message.
    is_wrapped: bool,
}

impl<'m> Message<'m> {
    /// At the start of the payload, which has to be an object.
    fn lexer(&self) -> Result<Lexer<'m>, Error> {
        let lexer = Lexer::new(self.payload)?;
        if lexer.token() != Token::StartObject {
            return Err(misfit("an event", &lexer));
        }
        Ok(lexer)
    }

    /// Fails where the message ends with its payload, and should not.
    fn check_end(&self, lexer: &Lexer<'_>) -> Result<(), Error> {
        let rest = self.payload.get(lexer.offset() + 1..).unwrap_or_default();
        if self.is_wrapped && rest.trim_ascii().is_empty() {
            return Err(Error::new(ErrorKind::Data, "the text ends inside an object"));
        }
        Ok(())
    }

    fn is_null(&self) -> bool {
        self.payload.trim_ascii_start().starts_with(b"null")
    }

    /// The error, its byte counted in the whole message.
    #[cold]
    fn place(&self, error: Error) -> Error {
        match error.offset() {
            Some(offset) => error.at_offset(self.offset + offset),
            None => error,
        }
    }
}

/// What a message with a schema begins with, and what stands between that and its payload.
const SCHEMA: &[u8] = br#"{"schema":"#;
const PAYLOAD: &[u8] = br#","payload":"#;

/// A schema, and a text from the payload's start on.
type Parts<'m> = (Option<&'m [u8]>, &'m [u8]);

/// The schema and the payload of a message; `None` of a payload alone.
fn parts(bytes: &[u8]) -> Result<Option<Parts<'_>>, Error> {
    let mut lexer = Lexer::new(bytes)?;
    match lexer.token() {
        Token::StartObject => {}
        Token::Null => return Ok(None),
        _ => return Err(misfit("an event", &lexer)),
    }
    let (mut schema, mut payload) = (None, None);
    while lexer.advance()? == Token::Name {
        let name = lexer.raw();
        let token = lexer.advance()?;
        let start = lexer.offset();
        match (name, token) {
            (b"schema", Token::StartObject) => {
                lexer.skip_children()?;
                schema = Some(bytes.get(start..=lexer.offset()));
            }
            (b"schema", Token::Null) => schema = Some(None),
            (b"payload", Token::StartObject | Token::Null) => {
                payload = bytes.get(start..);
                if schema.is_none() {
                    lexer.skip_children()?;
                }
            }
            _ => return Ok(None),
        }
        if let (Some(schema), Some(payload)) = (schema, payload) {
            return Ok(Some((schema, payload)));
        }
    }
    Ok(None)
}

/// What becomes of an event.
enum Outcome {
    Rows,
    DeleteByKey,
    Skip(EventSkip),
}
