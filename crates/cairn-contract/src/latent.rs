//! Faults that are up to callers, although every input on the path leads to them.
//!
//! A path is a set of inputs, and callers may pass none of them: a table without memory has no elements, and a stack is never empty and full
//! at once. A fault counts only if the code decides it. Sizes and offsets must not come from inputs, and a pointer that the code has found to
//! be null must be followed whatever the other inputs are.

use cairn_exec::Machine;
use cairn_exec::allocation::Target;
use cairn_exec::state::Choice;
use cairn_ir::inst::{Intrinsic, Operand};
use cairn_ir::program::Param;
use cairn_ir::{CheckKind, Inst};
use cairn_memory::pointer::ObjectId;
use cairn_memory::symbolic::Object;
use cairn_smt::Term;
use cairn_smt::term::Node;

use crate::limits::FIRST_INPUT;
use crate::mode::{Analysing, State};
use crate::unknowns::Holder;

/// Returns whether callers decide if the next instruction fails.
pub(crate) fn is_up_to_callers(machine: &mut Machine<'_, Analysing>, state: &State, kind: CheckKind) -> bool {
    match kind {
        CheckKind::DivisionByZero | CheckKind::Overflow => state.extra.has_chosen(),
        CheckKind::Uninitialised => {
            state.extra.has_chosen() || reads_unsized(machine, state) || is_idle_read(machine, state)
        }
        CheckKind::OutOfBounds => {
            state.extra.has_chosen() || loops_on_inputs(state) || accesses_unknown_bounds(machine, state)
        }
        CheckKind::InvalidFree => accesses_before_input(machine, state),
        CheckKind::NullDeref => is_null_for_some(machine, state),
        _ => false,
    }
}

/// Returns whether the instruction accesses an object whose size depends on inputs, or at an offset that depends on them.
fn accesses_unknown_bounds(machine: &mut Machine<'_, Analysing>, state: &State) -> bool {
    accessed(machine, state).into_iter().any(|(id, offset)| {
        let object = state.memory.get(id);
        let is_offset_given = state.extra.has_looped && machine.terms.as_const(offset).is_none();
        id.0 >= FIRST_INPUT || is_offset_given || is_unsized(machine, object)
    })
}

/// Returns whether inputs decide the size of an object.
fn is_unsized(machine: &Machine<'_, Analysing>, object: &Object) -> bool {
    let Some(size) = machine.terms.as_const(object.size) else { return true };
    is_least_size(machine, object, size)
}

/// Returns whether the size is the constant of an allocation like `malloc(n ? n : 1)`.
fn is_least_size(machine: &Machine<'_, Analysing>, object: &Object, size: u128) -> bool {
    let Some(born) = object.born.first() else { return false };
    let body = machine.body(born.function);
    let located = body.blocks.iter().flat_map(|block| block.insts.iter().zip(&block.locs));
    let sizes = located.filter(|(_, loc)| **loc == born.loc).filter_map(|(inst, _)| match inst {
        Inst::Intrinsic { op: Intrinsic::HeapAlloc, args, .. } => args.first(),
        Inst::Intrinsic { op: Intrinsic::HeapRealloc, args, .. } => args.get(1),
        _ => None,
    });
    let registers = sizes.filter_map(|size| if let Operand::Reg(register) = size { Some(*register) } else { None });
    registers.into_iter().any(|register| {
        let is_least =
            |inst: &&Inst| matches!(inst, Inst::Move { src: Operand::Int(value), .. } if *value as u128 == size);
        let insts = body.blocks.iter().flat_map(|block| &block.insts);
        let (least, others): (Vec<&Inst>, Vec<&Inst>) =
            insts.filter(|inst| inst.dst() == Some(register)).partition(is_least);
        !least.is_empty() && (!others.is_empty() || body.params.contains(&Param::Reg(register)))
    })
}

/// Returns whether the instruction accesses an object of the caller before the address that the function was given.
fn accesses_before_input(machine: &mut Machine<'_, Analysing>, state: &State) -> bool {
    accessed(machine, state).into_iter().any(|(id, offset)| {
        let bits = machine.pointer_bits;
        id.0 >= FIRST_INPUT && machine.terms.as_const(offset).is_none_or(|offset| offset >> (bits - 1) & 1 == 1)
    })
}

/// Returns whether the instruction follows a pointer that the code has not found to be null, or follows it only for some other inputs.
///
/// `if (!list->items) ...` and a loop over `list->size` items do not contradict each other: an empty list has no memory.
fn is_null_for_some(machine: &mut Machine<'_, Analysing>, state: &State) -> bool {
    let Some(pointer) = null_variable(machine, state) else { return false };
    let mut conditions = state.path.conditions();
    conditions.reverse();
    let null = machine.terms.constant(0, machine.pointer_bits);
    let is_null = machine.terms.eq(pointer, null);
    let Some(found) = conditions.iter().position(|&condition| condition == is_null) else { return true };
    is_input(machine, state, pointer)
        && conditions[found + 1..].iter().any(|&condition| {
            let variables = machine.terms.variables_of(condition);
            // That other pointers are not null is assumed where they are followed.
            let is_assumed = matches!(&variables[..], [one] if state.extra.not_null.contains(one));
            !is_assumed && variables.iter().any(|&variable| variable != pointer && is_input(machine, state, variable))
        })
}

/// Returns the unknown that is null among the addresses of the next instruction.
fn null_variable(machine: &Machine<'_, Analysing>, state: &State) -> Option<Term> {
    let bases = |pointer: Term| match machine.terms.node(pointer) {
        Node::Var(_) => vec![pointer],
        Node::Sum(sum) => sum.monomials.iter().filter(|(_, count)| *count == 1).map(|(term, _)| *term).collect(),
        _ => Vec::new(),
    };
    let is_null = |term: &Term| {
        matches!(machine.terms.node(*term), Node::Var(_)) && machine.terms.evaluate(*term, state.path.model()) == 0
    };
    pointers(machine, state).into_iter().flat_map(bases).find(is_null)
}

/// Returns whether callers choose the value of a variable: an argument, or memory that no function of another file has written.
fn is_input(machine: &Machine<'_, Analysing>, state: &State, variable: Term) -> bool {
    machine.mode.arguments.contains(&variable)
        || state.extra.cells.iter().any(|cell| cell.value == variable && !matches!(cell.holder, Holder::Written(_)))
}

/// Returns the objects to which pointers of the next instruction lead, and the offsets.
fn accessed(machine: &mut Machine<'_, Analysing>, state: &State) -> Vec<(ObjectId, Term)> {
    let pointers = pointers(machine, state);
    let target = |pointer| match machine.target(state, pointer) {
        Target::Object(id, offset) => Some((id, offset)),
        _ => None,
    };
    pointers.into_iter().filter_map(target).collect()
}

/// Returns the values of the next instruction that are as wide as addresses.
fn pointers(machine: &Machine<'_, Analysing>, state: &State) -> Vec<Term> {
    let top = state.top();
    let body = machine.body(top.function);
    let Some(inst) = body.blocks[top.block.index()].insts.get(top.inst) else { return Vec::new() };
    let mut pointers = Vec::new();
    inst.for_operands(&mut |operand| {
        if let Operand::Reg(reg) = operand {
            pointers.extend(top.regs[reg.index()]);
        }
    });
    pointers.retain(|&pointer| machine.terms.width(pointer) == machine.pointer_bits);
    pointers
}

/// Returns whether the path has read uninitialised bytes of an object whose size depends on inputs.
fn reads_unsized(machine: &Machine<'_, Analysing>, state: &State) -> bool {
    let is_unsized = |life: u64| {
        let mut objects = state.memory.iter().filter(|(_, object)| object.life == Some(life));
        objects.any(|(_, object)| machine.terms.as_const(object.size).is_none())
    };
    state.choices.iter().any(|choice| matches!(choice, Choice::Leftover(life, ..) if is_unsized(*life)))
}

/// Returns whether inputs decide the number of iterations of a loop that is executed.
pub(crate) fn loops_on_inputs(state: &State) -> bool {
    state.frames.iter().any(|frame| frame.forks.iter().any(|&forks| forks > 1))
}

/// Returns whether the value that is about to be read has no effect within the function.
///
/// A function that ends without a result returns an indeterminate value, which its caller need not use; compilers warn about such
/// functions. The address of a member, as in
/// `q = &p->next`, is only computed; an access through it is a use.
fn is_idle_read(machine: &Machine<'_, Analysing>, state: &State) -> bool {
    let top = state.top();
    let body = machine.body(top.function);
    let block = &body.blocks[top.block.index()];
    let Some(Inst::Use { src: Operand::Reg(read), .. }) = block.insts.get(top.inst) else { return false };
    let before = top.inst.checked_sub(1).and_then(|before| block.insts.get(before));
    if matches!(before, Some(Inst::Undef { dst }) if dst == read) {
        return top.inst + 1 == block.insts.len();
    }
    matches!(block.insts.get(top.inst + 1), Some(Inst::PtrAdd { .. }))
}
