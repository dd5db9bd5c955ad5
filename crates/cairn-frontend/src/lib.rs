//! The C front-end: compiles C text to IR and links it with models of the C library.
//!
//! Each translation unit passes through [`lex`] (tokens), [`parse`] (the syntax tree, [`ast`]), [`check`] (the typed
//! tree, [`hir`]) and [`lower`] (IR). [`lower::Linker`] combines the units. [`library`] holds the models that define
//! missing library functions. [`plain`] recognises texts that need no preprocessor, and
//! [`symbols()`] lists the external names of a unit.
//!
//! The crate opens no files: text comes in, a program and diagnostics go out.

pub mod ast;
pub mod check;
pub mod hir;
pub mod lex;
pub mod library;
pub mod limits;
pub mod lower;
pub mod parse;
pub mod plain;
pub mod symbol;
mod symbols;

use cairn_ir::Program;
use cairn_ir::ctype::{Type, TypeTable};
use cairn_ir::diagnostic::{Diagnostic, Severity};
use cairn_ir::layout::Target;
use cairn_ir::program::{Origin, SVCOMP_ERROR_FUNCTIONS, Signature};
use cairn_ir::source::SourceMap;

pub use self::symbols::{Symbols, symbols};

use self::check::Folding;
use self::library::described::{self, Described};
use self::library::start::Arguments;
use self::library::{Face, ReallocZero, Unmodelled};

/// A preprocessed translation unit.
#[derive(Clone, Debug)]
pub struct Input {
    /// The name, for diagnostics.
    pub name: String,
    /// The text, including line markers.
    pub text: String,
}

/// Which operations get the check `overflow`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Overflow {
    /// None.
    #[default]
    Unchecked,
    /// Those with a signed result, as in SV-COMP's property `no-overflow`.
    Signed,
    /// All whose result C leaves undefined: also shifts of unsigned numbers and conversions of floating-point numbers.
    Everything,
}

/// How translation units become a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The data model.
    pub target: Target,
    /// The functions whose call is a fault, whatever they do.
    pub error_functions: Vec<String>,
    /// The behaviours of `realloc(p, 0)` that are considered.
    pub realloc_zero: ReallocZero,
    /// Which behaviour of the world the program meets.
    pub face: Face,
    /// The arguments of the program.
    pub arguments: Arguments,
    /// The treatment of functions of the C library that no model can express.
    pub unmodelled: Unmodelled,
    /// The number of inputs, at the end, that are not checked. The code before them calls their functions.
    pub dependencies: usize,
    /// Which operations get the check `overflow`.
    pub overflow: Overflow,
    /// Functions of the project with a known effect on memory.
    pub described: Vec<Described>,
}

impl From<Target> for Options {
    /// The options of a program with SV-COMP's error functions, glibc's `realloc`, and the world of one machine.
    fn from(target: Target) -> Self {
        let error_functions = SVCOMP_ERROR_FUNCTIONS.map(str::to_owned).into();
        Options {
            target,
            error_functions,
            realloc_zero: ReallocZero::Glibc,
            face: Face::Exact,
            arguments: Arguments::Any,
            unmodelled: Unmodelled::Unsupported,
            dependencies: 0,
            overflow: Overflow::Unchecked,
            described: Vec::new(),
        }
    }
}

/// The result of a compilation.
#[derive(Debug)]
pub struct Compilation {
    /// The program, if there was no error.
    pub program: Option<Program>,
    /// Errors and warnings, in source order.
    pub diagnostics: Vec<Diagnostic>,
    /// The source texts that the spans of the diagnostics refer to.
    pub sources: SourceMap,
    /// The functions that neither the user nor the C library defines, with their declared signatures.
    ///
    /// The functions of SV-COMP are among them.
    pub undefined: Vec<(String, Signature)>,
}

/// Compiles and links translation units, adds the library models that they need, binds library names, and runs the passes of
/// the IR.
pub fn compile(inputs: Vec<Input>, options: impl Into<Options>) -> Compilation {
    let options = options.into();
    let Options { target, error_functions, realloc_zero, face, arguments, unmodelled, dependencies, .. } = options;
    let mut session = Session::new(target, error_functions, options.overflow);
    let replaced = options.described.iter().filter(|one| one.replaces);
    session.linker.replace(replaced.map(|one| one.name.clone()).collect());
    let checked = inputs.len().saturating_sub(dependencies);
    for (index, input) in inputs.into_iter().enumerate() {
        let origin = if index < checked { Origin::User } else { Origin::Dependency };
        session.add_unit(&input.name, input.text, origin);
    }
    if !has_error(&session.diagnostics) {
        session.add_described(&options.described);
    }
    if !has_error(&session.diagnostics) {
        // A model may call functions of another model, so repeat until nothing is missing.
        let main = session.linker.defined("main");
        let start = main.and_then(|main| library::start::text(&main.signature, &arguments));
        if let Some(text) = start.filter(|_| face == Face::World) {
            session.add_unit(library::start::FILE, text, Origin::Model);
        }
        let mut added = Vec::new();
        while let Some(model) = library::missing_model(&session.linker.undefined_names(), &mut added) {
            session.add_unit(model.name, model.text(face), Origin::Model);
        }
    }
    let Session { sources, types, diagnostics, linker, .. } = session;
    let mut undefined = Vec::new();
    let program = (!has_error(&diagnostics)).then(|| {
        let mut program = linker.finish(types, &sources);
        // Collect the declarations before binding, which removes those of functions with a built-in meaning.
        let is_known = |name: &String| library::is_of_c(name) && !program.error_functions.contains(name);
        let declared = program.functions.iter().filter(|f| f.body.is_none() && !is_known(&f.name));
        undefined = declared.map(|f| (f.name.clone(), f.signature.clone())).collect();
        library::bind(&mut program, realloc_zero, unmodelled);
        cairn_ir::passes::run(&mut program);
        program
    });
    Compilation { program, diagnostics, sources, undefined }
}

fn has_error(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|d| d.severity == Severity::Error)
}

/// The state shared by the translation units of one compilation.
struct Session {
    target: Target,
    overflow: Overflow,
    sources: SourceMap,
    interner: symbol::Interner,
    types: TypeTable,
    diagnostics: Vec<Diagnostic>,
    linker: lower::Linker,
}

impl Session {
    fn new(target: Target, error_functions: Vec<String>, overflow: Overflow) -> Self {
        Session {
            target,
            overflow,
            sources: SourceMap::default(),
            interner: symbol::Interner::default(),
            types: TypeTable::default(),
            diagnostics: Vec::new(),
            linker: lower::Linker::new(target, error_functions, overflow),
        }
    }

    /// Adds models of the described functions that the program calls.
    fn add_described(&mut self, all: &[Described]) {
        for one in all {
            let Some((ty, span)) = self.linker.declared(&one.name) else { continue };
            let Type::Function(function) = self.types.get(ty) else { continue };
            match one.text(&self.types, self.target, function) {
                Ok(text) => self.add_unit(&described::file(&one.name), text, Origin::Model),
                Err(message) => self.diagnostics.push(Diagnostic::error(span, message)),
            }
        }
    }

    fn add_unit(&mut self, name: &str, text: String, origin: Origin) {
        let Some(index) = self.sources.add(name, text) else {
            let message = format!("{name}: more than 4 GiB of source text");
            self.diagnostics.push(Diagnostic::error(cairn_ir::source::Span::default(), message));
            return;
        };
        let text = &self.sources.texts[index];
        let before = self.diagnostics.len();
        let unit = parse::parse(&text.text, text.base, &mut self.interner, &mut self.diagnostics);
        let folding = if self.overflow == Overflow::Unchecked { Folding::Wraps } else { Folding::Exact };
        let machine = (self.target, folding);
        let unit = check::check(&unit, &mut self.interner, &mut self.types, machine, &mut self.diagnostics);
        if !has_error(&self.diagnostics[before..]) {
            self.linker.add_unit(&unit, origin, &mut self.types, &self.sources, &mut self.diagnostics);
        }
    }
}
