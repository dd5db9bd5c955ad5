//! Uses of uninitialised values.
//!
//! A byte that was never written reads as a fresh variable, which [`Machine::undefined`] lists. Copying such a value and
//! computing with it is allowed. A *use* is a branch, an address, a size, an output or an exit status that depends on it, as
//! in the interpreter. Every use asks here, so that a program is free of such uses if no path reports one.
//!
//! A value that depends on an uninitialised variable is not always uninitialised: in `c ? u : 1`, the variable `u` matters
//! only if `c` holds. [`Machine::undefined_if`] is the condition under which it matters.

use cairn_ir::{CheckKind, Checks, Loc};
use cairn_portfolio::Reason;
use cairn_smt::Term;
use cairn_smt::term::Node;
use rustc_hash::FxHashMap;

use crate::state::State;
use crate::{Machine, Mode, Possible};

impl<M: Mode> Machine<'_, M> {
    /// Reports a use of a value that may be uninitialised. The execution goes on with any value.
    pub(crate) fn check_initialised(&mut self, state: &State<M>, value: Term, checks: Checks, loc: Loc) {
        let kind = CheckKind::Uninitialised;
        if !self.options.kinds.contains(&kind) || !self.is_undefined(value) {
            return;
        }
        let condition = self.undefined_if(value);
        match state.path.value(&self.terms, condition) {
            Some(0) => return,
            Some(_) => return self.report(state, kind, checks, loc),
            None => {}
        }
        match self.possible(state, condition) {
            Possible::Yes(model) => {
                let mut used = state.clone();
                used.path.assume(&self.terms, condition, Some(model));
                self.report(&used, kind, checks, loc);
            }
            Possible::No => {}
            Possible::Unknown => {
                self.gaps.insert(Reason::SolverBudget);
            }
        }
    }

    /// Records that two uninitialised operands cancel each other out, as in `x - x`.
    ///
    /// The result is uninitialised nevertheless, since an uninitialised value need not be the same at each read. Its term no
    /// longer shows that.
    pub(crate) fn check_cancelled(&mut self, a: Term, b: Term, result: Term) {
        if self.options.kinds.contains(&CheckKind::Uninitialised)
            && self.is_undefined(a)
            && self.is_undefined(b)
            && !self.is_undefined(result)
        {
            self.gaps.insert(Reason::UninitialisedRead);
        }
    }

    /// Returns the condition under which a value depends on uninitialised bytes.
    ///
    /// The terms of long paths are deep, so the traversal uses an explicit stack.
    pub(crate) fn undefined_if(&mut self, root: Term) -> Term {
        let mut known: FxHashMap<Term, Term> = FxHashMap::default();
        let mut stack = vec![root];
        while let Some(&term) = stack.last() {
            if known.contains_key(&term) {
                stack.pop();
                continue;
            }
            let waiting = stack.len();
            self.terms.for_operands(term, |operand| {
                if !known.contains_key(&operand) {
                    stack.push(operand);
                }
            });
            if stack.len() > waiting {
                continue;
            }
            let mut condition = self.terms.falsity();
            if self.undefined.contains(&term) {
                condition = self.terms.truth();
            } else if let Node::Ite(test, then, other) = *self.terms.node(term) {
                let chosen = self.terms.ite(test, known[&then], known[&other]);
                condition = self.terms.or(known[&test], chosen);
            } else {
                let mut operands = Vec::new();
                self.terms.for_operands(term, |operand| operands.push(known[&operand]));
                for operand in operands {
                    condition = self.terms.or(condition, operand);
                }
            }
            known.insert(term, condition);
            stack.pop();
        }
        known[&root]
    }
}
