//! The properties of an object besides its bytes.

/// The kind of an object: what ends its lifetime, and whether it holds data.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ObjectKind {
    /// A global variable, a static local, a string literal or a program argument; lives as long as the program.
    Static,
    /// A local variable in memory, or a variable-length array.
    Stack,
    /// An object from the `malloc` family.
    Heap,
    /// An object from `alloca`; lives until its function returns.
    Alloca,
    /// Memory pages that `mmap` returns: live until `munmap`.
    Mapping,
    /// An open stream or folder of the system: live until it is closed.
    Resource,
    /// The variable arguments of one call.
    Variadic,
    /// The code of a function, which can be called but holds no data.
    Function,
    /// The address of a label.
    Label,
    /// A variable that is declared but never defined: it has an address, but its contents are unknown.
    Undefined,
    /// A nested function with its captured frame, which can be called until the enclosing function returns.
    Closure,
}

impl ObjectKind {
    /// Returns whether the program must end the lifetime of the object: it may be lost.
    pub const fn is_owned(self) -> bool {
        matches!(self, ObjectKind::Heap | ObjectKind::Resource)
    }

    /// Returns the name of the kind for messages.
    pub const fn name(self) -> &'static str {
        match self {
            ObjectKind::Static => "static",
            ObjectKind::Stack => "stack",
            ObjectKind::Heap => "heap",
            ObjectKind::Alloca => "alloca",
            ObjectKind::Mapping => "mapping",
            ObjectKind::Resource => "stream or folder",
            ObjectKind::Variadic => "variable arguments",
            ObjectKind::Function => "function",
            ObjectKind::Label => "label",
            ObjectKind::Undefined => "not defined",
            ObjectKind::Closure => "nested function",
        }
    }

    /// Returns whether the object holds bytes that a program may read.
    pub const fn is_data(self) -> bool {
        !matches!(self, ObjectKind::Function | ObjectKind::Label | ObjectKind::Undefined | ObjectKind::Closure)
    }
}

/// Whether an object is live, or else how its lifetime ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum End {
    /// The object is live.
    Live,
    /// The object was freed.
    Freed,
    /// The object was moved by `realloc`.
    Reallocated,
    /// The block or function of the object was left.
    OutOfScope,
}

/// The properties of an object that decide whether an access is valid, for concrete addresses and sizes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// The kind of the object.
    pub kind: ObjectKind,
    /// The address of its first byte.
    pub base: u64,
    /// Its size in bytes.
    pub size: u64,
    /// How the lifetime that the pointer refers to has ended, if it has.
    pub end: End,
    /// Whether a write is a fault.
    pub constant: bool,
}
