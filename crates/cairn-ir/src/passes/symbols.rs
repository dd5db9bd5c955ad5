//! Visitors of the operands, symbols and checks of a program, for passes that renumber them.

use crate::check::Checks;
use crate::ids::{FuncId, GlobalId};
use crate::inst::{Callee, Inst, Operand, Terminator};
use crate::program::{Block, Program, Symbol};

/// Calls `visit` on every operand of an instruction, except the function of a direct call.
pub fn operands(inst: &mut Inst, visit: &mut impl FnMut(&mut Operand)) {
    match inst {
        Inst::Move { src, .. } | Inst::Use { src, .. } | Inst::Unary { src, .. } | Inst::Convert { src, .. } => {
            visit(src)
        }
        Inst::Binary { lhs, rhs, .. }
        | Inst::Divide { lhs, rhs, .. }
        | Inst::Fits { lhs, rhs, .. }
        | Inst::Compare { lhs, rhs, .. }
        | Inst::PtrSub { lhs, rhs, .. } => {
            visit(lhs);
            visit(rhs);
        }
        Inst::PtrAdd { base, index, .. } => {
            visit(base);
            visit(index);
        }
        Inst::Load { addr, .. } | Inst::LoadBits { addr, .. } => visit(addr),
        Inst::Store { addr, src, .. } | Inst::StoreBits { addr, src, .. } => {
            visit(addr);
            visit(src);
        }
        Inst::Copy { dst, src, .. } => {
            visit(dst);
            visit(src);
        }
        Inst::Zero { dst, .. } => visit(dst),
        Inst::EnterVla { size, .. } => visit(size),
        Inst::Call(call) => {
            if let Callee::Pointer(pointer) = &mut call.callee {
                visit(pointer);
            }
            call.args.iter_mut().for_each(|arg| visit(&mut arg.value));
        }
        Inst::Intrinsic { args, .. } => args.iter_mut().for_each(visit),
        Inst::Undef { .. } | Inst::Enter(_) | Inst::Leave(_) | Inst::Unsupported { .. } => {}
    }
}

/// Calls `visit` on every operand of a block.
pub fn block_operands(block: &mut Block, visit: &mut impl FnMut(&mut Operand)) {
    for inst in &mut block.insts {
        operands(inst, visit);
    }
    match &mut block.end {
        Terminator::Branch { cond: operand, .. }
        | Terminator::Switch { value: operand, .. }
        | Terminator::JumpTo { addr: operand, .. }
        | Terminator::Return(Some(operand)) => visit(operand),
        Terminator::Jump(_) | Terminator::Return(None) | Terminator::Unreachable => {}
    }
}

/// Calls `visit` on every range of checks of a block, in order.
pub fn block_checks(block: &mut Block, visit: &mut impl FnMut(&mut Checks)) {
    for inst in &mut block.insts {
        match inst {
            Inst::Divide { checks, .. }
            | Inst::Fits { checks, .. }
            | Inst::Load { checks, .. }
            | Inst::Store { checks, .. }
            | Inst::LoadBits { checks, .. }
            | Inst::StoreBits { checks, .. }
            | Inst::Use { checks, .. }
            | Inst::Intrinsic { checks, .. }
            | Inst::Unsupported { checks, .. } => visit(checks),
            Inst::Copy { dst_checks, src_checks, .. } => {
                visit(dst_checks);
                visit(src_checks);
            }
            Inst::Call(call) => visit(&mut call.checks),
            _ => {}
        }
    }
    match &mut block.end {
        Terminator::Branch { checks, .. } | Terminator::Switch { checks, .. } | Terminator::JumpTo { checks, .. } => {
            visit(checks)
        }
        Terminator::Jump(_) | Terminator::Return(_) | Terminator::Unreachable => {}
    }
}

/// Calls `visit` on every function and global that a block refers to, and stores the returned symbol in its place.
pub fn block_symbols(block: &mut Block, visit: &mut impl FnMut(Symbol) -> Symbol) {
    block_operands(block, &mut |operand| match operand {
        Operand::Function(id) => *operand = operand_of(visit(Symbol::Function(*id))),
        Operand::Global(id) => *operand = operand_of(visit(Symbol::Global(*id))),
        _ => {}
    });
    for inst in &mut block.insts {
        if let Inst::Call(call) = inst
            && let Callee::Function(id) = call.callee
        {
            call.callee = match visit(Symbol::Function(id)) {
                Symbol::Function(id) => Callee::Function(id),
                other => Callee::Pointer(operand_of(other)),
            };
        }
    }
}

/// Replaces every reference to a function or global by `target` of it.
pub fn redirect(program: &mut Program, target: &dyn Fn(Symbol) -> Symbol) {
    for function in &mut program.functions {
        for block in function.body.iter_mut().flat_map(|body| &mut body.blocks) {
            block_symbols(block, &mut |symbol| target(symbol));
        }
    }
    for relocation in program.globals.iter_mut().flat_map(|global| &mut global.relocations) {
        relocation.target = match relocation.target {
            // A label keeps its block when its function is renumbered.
            Symbol::Label(function, block) => match target(Symbol::Function(function)) {
                Symbol::Function(function) => Symbol::Label(function, block),
                _ => relocation.target,
            },
            symbol => target(symbol),
        };
    }
}

fn operand_of(symbol: Symbol) -> Operand {
    match symbol {
        Symbol::Function(id) => Operand::Function(id),
        Symbol::Global(id) => Operand::Global(id),
        Symbol::Label(_, block) => Operand::Label(block),
    }
}

/// The functions and globals that are kept, with their new ids.
#[derive(Debug)]
pub struct Renumbering {
    /// The new id of each function, or `None` if it is removed.
    pub functions: Vec<Option<FuncId>>,
    /// The new id of each global, or `None` if it is removed.
    pub globals: Vec<Option<GlobalId>>,
}

impl Renumbering {
    /// Keeps the marked functions and globals in their order.
    pub fn keep(functions: &[bool], globals: &[bool]) -> Self {
        fn number<T>(kept: &[bool], id: impl Fn(usize) -> T) -> Vec<Option<T>> {
            let mut next = 0;
            let mut give = |&kept: &bool| {
                kept.then(|| {
                    next += 1;
                    id(next - 1)
                })
            };
            kept.iter().map(&mut give).collect()
        }
        Self { functions: number(functions, FuncId::new), globals: number(globals, GlobalId::new) }
    }

    /// Removes the other functions and globals from the program. Nothing that is kept may refer to them.
    pub fn apply(&self, program: &mut Program) {
        let mut index = 0;
        program.functions.retain(|_| {
            index += 1;
            self.functions[index - 1].is_some()
        });
        index = 0;
        program.globals.retain(|_| {
            index += 1;
            self.globals[index - 1].is_some()
        });
        redirect(program, &|symbol| match symbol {
            Symbol::Function(id) => self.functions[id.index()].map_or(symbol, Symbol::Function),
            Symbol::Global(id) => self.globals[id.index()].map_or(symbol, Symbol::Global),
            Symbol::Label(..) => symbol,
        });
        // Checks of removed functions are dropped by the next numbering; no instruction refers to them.
        for check in &mut program.checks {
            check.function = self.functions[check.function.index()].unwrap_or(FuncId(0));
        }
    }
}
