//! The functions that write memory which other functions see, and the objects whose addresses are known to them.

use std::collections::BTreeSet;

use cairn_ir::analysis::call_graph::{CallGraph, Calls};
use cairn_ir::inst::{Callee, Inst, Terminator};
use cairn_ir::program::{Program, Symbol};
use cairn_ir::{FuncId, GlobalId, Intrinsic, Operand};

/// What the functions of a program do to memory.
pub(crate) struct Effects {
    /// Whether a call of a function may write memory that the caller sees.
    writes: Vec<bool>,
    /// Whether a call of a function may return.
    returns: Vec<bool>,
    /// The globals whose address is used other than for direct accesses.
    pub exposed: BTreeSet<GlobalId>,
}

impl Effects {
    /// Finds the effects of all functions.
    pub fn of(program: &Program, graph: &CallGraph) -> Self {
        let own: Vec<bool> = program
            .functions
            .iter()
            .map(|function| {
                function.body.as_ref().is_none_or(|body| body.blocks.iter().any(|b| b.insts.iter().any(writes)))
            })
            .collect();
        let writes = (0..own.len())
            .map(|index| {
                own[index] || graph.reached_from(FuncId::new(index), Calls::All).iter().any(|id| own[id.index()])
            })
            .collect();
        Self { writes, returns: returns(program), exposed: exposed(program) }
    }

    /// Returns whether execution goes on after an instruction.
    pub fn goes_on(&self, inst: &Inst) -> bool {
        goes_on(inst, &self.returns)
    }

    /// Returns whether a call of a function may write memory that the caller sees.
    pub fn writes(&self, function: FuncId) -> bool {
        self.writes[function.index()]
    }
}

/// Returns whether execution goes on after an instruction.
fn goes_on(inst: &Inst, returns: &[bool]) -> bool {
    match inst {
        Inst::Intrinsic { op, .. } => op.returns(),
        Inst::Call(call) => !matches!(call.callee, Callee::Function(id) if !returns[id.index()]),
        _ => true,
    }
}

/// Returns whether each function may return.
fn returns(program: &Program) -> Vec<bool> {
    let mut returns: Vec<bool> = program.functions.iter().map(|function| function.body.is_none()).collect();
    loop {
        let mut has_changed = false;
        for (index, function) in program.functions.iter().enumerate() {
            let Some(body) = function.body.as_ref().filter(|_| !returns[index]) else { continue };
            let mut seen = vec![false; body.blocks.len()];
            let mut waiting: Vec<usize> = body.blocks.first().map(|_| 0).into_iter().collect();
            while let Some(block) = waiting.pop() {
                let known = &body.blocks[block];
                if std::mem::replace(&mut seen[block], true) || !known.insts.iter().all(|i| goes_on(i, &returns)) {
                    continue;
                }
                if matches!(known.end, Terminator::Return(_)) {
                    (returns[index], has_changed) = (true, true);
                    break;
                }
                known.end.for_successors(&mut |next| waiting.push(next.index()));
            }
        }
        if !has_changed {
            return returns;
        }
    }
}

/// Returns whether an instruction may write memory other than a variable of its function.
fn writes(inst: &Inst) -> bool {
    match inst {
        Inst::Store { addr, .. } | Inst::StoreBits { addr, .. } => !matches!(addr, Operand::Slot(_)),
        Inst::Copy { dst, .. } | Inst::Zero { dst, .. } => !matches!(dst, Operand::Slot(_)),
        Inst::Intrinsic { op, .. } => writes_memory(*op),
        _ => false,
    }
}

/// Returns whether an intrinsic may write memory that its arguments or other pointers point to.
pub(crate) fn writes_memory(op: Intrinsic) -> bool {
    !matches!(
        op,
        Intrinsic::HeapAlloc
            | Intrinsic::HeapAllocZeroed
            | Intrinsic::HeapAllocAligned
            | Intrinsic::HeapFree
            | Intrinsic::StackAlloc
            | Intrinsic::MapMemory
            | Intrinsic::CompareBytes
            | Intrinsic::StringLength
            | Intrinsic::ObjectSize
            | Intrinsic::Nondet
            | Intrinsic::Assume
            | Intrinsic::AssertFail
            | Intrinsic::ReachError
            | Intrinsic::Exit
            | Intrinsic::Abort
            | Intrinsic::VaStart
            | Intrinsic::VaArg
            | Intrinsic::Write
            | Intrinsic::ReadChar
            | Intrinsic::FormatFile
            | Intrinsic::Math(_)
            | Intrinsic::Time
            | Intrinsic::Clock
            | Intrinsic::Vary
            | Intrinsic::Order
    )
}

/// Returns the globals whose address is stored, passed or computed with anywhere in the program.
fn exposed(program: &Program) -> BTreeSet<GlobalId> {
    let mut exposed = BTreeSet::new();
    for relocation in program.globals.iter().flat_map(|global| &global.relocations) {
        if let Symbol::Global(id) = relocation.target {
            exposed.insert(id);
        }
    }
    let mut note = |operand: Operand| {
        if let Operand::Global(id) = operand {
            exposed.insert(id);
        }
    };
    for block in program.functions.iter().filter_map(|function| function.body.as_ref()).flat_map(|body| &body.blocks) {
        for inst in &block.insts {
            match inst {
                Inst::Load { .. } | Inst::LoadBits { .. } | Inst::Zero { .. } | Inst::Compare { .. } => {}
                Inst::Store { src, .. } | Inst::StoreBits { src, .. } => note(*src),
                _ => inst.for_operands(&mut note),
            }
        }
        block.end.for_operands(&mut note);
    }
    exposed
}
