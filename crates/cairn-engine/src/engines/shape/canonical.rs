//! States that are the same but for names: their canonical form, and the memory of those that were met.
//!
//! Two paths often lead to states that differ only in which variables, objects and dead values they were built from. What can
//! happen next depends on none of these, so that a state whose canonical form was met before need not be explored again. This
//! is exact, not an abstraction: it ends the exploration of programs that go around for ever among finitely many states.
//!
//! The form lists what the rest of the run can depend on, in an order that is found by walking from the roots: the frames with
//! the registers that are still read, the objects that can be reached from there, every heap object that is alive, and the
//! conditions of the path that speak of the variables in all that. Variables and objects get numbers as they are met. States
//! that are kept apart by an accident of that order are explored twice, which costs time and nothing else.

use std::hash::{DefaultHasher, Hash, Hasher};

use cairn_ir::{BlockId, FuncId};
use cairn_smt::Term;
use cairn_smt::term::Node;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Explorer;
use super::state::State;
use crate::liveness::Liveness;
use crate::memory::object::{End, ObjectKind};
use crate::memory::pointer::ObjectId;
use crate::memory::symbolic::{Initial, SymbolicMemory};

/// The canonical forms that were met, as hashes of 128 bits.
#[derive(Debug, Default)]
pub(super) struct Met {
    forms: FxHashSet<u128>,
    /// Blocks that more than one way leads to, by function.
    joins: FxHashMap<FuncId, Box<[bool]>>,
    /// Words of all forms made so far: what they cost.
    cost: u64,
    /// States that were met before: what the forms gained.
    hits: u64,
}

/// Words of canonical forms that the search may pay for in the beginning, with each step, and with each state that it was spared.
const WORDS_TO_START: u64 = 200_000;
const WORDS_PER_STEP: u64 = 20;
const WORDS_PER_HIT: u64 = 5_000;

/// Words of the longest form: larger states seldom come back, and would cost more than they spare.
const MAX_WORDS: usize = 20_000;

impl Explorer<'_> {
    /// Whether a state that has just come to a block was met before under other names; if not, it is met now.
    pub(super) fn is_known(&mut self, state: &State, block: BlockId) -> bool {
        let function = state.top().function;
        let Some(body) = &self.program.functions[function.index()].body else { return false };
        let joins = self.met.joins.entry(function).or_insert_with(|| {
            let mut ways = vec![0u32; body.blocks.len()];
            for block in &body.blocks {
                block.end.for_successors(&mut |next| ways[next.index()] += 1);
            }
            ways.into_iter().map(|ways| ways > 1).collect()
        });
        // A proof joins states and takes back what came of those that were replaced: it has its own way to cover. Buffers of
        // `setjmp` name frames by numbers that are no part of the form.
        if self.proving || !joins[block.index()] || !state.jumps.is_empty() {
            return false;
        }
        if self.met.cost > WORDS_TO_START + WORDS_PER_STEP * self.steps + WORDS_PER_HIT * self.met.hits {
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

    /// The form, and whether it is all of it.
    fn canonical_form(&mut self, state: &State) -> (Vec<u64>, bool) {
        if state.memory.len() > MAX_WORDS {
            return (vec![0; MAX_WORDS / 20], false);
        }
        for frame in &state.frames {
            if let Some(body) = &self.program.functions[frame.function.index()].body {
                self.liveness.entry(frame.function).or_insert_with(|| Liveness::of(body));
            }
        }
        let mut form = Form {
            explorer: self,
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
        // The conditions on the variables that were met, in the order in which those were.
        let about = form.variables.clone();
        let (conditions, _) = state.path.relevant(&form.explorer.terms, &about);
        form.words.push(conditions.len() as u64);
        for condition in conditions {
            form.term(condition);
        }
        (form.words, true)
    }
}

struct Form<'e, 'p> {
    explorer: &'e Explorer<'p>,
    words: Vec<u64>,
    /// Numbers of objects, in the order in which they were met.
    objects: FxHashMap<ObjectId, u64>,
    /// Objects whose contents are not written down yet.
    waiting: Vec<ObjectId>,
    /// Numbers of terms, in the order in which they were met.
    terms: FxHashMap<Term, u64>,
    /// Variables in the order in which they were met.
    variables: Vec<Term>,
    /// Whether something was left out because there is too much of it.
    too_long: bool,
}

impl Form<'_, '_> {
    fn frames(&mut self, state: &State) {
        for frame in &state.frames {
            let Some(body) = &self.explorer.program.functions[frame.function.index()].body else { continue };
            let result = frame.result.map_or(u64::MAX, |reg| reg.index() as u64);
            self.words.extend([frame.function.index() as u64, frame.block.index() as u64, frame.inst as u64, result]);
            let live = match self.explorer.liveness.get(&frame.function) {
                Some(liveness) => liveness.before(body, frame.block.index(), frame.inst),
                None => vec![true; body.regs.len()],
            };
            for (index, value) in frame.regs.iter().enumerate() {
                // A variable that is not read again still keeps an object from being lost.
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

    fn mentions_address(&self, value: Term) -> bool {
        let variables = self.explorer.terms.variables_of(value);
        variables.iter().any(|variable| self.explorer.address_of.contains_key(variable))
    }

    /// Writes down an object's number, and makes sure that its contents follow.
    fn object(&mut self, base: Term, id: ObjectId) {
        let next = self.objects.len() as u64;
        let number = *self.objects.entry(id).or_insert_with(|| {
            self.waiting.push(id);
            next
        });
        self.words.extend([OBJECT, number]);
        if number == next {
            // The address itself may occur in conditions.
            self.variables.extend(self.explorer.terms.variables_of(base).iter().copied());
        }
    }

    fn objects(&mut self, state: &State) {
        let initial: &SymbolicMemory = &self.explorer.initial;
        // Globals that are as they were in the beginning need no words.
        for &id in &self.explorer.globals {
            if !state.memory.shares(initial, id) {
                self.object(state.memory.get(id).base, id);
            }
        }
        self.contents(state);
        // What is alive is there even when nothing points to it: it can be lost, and it keeps others from being lost.
        for (id, object) in state.memory.iter().skip(initial.len()) {
            if !self.too_long && object.end == End::Live && !self.objects.contains_key(&id) {
                self.object(object.base, id);
                self.contents(state);
            }
        }
        self.lives(state);
    }

    /// Which objects are known not to lie where one that is dead lay.
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
            if object.end != End::Live {
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
            if matches!(object.kind, ObjectKind::Function) || state.memory.shares(&self.explorer.initial, id) {
                // The same in every state: its number among all objects says which.
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
        }
        self.waiting.clear();
    }

    /// Writes down a term: its number, or its shape where it is met for the first time. Terms of long paths are deep, so the
    /// operands are taken from a stack.
    fn term(&mut self, root: Term) {
        let mut stack = vec![root];
        while let Some(term) = stack.pop() {
            if let Some(&number) = self.terms.get(&term) {
                self.words.extend([SEEN, number]);
                continue;
            }
            if let Some(&id) = self.explorer.bases.get(&term) {
                self.object(term, id);
                continue;
            }
            self.terms.insert(term, self.terms.len() as u64);
            let width = u64::from(self.explorer.terms.width(term));
            match *self.explorer.terms.node(term) {
                Node::Const(bits) => self.words.extend([width << 8, bits as u64, (bits >> 64) as u64]),
                Node::Var(number) => {
                    if self.explorer.label_of.contains_key(&term) {
                        // Labels are the same in all states.
                        self.words.extend([width << 8 | 1, u64::from(number)]);
                        continue;
                    }
                    let undefined = u64::from(self.explorer.undefined.contains(&term));
                    self.words.push(width << 8 | 2 | undefined << 4);
                    self.variables.push(term);
                    // A part of an address: which object's it is matters.
                    if let Some(&base) = self.explorer.address_of.get(&term) {
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

/// A term that was met before; its number follows.
const SEEN: u64 = u64::MAX - 1;

/// The address of an object; its number follows.
const OBJECT: u64 = u64::MAX - 2;
