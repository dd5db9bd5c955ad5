//! The keywords of C and GNU C in all their spellings.
//!
//! The interner contains them from the start. Symbols below [`RESERVED_COUNT`] are always keywords. The next
//! [`CONTEXTUAL_COUNT`] symbols are keywords only as long as the text does not declare them. C23 or a compiler release
//! turned these words into keywords, and older code uses them as names (`typedef int bool;`, `enum { false, true };`,
//! `typedef float _Float32;`).

use super::TokenKind::{self, *};
use crate::symbol::Symbol;

/// Words that are always keywords.
const RESERVED: &[(&str, TokenKind)] = &[
    ("auto", Auto),
    ("break", Break),
    ("case", Case),
    ("char", Char),
    ("const", Const),
    ("__const", Const),
    ("__const__", Const),
    ("continue", Continue),
    ("default", Default),
    ("do", Do),
    ("double", Double),
    ("else", Else),
    ("enum", Enum),
    ("extern", Extern),
    ("float", Float),
    ("for", For),
    ("goto", Goto),
    ("if", If),
    ("inline", Inline),
    ("__inline", Inline),
    ("__inline__", Inline),
    ("int", Int),
    ("long", Long),
    ("register", Register),
    ("restrict", Restrict),
    ("__restrict", Restrict),
    ("__restrict__", Restrict),
    ("return", Return),
    ("short", Short),
    ("signed", Signed),
    ("__signed", Signed),
    ("__signed__", Signed),
    ("sizeof", Sizeof),
    ("static", Static),
    ("struct", Struct),
    ("switch", Switch),
    ("typedef", Typedef),
    ("union", Union),
    ("unsigned", Unsigned),
    ("void", Void),
    ("volatile", Volatile),
    ("__volatile", Volatile),
    ("__volatile__", Volatile),
    ("while", While),
    ("_Alignas", Alignas),
    ("_Alignof", Alignof),
    ("__alignof", Alignof),
    ("__alignof__", Alignof),
    ("_Atomic", Atomic),
    ("_Bool", Bool),
    ("_Complex", Complex),
    ("__complex", Complex),
    ("__complex__", Complex),
    ("_Generic", Generic),
    ("_Imaginary", Imaginary),
    ("_Noreturn", Noreturn),
    ("_Static_assert", StaticAssert),
    ("_Thread_local", ThreadLocal),
    ("__thread", ThreadLocal),
    ("_BitInt", BitInt),
    ("_Decimal32", Decimal),
    ("_Decimal64", Decimal),
    ("_Decimal128", Decimal),
    ("asm", Asm),
    ("__asm", Asm),
    ("__asm__", Asm),
    ("typeof", Typeof),
    ("__typeof", Typeof),
    ("__typeof__", Typeof),
    ("__attribute", Attribute),
    ("__attribute__", Attribute),
    ("__extension__", Extension),
    ("__label__", Label),
    ("__real", Real),
    ("__real__", Real),
    ("__imag", Imag),
    ("__imag__", Imag),
    ("__int128", Int128),
    ("__auto_type", AutoType),
    ("__builtin_va_arg", VaArg),
    ("__builtin_offsetof", Offsetof),
    ("__builtin_convertvector", ConvertVector),
    ("__builtin_types_compatible_p", TypesCompatible),
    ("__builtin_choose_expr", ChooseExpr),
    ("_Pragma", Pragma),
    ("__pragma", Pragma),
];

/// Words that are keywords unless the text declares them.
const CONTEXTUAL: &[(&str, TokenKind)] = &[
    ("bool", Bool),
    ("true", True),
    ("false", False),
    ("nullptr", Nullptr),
    ("constexpr", Constexpr),
    ("thread_local", ThreadLocal),
    ("static_assert", StaticAssert),
    ("alignas", Alignas),
    ("alignof", Alignof),
    ("typeof_unqual", TypeofUnqual),
    ("__typeof_unqual", TypeofUnqual),
    ("__typeof_unqual__", TypeofUnqual),
    ("__builtin_va_list", VaList),
    ("__int128_t", SignedInt128),
    ("__uint128_t", UnsignedInt128),
    ("_Float16", Float16),
    ("_Float32", Float32),
    ("_Float64", Float64),
    ("_Float128", Float128),
    ("_Float32x", Float64),
    ("_Float64x", Float64x),
    ("__float80", Float64x),
    ("__float128", Float128),
];

/// The number of symbols that are always keywords.
pub const RESERVED_COUNT: u32 = RESERVED.len() as u32;
/// The number of subsequent symbols that are keywords unless declared.
pub const CONTEXTUAL_COUNT: u32 = CONTEXTUAL.len() as u32;

/// Returns the spellings of all keywords, in the order of their symbols.
pub fn spellings() -> impl Iterator<Item = &'static str> {
    RESERVED.iter().chain(CONTEXTUAL).map(|&(name, _)| name)
}

/// Returns the keyword that a word stands for, or [`TokenKind::Ident`].
#[inline]
pub fn kind(symbol: Symbol) -> TokenKind {
    RESERVED.get(symbol.0 as usize).map_or(Ident, |&(_, kind)| kind)
}

/// Returns the keyword that an identifier stands for as long as it is not declared.
#[inline]
pub fn contextual(symbol: Symbol) -> Option<TokenKind> {
    let index = symbol.0.checked_sub(RESERVED_COUNT)?;
    CONTEXTUAL.get(index as usize).map(|&(_, kind)| kind)
}
