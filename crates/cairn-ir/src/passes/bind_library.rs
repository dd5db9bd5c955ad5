//! Turns calls of functions that nobody defined and that C (or SV-COMP) gives a meaning into intrinsics. Where the address of
//! such a function is used, it gets a body that does the same.
//!
//! The caller's declaration may be wrong or missing (`int f();`), so arguments and results are converted as far as they can
//! be; what can't be converted is not modelled.

use crate::check::Checks;
use crate::ids::{FuncId, Reg};
use crate::inst::{Arg, Call, Callee, ConvertOp, Inst, Intrinsic, Operand, Passing, Terminator, Ty};
use crate::layout::Target;
use crate::program::{Block, Body, Function, Origin, Param, Program, RegInfo, Symbol};
use crate::source::Loc;
use crate::{Check, CheckId, CheckKind};

use super::library::{self, Binding};
use super::symbols::block_operands;

/// Whether the name of a function decides what it does: nobody defined it, or calling it is the fault, whatever it does ("G !
/// call(reach_error())").
fn is_bound(function: &Function) -> bool {
    function.body.is_none() || matches!(function.name.as_str(), "reach_error" | "__VERIFIER_error")
}

/// The pass.
pub fn run(program: &mut Program) {
    let bindings: Vec<Option<Binding>> =
        program.functions.iter().map(|f| if is_bound(f) { library::binding(&f.name) } else { None }).collect();
    if bindings.iter().all(Option::is_none) {
        return;
    }
    let mut addressed = vec![false; bindings.len()];
    for relocation in program.globals.iter().flat_map(|g| &g.relocations) {
        if let Symbol::Function(id) = relocation.target {
            addressed[id.index()] = true;
        }
    }
    // The bodies are lifted out, so that the functions' names can be looked at while they change.
    let mut bodies: Vec<Option<Body>> = program.functions.iter_mut().map(|f| f.body.take()).collect();
    for (index, body) in bodies.iter_mut().enumerate() {
        let Some(body) = body else { continue };
        for block in &mut body.blocks {
            block_operands(block, &mut |operand| {
                if let Operand::Function(id) = operand {
                    addressed[id.index()] = true;
                }
            });
        }
        let mut binder = Binder {
            target: program.target,
            function: FuncId::new(index),
            checks: &mut program.checks,
            regs: Vec::new(),
            insts: Vec::new(),
            locs: Vec::new(),
        };
        binder.body(body, &bindings, &program.functions);
    }
    for (index, binding) in bindings.iter().enumerate() {
        if let (Some(binding), true) = (binding, addressed[index]) {
            bodies[index] = Some(synthesise(program, FuncId::new(index), *binding));
        }
    }
    for (function, body) in program.functions.iter_mut().zip(bodies) {
        function.body = body;
    }
}

/// A body for a bound function whose address is used: the intrinsic on its parameters.
fn synthesise(program: &mut Program, id: FuncId, binding: Binding) -> Body {
    let target = program.target;
    let function = &mut program.functions[id.index()];
    function.origin = Origin::Model;
    if !function.signature.prototyped {
        function.signature.params = expected(binding, target).into_iter().map(Passing::Scalar).collect();
        function.signature.prototyped = true;
    }
    let mut body = Body::default();
    let mut args = Vec::new();
    for &passing in &function.signature.params {
        match passing {
            Passing::Scalar(ty) => {
                body.regs.push(RegInfo { ty, name: None });
                let reg = Reg::new(body.regs.len() - 1);
                body.params.push(Param::Reg(reg));
                args.push(Arg { value: Operand::Reg(reg), passing });
            }
            Passing::Memory { size, align } => {
                body.slots.push(crate::Slot { name: None, size, align, loc: Loc::NONE });
                let slot = crate::SlotId::new(body.slots.len() - 1);
                body.params.push(Param::Slot(slot));
                args.push(Arg { value: Operand::Slot(slot), passing });
            }
        }
    }
    let ret = function.signature.ret;
    let dst = ret.map(|ty| {
        body.regs.push(RegInfo { ty, name: None });
        Reg::new(body.regs.len() - 1)
    });
    let (name, loc) = (function.name.clone(), function.loc);
    let fixed = args.len() as u32;
    let call = Call {
        dst,
        callee: Callee::Function(id),
        args,
        ret,
        fixed,
        prototyped: true,
        checks: Checks::NONE,
        ctype: None,
    };
    // These belong to the frame of their caller, which is not the function that would be called here.
    let frame_bound = matches!(binding, Binding::Does(Intrinsic::Setjmp | Intrinsic::StackAlloc | Intrinsic::VaStart));
    let binding = if frame_bound { Binding::NotModelled("called by its address") } else { binding };
    let mut binder = Binder {
        target,
        function: id,
        checks: &mut program.checks,
        regs: std::mem::take(&mut body.regs),
        insts: Vec::new(),
        locs: Vec::new(),
    };
    let returns = binder.call(&call, binding, &name, loc);
    let end = if returns { Terminator::Return(dst.map(Operand::Reg)) } else { Terminator::Unreachable };
    let (insts, locs, regs) = (binder.insts, binder.locs, binder.regs);
    body.regs = regs;
    body.blocks.push(Block { insts, locs, end, end_loc: loc });
    body
}

/// The parameter types of a bound function that was declared without any.
fn expected(binding: Binding, target: Target) -> Vec<Ty> {
    match binding {
        Binding::Does(op) | Binding::ReturnsFirst(op) => {
            op.params().iter().filter_map(|shape| shape.ty(target, None)).collect()
        }
        Binding::Computes(function, ty) => vec![ty; function.arity()],
        Binding::Any | Binding::AnyTruth | Binding::Nothing | Binding::NotModelled(_) | Binding::SaysUnsupported => {
            Vec::new()
        }
    }
}

/// Rewrites the calls of one function.
struct Binder<'a> {
    target: Target,
    function: FuncId,
    checks: &'a mut Vec<Check>,
    regs: Vec<RegInfo>,
    insts: Vec<Inst>,
    locs: Vec<Loc>,
}

impl Binder<'_> {
    fn body(&mut self, body: &mut Body, bindings: &[Option<Binding>], functions: &[Function]) {
        let bound = |inst: &Inst| match inst {
            Inst::Call(call) => match call.callee {
                Callee::Function(id) => bindings[id.index()].map(|binding| (id, binding)),
                Callee::Pointer(_) => None,
            },
            _ => None,
        };
        self.regs = std::mem::take(&mut body.regs);
        for block in &mut body.blocks {
            let Some(first) = block.insts.iter().position(|inst| bound(inst).is_some()) else { continue };
            let insts = block.insts.split_off(first);
            let locs = block.locs.split_off(first);
            self.insts = std::mem::take(&mut block.insts);
            self.locs = std::mem::take(&mut block.locs);
            for (inst, loc) in insts.into_iter().zip(locs) {
                match (bound(&inst), inst) {
                    (Some((id, binding)), Inst::Call(call)) => {
                        if !self.call(&call, binding, &functions[id.index()].name, loc) {
                            block.end = Terminator::Unreachable;
                            break;
                        }
                    }
                    (_, inst) => self.push(inst, loc),
                }
            }
            block.insts = std::mem::take(&mut self.insts);
            block.locs = std::mem::take(&mut self.locs);
        }
        body.regs = std::mem::take(&mut self.regs);
    }

    fn push(&mut self, inst: Inst, loc: Loc) {
        self.insts.push(inst);
        self.locs.push(loc);
    }

    fn reg(&mut self, ty: Ty) -> Reg {
        self.regs.push(RegInfo { ty, name: None });
        Reg::new(self.regs.len() - 1)
    }

    fn add_checks(&mut self, kinds: &[CheckKind], loc: Loc) -> Checks {
        let first = CheckId::new(self.checks.len());
        let function = self.function;
        self.checks.extend(kinds.iter().map(|&kind| Check { kind, function, loc }));
        Checks { first, count: kinds.len() as u32 }
    }

    fn not_modelled(&mut self, name: &str, why: &str, dst: Option<Reg>, loc: Loc) -> bool {
        self.unsupported(format!("`{name}` ({why})"), dst, loc)
    }

    fn unsupported(&mut self, what: String, dst: Option<Reg>, loc: Loc) -> bool {
        let checks = self.add_checks(&[CheckKind::Unsupported], loc);
        self.push(Inst::Unsupported { what: what.into(), checks }, loc);
        if let Some(dst) = dst {
            self.push(Inst::Undef { dst }, loc);
        }
        true
    }

    /// Says a call as an intrinsic; `false` when control does not come back.
    fn call(&mut self, call: &Call, binding: Binding, name: &str, loc: Loc) -> bool {
        match binding {
            Binding::Does(op) => self.intrinsic(call, op, None, name, loc, false),
            Binding::ReturnsFirst(op) => self.intrinsic(call, op, None, name, loc, true),
            // Nobody looks at the result, and there is nothing else to it.
            Binding::Computes(..) if call.dst.is_none() => true,
            Binding::Computes(function, ty) => {
                self.intrinsic(call, Intrinsic::Math(function), Some(ty), name, loc, false)
            }
            Binding::Any | Binding::AnyTruth => match (call.dst, call.ret) {
                (Some(dst), Some(Ty::I8)) if binding == Binding::AnyTruth => {
                    let bit = self.reg(Ty::I1);
                    let (op, args) = (Intrinsic::Nondet, Box::default());
                    self.push(Inst::Intrinsic { op, dst: Some(bit), args, checks: Checks::NONE }, loc);
                    let (op, src) = (ConvertOp::ZExt, Operand::Reg(bit));
                    self.push(Inst::Convert { op, from: Ty::I1, to: Ty::I8, dst, src }, loc);
                    true
                }
                (dst @ Some(_), Some(_)) => {
                    let (op, args) = (Intrinsic::Nondet, Box::default());
                    self.push(Inst::Intrinsic { op, dst, args, checks: Checks::NONE }, loc);
                    true
                }
                (_, Some(_)) => true,
                // A struct comes through a hidden pointer.
                (_, None) if !call.args.is_empty() => {
                    self.not_modelled(name, "any value of a struct type", call.dst, loc)
                }
                (_, None) => true,
            },
            Binding::Nothing => {
                if let Some(dst) = call.dst {
                    self.push(Inst::Undef { dst }, loc);
                }
                true
            }
            Binding::NotModelled(why) => self.not_modelled(name, why, call.dst, loc),
            Binding::SaysUnsupported => {
                let what = name.strip_prefix(library::UNSUPPORTED).unwrap_or(name).replace('_', " ");
                self.unsupported(what, call.dst, loc)
            }
        }
    }

    fn intrinsic(&mut self, call: &Call, op: Intrinsic, ty: Option<Ty>, name: &str, loc: Loc, first: bool) -> bool {
        let params = op.params();
        if call.args.len() < params.len() {
            return self.not_modelled(name, "with too few arguments", call.dst, loc);
        }
        // The call may see a result where there is none, and the reverse.
        let result = op.result().and_then(|shape| shape.ty(self.target, ty.or(call.ret)));
        let mut args = Vec::with_capacity(params.len());
        for (arg, shape) in call.args.iter().zip(params) {
            let wanted = shape.ty(self.target, ty.or(call.ret));
            let converted = match (arg.passing, wanted) {
                (Passing::Scalar(from), Some(to)) => self.convert(arg.value, from, to, loc),
                _ => None,
            };
            let Some(converted) = converted else {
                return self.not_modelled(name, "with arguments of other types", call.dst, loc);
            };
            args.push(converted);
        }
        let kept = args.first().copied();
        let kinds = library::checks(op);
        let checks = if kinds.is_empty() { Checks::NONE } else { self.add_checks(kinds, loc) };
        let dst = if first { None } else { call.dst };
        let target = match (dst, result, call.ret) {
            (Some(dst), Some(result), Some(ret)) if result == ret => Some(dst),
            (Some(_), Some(result), _) => Some(self.reg(result)),
            _ => None,
        };
        if let (true, Some(dst), Some(kept), Some(ret)) = (first, call.dst, kept, call.ret) {
            self.push(Inst::Intrinsic { op, dst: None, args: args.into(), checks }, loc);
            return self.result(kept, Ty::Ptr, dst, ret, name, loc);
        }
        self.push(Inst::Intrinsic { op, dst: target, args: args.into(), checks }, loc);
        if !op.returns() {
            return false;
        }
        match (dst, target, result, call.ret) {
            (Some(dst), Some(target), Some(result), Some(ret)) if dst != target => {
                self.result(Operand::Reg(target), result, dst, ret, name, loc)
            }
            (Some(dst), None, ..) => {
                self.push(Inst::Undef { dst }, loc);
                true
            }
            _ => true,
        }
    }

    /// Moves a result of one type to a register of another.
    fn result(&mut self, value: Operand, from: Ty, dst: Reg, to: Ty, name: &str, loc: Loc) -> bool {
        match self.convert(value, from, to, loc) {
            Some(src) => {
                self.push(Inst::Move { dst, src }, loc);
                true
            }
            None => self.not_modelled(name, "with a result of another type", Some(dst), loc),
        }
    }

    /// Converts what a call passes to what is expected; `None` between numbers and floating values.
    fn convert(&mut self, value: Operand, from: Ty, to: Ty, loc: Loc) -> Option<Operand> {
        if from == to {
            return Some(value);
        }
        let size = word(self.target);
        if let (Operand::Int(known), false, false) = (value, from.is_float(), to.is_float()) {
            let unused = 64u32.saturating_sub(to.bits(self.target));
            return Some(Operand::Int(known << unused >> unused));
        }
        if from.is_float() && to.is_float() {
            return Some(self.convert_by(ConvertOp::FloatCast, from, to, value, loc));
        }
        match (from, to) {
            (Ty::Ptr, to) if to.is_int() => {
                let value = self.convert_by(ConvertOp::PtrToInt, Ty::Ptr, size, value, loc);
                self.convert(value, size, to, loc)
            }
            (from, Ty::Ptr) if from.is_int() => {
                let value = self.convert(value, from, size, loc)?;
                Some(self.convert_by(ConvertOp::IntToPtr, size, Ty::Ptr, value, loc))
            }
            (from, to) if from.is_int() && to.is_int() => {
                let wider = to.bits(self.target) > from.bits(self.target);
                let op = if wider { ConvertOp::SExt } else { ConvertOp::Trunc };
                Some(self.convert_by(op, from, to, value, loc))
            }
            _ => None,
        }
    }

    fn convert_by(&mut self, op: ConvertOp, from: Ty, to: Ty, src: Operand, loc: Loc) -> Operand {
        let dst = self.reg(to);
        self.push(Inst::Convert { op, from, to, dst, src }, loc);
        Operand::Reg(dst)
    }
}

/// The integer of pointer width.
fn word(target: Target) -> Ty {
    if target == Target::Lp64 { Ty::I64 } else { Ty::I32 }
}
