//! The type checker: turns the syntax tree into the typed tree.
//!
//! One `Checker` walks a translation unit once, from top to bottom. Each file adds the methods for one concept; this
//! file holds the shared state.
//!
//! | folder | holds |
//! | --- | --- |
//! | `declarations` | scopes, specifiers, declarators, records, functions |
//! | `types` | predicates and compatibility, conversions, sizes, printing |
//! | `stmt`, `expressions` | statements and expressions |
//! | `builtins` | calls to `__builtin_…`, `__sync_…` and `__atomic_…` |
//! | `constants` | constant expressions |
//! | `initialisers` | initialisers of automatic and static objects |

mod builtins;
mod constants;
mod declarations;
mod expressions;
mod initialisers;
mod stmt;
#[cfg(test)]
mod tests;
mod types;

use cairn_ir::ctype::{QualType, RecordId, Type, TypeId, TypeTable, VlaId};
use cairn_ir::diagnostic::Diagnostic;
use cairn_ir::layout::Target;
use cairn_ir::program::AllocatedSize;
use cairn_ir::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::hir::{LocalId, SymbolDef, SymbolId, SymbolKind};
use crate::symbol::{Interner, Symbol};
use crate::{ast, hir};

use declarations::function::{self, FunctionState};
use declarations::scope::{GlobalIndex, Scopes};
use declarations::specifier::Names;

/// Checks a translation unit.
pub fn check(
    unit: &ast::Unit,
    interner: &mut Interner,
    types: &mut TypeTable,
    (target, folding): (Target, Folding),
    diagnostics: &mut Vec<Diagnostic>,
) -> hir::Unit {
    let names = Names::new(interner);
    let mut checker = Checker {
        static_initialiser: StaticInitialiser::default(),
        interner,
        types,
        target,
        folding,
        diagnostics,
        names,
        unit: hir::Unit::default(),
        scopes: Scopes::default(),
        globals: Vec::new(),
        linkage: Linkage::default(),
        members: FxHashMap::default(),
        functions: Vec::new(),
        nested: NestedFunctions::default(),
        vla_locals: FxHashMap::default(),
        pending: Vec::new(),
        record_spans: FxHashMap::default(),
        undeclared: FxHashSet::default(),
        va_list: None,
        counts: Counts::default(),
    };
    for item in &unit.items {
        checker.item(item);
    }
    checker.finish()
}

/// What becomes of an operation on constants whose result does not fit its type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Folding {
    /// It is folded to the result that wraps.
    Wraps,
    /// It stays an operation, so that lowering can place a check, except in constant expressions.
    Exact,
}

/// The definition status of an object or function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Definition {
    Declared,
    Tentative,
    Defined,
}

/// A function or object with linkage, or a static local. It becomes a symbol of the unit when it is defined or used.
#[derive(Debug)]
struct Global {
    name: Symbol,
    asm_label: Option<Box<[u8]>>,
    ty: QualType,
    internal: bool,
    weak: bool,
    unasked: hir::Unasked,
    noreturn: bool,
    malloc: bool,
    alloc_size: Option<AllocatedSize>,
    thread_local: bool,
    /// Whether the object is `constexpr`, so that its value may occur in constant expressions.
    constexpr: bool,
    /// Whether the global was created by a use of a builtin or undeclared function.
    ///
    /// A real declaration replaces its type.
    implicit: bool,
    /// Whether all declarations so far are `inline` and none is `extern`.
    ///
    /// The definition is then an inline definition.
    inline_only: bool,
    align: u64,
    span: Span,
    definition: Definition,
    alias: Option<String>,
    symbol: Option<SymbolId>,
    /// The kind of symbol, once it is defined.
    kind: Option<SymbolKind>,
}

/// The initialiser of an object with static storage that is being evaluated.
#[derive(Default)]
struct StaticInitialiser {
    is_active: bool,
    /// Distances between labels in the initial value of a static local, with their byte offsets.
    label_distances: Vec<(u64, hir::Expr)>,
}

/// The globals by symbol and by name.
#[derive(Default)]
struct Linkage {
    /// The global of each symbol.
    symbols: Vec<GlobalIndex>,
    /// The names with linkage, regardless of the scope of their declarations.
    names: FxHashMap<Symbol, GlobalIndex>,
}

/// The nested functions (a GNU extension) and the variables that they capture.
#[derive(Default)]
struct NestedFunctions {
    /// For each nested function, the nesting level of its enclosing function.
    levels: FxHashMap<SymbolId, u32>,
    /// Pairs of a function and a nested function that it uses. The user also needs the captures of the used function.
    uses: Vec<(SymbolId, SymbolId)>,
    /// For each finished nested function, the captured variables and the pointers to them.
    captures: FxHashMap<SymbolId, Vec<(function::Origin, LocalId)>>,
    /// The enclosing function of each nested function.
    parents: FxHashMap<SymbolId, SymbolId>,
}

/// Counts of what was met so far, which make generated names unique, and of what is open.
#[derive(Default)]
struct Counts {
    /// The function definitions so far.
    functions: u32,
    /// The compound literals at file scope so far.
    compound_literals: u32,
    /// The enclosing parameter lists that do not belong to a definition.
    prototypes: u32,
}

/// The state of the walk.
struct Checker<'a> {
    static_initialiser: StaticInitialiser,
    interner: &'a mut Interner,
    types: &'a mut TypeTable,
    target: Target,
    folding: Folding,
    diagnostics: &'a mut Vec<Diagnostic>,
    names: Names,
    unit: hir::Unit,
    scopes: Scopes,
    globals: Vec<Global>,
    linkage: Linkage,
    /// The index of the field that a member name denotes, or of the anonymous field that contains the member.
    members: FxHashMap<(RecordId, Symbol), u32>,
    /// The functions under check, outermost first.
    functions: Vec<FunctionState>,
    nested: NestedFunctions,
    /// For each VLA dimension, the nesting level and number of its function, and the variable that holds it.
    vla_locals: FxHashMap<VlaId, (u32, u32, LocalId)>,
    /// Declarations of dimensions to be evaluated before the construct under check.
    pending: Vec<hir::Stmt>,
    /// The definitions of records, for notes.
    record_spans: FxHashMap<RecordId, Span>,
    /// The undeclared names that were already reported.
    undeclared: FxHashSet<Symbol>,
    va_list: Option<TypeId>,
    counts: Counts,
}

impl Checker<'_> {
    fn item(&mut self, item: &ast::Item) {
        match item {
            ast::Item::Declaration(declaration) => self.file_declaration(declaration),
            ast::Item::Function(definition) => self.function_definition(definition),
            ast::Item::Asm(asm) => {
                if !asm.template.iter().all(u8::is_ascii_whitespace) {
                    self.unit.asm.push(asm.span);
                }
            }
            ast::Item::StaticAssert(assertion) => self.static_assert(assertion),
        }
    }

    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(span, message));
    }

    fn warning(&mut self, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::warning(span, message));
    }

    fn error_with_note(&mut self, span: Span, message: impl Into<String>, at: Span, note: &str) {
        self.diagnostics.push(Diagnostic::error(span, message).note(at, note));
    }

    fn in_prototype(&self) -> bool {
        self.counts.prototypes != 0
    }

    fn enter_prototype(&mut self) {
        self.counts.prototypes += 1;
    }

    fn leave_prototype(&mut self) {
        self.counts.prototypes -= 1;
    }

    fn name(&self, symbol: Symbol) -> &str {
        self.interner.name(symbol)
    }

    /// Returns the symbol of a global, creating it at the first use.
    fn symbol_of(&mut self, global: GlobalIndex) -> SymbolId {
        let entry = &mut self.globals[global.0 as usize];
        if let Some(symbol) = entry.symbol {
            return symbol;
        }
        let symbol = SymbolId(self.unit.symbols.len() as u32);
        entry.symbol = Some(symbol);
        let (ty, span) = (entry.ty, entry.span);
        self.linkage.symbols.push(global);
        // `finish` replaces this placeholder.
        self.unit.symbols.push(SymbolDef {
            name: String::new(),
            ty,
            internal: false,
            weak: false,
            align: 0,
            span,
            kind: SymbolKind::ObjectDecl,
            unasked: hir::Unasked::default(),
        });
        symbol
    }

    /// Returns the global that a symbol stands for.
    fn global_of(&self, symbol: SymbolId) -> Option<&Global> {
        self.linkage.symbols.get(symbol.0 as usize).and_then(|g| self.globals.get(g.0 as usize))
    }

    /// Completes all symbols with their final types and kinds.
    fn finish(mut self) -> hir::Unit {
        for index in 0..self.globals.len() {
            let index = GlobalIndex(index as u32);
            if self.globals[index.0 as usize].definition != Definition::Declared
                || self.globals[index.0 as usize].alias.is_some()
            {
                self.symbol_of(index);
            }
            let global = &mut self.globals[index.0 as usize];
            let Some(symbol) = global.symbol else { continue };
            let kind = global.kind.take();
            let alias = global.alias.take();
            let (ty, span, definition, noreturn, thread_local) =
                (global.ty, global.span, global.definition, global.noreturn, global.thread_local);
            let allocates = global.alloc_size.filter(|_| global.malloc);
            let name = match &global.asm_label {
                Some(label) => String::from_utf8_lossy(label).into_owned(),
                None => self.interner.name(global.name).to_owned(),
            };
            let (internal, align, unasked) = (global.internal, global.align, global.unasked);
            let inline_definition = global.inline_only && !internal && definition == Definition::Defined;
            let weak = global.weak || inline_definition;
            let ty = if definition == Definition::Tentative { self.complete_tentative(ty, span) } else { ty };
            let is_function = matches!(self.types.get(ty.ty), Type::Function(_));
            let kind = match (kind, alias) {
                (_, Some(target)) => SymbolKind::Alias(target),
                (Some(kind), _) => kind,
                (None, _) if is_function => SymbolKind::FunctionDecl { noreturn, allocates },
                (None, _) if definition == Definition::Tentative => SymbolKind::Object { init: None, thread_local },
                (None, _) => SymbolKind::ObjectDecl,
            };
            let ty = self.outer_quals(ty);
            self.unit.symbols[symbol.0 as usize] = SymbolDef { name, ty, internal, weak, align, span, kind, unasked };
        }
        self.unit
    }

    /// Completes the type of a tentative definition.
    ///
    /// An array of unknown size gets one element. An incomplete struct is an error.
    fn complete_tentative(&mut self, ty: QualType, span: Span) -> QualType {
        if let Type::Array(element, cairn_ir::ctype::ArrayLen::Unknown) = *self.types.get(ty.ty) {
            let ty = self.types.intern(Type::Array(element, cairn_ir::ctype::ArrayLen::Fixed(1)));
            return QualType { ty, ..self.outer_quals(QualType::plain(ty)) };
        }
        if !self.is_error(ty.ty) && self.size_of(ty.ty).is_none() {
            let text = self.print_qual(ty);
            self.error(span, format!("tentative definition has type '{text}' that is never completed"));
        }
        ty
    }
}
