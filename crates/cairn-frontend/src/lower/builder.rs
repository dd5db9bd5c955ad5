//! The builder of one function's body: the storage of its variables, its blocks and their instructions.

use cairn_ir::check::Checks;
use cairn_ir::ctype::{ArrayLen, Type, TypeId, TypeTable};
use cairn_ir::inst::{Inst, Operand, Passing, Terminator, Ty};
use cairn_ir::layout::{self, Target};
use cairn_ir::program::{Block, Body, Param, RegInfo, Slot};
use cairn_ir::source::{Locator, Span};
use cairn_ir::{BlockId, CheckKind, FuncId, Loc, Reg, SlotId};

use super::scope::{Jumps, LabelState, Scope, ScopeId, ScopeKind};
use crate::hir::{self, LocalId};
use crate::limits::MAX_TREE_DEPTH;
use crate::lower::expressions::value::Scalar;
use crate::lower::link::{self, Linker, Unit};

/// The storage of a local variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Home {
    Reg(Reg),
    Slot(SlotId),
    /// The slot of a variable-length array.
    Vla(SlotId),
}

/// The classes of types that lowering distinguishes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    Void,
    Scalar(Ty),
    /// A struct, a union, or another type that stays in memory.
    Memory {
        size: u64,
        align: u64,
    },
}

/// The block under construction.
///
/// Its instructions are moved into the body at its end, so that blocks are allocated at their exact size.
struct CurrentBlock {
    id: BlockId,
    insts: Vec<Inst>,
    locs: Vec<Loc>,
}

/// The state of lowering one function.
pub(super) struct Builder<'a, 'u, 's> {
    pub linker: &'a mut Linker,
    pub unit: &'a mut Unit<'u>,
    pub types: &'a TypeTable,
    pub locator: &'a mut Locator<'s>,
    /// The function's name in the unit, which the names of nested functions extend.
    pub name: &'u str,
    pub function: &'u hir::Function,
    pub id: FuncId,
    /// The storage of each local.
    pub homes: Vec<Home>,
    /// The first temporary. Temporaries are assigned by one instruction (or one per branch) and used once.
    first_temporary: Reg,
    pub body: Body,
    /// Whether a block is under construction. Nothing is emitted for unreachable code.
    pub open: bool,
    current: CurrentBlock,
    /// Whether each block has a predecessor.
    used: Vec<bool>,
    /// The location given to new instructions.
    pub loc: Loc,
    /// The address for a struct result.
    pub result: Option<Reg>,
    pub scopes: Vec<Scope<'u>>,
    pub scope: ScopeId,
    /// The scope of the innermost full expression's temporaries, if it has any.
    pub temporaries: Option<ScopeId>,
    pub jumps: Jumps,
    depth: u32,
}

/// Lowers a function.
pub(super) fn lower<'u>(
    linker: &mut Linker,
    unit: &mut Unit<'u>,
    types: &TypeTable,
    locator: &mut Locator<'_>,
    definition: &'u hir::SymbolDef,
    function: &'u hir::Function,
    id: FuncId,
) -> Body {
    let loc = locator.locate(definition.span.start);
    let mut builder = Builder {
        linker,
        unit,
        types,
        locator,
        name: &definition.name,
        function,
        id,
        homes: Vec::with_capacity(function.locals.len()),
        first_temporary: Reg(0),
        body: Body::default(),
        open: false,
        current: CurrentBlock { id: BlockId(0), insts: Vec::with_capacity(32), locs: Vec::with_capacity(32) },
        used: Vec::new(),
        loc,
        result: None,
        scopes: Vec::new(),
        scope: ScopeId(0),
        temporaries: None,
        jumps: Jumps::default(),
        depth: 0,
    };
    builder.body.ctypes.function = Some(definition.ty.ty);
    builder.run();
    builder.body
}

impl<'u> Builder<'_, 'u, '_> {
    /// The data model of the program.
    pub fn target(&self) -> Target {
        self.linker.program.target
    }

    fn run(&mut self) {
        let function = self.function;
        self.make_locals();
        self.jumps.labels.reserve(function.labels.len());
        let entry = self.new_block();
        for _ in &function.labels {
            let block = self.new_block();
            self.jumps.labels.push(LabelState { block, scope: None });
        }
        self.start_always(entry);
        self.make_params();
        self.block(&function.body);
        self.loc = self.place_of(function.end);
        self.finish_function();
        self.resolve_jumps();
        if function.labels.iter().any(|l| l.address_taken) {
            let blocks = self.jumps.labels.iter().map(|l| l.block).collect();
            self.unit.labels.insert(self.name, (self.id, blocks));
        }
    }

    fn make_locals(&mut self) {
        let function = self.function;
        for local in &function.locals {
            let scalar = layout::scalar_ty(self.types, self.target(), local.ty.ty);
            let home = match scalar {
                Some(ty) if !local.address_taken && local.cleanup.is_none() => {
                    self.body.regs.push(RegInfo { ty, name: local.name.clone() });
                    self.body.ctypes.regs.push(Some(local.ty.ty));
                    Home::Reg(Reg::new(self.body.regs.len() - 1))
                }
                _ => {
                    let size = layout::size_of(self.types, self.target(), local.ty.ty);
                    let align = link::declared_align(self.types, self.target(), local.ty.ty, local.align).max(1);
                    let loc = self.locator.locate(local.span.start);
                    self.body.slots.push(Slot { name: local.name.clone(), size: size.unwrap_or(0), align, loc });
                    self.body.ctypes.slots.push(Some(local.ty.ty));
                    let slot = SlotId::new(self.body.slots.len() - 1);
                    if self.is_vla(local.ty.ty) { Home::Vla(slot) } else { Home::Slot(slot) }
                }
            };
            self.homes.push(home);
        }
        self.first_temporary = Reg::new(self.body.regs.len());
    }

    /// Creates the parameters. Scalars arrive in registers and are stored at once if the parameter is in memory.
    fn make_params(&mut self) {
        let function = self.function;
        if let Class::Memory { .. } = self.class(function.ret) {
            let result = self.temporary(Ty::Ptr);
            self.result = Some(result);
            self.body.params.push(Param::Reg(result));
        }
        let mut slots = Vec::new();
        let captures = function.captures.iter().map(|c| c.pointer);
        for local in function.params.iter().copied().chain(captures) {
            let ty = function.locals[local.0 as usize].ty.ty;
            let declared = link::passing(self.types, self.target(), ty);
            let incoming = if function.prototyped { declared } else { link::promoted(declared) };
            let home = self.homes[local.0 as usize];
            let (Passing::Scalar(to), Passing::Scalar(from)) = (declared, incoming) else {
                if let Home::Slot(slot) | Home::Vla(slot) = home {
                    self.body.params.push(Param::Slot(slot));
                    slots.push(slot);
                }
                continue;
            };
            match home {
                Home::Reg(reg) if from == to => self.body.params.push(Param::Reg(reg)),
                home => {
                    let arrived = self.temporary(from);
                    self.body.params.push(Param::Reg(arrived));
                    let value = self.convert_scalar(
                        Operand::Reg(arrived),
                        Scalar { ty: from, signed: true },
                        Scalar { ty: to, signed: true },
                    );
                    match home {
                        Home::Reg(reg) => self.push(Inst::Move { dst: reg, src: value }),
                        Home::Slot(slot) | Home::Vla(slot) => {
                            slots.push(slot);
                            self.push(Inst::Enter(cairn_ir::inst::Local::Slot(slot)));
                            let addr = Operand::Slot(slot);
                            self.push(Inst::Store { ty: to, addr, offset: 0, src: value, checks: Checks::NONE });
                        }
                    }
                }
            }
        }
        self.scopes.push(Scope { parent: ScopeId::NONE, depth: 0, kind: ScopeKind::Slots(slots) });
        self.scope = ScopeId(0);
    }

    /// Ends a function whose end is reachable: `main` returns 0, other functions an undefined value.
    fn finish_function(&mut self) {
        if !self.open {
            return;
        }
        self.leave_all();
        let value = match self.class(self.function.ret) {
            Class::Scalar(Ty::I32) if self.name == "main" => Some(Operand::Int(0)),
            Class::Scalar(ty) => {
                let dst = self.temporary(ty);
                self.push(Inst::Undef { dst });
                Some(Operand::Reg(dst))
            }
            Class::Void | Class::Memory { .. } => None,
        };
        self.end(Terminator::Return(value));
    }

    /// Returns whether a type is an array of variable size.
    pub fn is_vla(&self, mut ty: TypeId) -> bool {
        while let Type::Array(element, len) = self.types.get(ty) {
            if matches!(len, ArrayLen::Variable(_)) {
                return true;
            }
            ty = element.ty;
        }
        false
    }

    /// Returns the class of a type.
    pub fn class(&self, ty: TypeId) -> Class {
        if let Some(ty) = layout::scalar_ty(self.types, self.target(), ty) {
            return Class::Scalar(ty);
        }
        match self.types.get(ty) {
            Type::Void | Type::Error => Class::Void,
            _ => Class::Memory {
                size: layout::size_of(self.types, self.target(), ty).unwrap_or(0),
                align: layout::align_of(self.types, self.target(), ty),
            },
        }
    }

    /// Returns the integer type of pointer width.
    pub fn size_ty(&self) -> Ty {
        if self.target() == Target::Lp64 { Ty::I64 } else { Ty::I32 }
    }

    /// Returns the location of a span.
    pub fn place_of(&mut self, span: Span) -> Loc {
        self.locator.locate(span.start)
    }

    /// Creates a temporary register.
    pub fn temporary(&mut self, ty: Ty) -> Reg {
        self.body.regs.push(RegInfo { ty, name: None });
        Reg::new(self.body.regs.len() - 1)
    }

    /// Returns whether an operand is a variable's register, which may change or die before the value is used.
    pub fn is_variable(&self, operand: Operand) -> bool {
        matches!(operand, Operand::Reg(reg) if reg < self.first_temporary)
    }

    /// Copies an operand to a temporary if it is a variable's register or address, which ends with the variable.
    pub fn detached(&mut self, operand: Operand) -> Operand {
        match operand {
            Operand::Reg(reg) if self.is_variable(operand) => {
                let dst = self.temporary(self.body.regs[reg.index()].ty);
                self.push(Inst::Move { dst, src: operand });
                Operand::Reg(dst)
            }
            Operand::Slot(_) => {
                let dst = self.temporary(Ty::Ptr);
                self.push(Inst::Move { dst, src: operand });
                Operand::Reg(dst)
            }
            other => other,
        }
    }

    /// Creates an unnamed slot that lives until the end of the full expression.
    pub fn temporary_slot(&mut self, size: u64, align: u64) -> SlotId {
        self.body.slots.push(Slot { name: None, size, align: align.max(1), loc: self.loc });
        let slot = SlotId::new(self.body.slots.len() - 1);
        self.own_temporary(slot);
        self.push(Inst::Enter(cairn_ir::inst::Local::Slot(slot)));
        slot
    }

    /// Creates an unnamed slot whose lifetime the caller bounds.
    pub fn hidden_slot(&mut self, size: u64, align: u64) -> SlotId {
        self.body.slots.push(Slot { name: None, size, align: align.max(1), loc: self.loc });
        SlotId::new(self.body.slots.len() - 1)
    }

    /// Emits an instruction.
    pub fn push(&mut self, inst: Inst) {
        if self.open {
            self.current.insts.push(inst);
            self.current.locs.push(self.loc);
        }
    }

    /// Emits `dst = src` and returns the operand that holds the value afterwards.
    ///
    /// If the last instruction computed `src` into a temporary, it is changed to compute into `dst` directly.
    pub fn assign(&mut self, dst: Reg, src: Operand) -> Operand {
        if let Operand::Reg(reg) = src
            && reg >= self.first_temporary
            && self.open
            && let Some(computed) = self.current.insts.last_mut().and_then(destination)
            && *computed == reg
        {
            *computed = dst;
            // Nothing else refers to the temporary.
            if reg.index() + 1 == self.body.regs.len() {
                self.body.regs.pop();
            }
            return Operand::Reg(dst);
        }
        self.push(Inst::Move { dst, src });
        Operand::Reg(dst)
    }

    /// Adds checks at the current location.
    pub fn checks(&mut self, kinds: &[CheckKind]) -> Checks {
        if !self.open || kinds.is_empty() {
            return Checks::NONE;
        }
        self.linker.program.add_checks(kinds, self.id, self.loc)
    }

    /// Emits an `unsupported` instruction.
    pub fn unsupported(&mut self, what: &str) {
        let checks = self.checks(&[CheckKind::Unsupported]);
        self.push(Inst::Unsupported { what: what.into(), checks });
    }

    /// Returns an uninitialised value.
    pub fn undefined(&mut self, ty: Ty) -> Operand {
        let dst = self.temporary(ty);
        self.push(Inst::Undef { dst });
        Operand::Reg(dst)
    }

    /// Creates a block to be filled later.
    pub fn new_block(&mut self) -> BlockId {
        self.body.blocks.push(Block {
            insts: Vec::new(),
            locs: Vec::new(),
            end: Terminator::Unreachable,
            end_loc: self.loc,
        });
        self.used.push(false);
        BlockId::new(self.body.blocks.len() - 1)
    }

    /// Continues in a block that earlier jumps reach. Without any such jump, the code there is dead.
    pub fn start(&mut self, block: BlockId) {
        if self.used[block.index()] {
            self.start_always(block);
        }
    }

    /// Continues in a block that later jumps may reach, such as a loop head or label.
    pub fn start_always(&mut self, block: BlockId) {
        debug_assert!(!self.open, "the block before must end first");
        self.open = true;
        self.current.id = block;
    }

    /// Ends the current block.
    pub fn end(&mut self, end: Terminator) {
        if !self.open {
            return;
        }
        end.for_successors(&mut |to| self.used[to.index()] = true);
        let block = &mut self.body.blocks[self.current.id.index()];
        block.insts = self.current.insts.drain(..).collect();
        block.locs = self.current.locs.drain(..).collect();
        block.end = end;
        block.end_loc = self.loc;
        self.open = false;
    }

    /// Ends the current block with a jump.
    pub fn jump(&mut self, to: BlockId) {
        self.end(Terminator::Jump(to));
    }

    /// Returns the current block.
    pub fn current(&self) -> BlockId {
        self.current.id
    }

    /// Returns the number of blocks.
    pub fn block_count(&self) -> usize {
        self.body.blocks.len()
    }

    /// Marks a block as having a predecessor.
    pub fn mark_used(&mut self, block: BlockId) {
        self.used[block.index()] = true;
    }

    /// Descends one level into the tree; emits `unsupported` and returns `false` if it is too deep.
    pub fn descend(&mut self) -> bool {
        if self.depth >= MAX_TREE_DEPTH {
            self.unsupported("too deeply nested code");
            return false;
        }
        self.depth += 1;
        true
    }

    /// Undoes [`Builder::descend`].
    pub fn ascend(&mut self) {
        self.depth -= 1;
    }

    /// Returns the storage of a local.
    pub fn home(&self, local: LocalId) -> Home {
        self.homes[local.0 as usize]
    }

    /// Returns the declaration of a local.
    pub fn local(&self, local: LocalId) -> &'u hir::Local {
        &self.function.locals[local.0 as usize]
    }
}

/// Returns a mutable reference to the register that an instruction assigns.
fn destination(inst: &mut Inst) -> Option<&mut Reg> {
    match inst {
        Inst::Move { dst, .. }
        | Inst::Unary { dst, .. }
        | Inst::Binary { dst, .. }
        | Inst::Divide { dst, .. }
        | Inst::Compare { dst, .. }
        | Inst::Convert { dst, .. }
        | Inst::PtrAdd { dst, .. }
        | Inst::PtrSub { dst, .. }
        | Inst::Load { dst, .. }
        | Inst::LoadBits { dst, .. } => Some(dst),
        Inst::Call(call) => call.dst.as_mut(),
        Inst::Intrinsic { dst, .. } => dst.as_mut(),
        _ => None,
    }
}
