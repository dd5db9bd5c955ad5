//! A whole program: what the linker of the front-end makes of all translation units and library models.

use crate::check::{Check, CheckKind, Checks};
use crate::ctype::{TypeId, TypeTable};
use crate::ids::{self, CheckId, FuncId, GlobalId, Reg, WideId};
use crate::inst::{Inst, Operand, Passing, Terminator, Ty};
use crate::layout::Target;
use crate::source::Loc;

/// Everything that the engines see.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The data model.
    pub target: Target,
    /// File names; [`crate::FileId`] indexes them.
    pub files: Vec<String>,
    /// Global variables and string literals.
    pub globals: Vec<Global>,
    /// Functions, defined and declared.
    pub functions: Vec<Function>,
    /// The table of checks.
    pub checks: Vec<Check>,
    /// Constants of more than 64 bits.
    pub wide: Vec<u128>,
    /// The C types of the program: structs for the engines that reason about them. Not part of the text form.
    pub types: TypeTable,
    /// What declarations of functions without a body say about the memory that they return (the attributes `malloc` and
    /// `alloc_size`), by name. Not part of the text form, like the types.
    pub allocators: std::collections::BTreeMap<String, AllocatedSize>,
}

/// How many bytes an allocator returns: the product of up to two of its arguments, counted from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AllocatedSize {
    /// The argument that is the size.
    pub size: u32,
    /// The argument that it is multiplied with.
    pub count: Option<u32>,
}

/// A global variable or a string literal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Global {
    /// The name in the source; `.str` for string literals, `function.name` for static locals.
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
    /// Leading bytes of the initial value; the rest is zero.
    pub bytes: Vec<u8>,
    /// Addresses in the initial value, by offset, ascending.
    pub relocations: Vec<Relocation>,
    /// Whether writing to it is a fault (string literals and const objects).
    pub constant: bool,
    /// What the other translation units see of it.
    pub linkage: Linkage,
    /// Whether some translation unit defines it; otherwise its contents are unknown.
    pub defined: bool,
    /// Where it is declared.
    pub loc: Loc,
    /// Its C type, where the front-end said it. Not part of the text form, like [`Program::types`].
    pub ctype: Option<TypeId>,
}

/// An address inside an initial value, of pointer width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Relocation {
    /// Where it stands.
    pub offset: u64,
    /// What it points to.
    pub target: Symbol,
    /// Bytes added to it.
    pub addend: i64,
}

/// What an address constant can point to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Symbol {
    /// A global.
    Global(GlobalId),
    /// A function.
    Function(FuncId),
    /// A label of a function.
    Label(FuncId, ids::Block),
}

/// Visibility between translation units.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Linkage {
    /// One for the whole program.
    External,
    /// One per translation unit.
    Internal,
}

/// Who wrote a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// The user.
    User,
    /// A model of the C library: faults in it are reported where the user called it.
    Model,
}

/// How a function is called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// Result: `None` for void and for structs (which have a hidden first parameter of type `ptr`).
    pub ret: Option<Ty>,
    /// Parameters, the hidden one first.
    pub params: Vec<Passing>,
    /// Whether more arguments may follow.
    pub variadic: bool,
    /// Whether it is known which arguments it takes (false for `int f();` without a definition).
    pub prototyped: bool,
    /// Whether it is declared not to return.
    pub noreturn: bool,
}

/// A function, defined or only declared.
#[derive(Clone, Debug)]
pub struct Function {
    /// The name in the source; `outer.name` for nested functions.
    pub name: String,
    /// What the other translation units see of it.
    pub linkage: Linkage,
    /// How it is called.
    pub signature: Signature,
    /// Who wrote it.
    pub origin: Origin,
    /// Where it is declared.
    pub loc: Loc,
    /// `None` when no translation unit or model defines it.
    pub body: Option<Body>,
}

/// Where an incoming argument goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Param {
    /// A scalar, into a register.
    Reg(Reg),
    /// A struct or union, into a slot (alive from the entry on).
    Slot(ids::Slot),
}

/// A register's declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RegInfo {
    /// Its type.
    pub ty: Ty,
    /// The variable it holds; `None` for a temporary.
    pub name: Option<Box<str>>,
}

/// A stack variable in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slot {
    /// The variable; `None` for a temporary aggregate.
    pub name: Option<Box<str>>,
    /// Bytes; 0 for a variable-length array.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
    /// Where it is declared.
    pub loc: Loc,
}

/// A function's code. Block 0 is the entry.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Body {
    /// Registers.
    pub regs: Vec<RegInfo>,
    /// Stack variables in memory.
    pub slots: Vec<Slot>,
    /// Where the arguments go.
    pub params: Vec<Param>,
    /// Basic blocks.
    pub blocks: Vec<Block>,
    /// The C types of what it declares. Not part of the text form, like [`Program::types`].
    pub ctypes: BodyTypes,
}

impl Body {
    /// Whether any instruction reads what the function is given.
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

/// The C types that a function's declarations have: what engines that reason about structs read, and nobody else.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BodyTypes {
    /// The function's own type.
    pub function: Option<TypeId>,
    /// Of the first registers; those beyond are temporaries.
    pub regs: Vec<Option<TypeId>>,
    /// Of the first slots; those beyond are temporaries.
    pub slots: Vec<Option<TypeId>>,
}

impl BodyTypes {
    /// The type of the variable in a register.
    pub fn reg(&self, reg: Reg) -> Option<TypeId> {
        self.regs.get(reg.index()).copied().flatten()
    }

    /// The type of the variable in a slot.
    pub fn slot(&self, slot: ids::Slot) -> Option<TypeId> {
        self.slots.get(slot.index()).copied().flatten()
    }
}

/// A basic block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// Instructions.
    pub insts: Vec<Inst>,
    /// Their places; as many as instructions.
    pub locs: Vec<Loc>,
    /// How it ends.
    pub end: Terminator,
    /// The place of the end.
    pub end_loc: Loc,
}

impl Program {
    /// Adds one check per kind and returns the run of their ids.
    pub fn add_checks(&mut self, kinds: &[CheckKind], function: FuncId, loc: Loc) -> Checks {
        let first = CheckId::new(self.checks.len());
        self.checks.extend(kinds.iter().map(|&kind| Check { kind, function, loc }));
        Checks { first, count: kinds.len() as u32 }
    }

    /// The id of a constant of more than 64 bits.
    pub fn add_wide(&mut self, bits: u128) -> WideId {
        let index = self.wide.iter().position(|&w| w == bits).unwrap_or_else(|| {
            self.wide.push(bits);
            self.wide.len() - 1
        });
        WideId::new(index)
    }

    /// The function with external linkage and this name.
    pub fn function_named(&self, name: &str) -> Option<FuncId> {
        self.functions.iter().position(|f| f.name == name && f.linkage == Linkage::External).map(FuncId::new)
    }

    /// For each function, whether its address is taken: calls by pointers may be calls of it.
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

    /// The file name of a place.
    pub fn file_name(&self, loc: Loc) -> &str {
        self.files.get(loc.file.0 as usize).map_or("<unknown>", String::as_str)
    }
}
