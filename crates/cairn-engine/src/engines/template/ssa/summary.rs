//! Functions with summaries (thesis §2.5, §3.7): such a function has a formula of its own, and a call of it is a placeholder.
//!
//! The body starts in variables for everything that it may be given: its parameters, and the cells of all objects that are alive
//! where it is called. Rows at its entry are its *calling context*: they are shown for what each call passes and assumed in the body.
//! Rows at its exit are its *summary*: they are shown at the end of the body and assumed behind each call, of what the body may
//! change; what it does not change is not touched. Both start at "nothing comes here" and grow like those of loops, so a call whose
//! context the rows cover uses the summary again, and one that they do not cover makes them grow; and a function that calls itself is no
//! different from a loop. Where one context for all calls proves too little, those that no other covers get contexts of their own, each
//! with a body ([`super::contexts`]).
//!
//! **Bindings.** The thesis gives a function placeholder objects (`p^obj`) for what its inputs point to and binds them to the objects
//! of the caller (Algorithms 6, 7), also those that an iterator visits (Algorithms 11, 12). Here the objects of all bodies have one
//! numbering and a parameter points to the objects of its callers, so a placeholder is bound to every object that it may be by being
//! that object: two parameters that lead to one object, or a parameter and a global, see each other's writes, and what the function
//! writes is written to the caller's objects. Local variables of the caller that nothing leads to which the function is given are
//! not passed.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use cairn_ir::inst::Passing;
use cairn_ir::program::Origin;
use cairn_ir::{FuncId, Loc, Ty};
use cairn_smt::Term;

use super::bindings::parameter_name;
use super::build::{Builder, Calls, Cell, Failure, State};
use super::contexts::CallSite;
use super::cut::part_label;
use super::knowledge::{Context, LoopKey, Name, ObjectKey, Part, Place};
use super::value::{ObjectNumber, Value, objects};
use super::{Kind, Location, Variable};

/// The contents of all objects.
pub(super) type Cells = Rc<BTreeMap<Cell, Value>>;

/// Bodies beyond which a formula is given up.
const MAX_BODIES: usize = 64;

/// Calls of a function by itself that are inlined at most.
const MAX_UNWOUND_CALLS: u32 = 3;

/// A function that has a body of its own.
pub(super) struct Callee {
    pub(super) function: FuncId,
    /// Which of its calling contexts this is for.
    pub(super) number: u32,
    /// The context of what happens in its body.
    pub(super) context: Context,
    /// The context that it is called in, and the functions that it calls itself through.
    parent: Context,
    recursion: Option<usize>,
    /// Its body, once that is built.
    pub(super) built: Option<Built>,
}

/// What came of building the body of a function.
pub(super) struct Built {
    pub(super) body: usize,
    /// The location of its calling context.
    pub(super) entry: usize,
    pub(super) given: Vec<Given>,
    pub(super) start: State,
    pub(super) exit: Option<(State, Option<Value>)>,
}

/// Something that a function is given.
#[derive(Clone)]
pub(super) struct Given {
    pub(super) variable: Variable,
    /// Which part of which instance; `None` for a parameter.
    pub(super) cell: Option<Cell>,
    pub(super) value: Value,
}

/// A call that is a placeholder for a summary.
#[derive(Clone, Debug)]
pub struct Placeholder {
    /// The body that it is in.
    pub body: usize,
    /// The function that has the summary, by its place among those that have.
    pub callee: usize,
    /// Which call it is.
    pub site: CallSite,
    /// Where it is.
    pub loc: Loc,
    /// Whether it is reached.
    pub guard: Term,
    /// Whether it is reached and returns.
    pub returns: Term,
    /// What is passed.
    pub args: Vec<Value>,
    /// What it returns.
    pub result: Option<Value>,
    /// What objects hold before and after it.
    pub(super) before: Cells,
    pub(super) after: Cells,
    pub(super) around: Vec<usize>,
}

impl Callee {
    /// Where it is known what the function changes and gives back.
    pub(super) fn exit_key(&self) -> LoopKey {
        (self.context, usize::MAX, Vec::new())
    }

    /// Where it is known what the function is given.
    fn entry_key(&self) -> LoopKey {
        (self.context, usize::MAX - 1, Vec::new())
    }
}

impl Builder<'_, '_> {
    /// Whether a call is a placeholder for a summary.
    pub(super) fn has_summary(&self, function: FuncId) -> bool {
        let of = &self.program.functions[function.index()];
        if of.signature.variadic || of.body.is_none() {
            return false;
        }
        let recursive = self.knowledge.recursion(function).is_some();
        match self.calls {
            Calls::Inline => false,
            // Unwinding goes into recursion as it does into loops, but calls may branch.
            Calls::Auto => recursive && self.depth_of(function) + 1 >= self.unwind.min(MAX_UNWOUND_CALLS),
            Calls::Summaries => recursive || of.origin == Origin::User,
        }
    }

    /// Calls of a function that the place at hand is in.
    pub(super) fn depth_of(&self, function: FuncId) -> u32 {
        self.frames.iter().filter(|frame| frame.function == function).count() as u32
    }

    /// What tells a call from all others.
    fn call_site(&self, callee: FuncId, place: &Place) -> CallSite {
        let body = match self.body.checked_sub(1).map(|number| &self.callees[number]) {
            Some(caller) => (caller.function, caller.number),
            None => (self.bodies[0].function, 0),
        };
        CallSite { body, function: self.frame().function, block: place.block, inst: place.inst, callee }
    }

    /// The function with a summary for a call.
    fn callee(&mut self, function: FuncId, site: &CallSite, place: Place) -> usize {
        let recursion = self.knowledge.recursion(function);
        let around = self.body.checked_sub(1).map(|number| &self.callees[number]);
        let parent = match around {
            _ if self.calls == Calls::Summaries => Context(0),
            Some(caller) if recursion.is_some() && caller.recursion == recursion => caller.parent,
            _ => self.knowledge.context(Place { callee: Some(function), ..place }),
        };
        let number = self.options.contexts.of(site);
        let context = self.knowledge.summary_context(parent, function, number);
        if let Some(known) = self.callees.iter().position(|callee| callee.context == context) {
            return known;
        }
        self.callees.push(Callee { function, number, context, parent, recursion, built: None });
        self.callees.len() - 1
    }

    /// A call that is a placeholder: what it may change is anything that the summary allows.
    pub(super) fn placeholder(
        &mut self,
        state: State,
        function: FuncId,
        args: &[Value],
        loc: Loc,
        place: Place,
    ) -> (State, Option<Value>) {
        let site = self.call_site(function, &place);
        let callee = self.callee(function, &site, place);
        let (entry, exit) = (self.callees[callee].entry_key(), self.callees[callee].exit_key());
        let (given, args) = self.with_copies(&state, callee, args);
        let hidden = self.private(&given, &args);
        let mut before = given.cells;
        if !hidden.is_empty() {
            let own: Vec<u32> = hidden.iter().filter_map(|&object| self.first_number(object)).collect();
            Rc::make_mut(&mut before).retain(|cell, _| !own.contains(&cell.0));
        }
        // What the function is given.
        for (param, arg) in args.iter().enumerate() {
            self.may_point(&entry, Name::Param(param as u32), arg);
        }
        for (&(number, part), value) in &*before {
            let Some(object) = self.owner_of(number).filter(|&object| !self.knowledge.info(object).constant) else {
                continue;
            };
            let name = Name::Part(object, part);
            self.knowledge.change(&entry, name);
            self.may_point(&entry, name, value);
        }
        // What it gives back.
        let line = loc.line;
        let name = self.program.functions[function.index()].name.clone();
        let returns = self.terms.variable(&format!("g^ret_{line}"), 1);
        let returns = self.terms.and(state.guard, returns);
        let (guard, around) = (state.guard, self.location_indices());
        let mut after = State { guard: returns, ..state };
        let mut pointers = Vec::new();
        for changed in self.knowledge.changed(&exit) {
            let Name::Part(object, part) = changed else { continue };
            let copy = matches!(self.knowledge.info(object).key, ObjectKey::Argument(..));
            if copy || hidden.contains(&object) || !self.is_cell(object, part) {
                continue;
            }
            for number in self.tracked(object) {
                let cell = (number, part);
                let old = before.get(&cell).cloned().or_else(|| self.default_of(part));
                if old.is_none() && !self.knowledge.is_heap(object) {
                    continue;
                }
                let label = format!("{}{}", self.instance_name(number), part_label(part));
                let width = self.width_of(object, part);
                let new = self.back_variable(&exit, changed, &format!("{label}_{line}"), width, false);
                if let (Part::Allocated, Some(old)) = (part, old) {
                    // What was allocated stays allocated.
                    let not = self.terms.not(old.bits);
                    let kept = self.terms.or(not, new.bits);
                    self.axiom(kept);
                }
                pointers.push(new.clone());
                self.set_cell(&mut after, object, cell, new);
            }
        }
        let target = self.program.target;
        let ret = self.program.functions[function.index()].signature.ret;
        let result = ret.map(|ty| {
            let text = format!("{name}_{line}");
            self.back_variable(&exit, Name::Result, &text, ty.bits(target), ty == Ty::Ptr)
        });
        for pointer in pointers.iter().chain(&result) {
            self.only_allocated(&after, returns, pointer);
        }
        self.placeholders.push(Placeholder {
            body: self.body,
            callee,
            site,
            loc,
            guard,
            returns,
            args,
            result: result.clone(),
            before,
            after: after.cells.clone(),
            around,
        });
        self.define_call(self.placeholders.len() - 1);
        (after, result)
    }

    /// The state and the arguments with copies of the structs that are passed, which no other call has.
    fn with_copies(&mut self, state: &State, callee: usize, args: &[Value]) -> (State, Vec<Value>) {
        let (function, context) = (self.callees[callee].function, self.callees[callee].context);
        let (mut state, mut args) = (state.clone(), args.to_vec());
        for (index, passing) in self.program.functions[function.index()].signature.params.iter().enumerate() {
            if let (Passing::Memory { size, .. }, Some(arg)) = (*passing, args.get(index).cloned()) {
                let name = || format!("{}^arg", parameter_name(self.program, function, index));
                let object = self.knowledge.object(ObjectKey::Argument(context, index), || (name(), Some(size), false));
                self.begin_slot(&mut state, object);
                let copy = self.address(object);
                self.copy(&mut state, &copy, &arg, size);
                args[index] = copy;
            }
        }
        (state, args)
    }

    /// Something may point to what a value points to.
    fn may_point(&mut self, key: &LoopKey, name: Name, value: &Value) {
        let pointer = matches!(name, Name::Param(_)) || self.knowledge.is_pointer(name);
        if pointer || value.object.is_some() || self.knowledge.points_to(key, name).is_some() {
            let pointee = value.pointee(&mut self.terms);
            self.knowledge.point(key, name, &pointee.targets);
        }
    }

    /// Whether an object has such a part, as its cells are now.
    pub(super) fn is_cell(&self, object: ObjectNumber, part: Part) -> bool {
        let Part::Bytes(at) = part else { return true };
        self.knowledge.info(object).cells.iter().any(|(offset, _)| *offset == at)
    }

    /// Local variables that nothing leads to that a function is given: it can't touch them.
    fn private(&mut self, state: &State, args: &[Value]) -> BTreeSet<ObjectNumber> {
        let slot = |object: ObjectNumber| matches!(self.knowledge.info(object).key, ObjectKey::Slot(..));
        let mut slots: BTreeMap<ObjectNumber, Vec<&Value>> = BTreeMap::new();
        let mut roots: Vec<&Value> = args.iter().collect();
        for (&(number, _), value) in &*state.cells {
            match self.owner_of(number) {
                Some(object) if slot(object) => slots.entry(object).or_default().push(value),
                _ => roots.push(value),
            }
        }
        while let Some(value) = roots.pop() {
            for object in value.object.iter().flat_map(|pointee| objects(&pointee.targets)) {
                roots.extend(slots.remove(&object).into_iter().flatten());
            }
        }
        slots.into_keys().collect()
    }

    /// Builds the body of a function that has a summary.
    pub(super) fn build_callee(&mut self, number: usize) -> Result<(), Failure> {
        if self.bodies.len() > MAX_BODIES {
            return Err(Failure::TooLarge);
        }
        let (function, context) = (self.callees[number].function, self.callees[number].context);
        let (entry_key, exit_key) = (self.callees[number].entry_key(), self.callees[number].exit_key());
        let of = &self.program.functions[function.index()];
        self.begin_body(function);
        debug_assert_eq!(self.body, number + 1, "bodies are in the order of their functions");
        let entry = self.locations.len();
        let select = self.terms.variable(&format!("g^call_{}", of.name), 1);
        self.locations.push(Location {
            kind: Kind::Entry,
            loc: of.loc,
            function,
            body: self.body,
            block: 0,
            parent: None,
            select,
            head: select,
            variables: Vec::new(),
            heads: Vec::new(),
            uses: Vec::new(),
            sources: Vec::new(),
        });
        self.around = vec![(entry, exit_key.clone())];
        let (mut state, given) = self.given(number, &entry_key, select);
        let args: Vec<Value> = given.iter().filter(|g| g.cell.is_none()).map(|g| g.value.clone()).collect();
        let start = state.clone();
        let own = self.knowledge.root(context);
        let own = |object: ObjectNumber| match self.knowledge.info(object).key {
            ObjectKey::Slot(of, _) => self.knowledge.root(of) == own,
            _ => false,
        };
        let pointees = given.iter().filter_map(|g| g.value.object.as_ref());
        let own = pointees.flat_map(|pointee| objects(&pointee.targets)).any(own);
        let mut exit = None;
        if own {
            // The variable is that of another call, which the body would take for its own.
            let reason = format!("`{}` calls itself with the address of one of its variables", of.name);
            self.gap(&state, &reason, of.loc);
        } else {
            for (cell, value) in self.constants.clone() {
                Rc::make_mut(&mut state.cells).insert(cell, value);
            }
            exit = self.function(state, function, context, &args, Vec::new())?;
        }
        if let Some((state, result)) = &exit {
            for changed in self.knowledge.changed(&exit_key) {
                let Name::Part(object, part) = changed else { continue };
                for number in self.tracked(object) {
                    if let Some(value) = state.cells.get(&(number, part)) {
                        self.may_point(&exit_key, changed, value);
                    }
                }
            }
            if let (Some(value), Some(ty)) = (result, of.signature.ret)
                && (ty == Ty::Ptr || value.object.is_some())
            {
                let pointee = value.pointee(&mut self.terms);
                self.knowledge.point(&exit_key, Name::Result, &pointee.targets);
            }
        }
        self.around.clear();
        self.callees[number].built = Some(Built { body: self.body, entry, given, start, exit });
        Ok(())
    }

    /// Variables for everything that a function is given: its parameters, and the contents of objects.
    fn given(&mut self, number: usize, key: &LoopKey, select: Term) -> (State, Vec<Given>) {
        let function = self.callees[number].function;
        let of = &self.program.functions[function.index()];
        let mut given = Vec::new();
        for (index, passing) in of.signature.params.iter().enumerate() {
            let ty = match passing {
                Passing::Scalar(ty) => *ty,
                Passing::Memory { .. } => Ty::Ptr,
            };
            let name = Name::Param(index as u32);
            let label = parameter_name(self.program, function, index);
            let width = ty.bits(self.program.target);
            let value = if ty == Ty::Ptr {
                self.back_variable(key, name, &label, width, true)
            } else {
                Value::integer(self.terms.variable(&label, width))
            };
            let pointer = value.object.is_some();
            let variable = Variable { name, label, instance: None, fixed: false, width, pointer };
            given.push(Given { variable, cell: None, value });
        }
        let mut cells = BTreeMap::new();
        for name in self.knowledge.changed(key) {
            let Name::Part(object, part) = name else { continue };
            if !self.is_cell(object, part) {
                continue;
            }
            let many = self.knowledge.info(object).many;
            for (instance, id) in self.tracked(object).into_iter().enumerate() {
                let label = format!("{}{}", self.instance_name(id), part_label(part));
                let width = self.width_of(object, part);
                let value = self.back_variable(key, name, &label, width, false);
                cells.insert((id, part), value.clone());
                let (instance, pointer) = (many.then_some((object, instance as u32)), value.object.is_some());
                let variable = Variable { name, label, instance, fixed: false, width, pointer };
                given.push(Given { variable, cell: Some((id, part)), value });
            }
        }
        let state = State { guard: select, regs: Vec::new(), cells: Rc::new(cells) };
        for g in &given {
            self.only_allocated(&state, select, &g.value);
        }
        (state, given)
    }
}
