//! Canonical forms: recognises states that are equal up to renaming.
//!
//! Two paths often lead to states that differ only in the names of variables, in the identity of objects and in dead
//! values. The rest of the execution depends on none of these. A state whose canonical form was met before need not
//! be explored again. This is exact, not an abstraction. It ends the exploration of programs that loop forever among
//! finitely many states.
//!
//! The form lists everything that the rest of the execution can depend on, in the order of a walk from the roots:
//! - the frames with their live registers,
//! - the objects that are reachable from there,
//! - every live heap object,
//! - the path conditions on the variables of all these.
//!
//! Variables and objects are numbered in the order in which the walk meets them. Two equal states may get different
//! forms by an accident of this order; the second one is then explored again, which only costs time.

use std::hash::{DefaultHasher, Hash, Hasher};

use cairn_ir::FuncId;
use cairn_smt::Term;
use cairn_smt::term::Node;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::limits::{MAX_WORDS, WORDS_PER_HIT, WORDS_PER_STEP, WORDS_TO_START};
use crate::{Explorer, Exploring, State};
use cairn_exec::Machine;
use cairn_ir::analysis::liveness::Liveness;
use cairn_memory::object::{End, ObjectKind};
use cairn_memory::pointer::ObjectId;
use cairn_memory::symbolic::{Initial, SymbolicMemory};

/// The canonical forms that were met, as 128-bit hashes.
#[derive(Debug, Default)]
pub(super) struct Met {
    forms: FxHashSet<u128>,
    /// The blocks with more than one predecessor, by function.
    joins: FxHashMap<FuncId, Box<[bool]>>,
    /// The words of all forms computed so far: the cost of the forms.
    cost: u64,
    /// The number of states that were met before: the gain from the forms.
    hits: u64,
}

impl Explorer<'_> {
    /// Returns whether a state that has just entered a block was met before, up to renaming. If not, records it.
    pub(super) fn is_known(&mut self, state: &State) -> bool {
        let (function, block) = (state.top().function, state.top().block);
        let Some(body) = &self.machine.program.functions[function.index()].body else { return false };
        let joins = self.met.joins.entry(function).or_insert_with(|| {
            let mut ways = vec![0u32; body.blocks.len()];
            for block in &body.blocks {
                block.end.for_successors(&mut |next| ways[next.index()] += 1);
            }
            ways.into_iter().map(|ways| ways > 1).collect()
        });
        // `setjmp` buffers refer to frames by serial numbers, which are not part of the form.
        if !joins[block.index()] || !state.jumps.is_empty() {
            return false;
        }
        if self.met.cost > WORDS_TO_START + WORDS_PER_STEP * self.machine.steps + WORDS_PER_HIT * self.met.hits {
            return false;
        }
        let (form, complete) = self.canonical_form(state);
        self.met.cost += form.len() as u64;
        if !complete {
            return false;
        }
        let half = |salt: u64| {
            let mut hasher = DefaultHasher::new();
            (salt, &form).hash(&mut hasher);
            u128::from(hasher.finish())
        };
        let known = !self.met.forms.insert(half(1) << 64 | half(2));
        self.met.hits += u64::from(known);
        known
    }

    /// Returns the canonical form of a state, and whether it is complete.
    fn canonical_form(&mut self, state: &State) -> (Vec<u64>, bool) {
        if state.memory.len() > MAX_WORDS {
            return (vec![0; MAX_WORDS / 20], false);
        }
        for frame in &state.frames {
            if let Some(body) = &self.machine.program.functions[frame.function.index()].body {
                self.machine.liveness.entry(frame.function).or_insert_with(|| Liveness::of(body));
            }
        }
        let mut form = Form {
            machine: &self.machine,
            words: Vec::new(),
            objects: FxHashMap::default(),
            waiting: Vec::new(),
            terms: FxHashMap::default(),
            variables: Vec::new(),
            too_long: false,
        };
        form.frames(state);
        form.objects(state);
        if form.too_long {
            return (form.words, false);
        }
        // The conditions on the variables of the form, in the order of these variables.
        let about = form.variables.clone();
        let (conditions, _) = state.path.relevant(&form.machine.terms, &about);
        form.words.push(conditions.len() as u64);
        for condition in conditions {
            form.term(condition);
        }
        (form.words, true)
    }
}

struct Form<'e, 'p> {
    machine: &'e Machine<'p, Exploring>,
    words: Vec<u64>,
    /// The numbers of the objects, in the order in which they were met.
    objects: FxHashMap<ObjectId, u64>,
    /// The objects whose contents are not written yet.
    waiting: Vec<ObjectId>,
    /// The numbers of the terms, in the order in which they were met.
    terms: FxHashMap<Term, u64>,
    /// The variables, in the order in which they were met.
    variables: Vec<Term>,
    /// Whether something was left out because the form would be too long.
    too_long: bool,
}

impl Form<'_, '_> {
    fn frames(&mut self, state: &State) {
        for frame in &state.frames {
            let Some(body) = &self.machine.program.functions[frame.function.index()].body else { continue };
            let result = frame.result.map_or(u64::MAX, |reg| reg.index() as u64);
            self.words.extend([frame.function.index() as u64, frame.block.index() as u64, frame.inst as u64, result]);
            let live = match self.machine.liveness.get(&frame.function) {
                Some(liveness) => liveness.before(body, frame.block.index(), frame.inst),
                None => vec![true; body.regs.len()],
            };
            for (index, value) in frame.regs.iter().enumerate() {
                // A dead variable can still keep an object reachable.
                if let Some(value) = *value
                    && (live[index] || (body.regs[index].name.is_some() && self.mentions_address(value)))
                {
                    self.words.push(index as u64);
                    self.term(value);
                }
            }
            self.words.push(u64::MAX);
            for (index, slot) in frame.slots.iter().enumerate() {
                if let Some(id) = *slot {
                    self.words.push(index as u64);
                    self.object(state.memory.get(id).base, id);
                }
            }
            self.words.push(u64::MAX);
            for &id in frame.owned.iter().chain(&frame.variadic) {
                self.object(state.memory.get(id).base, id);
            }
        }
    }

    /// Whether an object exists from the start. It has the same id in all states.
    fn is_initial(&self, id: ObjectId) -> bool {
        (id.0 as usize) < self.machine.initial.len()
    }

    fn mentions_address(&self, value: Term) -> bool {
        let variables = self.machine.terms.variables_of(value);
        variables.iter().any(|variable| self.machine.address_of.contains_key(variable))
    }

    /// Writes the number of an object, and queues the object so that its contents follow.
    fn object(&mut self, base: Term, id: ObjectId) {
        let next = self.objects.len() as u64;
        let number = *self.objects.entry(id).or_insert_with(|| {
            self.waiting.push(id);
            next
        });
        self.words.extend([OBJECT, number]);
        if number == next {
            // Conditions may mention the address itself.
            self.variables.extend(self.machine.terms.variables_of(base).iter().copied());
        }
    }

    fn objects(&mut self, state: &State) {
        let initial: &SymbolicMemory = &self.machine.initial;
        // Objects of the start with their initial contents need no words.
        for (id, object) in state.memory.iter() {
            if self.is_initial(id) && !state.memory.shares(initial, id) {
                self.object(object.base, id);
            }
        }
        self.contents(state);
        // A live object counts even if nothing points to it: it can leak, and it keeps other objects reachable.
        for (id, object) in state.memory.iter() {
            let is_new = !self.is_initial(id) && !self.objects.contains_key(&id);
            if !self.too_long && object.end == End::Live && is_new {
                self.object(object.base, id);
                self.contents(state);
            }
        }
        self.lives(state);
    }

    /// Writes which objects are known not to share an address with a dead one.
    fn lives(&mut self, state: &State) {
        let mut known: Vec<(u64, ObjectId)> = self.objects.iter().map(|(&id, &number)| (number, id)).collect();
        known.sort_unstable();
        for &(_, dead) in known.iter().filter(|(_, id)| state.memory.get(*id).died.is_some()) {
            let together = known.iter().filter(|(_, id)| *id != dead && state.memory.lived_together(dead, *id));
            self.words.extend(together.map(|(number, _)| number));
            self.words.push(u64::MAX);
        }
    }

    fn contents(&mut self, state: &State) {
        let mut next = 0;
        while let Some(&id) = self.waiting.get(next) {
            next += 1;
            let object = state.memory.get(id);
            self.words.extend([object.kind as u64, object.end as u64, u64::from(object.constant)]);
            // Objects of the start have names of their own, so that they cannot take the place of each other.
            self.words.push(if self.is_initial(id) { u64::from(id.0) } else { u64::MAX });
            if object.end != End::Live {
                self.term(object.size);
                continue;
            }
            let bytes = match object.initial() {
                Initial::Bytes(bytes) => bytes.len(),
                Initial::Undefined => 0,
            };
            self.too_long |= self.words.len() + object.cell_count() + bytes / 8 > MAX_WORDS;
            if self.too_long {
                return;
            }
            if matches!(object.kind, ObjectKind::Function) || state.memory.shares(&self.machine.initial, id) {
                // This object is the same in every state that has it.
                self.words.push(u64::from(id.0));
                continue;
            }
            self.term(object.size);
            match object.initial() {
                Initial::Undefined => self.words.push(u64::MAX),
                Initial::Bytes(bytes) => {
                    self.words.push(bytes.len() as u64);
                    self.words.extend(bytes.chunks(8).map(|chunk| {
                        let mut word = [0; 8];
                        word[..chunk.len()].copy_from_slice(chunk);
                        u64::from_le_bytes(word)
                    }));
                }
            }
            for (at, _, value) in object.cells() {
                self.words.push(at);
                self.term(value);
            }
            self.words.push(u64::MAX);
            for indexed in object.indexed() {
                self.words.push(1);
                self.term(indexed.at);
                self.term(indexed.term);
            }
            self.words.push(u64::MAX);
        }
        self.waiting.clear();
    }

    /// Writes a term: its number if it was met before, and its structure otherwise.
    ///
    /// Terms of long paths are deep, so the traversal uses an explicit stack.
    fn term(&mut self, root: Term) {
        let mut stack = vec![root];
        while let Some(term) = stack.pop() {
            if let Some(&number) = self.terms.get(&term) {
                self.words.extend([SEEN, number]);
                continue;
            }
            if let Some(&id) = self.machine.bases.get(&term) {
                self.object(term, id);
                continue;
            }
            self.terms.insert(term, self.terms.len() as u64);
            let width = u64::from(self.machine.terms.width(term));
            match *self.machine.terms.node(term) {
                Node::Const(bits) => self.words.extend([width << 8, bits as u64, (bits >> 64) as u64]),
                Node::Var(number) => {
                    if self.machine.label_of.contains_key(&term) {
                        // Labels are the same in all states.
                        self.words.extend([width << 8 | 1, u64::from(number)]);
                        continue;
                    }
                    let undefined = u64::from(self.machine.undefined.contains(&term));
                    self.words.push(width << 8 | 2 | undefined << 4);
                    self.variables.push(term);
                    // The variable is part of an address, so the object of the address matters.
                    if let Some(&base) = self.machine.address_of.get(&term) {
                        stack.push(base);
                    }
                }
                Node::Sum(ref sum) => {
                    let count = sum.monomials.len() as u64;
                    self.words.extend([width << 8 | 3, sum.constant as u64, (sum.constant >> 64) as u64, count]);
                    for &(part, coefficient) in &sum.monomials {
                        self.words.extend([coefficient as u64, (coefficient >> 64) as u64]);
                        stack.push(part);
                    }
                }
                Node::Binary(op, a, b) => {
                    self.words.push(width << 8 | 4 | (op as u64) << 32);
                    stack.extend([b, a]);
                }
                Node::Not(a) => {
                    self.words.push(width << 8 | 5);
                    stack.push(a);
                }
                Node::SExt(a) => {
                    self.words.push(width << 8 | 6);
                    stack.push(a);
                }
                Node::Extract(a, low) => {
                    self.words.extend([width << 8 | 7, u64::from(low)]);
                    stack.push(a);
                }
                Node::Ite(c, a, b) => {
                    self.words.push(width << 8 | 8);
                    stack.extend([b, a, c]);
                }
            }
        }
    }
}

/// Marks a term that was met before; its number follows.
const SEEN: u64 = u64::MAX - 1;

/// Marks the address of an object; its number follows.
const OBJECT: u64 = u64::MAX - 2;
