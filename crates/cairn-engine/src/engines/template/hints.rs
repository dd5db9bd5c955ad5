//! What a program suggests for templates: constants at which bounds may lie, cases that it tells apart, loops that come before others.

use std::collections::{BTreeMap, BTreeSet};

use cairn_ir::{Inst, Operand, Program, Terminator};

use super::ssa::{Formula, Kind};
use super::templates::Hints;

/// What a program suggests for templates: its constants and their neighbours, and how it compares.
pub(super) fn hints(program: &Program, formula: &Formula) -> Hints {
    let mut thresholds: BTreeSet<i128> = BTreeSet::from([-1, 0, 1]);
    let mut unsigned = false;
    let mut compared: BTreeMap<i128, usize> = BTreeMap::new();
    let mut add = |operand: Operand| {
        if let Operand::Int(number) = operand {
            let number = i128::from(number);
            // A bound from below is one of the negated number from above.
            for near in [number - 1, number, number + 1] {
                thresholds.extend([near, -near]);
            }
        }
    };
    for block in program.functions.iter().filter_map(|f| f.body.as_ref()).flat_map(|body| &body.blocks) {
        for inst in &block.insts {
            match inst {
                Inst::Compare { op, ty, .. } => {
                    let by_bits = matches!(op, cairn_ir::CompareOp::ULt | cairn_ir::CompareOp::ULe);
                    unsigned |= by_bits && ty.is_int();
                    inst.for_operands(&mut add);
                    if ty.is_int() {
                        cases_of(inst, &mut compared);
                    }
                }
                Inst::Move { .. } | Inst::Store { .. } | Inst::Binary { .. } => inst.for_operands(&mut add),
                _ => {}
            }
        }
        if let Terminator::Switch { cases, .. } = &block.end {
            cases.iter().for_each(|case| [case.low, case.high].into_iter().for_each(|n| add(Operand::Int(n))));
        }
    }
    for width in [8, 16, 32, 64] {
        thresholds.extend([(1 << (width - 1)) - 1, 1 << (width - 1), (1 << width) - 1]);
    }
    // A loop knows of those that were left before it is entered, and of those around it.
    let mut earlier = Vec::new();
    for (index, location) in formula.locations.iter().enumerate() {
        let chain = formula.chain(index);
        let known = |other: &usize| {
            let others = formula.chain(*other);
            let above = &others[..others.len() - 1];
            let of = &formula.locations[*other];
            *other < index && of.kind == Kind::Loop && of.body == location.body && chain.starts_with(above)
        };
        let loops = if location.kind == Kind::Loop { 0..formula.locations.len() } else { 0..0 };
        earlier.push(loops.filter(known).collect());
    }
    let mut cases: Vec<(i128, usize)> = compared.into_iter().collect();
    cases.sort_by_key(|&(case, often)| (std::cmp::Reverse(often), case));
    let cases = cases.into_iter().map(|(case, _)| case).collect();
    Hints { thresholds: thresholds.into_iter().collect(), cases, unsigned, earlier }
}

/// Counts the greatest number on one side of a comparison with a constant.
fn cases_of(inst: &Inst, compared: &mut BTreeMap<i128, usize>) {
    use cairn_ir::CompareOp;
    let Inst::Compare { op, lhs, rhs, .. } = *inst else { return };
    let case = match (op, lhs, rhs) {
        (CompareOp::SLt | CompareOp::ULt, Operand::Int(_), Operand::Int(_)) => return,
        (CompareOp::SLt | CompareOp::ULt, _, Operand::Int(number)) => i128::from(number) - 1,
        (CompareOp::SLe | CompareOp::ULe, Operand::Int(number), _) => i128::from(number) - 1,
        (_, _, Operand::Int(number)) | (_, Operand::Int(number), _) => i128::from(number),
        _ => return,
    };
    *compared.entry(case).or_default() += 1;
}
