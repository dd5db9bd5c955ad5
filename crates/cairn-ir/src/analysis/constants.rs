//! The integer constants of a program, with their uses.
//!
//! Engines take thresholds for bounds, cases and marks from the constants that the program computes with.

use crate::inst::{BinaryOp, CompareOp, Inst, Operand, Terminator, Ty};
use crate::program::Program;

/// A use of a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// An operand of a comparison of this type: the left one, or else the right one.
    Compared(CompareOp, Ty, Side),
    /// An operand of an arithmetic operation.
    Computed(BinaryOp, Side),
    /// The source of a move or a store.
    Assigned,
    /// The source of a store to a bit-field.
    AssignedBits,
    /// The address of a store.
    Address,
    /// An argument of a call.
    Passed,
    /// The result of a function.
    Returned,
    /// An end of a range of cases of a switch.
    Case,
    /// The size of a variable.
    Size,
}

/// The operand of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// The left operand.
    Left,
    /// The right operand.
    Right,
}

/// Calls `visit` on every use of a constant.
pub fn for_constants(program: &Program, visit: &mut impl FnMut(Use, i128)) {
    for body in program.functions.iter().filter_map(|function| function.body.as_ref()) {
        for block in &body.blocks {
            block.insts.iter().for_each(|inst| of_inst(inst, visit));
            match &block.end {
                Terminator::Return(Some(value)) => take(*value, Use::Returned, visit),
                Terminator::Switch { cases, .. } => cases.iter().for_each(|case| {
                    visit(Use::Case, case.low.into());
                    visit(Use::Case, case.high.into());
                }),
                _ => {}
            }
        }
        body.slots.iter().for_each(|slot| visit(Use::Size, slot.size.into()));
    }
    program.globals.iter().for_each(|global| visit(Use::Size, global.size.into()));
}

fn of_inst(inst: &Inst, visit: &mut impl FnMut(Use, i128)) {
    match inst {
        Inst::Compare { op, ty, lhs, rhs, .. } => {
            take(*lhs, Use::Compared(*op, *ty, Side::Left), visit);
            take(*rhs, Use::Compared(*op, *ty, Side::Right), visit);
        }
        Inst::Binary { op, lhs, rhs, .. } => {
            take(*lhs, Use::Computed(*op, Side::Left), visit);
            take(*rhs, Use::Computed(*op, Side::Right), visit);
        }
        Inst::Move { src, .. } => take(*src, Use::Assigned, visit),
        Inst::Store { addr, src, .. } => {
            take(*addr, Use::Address, visit);
            take(*src, Use::Assigned, visit);
        }
        Inst::StoreBits { src, .. } => take(*src, Use::AssignedBits, visit),
        Inst::Call(call) => call.args.iter().for_each(|arg| take(arg.value, Use::Passed, visit)),
        _ => {}
    }
}

fn take(operand: Operand, role: Use, visit: &mut impl FnMut(Use, i128)) {
    if let Operand::Int(value) = operand {
        visit(role, value.into());
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::program;
    use super::*;

    #[test]
    fn every_use_is_visited_in_order() {
        let program = program(
            "program lp64\nglobal g0 external \"g\" size 12 align 4\n\
             function f0 external \"f\" () -> i32 {\n reg v0: i32\n reg v1: i1\n slot s0 size 7 align 1\nb0:\n v0 = move 3\n \
             v0 = add i32 v0, 5\n v1 = slt i32 v0, 9\n store i32 s0, -1\n v0 = call f0() -> i32\n return 2\n}\n",
        );
        let mut found = Vec::new();
        for_constants(&program, &mut |role, value| found.push((role, value)));
        assert_eq!(
            found,
            [
                (Use::Assigned, 3),
                (Use::Computed(BinaryOp::Add, Side::Right), 5),
                (Use::Compared(CompareOp::SLt, Ty::I32, Side::Right), 9),
                (Use::Assigned, -1),
                (Use::Returned, 2),
                (Use::Size, 7),
                (Use::Size, 12),
            ]
        );
    }
}
