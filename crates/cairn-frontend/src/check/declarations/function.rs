//! Function definitions: parameters, locals, labels, and the captures of nested functions.

use cairn_ir::ctype::{FunctionType, QualType, Type, TypeId, VlaId};
use cairn_ir::source::Span;
use rustc_hash::FxHashMap;

use crate::ast::{DeclStep, FunctionDeclarator, FunctionDef, Storage};
use crate::check::declarations::declare::Declared;
use crate::check::declarations::scope::{Entity, GlobalIndex};
use crate::check::declarations::specifier::Attributes;
use crate::check::stmt::SwitchState;
use crate::check::{Checker, Definition};
use crate::hir::{
    Capture, Expr, ExprKind, Function, Label, LabelId, Local, LocalId, LocalInit, Place, PlaceKind, Stmt, StmtKind,
    SymbolId, SymbolKind,
};
use crate::symbol::Symbol;

/// The state of a label.
#[derive(Debug)]
pub(crate) struct LabelState {
    pub name: Symbol,
    pub defined: bool,
    pub address_taken: bool,
    /// The definition, or the first use before it, for error messages.
    pub span: Span,
}

/// A label that a block declares with `__label__`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalLabel {
    pub name: Symbol,
    pub id: LabelId,
    /// The block, as an index into the open blocks.
    pub block: usize,
    /// The jump buffer by which nested functions reach the label, if one jumps to it.
    pub landing: Option<LocalId>,
}

/// A function whose body is under check.
#[derive(Debug, Default)]
pub(crate) struct FunctionState {
    /// A number that is unique in the unit.
    pub number: u32,
    pub symbol: Option<SymbolId>,
    /// The name, as in `__func__`.
    pub name: String,
    pub ret: TypeIdOrVoid,
    pub variadic: bool,
    pub noreturn: bool,
    pub locals: Vec<Local>,
    pub labels: Vec<LabelState>,
    /// The labels with function scope.
    pub label_names: FxHashMap<Symbol, LabelId>,
    /// The labels declared with `__label__`, innermost last.
    pub local_labels: Vec<LocalLabel>,
    /// The locals of each open block.
    pub blocks: Vec<Vec<LocalId>>,
    pub switches: Vec<SwitchState>,
    /// The number of enclosing loops and switches.
    pub breakable: u32,
    /// The number of enclosing loops.
    pub loops: u32,
    /// The locals of the parameters, in order.
    pub param_locals: Vec<LocalId>,
    pub captures: Vec<Capture>,
    pub captured: Captured,
    pub vla_dimensions: Vec<(VlaId, LocalId)>,
    /// Statements to execute at every entry of the function.
    pub on_entry: Vec<Stmt>,
}

/// A captured variable: the level of its function, and its number there.
pub(crate) type Origin = (u32, LocalId);

/// The pointer to each captured variable.
type Captured = FxHashMap<Origin, LocalId>;

/// The return type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TypeIdOrVoid(pub TypeId);

impl Default for TypeIdOrVoid {
    fn default() -> Self {
        Self(TypeId::VOID)
    }
}

/// A checked parameter of a definition.
struct Parameter {
    name: Option<Symbol>,
    ty: QualType,
    span: Span,
}

impl Checker<'_> {
    /// Returns the nesting level of the current function; 0 at file scope.
    pub(crate) fn level(&self) -> u32 {
        self.functions.len() as u32
    }

    /// Returns a local of the current function.
    pub(crate) fn local_mut(&mut self, id: LocalId) -> &mut Local {
        let function = self.functions.last_mut().expect("locals exist only inside functions");
        &mut function.locals[id.0 as usize]
    }

    /// Creates a local of the current function that lives in the innermost block.
    pub(crate) fn new_local(&mut self, name: Option<Symbol>, ty: QualType, align: u64, span: Span) -> LocalId {
        let name = name.map(|n| self.interner.name(n).into());
        let ty = self.outer_quals(ty);
        let Some(function) = self.functions.last_mut() else { return LocalId(0) };
        let id = LocalId(function.locals.len() as u32);
        function.locals.push(Local { name, ty, address_taken: false, align, cleanup: None, span });
        if let Some(block) = function.blocks.last_mut() {
            block.push(id);
        }
        id
    }

    /// Returns the place of an enclosing function's variable, accessed through a captured pointer.
    pub(crate) fn captured_place(&mut self, level: u32, id: LocalId, span: Span) -> Place {
        let Some(ty) =
            level.checked_sub(1).and_then(|l| self.functions.get(l as usize)).map(|f| f.locals[id.0 as usize].ty)
        else {
            let address = self.error_expr(span);
            return Place { kind: PlaceKind::Deref(Box::new(address)), ty: QualType::plain(TypeId::ERROR), span };
        };
        let pointer = self.capture(self.level(), level, id);
        let pointer_ty = self.types.pointer(ty);
        let pointer = Place { kind: PlaceKind::Local(pointer), ty: QualType::plain(pointer_ty), span };
        let address = Expr { kind: ExprKind::Read(Box::new(pointer)), ty: pointer_ty, span };
        Place { kind: PlaceKind::Deref(Box::new(address)), ty, span }
    }

    /// Returns the local of the function at level `at` that points to a variable of the function at `level`.
    ///
    /// The functions in between capture the variable too.
    fn capture(&mut self, at: u32, level: u32, id: LocalId) -> LocalId {
        if let Some(&pointer) = self.functions[at as usize - 1].captured.get(&(level, id)) {
            return pointer;
        }
        if at - 1 == level {
            self.functions[level as usize - 1].locals[id.0 as usize].address_taken = true;
        } else {
            self.capture(at - 1, level, id);
        }
        let variable = &self.functions[level as usize - 1].locals[id.0 as usize];
        let (name, ty, span) = (variable.name.clone(), variable.ty, variable.span);
        let ty = QualType::plain(self.types.pointer(ty));
        let function = &mut self.functions[at as usize - 1];
        let pointer = LocalId(function.locals.len() as u32);
        function.locals.push(Local { name, ty, address_taken: false, align: 0, cleanup: None, span });
        function.captures.push(Capture { level, variable: id, pointer });
        function.captured.insert((level, id), pointer);
        pointer
    }

    /// Records the use of a nested function, whose captures the current function needs as well.
    pub(crate) fn use_nested(&mut self, used: SymbolId) {
        let Some(&enclosing) = self.nested.levels.get(&used) else { return };
        let Some(user) = self.functions.last().and_then(|f| f.symbol) else { return };
        if self.level() > enclosing && user != used {
            self.nested.uses.push((user, used));
            let origins = self.nested_origins(used);
            let at = self.level();
            for (level, id) in origins {
                if level < at {
                    self.capture(at, level, id);
                }
            }
        }
    }

    /// Returns the variables that a nested function captures.
    fn nested_origins(&self, nested: SymbolId) -> Vec<Origin> {
        self.nested.captures.get(&nested).map(|c| c.iter().map(|&(origin, _)| origin).collect()).unwrap_or_default()
    }

    pub(crate) fn function_definition(&mut self, definition: &FunctionDef) {
        let specified = self.specifiers(&definition.specs, false);
        let mut attributes = Attributes::default();
        self.attributes(&definition.specs.attributes, &mut attributes);
        self.attributes(&definition.declarator.attributes, &mut attributes);
        self.attributes(&definition.attributes, &mut attributes);
        attributes.noreturn |= definition.specs.noreturn;
        let declarator = &definition.declarator;
        let (Some(name), Some((DeclStep::Function(header), inner))) = (declarator.name, declarator.steps.split_last())
        else {
            self.error(declarator.span, "function definition requires a name and a parameter list");
            return;
        };
        let base = self.apply_type_attributes(specified.ty, &attributes, declarator.span);
        let mut ret = self.declarator_type(base, inner, declarator.span);
        if self.is_array(ret.ty) || self.is_function(ret.ty) {
            let text = format!("function cannot return type '{}'", self.print_qual(ret));
            self.error(declarator.span, text);
            ret = QualType::plain(TypeId::ERROR);
        }
        if ret.ty != TypeId::VOID && self.is_incomplete(ret.ty) && !self.is_forward_enum(ret.ty) {
            let text = format!("incomplete result type '{}' in function definition", self.print_qual(ret));
            self.error(declarator.span, text);
            ret = QualType::plain(TypeId::ERROR);
        }
        let nested = !self.functions.is_empty();
        self.counts.functions += 1;
        let state = FunctionState {
            number: self.counts.functions,
            name: self.name(name).to_owned(),
            ret: TypeIdOrVoid(ret.ty),
            variadic: header.variadic,
            ..FunctionState::default()
        };
        let pending_outer = std::mem::take(&mut self.pending);
        self.functions.push(state);
        self.scopes.enter();
        let params = self.definition_params(header, definition);
        let mut types: Vec<TypeId> = params.iter().map(|p| p.ty.ty).collect();
        let mut prototyped = header.prototyped;
        let mut hidden = Vec::new();
        if !header.prototyped {
            self.old_style_types(name, &params, &mut types, &mut prototyped, &mut hidden);
        }
        let pending = std::mem::replace(&mut self.pending, pending_outer);
        let function_type = FunctionType { ret, params: types.clone(), variadic: header.variadic, prototyped };
        let ty = QualType::plain(self.types.intern(Type::Function(function_type)));
        let saved = self.scopes.leave_saving();
        let Some(state) = self.functions.pop() else { return };
        let inline_only_body =
            attributes.gnu_inline && definition.specs.inline && definition.specs.storage == Some(Storage::Extern);
        let declared = Declared {
            name,
            ty,
            span: declarator.span,
            storage: definition.specs.storage,
            thread_local: false,
            inline: definition.specs.inline && !inline_only_body,
            asm_label: None,
        };
        let global =
            if nested { self.declare_nested(&declared) } else { self.declare_function(&declared, &mut attributes) };
        // A GNU `extern inline` body only serves inlining; the function is defined elsewhere.
        if inline_only_body && !nested {
            return;
        }
        let Some(global) = global else {
            // The name is taken, but the body may contain further errors.
            self.function_body(definition, state, saved, params, hidden, pending, prototyped);
            return;
        };
        let entry = &self.globals[global.0 as usize];
        if entry.definition == Definition::Defined {
            let at = entry.span;
            let text = format!("redefinition of '{}'", self.name(name));
            self.error_with_note(declarator.span, text, at, "previous definition is here");
        }
        let entry = &mut self.globals[global.0 as usize];
        entry.definition = Definition::Defined;
        entry.span = declarator.span;
        let noreturn = entry.noreturn;
        let symbol = self.symbol_of(global);
        let mut state = state;
        state.symbol = Some(symbol);
        state.noreturn = noreturn;
        let function = self.function_body(definition, state, saved, params, hidden, pending, prototyped);
        if let Some((function, captured)) = function {
            if nested {
                let mut origins: Vec<_> = captured.into_iter().collect();
                origins.sort_by_key(|&(_, pointer)| pointer);
                self.nested.captures.insert(symbol, origins);
            }
            self.globals[global.0 as usize].kind = Some(SymbolKind::Function(Box::new(function)));
        }
        if !nested && !self.nested.uses.is_empty() {
            self.complete_captures();
        }
    }

    /// Checks the parameters of a definition, with a prototype or in K&R style.
    fn definition_params(&mut self, header: &FunctionDeclarator, definition: &FunctionDef) -> Vec<Parameter> {
        let mut params = Vec::with_capacity(header.params.len() + header.identifiers.len());
        for param in &header.params {
            let ty = self.param_type(param);
            if ty.ty == TypeId::VOID && header.params.len() == 1 && param.declarator.name.is_none() {
                break;
            }
            let name = param.declarator.name;
            params.push(Parameter { name, ty, span: param.declarator.span });
            // Later parameters may use this one in their dimensions.
            self.bind_param(params.last());
        }
        let mut declared: FxHashMap<Symbol, QualType> = FxHashMap::default();
        for declaration in &definition.kr_params {
            let specified = self.specifiers(&declaration.specs, declaration.declarators.is_empty());
            for declarator in &declaration.declarators {
                let steps = &declarator.declarator.steps;
                let ty = self.declarator_type(specified.ty, steps, declarator.declarator.span);
                let ty = self.adjust_param(ty);
                let Some(name) = declarator.declarator.name else { continue };
                if !header.identifiers.iter().any(|&(n, _)| n == name) {
                    let text = format!("parameter named '{}' is missing", self.name(name));
                    self.error(declarator.declarator.span, text);
                }
                declared.insert(name, ty);
            }
        }
        for &(name, span) in &header.identifiers {
            let ty = declared.get(&name).copied().unwrap_or_else(|| {
                let text = format!("parameter '{}' was not declared, defaults to 'int'", self.interner.name(name));
                self.diagnostics.push(cairn_ir::diagnostic::Diagnostic::warning(span, text));
                QualType::plain(TypeId::INT)
            });
            params.push(Parameter { name: Some(name), ty, span });
            self.bind_param(params.last());
        }
        params
    }

    /// Creates the local of a parameter and binds its name.
    fn bind_param(&mut self, param: Option<&Parameter>) {
        let Some(param) = param else { return };
        let (name, span, mut ty) = (param.name, param.span, param.ty);
        if ty.ty == TypeId::VOID || (self.is_incomplete(ty.ty) && !self.is_forward_enum(ty.ty) && !self.is_error(ty.ty))
        {
            let text = format!("variable has incomplete type '{}'", self.print_qual(ty));
            self.error(span, text);
            ty = QualType::plain(TypeId::ERROR);
        }
        let id = self.new_local(name, ty, 0, span);
        if let Some(function) = self.functions.last_mut() {
            function.param_locals.push(id);
        }
        let Some(name) = name else { return };
        if let Some(binding) = self.scopes.lookup_here(name) {
            let at = binding.span;
            let text = format!("redefinition of parameter '{}'", self.name(name));
            self.error_with_note(span, text, at, "previous declaration is here");
        }
        let level = self.level();
        self.scopes.bind(name, Entity::Local(level, id), span);
    }

    /// Computes the types in which a K&R definition receives its arguments.
    ///
    /// They are promoted, unless a matching prototype is visible.
    fn old_style_types(
        &mut self,
        name: Symbol,
        params: &[Parameter],
        types: &mut [TypeId],
        prototyped: &mut bool,
        hidden: &mut Vec<Option<TypeId>>,
    ) {
        if let Some(&global) = self.linkage.names.get(&name)
            && let Type::Function(known) = self.types.get(self.globals[global.0 as usize].ty.ty)
        {
            let same = known.prototyped
                && known.params.len() == types.len()
                && known.params.iter().zip(types.iter()).all(|(&p, &q)| self.compatible(p, q));
            if same {
                *prototyped = true;
                hidden.resize(params.len(), None);
                return;
            }
        }
        for ty in types.iter_mut() {
            let promoted = self.promoted_type(*ty);
            hidden.push((promoted != *ty).then_some(promoted));
            *ty = promoted;
        }
    }

    #[expect(clippy::too_many_arguments, reason = "what the header of one definition gave")]
    fn function_body(
        &mut self,
        definition: &FunctionDef,
        state: FunctionState,
        saved: crate::check::declarations::scope::Saved,
        params: Vec<Parameter>,
        hidden: Vec<Option<TypeId>>,
        pending: Vec<Stmt>,
        prototyped: bool,
    ) -> Option<(Function, Captured)> {
        self.functions.push(state);
        self.scopes.enter_again(saved);
        let mut stmts = Vec::with_capacity(definition.body.items.len());
        let mut ids = self.functions.last().map(|f| f.param_locals.clone()).unwrap_or_default();
        // Variables of dimensions belong to the body; parameters and pointers to captured variables do not.
        if let Some(function) = self.functions.last_mut() {
            let arrives = |id: &LocalId| ids.contains(id) || function.captures.iter().any(|c| c.pointer == *id);
            let dimensions = (0..function.locals.len() as u32).map(LocalId).filter(|id| !arrives(id)).collect();
            function.blocks.push(dimensions);
        }
        for (index, wide) in hidden.iter().enumerate() {
            let (Some(wide), Some(declared)) = (wide, ids.get(index).copied()) else { continue };
            self.narrow_param(*wide, declared, &params[index], index, &mut ids, &mut stmts);
        }
        stmts.extend(pending);
        for item in &definition.body.items {
            self.block_item(item, &mut stmts);
        }
        self.check_labels();
        let level = self.level();
        let span = definition.body.span;
        let end = Span::new(span.end.saturating_sub(1).max(span.start), span.end);
        let mut body = self.close_block(0, stmts, span);
        let mut state = self.functions.pop()?;
        body.stmts.splice(0..0, std::mem::take(&mut state.on_entry));
        let labels = state
            .labels
            .iter()
            .map(|l| Label { name: self.interner.name(l.name).into(), address_taken: l.address_taken })
            .collect();
        let function = Function {
            ret: state.ret.0,
            params: ids,
            variadic: state.variadic,
            prototyped,
            noreturn: state.noreturn,
            locals: state.locals,
            labels,
            body,
            level,
            captures: state.captures,
            end,
            vla_dimensions: state.vla_dimensions,
        };
        Some((function, state.captured))
    }

    /// Converts a promoted argument to the narrower type of a K&R parameter at function entry.
    fn narrow_param(
        &mut self,
        wide: TypeId,
        declared: LocalId,
        param: &Parameter,
        index: usize,
        ids: &mut [LocalId],
        stmts: &mut Vec<Stmt>,
    ) {
        let span = param.span;
        let Some(function) = self.functions.last_mut() else { return };
        let incoming = LocalId(function.locals.len() as u32);
        function.locals.push(Local {
            name: None,
            ty: QualType::plain(wide),
            address_taken: false,
            align: 0,
            cleanup: None,
            span,
        });
        if let Some(block) = function.blocks.last_mut() {
            block.push(declared);
        }
        ids[index] = incoming;
        let place = Place { kind: PlaceKind::Local(incoming), ty: QualType::plain(wide), span };
        let value = self.read(place);
        let value = self.convert(value, param.ty.ty);
        stmts.push(Stmt { kind: StmtKind::Declare(declared, Some(LocalInit::Value(value))), span });
    }

    fn check_labels(&mut self) {
        let Some(function) = self.functions.last() else { return };
        let missing: Vec<(Symbol, Span)> =
            function.labels.iter().filter(|l| !l.defined).map(|l| (l.name, l.span)).collect();
        for (name, span) in missing {
            let text = format!("use of undeclared label '{}'", self.name(name));
            self.error(span, text);
        }
    }

    /// Propagates the captures of nested functions that were used before their definition to their users.
    fn complete_captures(&mut self) {
        let uses = std::mem::take(&mut self.nested.uses);
        let mut changed = true;
        while changed {
            changed = false;
            for &(user, used) in &uses {
                for (level, id) in self.nested_origins(used) {
                    changed |= self.add_capture(user, level, id);
                }
            }
        }
    }

    /// Adds a capture to a finished nested function and to its enclosing functions; returns whether anything changed.
    fn add_capture(&mut self, user: SymbolId, level: u32, id: LocalId) -> bool {
        let Some(&enclosing) = self.nested.levels.get(&user) else { return false };
        let known = self.nested.captures.get(&user).is_some_and(|c| c.iter().any(|&(o, _)| o == (level, id)));
        if known || level > enclosing {
            return false;
        }
        if level != enclosing {
            let Some(&parent) = self.nested.parents.get(&user) else { return false };
            self.add_capture(parent, level, id);
        }
        let global = self.globals.iter_mut().find(|g| g.symbol == Some(user));
        let Some(SymbolKind::Function(function)) = global.and_then(|g| g.kind.as_mut()) else { return false };
        let pointer = LocalId(function.locals.len() as u32);
        let ty = QualType::plain(TypeId::VOID_PTR);
        let span = function.end;
        function.locals.push(Local { name: None, ty, address_taken: false, align: 0, cleanup: None, span });
        function.captures.push(Capture { level, variable: id, pointer });
        self.nested.captures.entry(user).or_default().push(((level, id), pointer));
        true
    }

    /// Declares a nested function in the current block, as `auto int f(int);` does before the definition.
    pub(crate) fn declare_nested(&mut self, declared: &Declared) -> Option<GlobalIndex> {
        if let Some(binding) = self.scopes.lookup_here(declared.name) {
            let at = binding.span;
            if let Entity::Global(global) = binding.value {
                let entry = &self.globals[global.0 as usize];
                let symbol = entry.symbol;
                if symbol.is_some_and(|s| self.nested.levels.contains_key(&s)) {
                    return Some(global);
                }
            }
            let text = format!("redefinition of '{}'", self.name(declared.name));
            self.error_with_note(declared.span, text, at, "previous definition is here");
            return None;
        }
        let outer = self.functions.last().map(|f| f.name.clone()).unwrap_or_default();
        let parent = self.functions.last().and_then(|f| f.symbol);
        let full = format!("{outer}.{}", self.name(declared.name));
        let full = self.interner.intern(&full);
        let global = self.new_global(full, declared.ty, declared.span);
        self.globals[global.0 as usize].internal = true;
        let symbol = self.symbol_of(global);
        self.nested.levels.insert(symbol, self.level());
        if let Some(parent) = parent {
            self.nested.parents.insert(symbol, parent);
        }
        self.scopes.bind(declared.name, Entity::Global(global), declared.span);
        Some(global)
    }

    /// Returns the return type of the current function.
    pub(crate) fn return_type(&self) -> TypeId {
        self.functions.last().map_or(TypeId::VOID, |f| f.ret.0)
    }
}
