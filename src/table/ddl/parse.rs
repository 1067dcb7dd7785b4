use std::borrow::Cow;

use super::resolve::resolve;
use super::{Clauses, CreateTable};
use crate::error::{Error, ErrorKind};
use crate::table::options::TableOptions;
use crate::table::schema::Column;
use crate::types::{Dialect, TokenKind, Tokens, identifier, parse_data_type};

/// Reads a text that is one `CREATE TABLE`, perhaps with semicolons behind it.
///
/// Takes time in proportion to the text, and recursion only for nested types.
pub(crate) fn parse_create_table(text: &str) -> Result<CreateTable, Error> {
    let mut parser = Parser { tokens: Tokens::new(text, Dialect::Ddl), statement: Statement::default() };
    parser.create_table()?;
    parser.end()?;
    resolve(parser.statement, &parser.tokens)
}

/// What was read, before Flink would look at what it means.
#[derive(Debug, Default)]
pub(super) struct Statement {
    pub(super) path: Vec<String>,
    pub(super) columns: Vec<Column>,
    /// Those of columns.
    pub(super) column_constraints: Vec<Constraint>,
    /// Those beside the columns.
    pub(super) table_constraints: Vec<Constraint>,
    pub(super) watermark: Option<RowtimeWatermark>,
    pub(super) clauses: Clauses,
    pub(super) options: TableOptions,
}

/// `[CONSTRAINT name] PRIMARY KEY | UNIQUE (columns) [[NOT] ENFORCED]`.
#[derive(Debug)]
pub(super) struct Constraint {
    pub(super) offset: usize,
    pub(super) name: Option<String>,
    pub(super) is_primary_key: bool,
    pub(super) columns: Vec<Name>,
    pub(super) is_enforced: bool,
}

/// `WATERMARK FOR column[.field...] AS expression`.
#[derive(Debug)]
pub(super) struct RowtimeWatermark {
    pub(super) path: Vec<Name>,
    pub(super) expression: String,
}

/// A name and where it is.
#[derive(Debug)]
pub(super) struct Name {
    pub(super) text: String,
    pub(super) offset: usize,
}

struct Parser<'a> {
    tokens: Tokens<'a>,
    statement: Statement,
}

impl Parser<'_> {
    fn create_table(&mut self) -> Result<(), Error> {
        self.tokens.expect_keyword("CREATE")?;
        self.tokens.eat_keyword("TEMPORARY");
        self.tokens.expect_keyword("TABLE")?;
        // IF is a name where NOT is not behind it.
        if self.tokens.peek().is_keyword("IF") && self.tokens.peek_second().is_keyword("NOT") {
            self.tokens.advance();
            self.tokens.advance();
            self.tokens.expect_keyword("EXISTS")?;
        }
        self.path()?;
        if self.tokens.eat_symbol("(") {
            self.refuse_columns_without_types()?;
            self.table_element()?;
            while self.tokens.eat_symbol(",") {
                self.table_element()?;
            }
            if !self.tokens.eat_symbol(")") {
                return Err(self.tokens.unexpected("a comma or the end of the columns"));
            }
        }
        self.clauses()
    }

    fn path(&mut self) -> Result<(), Error> {
        let offset = self.tokens.peek().offset;
        self.statement.path = self.tokens.expect_path()?;
        if self.statement.path.len() > 3 {
            return Err(refused(
                "a table's name has at most three parts: catalog, database and table",
                offset,
            ));
        }
        Ok(())
    }

    /// A list of bare names is for `CREATE TABLE ... AS SELECT`.
    fn refuse_columns_without_types(&mut self) -> Result<(), Error> {
        let (first, second) = (self.tokens.peek(), self.tokens.peek_second());
        if !self.tokens.at_name() || !(second.is_symbol(",") || second.is_symbol(")")) {
            return Ok(());
        }
        self.name()?;
        while self.tokens.eat_symbol(",") {
            self.name()?;
        }
        self.tokens.expect_symbol(")")?;
        let message =
            "Columns identifiers without types in the schema are supported on CTAS/RTAS statements only.";
        Err(refused(message, first.offset))
    }

    /// A column, a constraint or a watermark.
    fn table_element(&mut self) -> Result<(), Error> {
        let token = self.tokens.peek();
        if self.at_constraint() {
            let constraint = self.constraint(None)?;
            self.statement.table_constraints.push(constraint);
            return Ok(());
        }
        if self.tokens.eat_keyword("WATERMARK") {
            return self.watermark(token.offset);
        }
        let name = self.name()?;
        let column = if self.tokens.eat_keyword("AS") {
            Column::computed(name.text, self.expression()?)
        } else {
            self.typed_column(name)?
        };
        let column = if self.tokens.eat_keyword("COMMENT") {
            column.with_comment(self.tokens.expect_string()?)
        } else {
            column
        };
        self.statement.columns.push(column);
        Ok(())
    }

    /// `name TYPE [[constraint] | METADATA [FROM 'key'] [VIRTUAL]]`, behind the name.
    fn typed_column(&mut self, name: Name) -> Result<Column, Error> {
        let data_type = parse_data_type(&mut self.tokens)?;
        if self.tokens.eat_keyword("METADATA") {
            let key = self.tokens.eat_keyword("FROM").then(|| self.tokens.expect_string()).transpose()?;
            let is_virtual = self.tokens.eat_keyword("VIRTUAL");
            return Ok(Column::metadata(name.text, data_type, key.as_deref(), is_virtual));
        }
        let column = Column::physical(&*name.text, data_type);
        if self.at_constraint() {
            let constraint = self.constraint(Some(name))?;
            self.statement.column_constraints.push(constraint);
        }
        Ok(column)
    }

    fn at_constraint(&self) -> bool {
        let token = self.tokens.peek();
        ["CONSTRAINT", "PRIMARY", "UNIQUE"].into_iter().any(|keyword| token.is_keyword(keyword))
    }

    /// A constraint of `column`, or of the columns it names.
    fn constraint(&mut self, column: Option<Name>) -> Result<Constraint, Error> {
        let offset = self.tokens.peek().offset;
        let name = self.tokens.eat_keyword("CONSTRAINT").then(|| self.tokens.expect_name()).transpose()?;
        let is_primary_key = !self.tokens.eat_keyword("UNIQUE");
        if is_primary_key {
            self.tokens.expect_keyword("PRIMARY")?;
            self.tokens.expect_keyword("KEY")?;
        }
        let columns = match column {
            Some(column) => vec![column],
            None => self.names()?,
        };
        let is_enforced = if self.tokens.eat_keyword("NOT") {
            self.tokens.expect_keyword("ENFORCED")?;
            false
        } else {
            // SQL's default is ENFORCED.
            self.tokens.eat_keyword("ENFORCED");
            true
        };
        Ok(Constraint { offset, name, is_primary_key, columns, is_enforced })
    }

    fn watermark(&mut self, offset: usize) -> Result<(), Error> {
        self.tokens.expect_keyword("FOR")?;
        let mut path = vec![self.name()?];
        while self.tokens.eat_symbol(".") {
            path.push(self.name()?);
        }
        self.tokens.expect_keyword("AS")?;
        let expression = self.expression()?;
        if self.statement.watermark.is_some() {
            return Err(refused("Multiple WATERMARK declarations are not supported yet.", offset));
        }
        self.statement.watermark = Some(RowtimeWatermark { path, expression });
        Ok(())
    }

    /// The text of an expression: up to the comma, bracket or COMMENT that is not inside it.
    fn expression(&mut self) -> Result<String, Error> {
        let start = self.tokens.peek();
        let mut end = start.offset;
        let mut open_brackets = 0_usize;
        loop {
            let token = self.tokens.peek();
            match (token.kind, token.image) {
                (TokenKind::Symbol, "(" | "[") => open_brackets += 1,
                (TokenKind::Symbol, ")" | "]") if open_brackets > 0 => open_brackets -= 1,
                (TokenKind::Symbol, ")" | "]" | ",") if open_brackets == 0 => break,
                (TokenKind::Symbol, ";" | "'" | "\"") | (TokenKind::End | TokenKind::Invalid, _) => {
                    return Err(self.tokens.unexpected("the rest of the expression"));
                }
                _ if open_brackets == 0 && token.is_keyword("COMMENT") => break,
                _ => {}
            }
            self.tokens.advance();
            end = token.end();
        }
        if end == start.offset {
            return Err(self.tokens.unexpected_name("an expression"));
        }
        Ok(self.tokens.text()[start.offset..end].to_owned())
    }

    /// `[COMMENT ..] [DISTRIBUTED ..] [PARTITIONED BY ..] [WITH ..]`, in this order only.
    fn clauses(&mut self) -> Result<(), Error> {
        if self.tokens.eat_keyword("COMMENT") {
            self.statement.clauses.comment = Some(self.tokens.expect_string()?);
        }
        if self.tokens.eat_keyword("DISTRIBUTED") {
            self.statement.clauses.distribution = Some(self.distribution()?);
        }
        if self.tokens.eat_keyword("PARTITIONED") {
            self.tokens.expect_keyword("BY")?;
            self.statement.clauses.partition_keys = self.names()?.into_iter().map(|name| name.text).collect();
        }
        if self.tokens.eat_keyword("WITH") {
            self.options()?;
        }
        Ok(())
    }

    /// `BY [HASH | RANGE] (columns) [INTO n BUCKETS]` or `INTO n BUCKETS`.
    fn distribution(&mut self) -> Result<String, Error> {
        let mut clause = String::new();
        if self.tokens.eat_keyword("BY") {
            clause.push_str("BY ");
            for kind in ["HASH", "RANGE"] {
                if self.tokens.eat_keyword(kind) {
                    clause.push_str(kind);
                    break;
                }
            }
            let keys: Vec<String> =
                self.names()?.iter().map(|name| identifier(&name.text).to_string()).collect();
            clause.push_str(&format!("({})", keys.join(", ")));
            if !self.tokens.peek().is_keyword("INTO") {
                return Ok(clause);
            }
            clause.push(' ');
        }
        self.tokens.expect_keyword("INTO")?;
        let buckets = self.tokens.expect_int()?;
        self.tokens.expect_keyword("BUCKETS")?;
        clause.push_str(&format!("INTO {buckets} BUCKETS"));
        Ok(clause)
    }

    /// `('key' = 'value', ...)`; of two options with one key, Flink takes the last.
    fn options(&mut self) -> Result<(), Error> {
        self.tokens.expect_symbol("(")?;
        let mut options = Vec::new();
        if !self.tokens.peek().is_symbol(")") {
            options.push(self.option()?);
            while self.tokens.eat_symbol(",") {
                options.push(self.option()?);
            }
        }
        self.tokens.expect_symbol(")")?;
        self.statement.options = TableOptions::from_iter(options);
        Ok(())
    }

    fn option(&mut self) -> Result<(String, String), Error> {
        let key = self.tokens.expect_string()?;
        self.tokens.expect_symbol("=")?;
        Ok((key, self.tokens.expect_string()?))
    }

    /// `(name, ...)`
    fn names(&mut self) -> Result<Vec<Name>, Error> {
        self.tokens.expect_symbol("(")?;
        let mut names = vec![self.name()?];
        while self.tokens.eat_symbol(",") {
            names.push(self.name()?);
        }
        self.tokens.expect_symbol(")")?;
        Ok(names)
    }

    fn name(&mut self) -> Result<Name, Error> {
        let offset = self.tokens.peek().offset;
        Ok(Name { text: self.tokens.expect_name()?, offset })
    }

    /// Nothing but semicolons behind the statement.
    fn end(&mut self) -> Result<(), Error> {
        let token = self.tokens.peek();
        if token.is_keyword("LIKE") || token.is_keyword("AS") {
            let message = format!("CREATE TABLE ... {} is not supported", token.image.to_ascii_uppercase());
            return Err(refused(message, token.offset));
        }
        let mut is_terminated = false;
        while self.tokens.eat_symbol(";") {
            is_terminated = true;
        }
        let token = self.tokens.peek();
        match token.kind {
            TokenKind::End => Ok(()),
            _ if is_terminated => Err(refused("only single statement supported", token.offset)),
            _ => Err(self.tokens.unexpected("the end of the statement")),
        }
    }
}

fn refused(message: impl Into<Cow<'static, str>>, offset: usize) -> Error {
    Error::new(ErrorKind::Table, message).with_offset(offset)
}
