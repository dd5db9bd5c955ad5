//! Comparison of certificates by the concrete states that they stand for. Tests of the checker use it; no proof rests on it.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cairn_exec::linear::LinearFirst;
use cairn_exec::{Carried, Machine, Role, State};
use cairn_ir::Program;
use cairn_memory::symbolic::SymbolicMemory;
use cairn_portfolio::certificate::{Certificate, StateRecord};
use cairn_smt::Session;

use crate::entail::{Losses, entails};
use crate::import::Table;
use crate::limits::MAX_CONFLICTS;
use crate::mode::Checking;
use crate::options;
use crate::repeats;

type Built = Option<State<Checking<true>>>;

/// Returns whether the states of a certificate stand for at least the concrete states that those of a proof stand for, at every point.
///
/// If the proof is right, every execution then stays inside the states of the certificate, too. Every state of the proof has to entail a
/// state of the certificate at the same point. The entries of contexts and the calling states are compared one by one, the latter with the
/// values that caller and callee share.
pub fn covers_proof(program: &Program, proof: &Certificate, certificate: &Certificate) -> bool {
    let (one, other) = (proof, certificate);
    let same_form = one.claim == other.claim
        && one.places.len() == other.places.len()
        && one.contexts.len() == other.contexts.len()
        && one.calls.len() == other.calls.len();
    same_form && Comparison::new(program, one, other).is_some_and(|mut comparison| comparison.holds(one, other))
}

/// The machine in which the states of both certificates are built.
struct Comparison<'p> {
    machine: Machine<'p, Checking<true>>,
    start: SymbolicMemory,
    tables: [Table; 2],
    /// Whether the certificates have the same terms, so that equal records are equal states.
    same_terms: bool,
}

impl<'p> Comparison<'p> {
    fn new(program: &'p Program, one: &Certificate, other: &Certificate) -> Option<Self> {
        let mut session = Session::new(Arc::new(AtomicBool::new(false))).wrapped(LinearFirst::before);
        session.set_conflict_budget(Some(MAX_CONFLICTS));
        let mut machine = Machine::new(program, options(&one.claim), session, Checking::default()).ok()?;
        let start = machine.start().first().map(|state| state.memory.clone()).unwrap_or_default();
        let first = Table::build(&mut machine, &one.terms, &start).ok()?;
        let second = Table::build(&mut machine, &other.terms, &start).ok()?;
        Some(Self { machine, start, tables: [first, second], same_terms: one.terms == other.terms })
    }

    fn holds(&mut self, one: &Certificate, other: &Certificate) -> bool {
        one.places.iter().zip(&other.places).all(|(x, y)| {
            (x.context, x.moment, &x.stack) == (y.context, y.moment, &y.stack)
                && self.covers_sets(x.context, [x.states.as_slice(), y.states.as_slice()])
        }) && one.contexts.iter().zip(&other.contexts).enumerate().all(|(index, (x, y))| {
            x.region == y.region
                && x.untouched == y.untouched
                && self.covers_states(index as u32 + 1, [(&x.entry, &[]), (&y.entry, &[])])
        }) && one.calls.iter().zip(&other.calls).all(|(x, y)| {
            x.context == y.context
                && x.footprint == y.footprint
                && x.targets == y.targets
                && self.covers_states(x.context, [(&x.calling, &x.cut), (&y.calling, &y.cut)])
        })
    }

    fn covers_sets(&mut self, context: u32, states: [&[StateRecord]; 2]) -> bool {
        states[0].iter().all(|state| {
            let is_kept = self.same_terms && states[1].contains(state);
            is_kept || states[1].iter().any(|other| self.follows(context, (0, state, &[]), (1, other, &[])))
        })
    }

    fn covers_states(&mut self, context: u32, [(x, own), (y, others)]: [(&StateRecord, &[u32]); 2]) -> bool {
        (self.same_terms && x == y && own == others) || self.follows(context, (0, x, own), (1, y, others))
    }

    /// Returns whether a state entails another, together with further values.
    fn follows(
        &mut self,
        context: u32,
        one: (usize, &StateRecord, &[u32]),
        other: (usize, &StateRecord, &[u32]),
    ) -> bool {
        let (Some(one), Some(other)) = (self.build(context, one), self.build(context, other)) else { return false };
        match (one, other) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(one), Some(other)) => entails(&mut self.machine, &one, &other, Losses::None),
        }
    }

    fn build(&mut self, context: u32, (table, record, further): (usize, &StateRecord, &[u32])) -> Option<Built> {
        let table = &self.tables[table];
        // The states of one table have the same addresses, which is no conflict, and the other table has variables of its own.
        let mut state = table.state(&mut self.machine, record, &self.start, context).ok()?;
        if let Some(state) = &mut state {
            // The execution never reads them again.
            repeats::forget_dead(&mut self.machine, state);
            for &value in further {
                let value = table.get(value).ok()?;
                Rc::make_mut(&mut state.extra.cut).push(Carried { value, role: Role::Mentioned });
            }
        }
        Some(state)
    }
}
