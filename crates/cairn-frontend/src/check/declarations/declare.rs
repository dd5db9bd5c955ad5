//! Declarations of objects, functions and type names: scope, linkage and redeclaration.

use cairn_ir::ctype::{ArrayLen, QualType, Type, TypeId};
use cairn_ir::source::Span;

use crate::ast::{Declaration, InitDeclarator, Initializer, StaticAssert, Storage, TypeSpec};
use crate::check::declarations::scope::{Entity, GlobalIndex};
use crate::check::declarations::specifier::{Attributes, Specified};
use crate::check::{Checker, Definition, Global};
use crate::hir::{LocalInit, Stmt, StmtKind, SymbolKind, Unasked};
use crate::symbol::Symbol;

/// The entity that a declarator declares.
#[derive(Debug)]
pub(crate) struct Declared {
    pub name: Symbol,
    pub ty: QualType,
    pub span: Span,
    pub storage: Option<Storage>,
    pub thread_local: bool,
    pub inline: bool,
    pub asm_label: Option<Box<[u8]>>,
}

impl Checker<'_> {
    pub(crate) fn static_assert(&mut self, assertion: &StaticAssert) {
        let value = self.value(&assertion.cond);
        if self.is_error(value.ty) {
            return;
        }
        match self.evaluate_integer(&value) {
            Some(0) => {
                let text = match &assertion.message {
                    Some(message) => format!("static assertion failed: {}", String::from_utf8_lossy(message)),
                    None => "static assertion failed".to_owned(),
                };
                self.error(assertion.cond.span, text);
            }
            Some(_) => {}
            None => {
                self.error(assertion.cond.span, "static assertion expression is not an integral constant expression")
            }
        }
    }

    pub(crate) fn file_declaration(&mut self, declaration: &Declaration) {
        let mut stmts = Vec::new();
        self.declaration(declaration, &mut stmts);
    }

    /// Checks a declaration; code that it needs is appended to `out`.
    pub(crate) fn declaration(&mut self, declaration: &Declaration, out: &mut Vec<Stmt>) {
        let specs = &declaration.specs;
        if matches!(specs.ty, TypeSpec::Auto) {
            for declarator in &declaration.declarators {
                self.auto_declaration(declaration, declarator, out);
            }
            return;
        }
        let specified = self.specifiers(specs, declaration.declarators.is_empty());
        if declaration.declarators.is_empty() {
            let named = matches!(specs.ty, TypeSpec::Record(_) | TypeSpec::Enum(_));
            if !named && !self.is_error(specified.ty.ty) {
                self.warning(declaration.span, "declaration does not declare anything");
            }
            out.append(&mut self.pending);
            return;
        }
        for declarator in &declaration.declarators {
            self.init_declarator(declaration, specified, declarator, out);
        }
    }

    fn collect_attributes(&mut self, declaration: &Declaration, declarator: &InitDeclarator) -> Attributes {
        let mut attributes = Attributes::default();
        self.attributes(&declaration.specs.attributes, &mut attributes);
        self.alignas(&declaration.specs.alignas, &mut attributes);
        self.attributes(&declarator.declarator.attributes, &mut attributes);
        self.attributes(&declarator.attributes, &mut attributes);
        attributes.noreturn |= declaration.specs.noreturn;
        attributes
    }

    fn init_declarator(
        &mut self,
        declaration: &Declaration,
        specified: Specified,
        declarator: &InitDeclarator,
        out: &mut Vec<Stmt>,
    ) {
        let specs = &declaration.specs;
        let span = declarator.declarator.span;
        let mut attributes = self.collect_attributes(declaration, declarator);
        let base = self.apply_type_attributes(specified.ty, &attributes, span);
        let steps = &declarator.declarator.steps;
        let ty = self.declarator_type(base, steps, span);
        out.append(&mut self.pending);
        let Some(name) = declarator.declarator.name else { return };
        if steps.is_empty() || self.is_array(ty.ty) {
            attributes.align = attributes.align.max(specified.align);
        }
        // The storage of a `constexpr` object is unobservable, so make it static.
        let storage = if specs.constexpr { Some(Storage::Static) } else { specs.storage };
        let declared = Declared {
            name,
            ty,
            span,
            storage,
            thread_local: specs.thread_local,
            inline: specs.inline,
            asm_label: declarator.asm_label.clone(),
        };
        let file_scope = self.scopes.at_file_scope();
        if specs.storage == Some(Storage::Typedef) {
            self.declare_typedef(&declared, &attributes);
            if declarator.init.is_some() {
                self.error(span, "illegal initializer (only variables can be initialized)");
            }
        } else if self.is_function(ty.ty) {
            if declarator.init.is_some() {
                self.error(span, "illegal initializer (only variables can be initialized)");
            }
            if !file_scope && specs.storage == Some(Storage::Auto) {
                self.declare_nested(&declared);
            } else {
                self.declare_function(&declared, &mut attributes);
            }
        } else if file_scope || storage == Some(Storage::Extern) {
            self.declare_object(&declared, &mut attributes, declarator.init.as_ref());
        } else if storage == Some(Storage::Static) || specs.thread_local {
            self.static_local(&declared, &attributes, declarator.init.as_ref());
        } else {
            self.local(&declared, &attributes, declarator.init.as_ref(), out);
        }
        self.note_constexpr(declaration, name);
    }

    /// Records that an object is `constexpr`.
    fn note_constexpr(&mut self, declaration: &Declaration, name: Symbol) {
        if declaration.specs.constexpr
            && let Some(Entity::Global(index)) = self.scopes.lookup(name)
        {
            self.globals[index.0 as usize].constexpr = true;
        }
    }

    /// Checks `__auto_type x = e;`, where `x` has the type of its initialiser.
    fn auto_declaration(&mut self, declaration: &Declaration, declarator: &InitDeclarator, out: &mut Vec<Stmt>) {
        let span = declarator.declarator.span;
        let Some(name) = declarator.declarator.name else { return };
        let (Some(Initializer::Expr(init)), true) = (&declarator.init, declarator.declarator.steps.is_empty()) else {
            let text =
                format!("declaration of variable '{}' with deduced type requires a plain initializer", self.name(name));
            self.error(span, text);
            self.scopes.bind(name, Entity::Error, span);
            return;
        };
        let attributes = self.collect_attributes(declaration, declarator);
        if self.scopes.at_file_scope()
            || declaration.specs.storage == Some(Storage::Static)
            || declaration.specs.constexpr
        {
            let value = self.value(init);
            let ty = self.qualify(QualType::plain(value.ty), declaration.specs.quals);
            let declared = Declared {
                name,
                ty,
                span,
                storage: declaration.specs.storage,
                thread_local: declaration.specs.thread_local,
                inline: false,
                asm_label: None,
            };
            let mut attributes = attributes;
            if self.scopes.at_file_scope() {
                self.declare_object(&declared, &mut attributes, declarator.init.as_ref());
            } else {
                self.static_local(&declared, &attributes, declarator.init.as_ref());
            }
            self.note_constexpr(declaration, name);
            return;
        }
        let value = self.value(init);
        if value.ty == TypeId::VOID {
            let text = format!("variable '{}' has incomplete type 'void'", self.name(name));
            self.error(span, text);
        }
        if value.ty == TypeId::VOID || self.is_error(value.ty) {
            self.scopes.bind(name, Entity::Error, span);
            return;
        }
        let ty = self.qualify(QualType::plain(value.ty), declaration.specs.quals);
        self.check_redeclared_local(name, span);
        let id = self.new_local(Some(name), ty, attributes.align, span);
        let level = self.level();
        self.scopes.bind(name, Entity::Local(level, id), span);
        out.push(Stmt { kind: StmtKind::Declare(id, Some(LocalInit::Value(value))), span: declaration.span });
        self.attach_cleanup(id, &attributes);
    }

    fn declare_typedef(&mut self, declared: &Declared, attributes: &Attributes) {
        let &Declared { name, mut ty, span, .. } = declared;
        if attributes.transparent
            && let Some(record) = self.record_of(ty.ty)
        {
            self.types.records[record.0 as usize].transparent = true;
        }
        if attributes.packed && self.record_of(ty.ty).is_some() {
            self.warning(span, "attribute 'packed' ignored on a type name");
        }
        if let Some(binding) = self.scopes.lookup_here(name) {
            let at = binding.span;
            match binding.value {
                Entity::Typedef(old, _) => {
                    if !self.compatible_qual(old, ty) {
                        let text = format!(
                            "typedef redefinition with different types ('{}' vs '{}')",
                            self.print_qual(ty),
                            self.print_qual(old)
                        );
                        self.error_with_note(span, text, at, "previous definition is here");
                    }
                    return;
                }
                Entity::Error => {}
                _ => {
                    let text = format!("redefinition of '{}' as different kind of symbol", self.name(name));
                    self.error_with_note(span, text, at, "previous definition is here");
                    ty = QualType::plain(TypeId::ERROR);
                }
            }
        }
        self.scopes.bind(name, Entity::Typedef(ty, attributes.align), span);
    }

    pub(crate) fn new_global(&mut self, name: Symbol, ty: QualType, span: Span) -> GlobalIndex {
        let index = GlobalIndex(self.globals.len() as u32);
        self.globals.push(Global {
            name,
            asm_label: None,
            ty,
            internal: false,
            weak: false,
            unasked: Unasked::default(),
            noreturn: false,
            malloc: false,
            alloc_size: None,
            thread_local: false,
            implicit: false,
            constexpr: false,
            inline_only: false,
            align: 0,
            span,
            definition: Definition::Declared,
            alias: None,
            symbol: None,
            kind: None,
        });
        index
    }

    /// Reports a name that is bound in this scope to an entity without linkage; returns whether there is one.
    fn clashes_here(&mut self, name: Symbol, span: Span) -> bool {
        let Some(binding) = self.scopes.lookup_here(name) else { return false };
        let at = binding.span;
        match binding.value {
            Entity::Global(global) => {
                if self.linkage.names.get(&name) == Some(&global) {
                    return false;
                }
                let text = format!("redefinition of '{}'", self.name(name));
                self.error_with_note(span, text, at, "previous definition is here");
                true
            }
            Entity::Error => false,
            Entity::Local(..) => {
                let text = format!("redefinition of '{}'", self.name(name));
                self.error_with_note(span, text, at, "previous definition is here");
                true
            }
            _ => {
                let text = format!("redefinition of '{}' as different kind of symbol", self.name(name));
                self.error_with_note(span, text, at, "previous definition is here");
                true
            }
        }
    }

    /// Returns the global that a declaration with linkage refers to, or `None` on a clash.
    ///
    /// A known global gets the composite type; otherwise a new global is created.
    fn link(&mut self, declared: &Declared, attributes: &mut Attributes) -> Option<GlobalIndex> {
        let &Declared { name, ty, span, .. } = declared;
        if self.clashes_here(name, span) {
            return None;
        }
        let is_static = declared.storage == Some(Storage::Static);
        let index = match self.linkage.names.get(&name).copied() {
            Some(index) => {
                self.merge_declaration(index, declared, is_static);
                index
            }
            None => {
                let index = self.new_global(name, ty, span);
                self.globals[index.0 as usize].internal = is_static;
                self.globals[index.0 as usize].inline_only = declared.inline;
                self.linkage.names.insert(name, index);
                index
            }
        };
        if self.scopes.lookup_here(name).is_none() {
            self.scopes.bind(name, Entity::Global(index), span);
        }
        let entry = &mut self.globals[index.0 as usize];
        entry.implicit = false;
        entry.weak |= attributes.weak;
        entry.unasked.before_main = attributes.unasked.before_main.or(entry.unasked.before_main);
        entry.unasked.at_exit = attributes.unasked.at_exit.or(entry.unasked.at_exit);
        entry.noreturn |= attributes.noreturn;
        entry.malloc |= attributes.malloc;
        entry.alloc_size = attributes.alloc_size.or(entry.alloc_size);
        entry.thread_local |= declared.thread_local;
        entry.align = entry.align.max(attributes.align);
        entry.inline_only &= declared.inline && declared.storage != Some(Storage::Extern);
        if let Some(alias) = attributes.alias.take() {
            entry.alias = Some(alias);
        }
        if let Some(label) = &declared.asm_label {
            entry.asm_label = Some(label.clone());
        }
        Some(index)
    }

    fn merge_declaration(&mut self, index: GlobalIndex, declared: &Declared, is_static: bool) {
        let &Declared { name, ty, span, .. } = declared;
        let entry = &self.globals[index.0 as usize];
        let (old, at, implicit, internal) = (entry.ty, entry.span, entry.implicit, entry.internal);
        if implicit {
            // The real declaration replaces the type; earlier calls keep the implicit one.
            if !self.compatible(old.ty, ty.ty) {
                let text = format!("conflicting types for '{}' with its implicit declaration", self.name(name));
                self.warning(span, text);
            }
            let entry = &mut self.globals[index.0 as usize];
            entry.ty = ty;
            entry.span = span;
            entry.internal = is_static;
            entry.inline_only = declared.inline;
            return;
        }
        if old == ty {
            // The common case is a repeated declaration.
        } else if self.is_error(old.ty) || self.is_error(ty.ty) {
            return;
        } else if self.compatible(old.ty, ty.ty) && old.quals == ty.quals {
            let composite = self.composite(old.ty, ty.ty);
            self.globals[index.0 as usize].ty.ty = composite;
        } else {
            let text = format!(
                "conflicting types for '{}': '{}' and '{}'",
                self.name(name),
                self.print_qual(ty),
                self.print_qual(old)
            );
            self.error_with_note(span, text, at, "previous declaration is here");
        }
        if is_static && !internal {
            let text = format!("static declaration of '{}' follows non-static declaration", self.name(name));
            self.error_with_note(span, text, at, "previous declaration is here");
        } else if !is_static && internal && declared.storage.is_none() && !self.is_function(ty.ty) {
            let text = format!("non-static declaration of '{}' follows static declaration", self.name(name));
            self.error_with_note(span, text, at, "previous declaration is here");
        }
    }

    pub(crate) fn declare_function(&mut self, declared: &Declared, attributes: &mut Attributes) -> Option<GlobalIndex> {
        if declared.storage == Some(Storage::Static) && !self.scopes.at_file_scope() {
            self.error(declared.span, "function declared in block scope cannot have 'static' storage class");
        }
        self.link(declared, attributes)
    }

    /// Checks an object at file scope, or `extern` in a block.
    fn declare_object(&mut self, declared: &Declared, attributes: &mut Attributes, init: Option<&Initializer>) {
        let &Declared { name, ty, span, .. } = declared;
        // A variable in a machine register (`register long sp asm("rsp")`) is not an object, so it is never defined.
        let is_extern = matches!(declared.storage, Some(Storage::Extern | Storage::Register));
        if ty.ty == TypeId::VOID && !is_extern {
            let text = format!("variable '{}' has incomplete type 'void'", self.name(name));
            self.error(span, text);
            self.scopes.bind(name, Entity::Error, span);
            return;
        }
        if self.is_variable_size(ty.ty) {
            let text = format!("'{}' with linkage cannot have a variably modified type", self.name(name));
            self.error(span, text);
        }
        let Some(index) = self.link(declared, attributes) else {
            return;
        };
        if let Some(init) = init {
            if !self.scopes.at_file_scope() {
                self.error(span, "declaration of block scope identifier with linkage cannot have an initializer");
                return;
            }
            self.define_object(index, declared, init);
        } else if !is_extern {
            let entry = &mut self.globals[index.0 as usize];
            entry.definition = entry.definition.max(Definition::Tentative);
            let incomplete_static = entry.internal && self.is_incomplete(ty.ty) && !self.is_array(ty.ty);
            if incomplete_static && !self.is_forward_enum(ty.ty) && !self.is_error(ty.ty) {
                let text = format!(
                    "tentative definition of variable with internal linkage has incomplete type '{}'",
                    self.print_qual(ty)
                );
                self.warning(span, text);
            }
        }
    }

    fn define_object(&mut self, index: GlobalIndex, declared: &Declared, init: &Initializer) {
        let entry = &self.globals[index.0 as usize];
        if entry.definition == Definition::Defined {
            let at = entry.span;
            let text = format!("redefinition of '{}'", self.name(declared.name));
            self.error_with_note(declared.span, text, at, "previous definition is here");
        }
        let entry = &mut self.globals[index.0 as usize];
        entry.definition = Definition::Defined;
        entry.span = declared.span;
        let ty = self.globals[index.0 as usize].ty;
        let (completed, init) = self.static_initialiser(ty, init, declared.span);
        let entry = &mut self.globals[index.0 as usize];
        entry.ty.ty = completed;
        let thread_local = entry.thread_local;
        entry.kind = Some(SymbolKind::Object { init, thread_local });
    }

    fn static_local(&mut self, declared: &Declared, attributes: &Attributes, init: Option<&Initializer>) {
        let &Declared { name, ty, span, .. } = declared;
        self.check_redeclared_local(name, span);
        if self.check_object_type(ty, init.is_some(), span) {
            self.scopes.bind(name, Entity::Error, span);
            return;
        }
        if self.is_variable_size(ty.ty) {
            self.error(span, "variable length array declaration cannot have 'static' storage duration");
            self.scopes.bind(name, Entity::Error, span);
            return;
        }
        let function = self.functions.last().map(|f| f.name.clone()).unwrap_or_default();
        let full = format!("{function}.{}", self.name(name));
        let full = self.interner.intern(&full);
        let index = self.new_global(full, ty, span);
        self.scopes.bind(name, Entity::Global(index), span);
        let entry = &mut self.globals[index.0 as usize];
        entry.internal = true;
        entry.align = attributes.align;
        entry.thread_local = declared.thread_local;
        entry.definition = Definition::Defined;
        let (completed, init) = match init {
            Some(init) => self.static_initialiser(ty, init, span),
            None => (ty.ty, None),
        };
        let entry = &mut self.globals[index.0 as usize];
        entry.ty.ty = completed;
        entry.kind = Some(SymbolKind::Object { init, thread_local: declared.thread_local });
        self.store_label_distances(index, span);
    }

    fn check_redeclared_local(&mut self, name: Symbol, span: Span) {
        if let Some(binding) = self.scopes.lookup_here(name) {
            let at = binding.span;
            let text = match binding.value {
                Entity::Error => return,
                Entity::Typedef(..) | Entity::Enumerator(..) => {
                    format!("redefinition of '{}' as different kind of symbol", self.name(name))
                }
                _ => format!("redefinition of '{}'", self.name(name)),
            };
            self.error_with_note(span, text, at, "previous definition is here");
        }
    }

    /// Reports a type that no object can have; returns whether that is the case.
    fn check_object_type(&mut self, ty: QualType, initialised: bool, span: Span) -> bool {
        if self.is_error(ty.ty) {
            return true;
        }
        if matches!(self.types.get(ty.ty), Type::Array(_, ArrayLen::Unknown)) {
            if !initialised {
                self.error(span, "definition of variable with array type needs an explicit size or an initializer");
                return true;
            }
            return false;
        }
        if self.is_incomplete(ty.ty) {
            let text = format!("variable has incomplete type '{}'", self.print_qual(ty));
            self.error(span, text);
            return true;
        }
        false
    }

    /// Checks an automatic variable.
    fn local(&mut self, declared: &Declared, attributes: &Attributes, init: Option<&Initializer>, out: &mut Vec<Stmt>) {
        let &Declared { name, ty, span, .. } = declared;
        self.check_redeclared_local(name, span);
        if self.check_object_type(ty, init.is_some(), span) {
            self.scopes.bind(name, Entity::Error, span);
            // The initialiser may contain further errors.
            if let Some(Initializer::Expr(expr)) = init {
                self.value(expr);
            }
            return;
        }
        let id = self.new_local(Some(name), ty, attributes.align, span);
        let level = self.level();
        self.scopes.bind(name, Entity::Local(level, id), span);
        self.attach_cleanup(id, attributes);
        if self.is_variable_size(ty.ty) {
            self.local_mut(id).address_taken = true;
            let size = self.size_expr(ty.ty, span);
            out.push(Stmt { kind: StmtKind::DeclareVla(id, size), span });
            match init {
                Some(Initializer::List(list)) if list.entries.is_empty() => {
                    let text = "empty initializer of a variable-length array".to_owned();
                    out.push(Stmt { kind: StmtKind::Unsupported(text), span });
                }
                Some(_) => self.error(span, "variable-sized object may not be initialized"),
                None => {}
            }
            return;
        }
        let init = match init {
            Some(init) => {
                let (completed, init) = self.local_initialiser(ty, init, span);
                self.local_mut(id).ty.ty = completed;
                init
            }
            None => None,
        };
        out.push(Stmt { kind: StmtKind::Declare(id, init), span });
    }

    fn attach_cleanup(&mut self, id: crate::hir::LocalId, attributes: &Attributes) {
        let Some((name, span)) = attributes.cleanup else { return };
        match self.scopes.lookup(name) {
            Some(Entity::Global(global)) if self.is_function(self.globals[global.0 as usize].ty.ty) => {
                let symbol = self.symbol_of(global);
                let local = self.local_mut(id);
                local.cleanup = Some(symbol);
                local.address_taken = true;
            }
            _ => {
                let text = format!("'cleanup' argument '{}' is not a function", self.name(name));
                self.error(span, text);
            }
        }
    }
}
