//! Adds a check to every read of a local variable that may be uninitialised and whose address is never taken, and to every argument of a
//! call that may be.
//!
//! Copying an uninitialised value is allowed in general, but such a read is itself undefined behaviour (C11 6.3.2.1, paragraph 2).
//! A scalar of this kind is a register. A member of a struct is a load from a slot whose address is used for accesses only. The
//! analysis finds the registers that are unassigned on some path, so that few checks are added.
//!
//! An argument is a use of its value, too: the function that gets it has no means to avoid an uninitialised one. The arguments that are
//! checked are those that were computed from values in memory. A struct that is passed as a whole is copied.

use crate::check::{Check, CheckKind, Checks};
use crate::ids::{CheckId, FuncId};
use crate::inst::{Inst, Local, Operand, Passing, Terminator};
use crate::program::{Block, Body, Param, Program};
use crate::{Loc, Reg};

/// Runs the pass.
pub(super) fn run(program: &mut Program) {
    for (index, function) in program.functions.iter_mut().enumerate() {
        if !function.origin.is_of_user() {
            continue;
        }
        let Some(body) = &mut function.body else { continue };
        let starts = Unassigned::of(body);
        let members = accessed_only(body);
        let from_memory = from_memory(body);
        for (block, mut unassigned) in body.blocks.iter_mut().zip(starts) {
            let (insts, locs) = (std::mem::take(&mut block.insts), std::mem::take(&mut block.locs));
            // The arguments that were checked in this block and not assigned since.
            let mut checked = vec![false; body.regs.len()];
            let mut add = |block: &mut Block, reg: Reg, loc: Loc| {
                let checks = Checks { first: CheckId::new(program.checks.len()), count: 1 };
                program.checks.push(Check { kind: CheckKind::Uninitialised, function: FuncId::new(index), loc });
                block.insts.push(Inst::Use { ty: body.regs[reg.index()].ty, src: Operand::Reg(reg), checks });
                block.locs.push(loc);
            };
            for (inst, loc) in insts.into_iter().zip(locs) {
                for reg in unassigned.read_by(&inst) {
                    add(block, reg, loc);
                }
                unassigned.pass(&inst);
                for reg in arguments(&inst) {
                    if from_memory[reg.index()] && !std::mem::replace(&mut checked[reg.index()], true) {
                        add(block, reg, loc);
                    }
                }
                if let Some(dst) = inst.dst() {
                    checked[dst.index()] = false;
                }
                let loaded = match inst {
                    // The elements of an array of variable length are not members.
                    Inst::Load { dst, addr: Operand::Slot(slot), checks, .. }
                    | Inst::LoadBits { dst, addr: Operand::Slot(slot), checks, .. } => {
                        (members[slot.index()] && checks.is_empty()).then_some(dst)
                    }
                    _ => None,
                };
                block.insts.push(inst);
                block.locs.push(loc);
                if let Some(reg) = loaded {
                    add(block, reg, loc);
                }
            }
            // A branch checks its condition itself.
            if let Terminator::Return(Some(Operand::Reg(reg))) = block.end
                && unassigned.0[reg.index()]
            {
                add(block, reg, block.end_loc);
            }
        }
    }
}

/// Returns the scalars in registers that an instruction passes to a function.
fn arguments(inst: &Inst) -> Vec<Reg> {
    let Inst::Call(call) = inst else { return Vec::new() };
    let scalars = call.args.iter().filter(|arg| matches!(arg.passing, Passing::Scalar(_)));
    scalars.filter_map(|arg| if let Operand::Reg(reg) = arg.value { Some(reg) } else { None }).collect()
}

/// Returns, for each register, whether some of its values were loaded from memory or computed from such values.
fn from_memory(body: &Body) -> Vec<bool> {
    let mut found = vec![false; body.regs.len()];
    loop {
        let mut has_changed = false;
        for inst in body.blocks.iter().flat_map(|block| &block.insts) {
            let is_loaded = match inst {
                Inst::Load { .. } | Inst::LoadBits { .. } => true,
                Inst::Move { .. }
                | Inst::Unary { .. }
                | Inst::Binary { .. }
                | Inst::Divide { .. }
                | Inst::Convert { .. }
                | Inst::PtrAdd { .. }
                | Inst::PtrSub { .. } => {
                    let mut any = false;
                    inst.for_operands(&mut |operand| any |= matches!(operand, Operand::Reg(reg) if found[reg.index()]));
                    any
                }
                // The result of a comparison or of a call is no value of memory.
                _ => false,
            };
            if is_loaded && let Some(dst) = inst.dst() {
                has_changed |= !std::mem::replace(&mut found[dst.index()], true);
            }
        }
        if !has_changed {
            return found;
        }
    }
}

/// The variables that may be unassigned at a program point, by register.
#[derive(Clone, PartialEq)]
struct Unassigned(Vec<bool>);

impl Unassigned {
    /// Solves the forward equations and returns the solution at the start of each block.
    fn of(body: &Body) -> Vec<Self> {
        let mut entry: Vec<bool> = body.regs.iter().map(|reg| reg.name.is_some()).collect();
        for param in &body.params {
            if let Param::Reg(reg) = param {
                entry[reg.index()] = false;
            }
        }
        let mut starts: Vec<Option<Self>> = vec![None; body.blocks.len()];
        let mut waiting = Vec::new();
        if let Some(start) = starts.first_mut() {
            *start = Some(Self(entry));
            waiting.push(0);
        }
        while let Some(index) = waiting.pop() {
            let Some(mut now) = starts[index].clone() else { continue };
            let block = &body.blocks[index];
            for inst in &block.insts {
                now.read_by(inst);
                now.pass(inst);
            }
            block.end.for_successors(&mut |next| {
                let start = &mut starts[next.index()];
                let grown = match start {
                    None => now.clone(),
                    Some(old) => Self(old.0.iter().zip(&now.0).map(|(&a, &b)| a || b).collect()),
                };
                if start.as_ref() != Some(&grown) {
                    *start = Some(grown);
                    waiting.push(next.index());
                }
            });
        }
        let nothing = Self(vec![false; body.regs.len()]);
        starts.into_iter().map(|start| start.unwrap_or_else(|| nothing.clone())).collect()
    }

    /// Returns the unassigned variables that an instruction reads. They count as assigned from then on, since the read is checked.
    fn read_by(&mut self, inst: &Inst) -> Vec<Reg> {
        let mut read = Vec::new();
        // The initialiser in `int x = x;` tells compilers not to warn.
        if !matches!(inst, Inst::Move { dst, src: Operand::Reg(src) } if dst == src) {
            inst.for_operands(&mut |operand| {
                if let Operand::Reg(reg) = operand
                    && std::mem::take(&mut self.0[reg.index()])
                {
                    read.push(reg);
                }
            });
        }
        read
    }

    /// Applies the assignments of an instruction.
    fn pass(&mut self, inst: &Inst) {
        match inst {
            Inst::Move { dst, src: Operand::Reg(src) } if dst == src => {}
            Inst::Undef { dst: reg } | Inst::Enter(Local::Reg(reg)) | Inst::Leave(Local::Reg(reg)) => {
                self.0[reg.index()] = true;
            }
            _ => {
                if let Some(reg) = inst.dst() {
                    self.0[reg.index()] = false;
                }
            }
        }
    }
}

/// Returns, for each slot, whether it is a variable whose address is used for accesses at constant offsets only, and that is never
/// assigned as a whole.
fn accessed_only(body: &Body) -> Vec<bool> {
    let mut only: Vec<bool> = body.slots.iter().map(|slot| slot.name.is_some()).collect();
    let mut escape = |operand: Operand| {
        if let Operand::Slot(slot) = operand {
            only[slot.index()] = false;
        }
    };
    for block in &body.blocks {
        for inst in &block.insts {
            match inst {
                Inst::Load { .. } | Inst::LoadBits { .. } | Inst::Zero { .. } => {}
                // An assignment to the whole struct counts, even of one that is partly uninitialised.
                Inst::Copy { dst, .. } => escape(*dst),
                Inst::Store { src, .. } | Inst::StoreBits { src, .. } => escape(*src),
                Inst::Call(call) => {
                    for arg in call.args.iter().filter(|arg| matches!(arg.passing, Passing::Scalar(_))) {
                        escape(arg.value);
                    }
                }
                _ => inst.for_operands(&mut escape),
            }
        }
        block.end.for_operands(&mut escape);
    }
    only
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::parse::parse;
    use crate::print::print_inst;
    use crate::verify::verify;

    /// Returns the added checks in the body of a function with a variable `v0` and a temporary `v1`.
    fn uses(blocks: &str) -> Vec<String> {
        let text = format!(
            "program lp64\nfunction f0 external \"f\" () {{\n reg v0: i32 \"x\"\n reg v1: i32\n reg v2: i1\n\
             slot s0 \"s\" size 8 align 4\n{blocks}\n}}\n"
        );
        let mut program = parse(&text).expect("valid IR");
        run(&mut program);
        assert_eq!(verify(&program), Vec::<String>::new());
        let blocks = &program.functions[0].body.as_ref().expect("a body").blocks;
        let insts = blocks.iter().flat_map(|block| &block.insts).map(print_inst);
        insts.filter(|inst| inst.starts_with("use")).map(|inst| inst.trim().to_owned()).collect()
    }

    #[test]
    fn the_first_read_of_an_unassigned_variable_is_checked() {
        assert_eq!(uses("b0:\n enter v0\n v1 = move v0\n v1 = move v0\n return").len(), 1);
        assert!(uses("b0:\n enter v0\n v0 = move 1\n v1 = move v0\n return").is_empty());
    }

    #[test]
    fn one_path_without_an_assignment_is_enough() {
        let code = "b0:\n enter v0\n v2 = move 1\n branch v2, b1, b2\nb1:\n v0 = move 1\n jump b2\nb2:\n v1 = move v0\n return";
        assert_eq!(uses(code).len(), 1);
    }

    #[test]
    fn an_argument_that_was_loaded_is_checked_once() {
        let call = |first: &str| {
            format!(
                "b0:\n enter s0\n store ptr s0, s0\n v1 = {first}\n call f0(i32 v1) unprototyped\n call f0(i32 v1) unprototyped\n return"
            )
        };
        assert_eq!(uses(&call("load i32 s0+4")).len(), 1);
        assert!(uses(&call("move 1")).is_empty());
    }

    #[test]
    fn members_are_checked_unless_the_address_escapes() {
        assert_eq!(uses("b0:\n enter s0\n v1 = load i32 s0+4\n return").len(), 1);
        let escapes = "b0:\n enter s0\n v1 = load i32 s0+4\n store ptr s0, s0\n return";
        assert!(uses(escapes).is_empty());
    }
}
