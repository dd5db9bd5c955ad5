//! Certification: the invariants behind a proof are checked again on freshly built formulas.
//!
//! A proof consists of the invariants of one or several stages, each with the obligations that it excludes. The check builds the formula
//! of each stage again, with a term table and a solver session of its own, and asks one query per loop entry and per loop body: whether
//! some execution leads out of the invariant. The growth of the rows, their bisection, the splitting of contexts and everything that the
//! solver has learned are therefore not trusted. The encoding of the program and the meaning of the rows are.

use std::collections::BTreeSet;

use cairn_smt::{Answer, Term, Terms};

use crate::engine::staged::{Key, Templates, is_gap, key};
use crate::limits::CERTIFICATION_CONFLICTS;
use crate::ssa::{Formula, Obligation, Options};
use crate::synthesis::{Placed, Synthesis};
use crate::templates::Hints;

/// The invariant of one stage and the obligations that it excludes.
pub(super) struct Shown {
    pub(super) options: Options,
    pub(super) unwind: u32,
    pub(super) subjects: u32,
    pub(super) rows: Vec<Placed>,
    pub(super) excluded: BTreeSet<Key>,
}

impl Templates<'_> {
    /// Checks the proof that the recorded stages make up together. The last stage must leave no obligation open.
    pub(super) fn is_certified(&mut self) -> bool {
        let mut excluded = BTreeSet::new();
        let mut is_complete = false;
        for mut shown in std::mem::take(&mut self.shown) {
            let built = Formula::of(self.program, &shown.options, shown.unwind, shown.subjects, Terms::new());
            let Ok(mut formula) = built else { return false };
            let (own, others): (Vec<Obligation>, Vec<Obligation>) =
                std::mem::take(&mut formula.obligations).into_iter().partition(|o| shown.excluded.contains(&key(o)));
            // Proofs of several stages may be combined if each stage covers all executions up to their first violation.
            if others.iter().any(is_gap) {
                return false;
            }
            is_complete = others.iter().all(|o| excluded.contains(&key(o)));
            let mut session = self.session.fresh();
            session.set_conflict_budget(Some(CERTIFICATION_CONFLICTS));
            let hints = Hints { earlier: vec![BTreeSet::new(); formula.locations.len()], ..Hints::default() };
            let rows = std::mem::take(&mut shown.rows);
            let mut check = Synthesis::with_rows(&mut formula, &mut session, &hints, rows);
            let holds = check.is_inductive().is_ok_and(|inductive| inductive);
            if !holds || !check.not_excluded(own).is_ok_and(|open| open.is_empty()) {
                return false;
            }
            excluded.append(&mut shown.excluded);
        }
        is_complete
    }

    /// Checks that no execution violates an obligation or exceeds the unwinding depth.
    pub(super) fn is_certified_bounded(&mut self, unwind: u32) -> bool {
        let built = Formula::of_bounded(self.program, &self.options, unwind, Terms::new());
        let Ok(mut formula) = built else { return false };
        let bad: Vec<Term> =
            formula.obligations.iter().map(|o| o.bad).chain(formula.left_out.iter().copied()).collect();
        let terms = &mut formula.terms;
        let any = bad.into_iter().fold(terms.falsity(), |any, term| terms.or(any, term));
        let question: Vec<Term> = formula.bodies[0].axioms.iter().copied().chain([any]).collect();
        let mut session = self.session.fresh();
        session.set_conflict_budget(Some(CERTIFICATION_CONFLICTS));
        matches!(session.check(&formula.terms, &question), Answer::Unsat(_))
    }
}

#[cfg(test)]
mod tests {
    use cairn_frontend::{Input, compile};
    use cairn_ir::layout::Target;
    use cairn_ir::{CheckKind, Program};
    use cairn_smt::Session;

    use super::*;
    use crate::engine::Outcome;
    use crate::ssa::{Calls, Contexts};
    use crate::templates::rows::bound::Limit;

    const COUNTER: &str = "extern int __VERIFIER_nondet_int(void);
        void reach_error(void) { }
        int main(void) {
            int n = 0;
            while (__VERIFIER_nondet_int())
                if (n < 7) n++;
            if (n > 7) reach_error();
            return 0;
        }";

    fn program() -> Program {
        let input = Input { name: "counter.c".to_owned(), text: COUNTER.to_owned() };
        compile(vec![input], Target::Lp64).program.expect("the program compiles")
    }

    /// Proves the program without certification, applies `tamper` to the invariants, and returns whether they are accepted.
    fn is_accepted(tamper: impl Fn(&mut Vec<Shown>)) -> bool {
        let program = program();
        let options = Options {
            entry: "main".to_owned(),
            kinds: vec![CheckKind::Assertion],
            malloc_fails: false,
            assert_faults: false,
            calls: Calls::Auto,
            contexts: Contexts::default(),
        };
        let mut templates = Templates::new(&program, options, Session::default(), &["intervals".to_owned()])
            .expect("the template exists");
        templates.certifies = false;
        while !matches!(templates.turn(), Ok(Outcome::Proved(_))) {
            assert!(!templates.is_done(), "intervals prove the program");
            templates.try_harder();
        }
        tamper(&mut templates.shown);
        templates.is_certified()
    }

    #[test]
    fn an_inductive_invariant_is_accepted() {
        assert!(is_accepted(|_| {}));
    }

    #[test]
    fn a_bound_that_does_not_hold_is_rejected() {
        assert!(!is_accepted(|shown| {
            for placed in shown.iter_mut().flat_map(|shown| &mut shown.rows) {
                if let Some(bound) = placed.row.as_bound()
                    && let Limit::AtMost(7) = bound.limit
                {
                    bound.limit = Limit::AtMost(6);
                }
            }
        }));
    }

    #[test]
    fn a_bound_that_is_too_weak_is_rejected() {
        assert!(!is_accepted(|shown| {
            for placed in shown.iter_mut().flat_map(|shown| &mut shown.rows) {
                if let Some(bound) = placed.row.as_bound()
                    && let Limit::AtMost(7) = bound.limit
                {
                    bound.limit = Limit::AtMost(8);
                }
            }
        }));
    }

    #[test]
    fn missing_rows_are_noticed() {
        assert!(!is_accepted(|shown| shown.iter_mut().for_each(|shown| shown.rows.clear())));
    }

    #[test]
    fn missing_obligations_are_noticed() {
        assert!(!is_accepted(|shown| shown.iter_mut().for_each(|shown| shown.excluded.clear())));
        assert!(!is_accepted(Vec::clear));
    }
}
