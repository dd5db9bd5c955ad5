//! Hash-consed terms: two terms that are equal in normal form are the same number.
//!
//! Invariant: a [`Term`] is only made by [`Terms`], whose constructors ([`crate::build`]) normalise. Sums are linear
//! polynomials modulo 2^width with sorted monomials; constant shifts to the left and multiplications by constants are
//! coefficients; subtraction and negation do not exist; constant shifts to the right, zero extension and truncation are
//! concatenations and extractions; `or` is a negated `and`; `a <= b` is `not (b < a)`.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::facts::Facts;

/// The widest bit-vector.
pub const MAX_WIDTH: u32 = 128;

/// A term of some [`Terms`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Term(pub(crate) u32);

impl Term {
    /// A number that is unique among the terms of one table.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// `constant + Σ coefficient · term`, all modulo 2^width. The terms are distinct, ascending and no sums; no coefficient is 0;
/// there is a monomial, and a single one with coefficient 1 has a constant other than 0.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Sum {
    /// The constant part.
    pub constant: u128,
    /// The monomials.
    pub monomials: Box<[(Term, u128)]>,
}

/// Operators with two operands that have no better normal form.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// Product of two terms that are no constants; operands ascending.
    Mul,
    /// Unsigned quotient; all ones for a divisor of 0, as in SMT-LIB.
    UDiv,
    /// Unsigned remainder; the dividend for a divisor of 0.
    URem,
    /// Signed quotient, truncated; as SMT-LIB's `bvsdiv` for 0.
    SDiv,
    /// Signed remainder with the sign of the dividend.
    SRem,
    /// Bitwise and; operands ascending.
    And,
    /// Bitwise exclusive or; operands ascending.
    Xor,
    /// Shift to the left by a term; 0 from the width on.
    Shl,
    /// Shift to the right by a term, filling with zeros.
    LShr,
    /// Shift to the right by a term, filling with the sign.
    AShr,
    /// The first operand's bits above the second one's.
    Concat,
    /// Equality; width 1; operands ascending.
    Eq,
    /// Unsigned less; width 1.
    ULt,
    /// Signed less; width 1.
    SLt,
}

/// The shape of a term.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// A constant; bits above the width are 0.
    Const(u128),
    /// A variable with its number.
    Var(u32),
    /// A linear polynomial.
    Sum(Sum),
    /// An operator with two operands.
    Binary(Op, Term, Term),
    /// Bitwise complement.
    Not(Term),
    /// Sign extension to this term's width.
    SExt(Term),
    /// The bits from `low` up to this term's width.
    Extract(Term, u32),
    /// `if c then a else b`.
    Ite(Term, Term, Term),
}

/// A table of terms.
#[derive(Debug, Default)]
pub struct Terms {
    nodes: Vec<(u32, Node)>,
    facts: Vec<Facts>,
    index: FxHashMap<(u32, Node), Term>,
    variables: Vec<(Term, Box<str>)>,
    /// The variables of terms that were asked about.
    pub(crate) variables_in: RefCell<FxHashMap<Term, Rc<[Term]>>>,
}

impl Terms {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// The shape of a term.
    pub fn node(&self, term: Term) -> &Node {
        &self.nodes[term.index()].1
    }

    /// The width of a term in bits.
    pub fn width(&self, term: Term) -> u32 {
        self.nodes[term.index()].0
    }

    /// What is known of the bits and bounds of a term.
    pub fn facts(&self, term: Term) -> Facts {
        self.facts[term.index()]
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// A new variable; names need not be unique, they are for people.
    pub fn variable(&mut self, name: &str, width: u32) -> Term {
        assert!((1..=MAX_WIDTH).contains(&width), "widths are 1 to 128");
        let number = self.variables.len() as u32;
        let term = self.intern(width, Node::Var(number));
        self.variables.push((term, name.into()));
        term
    }

    /// Every variable with its name, in the order of their making.
    pub fn variables(&self) -> impl Iterator<Item = (Term, &str)> {
        self.variables.iter().map(|(term, name)| (*term, &**name))
    }

    /// The name of the variable with this number.
    pub fn variable_name(&self, number: u32) -> &str {
        &self.variables[number as usize].1
    }

    /// The value of a constant.
    pub fn as_const(&self, term: Term) -> Option<u128> {
        match self.node(term) {
            Node::Const(bits) => Some(*bits),
            _ => None,
        }
    }

    /// The number of a node that is in normal form.
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

/// The bits of a width: `mask(8)` is `0xff`.
pub const fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

/// A width's value as a signed number.
pub const fn signed(bits: u128, width: u32) -> i128 {
    ((bits << (128 - width)) as i128) >> (128 - width)
}
