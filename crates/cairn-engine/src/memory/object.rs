//! What an object is, apart from its bytes.

/// What kind of thing an object is: who ends its life, and whether it holds data at all.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ObjectKind {
    /// A global variable, a static local, a string literal or the program's arguments: lives as long as the program.
    Static,
    /// A local variable in memory, or a variable-length array.
    Stack,
    /// What the malloc family returns.
    Heap,
    /// What `alloca` returns: lives until its function returns.
    Alloca,
    /// The variable arguments of one call.
    Variadic,
    /// The code of a function: it can be called but holds no data.
    Function,
    /// The address of a label.
    Label,
    /// A variable that is declared and that nobody defines: it has an address, and nothing is known of what it holds.
    Undefined,
    /// A nested function with what it captured: it can be called until the function that made it returns.
    Closure,
}

impl ObjectKind {
    /// The word for messages.
    pub const fn name(self) -> &'static str {
        match self {
            ObjectKind::Static => "static",
            ObjectKind::Stack => "stack",
            ObjectKind::Heap => "heap",
            ObjectKind::Alloca => "alloca",
            ObjectKind::Variadic => "variable arguments",
            ObjectKind::Function => "function",
            ObjectKind::Label => "label",
            ObjectKind::Undefined => "not defined",
            ObjectKind::Closure => "nested function",
        }
    }

    /// Whether it holds bytes that a program may read.
    pub const fn is_data(self) -> bool {
        !matches!(self, ObjectKind::Function | ObjectKind::Label | ObjectKind::Undefined | ObjectKind::Closure)
    }
}

/// Whether an object is alive, and how its life ended otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum End {
    /// It is alive.
    Live,
    /// It was freed.
    Freed,
    /// `realloc` gave its contents a new place.
    Reallocated,
    /// Its block or function ended.
    OutOfScope,
}

/// What classification needs to know of an object; engines with symbolic sizes ask about concrete instances.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// What it is.
    pub kind: ObjectKind,
    /// Address of its first byte.
    pub base: u64,
    /// Bytes.
    pub size: u64,
    /// Whether the life that the pointer knows has ended, and how.
    pub end: End,
    /// Whether writing to it is a fault.
    pub constant: bool,
}
