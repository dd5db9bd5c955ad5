//! The initial state: functions, globals with their initial values, and the call of the entry function.

use std::rc::Rc;

use cairn_ir::inst::{Inst, Passing};
use cairn_ir::program::{START, Symbol};
use cairn_ir::{BlockId, FuncId, Intrinsic, Loc, Ty};
use cairn_portfolio::Reason;
use cairn_smt::Term;

use crate::limits::MAX_INPUT_BYTES;
use crate::path::Path;
use crate::state::{Choice, Choices, State};
use crate::{Machine, Mode};
use cairn_memory::object::ObjectKind;
use cairn_memory::pointer::ObjectId;
use cairn_memory::symbolic::{Initial, Object, SymbolicMemory};

impl<M: Mode> Machine<'_, M> {
    /// Creates the objects that exist before the program starts.
    pub(crate) fn lay_out(&mut self) {
        let mut memory = SymbolicMemory::default();
        let program = self.program;
        let born: Rc<[_]> = Rc::from([]);
        for function in &program.functions {
            let size = self.terms.constant(1, self.pointer_bits);
            let name = Rc::from(function.name.as_str());
            let id =
                self.add_object(&mut memory, ObjectKind::Function, (size, 1), Initial::Undefined, name, born.clone());
            self.function_of.insert(id, FuncId::new(self.functions.len()));
            self.functions.push(id);
        }
        for global in &program.globals {
            let size = self.terms.constant(u128::from(global.size), self.pointer_bits);
            let initial = if global.defined { Initial::Bytes(global.bytes.clone().into()) } else { Initial::Undefined };
            let name = Rc::from(global.name.as_str());
            let id =
                self.add_object(&mut memory, ObjectKind::Static, (size, global.align), initial, name, born.clone());
            memory.get_mut(id).constant = global.constant;
            self.globals.push(id);
        }
        self.initial = memory;
        for (index, global) in program.globals.iter().enumerate() {
            for relocation in &global.relocations {
                let base = match relocation.target {
                    Symbol::Global(target) => self.global(target),
                    Symbol::Function(target) => self.function(target),
                    Symbol::Label(function, block) => self.label(function, block),
                };
                let addend = self.terms.constant(relocation.addend as u128, self.pointer_bits);
                let value = self.terms.add(base, addend);
                self.initial.get_mut(self.globals[index]).write(relocation.offset, value, &mut self.terms);
            }
        }
    }

    /// Adds an object of the given size and alignment, with a fresh address.
    pub(crate) fn add_object(
        &mut self,
        memory: &mut SymbolicMemory,
        kind: ObjectKind,
        (size, align): (Term, u64),
        initial: Initial,
        name: Rc<str>,
        born: Rc<[cairn_ir::source::StackPlace]>,
    ) -> ObjectId {
        // Assuming more than the declared alignment would exclude addresses that the environment may choose.
        let zeros = align.trailing_zeros().min(4);
        let high = self.terms.variable("address", self.pointer_bits - zeros);
        let base = if zeros == 0 {
            high
        } else {
            let low = self.terms.constant(0, zeros);
            self.terms.concat(high, low)
        };
        let id = memory.add(Object::new(kind, base, size, initial, name, born));
        self.bases.insert(base, id);
        self.address_of.insert(high, base);
        id
    }

    /// Returns the address of a label.
    pub fn label(&mut self, function: FuncId, block: BlockId) -> Term {
        if let Some((&term, _)) = self.label_of.iter().find(|(_, label)| **label == (function, block)) {
            return term;
        }
        // Labels are not objects: only a computed goto can use them.
        let term = self.terms.variable("label", self.pointer_bits);
        self.label_of.insert(term, (function, block));
        term
    }

    /// Returns the state before any function is entered.
    pub fn before_entry(&self) -> State<M> {
        State {
            frames: Vec::new(),
            memory: self.initial.clone(),
            path: Path::default(),
            choices: Choices::default(),
            depth: 0,
            splits: 0,
            jumps: Rc::default(),
            next_serial: 0,
            lives: 0,
            arrived: false,
            extra: M::Extra::default(),
        }
    }

    /// Enters a function from outside. The arguments match its parameters.
    pub fn enter(
        &mut self,
        state: State<M>,
        function: FuncId,
        arguments: &[Term],
        variadic: Option<ObjectId>,
    ) -> Option<State<M>> {
        self.push_frame(state, function, arguments, None, Loc::NONE, variadic).continue_value()
    }

    /// Returns the states at the start of the entry function.
    pub fn start(&mut self) -> Vec<State<M>> {
        let entry = self.entry();
        let mut state = self.before_entry();
        // The bytes of a global that no file defines are inputs, which are read before the program starts.
        for (index, global) in self.program.globals.iter().enumerate() {
            for at in 0..if global.defined { 0 } else { global.size.min(MAX_INPUT_BYTES) } {
                let byte = self.terms.variable(&global.name, 8);
                state.choices.push(Choice::Value(byte, Ty::I8));
                let id = self.globals[index];
                self.write(&mut state, id, at, byte);
            }
        }
        if M::ABSTRACTS && self.has_any_arguments() {
            return self.start_with_unknown_arguments(state, entry);
        }
        if self.body(entry).reads_params() {
            self.gaps.insert(Reason::ProgramArguments);
        }
        let params = self.program.functions[entry.index()].signature.params.clone();
        let mut args = Vec::new();
        for (index, passing) in params.iter().enumerate() {
            let Passing::Scalar(ty) = passing else {
                self.gaps.insert(Reason::EntryParameters);
                return Vec::new();
            };
            let width = ty.bits(self.program.target);
            // `argc` is 1 and `argv` holds the program's name, as in the interpreter's replay.
            let value = match (index, ty) {
                (0, _) => self.terms.constant(1, width),
                (1, Ty::Ptr) => {
                    let born: Rc<[_]> = Rc::from([]);
                    let bytes = |bytes: &[u8]| Initial::Bytes(Rc::from(bytes));
                    let word = u128::from(self.pointer_bits / 8);
                    let (one, two) =
                        (self.terms.constant(8, self.pointer_bits), self.terms.constant(2 * word, self.pointer_bits));
                    let name = self.add_object(
                        &mut state.memory,
                        ObjectKind::Static,
                        (one, 1),
                        bytes(b"program\0"),
                        Rc::from("argv[0]"),
                        born.clone(),
                    );
                    let argv = self.add_object(
                        &mut state.memory,
                        ObjectKind::Static,
                        (two, 4),
                        bytes(&[]),
                        Rc::from("argv"),
                        born,
                    );
                    let pointer = state.memory.get(name).base;
                    self.write(&mut state, argv, 0, pointer);
                    state.memory.get(argv).base
                }
                _ => self.terms.constant(0, width),
            };
            args.push(value);
        }
        self.push_frame(state, entry, &args, None, Loc::NONE, None).continue_value().into_iter().collect()
    }

    /// Returns the function that the execution begins in.
    ///
    /// An abstraction does not follow the model that builds any number of arguments, and begins in `main`.
    fn entry(&self) -> FuncId {
        let name = &self.options.entry;
        let named = self.program.function_named(name).expect("checked when the explorer was made");
        if M::ABSTRACTS && self.has_any_arguments() {
            return named;
        }
        self.program.start_of(name).unwrap_or(named)
    }

    /// Returns whether the program starts in the model that chooses the arguments of `main`.
    fn has_any_arguments(&self) -> bool {
        let start = self.program.start_of(&self.options.entry);
        let is_model = |id: &FuncId| self.program.functions[id.index()].name == START;
        let body = start.filter(is_model).and_then(|id| self.program.functions[id.index()].body.as_ref());
        let mut insts = body.into_iter().flat_map(|body| &body.blocks).flat_map(|block| &block.insts);
        insts.any(|inst| matches!(inst, Inst::Intrinsic { op: Intrinsic::Nondet, .. }))
    }

    /// Enters `main` with a positive number of arguments at an unknown location, so that no access to them is proved.
    fn start_with_unknown_arguments(&mut self, mut state: State<M>, main: FuncId) -> Vec<State<M>> {
        let params = self.program.functions[main.index()].signature.params.clone();
        let mut args = Vec::new();
        for passing in params {
            let Passing::Scalar(ty) = passing else { return Vec::new() };
            let value = self.terms.variable("argument", ty.bits(self.program.target));
            let zero = self.terms.constant(0, self.terms.width(value));
            let is_real = if ty == Ty::Ptr { self.terms.ne(value, zero) } else { self.terms.slt(zero, value) };
            let (next, _) = self.branch(state, is_real);
            let Some(next) = next else { return Vec::new() };
            state = next;
            args.push(value);
        }
        self.push_frame(state, main, &args, None, Loc::NONE, None).continue_value().into_iter().collect()
    }
}
