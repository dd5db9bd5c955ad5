//! Hints for templates from the program text: thresholds for bounds, case distinctions, and the order of loops.

use std::collections::{BTreeMap, BTreeSet};

use cairn_ir::analysis::constants::{Side, Use, for_constants};
use cairn_ir::{CompareOp, Inst, Program};

use crate::ssa::{Formula, Kind};
use crate::templates::Hints;

/// Collects the hints of a program and its formula.
pub(super) fn hints(program: &Program, formula: &Formula) -> Hints {
    let mut thresholds: BTreeSet<i128> = BTreeSet::from([-1, 0, 1]);
    let mut compared: BTreeMap<i128, usize> = BTreeMap::new();
    for_constants(program, &mut |role, number| {
        if let Use::Compared(op, ty, side) = role
            && ty.is_int()
        {
            *compared.entry(case_of(op, side, number)).or_default() += 1;
        }
        if matches!(role, Use::Compared(..) | Use::Computed(..) | Use::Assigned | Use::Address | Use::Case) {
            // A lower bound is an upper bound of the negated number.
            for near in [number - 1, number, number + 1] {
                thresholds.extend([near, -near]);
            }
        }
    });
    let bodies = program.functions.iter().filter_map(|function| function.body.as_ref());
    let unsigned = bodies
        .flat_map(|body| &body.blocks)
        .flat_map(|block| &block.insts)
        .any(|inst| matches!(inst, Inst::Compare { op: CompareOp::ULt | CompareOp::ULe, ty, .. } if ty.is_int()));
    for width in [8, 16, 32, 64] {
        thresholds.extend([(1 << (width - 1)) - 1, 1 << (width - 1), (1 << width) - 1]);
    }
    // The paths of a loop distinguish the loops that were left before it is entered and the loops around it.
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

/// Returns the case that a comparison with a constant distinguishes: the greatest number on one side.
fn case_of(op: CompareOp, side: Side, number: i128) -> i128 {
    match (op, side) {
        (CompareOp::SLt | CompareOp::ULt, Side::Right) | (CompareOp::SLe | CompareOp::ULe, Side::Left) => number - 1,
        _ => number,
    }
}
