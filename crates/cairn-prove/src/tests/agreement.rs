//! Covering agrees with the separation-logic solver: a covered state entails the covering one.
//!
//! The states are those that generated programs reach. They are compared with each other at each program point. They
//! are also compared with variants in which pointers are exchanged or lists are longer, so that many pairs are nearly
//! right. The formulas describe shapes only: which variable points to which node or list, and the least number of
//! nodes in a list.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cairn_ir::Ty;
use cairn_sl::formula::{LocationSort, PredicateId, Pure, Sort, Spatial, Term as Location, Variable};
use cairn_sl::infer::{Entailment, entails};
use cairn_sl::signature::Signature;
use cairn_sl::symbolic_heap::SymbolicHeap;
use cairn_smt::{Session, Term};
use rustc_hash::FxHashMap;

use super::Prover;
use super::{PRELUDE, generate, memory_safety, program};
use crate::Lattice;
use crate::State;
use cairn_exec::allocation::Target;
use cairn_exec::reach::{Budget, Domain, Order, Reach};
use cairn_memory::object::{End, ObjectKind};
use cairn_memory::pointer::ObjectId;
use cairn_memory::segment::Side;

/// The number of states of one program point that are compared with each other.
const MAX_STATES: usize = 8;

/// The number of solver steps for one entailment.
const STEPS: u64 = 20_000;

/// The vocabulary of the formulas: nodes with one link, and a variable for each register.
struct Language {
    signature: Signature,
    node: LocationSort,
    list: PredicateId,
    registers: FxHashMap<usize, Variable>,
}

impl Language {
    fn new() -> Self {
        let mut signature = Signature::new();
        let node = signature.add_record("Node", |node| vec![("next".to_owned(), Sort::Location(node))]);
        let list = signature.add_list_segment("ls", node, 0);
        Self { signature, node, list, registers: FxHashMap::default() }
    }

    fn variable(&mut self, name: &str) -> Variable {
        self.signature.variable(name, Sort::Location(self.node))
    }

    fn register(&mut self, register: usize) -> Variable {
        if let Some(&known) = self.registers.get(&register) {
            return known;
        }
        let variable = self.variable("r");
        self.registers.insert(register, variable);
        variable
    }

    /// Returns the formula of a state; `None` if the state has anything but nodes and lists.
    fn heap(&mut self, lattice: &mut Lattice<'_>, state: &State) -> Option<SymbolicHeap> {
        let mut heap = SymbolicHeap::emp();
        let mut names: FxHashMap<ObjectId, Variable> = FxHashMap::default();
        for (id, object) in state.memory.iter() {
            if object.kind == ObjectKind::Heap && object.end == End::Live && !object.pattern {
                let name = self.variable("x");
                heap.existentials.push(name);
                names.insert(id, name);
            }
        }
        let [frame] = &state.frames[..] else { return None };
        let body = lattice.machine.program.functions[frame.function.index()].body.as_ref()?;
        for (index, register) in body.regs.iter().enumerate() {
            let Some(value) = frame.regs[index].filter(|_| register.ty == Ty::Ptr) else { continue };
            let is = self.location(lattice, state, value, &names)?;
            let register = Location::variable(self.register(index));
            heap.pure.push(Pure::Equal(register, is));
        }
        for (id, object) in state.memory.iter() {
            let Some(&name) = names.get(&id) else { continue };
            let mut at = Location::variable(name);
            let Some(segment) = object.segment.clone() else {
                let (0, 8, next) = object.cell_at(0)? else { return None };
                let next = self.location(lattice, state, next, &names)?;
                heap.spatial.push(Spatial::PointsTo(at, vec![next]));
                continue;
            };
            if segment.links.len() != 1 || segment.back.is_some() || !segment.owned.is_empty() || segment.at != 0 {
                return None;
            }
            for _ in 0..segment.min {
                let next = self.variable("y");
                heap.existentials.push(next);
                heap.spatial.push(Spatial::PointsTo(at, vec![Location::variable(next)]));
                at = Location::variable(next);
            }
            let end = self.location(lattice, state, segment.next, &names)?;
            heap.spatial.push(Spatial::Predicate(self.list, vec![at, end]));
        }
        Some(heap)
    }

    /// Returns the location term of a value.
    fn location(
        &mut self,
        lattice: &mut Lattice<'_>,
        state: &State,
        value: Term,
        names: &FxHashMap<ObjectId, Variable>,
    ) -> Option<Location> {
        if state.path.value(&lattice.machine.terms, value) == Some(0) {
            return Some(Location::Nil(self.node));
        }
        match lattice.any_target(state, value) {
            Target::Object(id, at) | Target::Segment(id, Side::First, at)
                if lattice.machine.terms.as_const(at) == Some(0) =>
            {
                names.get(&id).map(|&name| Location::variable(name))
            }
            _ => None,
        }
    }
}

/// Returns the state with two registers exchanged.
fn with_exchanged_registers(state: &State, a: usize, b: usize) -> Option<State> {
    let mut state = state.clone();
    let regs = &mut state.top_mut().regs;
    (regs[a].is_some() && regs[b].is_some() && regs[a] != regs[b]).then(|| regs.swap(a, b))?;
    Some(state)
}

/// Returns the state with one list that has at least one more node.
fn with_longer_list(state: &State, which: usize) -> Option<State> {
    let mut state = state.clone();
    let lists = state.memory.iter().filter(|(_, object)| object.segment.is_some() && !object.pattern);
    let id = lists.map(|(id, _)| id).nth(which)?;
    if let Some(segment) = &mut state.memory.get_mut(id).segment {
        std::rc::Rc::make_mut(segment).min += 1;
    }
    Some(state)
}

#[test]
fn covered_states_entail_the_covering_state() {
    let (mut pairs, mut covered, mut decided) = (0, 0, 0);
    // Lists of programs with even seeds are singly linked.
    for seed in (0..24).map(|seed| 2 * seed) {
        let text = format!("{PRELUDE}{}", generate(seed));
        let program = program(&text);
        let cancel = Arc::new(AtomicBool::new(false));
        let session = Session::new(cancel.clone());
        let mut prover =
            Prover::new(&program, cairn_exec::Options::of(&memory_safety()), session).expect("there is a main");
        let mut reach = Reach::new(&mut prover, Order::Ranked);
        reach.run(&mut prover, &Budget { states: 2_000, waiting: 1_000, cancel });
        let mut places: Vec<Vec<State>> = reach.reached().map(|(_, states)| states.to_vec()).collect();
        places.sort_by_key(|states| states.first().map(|state| (state.top().block, states.len())));
        for states in &mut places {
            states.truncate(MAX_STATES);
            let registers = states.first().map_or(0, |state| state.top().regs.len());
            let olds: Vec<State> =
                states.iter().cloned().chain(states.iter().filter_map(|s| with_longer_list(s, 0))).collect();
            let mut news = states.clone();
            for state in states.iter() {
                news.extend((1..registers).filter_map(|b| with_exchanged_registers(state, b - 1, b)).take(2));
                news.extend(with_longer_list(state, 1));
            }
            for new in &news {
                for old in &olds {
                    pairs += 1;
                    if !prover.stop(new, std::slice::from_ref(old)) {
                        continue;
                    }
                    covered += 1;
                    let mut language = Language::new();
                    let left = language.heap(&mut prover.lattice, new);
                    let right = language.heap(&mut prover.lattice, old);
                    let (Some(left), Some(right)) = (left, right) else { continue };
                    match entails(&language.signature, &left, &right, &cairn_sl::Budget::steps(STEPS)) {
                        Entailment::Valid => decided += 1,
                        Entailment::Unknown(_) => {}
                        Entailment::Invalid => {
                            let (new, old) = (prover.lattice.formula(new), prover.lattice.formula(old));
                            panic!("covered, but it does not follow:\n{new}\n  by\n{old}\n{text}");
                        }
                    }
                }
            }
        }
    }
    assert!(pairs > 3 * covered, "{covered} of {pairs} pairs are covered: too easy");
    assert!(decided > 100 && 3 * decided > covered, "{decided} of {covered} are decided");
}
