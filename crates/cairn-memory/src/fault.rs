//! Classification of invalid accesses: the one place that decides which check an access violates.

use cairn_ir::CheckKind;

use super::object::{End, ObjectKind, Shape};
use super::pointer::ObjectId;
use super::space::NULL_PAGE;

/// The kind of an access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Access {
    /// A read.
    Read,
    /// A write.
    Write,
}

/// An invalid access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryFault {
    /// The check that it violates.
    pub kind: CheckKind,
    /// The kind of the access.
    pub access: Access,
    /// The address of the access.
    pub address: u64,
    /// The size of the access in bytes.
    pub size: u64,
    /// The object that the pointer was derived from.
    pub object: ObjectId,
}

/// Returns the check that an access violates; `None` if the access is valid.
///
/// `shape` describes the object that the pointer was derived from, if there is one.
pub fn classify(address: u64, size: u64, access: Access, shape: Option<&Shape>) -> Option<CheckKind> {
    let Some(shape) = shape else {
        return Some(if address < NULL_PAGE { CheckKind::NullDeref } else { CheckKind::InvalidDeref });
    };
    if shape.kind == ObjectKind::Undefined {
        return Some(CheckKind::Unsupported);
    }
    if !shape.kind.is_data() {
        return Some(CheckKind::InvalidDeref);
    }
    match (shape.end, shape.kind) {
        (End::Live, _) => {}
        (End::Freed | End::Reallocated, _) | (End::OutOfScope, ObjectKind::Heap) => {
            return Some(CheckKind::UseAfterFree);
        }
        (End::OutOfScope, _) => return Some(CheckKind::UseAfterScope),
    }
    let offset = address.wrapping_sub(shape.base);
    if offset > shape.size || shape.size - offset < size {
        return Some(CheckKind::OutOfBounds);
    }
    (access == Access::Write && shape.constant).then_some(CheckKind::InvalidDeref)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAP: Shape = Shape { kind: ObjectKind::Heap, base: 0x1_0000, size: 8, end: End::Live, constant: false };

    #[test]
    fn each_fault_has_its_kind() {
        let read = |address, shape: Option<Shape>| classify(address, 4, Access::Read, shape.as_ref());
        assert_eq!(read(0, None), Some(CheckKind::NullDeref));
        assert_eq!(read(24, None), Some(CheckKind::NullDeref));
        assert_eq!(read(0xdead_beef, None), Some(CheckKind::InvalidDeref));
        assert_eq!(read(0x1_0004, Some(HEAP)), None);
        assert_eq!(read(0x1_0005, Some(HEAP)), Some(CheckKind::OutOfBounds));
        assert_eq!(read(0xffff, Some(HEAP)), Some(CheckKind::OutOfBounds));
        assert_eq!(read(0x9_0000, Some(Shape { end: End::Freed, ..HEAP })), Some(CheckKind::UseAfterFree));
        let local = Shape { kind: ObjectKind::Stack, end: End::OutOfScope, ..HEAP };
        assert_eq!(read(0x1_0000, Some(local)), Some(CheckKind::UseAfterScope));
        let code = Shape { kind: ObjectKind::Function, ..HEAP };
        assert_eq!(read(0x1_0000, Some(code)), Some(CheckKind::InvalidDeref));
        let elsewhere = Shape { kind: ObjectKind::Undefined, ..HEAP };
        assert_eq!(read(0x1_0000, Some(elsewhere)), Some(CheckKind::Unsupported));
    }

    #[test]
    fn constants_are_read_only() {
        let literal = Shape { kind: ObjectKind::Static, constant: true, ..HEAP };
        assert_eq!(classify(0x1_0000, 1, Access::Read, Some(&literal)), None);
        assert_eq!(classify(0x1_0000, 1, Access::Write, Some(&literal)), Some(CheckKind::InvalidDeref));
        assert_eq!(classify(0x1_0008, 1, Access::Write, Some(&literal)), Some(CheckKind::OutOfBounds));
    }
}
