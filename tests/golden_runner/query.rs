use upsert_kafka::types::Field;
use upsert_kafka::{Datum, Row};

/// The queries that need no SQL engine: columns, and a condition on one of them.
pub struct Query {
    /// `None`: all.
    columns: Option<Vec<String>>,
    condition: Option<Condition>,
}

struct Condition {
    column: String,
    test: Test,
}

#[derive(Clone)]
enum Test {
    IsNull,
    IsNotNull,
    Equals(String),
    Differs(String),
}

impl Query {
    /// `SELECT * | column, ... FROM t [WHERE column = literal | column <> literal | column IS [NOT] NULL]`; `None` for
    /// more than that.
    pub fn parse(sql: &str) -> Option<Self> {
        let (columns, rest) = sql.strip_prefix("SELECT ")?.split_once(" FROM t")?;
        let columns = match columns {
            "*" => None,
            list => Some(list.split(", ").map(name).collect::<Option<_>>()?),
        };
        let condition = match rest {
            "" => None,
            rest => Some(Condition::parse(rest.strip_prefix(" WHERE ")?)?),
        };
        Some(Self { columns, condition })
    }

    /// The positions of the columns asked for.
    pub fn selected(&self, columns: &[Field]) -> Vec<usize> {
        match &self.columns {
            None => (0..columns.len()).collect(),
            Some(names) => names.iter().map(|name| position(columns, name)).collect(),
        }
    }

    /// The same and that of the condition.
    pub fn used(&self, columns: &[Field]) -> Vec<usize> {
        let mut used = self.selected(columns);
        used.extend(self.condition.iter().map(|condition| position(columns, &condition.column)));
        used
    }

    /// The condition on a row, if there is one.
    pub fn filter(&self, columns: &[Field]) -> Option<impl Fn(&dyn Row) -> bool + Send + Sync + 'static> {
        let condition = self.condition.as_ref()?;
        let (column, test) = (position(columns, &condition.column), condition.test.clone());
        Some(move |row: &dyn Row| test.holds(row.datum(column)))
    }
}

impl Condition {
    fn parse(text: &str) -> Option<Self> {
        let (column, test) = text.split_once(' ')?;
        let test = match test.split_once(' ')? {
            ("=", literal) => Test::Equals(unquoted(literal)?),
            ("<>", literal) => Test::Differs(unquoted(literal)?),
            ("IS", "NULL") => Test::IsNull,
            ("IS", "NOT NULL") => Test::IsNotNull,
            _ => return None,
        };
        Some(Self { column: name(column)?, test })
    }
}

impl Test {
    /// Nothing equals NULL, and nothing differs from it.
    fn holds(&self, datum: Datum<'_>) -> bool {
        let equals = |literal: &String| match datum {
            Datum::String(text) => text == literal,
            Datum::Int(number) => number.to_string() == *literal,
            Datum::BigInt(number) => number.to_string() == *literal,
            other => panic!("no comparison with {other:?} is known"),
        };
        match self {
            Self::IsNull => datum.is_null(),
            Self::IsNotNull => !datum.is_null(),
            Self::Equals(literal) => !datum.is_null() && equals(literal),
            Self::Differs(literal) => !datum.is_null() && !equals(literal),
        }
    }
}

fn name(text: &str) -> Option<String> {
    text.chars().all(|character| character.is_alphanumeric() || character == '_').then(|| text.to_owned())
}

/// A number, or a string without its quotes.
fn unquoted(literal: &str) -> Option<String> {
    match literal.strip_prefix('\'') {
        Some(rest) => rest.strip_suffix('\'').map(str::to_owned),
        None => literal.parse::<i64>().ok().map(|number| number.to_string()),
    }
}

fn position(columns: &[Field], name: &str) -> usize {
    columns.iter().position(|column| column.name == name).expect("the query names a column")
}
