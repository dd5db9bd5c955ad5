//! Turns calls to undefined functions with a meaning in C or SV-COMP into intrinsics.
//!
//! If the address of such a function is taken, the function gets a body that executes the intrinsic. The caller's
//! declaration may be wrong or missing (`int f();`), so arguments and results are converted where possible. A call that
//! cannot be converted becomes an `unsupported` instruction.

use cairn_ir::check::Checks;
use cairn_ir::inst::{Arg, Call, Callee, ConvertOp, Inst, Intrinsic, Operand, Passing, Terminator, Ty};
use cairn_ir::layout::Target;
use cairn_ir::passes::symbols::block_operands;
use cairn_ir::program::{Block, Body, Function, Origin, Param, Program, RegInfo, SVCOMP_ERROR_FUNCTIONS, Symbol};
use cairn_ir::source::Loc;
use cairn_ir::{Check, CheckId, CheckKind, FuncId, Reg};

use super::names::{self, Binding};
use super::{ReallocZero, Unmodelled};

/// Returns the meaning of a function whose name decides what it does.
///
/// Calling an error function is the fault, whatever its body does ("G ! call(reach_error())"). Any other function has a
/// meaning by its name only when it has no body. SV-COMP's names for the error function mean nothing when the property
/// names another one.
fn bound(function: &Function, error_functions: &[String]) -> Option<Binding> {
    if error_functions.contains(&function.name) {
        return Some(Binding::Does(Intrinsic::ReachError));
    }
    let is_free = function.body.is_none() && !SVCOMP_ERROR_FUNCTIONS.contains(&function.name.as_str());
    if is_free { names::binding(&function.name) } else { None }
}

/// Binds the library functions of a linked program.
///
/// If functions that no model can express are unknown functions, they stay unbound.
pub(crate) fn run(program: &mut Program, realloc_zero: ReallocZero, unmodelled: Unmodelled) {
    let is_library = program.function_named("main").is_none_or(|id| program.functions[id.index()].body.is_none());
    let is_unknown = match unmodelled {
        Unmodelled::Unsupported => false,
        Unmodelled::UnknownInLibraries => is_library,
        Unmodelled::Unknown => true,
    };
    let mut bindings: Vec<Option<Binding>> =
        program.functions.iter().map(|f| bound(f, &program.error_functions)).collect();
    if is_unknown {
        for binding in bindings.iter_mut().filter(|binding| matches!(binding, Some(Binding::NotModelled(_)))) {
            *binding = None;
        }
    }
    let is_last = |function: &Function| function.signature.noreturn && function.body.is_none();
    if bindings.iter().all(Option::is_none) && !program.functions.iter().any(is_last) {
        return;
    }
    let errno = program.function_named(ERRNO).filter(|&id| {
        program.functions[id.index()].body.is_some()
            && program.functions.iter().any(|function| is_called_by_user(function, id))
    });
    let last: Vec<bool> = program.functions.iter().map(is_last).collect();
    let mut addressed = vec![false; bindings.len()];
    for relocation in program.globals.iter().flat_map(|g| &g.relocations) {
        if let Symbol::Function(id) = relocation.target {
            addressed[id.index()] = true;
        }
    }
    // Take the bodies out, so that the functions' names stay readable while the bodies change.
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
            realloc_zero,
            errno,
            function: FuncId::new(index),
            checks: &mut program.checks,
            regs: Vec::new(),
            insts: Vec::new(),
            locs: Vec::new(),
        };
        binder.body(body, &bindings, &program.functions);
        end_after_last_calls(body, &last);
    }
    for (index, binding) in bindings.iter().enumerate() {
        if let (Some(binding), true) = (binding, addressed[index]) {
            bodies[index] = Some(synthesise(program, FuncId::new(index), *binding, realloc_zero, errno));
        }
    }
    for (function, body) in program.functions.iter_mut().zip(bodies) {
        function.body = body;
    }
}

/// Ends the blocks that call a function which never returns and is defined elsewhere.
///
/// A function with a definition may return although its declaration denies it.
fn end_after_last_calls(body: &mut Body, last: &[bool]) {
    let is_last = |inst: &Inst| match inst {
        Inst::Call(call) => matches!(call.callee, Callee::Function(id) if last[id.index()]),
        _ => false,
    };
    for block in &mut body.blocks {
        if let Some(at) = block.insts.iter().position(is_last) {
            block.insts.truncate(at + 1);
            block.locs.truncate(at + 1);
            block.end = Terminator::Unreachable;
        }
    }
}

/// Creates a body for a bound function whose address is taken: the intrinsic applied to the parameters.
fn synthesise(
    program: &mut Program,
    id: FuncId,
    binding: Binding,
    realloc_zero: ReallocZero,
    errno: Option<FuncId>,
) -> Body {
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
                body.slots.push(cairn_ir::Slot { name: None, size, align, loc: Loc::NONE });
                let slot = cairn_ir::SlotId::new(body.slots.len() - 1);
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
    // These intrinsics act on the frame of their caller, which here would be the created function.
    let frame_bound = matches!(binding, Binding::Does(Intrinsic::Setjmp | Intrinsic::StackAlloc | Intrinsic::VaStart));
    let binding = if frame_bound { Binding::NotModelled("called by its address") } else { binding };
    let mut binder = Binder {
        target,
        realloc_zero,
        errno,
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

/// Returns the parameter types of a bound function that was declared without a prototype.
fn expected(binding: Binding, target: Target) -> Vec<Ty> {
    match binding {
        Binding::Reallocates => vec![Ty::Ptr, word(target)],
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
    realloc_zero: ReallocZero,
    /// The function that gives the address of `errno`, if the program looks at it.
    errno: Option<FuncId>,
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

    /// Emits a call as an intrinsic; returns `false` if control does not return from it.
    fn call(&mut self, call: &Call, binding: Binding, name: &str, loc: Loc) -> bool {
        match binding {
            Binding::Does(op) => {
                let returns = self.intrinsic(call, op, None, name, loc, false);
                if may_set_errno(op) {
                    self.vary_errno(loc);
                }
                returns
            }
            Binding::ReturnsFirst(op) => self.intrinsic(call, op, None, name, loc, true),
            Binding::Computes(function, ty) => {
                let op = Intrinsic::Math(function);
                // An unused result of a pure computation needs no code.
                let returns = call.dst.is_none() || self.intrinsic(call, op, Some(ty), name, loc, false);
                if may_set_errno(op) {
                    self.vary_errno(loc);
                }
                returns
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
                // A struct is returned through a hidden pointer.
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
            Binding::Reallocates => {
                let mut call = call.clone();
                call.args.truncate(2);
                if call.args.len() == 2 {
                    let any = Operand::Int((self.realloc_zero == ReallocZero::Any).into());
                    call.args.push(Arg { value: any, passing: Passing::Scalar(Ty::I32) });
                }
                let returns = self.intrinsic(&call, Intrinsic::HeapRealloc, None, name, loc, false);
                self.vary_errno(loc);
                returns
            }
            Binding::NotModelled(why) => self.not_modelled(name, why, call.dst, loc),
            Binding::SaysUnsupported => {
                let what = name.strip_prefix(names::UNSUPPORTED).unwrap_or(name).replace('_', " ");
                self.unsupported(what, call.dst, loc)
            }
        }
    }

    /// Lets a function of the library change `errno`.
    fn vary_errno(&mut self, loc: Loc) {
        let Some(errno) = self.errno.filter(|&errno| errno != self.function) else { return };
        let (address, before, after) = (self.reg(Ty::Ptr), self.reg(Ty::I32), self.reg(Ty::I32));
        let call = Call {
            dst: Some(address),
            callee: Callee::Function(errno),
            args: Vec::new(),
            ret: Some(Ty::Ptr),
            fixed: 0,
            prototyped: true,
            checks: Checks::NONE,
            ctype: None,
        };
        let (addr, checks) = (Operand::Reg(address), Checks::NONE);
        self.push(Inst::Call(Box::new(call)), loc);
        self.push(Inst::Load { dst: before, ty: Ty::I32, addr, offset: 0, checks }, loc);
        let args = Box::new([Operand::Reg(before)]);
        self.push(Inst::Intrinsic { op: Intrinsic::Vary, dst: Some(after), args, checks }, loc);
        self.push(Inst::Store { ty: Ty::I32, addr, offset: 0, src: Operand::Reg(after), checks }, loc);
    }

    fn intrinsic(&mut self, call: &Call, op: Intrinsic, ty: Option<Ty>, name: &str, loc: Loc, first: bool) -> bool {
        let params = op.params();
        if call.args.len() < params.len() {
            return self.not_modelled(name, "with too few arguments", call.dst, loc);
        }
        // The call may expect a result that the intrinsic does not have, and vice versa.
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
        let kinds = op.checks();
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

    /// Converts a result and moves it to a register; emits `unsupported` if there is no conversion.
    fn result(&mut self, value: Operand, from: Ty, dst: Reg, to: Ty, name: &str, loc: Loc) -> bool {
        match self.convert(value, from, to, loc) {
            Some(src) => {
                self.push(Inst::Move { dst, src }, loc);
                true
            }
            None => self.not_modelled(name, "with a result of another type", Some(dst), loc),
        }
    }

    /// Converts an argument or result to another type; returns `None` between floating and other types.
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

/// The function that gives the address of `errno`.
const ERRNO: &str = "__errno_location";

/// Returns whether a function of the user's calls another one.
fn is_called_by_user(function: &Function, callee: FuncId) -> bool {
    let is_call = |inst: &Inst| matches!(inst, Inst::Call(call) if call.callee == Callee::Function(callee));
    function.origin.is_of_user()
        && function.body.iter().flat_map(|body| &body.blocks).flat_map(|block| &block.insts).any(is_call)
}

/// Returns whether an operation sets `errno` if it fails.
fn may_set_errno(op: Intrinsic) -> bool {
    use cairn_ir::inst::MathFn::{Ceil, Copysign, Fabs, Floor, Fmax, Fmin, Rint, Round, Trunc};
    match op {
        Intrinsic::HeapAlloc | Intrinsic::HeapAllocZeroed | Intrinsic::HeapAllocAligned | Intrinsic::ParseFloat => true,
        Intrinsic::FormatFile | Intrinsic::FormatBuffer => true,
        Intrinsic::Math(function) => {
            !matches!(function, Ceil | Copysign | Fabs | Floor | Fmax | Fmin | Rint | Round | Trunc)
        }
        _ => false,
    }
}

/// Returns the integer type of pointer width.
fn word(target: Target) -> Ty {
    if target == Target::Lp64 { Ty::I64 } else { Ty::I32 }
}

#[cfg(test)]
mod tests;
