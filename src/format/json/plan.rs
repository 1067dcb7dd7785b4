//! What the two JSON decoders share: for each column its name, its place and its converter.

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::error::Error;
use crate::format::Projection;
use crate::format::scalar::Scalar;
use crate::text::{self, Jdk};
use crate::types::{DataType, Field, LogicalType};

use super::check;
use super::member_name::MemberName;
use super::options::JsonOptions;
use super::scalar::scalar_of;
use super::tree::FloatNodes;

/// The fields of an object, in the order of the columns.
#[derive(Clone, Debug)]
pub(in crate::format) struct Fields {
    fields: Box<[FieldPlan]>,
    /// Positions in `fields` by name, for members that come out of order.
    by_name: HashMap<Box<[u8]>, usize, FixedState>,
}

#[derive(Clone, Debug)]
pub(super) struct FieldPlan {
    pub(super) name: Box<str>,
    /// `"name":`, as it stands in front of the value in compact text.
    pub(super) label: MemberName,
    /// Where the value goes: the column, or the place in the nested row.
    pub(super) position: usize,
    pub(super) converter: ValueReader,
}

#[derive(Clone, Debug)]
pub(super) enum ValueReader {
    Scalar(Scalar),
    Array(Box<ValueReader>),
    Map(Box<ValueReader>),
    Row(Fields),
}

impl Fields {
    /// The projected columns.
    ///
    /// # Errors
    ///
    /// Flink's, for a type that JSON does not take.
    pub(in crate::format) fn of(projection: Projection<'_>, options: &JsonOptions) -> Result<Self, Error> {
        Self::new(projection.fields, |field| projection.columns[field], options)
    }

    fn new(
        fields: &[Field],
        position: impl Fn(usize) -> usize,
        options: &JsonOptions,
    ) -> Result<Self, Error> {
        let plans = fields.iter().enumerate().map(|(index, field)| {
            let converter =
                ValueReader::new(&field.data_type, options).map_err(|error| error.in_column(&field.name))?;
            let mut label = b"\"".to_vec();
            text::write_escaped_text(&mut label, &field.name);
            label.extend_from_slice(b"\":");
            Ok(FieldPlan {
                name: field.name.as_str().into(),
                label: MemberName::new(&label),
                position: position(index),
                converter,
            })
        });
        let fields = plans.collect::<Result<Box<[FieldPlan]>, Error>>()?;
        let by_name = fields.iter().enumerate().map(|(index, field)| (field.name.as_bytes().into(), index));
        let by_name = by_name.collect();
        Ok(Self { fields, by_name })
    }

    /// How the numbers of a document are held that is read into these columns.
    pub(super) fn float_nodes(&self, jdk: Jdk) -> FloatNodes {
        if self.hold_decimals() { FloatNodes::BigDecimal } else { FloatNodes::Double(jdk) }
    }

    fn hold_decimals(&self) -> bool {
        self.fields.iter().any(|field| field.converter.holds_decimals())
    }

    pub(super) fn len(&self) -> usize {
        self.fields.len()
    }

    pub(super) fn get(&self, index: usize) -> Option<&FieldPlan> {
        self.fields.get(index)
    }

    /// The fields from `index` on, at most so many.
    #[inline]
    pub(super) fn range(&self, index: usize, most: usize) -> &[FieldPlan] {
        let fields = self.fields.get(index..).unwrap_or_default();
        &fields[..most.min(fields.len())]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &FieldPlan> {
        self.fields.iter()
    }

    /// The position in this list of the field called `name`.
    #[inline]
    pub(super) fn find(&self, name: &[u8]) -> Option<usize> {
        self.by_name.get(name).copied()
    }
}

impl ValueReader {
    fn new(data_type: &DataType, options: &JsonOptions) -> Result<Self, Error> {
        Ok(match &data_type.logical_type {
            LogicalType::Array(element) => Self::Array(Box::new(Self::new(element, options)?)),
            LogicalType::Map(key, value) => {
                check::check_map_key(data_type, key)?;
                Self::Map(Box::new(Self::new(value, options)?))
            }
            LogicalType::Multiset(element) => {
                check::check_map_key(data_type, element)?;
                Self::Map(Box::new(Self::Scalar(Scalar::Int)))
            }
            LogicalType::Row(row) => Self::Row(Fields::new(row.fields(), |field| field, options)?),
            _ => Self::Scalar(scalar_of(data_type, options)?),
        })
    }

    fn holds_decimals(&self) -> bool {
        match self {
            Self::Scalar(scalar) => matches!(scalar, Scalar::Decimal { .. }),
            Self::Array(element) => element.holds_decimals(),
            Self::Map(value) => value.holds_decimals(),
            Self::Row(fields) => fields.hold_decimals(),
        }
    }
}
