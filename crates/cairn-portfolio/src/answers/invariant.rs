//! Loop invariants, as witnesses and reports show them.

use cairn_ir::{FuncId, Loc, Ty};

/// A property that holds whenever control is at the head of a loop, before the loop's condition is evaluated.
#[derive(Clone, Debug)]
pub struct LoopInvariant {
    /// The function that contains the loop.
    pub function: FuncId,
    /// The locations from which control enters the loop's head, among them the loop statement if the loop has one.
    pub entries: Vec<Loc>,
    /// The part of the invariant that C expressions can state.
    pub facts: Vec<Fact>,
    /// The symbolic states at the head as formulas. At least one of them holds.
    pub formulas: Vec<String>,
}

/// A C expression that evaluates to a value other than zero.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fact {
    /// The expression.
    pub text: String,
    /// The variables that occur in the expression.
    pub variables: Vec<String>,
}

/// Returns C's signed integer type with the width of a type of the IR.
pub fn signed_type(ty: Ty) -> Option<&'static str> {
    match ty {
        Ty::I8 => Some("signed char"),
        Ty::I16 => Some("short"),
        Ty::I32 => Some("int"),
        Ty::I64 => Some("long long"),
        _ => None,
    }
}

/// Returns a C expression for a number.
pub fn constant(value: i128) -> String {
    if i32::try_from(value).is_ok() { value.to_string() } else { format!("{value}LL") }
}

/// Whether a C expression can use this name. Static variables of functions have names that C cannot spell.
pub fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}
