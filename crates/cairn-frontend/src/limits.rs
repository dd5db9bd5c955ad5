//! The limits of the front-end.

/// The maximum nesting depth of parentheses, blocks, declarators, initialisers and structs, counted together.
///
/// C11 asks for 127 levels of blocks and 63 of parentheses. Generated code rarely exceeds a few hundred.
pub const MAX_NESTING: u32 = 1000;

/// The maximum number of chain links on one path through an expression or statement.
///
/// A link is one of several operators in a row, an `else if`, or a `case` label of one statement. Generated tables have
/// tens of thousands, and trees of this depth fit [`STACK_SIZE`].
pub const MAX_LINKS: u32 = 100_000;

/// The stack size that the stages of the front-end rely on.
///
/// It suffices for walking and dropping trees within the limits above by plain recursion. Callers run the front-end on
/// a thread with a stack of this size if the text is of unknown origin. The system commits only the pages in use.
pub const STACK_SIZE: usize = 1 << 30;

/// The number of errors after which parsing stops. A text with more is not C.
pub(crate) const MAX_ERRORS: usize = 100;

/// The maximum depth of a typed tree, so that lowering it fits [`STACK_SIZE`].
///
/// Deeper trees become an `unsupported` check. Trees within the parser's limits stay below, because the type checker adds
/// at most two levels per level.
pub(crate) const MAX_TREE_DEPTH: u32 = 300_000;

/// The maximum size of a static initial value in bytes. Larger ones are rejected rather than exhausting memory.
pub(crate) const MAX_INITIAL_VALUE: u64 = 1 << 30;

/// The maximum number of vector elements in computations, each of which becomes instructions of its own.
pub(crate) const MAX_VECTOR_ELEMENTS: u64 = 1024;

/// The maximum size of a vector type in bytes. gcc's targets have registers of at most 64 bytes.
pub(crate) const MAX_VECTOR_BYTES: u64 = 1 << 20;

/// The number of repetitions (`[0 ... 99] = x`) beyond which a loop is emitted. Engines execute a few stores faster than a
/// loop.
pub(crate) const MAX_UNROLLED_REPETITIONS: u64 = 8;

/// The number of significant decimal digits of a floating constant that are kept.
///
/// A `_Float128` halfway between two values has at most 11,563 significant digits. Further digits affect rounding only by
/// being nonzero.
pub(crate) const MAX_SIGNIFICANT_DIGITS: usize = 11_600;

/// The length of a mantissa beyond which its digits are cut: all shorter ones are parsed quickly as they are.
pub(crate) const LONG_MANTISSA: usize = 12_000;

/// The decimal exponent beyond which every floating constant within [`LONG_MANTISSA`] is zero or infinite.
///
/// The largest `_Float128` is below 1e4933, and the digits of a mantissa shift the exponent by at most its length.
pub(crate) const LARGE_EXPONENT: i64 = 20_000;

/// Macros of a text that is expanded without a compiler. They are looked up one by one.
pub(crate) const MAX_MACROS: usize = 1000;

/// Expansions of macros in a text that is expanded without a compiler, which takes a tenth of a second for them.
pub(crate) const MAX_EXPANSIONS: u32 = 1_000_000;

/// Bytes of a text with macros that is expanded without a compiler. Starting a compiler is cheap in comparison.
pub(crate) const MAX_EXPANDED_TEXT: usize = 16 << 20;
