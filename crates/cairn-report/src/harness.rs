//! Writes a violation as a C program that fails under a compiler's sanitizers at the same fault.
//!
//! The program consists of the user's translation units and definitions of everything that they leave undefined. It includes
//! no header, and its own names begin with `cairn_`, so that nothing clashes with a unit. An undefined function is defined by
//! its name in the object file, independently of its declaration.

mod library;

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;

use cairn_ir::inst::{Inst, Intrinsic, Operand};
use cairn_ir::layout::Target;
use cairn_ir::program::{Function, Origin, START, Signature};
use cairn_ir::source::{SourceMap, SourceText};
use cairn_ir::{CheckKind, Loc, Program, Ty};
use cairn_portfolio::Input;
use cairn_portfolio::verdict::{Asked, Violation};

use crate::excerpt::Excerpt;
use crate::tokens::Tokens;
use crate::{Texts, printable};

pub use library::render_library;

/// The facts about a program that a harness needs besides the IR.
#[derive(Clone, Debug)]
pub struct About<'a> {
    /// The version of cairn.
    pub version: &'a str,
    /// The file name of the harness.
    pub file: &'a str,
    /// The entry function.
    pub entry: &'a str,
    /// The functions without a definition, with their declared signatures.
    pub undefined: &'a [(String, Signature)],
}

/// Renders the harness as C.
///
/// # Errors
/// Fails when the program was not read from C, or does not start in `main`.
pub fn render(violation: &Violation, program: &Program, texts: Texts<'_>, about: &About<'_>) -> Result<String, String> {
    if about.entry != "main" {
        return Err(format!("entry function is `{}`, not `main`", about.entry));
    }
    let sources = texts.sources.ok_or("program is textual IR, not C")?;
    let is_model = |name: &&&str| program.functions.iter().any(|f| f.name == ***name && f.origin == Origin::Model);
    if let Some(name) = UNAVAILABLE.iter().find(is_model) {
        return Err(format!("fault may depend on files or the environment, since the program calls `{name}`"));
    }
    let units: Vec<&SourceText> = sources.texts.iter().filter(|text| !text.name.starts_with("<cairn/")).collect();
    let parts = Parts::of(violation, program);
    let mut out = heading(violation, program, texts, about, units.len());
    let several = units.len() > 1;
    let starts = sources.texts.iter().any(|text| is_start(text, program));
    if parts.wraps_allocations() {
        out.push_str(RENAMED_ALLOCATIONS);
    }
    if several {
        out.push_str("#if UNIT == 0\n");
    }
    parts.support(&mut out, violation, program, sources, about);
    for (index, unit) in units.iter().enumerate() {
        if several {
            let _ = writeln!(out, "#endif\n#if UNIT == {}", index + 1);
        }
        if starts {
            out.push_str("#define main cairn_main\n");
        }
        let name = unit.name.replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(out, "# 1 \"{name}\"");
        out.push_str(&with_error_functions(&unit.text, &program.error_functions));
        out.push('\n');
    }
    if several {
        out.push_str("#endif\n");
    }
    Ok(out)
}

/// Functions whose inputs a harness cannot provide: files, and variables of the environment.
const UNAVAILABLE: &[&str] =
    &["fdopen", "fopen", "fopen64", "freopen", "getenv", "remove", "rename", "secure_getenv", "tmpfile", "unlink"];

/// Renders the comment at the top: the fault, and how to reproduce it.
fn heading(violation: &Violation, program: &Program, texts: Texts<'_>, about: &About<'_>, units: usize) -> String {
    let fault = &violation.fault;
    let place = crate::witness::user_place(&fault.stack, program)
        .and_then(|place| Excerpt::of_loc(place.loc, program.file_name(place.loc), texts))
        .map_or_else(String::new, |excerpt| format!(" at {}", excerpt.place()));
    let model = if program.target == Target::Ilp32 { "-m32" } else { "-m64" };
    // gcc has no sanitizer for uninitialised values; valgrind finds them in a plain program.
    let unset = fault.kind == CheckKind::Uninitialised;
    let sanitizer = if unset { "" } else { " -fsanitize=address" };
    let start = if unset { "valgrind --error-exitcode=1 ./harness" } else { "./harness" };
    let zeros = if unset { "" } else { " -ftrivial-auto-var-init=zero" };
    let options = format!("-g -w -std=gnu11 {model}{sanitizer}{zeros}");
    let build = match units {
        0 | 1 => format!(" *   cc {options} {} -o harness -lm\n", about.file),
        several => {
            let mut lines = String::new();
            for unit in 0..=several {
                let _ = writeln!(lines, " *   cc {options} -DUNIT={unit} -c {} -o harness-{unit}.o", about.file);
            }
            let _ = writeln!(lines, " *   cc {model}{sanitizer} harness-*.o -o harness -lm");
            lines
        }
    };
    let what = format!("{}{place}: {}", fault.kind, fault.message);
    let on_the_stack = violation.strewn.iter().filter(|strewn| strewn.allocation.is_none()).count();
    let unspecified = unspecified_locations(program);
    let warning = if violation.asked.iter().any(|asked| asked.value != 0 && unspecified.contains(&asked.loc)) {
        " *\n * The fault needs bytes of a union to hold something else than 0 that its initialiser leaves unspecified. No\n * compiler can be told which, so that this program may end without it.\n"
    } else if reuses(violation) {
        " *\n * The fault needs an allocation to return the address of freed memory. An allocator may do so, and this one is asked\n * to, but the program may end without the fault.\n"
    } else if on_the_stack == 0 {
        ""
    } else {
        " *\n * The fault depends on the value of an uninitialised local variable, which no compiler option can choose.\n * This program may therefore end without the fault.\n"
    };
    format!(
        "/* Test case from cairn {}.\n *\n * {}\n *\n * Compile and run it like this to see the fault:\n{build} *   {start}\n{warning} */\n",
        about.version,
        printable(&what).replace("*/", "* /"),
    )
}

/// Returns the locations whose inputs are unspecified bytes of an initialised union. C cannot choose these bytes, because no
/// function returns them; all other bytes that are inputs come from calls, which have checks.
fn unspecified_locations(program: &Program) -> HashSet<Loc> {
    let mut found = HashSet::new();
    for block in program.functions.iter().filter_map(|f| f.body.as_ref()).flat_map(|body| &body.blocks) {
        for (inst, loc) in block.insts.iter().zip(&block.locs) {
            if let Inst::Intrinsic { op: Intrinsic::NondetBytes, checks, .. } = inst
                && checks.is_empty()
            {
                found.insert(*loc);
            }
        }
    }
    found
}

/// Returns whether `realloc(p, 0)` may return a new object in this program.
fn realloc_may_return_a_new_object(program: &Program) -> bool {
    let insts = program.functions.iter().filter_map(|f| f.body.as_ref()).flat_map(|body| &body.blocks);
    insts.flat_map(|block| &block.insts).any(|inst| {
        matches!(inst, Inst::Intrinsic { op: Intrinsic::HeapRealloc, args, .. } if args.get(2) == Some(&Operand::Int(1)))
    })
}

/// The inputs of a violation by kind.
struct Parts<'a> {
    /// The names of undefined variables, with alignment and contents.
    variables: Vec<(&'a str, u64, Vec<u8>)>,
    /// The bytes of standard input.
    input: Vec<u8>,
    reads_input: bool,
    /// The results of undefined functions.
    values: Vec<u128>,
    /// The allocations that fail, counted from 1.
    failing: Vec<usize>,
    /// Contents of uninitialised heap memory: allocation, offset, bytes.
    leftovers: Vec<(u64, u64, &'a [u8])>,
    /// Whether `realloc(p, 0)` may return a new object.
    realloc_zero: bool,
    /// Whether the harness has a `main` of its own.
    has_main: bool,
}

impl<'a> Parts<'a> {
    fn of(violation: &'a Violation, program: &'a Program) -> Self {
        let mut asked = violation.asked.iter();
        let mut variables = Vec::new();
        // The first inputs of an execution are the bytes of undefined variables.
        for global in program.globals.iter().filter(|global| !global.defined) {
            let bytes = asked.by_ref().take(global.size as usize).map(|asked| asked.value as u8).collect();
            variables.push((global.name.as_str(), global.align, bytes));
        }
        let unspecified = unspecified_locations(program);
        let (input, values): (Vec<&Asked>, Vec<&Asked>) =
            asked.filter(|asked| !unspecified.contains(&asked.loc)).partition(|asked| !asked.loc.is_some());
        let mask = |asked: &&Asked| match asked.ty.bits(program.target) {
            128.. => asked.value,
            bits => asked.value & ((1 << bits) - 1),
        };
        let allocations = violation.inputs.iter().filter_map(|input| match input {
            Input::Allocation(succeeds) => Some(*succeeds),
            _ => None,
        });
        let failing = allocations.enumerate().filter(|(_, succeeds)| !succeeds).map(|(index, _)| index + 1).collect();
        let leftovers =
            violation.strewn.iter().filter_map(|s| Some((s.allocation?, s.at, s.bytes.as_slice()))).collect();
        Parts {
            variables,
            reads_input: !input.is_empty(),
            // A value that is not a byte is the end of the input.
            input: input.iter().map_while(|asked| u8::try_from(asked.value as u32).ok()).collect(),
            values: values.iter().map(mask).collect(),
            failing,
            leftovers,
            realloc_zero: realloc_may_return_a_new_object(program),
            has_main: false,
        }
    }

    fn wraps_allocations(&self) -> bool {
        !self.failing.is_empty() || !self.leftovers.is_empty() || self.realloc_zero
    }

    /// Renders the definitions that the units lack.
    fn support(
        &self,
        out: &mut String,
        violation: &Violation,
        program: &Program,
        sources: &SourceMap,
        about: &About<'_>,
    ) {
        out.push_str(NAMES);
        options(out, violation.fault.kind, if reuses(violation) { REUSE } else { "" });
        self.inputs(out);
        let ends = match violation.fault.kind {
            CheckKind::Assertion => "cairn_say(\"error function called\\n\");\n    __builtin_abort();",
            _ => "__builtin_exit(1);",
        };
        let _ = writeln!(out, "void cairn_error(void)\n{{\n    {ends}\n}}\n");
        for (index, (name, align, bytes)) in self.variables.iter().enumerate() {
            let bytes: Vec<String> = bytes.iter().map(u8::to_string).collect();
            let _ = writeln!(
                out,
                "unsigned char cairn_variable_{index}[] __asm__(CAIRN_NAME(\"{name}\")) \
                 __attribute__((aligned({align}))) = {{{}}};",
                bytes.join(", ")
            );
        }
        for (index, (name, signature)) in about.undefined.iter().enumerate() {
            function(out, index, name, signature, &program.error_functions);
        }
        let _ = writeln!(
            out,
            "#define CAIRN_MALLOC \"{}\"",
            if self.wraps_allocations() { "cairn_malloc" } else { "malloc" }
        );
        world_models(out, sources, program, self.has_main);
        if self.reads_input {
            let bytes: Vec<String> = self.input.iter().chain(&[0]).map(u8::to_string).collect();
            let _ = writeln!(out, "static const unsigned char cairn_input[] = {{{}}};", bytes.join(", "));
            out.push_str(FEED);
        }
        if self.wraps_allocations() {
            self.allocations(out);
        }
    }

    /// Renders the queue of inputs, and the function that takes the next one.
    fn inputs(&self, out: &mut String) {
        out.push_str("/* Results of undefined functions, in the order of the calls; zero after that. */\n");
        out.push_str("static const struct { unsigned long long low, high; } cairn_values[] = {\n");
        for value in &self.values {
            let _ = writeln!(out, "    {{{:#x}ull, {:#x}ull}},", *value as u64, (value >> 64) as u64);
        }
        out.push_str("    {0, 0}\n};\n");
        out.push_str(NEXT);
    }

    fn allocations(&self, out: &mut String) {
        let mut failing: Vec<String> = self.failing.iter().map(usize::to_string).collect();
        failing.push("0".to_owned());
        let _ = writeln!(
            out,
            "/* Allocations that fail, counted from 1. */\nstatic const unsigned long cairn_failing[] = {{{}}};\n",
            failing.join(", ")
        );
        let _ = writeln!(out, "#define CAIRN_REALLOC_ZERO {}", u8::from(self.realloc_zero));
        out.push_str("static unsigned long cairn_allocation;\n\n/* Sets the contents of uninitialised memory. */\n");
        out.push_str("static void *cairn_strewn(void *object)\n{\n    char *bytes = object;\n");
        for (allocation, at, bytes) in &self.leftovers {
            let values: String = bytes.iter().map(|byte| format!("\\x{byte:02x}")).collect();
            let _ = writeln!(
                out,
                "    if (bytes && cairn_allocation == {allocation})\n        __builtin_memcpy(bytes + {at}, \"{values}\", {});",
                bytes.len()
            );
        }
        out.push_str("    return bytes;\n}\n\n");
        out.push_str(ALLOCATIONS);
    }
}

/// Options of AddressSanitizer by which freed memory is used again at once.
const REUSE: &str = ":quarantine_size_mb=0:thread_local_quarantine_size_kb=0";

/// Returns whether a violation needs an allocator that reuses addresses.
fn reuses(violation: &Violation) -> bool {
    violation.inputs.iter().any(|input| matches!(input, Input::Reused(..)))
}

/// Renders the options of the sanitizers: uninitialised memory is zero, as in the replayed execution, and the roots of the
/// leak check depend on the fault.
fn options(out: &mut String, kind: CheckKind, further: &str) {
    let leaks = u32::from(kind.is_of_the_end());
    // Pointers on the stack are dead at the end of the program. For `unfreed`, reachable objects count as well.
    let roots = match kind {
        CheckKind::Unfreed => "use_globals=0:use_tls=0:use_stacks=0:use_registers=0",
        _ => "use_stacks=0:use_registers=0",
    };
    let _ = writeln!(
        out,
        "const char *__asan_default_options(void)\n{{\n    return \"detect_leaks={leaks}:detect_stack_use_after_return=1:\"\n           \
         \"malloc_fill_byte=0:max_malloc_fill_size=67108864:allocator_may_return_null=1{further}\";\n}}\n\n\
         const char *__lsan_default_options(void)\n{{\n    return \"{roots}\";\n}}\n"
    );
}

/// Renders the definition of an undefined function, unless the C library defines it.
fn function(out: &mut String, index: usize, name: &str, signature: &Signature, error_functions: &[String]) {
    let (parameters, body) = match name {
        _ if error_functions.iter().any(|error| error == name) => ("void", "    cairn_error();\n"),
        "__VERIFIER_assume" => (
            "int condition",
            "    if (!condition) {\n        cairn_say(\"assumption violated: execution does not count\\n\");\n        \
             __builtin_exit(0);\n    }\n",
        ),
        "__VERIFIER_nondet_memory" => {
            ("char *bytes, __SIZE_TYPE__ size", "    while (size--)\n        cairn_next(bytes++, 1);\n")
        }
        _ => ("void", ""),
    };
    let result = match signature.ret.filter(|_| body.is_empty()) {
        Some(ty) => c_type(ty),
        None => "void",
    };
    let _ = writeln!(out, "{result} cairn_function_{index}({parameters}) __asm__(CAIRN_NAME(\"{name}\"));");
    let _ = writeln!(out, "{result} cairn_function_{index}({parameters})\n{{");
    match result {
        "void" => out.push_str(body),
        _ => {
            let _ = writeln!(out, "    {result} result;\n    cairn_next(&result, sizeof result);\n    return result;");
        }
    }
    out.push_str("}\n\n");
}

/// The prefix of the inputs of library models.
const ANY: &str = "__cairn_any_";

/// Renders the library models whose results are inputs. They replace the functions of the C library.
fn world_models(out: &mut String, sources: &SourceMap, program: &Program, has_main: bool) {
    let is_world = |text: &&SourceText| {
        let mut names = text.text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let is_available =
            names.all(|name| !name.starts_with("__cairn_") || name.starts_with(ANY) || DEFINED.contains(&name));
        let needs_memory = ["__cairn_map_memory", "__cairn_open_resource"].iter().any(|name| text.text.contains(name));
        let is_input = text.name.starts_with("<cairn/") && text.text.contains(ANY) && (is_available || !needs_memory);
        match text.name.as_str() {
            "<cairn/start.c>" => !has_main && is_start(text, program),
            _ => is_input,
        }
    };
    let models: Vec<&SourceText> = sources.texts.iter().filter(is_world).collect();
    let inputs: BTreeMap<&str, &str> = models.iter().flat_map(|model| model.text.lines()).filter_map(input).collect();
    if models.is_empty() {
        return;
    }
    out.push_str("/* Functions of the C library whose results are inputs. */\n");
    for (name, ty) in inputs {
        let _ = writeln!(
            out,
            "static {ty} {name}(void)\n{{\n    {ty} result;\n    cairn_next(&result, sizeof result);\n    return result;\n}}\n"
        );
    }
    out.push_str(ASSUME);
    for model in models {
        let names: Vec<&str> = model.text.lines().filter_map(documented).collect();
        for name in &names {
            let _ = match *name {
                START => writeln!(out, "#define main cairn_main\n#define {START} cairn_start"),
                name => writeln!(out, "#define {name} cairn_model_{name}"),
            };
        }
        let is_defined = |line: &&str| {
            let is_declaration = line.ends_with(");") && line.starts_with(|c: char| c.is_ascii_alphabetic());
            is_declaration && DEFINED.iter().any(|name| line.contains(name))
        };
        for line in model.text.lines().filter(|line| input(line).is_none() && !is_defined(line)) {
            // The replayed execution does not reach a case that the model leaves out.
            let left_out = line.strip_suffix(';').filter(|line| line.starts_with("void __cairn_unsupported_"));
            let assumed = line.strip_suffix(';').filter(|line| line.starts_with("void __cairn_assuming_"));
            let _ = match (left_out, assumed) {
                (Some(declared), _) => writeln!(out, "static {declared} {{ __builtin_abort(); }}"),
                (None, Some(declared)) => writeln!(out, "static {declared} {{ }}"),
                (None, None) => writeln!(out, "{line}"),
            };
        }
        // A definition by the user wins over the model's.
        // A library harness has stubs with names of their own for what the scenario answers.
        let is_model = |name: &str| {
            let is_stub = |f: &Function| has_main && cairn_contract::is_answered(f);
            program.functions.iter().any(|f| f.name == name && f.origin == Origin::Model && !is_stub(f))
        };
        for name in names {
            if name == START {
                out.push_str("#undef main\nint main(void)\n{\n    return cairn_start();\n}\n");
                continue;
            }
            let _ = writeln!(out, "#undef {name}");
            if is_model(name) {
                let _ = writeln!(
                    out,
                    "extern __typeof__(cairn_model_{name}) cairn_alias_{name} \
                     __asm__(CAIRN_NAME(\"{name}\")) __attribute__((alias(\"cairn_model_{name}\")));"
                );
            }
        }
        out.push('\n');
    }
}

/// Returns whether a text is the model that calls `main` with its arguments, which is then the `main` of the harness.
fn is_start(text: &SourceText, program: &Program) -> bool {
    let start = program.start_of("main").map(|id| program.functions[id.index()].name.as_str());
    text.name == "<cairn/start.c>" && start == Some(START)
}

/// Returns the name and the type of the input that a line of a model declares.
fn input(line: &str) -> Option<(&str, &str)> {
    let (declared, _) = line.split_once("(void);")?;
    let at = declared.find(ANY)?;
    Some((&declared[at..], declared[..at].trim_end()))
}

/// Returns the function that a line of a model documents: `/* rand: no checks. */`.
fn documented(line: &str) -> Option<&str> {
    let (name, _) = line.strip_prefix("/* ")?.split_once(':')?;
    name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_').then_some(name)
}

/// Returns a C type that is returned in the same way as this type.
const fn c_type(ty: Ty) -> &'static str {
    match ty {
        Ty::I1 => "_Bool",
        Ty::I8 => "signed char",
        Ty::I16 => "short",
        Ty::I32 => "int",
        Ty::I64 => "long long",
        Ty::I128 => "__int128",
        Ty::F16 => "_Float16",
        Ty::F32 => "float",
        Ty::F64 => "double",
        Ty::F80 => "long double",
        Ty::F128 => "__float128",
        Ty::Ptr => "void *",
    }
}

/// Inserts a call of `cairn_error` into the error functions that a unit defines, because some units define them to do
/// nothing.
fn with_error_functions(text: &str, error_functions: &[String]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    let mut tokens = Tokens { text, at: 0 };
    while let Some((_, token)) = tokens.next() {
        if !error_functions.iter().any(|name| name == token) {
            continue;
        }
        let mut ahead = Tokens { text, at: tokens.at };
        let mut depth = 0u32;
        while let Some((_, token)) = ahead.next() {
            match token {
                "(" => depth += 1,
                ")" => depth = depth.saturating_sub(1),
                "{" if depth == 0 => {
                    out.push_str(&text[copied..ahead.at]);
                    out.push_str(" extern void cairn_error(void); cairn_error();");
                    copied = ahead.at;
                    break;
                }
                _ if depth > 0 => {}
                _ => break,
            }
        }
    }
    out.push_str(&text[copied..]);
    out
}

const NAMES: &str = r#"
#define CAIRN_TEXT(x) #x
#define CAIRN_PREFIX(x) CAIRN_TEXT(x)
#define CAIRN_NAME(name) CAIRN_PREFIX(__USER_LABEL_PREFIX__) name

long cairn_write(int file, const void *bytes, __SIZE_TYPE__ size) __asm__(CAIRN_NAME("write"));

static void cairn_say(const char *text)
{
    cairn_write(2, text, __builtin_strlen(text));
}

"#;

const NEXT: &str = r#"static unsigned long cairn_used;

static void cairn_next(void *result, unsigned long size)
{
    __builtin_memcpy(result, &cairn_values[cairn_used], size);
    if (cairn_used < sizeof cairn_values / sizeof *cairn_values - 1)
        cairn_used++;
}

"#;

/// The functions that a harness defines for the models.
const DEFINED: &[&str] = &[
    "__cairn_assume",
    "__cairn_close_descriptor",
    "__cairn_close_resource",
    "__cairn_copy_bytes",
    "__cairn_heap_alloc",
    "__cairn_map_memory",
    "__cairn_nondet_bytes",
    "__cairn_one_answer",
    "__cairn_open_resource",
    "__cairn_reads_memory",
    "__cairn_string_length",
    "__cairn_write",
];

const ASSUME: &str = r#"static void __cairn_assume(int condition)
{
    if (!condition) {
        cairn_say("assumption violated: execution does not count\n");
        __builtin_exit(0);
    }
}

static void __cairn_one_answer(void)
{
}

static int __cairn_reads_memory(void *stream)
{
    return 0;
}

static __SIZE_TYPE__ __cairn_string_length(const char *text)
{
    const volatile char *end = text;
    while (*end)
        end++;
    return end - text;
}

static void __cairn_copy_bytes(void *to, const void *from, __SIZE_TYPE__ size)
{
    __builtin_memcpy(to, from, size);
}

static void __cairn_nondet_bytes(void *to, __SIZE_TYPE__ size)
{
    for (char *at = to; size--; at++)
        cairn_next(at, 1);
}

static int __cairn_write(int fd, const void *data, __SIZE_TYPE__ size)
{
    for (const volatile char *at = data; size--; at++)
        *at;
    return 0;
}

static void __cairn_close_descriptor(int fd)
{
}

void *cairn_allocated(__SIZE_TYPE__ size) __asm__(CAIRN_NAME(CAIRN_MALLOC));

static void *__cairn_heap_alloc(__SIZE_TYPE__ size)
{
    return cairn_allocated(size);
}

/* A stream or folder, which the program may lose or close twice. */
static void *__cairn_open_resource(__SIZE_TYPE__ size)
{
    void *resource = cairn_allocated(size);
    if (!resource)
        __builtin_exit(0);
    return __builtin_memset(resource, 0, size);
}

static void __cairn_close_resource(void *resource)
{
    __builtin_free(resource);
}

static void *cairn_mapped;

/* Memory of the system, which is never lost. */
static void *__cairn_map_memory(__SIZE_TYPE__ size)
{
    void **memory = __builtin_calloc(1, sizeof(void *) * 2 + size);
    if (!memory)
        __builtin_exit(0);
    *memory = cairn_mapped;
    cairn_mapped = memory;
    return memory + 2;
}

"#;

const FEED: &str = r#"int cairn_pipe(int *ends) __asm__(CAIRN_NAME("pipe"));
int cairn_dup2(int from, int to) __asm__(CAIRN_NAME("dup2"));
int cairn_close(int file) __asm__(CAIRN_NAME("close"));

__attribute__((constructor)) static void cairn_feed(void)
{
    int ends[2];
    if (cairn_pipe(ends) == 0) {
        cairn_write(ends[1], cairn_input, sizeof cairn_input - 1);
        cairn_close(ends[1]);
        cairn_dup2(ends[0], 0);
    }
}

"#;

/// Replaces the allocation functions in the units.
const RENAMED_ALLOCATIONS: &str = "\
#define malloc cairn_malloc
#define calloc cairn_calloc
#define realloc cairn_realloc
#define aligned_alloc cairn_aligned_alloc
#define strdup cairn_strdup
#define strndup cairn_strndup
";

const ALLOCATIONS: &str = r#"static int cairn_fails(void)
{
    cairn_allocation++;
    for (unsigned long i = 0; i < sizeof cairn_failing / sizeof *cairn_failing; i++)
        if (cairn_failing[i] == cairn_allocation)
            return 1;
    return 0;
}

void *cairn_made_1(__SIZE_TYPE__ size) __asm__(CAIRN_NAME("cairn_malloc"));
void *cairn_made_1(__SIZE_TYPE__ size)
{
    return cairn_fails() ? 0 : cairn_strewn(__builtin_malloc(size));
}

void *cairn_made_2(__SIZE_TYPE__ count, __SIZE_TYPE__ size) __asm__(CAIRN_NAME("cairn_calloc"));
void *cairn_made_2(__SIZE_TYPE__ count, __SIZE_TYPE__ size)
{
    return cairn_fails() ? 0 : __builtin_calloc(count, size);
}

void *cairn_made_3(void *old, __SIZE_TYPE__ size) __asm__(CAIRN_NAME("cairn_realloc"));
void *cairn_made_3(void *old, __SIZE_TYPE__ size)
{
    if (old && !size && (!CAIRN_REALLOC_ZERO || cairn_fails())) {
        __builtin_free(old);
        return 0;
    }
    if (cairn_fails())
        return 0;
    if (size)
        return __builtin_realloc(old, size);
    __builtin_free(old);
    return __builtin_malloc(0);
}

void *cairn_made_4(__SIZE_TYPE__ align, __SIZE_TYPE__ size) __asm__(CAIRN_NAME("cairn_aligned_alloc"));
void *cairn_made_4(__SIZE_TYPE__ align, __SIZE_TYPE__ size)
{
    return cairn_fails() ? 0 : cairn_strewn(__builtin_aligned_alloc(align, size));
}

char *cairn_made_5(const char *text) __asm__(CAIRN_NAME("cairn_strdup"));
char *cairn_made_5(const char *text)
{
    return cairn_fails() ? 0 : __builtin_strdup(text);
}

char *cairn_made_6(const char *text, __SIZE_TYPE__ size) __asm__(CAIRN_NAME("cairn_strndup"));
char *cairn_made_6(const char *text, __SIZE_TYPE__ size)
{
    return cairn_fails() ? 0 : __builtin_strndup(text, size);
}

"#;

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(text: &str) -> String {
        with_error_functions(text, &["reach_error".to_owned()])
    }

    #[test]
    fn defined_error_functions_report() {
        let call = " extern void cairn_error(void); cairn_error();";
        assert_eq!(marked("void reach_error(void);"), "void reach_error(void);");
        assert_eq!(marked("f() { reach_error(); }"), "f() { reach_error(); }");
        let defined = "void reach_error(int (*p)(void)) { } int main() { reach_error(0); }";
        assert_eq!(marked(defined), defined.replacen("{", &format!("{{{call}"), 1));
    }

    #[test]
    fn unfinished_text_is_accepted() {
        for text in ["reach_error", "reach_error(", "reach_error()", "reach_error() {", "\"reach_error() {"] {
            assert!(marked(text).starts_with(text));
        }
    }
}
