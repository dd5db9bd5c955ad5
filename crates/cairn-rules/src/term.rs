//! Integer terms and literals.

use std::ops::{Add, Not, Sub};

/// An integer variable of a solver.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Var(pub u32);

impl Var {
    /// The variable with the value 0; constants are offsets from it.
    pub const ZERO: Var = Var(0);

    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A variable plus a constant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Term {
    /// The variable.
    pub var: Var,
    /// The constant that is added to the variable.
    pub offset: i64,
}

impl Term {
    /// Creates a constant.
    pub const fn constant(value: i64) -> Self {
        Self { var: Var::ZERO, offset: value }
    }

    /// Returns the value if the term is syntactically a constant.
    pub fn as_constant(self) -> Option<i64> {
        (self.var == Var::ZERO).then_some(self.offset)
    }
}

impl Add<i64> for Term {
    type Output = Term;
    fn add(self, offset: i64) -> Term {
        Term { var: self.var, offset: self.offset.wrapping_add(offset) }
    }
}

impl Sub<i64> for Term {
    type Output = Term;
    fn sub(self, offset: i64) -> Term {
        Term { var: self.var, offset: self.offset.wrapping_sub(offset) }
    }
}

/// An atom of a solver or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Lit(pub(crate) u32);

impl Lit {
    /// The literal that is always true.
    pub const TRUE: Lit = Lit(0);
    /// The literal that is always false.
    pub const FALSE: Lit = Lit(1);

    pub(crate) const fn new(atom: u32, negative: bool) -> Self {
        Lit(atom * 2 + negative as u32)
    }

    pub(crate) const fn atom(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub(crate) const fn is_negative(self) -> bool {
        self.0 & 1 == 1
    }

    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

impl Not for Lit {
    type Output = Lit;
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}
