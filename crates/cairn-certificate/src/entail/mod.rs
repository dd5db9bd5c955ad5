//! Entailment between symbolic states, from the definition of symbolic heaps and segments.
//!
//! A state `S` entails a recorded state `R` if every concrete state that `S` stands for is one that `R` stands for. The variables of
//! `R` are existential, so it suffices to find a term of `S` for each of them, such that
//!
//! - the registers, slots and carried values of `R` are those of `S`,
//! - every object of `R` is an object of `S`, and different ones are different (separation is never invented),
//! - every segment of `R` is a chain of objects and segments of `S`, or a tree of them ([`segments`], [`trees`]),
//! - every live heap object of `S` is one of these (nothing leaks), and
//! - the path condition of `R` follows from that of `S`.
//!
//! The search only guesses terms ([`values`]). [`Matching::finish`] checks all of the above.
//!
//! *Scopes.* A segment of `S` stands for any number of nodes. To show that a segment of `R` has the same nodes, both get one arbitrary
//! node with variables and objects of its own, in a new scope. An object of a scope corresponds only to an object of the same scope,
//! and a variable outside of the scope has no value that depends on the node.

mod nodes;
mod segments;
#[cfg(test)]
mod tests;
mod trees;
mod values;

use std::collections::VecDeque;

use cairn_exec::allocation::Target;
use cairn_exec::{Machine, Mode, State, StateData};
use cairn_ir::CheckKind;
use cairn_memory::object::{End, ObjectKind};
use cairn_memory::pointer::ObjectId;
use cairn_memory::symbolic::{Initial, Object};
use cairn_smt::{Substitution, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use self::values::{Choosing, Guess};
use crate::limits::{MAX_ALTERNATIVES, MAX_TASKS};

/// The losses that entailment tolerates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Losses {
    /// Every live heap object must be kept.
    None,
    /// Heap objects may be dropped, because no check asks about them.
    Allowed,
}

/// A step of the search.
#[derive(Clone, Debug)]
enum Task {
    /// A value of `R` and its value in `S`.
    Value(Term, Term),
    /// An object of `R` whose address has a value.
    Object(ObjectId),
    /// The rest of a list of `R`.
    List(segments::Rest),
    /// A subtree of a tree of `R`.
    Tree(trees::Subtree),
}

/// The scope outside of all nodes.
const OUTSIDE: u32 = 0;

/// A partial proof that one state entails another.
#[derive(Clone)]
struct Matching<M: Mode> {
    /// The recorded state, with the nodes that were taken out of its segments.
    r: State<M>,
    /// The entailing state, with arbitrary nodes of its segments.
    s: State<M>,
    /// The terms of `S` that the variables of `R` stand for.
    values: FxHashMap<Term, Term>,
    /// The object of `S` that each object of `R` is.
    partners: FxHashMap<ObjectId, ObjectId>,
    /// The objects of `S` that are part of `R`.
    taken: FxHashSet<ObjectId>,
    /// The segments of `R` that were found in `S`.
    found: FxHashSet<ObjectId>,
    /// The least number of nodes that were found for each tree of `R`.
    nodes: FxHashMap<ObjectId, u32>,
    /// The object of `R` whose address contains each variable.
    owners: FxHashMap<Term, ObjectId>,
    /// The values of `R` with their values in `S`, which must be equal.
    pairs: Vec<(Term, Term)>,
    /// The conditions of `R` that hold besides its path condition.
    conditions: Vec<Term>,
    /// The scopes of variables and objects; those without one are outside.
    scope_of_variable: FxHashMap<Term, u32>,
    scope_of_r: FxHashMap<ObjectId, u32>,
    scope_of_s: FxHashMap<ObjectId, u32>,
    /// The scope around each scope.
    parents: Vec<u32>,
    /// The variable of a node for each local variable of `R`.
    instances: FxHashMap<Term, Term>,
    /// The local variables of `R` that have no value but that of a node.
    ///
    /// They occur in patterns and conditions only. Any other variable that a certificate declares local is like a global one.
    aliases: FxHashSet<Term>,
    /// The values of `R` at symbolic offsets: the object of `S`, the offset and the value.
    indexed: Vec<(ObjectId, Term, Term)>,
    /// Values of `R` that must be equal.
    equations: Vec<(Term, Term)>,
    tasks: Vec<Task>,
    /// Values that could not be solved yet.
    later: Vec<(Term, Term)>,
}

/// Returns whether a state entails a recorded state.
pub(crate) fn entails<M: Mode>(machine: &mut Machine<'_, M>, s: &State<M>, r: &State<M>, losses: Losses) -> bool {
    if !may_entail(machine, s, r) {
        return false;
    }
    // Where the solver gives up, the search fails, but nothing is wrong with the states.
    let (gaps, undefined) = (machine.gaps.clone(), machine.undefined.clone());
    let holds = search(machine, s, r, losses);
    (machine.gaps, machine.undefined) = (gaps, undefined);
    holds
}

/// Returns whether nothing obvious speaks against entailment. This only saves time.
fn may_entail<M: Mode>(machine: &Machine<'_, M>, s: &State<M>, r: &State<M>) -> bool {
    let constant = |value: Option<Term>| value.and_then(|value| machine.terms.as_const(value));
    let differ = |x: Option<Term>, y: Option<Term>| matches!((constant(x), constant(y)), (Some(x), Some(y)) if x != y);
    let frames = || s.frames.iter().zip(&r.frames);
    let nodes = |state: &State<M>| {
        let is_node = |object: &Object| {
            object.kind == ObjectKind::Heap && object.end == End::Live && !object.pattern && object.segment.is_none()
        };
        state.memory.iter().filter(|(_, object)| is_node(object)).count()
    };
    let is_fixed_and_differs = |(id, y): (ObjectId, &Object)| {
        is_fixed(y.kind)
            && !s.memory.shares(&r.memory, id)
            && s.memory.find(id).is_some_and(|x| {
                let same =
                    |at: u64, len: u32| x.cell_at(at).filter(|cell| (cell.0, cell.1) == (at, len)).map(|cell| cell.2);
                y.cells().any(|(at, len, value)| differ(same(at, len), Some(value)))
            })
    };
    nodes(r) <= nodes(s)
        && !r.memory.iter().any(is_fixed_and_differs)
        && !frames().any(|(x, y)| x.regs.iter().zip(&y.regs).any(|(&x, &y)| differ(x, y)))
}

fn search<M: Mode>(machine: &mut Machine<'_, M>, s: &State<M>, r: &State<M>, losses: Losses) -> bool {
    let Some(first) = Matching::start(machine, s, r) else { return false };
    // First the alternatives that differ from the most promising choices once, then twice, and so on.
    let mut alternatives = VecDeque::from([first]);
    let mut tried = 0;
    while let Some(mut matching) = alternatives.pop_front() {
        tried += 1;
        if tried > MAX_ALTERNATIVES {
            return false;
        }
        if matching.run(machine, &mut alternatives).is_some() && matching.finish(machine, losses) {
            return true;
        }
    }
    false
}

impl<M: Mode> Matching<M> {
    /// Matches the roots.
    fn start(machine: &mut Machine<'_, M>, s: &State<M>, r: &State<M>) -> Option<Self> {
        let mut matching = Self {
            r: r.clone(),
            s: s.clone(),
            values: FxHashMap::default(),
            partners: FxHashMap::default(),
            taken: FxHashSet::default(),
            found: FxHashSet::default(),
            nodes: FxHashMap::default(),
            owners: FxHashMap::default(),
            pairs: Vec::new(),
            conditions: Vec::new(),
            scope_of_variable: FxHashMap::default(),
            scope_of_r: FxHashMap::default(),
            scope_of_s: FxHashMap::default(),
            parents: vec![OUTSIDE],
            instances: FxHashMap::default(),
            aliases: FxHashSet::default(),
            indexed: Vec::new(),
            equations: Vec::new(),
            tasks: Vec::new(),
            later: Vec::new(),
        };
        if s.frames.len() != r.frames.len() || !s.jumps.is_empty() || !r.jumps.is_empty() {
            return None;
        }
        let (given, wanted) = (s.extra.carried(), r.extra.carried());
        if given.len() != wanted.len() || given.iter().zip(wanted).any(|(x, y)| x.role != y.role) {
            return None;
        }
        for (id, object) in r.memory.iter().filter(|(_, object)| !object.pattern) {
            let last = object.segment.as_ref().and_then(|segment| segment.last());
            for address in std::iter::once(object.base).chain(last) {
                matching.owners.extend(machine.terms.variables_of(address).iter().map(|&variable| (variable, id)));
            }
        }
        for (x, y) in given.iter().zip(wanted) {
            matching.tasks.push(Task::Value(y.value, x.value));
        }
        for index in (0..s.frames.len()).rev() {
            matching.match_frames(machine, index)?;
        }
        // Objects that exist from the start are themselves.
        for (id, object) in r.memory.iter().filter(|(_, object)| is_fixed(object.kind)) {
            matching.bind_base(machine, object.base, object.base);
            matching.match_objects(machine, id, id)?;
        }
        Some(matching)
    }

    fn match_frames(&mut self, machine: &mut Machine<'_, M>, index: usize) -> Option<()> {
        let (x, y) = (self.s.frames[index].clone(), self.r.frames[index].clone());
        let same = (x.function, x.block, x.inst, x.result) == (y.function, y.block, y.inst, y.result)
            && x.variadic.is_some() == y.variadic.is_some();
        if !same {
            return None;
        }
        for register in 0..y.regs.len() {
            let Some(wanted) = y.regs[register] else { continue };
            let value = x.regs[register].unwrap_or_else(|| machine.undefined_value(machine.terms.width(wanted)));
            self.tasks.push(Task::Value(wanted, value));
        }
        // Recorded states share objects, so most objects of a frame keep their ids.
        for (index, &wanted) in y.owned.iter().enumerate() {
            let same = x.owned.iter().find(|&&id| id == wanted).or(x.owned.get(index));
            if let Some(&own) = same {
                let (base_s, base_r) = (self.s.memory.find(own)?.base, self.r.memory.find(wanted)?.base);
                self.bind_base(machine, base_r, base_s);
            }
        }
        let slots = x.slots.iter().zip(&y.slots).map(|(&x, &y)| (x, y));
        for (x, y) in slots.chain([(x.variadic, y.variadic)]) {
            match (x, y) {
                (Some(x), Some(y)) => {
                    let (base_s, base_r) = (self.s.memory.find(x)?.base, self.r.memory.find(y)?.base);
                    self.bind_base(machine, base_r, base_s);
                    self.match_objects(machine, y, x)?;
                }
                (None, None) => {}
                _ => return None,
            }
        }
        Some(())
    }

    /// Works on all tasks. Other ways to continue are added to the alternatives.
    fn run(&mut self, machine: &mut Machine<'_, M>, alternatives: &mut VecDeque<Self>) -> Option<()> {
        let mut steps = 0;
        loop {
            while let Some(task) = self.tasks.pop() {
                steps += 1;
                if steps > MAX_TASKS {
                    return None;
                }
                match task {
                    Task::Value(wanted, value) => self.match_value(machine, wanted, value)?,
                    Task::Object(id) => self.match_address(machine, id)?,
                    Task::List(rest) => self.match_list(machine, rest, alternatives)?,
                    Task::Tree(subtree) => self.match_tree(machine, subtree, alternatives)?,
                }
            }
            let before = self.values.len();
            for (wanted, value) in std::mem::take(&mut self.later) {
                if !self.solve(machine, wanted, value) {
                    self.later.push((wanted, value));
                }
            }
            for (one, other) in self.equations.clone() {
                for (known, open) in [(other, one), (one, other)] {
                    if self.is_known(machine, known) && !self.is_known(machine, open) {
                        let value = self.image(machine, known);
                        self.solve(machine, open, value);
                    }
                }
            }
            let is_stuck = |matching: &Self| matching.tasks.is_empty() && matching.values.len() == before;
            if is_stuck(self) && !self.guess_one(machine) && !self.begin_at_last(machine) {
                return Some(());
            }
        }
    }

    /// Guesses variables from one of the values that could not be solved. Returns whether there are new ones.
    fn guess_one(&mut self, machine: &mut Machine<'_, M>) -> bool {
        let (before, tasks) = (self.values.len(), self.tasks.len());
        for (wanted, value) in self.later.clone() {
            let values = self.values.clone();
            self.solve_by(machine, wanted, value, Guess::ByForm);
            if self.values.len() == before {
                continue;
            }
            let image = self.image(machine, wanted);
            let model = self.s.path.model();
            if !self.is_known(machine, wanted)
                || machine.terms.evaluate(image, model) == machine.terms.evaluate(value, model)
            {
                return true;
            }
            self.values = values;
            self.tasks.truncate(tasks);
        }
        false
    }

    /// Matches an object of `R` whose address has a value now.
    fn match_address(&mut self, machine: &mut Machine<'_, M>, id: ObjectId) -> Option<()> {
        let object = self.r.memory.find(id)?;
        let base = object.base;
        if object.segment.is_some() {
            // The address of the last node alone does not tell where a list begins.
            if !self.found.contains(&id) && self.is_known(machine, base) {
                self.found.insert(id);
                self.begin_segment(machine, id)?;
            }
            return Some(());
        }
        if self.partners.contains_key(&id) {
            return Some(());
        }
        let address = self.image(machine, base);
        let Target::Object(own, offset) = machine.target(&self.s, address) else { return None };
        (machine.terms.as_const(offset) == Some(0)).then_some(())?;
        self.match_objects(machine, id, own)
    }

    /// Matches an object of `R` with one of `S`. Their addresses are equal.
    fn match_objects(&mut self, machine: &mut Machine<'_, M>, id: ObjectId, own: ObjectId) -> Option<()> {
        if let Some(&known) = self.partners.get(&id) {
            return (known == own).then_some(());
        }
        let (x, y) = (self.s.memory.find(own)?.clone(), self.r.memory.find(id)?.clone());
        let scope = |scopes: &FxHashMap<ObjectId, u32>, id| scopes.get(&id).copied().unwrap_or(OUTSIDE);
        let fits = (x.kind, x.end, x.constant) == (y.kind, y.end, y.constant)
            && x.segment.is_none()
            && y.segment.is_none()
            && !x.pattern
            && !y.pattern
            && (id == own || !is_fixed(x.kind))
            && scope(&self.scope_of_s, own) == scope(&self.scope_of_r, id)
            && self.taken.insert(own);
        if !fits {
            return None;
        }
        self.partners.insert(id, own);
        self.pairs.push((y.base, x.base));
        self.tasks.push(Task::Value(y.size, x.size));
        // Objects that are as at the start mention only addresses of such objects.
        let is_initial = self.s.memory.shares(&machine.initial, own) && self.r.memory.shares(&machine.initial, id);
        if y.end != End::Live || !y.kind.is_data() || is_initial {
            return Some(());
        }
        self.match_contents(machine, id, own)
    }

    /// Matches the bytes of two objects.
    fn match_contents(&mut self, machine: &mut Machine<'_, M>, id: ObjectId, own: ObjectId) -> Option<()> {
        let y = self.r.memory.get(id).clone();
        if let Initial::Bytes(bytes) = y.initial() {
            // Everything outside of the cells of `R` is known, so the cells of `S` there must have the same bytes.
            let x = self.s.memory.get(own).clone();
            if !matches!(x.initial(), Initial::Bytes(own) if own == bytes) {
                return None;
            }
            for (at, len, value) in x.cells() {
                for byte in at..at + u64::from(len) {
                    if y.cell_at(byte).is_none() {
                        let wanted = y.known_initial(byte, 1, &mut machine.terms)?;
                        let value = machine.terms.extract(value, 8 * (byte - at) as u32, 8);
                        self.tasks.push(Task::Value(wanted, value));
                    }
                }
            }
        }
        for (at, len, wanted) in y.cells() {
            let value = machine.read(&mut self.s, own, at, len);
            self.tasks.push(Task::Value(wanted, value));
        }
        for indexed in y.indexed() {
            self.indexed.push((own, indexed.at, indexed.term));
        }
        Some(())
    }

    /// Checks everything that entailment demands, with the terms that the search has found.
    fn finish(&mut self, machine: &mut Machine<'_, M>, losses: Losses) -> bool {
        let is_found = |id: &ObjectId| self.partners.contains_key(id) || self.found.contains(id);
        if self.r.memory.iter().any(|(id, object)| object.end == End::Live && !object.pattern && !is_found(&id)) {
            return false;
        }
        let is_short = |id: &ObjectId, least: u32| self.nodes.get(id).copied().unwrap_or(0) < least;
        let least =
            |id: &ObjectId| self.r.memory.find(*id)?.segment.as_ref().filter(|s| s.links.len() != 1).map(|s| s.min);
        if self.found.iter().any(|id| least(id).is_some_and(|least| is_short(id, least))) {
            return false;
        }
        for (x, y) in self.s.frames.iter().zip(&self.r.frames) {
            if y.owned.iter().any(|id| !self.partners.get(id).is_some_and(|own| x.owned.contains(own))) {
                return false;
            }
        }
        let is_lost = |id: &ObjectId| !self.taken.contains(id);
        let heap = self
            .s
            .memory
            .iter()
            .filter(|(_, object)| object.kind == ObjectKind::Heap && object.end == End::Live && !object.pattern);
        let lost: Vec<ObjectId> = heap.map(|(id, _)| id).filter(is_lost).collect();
        if losses == Losses::None && lost.into_iter().any(|id| !machine.surely_empty(&self.s, id)) {
            return false;
        }
        if !self.match_indexed(machine) || self.is_refuted(machine) {
            return false;
        }
        let mut conditions = self.r.path.conditions();
        conditions.append(&mut self.conditions);
        let values = self.values.clone();
        // A variable that both states mention has the same meaning more often than not.
        [Choosing::SameMeaning, Choosing::AnyModel, Choosing::SameConditions].into_iter().any(|how| {
            self.values.clone_from(&values);
            self.aliases.clear();
            self.choose_rest(machine, &conditions, how);
            self.holds(machine, &conditions)
        })
    }

    /// Returns whether the model of `S` refutes that some value of `R` is a value of `S`. This only saves time.
    fn is_refuted(&self, machine: &mut Machine<'_, M>) -> bool {
        let (model, mut known) = (self.s.path.model(), FxHashMap::default());
        self.pairs.iter().any(|&(wanted, value)| {
            self.is_known(machine, wanted) && {
                let image = self.image(machine, wanted);
                image != value
                    && machine.terms.evaluate_with(image, model, &mut known)
                        != machine.terms.evaluate_with(value, model, &mut known)
            }
        })
    }

    /// Checks that the values of `R` are those of `S`, and that conditions of `R` follow.
    fn holds(&self, machine: &mut Machine<'_, M>, conditions: &[Term]) -> bool {
        if !self.keeps_scopes(machine) {
            return false;
        }
        let mut map = Substitution::new(self.values.iter().map(|(&variable, &value)| (variable, value)));
        let mut goals = Vec::new();
        let asks = machine.options.kinds.contains(&CheckKind::Uninitialised) && machine.reads_uninitialised();
        for &(wanted, value) in &self.pairs {
            let now = map.apply(&mut machine.terms, wanted);
            if asks && machine.is_undefined(value) && !machine.is_undefined(wanted) {
                return false;
            }
            if now != value {
                goals.push(machine.terms.eq(now, value));
            }
        }
        let given: FxHashSet<Term> = self.s.path.conditions().into_iter().collect();
        let is_itself = |variable: &Term| self.values.get(variable).is_none_or(|value| value == variable);
        for &condition in conditions {
            let is_same = given.contains(&condition) && machine.terms.variables_of(condition).iter().all(is_itself);
            if !is_same {
                goals.push(map.apply(&mut machine.terms, condition));
            }
        }
        goals.sort_unstable();
        goals.dedup();
        goals.retain(|goal| !given.contains(goal) && !machine.terms.is_true(*goal));
        // A goal that the model refutes is the cheapest reason to give up.
        let mut known = FxHashMap::default();
        goals.iter().all(|&goal| machine.terms.evaluate_with(goal, self.s.path.model(), &mut known) == 1)
            && goals.iter().all(|&goal| machine.follows(&self.s, goal))
    }

    /// Returns whether no variable has a value that depends on a node of another scope.
    fn keeps_scopes(&self, machine: &Machine<'_, M>) -> bool {
        let scope = |variable: &Term| self.scope_of_variable.get(variable).copied().unwrap_or(OUTSIDE);
        self.values.iter().all(|(variable, value)| {
            self.aliases.contains(variable)
                || machine.terms.variables_of(*value).iter().all(|part| self.is_within(scope(variable), scope(part)))
        })
    }

    /// Returns whether a scope is another one or inside of it.
    fn is_within(&self, mut scope: u32, outer: u32) -> bool {
        while scope != outer {
            if scope == OUTSIDE {
                return false;
            }
            scope = self.parents[scope as usize];
        }
        true
    }
}

/// Returns whether objects of this kind exist from the start.
pub(crate) fn is_fixed(kind: ObjectKind) -> bool {
    matches!(
        kind,
        ObjectKind::Static | ObjectKind::Function | ObjectKind::Label | ObjectKind::Undefined | ObjectKind::Closure
    )
}
