//! Hash-consed terms: terms with equal normal forms have the same [`Term`] handle.
//!
//! Invariant: only [`Terms`] creates a [`Term`], and its constructors (in [`crate::build`]) normalise:
//!
//! - Sums are linear polynomials modulo 2^width with sorted monomials.
//! - Left shifts and multiplications by constants are coefficients of such sums.
//! - Subtraction and negation have no node of their own.
//! - Right shifts by constants, zero extension and truncation are concatenations and extractions.
//! - `or` is a negated `and`, and `a <= b` is `not (b < a)`.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::facts::Facts;

/// The greatest supported width of a bit-vector.
pub const MAX_WIDTH: u32 = 128;

/// A handle to a term in a [`Terms`] table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Term(pub(crate) u32);

impl Term {
    /// Returns the index of this term, unique within its table.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The linear polynomial `constant + Σ coefficient · term`, modulo 2^width.
///
/// The terms are distinct, in ascending order, and not sums themselves. No coefficient is 0. There
/// is at least one monomial, and a single monomial with coefficient 1 comes with a nonzero
/// constant.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Sum {
    /// The constant part.
    pub constant: u128,
    /// The monomials as pairs of term and coefficient.
    pub monomials: Box<[(Term, u128)]>,
}

/// A binary operator without a more specific normal form.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// Product of two non-constant terms; operands ascending.
    Mul,
    /// Unsigned quotient; division by 0 yields all ones, as in SMT-LIB.
    UDiv,
    /// Unsigned remainder; division by 0 yields the dividend.
    URem,
    /// Signed quotient, truncated towards 0; division by 0 behaves like SMT-LIB's `bvsdiv`.
    SDiv,
    /// Signed remainder with the sign of the dividend.
    SRem,
    /// Bitwise and; operands ascending.
    And,
    /// Bitwise exclusive or; operands ascending.
    Xor,
    /// Left shift; the result is 0 if the amount is at least the width.
    Shl,
    /// Logical right shift.
    LShr,
    /// Arithmetic right shift.
    AShr,
    /// Concatenation; the first operand provides the high bits.
    Concat,
    /// Equality, of width 1; operands ascending.
    Eq,
    /// Unsigned less-than, of width 1.
    ULt,
    /// Signed less-than, of width 1.
    SLt,
}

/// The top-level operator of a term, with its operands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// A constant; bits above the width are 0.
    Const(u128),
    /// A variable, identified by its number.
    Var(u32),
    /// A linear polynomial.
    Sum(Sum),
    /// A binary operation.
    Binary(Op, Term, Term),
    /// Bitwise complement.
    Not(Term),
    /// Sign extension to the width of this term.
    SExt(Term),
    /// Extraction of this term's width in bits, starting at the given bit.
    Extract(Term, u32),
    /// `if c then a else b`.
    Ite(Term, Term, Term),
}

/// A table of hash-consed terms.
#[derive(Debug, Default)]
pub struct Terms {
    nodes: Vec<(u32, Node)>,
    facts: Vec<Facts>,
    index: FxHashMap<(u32, Node), Term>,
    variables: Vec<(Term, Box<str>)>,
    /// Cache of [`Terms::variables_of`].
    pub(crate) variables_in: RefCell<FxHashMap<Term, Rc<[Term]>>>,
}

impl Terms {
    /// Creates an empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the node of a term.
    pub fn node(&self, term: Term) -> &Node {
        &self.nodes[term.index()].1
    }

    /// Returns the width of a term in bits.
    pub fn width(&self, term: Term) -> u32 {
        self.nodes[term.index()].0
    }

    /// Returns the known bits and bounds of a term.
    pub fn facts(&self, term: Term) -> Facts {
        self.facts[term.index()]
    }

    /// Returns the number of terms in the table.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns whether the table is empty.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Creates a fresh variable; the name is for display only and need not be unique.
    pub fn variable(&mut self, name: &str, width: u32) -> Term {
        assert!((1..=MAX_WIDTH).contains(&width), "widths are 1 to 128");
        let number = self.variables.len() as u32;
        let term = self.intern(width, Node::Var(number));
        self.variables.push((term, name.into()));
        term
    }

    /// Returns all variables with their names, in order of creation.
    pub fn variables(&self) -> impl Iterator<Item = (Term, &str)> {
        self.variables.iter().map(|(term, name)| (*term, &**name))
    }

    /// Returns the name of the variable with this number.
    pub fn variable_name(&self, number: u32) -> &str {
        &self.variables[number as usize].1
    }

    /// Returns the value of a constant, or `None` for any other term.
    pub fn as_const(&self, term: Term) -> Option<u128> {
        match self.node(term) {
            Node::Const(bits) => Some(*bits),
            _ => None,
        }
    }

    /// Returns the handle of `node`, which must be in normal form.
    pub(crate) fn intern(&mut self, width: u32, node: Node) -> Term {
        let key = (width, node);
        if let Some(&term) = self.index.get(&key) {
            return term;
        }
        let term = Term(u32::try_from(self.nodes.len()).expect("fewer than 2^32 terms fit in memory"));
        let facts = Facts::of(self, width, &key.1);
        self.nodes.push(key.clone());
        self.facts.push(facts);
        self.index.insert(key, term);
        term
    }
}

/// Returns a mask of the lowest `width` bits: `mask(8)` is `0xff`.
pub const fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

/// Interprets the lowest `width` bits as a two's complement number.
pub const fn signed(bits: u128, width: u32) -> i128 {
    ((bits << (128 - width)) as i128) >> (128 - width)
}
