//! Lowers calls: callees, arguments, results, and closures of nested functions.

use cairn_ir::CheckKind;
use cairn_ir::check::Checks;
use cairn_ir::ctype::Type;
use cairn_ir::inst::{self, Arg, Callee, Inst, Intrinsic, Operand, Passing, Ty};
use cairn_ir::program::Symbol;
use cairn_ir::source::Span;
use cairn_ir::{FuncId, Reg};
use smallvec::SmallVec;

use crate::hir::{Call, CallTarget, Capture, Expr, SymbolId, SymbolKind};
use crate::library;
use crate::lower::builder::{Builder, Class, Home};
use crate::lower::expressions::place::{Access, Mem};
use crate::lower::link;

impl<'u> Builder<'_, 'u, '_> {
    /// Emits a call. A scalar result goes to `dst`, a struct to the memory that `result` points to.
    pub fn call(&mut self, call: &'u Call, span: Span, dst: Option<Reg>, result: Option<Operand>) {
        let mut captures: SmallVec<[Operand; 4]> = SmallVec::new();
        let callee = match &call.callee {
            CallTarget::Symbol(symbol) => match self.function_of(*symbol) {
                Some(id) => {
                    self.note_noreturn(*symbol, id);
                    Some(Callee::Function(id))
                }
                None => None,
            },
            CallTarget::Nested(symbol) => {
                self.loc = self.place_of(span);
                captures = self.captured(*symbol);
                self.function_of(*symbol).map(Callee::Function)
            }
            CallTarget::Pointer(pointer) => {
                let pointer = self.rvalue(pointer);
                Some(match pointer {
                    Operand::Function(id) if self.is_called_as_declared(call, id) => Callee::Function(id),
                    pointer => Callee::Pointer(pointer),
                })
            }
        };
        let mut args: SmallVec<[Arg; 8]> = SmallVec::new();
        for arg in call.args.iter().rev() {
            if let Some(arg) = self.argument(arg) {
                args.push(arg);
            }
        }
        args.reverse();
        self.loc = self.place_of(span);
        let Some(callee) = callee else {
            self.unsupported("call of a non-function");
            return;
        };
        let (ret, named, variadic, prototyped) = match self.types.get(call.function) {
            Type::Function(ty) => (ty.ret.ty, ty.params.len(), ty.variadic, ty.prototyped),
            _ => (cairn_ir::ctype::TypeId::INT, 0, false, false),
        };
        let named = if variadic { named.min(args.len()) } else { args.len() };
        let pointer = |value| Arg { value, passing: Passing::Scalar(Ty::Ptr) };
        let class = self.class(ret);
        // A struct result needs memory even if it is unused.
        let hidden = match class {
            Class::Memory { size, align } => Some(match result {
                Some(result) => result,
                None => Operand::Slot(self.temporary_slot(size, align)),
            }),
            _ => None,
        };
        let all: Vec<Arg> = hidden
            .into_iter()
            .map(pointer)
            .chain(args[..named].iter().copied())
            .chain(captures.iter().map(|&value| pointer(value)))
            .chain(args[named..].iter().copied())
            .collect();
        let fixed = usize::from(hidden.is_some()) + named + captures.len();
        let checks = match callee {
            Callee::Function(_) => Checks::NONE,
            Callee::Pointer(_) => self.checks(&[CheckKind::InvalidCall, CheckKind::Uninitialised]),
        };
        let ret = if let Class::Scalar(ty) = class { Some(ty) } else { None };
        let dst = dst.filter(|_| ret.is_some());
        let fixed = fixed as u32;
        self.push(Inst::Call(Box::new(inst::Call {
            dst,
            callee,
            args: all,
            ret,
            fixed,
            prototyped,
            checks,
            ctype: Some(call.function),
        })));
        if let Callee::Function(id) = callee
            && library::returns_again(&self.linker.program.functions[id.index()].name)
        {
            self.return_again();
        }
    }

    /// Evaluates an argument. A struct in a named variable is passed without a copy, since the callee copies it first.
    fn argument(&mut self, arg: &'u Expr) -> Option<Arg> {
        match self.class(arg.ty) {
            Class::Void => {
                self.effect(arg);
                None
            }
            Class::Scalar(ty) => Some(Arg { value: self.rvalue(arg), passing: Passing::Scalar(ty) }),
            Class::Memory { size, align } => {
                let mem = self.aggregate(arg);
                self.loc = self.place_of(arg.span);
                let passing = link::passing(self.types, self.target(), arg.ty);
                if let Passing::Scalar(ty) = passing {
                    return Some(Arg { value: self.load(mem, ty), passing });
                }
                let inside = match mem.access {
                    Access::Named(bytes) => {
                        mem.offset >= 0 && i128::from(mem.offset) + i128::from(size) <= i128::from(bytes)
                    }
                    Access::Bounds | Access::Deref => false,
                };
                let mem = if inside {
                    mem
                } else {
                    let slot = self.temporary_slot(size, align);
                    let copy = Mem::named(Operand::Slot(slot), size);
                    self.copy(copy, mem, size);
                    copy
                };
                Some(Arg { value: self.pointer(mem), passing: Passing::Memory { size, align } })
            }
        }
    }

    /// Returns the function that a symbol stands for.
    pub fn function_of(&mut self, symbol: SymbolId) -> Option<FuncId> {
        match self.linker.resolve(self.unit, symbol, self.types, self.locator) {
            Symbol::Function(id) => Some(id),
            _ => None,
        }
    }

    /// Returns whether a call through a pointer uses the function's own type, unlike `((int (*)(long))f)(1)`.
    fn is_called_as_declared(&self, call: &Call, id: FuncId) -> bool {
        let Type::Function(ty) = self.types.get(call.function) else { return false };
        let seen = self.linker.signature(self.types, ty);
        let own = &self.linker.program.functions[id.index()].signature;
        seen.prototyped && seen.ret == own.ret && seen.params == own.params && seen.variadic == own.variadic
    }

    /// Notes that a function is declared not to return. Only a function without a definition is believed, when all are known.
    fn note_noreturn(&mut self, symbol: SymbolId, id: FuncId) {
        let declared = match &self.unit.hir.symbols[symbol.0 as usize].kind {
            SymbolKind::FunctionDecl { noreturn, .. } => *noreturn,
            SymbolKind::Function(function) => function.noreturn,
            _ => false,
        };
        self.linker.program.functions[id.index()].signature.noreturn |= declared;
    }

    /// Returns the addresses that a nested function captures, as seen from the current function.
    fn captured(&mut self, symbol: SymbolId) -> SmallVec<[Operand; 4]> {
        let hir = self.unit.hir;
        let SymbolKind::Function(nested) = &hir.symbols[symbol.0 as usize].kind else { return SmallVec::new() };
        let mut addresses = SmallVec::new();
        for capture in &nested.captures {
            let same = |own: &&Capture| (own.level, own.variable) == (capture.level, capture.variable);
            addresses.push(if capture.level == self.function.level {
                match self.home(capture.variable) {
                    Home::Slot(slot) | Home::Vla(slot) => Operand::Slot(slot),
                    Home::Reg(_) => {
                        self.unsupported("captured variable without an address");
                        self.undefined(Ty::Ptr)
                    }
                }
            } else if let Some(own) = self.function.captures.iter().find(same) {
                match self.home(own.pointer) {
                    Home::Reg(reg) => Operand::Reg(reg),
                    Home::Slot(slot) | Home::Vla(slot) => {
                        let bytes = Ty::Ptr.bytes(self.target());
                        self.load(Mem::named(Operand::Slot(slot), bytes), Ty::Ptr)
                    }
                }
            } else {
                self.unsupported("nested function outside of the scope of its variables");
                self.undefined(Ty::Ptr)
            });
        }
        addresses
    }

    /// Returns the address of a nested function, creating a closure if it captures variables.
    pub fn closure(&mut self, symbol: SymbolId, span: Span) -> Operand {
        self.loc = self.place_of(span);
        let Some(id) = self.function_of(symbol) else { return self.undefined(Ty::Ptr) };
        let captures = self.captured(symbol);
        if captures.is_empty() {
            return Operand::Function(id);
        }
        let mut args = vec![Operand::Function(id)];
        args.extend(captures);
        self.intrinsic(Intrinsic::Closure, Ty::Ptr, &args, Checks::NONE)
    }
}
