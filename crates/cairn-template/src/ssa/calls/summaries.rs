//! Functions with summaries (thesis §2.5, §3.7): each has a formula of its own, and its calls are placeholders.
//!
//! The body starts with variables for all possible inputs: its parameters, and the cells of all objects that are live
//! at a call. The rows at its entry are its *calling context*. They are shown for the inputs of each call and assumed
//! in the body. The rows at its exit are its *summary*. They are shown at the end of the body and assumed after each
//! call for the cells that the body may change; a call leaves other cells unchanged.
//!
//! Both start at bottom and grow like the rows of loops. A call whose inputs the calling context subsumes reuses the
//! summary, and any other call makes the context grow. A recursive function is thus handled like a loop. Where one
//! context for all calls proves too little, calls that no other context subsumes get contexts of their own, each with a
//! body ([`crate::ssa::calls::context_assignment`]).
//!
//! **Bindings.** The thesis gives a function placeholder objects (`p^obj`) for the targets of its inputs, and binds
//! them to the objects of the caller (Algorithms 6 and 7), including those that an iterator visits (Algorithms 11 and
//! 12). Here the objects of all bodies share one numbering, and a parameter points directly to the objects of the
//! callers. Two parameters that point to one object, or a parameter and a global, therefore see each other's writes,
//! and the function writes to the caller's objects. Local variables of the caller that are unreachable from the inputs
//! are not passed.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use cairn_ir::inst::Passing;
use cairn_ir::{FuncId, Loc, Ty};
use cairn_smt::Term;

use crate::limits::{MAX_BODIES, MAX_UNWOUND_CALLS};
use crate::reason::Reason;
use crate::ssa::builder::{Builder, Calls, Cell, Failure, State};
use crate::ssa::calls::bindings::parameter_name;
use crate::ssa::calls::context_assignment::CallSite;
use crate::ssa::control_flow::loop_cut::{Pointerness, part_label};
use crate::ssa::knowledge::{Context, LoopKey, Name, ObjectKey, Part, Place};
use crate::ssa::value::{ObjectNumber, Value, objects};
use crate::ssa::{Kind, Location, Variable};

/// The contents of all objects.
pub(in crate::ssa) type Cells = Rc<BTreeMap<Cell, Value>>;

/// A function with a body of its own, for one calling context.
pub(in crate::ssa) struct Callee {
    pub(in crate::ssa) function: FuncId,
    /// The number of the calling context.
    pub(in crate::ssa) number: u32,
    /// The context of the body.
    pub(in crate::ssa) context: Context,
    /// The context that the function is called in.
    parent: Context,
    /// The group of mutually recursive functions, if the function is recursive.
    recursion: Option<usize>,
    /// The body, once it has been built.
    pub(in crate::ssa) built: Option<Built>,
}

/// The body of a function with a summary.
pub(in crate::ssa) struct Built {
    pub(in crate::ssa) body: usize,
    /// The location of its calling context.
    pub(in crate::ssa) entry: usize,
    pub(in crate::ssa) given: Vec<Given>,
    pub(in crate::ssa) start: State,
    pub(in crate::ssa) exit: Option<(State, Option<Value>)>,
}

/// An input of a function.
#[derive(Clone)]
pub(in crate::ssa) struct Given {
    pub(in crate::ssa) variable: Variable,
    /// The part of an instance; `None` for a parameter.
    pub(in crate::ssa) cell: Option<Cell>,
    pub(in crate::ssa) value: Value,
}

/// A call that is a placeholder for a summary.
#[derive(Clone, Debug)]
pub struct Placeholder {
    /// The body that contains the call.
    pub body: usize,
    /// The index of the function among those with summaries.
    pub callee: usize,
    /// The call site.
    pub site: CallSite,
    /// The source location.
    pub loc: Loc,
    /// The condition that the call is reached.
    pub guard: Term,
    /// The condition that the call is reached and returns.
    pub returns: Term,
    /// The arguments.
    pub args: Vec<Value>,
    /// The return value.
    pub result: Option<Value>,
    /// The contents of objects before the call.
    pub(in crate::ssa) before: Cells,
    /// The contents of objects after the call.
    pub(in crate::ssa) after: Cells,
    pub(in crate::ssa) around: Vec<usize>,
}

impl Callee {
    /// The key under which the outputs of the function are recorded.
    pub(in crate::ssa) fn exit_key(&self) -> LoopKey {
        (self.context, usize::MAX, Vec::new())
    }

    /// The key under which the inputs of the function are recorded.
    fn entry_key(&self) -> LoopKey {
        (self.context, usize::MAX - 1, Vec::new())
    }
}

impl Builder<'_, '_> {
    /// Returns whether calls of a function are placeholders for a summary.
    pub(in crate::ssa) fn has_summary(&self, function: FuncId) -> bool {
        let of = &self.program.functions[function.index()];
        if of.signature.variadic || of.body.is_none() {
            return false;
        }
        let recursive = self.knowledge.recursion(function).is_some();
        match self.calls {
            Calls::Inline => false,
            // Recursion is unwound like loops, but less deeply because calls may branch.
            Calls::Auto => recursive && self.depth_of(function) + 1 >= self.unwinding.depth.min(MAX_UNWOUND_CALLS),
            Calls::Summaries => recursive || of.origin.is_of_user(),
        }
    }

    /// Returns the number of active calls of a function on the stack.
    pub(in crate::ssa) fn depth_of(&self, function: FuncId) -> u32 {
        self.frames.iter().filter(|frame| frame.function == function).count() as u32
    }

    /// Returns the identity of a call.
    fn call_site(&self, callee: FuncId, place: &Place) -> CallSite {
        let body = match self.body.checked_sub(1).map(|number| &self.callees[number]) {
            Some(caller) => (caller.function, caller.number),
            None => (self.out.bodies[0].function, 0),
        };
        CallSite { body, function: self.frame().function, block: place.block, inst: place.inst, callee }
    }

    /// Returns the index of the function with the summary for a call.
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

    /// Encodes a placeholder call. The values that the function may change are constrained by the summary only.
    pub(in crate::ssa) fn placeholder(
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
        // The inputs.
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
        // The outputs.
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
                let new =
                    self.back_variable(&exit, changed, &format!("{label}_{line}"), width, Pointerness::IfRecorded);
                if let (Part::Allocated, Some(old)) = (part, old) {
                    // Allocation is permanent.
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
            self.back_variable(&exit, Name::Result, &text, ty.bits(target), Pointerness::of(ty == Ty::Ptr))
        });
        for pointer in pointers.iter().chain(&result) {
            self.only_allocated(&after, returns, pointer);
        }
        self.out.placeholders.push(Placeholder {
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
        self.define_call(self.out.placeholders.len() - 1);
        (after, result)
    }

    /// Copies the struct arguments of a call into objects of their own.
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

    /// Records that a variable may point to the targets of a value.
    fn may_point(&mut self, key: &LoopKey, name: Name, value: &Value) {
        let pointer = matches!(name, Name::Param(_)) || self.knowledge.is_pointer(name);
        if pointer || value.object.is_some() || self.knowledge.points_to(key, name).is_some() {
            let pointee = value.pointee(&mut self.terms);
            self.knowledge.point(key, name, &pointee.targets);
        }
    }

    /// Returns whether an object currently has a cell for a part.
    pub(in crate::ssa) fn is_cell(&self, object: ObjectNumber, part: Part) -> bool {
        let Part::Bytes(at) = part else { return true };
        self.knowledge.info(object).cells.iter().any(|(offset, _)| *offset == at)
    }

    /// Returns the local variables that are unreachable from the inputs, which the function cannot access.
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

    /// Builds the body of a function with a summary.
    pub(in crate::ssa) fn build_callee(&mut self, number: usize) -> Result<(), Failure> {
        if self.out.bodies.len() > MAX_BODIES {
            return Err(Failure::TooLarge);
        }
        let (function, context) = (self.callees[number].function, self.callees[number].context);
        let (entry_key, exit_key) = (self.callees[number].entry_key(), self.callees[number].exit_key());
        let of = &self.program.functions[function.index()];
        self.begin_body(function);
        debug_assert_eq!(self.body, number + 1, "bodies are in the order of their functions");
        let entry = self.out.locations.len();
        let select = self.terms.variable(&format!("g^call_{}", of.name), 1);
        self.out.locations.push(Location {
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
            // The variable belongs to another activation, which the body would confuse with its own.
            self.incomplete(&state, Reason::LocalOfOuterCall(of.name.clone()), of.loc);
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

    /// Creates the variables of the inputs of a function: parameters and contents of objects.
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
                self.back_variable(key, name, &label, width, Pointerness::Pointer)
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
                let value = self.back_variable(key, name, &label, width, Pointerness::IfRecorded);
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
