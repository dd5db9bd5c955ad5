//! The question that a portfolio answers.

use cairn_ir::CheckKind;

use crate::verdict::Property;

/// A question about a program.
#[derive(Clone, Debug)]
pub struct Task {
    /// The entry function of the program.
    pub entry: String,
    /// The properties.
    pub properties: Vec<Property>,
    /// Kinds of checks that are asked about although they belong to no property.
    pub besides: Vec<CheckKind>,
    /// Whether allocations may fail.
    pub malloc_fails: bool,
    /// Whether a failed `assert` violates `unreach-call`; otherwise it only ends the program.
    pub assert_faults: bool,
}

impl Task {
    /// Returns the kinds of checks that are asked about.
    pub fn kinds(&self) -> impl Iterator<Item = CheckKind> {
        self.properties.iter().flat_map(|p| p.kinds()).chain(self.besides.iter().copied())
    }
}
