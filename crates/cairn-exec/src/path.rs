//! The path condition of a state, and the facts that follow from it without a solver.

use cairn_smt::evaluate::Assignment;
use cairn_smt::facts::Facts;
use cairn_smt::persistent::{List, Map};
use cairn_smt::term::{Node, Op, signed};
use cairn_smt::{Substitution, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::limits::FACT_DEPTH;

/// The conditions assumed on the path to a state. Clones share their data until one of them assumes more.
#[derive(Clone, Debug, Default)]
pub struct Path {
    conditions: List<Term>,
    /// The conditions that mention each variable.
    mentions: Map<List<Mention>>,
    /// The tightest bounds of terms, by the number of the term and the side.
    bounds: Map<Term>,
    /// Bounds and bits that the conditions imply for terms that occur in them.
    refined: Map<Facts>,
    /// A model of all conditions.
    model: Assignment,
}

/// A condition that mentions a variable.
#[derive(Clone, Copy, Debug)]
enum Mention {
    /// The condition itself.
    Condition(Term),
    /// The tightest bound under this key.
    ///
    /// A loop that counts up to an input yields a bound in each iteration, of which only the last is informative.
    Bound(u64),
}

impl Path {
    /// Creates a path with conditions that the model satisfies.
    pub fn with(terms: &Terms, conditions: impl IntoIterator<Item = Term>, model: Assignment) -> Self {
        let mut path = Self { model, ..Self::default() };
        for condition in conditions {
            path.assume(terms, condition, None);
        }
        // A disequality narrows a range only at its ends, so it is refined again when all ranges are known.
        for &condition in path.conditions.iter() {
            if let Node::Not(inner) = *terms.node(condition)
                && let Node::Binary(Op::Eq, ..) = terms.node(inner)
            {
                refine(terms, &mut path.refined, inner, false);
            }
        }
        path
    }

    /// Returns all conditions, the last one first.
    pub fn conditions(&self) -> Vec<Term> {
        self.conditions.iter().copied().collect()
    }

    /// Returns a model of all conditions.
    pub fn model(&self) -> &Assignment {
        &self.model
    }

    /// Assumes a condition.
    ///
    /// `model` satisfies the condition and all earlier ones; if it is `None`, the current model does.
    pub fn assume(&mut self, terms: &Terms, condition: Term, model: Option<Assignment>) {
        if terms.is_true(condition) {
            return;
        }
        if let Some(model) = model {
            self.model = model;
        }
        debug_assert_eq!(terms.evaluate(condition, &self.model), 1, "the model satisfies the path");
        self.note(terms, condition);
    }

    fn note(&mut self, terms: &Terms, condition: Term) {
        self.conditions.push(condition);
        self.mention(terms, condition);
        refine(terms, &mut self.refined, condition, true);
    }

    /// Records which variables a condition mentions.
    fn mention(&mut self, terms: &Terms, condition: Term) {
        if let Node::Binary(Op::And, a, b) = *terms.node(condition) {
            self.mention(terms, a);
            self.mention(terms, b);
            return;
        }
        let mut mention = Mention::Condition(condition);
        if let Some(Bound { term, side, limit }) = bound_of(terms, condition) {
            let key = u64::from(u32::try_from(term.index()).unwrap_or(u32::MAX)) << 2 | side as u64;
            match self.bounds.get(key) {
                Some(&known) if bound_of(terms, known).is_some_and(|old| side.is_closer(old.limit, limit)) => return,
                Some(_) => {
                    self.bounds.insert(key, condition);
                    return;
                }
                None => {
                    self.bounds.insert(key, condition);
                    mention = Mention::Bound(key);
                }
            }
        }
        for variable in &*terms.variables_of(condition) {
            let key = variable.index() as u64;
            let mut list = self.mentions.get(key).cloned().unwrap_or_default();
            list.push(mention);
            self.mentions.insert(key, list);
        }
    }

    /// Returns the conditions connected with some terms through shared variables, and all of these variables.
    ///
    /// The path's model satisfies the remaining conditions whatever values these variables have.
    pub fn relevant(&self, terms: &Terms, about: &[Term]) -> (Vec<Term>, Vec<Term>) {
        let mut conditions = Vec::new();
        let mut seen: FxHashSet<Term> = FxHashSet::default();
        let mut variables = Vec::new();
        let mut known: FxHashSet<Term> = FxHashSet::default();
        let mut add = |term: Term, variables: &mut Vec<Term>| {
            if let Node::Var(_) = terms.node(term) {
                if known.insert(term) {
                    variables.push(term);
                }
                return;
            }
            variables.extend(terms.variables_of(term).iter().copied().filter(|&v| known.insert(v)));
        };
        about.iter().for_each(|&term| add(term, &mut variables));
        let mut next = 0;
        while let Some(&variable) = variables.get(next) {
            next += 1;
            let Some(mentions) = self.mentions.get(variable.index() as u64) else { continue };
            for mention in mentions.iter() {
                let condition = match *mention {
                    Mention::Condition(condition) => condition,
                    Mention::Bound(key) => match self.bounds.get(key) {
                        Some(&condition) => condition,
                        None => continue,
                    },
                };
                if seen.insert(condition) {
                    conditions.push(condition);
                    add(condition, &mut variables);
                }
            }
        }
        (conditions, variables)
    }

    /// Returns the path with terms replaced, and whether its model satisfies it; `None` if no model can.
    pub fn substitute(&self, terms: &mut Terms, map: &mut Substitution) -> Option<(Self, bool)> {
        let before = self.conditions();
        let after: Vec<Term> = before.iter().map(|&condition| map.apply(terms, condition)).collect();
        // Most substitutions replace addresses, while most conditions are about numbers.
        if before == after {
            return Some((self.clone(), true));
        }
        let mut path = Self { model: self.model.clone(), ..Self::default() };
        let mut satisfied = true;
        let mut known = FxHashMap::default();
        for condition in after.into_iter().rev() {
            if terms.is_false(condition) {
                return None;
            }
            if terms.is_true(condition) {
                continue;
            }
            satisfied &= terms.evaluate_with(condition, &path.model, &mut known) == 1;
            path.note(terms, condition);
        }
        Some((path, satisfied))
    }

    /// Sets the value of a variable in the model. No condition mentions the variable yet.
    pub fn give(&mut self, variable: Term, value: u128) {
        self.model.insert(variable, value);
    }

    /// Replaces the model by another one, which satisfies all conditions.
    pub(crate) fn set_model(&mut self, terms: &Terms, model: Assignment) {
        debug_assert!(
            self.conditions().iter().all(|&c| terms.evaluate(c, &model) == 1),
            "the model satisfies the path"
        );
        self.model = model;
    }

    /// Returns the facts about a term on this path.
    pub fn facts(&self, terms: &Terms, term: Term) -> Facts {
        let known = terms.facts(term);
        match self.refined.get(term.index() as u64) {
            _ if known.value().is_some() => known,
            // The refined facts of a term do not include those of its operands.
            Some(&refined) => self.derive(terms, term, FACT_DEPTH).meet(refined, terms.width(term)),
            None => self.derive(terms, term, FACT_DEPTH),
        }
    }

    /// Derives facts from the refined facts of the operands, a few levels deep.
    fn derive(&self, terms: &Terms, term: Term, depth: u32) -> Facts {
        let known = terms.facts(term);
        if depth == 0 || self.refined.is_empty() || matches!(terms.node(term), Node::Const(_) | Node::Var(_)) {
            return known;
        }
        let facts = Facts::from_operands(terms, terms.width(term), terms.node(term), &|operand| {
            let derived = self.derive(terms, operand, depth - 1);
            match self.refined.get(operand.index() as u64) {
                Some(&refined) => derived.meet(refined, terms.width(operand)),
                None => derived,
            }
        });
        known.meet(facts, terms.width(term))
    }

    /// Returns the value of a term on this path, if it is known without a solver.
    pub fn value(&self, terms: &Terms, term: Term) -> Option<u128> {
        terms.as_const(term).or_else(|| self.facts(terms, term).value())
    }
}

/// A bound of a term by a constant.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    /// The bounded term.
    pub term: Term,
    /// The side of the bound.
    pub side: Side,
    /// The last value that the bound admits.
    pub limit: i128,
}

/// The side of a bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// An upper bound of the unsigned value.
    Above,
    /// A lower bound of the unsigned value.
    Below,
    /// An upper bound of the signed value.
    SignedAbove,
    /// A lower bound of the signed value.
    SignedBelow,
}

impl Side {
    /// Returns whether the first limit is at least as tight as the second.
    pub(crate) fn is_closer(self, first: i128, second: i128) -> bool {
        match self {
            Side::Above | Side::SignedAbove => first <= second,
            Side::Below | Side::SignedBelow => first >= second,
        }
    }
}

/// Returns the bound that a condition expresses. Terms of 128 bits have none, because the limit would not fit.
pub fn bound_of(terms: &Terms, condition: Term) -> Option<Bound> {
    let (inner, truth) = match *terms.node(condition) {
        Node::Not(inner) => (inner, false),
        _ => (condition, true),
    };
    // The sign bit of a number is a bound.
    if let Node::Extract(term, low) = *terms.node(inner)
        && low + 1 == terms.width(term)
        && low < 127
    {
        let (side, limit) = if truth { (Side::SignedAbove, -1) } else { (Side::SignedBelow, 0) };
        return Some(Bound { term, side, limit });
    }
    let Node::Binary(op @ (Op::ULt | Op::SLt), a, b) = *terms.node(inner) else { return None };
    let width = terms.width(a);
    if width == 128 {
        return None;
    }
    let is_signed = op == Op::SLt;
    let number = |bits: u128| if is_signed { signed(bits, width) } else { bits as i128 };
    // `a < c`, `a ≥ c`, `c < b`, `c ≥ b`.
    let (term, above, limit) = match (terms.as_const(a), terms.as_const(b)) {
        (None, Some(c)) if truth => (a, true, number(c) - 1),
        (None, Some(c)) => (a, false, number(c)),
        (Some(c), None) if truth => (b, false, number(c) + 1),
        (Some(c), None) => (b, true, number(c)),
        _ => return None,
    };
    let side = match (is_signed, above) {
        (false, true) => Side::Above,
        (false, false) => Side::Below,
        (true, true) => Side::SignedAbove,
        (true, false) => Side::SignedBelow,
    };
    Some(Bound { term, side, limit })
}

/// Records the facts that follow if a condition has the given truth value.
fn refine(terms: &Terms, refined: &mut Map<Facts>, condition: Term, truth: bool) {
    let narrow = |refined: &mut Map<Facts>, term: Term, facts: Facts| {
        let width = terms.width(term);
        let old = refined.get(term.index() as u64).copied().unwrap_or_else(|| terms.facts(term));
        refined.insert(term.index() as u64, old.meet(facts, width));
    };
    narrow(refined, condition, Facts::exactly(u128::from(truth)));
    // Earlier conditions contribute their facts.
    let known = |refined: &Map<Facts>, term: Term| {
        refined.get(term.index() as u64).copied().unwrap_or_else(|| terms.facts(term))
    };
    match *terms.node(condition) {
        Node::Not(inner) => refine(terms, refined, inner, !truth),
        // The sign bit of a number.
        Node::Extract(number, low) if low + 1 == terms.width(number) => {
            let (least, greatest) = if truth { (i128::MIN, -1) } else { (0, i128::MAX) };
            narrow(refined, number, Facts::signed_between(terms.width(number), least, greatest));
        }
        Node::Binary(Op::And, a, b) if truth => {
            refine(terms, refined, a, true);
            refine(terms, refined, b, true);
        }
        Node::Binary(Op::Eq, a, b) if truth => {
            let common = known(refined, a).meet(known(refined, b), terms.width(a));
            narrow(refined, a, common);
            narrow(refined, b, common);
        }
        Node::Binary(Op::Eq, a, b) => {
            for (x, y) in [(a, b), (b, a)] {
                if let Some(value) = terms.as_const(y) {
                    let old = known(refined, x);
                    refined.insert(x.index() as u64, old.without(value, terms.width(x)));
                }
            }
        }
        Node::Binary(Op::ULt, a, b) => {
            let width = terms.width(a);
            let (low, high, strict) = if truth { (a, b, 1) } else { (b, a, 0) };
            let (fl, fh) = (known(refined, low), known(refined, high));
            narrow(refined, low, Facts::between(width, 0, fh.max.saturating_sub(strict)));
            narrow(refined, high, Facts::between(width, fl.min.saturating_add(strict), u128::MAX));
        }
        Node::Binary(Op::SLt, a, b) => {
            let width = terms.width(a);
            let (low, high, strict) = if truth { (a, b, 1) } else { (b, a, 0) };
            let (fl, fh) = (known(refined, low), known(refined, high));
            narrow(refined, low, Facts::signed_between(width, i128::MIN, fh.signed_max.saturating_sub(strict)));
            narrow(refined, high, Facts::signed_between(width, fl.signed_min.saturating_add(strict), i128::MAX));
        }
        _ => {}
    }
}
