//! States that repeat: where the check of a proof by paths may stop.
//!
//! A program that loops forever among finitely many states has a proof by paths, and so has one whose paths meet again in equal states.
//! The checker remembers the states at joins. A state that entails a remembered one needs no execution of its own. A *fingerprint*, which
//! equal states share, finds the few states that are worth a comparison; nothing depends on it but time.

use std::hash::{Hash, Hasher};
use std::rc::Rc;

use cairn_exec::{Machine, State};
use cairn_ir::analysis::liveness::Liveness;
use cairn_ir::{CheckKind, FuncId, Loc};
use cairn_memory::object::End;
use cairn_memory::symbolic::Object;
use cairn_smt::Term;
use rustc_hash::{FxHashMap, FxHasher};

use crate::checker::Key;
use crate::limits::{MAX_REMEMBERED, REMEMBERED_PER_HIT, REMEMBERED_TO_START};
use crate::mode::Checking;

/// The states that were met at joins.
pub(crate) struct Repeats<const A: bool> {
    known: FxHashMap<(Key, u64), Vec<Rc<State<Checking<A>>>>>,
    /// The blocks with more than one predecessor, by function.
    joins: FxHashMap<FuncId, Box<[bool]>>,
    remembered: usize,
    hits: usize,
}

impl<const A: bool> Default for Repeats<A> {
    fn default() -> Self {
        Self { known: FxHashMap::default(), joins: FxHashMap::default(), remembered: 0, hits: 0 }
    }
}

impl<const A: bool> Repeats<A> {
    /// Returns whether paths meet in the block of a state.
    pub(crate) fn is_join(&mut self, machine: &Machine<'_, Checking<A>>, state: &State<Checking<A>>) -> bool {
        let (function, block) = (state.top().function, state.top().block);
        let Some(body) = &machine.program.functions[function.index()].body else { return false };
        let joins = self.joins.entry(function).or_insert_with(|| {
            let mut ways = vec![0u32; body.blocks.len()];
            for block in &body.blocks {
                block.end.for_successors(&mut |next| ways[next.index()] += 1);
            }
            ways.into_iter().map(|ways| ways > 1).collect()
        });
        // A buffer of `setjmp` belongs to one call.
        joins[block.index()] && state.jumps.is_empty()
    }

    /// Returns the remembered states that may equal a state.
    pub(crate) fn similar(&self, key: &Key, print: u64) -> Vec<Rc<State<Checking<A>>>> {
        self.known.get(&(key.clone(), print)).cloned().unwrap_or_default()
    }

    /// Counts a state that entails a remembered one.
    pub(crate) fn count_hit(&mut self) {
        self.hits += 1;
    }

    /// Remembers a state, as long as states that were remembered were of use.
    pub(crate) fn remember(&mut self, key: Key, print: u64, state: &State<Checking<A>>) {
        if self.remembered >= REMEMBERED_TO_START + REMEMBERED_PER_HIT * self.hits {
            return;
        }
        let known = self.known.entry((key, print)).or_default();
        if known.len() < MAX_REMEMBERED {
            known.push(Rc::new(state.clone()));
            self.remembered += 1;
        }
    }
}

/// Forgets the registers that the execution does not read again. Those that keep an object reachable stay.
pub(crate) fn forget_dead<const A: bool>(machine: &mut Machine<'_, Checking<A>>, state: &mut State<Checking<A>>) {
    for frame in &mut state.frames {
        let Some(body) = &machine.program.functions[frame.function.index()].body else { continue };
        let liveness = machine.liveness.entry(frame.function).or_insert_with(|| Liveness::of(body));
        let live = liveness.before(body, frame.block.index(), frame.inst);
        let is_dead = |(index, value): (usize, &Option<Term>)| {
            let leads_somewhere = |value: Term| {
                machine.terms.variables_of(value).iter().any(|variable| machine.address_of.contains_key(variable))
            };
            !live[index] && value.is_some_and(|value| !leads_somewhere(value))
        };
        let dead: Vec<usize> = frame
            .regs
            .iter()
            .enumerate()
            .filter(|&(index, value)| is_dead((index, value)))
            .map(|(index, _)| index)
            .collect();
        if !dead.is_empty() {
            let frame = Rc::make_mut(frame);
            dead.into_iter().for_each(|index| frame.regs[index] = None);
        }
    }
}

/// Returns a number that equal states share, whatever the names of their objects and variables are.
pub(crate) fn fingerprint<const A: bool>(machine: &Machine<'_, Checking<A>>, state: &State<Checking<A>>) -> u64 {
    let constant = |value: Term| machine.terms.as_const(value);
    let mut hasher = FxHasher::default();
    for frame in &state.frames {
        let known = frame.regs.iter().map(|value| value.map(constant));
        known.for_each(|value| value.hash(&mut hasher));
    }
    // The order of objects is that of their names.
    let of_object = |object: &Object| {
        let mut hasher = FxHasher::default();
        (object.kind as u8, constant(object.size)).hash(&mut hasher);
        for (at, len, value) in object.cells() {
            (at, len, constant(value)).hash(&mut hasher);
        }
        hasher.finish()
    };
    let objects = state.memory.iter().filter(|(_, object)| object.end == End::Live);
    objects.fold(0u64, |sum, (_, object)| sum.wrapping_add(of_object(object))).hash(&mut hasher);
    hasher.finish()
}

/// Checks that a state has lost no object. An execution without end never reaches a return, where the execution checks it.
pub(crate) fn check_lost<const A: bool>(machine: &mut Machine<'_, Checking<A>>, state: &State<Checking<A>>) {
    machine.report_lost_files(state, Loc::NONE);
    if machine.options.kinds.contains(&CheckKind::Leak) {
        machine.check_lost(state, Loc::NONE);
    }
}
