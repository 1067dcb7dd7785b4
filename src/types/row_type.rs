use super::logical_type::DataType;

/// A column of a table or a field of a nested row.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// The name, without quotes.
    pub name: String,
    /// The type and its nullability.
    pub data_type: DataType,
    /// The comment that a nested field may have.
    pub description: Option<String>,
}

impl Field {
    /// A field without a description.
    #[must_use]
    pub fn new(name: impl Into<String>, data_type: impl Into<DataType>) -> Self {
        Self { name: name.into(), data_type: data_type.into(), description: None }
    }
}

/// The fields of a row, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RowType {
    fields: Vec<Field>,
}

impl RowType {
    /// A row type of `fields`. That their names are unique is checked where the type is used, by a table.
    #[must_use]
    pub fn new(fields: Vec<Field>) -> Self {
        Self { fields }
    }

    /// The fields in order.
    #[must_use]
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }
}
