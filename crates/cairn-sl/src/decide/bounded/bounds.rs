//! Bounds on the size of models, and the supported fragment.
//!
//! **Cells.** Without inductive predicates, a formula can only count the unnamed cells, up to a
//! bound (Calcagno, Yang, O'Hearn, FSTTCS'01, the size of a formula). `emp` and points-to atoms
//! distinguish 0 from 1. The bounds of the parts of a separating conjunction add up; all other
//! connectives have the greatest bound of their parts.
//!
//! **Cells of lists.** With acyclic list segments and without separating implications, a formula
//! observes three things of a heap: the paths between named locations, the locations where such
//! paths meet, and the number of other cells. Lengths and numbers are observed up to the size of
//! the formula (Demri, Lozes, Mansutti, "The effects of adding reachability predicates in
//! propositional separation logic", FoSSaCS'18). A cell has one link, so the paths from `q` names
//! meet, or run into themselves, in at most `q` more locations. From each of those `2q` locations
//! there is one path to the next. For a formula of size `a` this amounts to fewer than `2q(a + 2) +
//! a` cells. Smaller sizes are tried first, because a model of any size is a model. If the bound is
//! out of reach, only `sat` can be answered.
//!
//! **Integers.** If linear constraints have a solution, they have one of bounded size
//! (Papadimitriou, JACM 1981). Integers get that many bits; if the width is too large, the question
//! is not decided here.

use crate::budget::Reason;
use crate::decide::lists::shape::list_shape;
use crate::evaluate::determined_heaps;
use crate::formula::{Formula, Linear, Pure, Sort, Spatial, Term};
use crate::limits;
use crate::signature::Signature;

/// Checks that the encoding supports the formula.
pub(super) fn check_fragment(signature: &Signature, formula: &Formula) -> Result<(), Reason> {
    match formula {
        Formula::Spatial(Spatial::Predicate(id, _)) if list_shape(signature, *id).is_none() => {
            return Err(Reason::Uncovered(
                "inductive predicate other than a list segment in a boolean combination".to_owned(),
            ));
        }
        Formula::Exists(..) | Formula::Forall(..) => {
            return Err(Reason::Uncovered("quantifier without a bound".to_owned()));
        }
        Formula::Wand(added, _) | Formula::Septraction(added, _) => {
            determined_heaps(added)?;
        }
        _ => {}
    }
    formula.children().try_for_each(|child| check_fragment(signature, child))
}

/// Returns whether list segments occur in the formula.
pub(super) fn has_lists(formula: &Formula) -> bool {
    matches!(formula, Formula::Spatial(Spatial::Predicate(..))) || formula.children().any(has_lists)
}

fn has_implications(formula: &Formula) -> bool {
    matches!(formula, Formula::Wand(..) | Formula::Septraction(..)) || formula.children().any(has_implications)
}

/// Numbers of unnamed cells to try in order, and whether the last one is sufficient for completeness.
pub(super) struct Sizes {
    pub(super) sizes: Vec<usize>,
    pub(super) complete: bool,
}

/// Computes the number of unnamed cells that a model needs.
pub(super) fn unnamed_cells(signature: &Signature, formula: &Formula) -> Result<Sizes, Reason> {
    if !has_lists(formula) {
        let cells = count(formula, 1);
        if cells > limits::MAX_UNNAMED_CELLS {
            return Err(Reason::Uncovered("a model may need too many cells".to_owned()));
        }
        return Ok(Sizes { sizes: vec![cells], complete: true });
    }
    let mut names = std::collections::BTreeSet::new();
    formula.each_variable(&mut |v| {
        if matches!(v.sort, Sort::Location(_)) {
            names.insert(v);
        }
    });
    let size = count(formula, 2);
    let bound = (2 * names.len()).saturating_mul(size.saturating_add(2)).saturating_add(size);
    let mut sizes: Vec<usize> = limits::FIRST_LINKED_SIZES.into_iter().filter(|&s| s < bound).collect();
    let complete = bound <= limits::MAX_LINKED_CELLS && has_one_link(signature, formula) && !has_implications(formula);
    if complete {
        sizes.push(bound);
    }
    Ok(Sizes { sizes, complete })
}

/// Computes the size of a formula, which adds up only over separating conjunctions.
fn count(formula: &Formula, atom: usize) -> usize {
    match formula {
        Formula::True | Formula::False | Formula::Pure(_) => 0,
        Formula::Emp | Formula::Spatial(_) => atom,
        Formula::Sep(parts) => parts.iter().map(|p| count(p, atom)).fold(0, usize::saturating_add),
        // The cells that a separating implication adds are named.
        Formula::Wand(_, then) | Formula::Septraction(_, then) => count(then, atom),
        _ => formula.children().map(|child| count(child, atom)).max().unwrap_or(0),
    }
}

/// Returns whether all list segments use one field of one sort and do not constrain other fields.
fn has_one_link(signature: &Signature, formula: &Formula) -> bool {
    fn collect(signature: &Signature, formula: &Formula, links: &mut Vec<Option<(Sort, usize)>>) {
        if let Formula::Spatial(Spatial::Predicate(id, arguments)) = formula {
            let shape = list_shape(signature, *id).filter(|shape| shape.nil.is_empty());
            links.push(shape.map(|shape| (arguments[shape.from].sort(), shape.next)));
        }
        formula.children().for_each(|child| collect(signature, child, links));
    }
    let mut links = Vec::new();
    collect(signature, formula, &mut links);
    links.iter().all(|link| link.is_some() && *link == links[0])
}

/// Computes the width of integer variables.
///
/// If `m` constraints over `n` variables with coefficients up to `a` have a solution, they have one
/// with values below `n (m a)^(2m + 1)`. Half of the bits are reserved for sums.
pub(super) fn integer_width(signature: &Signature, formula: &Formula, named: usize) -> Result<u32, Reason> {
    #[derive(Default)]
    struct Count {
        constraints: u64,
        cells: u64,
        largest: u64,
        terms: u64,
    }
    fn linear(linear: &Linear, count: &mut Count) {
        let largest = linear.monomials.iter().map(|(_, c)| c.unsigned_abs()).max().unwrap_or(0);
        count.largest = count.largest.max(largest).max(linear.constant.unsigned_abs());
        count.terms = count.terms.max(linear.monomials.len() as u64 + 1);
    }
    fn walk(formula: &Formula, count: &mut Count) {
        match formula {
            Formula::Pure(Pure::Zero(l) | Pure::NonZero(l) | Pure::AtMostZero(l)) => {
                count.constraints += 1;
                linear(l, count);
            }
            Formula::Spatial(spatial) => {
                for term in spatial.terms() {
                    if let Term::Integer(l) = term {
                        count.cells += 1;
                        linear(l, count);
                    }
                }
            }
            _ => formula.children().for_each(|child| walk(child, count)),
        }
    }
    let mut count = Count::default();
    walk(formula, &mut count);
    if count.constraints == 0 && count.cells == 0 {
        return Ok(8);
    }
    let mut variables = std::collections::BTreeSet::new();
    formula.each_variable(&mut |v| {
        if v.sort == Sort::Int {
            variables.insert(v);
        }
    });
    let fields: usize = signature
        .location_sorts()
        .map(|(s, _)| signature.fields(s).iter().filter(|f| f.sort == Sort::Int).count())
        .sum();
    // Each comparison is at most one constraint with a slack variable. A field of a cell is compared
    // with the field at each location where the cell may be, or with a value that a separating
    // implication added.
    let m = (count.constraints + count.cells * (named as u64 + count.cells)) as f64;
    let n = 2.0 * (variables.len() + fields * named) as f64 + m;
    let a = 2.0 * count.largest as f64 + 1.0;
    let bits = n.max(1.0).log2() + (2.0 * m + 1.0) * (m * a).log2() + 2.0;
    let sums = (count.terms as f64).log2() + a.log2() + 2.0;
    // Values take half of the width plus one bit; sums must fit into the other half.
    let width = 2.0 * bits.max(sums).ceil() + 4.0;
    if width > f64::from(cairn_smt::term::MAX_WIDTH) {
        return Err(Reason::Uncovered("integers of a model may be too large".to_owned()));
    }
    Ok(width as u32)
}
