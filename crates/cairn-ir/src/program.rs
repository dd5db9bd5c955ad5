//! A whole program: the linked translation units and library models.

use crate::check::{Check, CheckKind, Checks};
use crate::ctype::{TypeId, TypeTable};
use crate::ids::{self, CheckId, FuncId, GlobalId, Reg, WideId};
use crate::inst::{Inst, Operand, Passing, Terminator, Ty};
use crate::layout::Target;
use crate::source::Loc;

/// The input of every engine.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The data model.
    pub target: Target,
    /// File names, indexed by [`crate::FileId`].
    pub files: Vec<String>,
    /// Global variables and string literals.
    pub globals: Vec<Global>,
    /// Functions, both defined and only declared.
    pub functions: Vec<Function>,
    /// The table of checks.
    pub checks: Vec<Check>,
    /// Constants of more than 64 bits.
    pub wide: Vec<u128>,
    /// The C types of the program, for engines that reason about structs. Not part of the text form.
    pub types: TypeTable,
    /// The attributes `malloc` and `alloc_size` of functions without a body, by function name.
    ///
    /// Not part of the text form.
    pub allocators: std::collections::BTreeMap<String, AllocatedSize>,
    /// The functions whose call is a fault (check `assertion`), whether or not they have a body. Not part of the text form:
    /// after the passes their calls are `reach_error` intrinsics.
    pub error_functions: Vec<String>,
}

/// The two names of SV-COMP's error function: since 2021, and before.
pub const SVCOMP_ERROR_FUNCTIONS: [&str; 2] = ["reach_error", "__VERIFIER_error"];

/// The number of bytes that an allocator returns: the product of up to two arguments, counted from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AllocatedSize {
    /// The argument that holds the size.
    pub size: u32,
    /// The argument that the size is multiplied by.
    pub count: Option<u32>,
}

/// A global variable or a string literal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Global {
    /// The name in the source; `.str` for string literals, `function.name` for static locals.
    pub name: String,
    /// The size in bytes.
    pub size: u64,
    /// The alignment in bytes.
    pub align: u64,
    /// The leading bytes of the initial value; the remaining bytes are zero.
    pub bytes: Vec<u8>,
    /// The addresses in the initial value, in ascending order of offset.
    pub relocations: Vec<Relocation>,
    /// Whether a write to the object is a fault (string literals and const objects).
    pub constant: bool,
    /// The visibility to other translation units.
    pub linkage: Linkage,
    /// Whether some translation unit defines the object; otherwise its contents are unknown.
    pub defined: bool,
    /// The location of the declaration.
    pub loc: Loc,
    /// The C type, if the front-end recorded one. Not part of the text form.
    pub ctype: Option<TypeId>,
}

/// An address of pointer width inside an initial value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Relocation {
    /// The byte offset in the initial value.
    pub offset: u64,
    /// The symbol whose address is stored.
    pub target: Symbol,
    /// The number of bytes added to the address.
    pub addend: i64,
}

/// The target of an address constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Symbol {
    /// A global variable or string literal.
    Global(GlobalId),
    /// A function.
    Function(FuncId),
    /// A label of a function.
    Label(FuncId, ids::Block),
}

/// Visibility between translation units.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Linkage {
    /// One entity for the whole program.
    External,
    /// One entity per translation unit.
    Internal,
}

/// The origin of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// The user's code.
    User,
    /// The user's code that the checked code calls, and that is checked by itself elsewhere.
    Dependency,
    /// A model of the C library. Faults in a model are reported at the user's call.
    Model,
}

impl Origin {
    /// Returns whether the user wrote the function.
    pub fn is_of_user(self) -> bool {
        self != Origin::Model
    }
}

/// The calling interface of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// The result type; `None` for void and for structs (which use a hidden first parameter of type `ptr`).
    pub ret: Option<Ty>,
    /// The parameters, starting with the hidden one.
    pub params: Vec<Passing>,
    /// Whether the function takes variable arguments.
    pub variadic: bool,
    /// Whether the parameters are known (false for `int f();` without a definition).
    pub prototyped: bool,
    /// Whether the function is declared not to return.
    pub noreturn: bool,
}

/// A function, defined or only declared.
#[derive(Clone, Debug)]
pub struct Function {
    /// The name in the source; `outer.name` for nested functions.
    pub name: String,
    /// The visibility to other translation units.
    pub linkage: Linkage,
    /// The calling interface.
    pub signature: Signature,
    /// Whether the user or a library model defines the function.
    pub origin: Origin,
    /// The location of the declaration.
    pub loc: Loc,
    /// The code; `None` if no translation unit or model defines the function.
    pub body: Option<Body>,
}

/// The destination of an incoming argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Param {
    /// A scalar, passed in a register.
    Reg(Reg),
    /// A struct or union, copied into a slot that is live from the function's entry on.
    Slot(ids::Slot),
}

/// The declaration of a register.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RegInfo {
    /// The type of its values.
    pub ty: Ty,
    /// The name of the variable that the register holds; `None` for a temporary.
    pub name: Option<Box<str>>,
}

/// A stack variable in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slot {
    /// The name of the variable; `None` for a temporary aggregate.
    pub name: Option<Box<str>>,
    /// The size in bytes; 0 for a variable-length array.
    pub size: u64,
    /// The alignment in bytes.
    pub align: u64,
    /// The location of the declaration.
    pub loc: Loc,
}

/// The code of a function. Block 0 is the entry.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Body {
    /// The registers.
    pub regs: Vec<RegInfo>,
    /// The stack variables that live in memory.
    pub slots: Vec<Slot>,
    /// The destinations of the arguments.
    pub params: Vec<Param>,
    /// The basic blocks.
    pub blocks: Vec<Block>,
    /// The C types of the declarations. Not part of the text form.
    pub ctypes: BodyTypes,
}

/// The name of the model of the start of a program, which calls `main` with its arguments.
pub const START: &str = "__cairn_start";

impl Body {
    /// Returns whether any instruction reads a parameter.
    pub fn reads_params(&self) -> bool {
        let params: Vec<Operand> = self
            .params
            .iter()
            .map(|param| match *param {
                Param::Reg(reg) => Operand::Reg(reg),
                Param::Slot(slot) => Operand::Slot(slot),
            })
            .collect();
        let mut read = false;
        let mut note = |operand: Operand| read |= params.contains(&operand);
        for block in &self.blocks {
            block.insts.iter().for_each(|inst| inst.for_operands(&mut note));
            block.end.for_operands(&mut note);
        }
        read
    }
}

/// The C types of a function's declarations, for engines that reason about structs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BodyTypes {
    /// The type of the function itself.
    pub function: Option<TypeId>,
    /// The types of the leading registers; the remaining registers are temporaries.
    pub regs: Vec<Option<TypeId>>,
    /// The types of the leading slots; the remaining slots are temporaries.
    pub slots: Vec<Option<TypeId>>,
}

impl BodyTypes {
    /// Returns the type of the variable in a register.
    pub fn reg(&self, reg: Reg) -> Option<TypeId> {
        self.regs.get(reg.index()).copied().flatten()
    }

    /// Returns the type of the variable in a slot.
    pub fn slot(&self, slot: ids::Slot) -> Option<TypeId> {
        self.slots.get(slot.index()).copied().flatten()
    }
}

/// A basic block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// The instructions.
    pub insts: Vec<Inst>,
    /// The source locations of the instructions, one each.
    pub locs: Vec<Loc>,
    /// The terminator.
    pub end: Terminator,
    /// The source location of the terminator.
    pub end_loc: Loc,
}

impl Program {
    /// Adds one check per kind and returns the range of their ids.
    pub fn add_checks(&mut self, kinds: &[CheckKind], function: FuncId, loc: Loc) -> Checks {
        let first = CheckId::new(self.checks.len());
        self.checks.extend(kinds.iter().map(|&kind| Check { kind, function, loc }));
        Checks { first, count: kinds.len() as u32 }
    }

    /// Returns the id of a constant of more than 64 bits, adding it to the table if necessary.
    pub fn add_wide(&mut self, bits: u128) -> WideId {
        let index = self.wide.iter().position(|&w| w == bits).unwrap_or_else(|| {
            self.wide.push(bits);
            self.wide.len() - 1
        });
        WideId::new(index)
    }

    /// Returns the function with external linkage and the given name.
    pub fn function_named(&self, name: &str) -> Option<FuncId> {
        self.functions.iter().position(|f| f.name == name && f.linkage == Linkage::External).map(FuncId::new)
    }

    /// Returns the function in which the execution of a program begins whose entry function has the given name.
    ///
    /// This is the entry function itself, or the model of the start of a program that chooses the arguments of `main`.
    pub fn start_of(&self, entry: &str) -> Option<FuncId> {
        let named = self.function_named(entry)?;
        let reads = self.functions[named.index()].body.as_ref().is_some_and(Body::reads_params);
        let start = self.function_named(START).filter(|id| self.functions[id.index()].origin == Origin::Model);
        Some(start.filter(|_| reads && entry == "main").unwrap_or(named))
    }

    /// Returns, for each function, whether its address is taken, so that a call through a pointer may call it.
    pub fn addressed(&self) -> Vec<bool> {
        let mut addressed = vec![false; self.functions.len()];
        for relocation in self.globals.iter().flat_map(|global| &global.relocations) {
            if let Symbol::Function(id) = relocation.target {
                addressed[id.index()] = true;
            }
        }
        let mut mark = |operand: Operand| {
            if let Operand::Function(id) = operand {
                addressed[id.index()] = true;
            }
        };
        for block in self.functions.iter().filter_map(|function| function.body.as_ref()).flat_map(|body| &body.blocks) {
            block.insts.iter().for_each(|inst| inst.for_operands(&mut mark));
            block.end.for_operands(&mut mark);
        }
        addressed
    }

    /// Returns the file name of a source location.
    pub fn file_name(&self, loc: Loc) -> &str {
        self.files.get(loc.file.0 as usize).map_or("<unknown>", String::as_str)
    }
}
