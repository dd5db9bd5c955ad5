//! Facts about the functions of a program that hold before anything is executed.

use cairn_ir::analysis::call_graph::named_calls;
use cairn_ir::ctype::{Type, TypeId};
use cairn_ir::program::{Linkage, Symbol};
use cairn_ir::{Body, FuncId, Inst, Operand, Program, Reg};

use super::execute::counts_to_a_constant;
use super::limits::{SHORT_FUNCTION, SMALL_FUNCTION};

/// Facts about a function.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Summary {
    /// It has no loops and is small enough to be executed in place of its calls.
    pub small: bool,
    /// It is small and only computes, without branches, calls and memory.
    pub pure: bool,
    /// It is not long and its loops count to constants: it is executed in place where it may initialise its arguments.
    pub short: bool,
    /// It returns uninitialised memory, so its effect is seen in its callers.
    pub in_callers: bool,
    /// Functions outside of this program may call it.
    pub open: bool,
}

impl Summary {
    /// Returns whether the function may be executed in place of its calls.
    pub fn may_be_in_place(self) -> bool {
        self.in_callers || self.short || self.pure
    }
}

/// Iterates over the ids of all functions.
pub(super) fn ids(program: &Program) -> impl Iterator<Item = FuncId> + use<> {
    (0..program.functions.len()).map(FuncId::new)
}

/// Returns the functions that a function calls by name, one per call.
pub(super) fn callees(program: &Program, id: FuncId) -> Vec<FuncId> {
    named_calls(&program.functions[id.index()]).collect()
}

/// Returns how many calls of a function there are.
pub(super) fn count_calls(program: &Program, id: FuncId) -> usize {
    ids(program).flat_map(|caller| callees(program, caller)).filter(|&callee| callee == id).count()
}

/// Returns the functions with bodies, callees before their callers where there is no recursion.
pub(super) fn callees_first(program: &Program) -> Vec<FuncId> {
    let mut out = Vec::new();
    let mut seen = vec![false; program.functions.len()];
    for root in ids(program) {
        let mut stack = vec![(root, false)];
        while let Some((id, done)) = stack.pop() {
            if done {
                out.push(id);
            } else if !std::mem::replace(&mut seen[id.index()], true) && program.functions[id.index()].body.is_some() {
                stack.push((id, true));
                stack.extend(callees(program, id).into_iter().map(|callee| (callee, false)));
            }
        }
    }
    out
}

/// Summarises all functions.
pub(super) fn summarise(program: &Program) -> Vec<Summary> {
    let mut summaries = vec![Summary::default(); program.functions.len()];
    for (summary, function) in summaries.iter_mut().zip(&program.functions) {
        let Some(body) = &function.body else { continue };
        let count: usize = body.blocks.iter().map(|block| block.insts.len()).sum();
        let heads = loop_heads(body);
        let mut heads = (0..heads.len()).filter(|&block| heads[block]).peekable();
        let mut insts = body.blocks.iter().flat_map(|block| &block.insts);
        summary.small = count <= SMALL_FUNCTION && heads.peek().is_none();
        summary.pure = summary.small && body.blocks.len() == 1 && body.slots.is_empty() && insts.all(only_computes);
        summary.short = count <= SHORT_FUNCTION && heads.all(|head| counts_to_a_constant(body, head));
        summary.open = function.linkage == Linkage::External;
    }
    for id in ids(program).flat_map(|id| mentioned_in(program, id)).chain(mentioned_in_globals(program)) {
        summaries[id.index()].open = true;
    }
    summaries
}

/// Returns for each block whether it is the head of a loop.
///
/// Blocks are in reverse postorder, so a jump that does not go forward closes a loop. This also cuts loops with several entries, which
/// are not natural loops.
pub(super) fn loop_heads(body: &Body) -> Vec<bool> {
    let mut heads = vec![false; body.blocks.len()];
    for (number, block) in body.blocks.iter().enumerate() {
        block.end.for_successors(&mut |next| heads[next.index()] |= next.index() <= number);
    }
    heads
}

fn only_computes(inst: &Inst) -> bool {
    matches!(
        inst,
        Inst::Move { .. }
            | Inst::Binary { .. }
            | Inst::Compare { .. }
            | Inst::Convert { .. }
            | Inst::PtrAdd { .. }
            | Inst::Unary { .. }
            | Inst::Undef { .. }
            | Inst::Use { .. }
            | Inst::Fits { .. }
            | Inst::Enter(_)
            | Inst::Leave(_)
    )
}

/// Returns the functions whose address is taken in a body.
fn mentioned_in(program: &Program, id: FuncId) -> Vec<FuncId> {
    let mut out = Vec::new();
    let mut mark = |operand: Operand| {
        if let Operand::Function(id) = operand {
            out.push(id);
        }
    };
    for block in program.functions[id.index()].body.iter().flat_map(|body| &body.blocks) {
        block.insts.iter().for_each(|inst| inst.for_operands(&mut mark));
        block.end.for_operands(&mut mark);
    }
    out
}

/// Iterates over the functions whose address is in a global variable.
fn mentioned_in_globals(program: &Program) -> impl Iterator<Item = FuncId> {
    program.globals.iter().flat_map(|global| &global.relocations).filter_map(|relocation| match relocation.target {
        Symbol::Function(id) => Some(id),
        _ => None,
    })
}

/// Returns for each function whether it comes from a header and is not used.
///
/// Such a function is not visible outside, comes from a file in which nothing is visible outside, and is not reached
/// from anything else.
pub(super) fn unused_header_functions(program: &Program) -> Vec<bool> {
    let at = |id: FuncId| &program.functions[id.index()];
    let open = |id: FuncId| at(id).body.is_some() && at(id).linkage == Linkage::External;
    let own: Vec<_> = ids(program).filter(|&id| open(id)).map(|id| at(id).loc.file).collect();
    let mut waiting: Vec<FuncId> =
        ids(program).filter(|&id| own.is_empty() || own.contains(&at(id).loc.file)).collect();
    waiting.extend(mentioned_in_globals(program));
    let mut unused = vec![true; program.functions.len()];
    while let Some(id) = waiting.pop() {
        if std::mem::replace(&mut unused[id.index()], false) {
            waiting.extend(callees(program, id));
            waiting.extend(mentioned_in(program, id));
        }
    }
    unused
}

/// The parameters of a function type.
pub(super) struct Parameters {
    /// The C types. The memory for a struct result comes first.
    pub types: Vec<Option<TypeId>>,
    /// Whether the first one is the memory for a struct result.
    pub has_result_memory: bool,
}

impl Parameters {
    /// Returns the parameters of a function type, or as many unknown ones.
    pub fn of(program: &Program, function: Option<TypeId>, count: usize) -> Self {
        let Some(Type::Function(ty)) = function.map(|ty| program.types.get(ty)) else {
            return Self { types: vec![None; count], has_result_memory: false };
        };
        let has_result_memory = matches!(program.types.get(ty.ret.ty), Type::Record(_) | Type::Complex(_));
        let first = has_result_memory.then_some(Some(ty.ret.ty));
        let types = first.into_iter().chain(ty.params.iter().map(|&ty| Some(ty))).collect();
        Self { types, has_result_memory }
    }
}

/// Returns the C type of a function's result.
pub(super) fn result_type(program: &Program, function: Option<TypeId>) -> Option<TypeId> {
    match function.map(|ty| program.types.get(ty)) {
        Some(Type::Function(ty)) => Some(ty.ret.ty),
        _ => None,
    }
}

/// Returns for each slot whether its address is used for more than accesses to it and struct results.
pub(super) fn escaping_slots(program: &Program, body: &Body) -> Vec<bool> {
    let mut escaping = vec![false; body.slots.len()];
    let mut mark = |operand: Operand| {
        if let Operand::Slot(slot) = operand {
            escaping[slot.index()] = true;
        }
    };
    for (number, block) in body.blocks.iter().enumerate() {
        for inst in &block.insts {
            match inst {
                Inst::Load { .. } | Inst::LoadBits { .. } | Inst::Copy { .. } | Inst::Zero { .. } => {}
                Inst::Store { src, .. } | Inst::StoreBits { src, .. } => mark(*src),
                Inst::PtrAdd { dst, .. } if is_only_accessed(body, number, *dst) => {}
                Inst::Call(call) => {
                    let result = result_type(program, call.ctype).map(|ty| program.types.get(ty));
                    let hidden = matches!(result, Some(Type::Record(_)));
                    call.args.iter().skip(usize::from(hidden)).for_each(|arg| mark(arg.value));
                }
                other => other.for_operands(&mut mark),
            }
        }
        block.end.for_operands(&mut mark);
    }
    escaping
}

/// Returns whether an address that is computed in a block is only the address of accesses in that block.
fn is_only_accessed(body: &Body, home: usize, address: Reg) -> bool {
    let mut uses = 0;
    let mut accesses = 0;
    for (number, block) in body.blocks.iter().enumerate() {
        let mut count = |operand: Operand| uses += usize::from(operand == Operand::Reg(address));
        block.insts.iter().for_each(|inst| inst.for_operands(&mut count));
        block.end.for_operands(&mut count);
        if number == home {
            let is_access = |inst: &&Inst| match inst {
                Inst::Load { addr, .. } => *addr == Operand::Reg(address),
                Inst::Store { addr, src, .. } => *addr == Operand::Reg(address) && *src != Operand::Reg(address),
                _ => false,
            };
            accesses = block.insts.iter().filter(is_access).count();
        }
    }
    uses == accesses && body.regs[address.index()].name.is_none()
}
