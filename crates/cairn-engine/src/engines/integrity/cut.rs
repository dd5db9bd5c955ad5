//! Cut-points: what must hold at calls and at the end. Cells that nobody can come across may be left out of it: they need not be
//! initialised yet, which is the paper's future work. `invariant` does the same for loops.

use cairn_ir::ctype::Type;
use cairn_ir::{Loc, Reg};
use cairn_rules::{Lit, Model, Term, Var};

use super::checker::{Checker, Flow, NULL_PAGE, Stop};
use super::filled::LocalArray;
use super::report::Status;
use super::state::{Origin, Reach, State, Value};
use super::types::{ClassId, NodeId};

/// Cells that are left out of one condition; each of them takes a proof.
const EXEMPT: usize = 64;

/// What is left out of a condition: the cells, and the objects that nothing links to.
#[derive(Clone, Debug, Default)]
pub(super) struct Settled {
    pub chosen: Vec<usize>,
    /// The heap of each class with null in the cells that are left out.
    pub heaps: Vec<i64>,
}

/// A cell that may hold anything: in the node of a register, or in a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Name {
    Reg(Reg, u64),
    Slot(usize, u64),
    /// Of an object of this call; not a name that lasts.
    Made,
}

/// A cell that may be left out of a condition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub cell: Term,
    pub class: ClassId,
    pub name: Name,
}

/// What changes the graph in a way that is not followed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Effect {
    /// A call. A struct that it returns goes to this variable.
    Call(Option<Term>),
    /// A write, to local variables as well.
    Write,
}

/// Why a graph is not closed: a model, and the cell.
pub(super) type Broken = (Option<Box<Model>>, Option<Term>, ClassId);

impl Checker<'_, '_> {
    /// A pointer that is handed on must be null or a node of its type.
    pub fn valid_argument(&mut self, state: &State, node: Option<NodeId>, term: Term, loc: Loc, what: &str) -> Flow {
        let Some(node) = node else { return Ok(()) };
        self.recognise_element(term, node)?;
        let valid = self.solver.constraint(self.theory.valid(node), &[term]);
        let mut negated = vec![!valid];
        if (1..NULL_PAGE).contains(&term.offset) && term.var != Var::ZERO {
            // The address of a member of null: who uses it stops as with null itself.
            negated.push(!self.solver.equal(Term { offset: 0, ..term }, Term::constant(0)));
        }
        match self.prove(&negated) {
            Ok(()) => Ok(()),
            Err(model) => {
                let origin = self.origin(term);
                let any_size = |origin: &Origin| matches!(origin.block, Some((None, _)));
                let why = if origin.is_some_and(any_size) {
                    Some("that is memory of any size")
                } else if origin.is_some_and(|origin| origin.opaque) || self.is_other_view(term, node) {
                    Some("that is made of a pointer that is declared as no link")
                } else if self.is_container(term, node) {
                    Some("that is what something linked is a part of, which no type says")
                } else if self.is_pointer_to_data(term) {
                    Some("that points into an array whose length is not known")
                } else {
                    None
                };
                if let Some(why) = why {
                    if self.integrity == Status::Proved {
                        self.integrity = Status::Unknown(format!("line {}: {what} {why}", loc.line));
                    }
                    self.casts = true;
                    if !self.leaving {
                        self.integrity_cut.get_or_insert(loc);
                    }
                    return Err(Stop::Done);
                }
                let what = format!("{what} that may be no {}", self.types.node(node).name);
                Err(self.integrity_fails(state, loc, &what, model, Some(term)))
            }
        }
    }

    /// Whether a pointer is made of one to a part of a node: how that was linked decides whether it is one.
    fn is_container(&self, term: Term, node: NodeId) -> bool {
        let part = self.origin(term).and_then(|origin| origin.hint);
        part.is_some_and(|part| {
            let name = &self.types.node(node).name;
            term.offset <= 0 && self.types.containers(part, -term.offset).any(|container| container.name == *name)
        })
    }

    /// Whether a pointer is cast from a struct that has pointers to anything where the other one has links: what they hold is
    /// not known.
    fn is_other_view(&self, term: Term, node: NodeId) -> bool {
        let Some(own) = self.origin(term).and_then(|origin| origin.hint).filter(|_| term.offset == 0) else {
            return false;
        };
        let (own, node) = (self.types.node(own), self.types.node(node));
        let is_pointer = |cells: &super::types::Cells| {
            let there = own.cell(self.types, cells.offset as i64, self.types.class(cells.class).width);
            there.is_some_and(|class| self.types.class(class).pointer && self.types.class(class).link.is_none())
        };
        let mut links = node.cells.iter().filter(|cells| self.types.class(cells.class).link.is_some()).peekable();
        own.size >= node.size && !own.scalar && links.peek().is_some() && links.all(is_pointer)
    }

    /// Proves that the graph is closed but for the arrays and some of the candidates; which ones.
    pub fn settle(
        &mut self,
        state: &State,
        candidates: &[Candidate],
        mut chosen: Vec<usize>,
        arrays: &[LocalArray],
    ) -> Result<Vec<usize>, Broken> {
        let changed: Vec<ClassId> = state.changed().collect();
        for class in changed {
            let Some(intact) = self.theory.intact(class) else { continue };
            let link = self.types.class(class).link;
            loop {
                let level = self.solver.level();
                let mut heap = self.without_arrays(state.heaps[class.0 as usize], class, arrays);
                let mut possible = true;
                for &index in &chosen {
                    if candidates[index].class != class {
                        continue;
                    }
                    let new = self.another_heap();
                    let args = [Term::constant(heap), candidates[index].cell, Term::constant(0), Term::constant(new)];
                    let write = self.solver.constraint(self.theory.write, &args);
                    possible &= self.solver.assume(write);
                    heap = new;
                }
                let goal = self.solver.constraint(intact, &[Term::constant(heap)]);
                let outcome = if possible { self.prove(&[!goal]) } else { Ok(()) };
                self.solver.backtrack(level);
                let model = match outcome {
                    Ok(()) => break,
                    Err(None) => return Err((None, None, class)),
                    Err(Some(model)) => model,
                };
                let mut broken = None;
                for args in model.constraints(self.theory.cell) {
                    let refused = link.is_some_and(|link| {
                        model.refused(self.theory.object(link)).any(|refused| model.same(refused[0], args[2]))
                    });
                    if args[0] == Term::constant(heap) && refused {
                        broken = Some(args[1]);
                    }
                }
                let found = broken.and_then(|cell| {
                    candidates.iter().enumerate().position(|(index, candidate)| {
                        !chosen.contains(&index) && candidate.class == class && model.same(candidate.cell, cell)
                    })
                });
                match found {
                    Some(_) if chosen.len() >= EXEMPT => return Err((None, None, class)),
                    Some(index) => chosen.push(index),
                    None => return Err((Some(model), broken, class)),
                }
            }
        }
        Ok(chosen)
    }

    /// The link cells of a node.
    pub fn links(&self, base: Term, node: NodeId, name: impl Fn(u64) -> Name, out: &mut Vec<Candidate>) {
        let ty = self.types.node(node);
        for (offset, class) in ty.touched(self.types, 0, ty.size) {
            if self.types.class(class).link.is_some() {
                out.push(Candidate { cell: base + offset as i64, class, name: name(offset) });
            }
        }
    }

    pub fn slot_candidates(&self, state: &State, all: bool, arrays: &[LocalArray], out: &mut Vec<Candidate>) {
        for (index, &slot) in state.frames[0].slots.iter().enumerate() {
            let leaked = state.leaked.get(index).copied().unwrap_or(false);
            let array = arrays.iter().any(|array| array.is(index));
            let node = self.origin(slot).and_then(|origin| origin.hint).filter(|_| !array);
            if let (Some(node), true) = (node, all || !leaked) {
                self.links(slot, node, |offset| Name::Slot(index, offset), out);
            }
        }
    }

    /// A call: the graph is valid before it, but for what the callee can't reach, and after it.
    pub fn settle_call(&mut self, state: &mut State, arguments: &[Term], effect: Effect, loc: Loc) -> Flow {
        self.look_for_freed(state, None, loc);
        let handed = arguments.iter().any(|&term| self.reach(term) != Reach::Public);
        let mut candidates = Vec::new();
        if !state.escaped && !handed {
            for &(base, node) in &state.made {
                self.links(base, node, |_| Name::Made, &mut candidates);
            }
        }
        if let Some((base, node)) = state.out {
            self.links(base, node, |_| Name::Made, &mut candidates);
        }
        let arrays = self.local_arrays(state);
        self.slot_candidates(state, false, &arrays, &mut candidates);
        match self.settle(state, &candidates, Vec::new(), &arrays) {
            Ok(chosen) => {
                let isolated = self.isolated_objects(state, &candidates, &chosen, &arrays, arguments);
                let kept = match effect {
                    Effect::Call(result) => self.links_to_keep(state, &isolated, result)?,
                    Effect::Write => Vec::new(),
                };
                state.escaped |= handed;
                let before = state.heaps.clone();
                self.new_epoch(state)?;
                self.keep_arrays(state, &before, &arrays)?;
                for base in isolated {
                    let fresh = self.solver.constraint(self.theory.fresh, &[base, Term::constant(state.epoch)]);
                    self.assume(fresh)?;
                }
                for (class, address, value) in kept {
                    self.write(state, class, address, value)?;
                }
                for index in chosen {
                    let junk = self.variable(Origin::unknown());
                    self.write(state, candidates[index].class, candidates[index].cell, junk)?;
                }
                Ok(())
            }
            Err(broken) => Err(self.broken(state, loc, "at a call", broken)),
        }
    }

    /// The objects of this call (with cells that are left out) and the slots to which nothing links: a callee does not come
    /// across them.
    fn isolated_objects(
        &mut self,
        state: &State,
        candidates: &[Candidate],
        chosen: &[usize],
        arrays: &[LocalArray],
        arguments: &[Term],
    ) -> Vec<Term> {
        let mut out: Vec<Term> = Vec::new();
        for &index in chosen {
            let base = Term { offset: 0, ..candidates[index].cell };
            let made = state.made.iter().any(|&(made, _)| made == base);
            if made && !out.contains(&base) && !arguments.iter().any(|argument| argument.var == base.var) {
                out.push(base);
            }
        }
        for (index, &slot) in state.frames[0].slots.iter().enumerate() {
            let leaked = state.leaked.get(index).copied().unwrap_or(false);
            if !leaked && self.reach(slot) == Reach::Public {
                out.push(slot);
            }
        }
        if out.is_empty() {
            return out;
        }
        let settled = self.blanked(state, candidates, chosen, arrays);
        out.retain(|&base| self.is_unlinked(&settled, base));
        out
    }

    /// The heaps with null in the cells that are left out.
    pub fn blanked(
        &mut self,
        state: &State,
        candidates: &[Candidate],
        chosen: &[usize],
        arrays: &[LocalArray],
    ) -> Settled {
        let mut heaps = state.heaps.clone();
        for array in arrays {
            let class = array.class().0 as usize;
            heaps[class] = self.without_arrays(heaps[class], array.class(), &[*array]);
        }
        for &index in chosen {
            let class = candidates[index].class.0 as usize;
            let new = self.another_heap();
            let args = [Term::constant(heaps[class]), candidates[index].cell, Term::constant(0), Term::constant(new)];
            let write = self.solver.constraint(self.theory.write, &args);
            self.solver.assume(write);
            heaps[class] = new;
        }
        Settled { chosen: chosen.to_vec(), heaps }
    }

    /// Whether no link holds the address of an object, or of a part of it.
    pub fn is_unlinked(&mut self, settled: &Settled, base: Term) -> bool {
        self.parts_of(base).into_iter().all(|address| self.linked_from(settled, address).is_none())
    }

    /// A class of links that may hold an address.
    fn linked_from(&mut self, settled: &Settled, base: Term) -> Option<ClassId> {
        for class in 0..settled.heaps.len() {
            if self.theory.closed(ClassId(class as u32)).is_none() {
                continue;
            }
            for tag in 0..=self.types.classes[class].tag {
                let somewhere = self.solver.fresh();
                let args = [Term::constant(settled.heaps[class]), somewhere, base + tag];
                let linked = self.solver.constraint(self.theory.cell, &args);
                if self.prove(&[linked]).is_err() {
                    return Some(ClassId(class as u32));
                }
            }
        }
        None
    }

    pub fn broken(&mut self, state: &State, loc: Loc, when: &str, (model, cell, class): Broken) -> Stop {
        let what = format!("{} may hold no valid link {when}", self.types.class(class).name);
        self.integrity_fails(state, loc, &what, model, cell)
    }

    /// The end of the function.
    pub fn leave(&mut self, state: &mut State, value: Option<Value>, loc: Loc) -> Flow {
        self.ends = true;
        self.alive = self.alive || self.prove(&[]).is_err();
        let function = self.function;
        let ty = self.body(function).and_then(|body| body.ctypes.function);
        let ty = match ty.map(|ty| self.program.types.get(ty)) {
            Some(Type::Function(ty)) => Some(ty.ret.ty),
            _ => None,
        };
        let summary = self.summaries[function.index()];
        let mut result = Reach::Public;
        if let Some(value) = value {
            self.note_result(value);
            let term = match value {
                Value::Term(term) => Some(term),
                // Nobody looks at a result that is no pointer.
                _ => self.pointee(ty).map(|_| self.variable(Origin::unknown())),
            };
            if let Some(term) = term {
                let node = self.pointee(ty);
                self.demand_link(term, node);
                self.demand(term, node)?;
                if self.origin(term).is_some_and(|origin| origin.block.is_some() && origin.reach == Reach::Private) {
                    self.in_callers |= summary.small;
                }
                self.valid_argument(state, node, term, loc, "a result")?;
                result = self.reach(term);
                state.dangling |= self.leak(state, term);
            }
        }
        if state.dangling
            && self.integrity == Status::Proved
            && let Some(outlived) = self.outlived(state, value)
        {
            self.integrity = Status::Unknown(format!("line {}: {outlived}", loc.line));
        }
        self.look_for_freed(state, value, loc);
        let mut candidates = Vec::new();
        let arrays = self.local_arrays(state);
        self.slot_candidates(state, true, &arrays, &mut candidates);
        let slots = candidates.len();
        if !state.escaped {
            for &(base, node) in &state.made {
                self.links(base, node, |_| Name::Made, &mut candidates);
            }
        }
        match self.settle(state, &candidates, Vec::new(), &arrays) {
            Ok(chosen) => {
                if result != Reach::Public && chosen.iter().any(|&index| index >= slots) {
                    // It returns a node that is not initialised. Its callers see that, if they all are here.
                    self.in_callers |= summary.small;
                    if summary.open || !summary.small {
                        let settled = self.settle(state, &candidates[..slots], Vec::new(), &arrays);
                        let Err(broken) = settled else { return Ok(()) };
                        return Err(self.broken(state, loc, "in what is returned", broken));
                    }
                }
                Ok(())
            }
            Err(broken) => Err(self.broken(state, loc, "at the end", broken)),
        }
    }

    /// A local variable whose address may still be in the graph, or be the result, when its function ends: a local variable of
    /// a node's type is a node as long as it is there, and no longer.
    fn outlived(&mut self, state: &State, result: Option<Value>) -> Option<String> {
        let arrays = self.local_arrays(state);
        let mut candidates = Vec::new();
        self.slot_candidates(state, true, &arrays, &mut candidates);
        let all: Vec<usize> = (0..candidates.len()).collect();
        // What is in the variables themselves is gone with them.
        let rest = self.blanked(state, &candidates, &all, &arrays);
        let slots = &self.body(self.function)?.slots;
        for (index, &slot) in state.frames[0].slots.iter().enumerate() {
            if self.reach(slot) != Reach::Public {
                continue;
            }
            let name = slots[index].name.as_deref().unwrap_or("temporary");
            if let Some(Value::Term(result)) = result {
                let same = self.solver.equal(result, slot);
                if result.var == slot.var || self.prove(&[same]).is_err() {
                    return Some(format!("the address of the local variable `{name}` may be returned"));
                }
            }
            if let Some(class) = self.parts_of(slot).into_iter().find_map(|address| self.linked_from(&rest, address)) {
                let class = &self.types.class(class).name;
                return Some(format!("the address of the local variable `{name}` may be left in {class}"));
            }
        }
        None
    }

    /// A cut-point where a link certainly leads to what this path freed. When memory dies is no matter of this engine otherwise
    /// (section 5 of the paper); but what is plain to see is not called safe.
    pub fn look_for_freed(&mut self, state: &mut State, result: Option<Value>, loc: Loc) {
        if self.integrity == Status::Proved && self.keeps_what_was_freed(state, result) {
            self.integrity = Status::Unknown(format!("line {}: memory that was freed is still linked", loc.line));
        }
    }

    fn keeps_what_was_freed(&mut self, state: &mut State, result: Option<Value>) -> bool {
        let freed: Vec<Term> =
            state.freed.iter().copied().filter(|&term| self.solver.constant(term).is_none()).collect();
        if freed.is_empty() {
            return false;
        }
        if let Some(Value::Term(result)) = result
            && self.is_one_of(result, &freed, &[])
        {
            return true;
        }
        for (class, address) in state.visited.clone() {
            if self.is_slot(state, address) {
                continue;
            }
            // What is in memory that was freed itself does not matter.
            let holder = Term { offset: 0, ..self.spread(address).map_or(address, |spread| spread.root) };
            let alive: Vec<Lit> = freed.iter().map(|&freed| !self.solver.equal(holder, freed)).collect();
            let Ok(value) = self.read(state, class, address) else { continue };
            if self.is_one_of(value, &freed, &alive) {
                return true;
            }
        }
        false
    }

    /// Whether a value certainly is one of several addresses, if that one is not null, and this is possible at all.
    fn is_one_of(&mut self, value: Term, addresses: &[Term], given: &[Lit]) -> bool {
        addresses.iter().any(|&address| {
            let mut lits = given.to_vec();
            lits.push(!self.solver.equal(address, Term::constant(0)));
            lits.push(!self.solver.equal(value, address));
            if !self.may_be(value, address) || self.prove(&lits).is_err() {
                return false;
            }
            lits.pop();
            self.prove(&lits).is_err()
        })
    }
}
