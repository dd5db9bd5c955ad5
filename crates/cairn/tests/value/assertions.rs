//! Turns abstract values into instructions that fail where a concrete value is not among them.

use std::collections::BTreeMap;

use cairn_ir::inst::{BinaryOp, CompareOp, ConvertOp, DivideOp};
use cairn_ir::program::RegInfo;
use cairn_ir::{Check, CheckId, CheckKind, Checks, FuncId, Inst, Intrinsic, Loc, Operand, Program, Reg, Ty};
use cairn_value::domain::number::Num;
use cairn_value::domain::value::Value;
use cairn_value::engine::Observed;

/// A program with assertions.
pub struct Asserted {
    /// The program.
    pub program: Program,
    /// What each new check asserts.
    pub texts: BTreeMap<CheckId, String>,
}

struct Writer<'a> {
    regs: &'a mut Vec<RegInfo>,
    checks: &'a mut Vec<Check>,
    texts: &'a mut BTreeMap<CheckId, String>,
    function: FuncId,
    loc: Loc,
    insts: Vec<Inst>,
}

impl Writer<'_> {
    fn reg(&mut self, ty: Ty) -> Reg {
        self.regs.push(RegInfo { ty, name: None });
        Reg::new(self.regs.len() - 1)
    }

    fn check(&mut self, kind: CheckKind, text: String) -> Checks {
        let first = CheckId::new(self.checks.len());
        self.checks.push(Check { kind, function: self.function, loc: self.loc });
        self.texts.insert(first, text);
        Checks { first, count: 1 }
    }

    /// Fails unless a truth value is 1.
    fn require(&mut self, truth: Reg, text: String) {
        let (wide, quotient) = (self.reg(Ty::I64), self.reg(Ty::I64));
        let (from, to, src) = (Ty::I1, Ty::I64, Operand::Reg(truth));
        self.insts.push(Inst::Convert { op: ConvertOp::ZExt, from, to, dst: wide, src });
        let checks = self.check(CheckKind::DivisionByZero, text);
        let (lhs, rhs) = (Operand::Int(1), Operand::Reg(wide));
        self.insts.push(Inst::Divide { op: DivideOp::UDiv, ty: Ty::I64, dst: quotient, lhs, rhs, checks });
    }

    /// Fails if a value of type `i32` is uninitialised.
    fn require_init(&mut self, value: Operand, text: &str) {
        let odd = self.reg(Ty::I32);
        let (lhs, rhs) = (value, Operand::Int(1));
        self.insts.push(Inst::Binary { op: BinaryOp::Or, ty: Ty::I32, dst: odd, lhs, rhs });
        let checks = self.check(CheckKind::Uninitialised, text.to_owned());
        let args = Box::from([Operand::Reg(odd)]);
        self.insts.push(Inst::Intrinsic { op: Intrinsic::Assume, dst: None, args, checks });
    }

    fn convert(&mut self, op: ConvertOp, from: Ty, to: Ty, src: Operand) -> Operand {
        let dst = self.reg(to);
        self.insts.push(Inst::Convert { op, from, to, dst, src });
        Operand::Reg(dst)
    }

    fn init(&mut self, reg: Reg, ty: Ty, text: &str) {
        let src = Operand::Reg(reg);
        match ty {
            Ty::I1 | Ty::I8 | Ty::I16 => {
                let wide = self.convert(ConvertOp::ZExt, ty, Ty::I32, src);
                self.require_init(wide, text);
            }
            Ty::I32 => self.require_init(src, text),
            Ty::I64 => {
                let low = self.convert(ConvertOp::Trunc, Ty::I64, Ty::I32, src);
                self.require_init(low, text);
            }
            _ => {}
        }
    }

    fn assert(&mut self, reg: Reg, ty: Ty, value: &Value) {
        let text = format!("{reg} of type {} in {}: {value:?}", ty.name(), self.function);
        if !value.may_be_uninit() {
            self.init(reg, ty, &text);
        }
        if value.may_be_uninit() || value.has_objects() && ty != Ty::Ptr {
            return;
        }
        if ty == Ty::Ptr {
            let never_null = value.num.is_none() && !value.targets.is_empty();
            if never_null {
                let truth = self.reg(Ty::I1);
                let (lhs, rhs) = (Operand::Reg(reg), Operand::Int(0));
                self.insts.push(Inst::Compare { op: CompareOp::Ne, ty, dst: truth, lhs, rhs });
                self.require(truth, text);
            } else if value.targets.is_empty() && value.plain().and_then(Num::value) == Some(0) {
                let truth = self.reg(Ty::I1);
                let (lhs, rhs) = (Operand::Reg(reg), Operand::Int(0));
                self.insts.push(Inst::Compare { op: CompareOp::Eq, ty, dst: truth, lhs, rhs });
                self.require(truth, text);
            }
            return;
        }
        let Some(num) = value.plain() else {
            // Nothing is possible.
            let truth = self.reg(Ty::I1);
            self.insts.push(Inst::Move { dst: truth, src: Operand::Int(0) });
            return self.require(truth, text);
        };
        self.assert_number(reg, ty, num, text);
    }

    fn assert_number(&mut self, reg: Reg, ty: Ty, num: Num, text: String) {
        let width = match ty {
            Ty::I8 => 8,
            Ty::I16 => 16,
            Ty::I32 => 32,
            Ty::I64 => 64,
            _ => return,
        };
        if num.is_full(width) {
            return;
        }
        let signed = |bits: u64| cairn_value::domain::number::signed(bits, width);
        let (distance, truth) = (self.reg(ty), self.reg(Ty::I1));
        let (lhs, rhs) = (Operand::Reg(reg), Operand::Int(signed(num.lo)));
        self.insts.push(Inst::Binary { op: BinaryOp::Sub, ty, dst: distance, lhs, rhs });
        let (lhs, rhs) = (Operand::Reg(distance), Operand::Int(signed(num.span)));
        self.insts.push(Inst::Compare { op: CompareOp::ULe, ty, dst: truth, lhs, rhs });
        self.require(truth, text.clone());
        if num.stride > 1 && width > 8 {
            let (rest, truth) = (self.reg(ty), self.reg(Ty::I1));
            let (lhs, rhs) = (Operand::Reg(distance), Operand::Int(signed(num.stride)));
            let checks = Checks::NONE;
            self.insts.push(Inst::Divide { op: DivideOp::URem, ty, dst: rest, lhs, rhs, checks });
            let (lhs, rhs) = (Operand::Reg(rest), Operand::Int(0));
            self.insts.push(Inst::Compare { op: CompareOp::Eq, ty, dst: truth, lhs, rhs });
            self.require(truth, text);
        }
    }
}

/// Inserts an assertion after every instruction that assigns a register.
pub fn insert(program: &Program, observed: &Observed) -> Asserted {
    let mut program = program.clone();
    let mut texts = BTreeMap::new();
    for (index, function) in program.functions.iter_mut().enumerate() {
        let id = FuncId::new(index);
        let Some(body) = &mut function.body else { continue };
        let types: Vec<Ty> = body.regs.iter().map(|reg| reg.ty).collect();
        for (number, block) in body.blocks.iter_mut().enumerate() {
            let (insts, locs) = (std::mem::take(&mut block.insts), std::mem::take(&mut block.locs));
            for (at, (inst, loc)) in insts.into_iter().zip(locs).enumerate() {
                let dst = inst.dst();
                let goes_on = !matches!(&inst, Inst::Intrinsic { op, .. } if !op.returns());
                block.insts.push(inst);
                block.locs.push(loc);
                let Some(dst) = dst.filter(|_| goes_on) else { continue };
                let none = Value::none();
                let value = observed.get(&(id, number as u32, at as u32)).unwrap_or(&none);
                let mut writer = Writer {
                    regs: &mut body.regs,
                    checks: &mut program.checks,
                    texts: &mut texts,
                    function: id,
                    loc,
                    insts: Vec::new(),
                };
                writer.assert(dst, types[dst.index()], value);
                block.locs.extend(writer.insts.iter().map(|_| loc));
                block.insts.append(&mut writer.insts);
            }
        }
    }
    Asserted { program, texts }
}
