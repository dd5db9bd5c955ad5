//! The path condition of a state, and what it tells without a solver.

use std::rc::Rc;

use cairn_smt::evaluate::Assignment;
use cairn_smt::facts::Facts;
use cairn_smt::term::{Node, Op};
use cairn_smt::{Substitution, Term, Terms};
use rustc_hash::FxHashMap;

/// What is assumed on the way to a state. Clones share everything until one of them assumes more.
#[derive(Clone, Debug, Default)]
pub struct Path {
    conditions: Option<Rc<Link>>,
    /// Bounds and bits that the conditions imply for terms that occur in them.
    refined: Rc<FxHashMap<Term, Facts>>,
    /// Values of the variables under which all conditions hold.
    model: Rc<Assignment>,
}

#[derive(Debug)]
struct Link {
    condition: Term,
    before: Option<Rc<Link>>,
}

impl Path {
    /// A path with these conditions, which the model satisfies.
    pub fn with(terms: &Terms, conditions: impl IntoIterator<Item = Term>, model: Assignment) -> Self {
        let mut path = Self { model: Rc::new(model), ..Self::default() };
        for condition in conditions {
            path.assume(terms, condition, None);
        }
        path
    }

    /// All conditions, the last one first.
    pub fn conditions(&self) -> Vec<Term> {
        let mut all = Vec::new();
        let mut link = self.conditions.as_deref();
        while let Some(Link { condition, before }) = link {
            all.push(*condition);
            link = before.as_deref();
        }
        all
    }

    /// Values under which all conditions hold.
    pub fn model(&self) -> &Assignment {
        &self.model
    }

    /// Assumes a condition; `model` satisfies it and everything before. Without one the model at hand must do.
    pub fn assume(&mut self, terms: &Terms, condition: Term, model: Option<Rc<Assignment>>) {
        if terms.is_true(condition) {
            return;
        }
        if let Some(model) = model {
            self.model = model;
        }
        debug_assert_eq!(terms.evaluate(condition, &self.model), 1, "the model satisfies the path");
        self.conditions = Some(Rc::new(Link { condition, before: self.conditions.take() }));
        let refined = Rc::make_mut(&mut self.refined);
        refine(terms, refined, condition, true);
    }

    /// The same with terms replaced, and whether its model satisfies it; `None` where nothing can. Assumes nothing more.
    pub fn substitute(&self, terms: &mut Terms, map: &mut Substitution) -> Option<(Self, bool)> {
        let mut path = Self { conditions: None, refined: Rc::default(), model: self.model.clone() };
        let mut satisfied = true;
        let mut known = FxHashMap::default();
        for condition in self.conditions().into_iter().rev() {
            let condition = map.apply(terms, condition);
            if terms.is_false(condition) {
                return None;
            }
            if terms.is_true(condition) {
                continue;
            }
            satisfied &= terms.evaluate_with(condition, &path.model, &mut known) == 1;
            path.conditions = Some(Rc::new(Link { condition, before: path.conditions.take() }));
            refine(terms, Rc::make_mut(&mut path.refined), condition, true);
        }
        Some((path, satisfied))
    }

    /// Gives a variable that no condition speaks of a value in the model.
    pub fn give(&mut self, variable: Term, value: u128) {
        Rc::make_mut(&mut self.model).insert(variable, value);
    }

    /// Takes another model, which satisfies all conditions.
    pub fn set_model(&mut self, terms: &Terms, model: Rc<Assignment>) {
        debug_assert!(
            self.conditions().iter().all(|&c| terms.evaluate(c, &model) == 1),
            "the model satisfies the path"
        );
        self.model = model;
    }

    /// What is known of a term on this path.
    pub fn facts(&self, terms: &Terms, term: Term) -> Facts {
        let known = terms.facts(term);
        match self.refined.get(&term) {
            Some(&refined) => known.meet(refined, terms.width(term)),
            None if known.value().is_some() => known,
            None => self.derive(terms, term, 3),
        }
    }

    /// Facts from the refined facts of the operands, a few levels down.
    fn derive(&self, terms: &Terms, term: Term, depth: u32) -> Facts {
        let known = terms.facts(term);
        if depth == 0 || self.refined.is_empty() || matches!(terms.node(term), Node::Const(_) | Node::Var(_)) {
            return known;
        }
        let facts = Facts::from_operands(terms, terms.width(term), terms.node(term), &|operand| {
            let known = terms.facts(operand);
            match self.refined.get(&operand) {
                Some(&refined) => known.meet(refined, terms.width(operand)),
                None => self.derive(terms, operand, depth - 1),
            }
        });
        known.meet(facts, terms.width(term))
    }

    /// The value that a term has on this path, when that is known without a solver.
    pub fn value(&self, terms: &Terms, term: Term) -> Option<u128> {
        terms.as_const(term).or_else(|| self.facts(terms, term).value())
    }
}

/// Takes in what a condition says when it is `truth`.
fn refine(terms: &Terms, refined: &mut FxHashMap<Term, Facts>, condition: Term, truth: bool) {
    let mut narrow = |term: Term, facts: Facts| {
        let width = terms.width(term);
        let old = refined.get(&term).copied().unwrap_or_else(|| terms.facts(term));
        refined.insert(term, old.meet(facts, width));
    };
    narrow(condition, Facts::exactly(u128::from(truth)));
    match *terms.node(condition) {
        Node::Not(inner) => refine(terms, refined, inner, !truth),
        Node::Binary(Op::And, a, b) if truth => {
            refine(terms, refined, a, true);
            refine(terms, refined, b, true);
        }
        Node::Binary(Op::Eq, a, b) if truth => {
            let common = terms.facts(a).meet(terms.facts(b), terms.width(a));
            narrow(a, common);
            narrow(b, common);
        }
        Node::Binary(Op::Eq, a, b) => {
            for (x, y) in [(a, b), (b, a)] {
                if let Some(value) = terms.as_const(y) {
                    let old = refined.get(&x).copied().unwrap_or_else(|| terms.facts(x));
                    refined.insert(x, old.without(value, terms.width(x)));
                }
            }
        }
        Node::Binary(Op::ULt, a, b) => {
            let width = terms.width(a);
            let (low, high, strict) = if truth { (a, b, 1) } else { (b, a, 0) };
            let (fl, fh) = (terms.facts(low), terms.facts(high));
            narrow(low, Facts::between(width, 0, fh.max.saturating_sub(strict)));
            narrow(high, Facts::between(width, fl.min + strict, u128::MAX));
        }
        Node::Binary(Op::SLt, a, b) => {
            let width = terms.width(a);
            let (low, high, strict) = if truth { (a, b, 1) } else { (b, a, 0) };
            let (fl, fh) = (terms.facts(low), terms.facts(high));
            narrow(low, Facts::signed_between(width, i128::MIN, fh.signed_max - strict));
            narrow(high, Facts::signed_between(width, fl.signed_min + strict, i128::MAX));
        }
        _ => {}
    }
}
