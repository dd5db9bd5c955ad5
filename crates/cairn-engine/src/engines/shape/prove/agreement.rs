//! Covering agrees with the solver for separation logic: where one state covers another, the formula of the one follows from that of
//! the other.
//!
//! The states are those that generated programs reach, compared with each other at each place, and with states that have pointers
//! exchanged or lists made longer, so that many pairs are nearly right. What formulas say here are shapes: which variable leads
//! to which node or list, and how many nodes a list has at least.

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
use super::tests::{PRELUDE, generated, memory_safety, program};
use crate::engines::shape::Explorer;
use crate::engines::shape::allocation::Target;
use crate::engines::shape::state::State;
use crate::memory::object::{End, ObjectKind};
use crate::memory::pointer::ObjectId;
use crate::memory::segment::Side;
use crate::reach::{Budget, Domain, Order, Reach};

/// States of one place that are compared with each other.
const MAX_STATES: usize = 8;

/// Steps of the solver for one question.
const STEPS: u64 = 20_000;

/// What formulas are made of: nodes with one link, and a variable for each register.
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

    /// The formula of a state that has nothing but nodes and lists; nothing, where it has more.
    fn heap(&mut self, explorer: &mut Explorer<'_>, state: &State) -> Option<SymbolicHeap> {
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
        let body = explorer.program.functions[frame.function.index()].body.as_ref()?;
        for (index, register) in body.regs.iter().enumerate() {
            let Some(value) = frame.regs[index].filter(|_| register.ty == Ty::Ptr) else { continue };
            let is = self.location(explorer, state, value, &names)?;
            let register = Location::variable(self.register(index));
            heap.pure.push(Pure::Equal(register, is));
        }
        for (id, object) in state.memory.iter() {
            let Some(&name) = names.get(&id) else { continue };
            let mut at = Location::variable(name);
            let Some(segment) = object.segment.clone() else {
                let (0, 8, next) = object.cell_at(0)? else { return None };
                let next = self.location(explorer, state, next, &names)?;
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
            let end = self.location(explorer, state, segment.next, &names)?;
            heap.spatial.push(Spatial::Predicate(self.list, vec![at, end]));
        }
        Some(heap)
    }

    /// What a value is called.
    fn location(
        &mut self,
        explorer: &mut Explorer<'_>,
        state: &State,
        value: Term,
        names: &FxHashMap<ObjectId, Variable>,
    ) -> Option<Location> {
        if state.path.value(&explorer.terms, value) == Some(0) {
            return Some(Location::Nil(self.node));
        }
        match explorer.target(state, value) {
            Target::Object(id, at) | Target::Segment(id, Side::First, at) if explorer.terms.as_const(at) == Some(0) => {
                names.get(&id).map(|&name| Location::variable(name))
            }
            _ => None,
        }
    }
}

/// The state with two registers exchanged.
fn exchanged(state: &State, a: usize, b: usize) -> Option<State> {
    let mut state = state.clone();
    let regs = &mut state.top_mut().regs;
    (regs[a].is_some() && regs[b].is_some() && regs[a] != regs[b]).then(|| regs.swap(a, b))?;
    Some(state)
}

/// The state with a list that has a node more at least.
fn longer(state: &State, which: usize) -> Option<State> {
    let mut state = state.clone();
    let lists = state.memory.iter().filter(|(_, object)| object.segment.is_some() && !object.pattern);
    let id = lists.map(|(id, _)| id).nth(which)?;
    if let Some(segment) = &mut state.memory.get_mut(id).segment {
        std::rc::Rc::make_mut(segment).min += 1;
    }
    Some(state)
}

#[test]
fn what_is_covered_follows() {
    let (mut pairs, mut covered, mut decided) = (0, 0, 0);
    // The lists of every second program are linked one way.
    for seed in (0..24).map(|seed| 2 * seed) {
        let text = format!("{PRELUDE}{}", generated(seed));
        let program = program(&text);
        let cancel = Arc::new(AtomicBool::new(false));
        let session = Session::new(cancel.clone());
        let mut prover = Prover::new(&program, memory_safety().exploring(), session).expect("there is a main");
        let mut reach = Reach::new(&mut prover, Order::Ranked);
        reach.run(&mut prover, &Budget { states: 2_000, waiting: 1_000, cancel });
        let mut places: Vec<Vec<State>> = reach.reached().map(|(_, states)| states.to_vec()).collect();
        places.sort_by_key(|states| states.first().map(|state| (state.top().block, states.len())));
        for states in &mut places {
            states.truncate(MAX_STATES);
            let registers = states.first().map_or(0, |state| state.top().regs.len());
            let olds: Vec<State> = states.iter().cloned().chain(states.iter().filter_map(|s| longer(s, 0))).collect();
            let mut news = states.clone();
            for state in states.iter() {
                news.extend((1..registers).filter_map(|b| exchanged(state, b - 1, b)).take(2));
                news.extend(longer(state, 1));
            }
            for new in &news {
                for old in &olds {
                    pairs += 1;
                    if !prover.covered(new, std::slice::from_ref(old)) {
                        continue;
                    }
                    covered += 1;
                    let mut language = Language::new();
                    let left = language.heap(&mut prover.explorer, new);
                    let right = language.heap(&mut prover.explorer, old);
                    let (Some(left), Some(right)) = (left, right) else { continue };
                    match entails(&language.signature, &left, &right, &cairn_sl::Budget::steps(STEPS)) {
                        Entailment::Valid => decided += 1,
                        Entailment::Unknown(_) => {}
                        Entailment::Invalid => {
                            let (new, old) = (prover.explorer.formula(new), prover.explorer.formula(old));
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
