//! The linker: decides which definition a name stands for, across all translation units and models.
//!
//! A function or global gets its id when it is defined or first used. Unused declarations of headers therefore never
//! reach the program.

pub(crate) mod data;
pub(crate) mod startup;

use cairn_ir::ctype::{FunctionType, Type, TypeId, TypeTable};
use cairn_ir::diagnostic::Diagnostic;
use cairn_ir::inst::{Callee, Inst, Operand, Passing, Ty};
use cairn_ir::layout::{self, Target};
use cairn_ir::program::{Function, Global, Linkage, Origin, Program, Signature, Symbol};
use cairn_ir::source::{Locator, SourceMap, Span};
use cairn_ir::{BlockId, CheckKind, FuncId, GlobalId, Loc, WideId};
use rustc_hash::FxHashMap;

use crate::Overflow;
use crate::library;
use crate::lower::builder;

use crate::hir::{self, SymbolId, SymbolKind};

/// Collects translation units into one program.
#[derive(Debug)]
pub struct Linker {
    pub(crate) program: Program,
    /// The meaning of each external name.
    names: FxHashMap<Box<str>, Symbol>,
    /// The link state of each function, parallel to the program's table.
    functions: Vec<State>,
    /// The link state of each global, parallel to the program's table.
    globals: Vec<State>,
    /// String literals by their bytes, including the terminator, and alignment. Equal literals are one object.
    pub(crate) strings: FxHashMap<(Vec<u8>, u64), GlobalId>,
    /// The program's constants of more than 64 bits.
    wide: FxHashMap<u128, WideId>,
    /// Ids that were assigned before an alias determined what the name stands for, with the alias targets.
    aliases: Vec<(Symbol, Symbol)>,
    /// The locations of top-level asm that is not modelled.
    asm: Vec<Loc>,
    /// Functions that run before `main`, with their priorities.
    constructors: Vec<(u16, FuncId)>,
    /// Functions that run at program exit, with their priorities.
    destructors: Vec<(u16, FuncId)>,
    /// Which operations of the user's code get the check `overflow`.
    overflow: Overflow,
    /// The functions whose definitions by the user are left out, because a model replaces them.
    replaced: Vec<String>,
}

/// The strength of a symbol's definition; a stronger definition replaces a weaker one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Strength {
    Declared,
    /// `int x;` without an initialiser. Several tentative definitions denote one object.
    Tentative,
    Weak,
    Strong,
}

#[derive(Clone, Copy, Debug)]
struct State {
    strength: Strength,
    /// Whether the symbol is declared weak. Without a definition, its address is null.
    weak: bool,
    span: Span,
    /// The type of a function.
    ctype: TypeId,
}

/// A translation unit during linking.
pub(crate) struct Unit<'a> {
    pub hir: &'a hir::Unit,
    pub origin: Origin,
    /// The meaning of each symbol, once it was resolved.
    symbols: Vec<Option<Symbol>>,
    /// The global of each string literal, once it was created.
    pub strings: Vec<Option<GlobalId>>,
    /// The label blocks of each function that takes a label's address, by function name.
    pub labels: FxHashMap<&'a str, (FuncId, Vec<BlockId>)>,
}

impl Linker {
    /// Creates a linker with an empty program and these error functions.
    pub fn new(target: Target, error_functions: Vec<String>, overflow: Overflow) -> Self {
        Self {
            program: Program { target, error_functions, ..Program::default() },
            names: FxHashMap::default(),
            functions: Vec::new(),
            globals: Vec::new(),
            strings: FxHashMap::default(),
            wide: FxHashMap::default(),
            aliases: Vec::new(),
            asm: Vec::new(),
            constructors: Vec::new(),
            destructors: Vec::new(),
            overflow,
            replaced: Vec::new(),
        }
    }

    /// Leaves out the user's definitions of these functions.
    pub(crate) fn replace(&mut self, functions: Vec<String>) {
        self.replaced = functions;
    }

    /// Returns the type of a function that is used but not defined so far, and the place of its declaration.
    pub(crate) fn declared(&self, name: &str) -> Option<(TypeId, Span)> {
        let Some(&Symbol::Function(id)) = self.names.get(name) else { return None };
        let state = self.functions[id.index()];
        (state.strength == Strength::Declared).then_some((state.ctype, state.span))
    }

    /// Returns which operations of a function get the check `overflow`: in models only those that C leaves to the caller.
    pub(crate) fn overflow_in(&self, origin: Origin, function: &str) -> Overflow {
        match origin {
            Origin::Model if !library::REQUIRE_DEFINED_RESULTS.contains(&function) => Overflow::Unchecked,
            _ => self.overflow,
        }
    }

    /// Lowers a translation unit and links it to the program. Two definitions of one name are an error.
    pub fn add_unit(
        &mut self,
        unit: &hir::Unit,
        origin: Origin,
        types: &mut TypeTable,
        sources: &SourceMap,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let types = &*types;
        let mut locator = Locator::new(sources);
        let mut state = Unit {
            hir: unit,
            origin,
            symbols: vec![None; unit.symbols.len()],
            strings: vec![None; unit.strings.len()],
            labels: FxHashMap::default(),
        };
        // Process definitions first, so that code finds the unit's own definitions.
        let mut emitted = Vec::with_capacity(unit.symbols.len());
        for (index, definition) in unit.symbols.iter().enumerate() {
            if matches!(definition.kind, SymbolKind::Function(_) | SymbolKind::Object { .. })
                && self.define(&mut state, index, types, &mut locator, diagnostics)
            {
                emitted.push(index);
            }
        }
        for (index, definition) in unit.symbols.iter().enumerate() {
            if let SymbolKind::Alias(target) = &definition.kind {
                self.define_alias(&mut state, index, target, types, &mut locator, diagnostics);
            }
        }
        for &index in &emitted {
            let definition = &unit.symbols[index];
            if let (SymbolKind::Function(function), Some(Symbol::Function(id))) =
                (&definition.kind, state.symbols[index])
            {
                let body = builder::lower(self, &mut state, types, &mut locator, definition, function, id);
                self.program.functions[id.index()].body = Some(body);
                self.note_unasked(definition.unasked, id);
            }
        }
        for &index in &emitted {
            let definition = &unit.symbols[index];
            if let (SymbolKind::Object { init: Some(init), .. }, Some(Symbol::Global(id))) =
                (&definition.kind, state.symbols[index])
            {
                self.initialise(&mut state, types, &mut locator, definition, init, id);
            }
        }
        self.asm.extend(unit.asm.iter().map(|span| locator.locate(span.start)));
    }

    /// Returns the function of a name, if a unit defines it.
    pub(crate) fn defined(&self, name: &str) -> Option<&Function> {
        let id = self.program.function_named(name)?;
        Some(&self.program.functions[id.index()]).filter(|function| function.body.is_some())
    }

    /// Returns the names that are used but not defined so far.
    pub fn undefined_names(&self) -> Vec<String> {
        let is_alias = |symbol| self.aliases.iter().any(|&(from, _)| from == symbol);
        let functions = self.program.functions.iter().enumerate();
        let functions = functions
            .filter(|(index, f)| f.body.is_none() && !is_alias(Symbol::Function(FuncId::new(*index))))
            .map(|(_, function)| function.name.clone());
        let globals = self.program.globals.iter().enumerate();
        let globals = globals
            .filter(|(index, g)| !g.defined && !is_alias(Symbol::Global(GlobalId::new(*index))))
            .map(|(_, global)| global.name.clone());
        functions.chain(globals).collect()
    }

    /// Records a constructor or destructor, and declares `atexit` for destructors.
    fn note_unasked(&mut self, unasked: hir::Unasked, id: FuncId) {
        self.constructors.extend(unasked.before_main.map(|priority| (priority, id)));
        let Some(priority) = unasked.at_exit else { return };
        self.destructors.push((priority, id));
        if !self.names.contains_key(startup::ATEXIT) {
            let symbol = Symbol::Function(FuncId::new(self.program.functions.len()));
            self.program.functions.push(startup::atexit());
            let (span, ctype) = (Span::default(), TypeId::VOID);
            self.functions.push(State { strength: Strength::Declared, weak: false, span, ctype });
            self.names.insert(startup::ATEXIT.into(), symbol);
        }
    }

    /// Completes the program.
    pub fn finish(self, types: TypeTable, sources: &SourceMap) -> Program {
        let mut program = self.program;
        program.types = types;
        program.files.clone_from(&sources.files);
        if !self.aliases.is_empty() {
            resolve_aliases(&mut program, &self.aliases);
        }
        let absent = |states: &[State]| -> Vec<bool> {
            states.iter().map(|state| state.weak && state.strength == Strength::Declared).collect()
        };
        let (mut functions, globals) = (absent(&self.functions), absent(&self.globals));
        for (function, absent) in program.functions.iter().zip(&mut functions) {
            let is_error = program.error_functions.contains(&function.name);
            *absent &= !is_error && !crate::library::is_library_function(&function.name);
        }
        if functions.contains(&true) || globals.contains(&true) {
            nullify(&mut program, &functions, &globals);
        }
        startup::run_unasked(&mut program, self.constructors, self.destructors);
        // Top-level asm may have any effect, so make the whole program unsupported.
        if let Some(&loc) = self.asm.first() {
            let main = program.function_named("main").filter(|&f| program.functions[f.index()].body.is_some());
            for index in 0..program.functions.len() {
                let id = FuncId::new(index);
                if main.is_some_and(|main| main != id) {
                    continue;
                }
                let checks = program.add_checks(&[CheckKind::Unsupported], id, loc);
                if let Some(entry) = program.functions[index].body.as_mut().and_then(|b| b.blocks.first_mut()) {
                    entry.insts.insert(0, Inst::Unsupported { what: "asm outside of functions".into(), checks });
                    entry.locs.insert(0, loc);
                }
            }
        }
        program
    }

    /// Returns the id of a constant of more than 64 bits.
    pub(crate) fn wide(&mut self, bits: u128) -> WideId {
        let table = &mut self.program.wide;
        *self.wide.entry(bits).or_insert_with(|| {
            table.push(bits);
            WideId::new(table.len() - 1)
        })
    }

    /// Returns the entity that a symbol of the unit stands for.
    pub(crate) fn resolve(
        &mut self,
        unit: &mut Unit<'_>,
        symbol: SymbolId,
        types: &TypeTable,
        locator: &mut Locator<'_>,
    ) -> Symbol {
        let index = symbol.0 as usize;
        if let Some(known) = unit.symbols[index] {
            return known;
        }
        let definition = &unit.hir.symbols[index];
        // As in gcc, a static function that is used but never defined becomes an external reference.
        let found = self.names.get(definition.name.as_str()).copied();
        let resolved = match found {
            Some(found) => {
                if let (Symbol::Global(id), SymbolKind::ObjectDecl) = (found, &definition.kind) {
                    let global = &mut self.program.globals[id.index()];
                    if !global.defined {
                        let size = layout::size_of(types, self.program.target, definition.ty.ty);
                        global.size = global.size.max(size.unwrap_or(0));
                    }
                }
                found
            }
            None => {
                let loc = locator.locate(definition.span.start);
                let made = self.declare(definition, unit.origin, Linkage::External, types, loc);
                self.names.insert(definition.name.as_str().into(), made);
                made
            }
        };
        unit.symbols[index] = Some(resolved);
        resolved
    }

    /// Adds a function without a body or a global without a value.
    fn declare(
        &mut self,
        definition: &hir::SymbolDef,
        origin: Origin,
        linkage: Linkage,
        types: &TypeTable,
        loc: Loc,
    ) -> Symbol {
        let (span, ctype) = (definition.span, definition.ty.ty);
        let state = State { strength: Strength::Declared, weak: definition.weak, span, ctype };
        if let Type::Function(ty) = types.get(definition.ty.ty) {
            let noreturn = match &definition.kind {
                SymbolKind::FunctionDecl { noreturn, allocates } => {
                    if let (Some(size), true) = (allocates, origin.is_of_user()) {
                        self.program.allocators.insert(definition.name.clone(), *size);
                    }
                    *noreturn
                }
                SymbolKind::Function(function) => function.noreturn,
                _ => false,
            };
            let signature = Signature { noreturn, ..self.signature(types, ty) };
            let name = definition.name.clone();
            self.program.functions.push(Function { name, linkage, signature, origin, loc, body: None });
            self.functions.push(state);
            return Symbol::Function(FuncId::new(self.program.functions.len() - 1));
        }
        let target = self.program.target;
        let align = declared_align(types, target, definition.ty.ty, definition.align);
        let size = layout::size_of(types, target, definition.ty.ty).unwrap_or(0);
        self.add_global(
            Global {
                name: definition.name.clone(),
                size,
                align,
                bytes: Vec::new(),
                relocations: Vec::new(),
                constant: is_const(types, definition.ty),
                linkage,
                defined: false,
                loc,
                ctype: Some(definition.ty.ty),
            },
            state,
        )
    }

    fn add_global(&mut self, global: Global, state: State) -> Symbol {
        self.program.globals.push(global);
        self.globals.push(state);
        Symbol::Global(GlobalId::new(self.program.globals.len() - 1))
    }

    /// Adds an object with internal linkage that is always defined: a string literal.
    pub(crate) fn add_constant(&mut self, global: Global, span: Span) -> GlobalId {
        let id = GlobalId::new(self.program.globals.len());
        self.add_global(global, State { strength: Strength::Strong, weak: false, span, ctype: TypeId::VOID });
        id
    }

    /// Assigns an id to a definition; returns whether this definition takes precedence.
    fn define(
        &mut self,
        unit: &mut Unit<'_>,
        index: usize,
        types: &TypeTable,
        locator: &mut Locator<'_>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> bool {
        let definition = &unit.hir.symbols[index];
        let strength = match &definition.kind {
            _ if definition.weak => Strength::Weak,
            SymbolKind::Object { init: None, .. } => Strength::Tentative,
            _ => Strength::Strong,
        };
        let existing = if definition.internal { None } else { self.names.get(definition.name.as_str()).copied() };
        let is_function = matches!(definition.kind, SymbolKind::Function(_));
        if is_function && unit.origin.is_of_user() && self.replaced.contains(&definition.name) {
            return false;
        }
        let mut internal = definition.internal;
        let mut reuse = None;
        if let Some(symbol) = existing {
            let known = self.state(symbol);
            let same_kind = is_function == matches!(symbol, Symbol::Function(_));
            if unit.origin == Origin::Model && (known.strength > Strength::Declared || !same_kind) {
                // The user's definition takes precedence. The model keeps its own one internally, like a shared
                // library.
                internal = true;
            } else if !same_kind && known.strength == Strength::Declared {
                let (this, that) = if is_function { ("a function", "an object") } else { ("an object", "a function") };
                diagnostics.push(
                    Diagnostic::error(definition.span, format!("redefinition of '{}' as {this}", definition.name))
                        .note(known.span, format!("declared as {that} here")),
                );
                return false;
            } else if known.strength == Strength::Strong && strength == Strength::Strong || !same_kind {
                diagnostics.push(
                    Diagnostic::error(definition.span, format!("multiple definition of '{}'", definition.name))
                        .note(known.span, "previous definition is here"),
                );
                return false;
            } else if known.strength >= strength && known.strength != Strength::Tentative {
                if let Symbol::Global(id) = symbol {
                    self.enlarge(id, definition, types);
                }
                unit.symbols[index] = Some(symbol);
                return false;
            } else {
                reuse = Some(symbol);
            }
        }
        let loc = locator.locate(definition.span.start);
        let linkage = if internal { Linkage::Internal } else { Linkage::External };
        let symbol = match reuse {
            Some(symbol) => symbol,
            None => {
                let made = self.declare(definition, unit.origin, linkage, types, loc);
                if !internal {
                    self.names.insert(definition.name.as_str().into(), made);
                }
                made
            }
        };
        unit.symbols[index] = Some(symbol);
        let state = State { strength, weak: definition.weak, span: definition.span, ctype: definition.ty.ty };
        match (symbol, &definition.kind) {
            (Symbol::Function(id), SymbolKind::Function(function)) => {
                self.functions[id.index()] = state;
                let signature = self.defined_signature(types, function);
                let entry = &mut self.program.functions[id.index()];
                entry.signature = Signature { noreturn: function.noreturn || entry.signature.noreturn, ..signature };
                entry.origin = unit.origin;
                entry.loc = loc;
            }
            (Symbol::Global(id), SymbolKind::Object { init, .. }) => {
                self.globals[id.index()] = state;
                let entry = &mut self.program.globals[id.index()];
                if !entry.defined {
                    // The size and alignment of a declaration in another file are no promise.
                    (entry.size, entry.align) = (0, 1);
                }
                self.enlarge(id, definition, types);
                let entry = &mut self.program.globals[id.index()];
                entry.size = entry.size.max(init.as_ref().map_or(0, |init| init.size));
                entry.defined = true;
                entry.constant = is_const(types, definition.ty);
                entry.loc = loc;
            }
            _ => {}
        }
        true
    }

    /// Enlarges an object to the size of another definition. As in `ld`, the largest counts (`int a[];`, `int a[10];`).
    fn enlarge(&mut self, id: GlobalId, definition: &hir::SymbolDef, types: &TypeTable) {
        let target = self.program.target;
        let size = layout::size_of(types, target, definition.ty.ty).unwrap_or(0);
        let align = declared_align(types, target, definition.ty.ty, definition.align);
        let global = &mut self.program.globals[id.index()];
        if size >= global.size {
            global.ctype = Some(definition.ty.ty);
        }
        global.size = global.size.max(size);
        global.align = global.align.max(align);
    }

    fn define_alias(
        &mut self,
        unit: &mut Unit<'_>,
        index: usize,
        target: &str,
        types: &TypeTable,
        locator: &mut Locator<'_>,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let definition = &unit.hir.symbols[index];
        // Bound the number of steps through chained aliases, since they may form a cycle.
        let mut name = target;
        let mut found = None;
        for _ in 0..unit.hir.symbols.len() {
            let other = unit.hir.symbols.iter().position(|s| s.name == name);
            match other.map(|i| (i, &unit.hir.symbols[i].kind)) {
                Some((_, SymbolKind::Alias(next))) => name = next,
                Some((i, SymbolKind::Function(_) | SymbolKind::Object { .. })) => {
                    found = Some(i);
                    break;
                }
                _ => break,
            }
        }
        let Some(found) = found else {
            let message = format!("alias '{}' points to '{target}', which this file does not define", definition.name);
            diagnostics.push(Diagnostic::error(definition.span, message));
            return;
        };
        let symbol = self.resolve(unit, SymbolId(found as u32), types, locator);
        unit.symbols[index] = Some(symbol);
        if definition.internal {
            return;
        }
        match self.names.get(definition.name.as_str()).copied() {
            None => {
                self.names.insert(definition.name.as_str().into(), symbol);
            }
            Some(known) if known == symbol => {}
            Some(known) => {
                let state = self.state(known);
                if state.strength == Strength::Declared || state.strength < Strength::Strong && !definition.weak {
                    // `finish` redirects references to the old id.
                    self.aliases.push((known, symbol));
                    self.names.insert(definition.name.as_str().into(), symbol);
                } else if !definition.weak && unit.origin.is_of_user() {
                    diagnostics.push(
                        Diagnostic::error(definition.span, format!("multiple definition of '{}'", definition.name))
                            .note(state.span, "previous definition is here"),
                    );
                }
            }
        }
    }

    /// Returns whether a symbol is weak and not defined so far.
    pub(crate) fn may_be_absent(&self, symbol: Symbol) -> bool {
        let state = self.state(symbol);
        state.weak && state.strength == Strength::Declared
    }

    fn state(&self, symbol: Symbol) -> State {
        match symbol {
            Symbol::Function(id) | Symbol::Label(id, _) => self.functions[id.index()],
            Symbol::Global(id) => self.globals[id.index()],
        }
    }

    /// Returns how a value of a type is passed.
    pub(crate) fn passing(&self, types: &TypeTable, ty: TypeId) -> Passing {
        passing(types, self.program.target, ty)
    }

    /// Returns the signature that a function type implies.
    pub(crate) fn signature(&self, types: &TypeTable, ty: &FunctionType) -> Signature {
        let mut params = Vec::with_capacity(ty.params.len() + 1);
        let ret = self.result(types, ty.ret.ty, &mut params);
        params.extend(ty.params.iter().map(|&p| self.passing(types, p)));
        Signature { ret, params, variadic: ty.variadic, prototyped: ty.prototyped, noreturn: false }
    }

    /// Returns the signature of a defined function.
    fn defined_signature(&self, types: &TypeTable, function: &hir::Function) -> Signature {
        let mut params = Vec::with_capacity(function.params.len() + function.captures.len() + 1);
        let ret = self.result(types, function.ret, &mut params);
        for &param in &function.params {
            let passing = self.passing(types, function.locals[param.0 as usize].ty.ty);
            params.push(if function.prototyped { passing } else { promoted(passing) });
        }
        params.extend(function.captures.iter().map(|_| Passing::Scalar(Ty::Ptr)));
        Signature { ret, params, variadic: function.variadic, prototyped: true, noreturn: function.noreturn }
    }

    /// Returns the scalar result type; a struct result adds the hidden parameter instead.
    fn result(&self, types: &TypeTable, ty: TypeId, params: &mut Vec<Passing>) -> Option<Ty> {
        if matches!(types.get(ty), Type::Void | Type::Error) {
            return None;
        }
        let scalar = layout::scalar_ty(types, self.program.target, ty);
        if scalar.is_none() {
            params.push(Passing::Scalar(Ty::Ptr));
        }
        scalar
    }
}

/// Returns how a value of a type is passed.
pub(crate) fn passing(types: &TypeTable, target: Target, ty: TypeId) -> Passing {
    // A transparent union is passed like its first member.
    let transparent = match *types.get(ty) {
        Type::Record(id) if types.record(id).transparent => types.record(id).fields.first().map(|field| field.ty.ty),
        _ => None,
    };
    match layout::scalar_ty(types, target, transparent.unwrap_or(ty)) {
        Some(ty) => Passing::Scalar(ty),
        None => Passing::Memory {
            size: layout::size_of(types, target, ty).unwrap_or(0),
            align: layout::align_of(types, target, ty),
        },
    }
}

/// Returns how an argument arrives in a function defined without a prototype, after default promotions.
pub(crate) fn promoted(passing: Passing) -> Passing {
    match passing {
        Passing::Scalar(Ty::I8 | Ty::I16) => Passing::Scalar(Ty::I32),
        Passing::Scalar(Ty::F32) => Passing::Scalar(Ty::F64),
        other => other,
    }
}

/// Returns the alignment of a variable. One that its declaration or type name sets counts, also if it is below that of the type.
pub(super) fn declared_align(types: &TypeTable, target: Target, ty: TypeId, declared: u64) -> u64 {
    if declared == 0 { layout::align_of(types, target, ty) } else { declared }
}

/// Returns whether writing to an object of this type is a fault.
fn is_const(types: &TypeTable, mut ty: cairn_ir::ctype::QualType) -> bool {
    use cairn_ir::ctype::Quals;
    loop {
        if ty.quals.has(Quals::CONST) {
            return true;
        }
        match *types.get(ty.ty) {
            Type::Array(element, _) => ty = element,
            _ => return false,
        }
    }
}

/// Replaces the addresses of undefined weak symbols by null, also where such a function is called by its name.
fn nullify(program: &mut Program, functions: &[bool], globals: &[bool]) {
    let mut called = Vec::new();
    for (function, body) in program.functions.iter().enumerate().filter_map(|(at, f)| Some((at, f.body.as_ref()?))) {
        for (block, code) in body.blocks.iter().enumerate() {
            for (inst, loc) in code.insts.iter().zip(&code.locs).enumerate().map(|(at, (inst, loc))| ((at, inst), loc))
            {
                if let (at, Inst::Call(call)) = inst
                    && let Callee::Function(id) = call.callee
                    && functions[id.index()]
                {
                    called.push((function, block, at, *loc));
                }
            }
        }
    }
    for (function, block, at, loc) in called {
        let checks = program.add_checks(&[CheckKind::InvalidCall], FuncId::new(function), loc);
        let body = program.functions[function].body.as_mut();
        if let Some(Inst::Call(call)) = body.and_then(|body| body.blocks[block].insts.get_mut(at)) {
            (call.callee, call.checks) = (Callee::Pointer(Operand::Int(0)), checks);
        }
    }
    for block in program.functions.iter_mut().filter_map(|f| f.body.as_mut()).flat_map(|body| &mut body.blocks) {
        cairn_ir::passes::symbols::block_operands(block, &mut |operand| {
            let absent = match *operand {
                Operand::Function(id) => functions[id.index()],
                Operand::Global(id) => globals[id.index()],
                _ => false,
            };
            if absent {
                *operand = Operand::Int(0);
            }
        });
    }
    for global in &mut program.globals {
        global.relocations.retain(|relocation| match relocation.target {
            Symbol::Function(id) => !functions[id.index()],
            Symbol::Global(id) => !globals[id.index()],
            Symbol::Label(..) => true,
        });
    }
}

/// Replaces every reference to an alias by its target.
fn resolve_aliases(program: &mut Program, aliases: &[(Symbol, Symbol)]) {
    let resolve = |symbol: Symbol| {
        // A chain of aliases is at most as long as the number of aliases.
        (0..aliases.len()).fold(symbol, |s, _| aliases.iter().find(|(from, _)| *from == s).map_or(s, |&(_, to)| to))
    };
    cairn_ir::passes::symbols::redirect(program, &resolve);
}
