//! Checks calls: callees, arguments, and undeclared functions.

use cairn_ir::ctype::{FunctionType, QualType, Type, TypeId};
use cairn_ir::source::Span;

use crate::ast;
use crate::check::builtins::library_names;
use crate::check::declarations::scope::{Entity, GlobalIndex};
use crate::check::expressions::expr::Operand;
use crate::check::types::convert::Assigning;
use crate::check::{Checker, Definition};
use crate::hir::{Builtin, Call, CallTarget, Expr, ExprKind, Place, PlaceKind};
use crate::symbol::Symbol;

impl Checker<'_> {
    pub(crate) fn call(&mut self, callee: &ast::Expr, args: &[ast::Expr], span: Span) -> Operand {
        if let ast::ExprKind::Ident(name) = callee.kind {
            match self.scopes.lookup(name) {
                // gcc recognises alloca without a declaration.
                None if name == self.names.alloca && args.len() == 1 && !self.linkage.names.contains_key(&name) => {
                    let text = format!("implicit declaration of function '{}'", self.name(name));
                    self.warning(callee.span, text);
                    return Operand::Value(self.alloca(&args[0], span));
                }
                None => {
                    if let Some(value) = self.builtin_call(name, args, span) {
                        return Operand::Value(value);
                    }
                    let global = self.implicit_function(name, callee.span);
                    return Operand::Value(self.call_global(global, callee.span, args, span));
                }
                Some(Entity::Global(global)) if name == self.names.alloca => {
                    let entry = &self.globals[global.0 as usize];
                    if entry.definition == Definition::Declared && !entry.internal && args.len() == 1 {
                        return Operand::Value(self.alloca(&args[0], span));
                    }
                }
                _ => {}
            }
        }
        let target = match self.operand(callee) {
            Operand::Place(place) if self.is_function(place.ty.ty) => {
                let ty = place.ty.ty;
                match place.kind {
                    PlaceKind::Symbol(symbol) if self.nested.levels.contains_key(&symbol) => {
                        self.use_nested(symbol);
                        (CallTarget::Nested(symbol), ty)
                    }
                    PlaceKind::Symbol(symbol) => (CallTarget::Symbol(symbol), ty),
                    PlaceKind::Deref(pointer) => (CallTarget::Pointer(*pointer), ty),
                    _ => {
                        let pointer = self.read(place);
                        (CallTarget::Pointer(pointer), ty)
                    }
                }
            }
            Operand::Place(place) => {
                let pointer = self.read(place);
                match self.called_pointer(pointer, args, span) {
                    Ok(target) => target,
                    Err(error) => return Operand::Value(error),
                }
            }
            Operand::Value(pointer) => match self.called_pointer(pointer, args, span) {
                Ok(target) => target,
                Err(error) => return Operand::Value(error),
            },
        };
        Operand::Value(self.call_target(target.0, target.1, args, span))
    }

    fn called_pointer(&mut self, pointer: Expr, args: &[ast::Expr], span: Span) -> Result<(CallTarget, TypeId), Expr> {
        if let Some(to) = self.pointee(pointer.ty)
            && self.is_function(to.ty)
        {
            return Ok((CallTarget::Pointer(pointer), to.ty));
        }
        if !self.is_error(pointer.ty) {
            let text = format!("called object type '{}' is not a function or function pointer", self.print(pointer.ty));
            self.error(pointer.span, text);
        }
        for arg in args {
            self.value(arg);
        }
        Err(self.error_expr(span))
    }

    /// Checks a call to a function of the unit, by its own type.
    fn call_global(&mut self, global: GlobalIndex, callee: Span, args: &[ast::Expr], span: Span) -> Expr {
        let ty = self.globals[global.0 as usize].ty;
        let symbol = self.symbol_of(global);
        if !self.is_function(ty.ty) {
            let place = Place { kind: PlaceKind::Symbol(symbol), ty, span: callee };
            let pointer = self.read(place);
            return match self.called_pointer(pointer, args, span) {
                Ok((target, ty)) => self.call_target(target, ty, args, span),
                Err(error) => error,
            };
        }
        self.call_target(CallTarget::Symbol(symbol), ty.ty, args, span)
    }

    fn call_target(&mut self, target: CallTarget, function: TypeId, args: &[ast::Expr], span: Span) -> Expr {
        let Type::Function(ty) = self.types.get(function) else { return self.error_expr(span) };
        let (count, variadic, prototyped, ret) = (ty.params.len(), ty.variadic, ty.prototyped, ty.ret.ty);
        if prototyped && (args.len() < count || (args.len() > count && !variadic)) {
            let text = format!(
                "too {} arguments to function call, expected {}{count}, have {}",
                if args.len() < count { "few" } else { "many" },
                if variadic { "at least " } else { "" },
                args.len()
            );
            self.error(span, text);
            for arg in args {
                self.value(arg);
            }
            return self.error_expr(span);
        }
        let mut values = Vec::with_capacity(args.len());
        let mut failed = false;
        for (index, arg) in args.iter().enumerate() {
            let value = self.value(arg);
            let param = match self.types.get(function) {
                Type::Function(ty) if prototyped => ty.params.get(index).copied(),
                _ => None,
            };
            let value = match param {
                Some(param) => self.assign_convert(value, param, Assigning::Passing),
                None => self.variable_argument(value),
            };
            failed |= self.is_error(value.ty);
            values.push(value);
        }
        if failed || self.is_error(ret) {
            return self.error_expr(span);
        }
        if ret != TypeId::VOID && self.is_incomplete(ret) && !self.is_forward_enum(ret) {
            let text = format!("calling function with incomplete return type '{}'", self.print(ret));
            self.error(span, text);
            return self.error_expr(span);
        }
        let call = Call { callee: target, function, args: values };
        Expr { kind: ExprKind::Call(Box::new(call)), ty: ret, span }
    }

    fn variable_argument(&mut self, value: Expr) -> Expr {
        if value.ty == TypeId::VOID {
            self.error(value.span, "argument type 'void' is incomplete");
            return self.error_expr(value.span);
        }
        self.promote_argument(value)
    }

    /// Creates a call with checked arguments to a library function that the program may not declare.
    pub(crate) fn call_library(&mut self, name: &str, args: Vec<Expr>, span: Span) -> Expr {
        let symbol = self.interner.intern(name);
        let global = self.library_function(symbol, span);
        let Some(global) = global else {
            let text = format!("builtin '{name}'");
            return self.unsupported(text, TypeId::INT, span);
        };
        let function = self.library_type(name).unwrap_or(self.globals[global.0 as usize].ty.ty);
        let symbol = self.symbol_of(global);
        let Type::Function(ty) = self.types.get(function) else { return self.error_expr(span) };
        let (count, variadic, prototyped, ret) = (ty.params.len(), ty.variadic, ty.prototyped, ty.ret.ty);
        if prototyped && (args.len() < count || (args.len() > count && !variadic)) {
            let text = format!("wrong number of arguments to '{name}', expected {count}, have {}", args.len());
            self.error(span, text);
            return self.error_expr(span);
        }
        let mut values = Vec::with_capacity(args.len());
        for (index, value) in args.into_iter().enumerate() {
            let param = match self.types.get(function) {
                Type::Function(ty) => ty.params.get(index).copied(),
                _ => None,
            };
            let value = match param {
                Some(param) => self.assign_convert(value, param, Assigning::Passing),
                None => self.variable_argument(value),
            };
            if self.is_error(value.ty) {
                return self.error_expr(span);
            }
            values.push(value);
        }
        let call = Call { callee: CallTarget::Symbol(symbol), function, args: values };
        Expr { kind: ExprKind::Call(Box::new(call)), ty: ret, span }
    }

    /// Returns the prototype of a known library function.
    fn library_type(&mut self, name: &str) -> Option<TypeId> {
        let signature = library_names::signature(name)?;
        let mut codes = signature.bytes();
        let ret = self.library_code(codes.next()?);
        let mut params = Vec::with_capacity(signature.len() - 1);
        let mut variadic = false;
        for code in codes {
            if code == b'.' {
                variadic = true;
            } else {
                params.push(self.library_code(code));
            }
        }
        let function = FunctionType { ret: QualType::plain(ret), params, variadic, prototyped: true };
        Some(self.types.intern(Type::Function(function)))
    }

    fn library_code(&mut self, code: u8) -> TypeId {
        use cairn_ir::ctype::Quals;
        let constant = |ty| QualType { ty, quals: Quals::CONST };
        match code {
            b'v' => TypeId::VOID,
            b'i' => TypeId::INT,
            b'u' => TypeId::UINT,
            b'l' => TypeId::LONG,
            b'm' => TypeId::ULONG,
            b'x' => TypeId::LONG_LONG,
            b'y' => TypeId::ULONG_LONG,
            b'z' => self.size_type(),
            b't' => self.ptrdiff_type(),
            b'f' => TypeId::FLOAT,
            b'd' => TypeId::DOUBLE,
            b'e' => TypeId::LONG_DOUBLE,
            b'p' => TypeId::VOID_PTR,
            b'P' => self.types.pointer(constant(TypeId::VOID)),
            b's' => TypeId::CHAR_PTR,
            b'S' => self.types.pointer(constant(TypeId::CHAR)),
            b'I' => self.types.pointer(QualType::plain(TypeId::INT)),
            b'D' => self.types.pointer(QualType::plain(TypeId::DOUBLE)),
            b'F' => self.types.pointer(QualType::plain(TypeId::FLOAT)),
            b'E' => self.types.pointer(QualType::plain(TypeId::LONG_DOUBLE)),
            b'1' => self.types.intern(Type::Complex(TypeId::FLOAT)),
            b'2' => self.types.intern(Type::Complex(TypeId::DOUBLE)),
            b'3' => self.types.intern(Type::Complex(TypeId::LONG_DOUBLE)),
            b'4' => self.types.intern(Type::Complex(TypeId::LONG_LONG)),
            b'5' => self.types.intern(Type::Complex(TypeId::ULONG_LONG)),
            b'w' => self.wchar_type(),
            b'a' => {
                let list = self.va_list_type();
                self.adjust_param(QualType::plain(list)).ty
            }
            _ => TypeId::INT,
        }
    }

    /// Returns the global of a known library function, declaring it if necessary.
    pub(crate) fn library_function(&mut self, name: Symbol, span: Span) -> Option<GlobalIndex> {
        if let Some(&global) = self.linkage.names.get(&name)
            && self.is_function(self.globals[global.0 as usize].ty.ty)
        {
            return Some(global);
        }
        let text = self.interner.name(name).to_owned();
        let ty = self.library_type(&text)?;
        let global = self.new_global(name, QualType::plain(ty), span);
        let entry = &mut self.globals[global.0 as usize];
        entry.implicit = true;
        entry.noreturn = matches!(text.as_str(), "abort" | "exit" | "_exit" | "_Exit");
        self.linkage.names.entry(name).or_insert(global);
        Some(global)
    }

    /// Implicitly declares a called function.
    fn implicit_function(&mut self, name: Symbol, span: Span) -> GlobalIndex {
        let text = format!("implicit declaration of function '{}'", self.name(name));
        self.warning(span, text);
        if let Some(&global) = self.linkage.names.get(&name) {
            // The function was declared in a block that was left.
            return global;
        }
        if let Some(global) = self.library_function(name, span) {
            return global;
        }
        let function =
            FunctionType { ret: QualType::plain(TypeId::INT), params: Vec::new(), variadic: false, prototyped: false };
        let ty = QualType::plain(self.types.intern(Type::Function(function)));
        let global = self.new_global(name, ty, span);
        self.globals[global.0 as usize].implicit = true;
        self.linkage.names.insert(name, global);
        global
    }

    pub(crate) fn alloca(&mut self, size: &ast::Expr, span: Span) -> Expr {
        let size = self.value(size);
        let ty = self.size_type();
        let size = self.assign_convert(size, ty, Assigning::Passing);
        if self.is_error(size.ty) {
            return self.error_expr(span);
        }
        Expr { kind: ExprKind::Builtin(Builtin::Alloca, vec![size]), ty: TypeId::VOID_PTR, span }
    }
}
