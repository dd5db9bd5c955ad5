//! Linear expressions over numbered unknowns, with checked arithmetic.

/// The expression `constant + Σ coefficient · unknown`.
///
/// The unknowns are distinct and in ascending order. No coefficient is 0.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Row {
    /// The monomials as pairs of unknown and coefficient.
    pub terms: Vec<(u32, i128)>,
    /// The constant part.
    pub constant: i128,
}

/// A relation between an expression and 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Relation {
    /// The expression is 0.
    Zero,
    /// The expression is not 0.
    NonZero,
    /// The expression is at least 0.
    AtLeastZero,
}

/// A linear constraint.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Constraint {
    /// The expression.
    pub row: Row,
    /// The relation of the expression to 0.
    pub relation: Relation,
}

impl Constraint {
    /// Creates the constraint that the expression is 0.
    pub fn zero(row: Row) -> Self {
        Self { row, relation: Relation::Zero }
    }

    /// Creates the constraint that the expression is not 0.
    pub fn non_zero(row: Row) -> Self {
        Self { row, relation: Relation::NonZero }
    }

    /// Creates the constraint that the expression is at least 0.
    pub fn at_least_zero(row: Row) -> Self {
        Self { row, relation: Relation::AtLeastZero }
    }

    /// Returns the negation, or `None` on overflow.
    pub fn negated(&self) -> Option<Constraint> {
        Some(match self.relation {
            Relation::Zero => Self::non_zero(self.row.clone()),
            Relation::NonZero => Self::zero(self.row.clone()),
            Relation::AtLeastZero => Self::at_least_zero(Row::number(-1).plus(&self.row, -1)?),
        })
    }

    /// Returns whether the constraint holds for these values, or `None` on overflow.
    pub fn holds(&self, value: &impl Fn(u32) -> i128) -> Option<bool> {
        let number = self.row.evaluate(value)?;
        Some(match self.relation {
            Relation::Zero => number == 0,
            Relation::NonZero => number != 0,
            Relation::AtLeastZero => number >= 0,
        })
    }

    /// Renames unknowns, possibly merging several into one; returns `None` on overflow.
    pub fn renamed(&self, rename: &mut impl FnMut(u32) -> u32) -> Option<Constraint> {
        Some(Constraint { row: self.row.renamed(rename)?, relation: self.relation })
    }
}

impl Row {
    /// Creates a constant.
    pub fn number(constant: i128) -> Self {
        Self { terms: Vec::new(), constant }
    }

    /// Creates the expression of a single unknown.
    pub fn unknown(unknown: u32) -> Self {
        Self { terms: vec![(unknown, 1)], constant: 0 }
    }

    /// Creates the difference of two unknowns.
    pub fn difference(a: u32, b: u32) -> Self {
        match a.cmp(&b) {
            std::cmp::Ordering::Equal => Self::default(),
            std::cmp::Ordering::Less => Self { terms: vec![(a, 1), (b, -1)], constant: 0 },
            std::cmp::Ordering::Greater => Self { terms: vec![(b, -1), (a, 1)], constant: 0 },
        }
    }

    /// Returns `self + factor · other`, or `None` on overflow.
    pub fn plus(&self, other: &Row, factor: i128) -> Option<Row> {
        let constant = self.constant.checked_add(other.constant.checked_mul(factor)?)?;
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut i, mut j) = (0, 0);
        loop {
            let (unknown, coefficient) = match (self.terms.get(i), other.terms.get(j)) {
                (None, None) => return Some(Row { terms, constant }),
                (Some(&(u, a)), Some(&(v, b))) if u == v => {
                    (i, j) = (i + 1, j + 1);
                    (u, a.checked_add(b.checked_mul(factor)?)?)
                }
                (Some(&(u, a)), other_term) if other_term.is_none_or(|&(v, _)| u < v) => {
                    i += 1;
                    (u, a)
                }
                (_, Some(&(v, b))) => {
                    j += 1;
                    (v, b.checked_mul(factor)?)
                }
                (Some(_), None) => unreachable!("the third arm takes what has no counterpart"),
            };
            if coefficient != 0 {
                terms.push((unknown, coefficient));
            }
        }
    }

    /// Returns `factor · self`, or `None` on overflow.
    pub fn times(&self, factor: i128) -> Option<Row> {
        Row::default().plus(self, factor)
    }

    /// Returns the coefficient of an unknown, which is 0 if it does not occur.
    pub fn coefficient(&self, unknown: u32) -> i128 {
        self.terms.binary_search_by_key(&unknown, |t| t.0).map_or(0, |i| self.terms[i].1)
    }

    /// Replaces an unknown by an expression; returns `None` on overflow.
    pub fn substitute(&self, unknown: u32, by: &Row) -> Option<Row> {
        let Ok(place) = self.terms.binary_search_by_key(&unknown, |t| t.0) else { return Some(self.clone()) };
        let mut rest = self.clone();
        let (_, coefficient) = rest.terms.remove(place);
        rest.plus(by, coefficient)
    }

    /// Evaluates the expression; returns `None` on overflow.
    pub fn evaluate(&self, value: &impl Fn(u32) -> i128) -> Option<i128> {
        self.terms.iter().try_fold(self.constant, |sum, &(u, c)| sum.checked_add(c.checked_mul(value(u))?))
    }

    /// Renames unknowns, possibly merging several into one; returns `None` on overflow.
    pub fn renamed(&self, rename: &mut impl FnMut(u32) -> u32) -> Option<Row> {
        let mut terms: Vec<(u32, i128)> = self.terms.iter().map(|&(u, c)| (rename(u), c)).collect();
        terms.sort_unstable_by_key(|t| t.0);
        let mut merged: Vec<(u32, i128)> = Vec::with_capacity(terms.len());
        for (unknown, coefficient) in terms {
            match merged.last_mut() {
                Some(last) if last.0 == unknown => last.1 = last.1.checked_add(coefficient)?,
                _ => merged.push((unknown, coefficient)),
            }
        }
        merged.retain(|t| t.1 != 0);
        Some(Row { terms: merged, constant: self.constant })
    }

    /// Returns the greatest common divisor of the coefficients, which is 0 for a constant.
    pub(super) fn divisor(&self) -> i128 {
        self.terms.iter().fold(0, |divisor, &(_, c)| greatest_common_divisor(divisor, c))
    }
}

fn greatest_common_divisor(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    // Only the absolute value of the minimum does not fit, and dividing by 1 is always correct.
    i128::try_from(a).unwrap_or(1)
}
