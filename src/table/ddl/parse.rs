use std::borrow::Cow;

use super::resolve::resolve;
use super::statement::{Constraint, Name, RowtimeWatermark, Statement};
use super::{CreateTable, Distribution};
use crate::error::{Error, ErrorKind};
use crate::table::legacy::is_of_older_dialect;
use crate::table::options::TableOptions;
use crate::table::schema::Column;
use crate::types::{Dialect, TokenKind, Tokens, foreign_clause, parse_data_type};

/// Reads a text that is one `CREATE TABLE`, perhaps with semicolons after it.
///
/// Takes time in proportion to the text, and recursion only for nested types.
pub(crate) fn parse_create_table(text: &str) -> Result<CreateTable, Error> {
    let tokens = Tokens::new(text, Dialect::Ddl);
    let mut parser = Parser { tokens, statement: Statement::default(), bare_columns: None };
    parser.create_table()?;
    parser.end()?;
    parser.statement.refused = parser.tokens.take_refused();
    resolve(parser.statement, &parser.tokens)
}

struct Parser<'a> {
    tokens: Tokens<'a>,
    statement: Statement,
    /// Where the columns are, if they are names without types.
    bare_columns: Option<usize>,
}

impl Parser<'_> {
    fn create_table(&mut self) -> Result<(), Error> {
        self.tokens.expect_keyword("CREATE")?;
        if self.tokens.eat_keyword("OR") {
            self.tokens.expect_keyword("REPLACE")?;
        }
        self.tokens.eat_keyword("TEMPORARY");
        self.tokens.expect_keyword("TABLE")?;
        // IF is a name where NOT does not follow it.
        if self.tokens.peek().is_keyword("IF") && self.tokens.peek_second().is_keyword("NOT") {
            self.tokens.advance();
            self.tokens.advance();
            self.tokens.expect_keyword("EXISTS")?;
        }
        (self.statement.path, _) = self.path()?;
        if self.tokens.eat_symbol("(") {
            self.columns()?;
        }
        self.clauses()
    }

    /// The path of a table, and where it is.
    fn path(&mut self) -> Result<(Vec<String>, usize), Error> {
        let offset = self.tokens.peek().offset;
        let path = self.tokens.expect_path()?;
        if path.len() > 3 {
            let help = "the parts are a catalog, a database and a table";
            let error = refused("Object identifier must consist of 1 to 3 parts.", offset);
            self.tokens.refuse(error.with_help(help))?;
        }
        Ok((path, offset))
    }

    /// Columns, constraints and a watermark, up to the closing bracket.
    fn columns(&mut self) -> Result<(), Error> {
        let (first, second) = (self.tokens.peek(), self.tokens.peek_second());
        // A list of bare names is for CREATE TABLE ... AS SELECT.
        if self.tokens.at_name() && (second.is_symbol(",") || second.is_symbol(")")) {
            self.bare_columns = Some(first.offset);
            self.name()?;
            while self.tokens.eat_symbol(",") {
                self.name()?;
            }
            return self.tokens.expect_symbol(")");
        }
        self.table_element()?;
        while self.tokens.eat_symbol(",") {
            self.table_element()?;
        }
        if self.tokens.eat_symbol(")") {
            return Ok(());
        }
        let word = self.tokens.peek().image;
        let hint = foreign_clause(word).map_or(String::new(), |hint| format!("; {word}: {hint}"));
        Err(self.tokens.unexpected(&format!("a comma or the end of the columns{hint}")))
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
            self.forget_fields()?;
            self.typed_column(name)?
        };
        let column = if self.tokens.eat_keyword("COMMENT") {
            column.with_comment(self.tokens.expect_plain_string()?)
        } else {
            column
        };
        self.statement.columns.push(column);
        Ok(())
    }

    /// `.field ...` or `.*` after a column's name, which Flink reads and forgets.
    fn forget_fields(&mut self) -> Result<(), Error> {
        while self.tokens.peek().is_symbol(".") {
            if self.tokens.peek_second().is_symbol("*") {
                self.tokens.advance();
                self.tokens.advance();
                break;
            }
            self.tokens.expect_dot_and_name()?;
        }
        Ok(())
    }

    /// `name TYPE [[constraint] | METADATA [FROM 'key'] [VIRTUAL]]`, after the name.
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

    /// `[COMMENT ..] [DISTRIBUTED ..] [PARTITIONED BY ..] [WITH ..] [LIKE .. | AS ..]`, in this order only.
    fn clauses(&mut self) -> Result<(), Error> {
        if self.tokens.eat_keyword("COMMENT") {
            self.statement.clauses.comment = Some(self.tokens.expect_plain_string()?);
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
        let token = self.tokens.peek();
        if token.is_keyword("AS") {
            let help = "no query is read: write the columns that it has into the statement";
            return Err(refused("CREATE TABLE ... AS is not supported", token.offset).with_help(help));
        }
        if let Some(offset) = self.bare_columns {
            let message =
                "Columns identifiers without types in the schema are supported on CTAS/RTAS statements only.";
            return Err(refused(message, offset));
        }
        if self.tokens.eat_keyword("LIKE") {
            self.like()?;
        }
        Ok(())
    }

    /// `BY [HASH | RANGE] (columns) [INTO n BUCKETS]` or `INTO n BUCKETS`.
    fn distribution(&mut self) -> Result<Distribution, Error> {
        let mut distribution = Distribution::default();
        if self.tokens.eat_keyword("BY") {
            let mut kinds = ["HASH", "RANGE"].into_iter();
            distribution.kind = kinds.find(|kind| self.tokens.eat_keyword(kind));
            distribution.keys = self.names()?.into_iter().map(|name| name.text).collect();
            if !self.tokens.peek().is_keyword("INTO") {
                return Ok(distribution);
            }
        }
        self.tokens.expect_keyword("INTO")?;
        distribution.buckets = Some(self.bucket_count()?);
        self.tokens.expect_keyword("BUCKETS")?;
        Ok(distribution)
    }

    /// A number without sign; of one that is too large, Java's int has the lowest bits.
    fn bucket_count(&mut self) -> Result<i32, Error> {
        let token = self.tokens.peek();
        if token.kind != TokenKind::Number {
            return Err(self.tokens.unexpected("an integer"));
        }
        self.tokens.advance();
        let digits: Option<Vec<u32>> = token.image.chars().map(|digit| digit.to_digit(10)).collect();
        let Some(digits) = digits else {
            let message = "Bucket count must be a positive integer.";
            return Err(Error::new(ErrorKind::Syntax, message).with_offset(token.offset));
        };
        let count = digits.iter().fold(0u32, |count, digit| count.wrapping_mul(10).wrapping_add(*digit));
        Ok(count.cast_signed())
    }

    /// `LIKE table [(INCLUDING | EXCLUDING | OVERWRITING what ...)]`, after the keyword.
    fn like(&mut self) -> Result<(), Error> {
        const STRATEGIES: [&str; 3] = ["INCLUDING", "EXCLUDING", "OVERWRITING"];
        const WHAT: [&str; 8] = [
            "ALL",
            "CONSTRAINTS",
            "DISTRIBUTION",
            "GENERATED",
            "METADATA",
            "OPTIONS",
            "PARTITIONS",
            "WATERMARKS",
        ];
        self.statement.like = Some(self.path()?);
        if !self.tokens.eat_symbol("(") {
            return Ok(());
        }
        loop {
            for keywords in [&STRATEGIES[..], &WHAT] {
                if !keywords.iter().any(|keyword| self.tokens.eat_keyword(keyword)) {
                    return Err(self.tokens.unexpected(&keywords.join(", ")));
                }
            }
            if self.tokens.eat_symbol(")") {
                return Ok(());
            }
        }
    }

    /// `('key' = 'value', ...)`; of two options with one key, Flink takes the last.
    fn options(&mut self) -> Result<(), Error> {
        let mut options = Vec::new();
        let mut double_quoted = None;
        let read = self.option_list(&mut options, &mut double_quoted);
        self.statement.options = TableOptions::from_iter(options);
        match double_quoted {
            // Flink stops at the first, whatever comes later.
            Some(refusal) if !is_of_older_dialect(&self.statement.options) => Err(refusal),
            Some(_) | None => read,
        }
    }

    fn option_list(
        &mut self,
        options: &mut Vec<(String, String)>,
        double_quoted: &mut Option<Error>,
    ) -> Result<(), Error> {
        self.tokens.expect_symbol("(")?;
        if self.tokens.eat_symbol(")") {
            return Ok(());
        }
        loop {
            let key = self.option_string(double_quoted)?;
            self.tokens.expect_symbol("=")?;
            options.push((key, self.option_string(double_quoted)?));
            if self.tokens.eat_symbol(",") {
                continue;
            }
            if self.tokens.eat_symbol(")") {
                return Ok(());
            }
            let hint = match self.tokens.peek().is_symbol("=") {
                true => "; two strings beside each other are one, so a comma may be missing before the last",
                false => "",
            };
            return Err(self.tokens.unexpected(&format!("a comma or the end of the options{hint}")));
        }
    }

    /// A string, also in double quotes, as DLI takes it; the first of those is refused in `double_quoted`.
    fn option_string(&mut self, double_quoted: &mut Option<Error>) -> Result<String, Error> {
        if !self.tokens.peek().is_symbol("\"") {
            return self.tokens.expect_string();
        }
        let refusal = self.tokens.unexpected("a string, and strings are in single quotes: write '...'");
        match self.tokens.eat_double_quoted() {
            None => Err(refusal),
            Some(string) => {
                double_quoted.get_or_insert(refusal);
                Ok(string)
            }
        }
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

    /// Nothing but semicolons after the statement.
    fn end(&mut self) -> Result<(), Error> {
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
