//! Where the shapes of two paired states differ: an object against a segment, null against a segment that may be empty.

use cairn_smt::Term;

use super::pair::Pairing;
use crate::engines::shape::Explorer;
use crate::memory::symbolic::Object;

/// Whether two objects play the same part.
pub(super) fn same_role(_: &Object, _: &Object) -> Option<()> {
    Some(())
}

/// The result's term for two values of which at least one is a pointer, and which are not two pointers to plain objects.
pub(super) fn pair_unequal(_: &mut Explorer<'_>, _: &mut Pairing<'_>, _: Term, _: Term) -> Option<Term> {
    None
}
