//! Writes a fault of a library function as a C program that builds the input and calls the function.
//!
//! The program contains the user's units, so that static functions and variables can be named. Functions without a body become stubs
//! that follow the scenario: they write to memory, keep arguments and return results in the order of the calls. They have names of their
//! own, so that the C library and the sanitizer go on to use theirs.

use std::collections::BTreeSet;
use std::fmt::Write;

use cairn_contract::scenario::{Answer, Contents, Scenario};
use cairn_contract::{Finding, is_answered, opens_stream};
use cairn_ir::inst::{Callee, Inst, Operand, Passing};
use cairn_ir::program::{Function, Linkage, Symbol};
use cairn_ir::source::SourceText;
use cairn_ir::{CheckKind, FuncId, Program, Ty};

use super::{About, Parts, RENAMED_ALLOCATIONS, c_type, heading};
use crate::Texts;

/// Renders the harness of a fault of a library function as C.
///
/// # Errors
/// Fails when the code was not read from C, or when C cannot build the input.
pub fn render_library(
    finding: &Finding,
    program: &Program,
    texts: Texts<'_>,
    about: &About<'_>,
) -> Result<String, String> {
    let sources = texts.sources.ok_or("program is textual IR, not C")?;
    let units: Vec<&SourceText> = sources.texts.iter().filter(|text| !text.name.starts_with("<cairn/")).collect();
    let function = &program.functions[finding.function.index()];
    let home = unit_of(function, program, &units);
    let harness = Harness { finding, program, scenario: &finding.scenario, stubs: stubs(program) };
    let parts = harness.parts();
    let mut out = heading(&finding.violation, program, texts, about, units.len());
    if parts.wraps_allocations() {
        out.push_str(RENAMED_ALLOCATIONS);
    }
    out.push_str("#define main cairn_original_main\n");
    for (_, function) in &harness.stubs {
        let _ = writeln!(out, "#define {0} cairn_stub_{0}", function.name);
    }
    for (index, unit) in units.iter().enumerate() {
        if units.len() > 1 {
            let _ = writeln!(out, "#if UNIT == {}", index + 1);
        }
        if index == home {
            parts.support(&mut out, &finding.violation, program, sources, &About { undefined: &[], ..about.clone() });
        }
        let name = unit.name.replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(out, "# 1 \"{name}\"");
        out.push_str(&unit.text);
        out.push('\n');
        // Such a declaration makes an inline definition an external one, which other files have in the user's program.
        let is_external = |f: &&Function| f.linkage == Linkage::External && f.body.is_some() && f.origin.is_of_user();
        let external = program.functions.iter().filter(is_external);
        for function in external.filter(|f| f.name != "main" && unit_of(f, program, &units) == index) {
            let _ = writeln!(out, "extern __typeof__({0}) {0};", function.name);
        }
        if index == home {
            let _ = writeln!(out, "# 1 \"{}\"\n#undef main", about.file.replace('\\', "\\\\").replace('"', "\\\""));
            harness.driver(&mut out)?;
            harness.unreachable(&mut out, about, &units);
        }
        if units.len() > 1 {
            out.push_str("#endif\n");
        }
    }
    Ok(out)
}

/// Returns the unit that defines a function.
fn unit_of(function: &Function, program: &Program, units: &[&SourceText]) -> usize {
    let file = program.file_name(function.loc);
    let is_named = |unit: &&SourceText| unit.name == file;
    let mentions =
        |unit: &&SourceText| unit.text.contains(&format!(" \"{file}\"")) && unit.text.contains(&function.name);
    units.iter().position(is_named).or_else(|| units.iter().position(mentions)).unwrap_or(0)
}

/// Returns the functions that the user's code mentions and the scenario answers for.
fn stubs(program: &Program) -> Vec<(FuncId, &Function)> {
    let mut mentioned = BTreeSet::new();
    let mut look = |operand: Operand| {
        if let Operand::Function(id) = operand {
            mentioned.insert(id);
        }
    };
    let mut called = Vec::new();
    for block in program.functions.iter().filter_map(|f| f.body.as_ref()).flat_map(|body| &body.blocks) {
        for inst in &block.insts {
            inst.for_operands(&mut look);
            if let Inst::Call(call) = inst
                && let Callee::Function(id) = call.callee
            {
                called.push(id);
            }
        }
        block.end.for_operands(&mut look);
    }
    mentioned.extend(called);
    for relocation in program.globals.iter().flat_map(|global| &global.relocations) {
        if let Symbol::Function(id) = relocation.target {
            mentioned.insert(id);
        }
    }
    let found = mentioned.into_iter().map(|id| (id, &program.functions[id.index()]));
    found.filter(|(_, f)| is_answered(f) && f.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')).collect()
}

/// The bytes of each object behind those that the fault needs.
const ROOM: u64 = 64;

struct Harness<'a> {
    finding: &'a Finding,
    program: &'a Program,
    scenario: &'a Scenario,
    stubs: Vec<(FuncId, &'a Function)>,
}

impl<'a> Harness<'a> {
    /// Returns the parts that programs with a `main` have, too.
    fn parts(&self) -> Parts<'a> {
        let failing = self.scenario.allocations.iter().enumerate().filter(|(_, succeeds)| !**succeeds);
        let mut variables = Vec::new();
        for global in self.program.globals.iter().filter(|global| !global.defined) {
            variables.push((global.name.as_str(), global.align, vec![0; global.size.max(1) as usize]));
        }
        Parts {
            variables,
            input: Vec::new(),
            reads_input: false,
            values: self.scenario.values.clone(),
            failing: failing.map(|(index, _)| index + 1).collect(),
            leftovers: Vec::new(),
            realloc_zero: false,
            has_main: true,
        }
    }

    /// Renders the stubs and the `main` that builds the input and calls the function.
    fn driver(&self, out: &mut String) -> Result<(), String> {
        let objects = self.scenario.objects.len();
        let _ = writeln!(out, "static void *cairn_objects[{}];", objects + 1);
        out.push_str(KEEP);
        let descriptor = self.finding.descriptor;
        out.push_str("static int cairn_released;\nstatic unsigned long cairn_calls;\n");
        out.push_str(
            "static unsigned long long cairn_code(void *a0, void *a1, void *a2, void *a3, void *a4, void *a5);\n\n",
        );
        out.push_str("/* The effects of functions without a body, in the order of the calls. */\n");
        out.push_str(
            "static unsigned long long cairn_answer(void **a, int is_stream)\n{\n    unsigned long long r = 0;\n",
        );
        out.push_str("    char *p;\n    switch (cairn_calls++) {\n");
        for (index, answer) in self.scenario.answers.iter().enumerate() {
            let _ = writeln!(out, "    case {index}:");
            self.answer(out, answer)?;
            out.push_str("        break;\n");
        }
        out.push_str("    }\n    return r;\n}\n\n");
        out.push_str(
            "static unsigned long long cairn_code(void *a0, void *a1, void *a2, void *a3, void *a4, void *a5)\n{\n    void *a[16] = {a0, a1, a2, a3, a4, a5};\n    return cairn_answer(a, 0);\n}\n\n",
        );
        for (index, (_, function)) in self.stubs.iter().enumerate() {
            stub(out, index, function)?;
        }
        out.push_str("int main(void)\n{\n    char *p;\n");
        for (index, object) in self.scenario.objects.iter().enumerate() {
            // The function may read more of an object than the fault needs, such as the rest of a word with bit-fields.
            let _ = writeln!(out, "    cairn_objects[{index}] = __builtin_calloc(1, {});", object.size + ROOM);
        }
        for (index, object) in self.scenario.objects.iter().enumerate().filter(|(_, object)| !object.cells.is_empty()) {
            let _ = writeln!(out, "    p = cairn_objects[{index}];");
            for (at, contents) in &object.cells {
                let _ = writeln!(out, "    {}", self.store(*at, contents)?);
            }
        }
        for (global, at, contents) in &self.scenario.globals {
            let _ = writeln!(out, "    p = (char *){};", self.global(*global)?);
            let _ = writeln!(out, "    {}", self.store(*at, contents)?);
        }
        let _ = writeln!(out, "    {}", self.call()?);
        if descriptor.is_some() {
            out.push_str("    if (!cairn_released) {\n        cairn_say(\"cairn: file descriptor is lost and not closed\\n\");\n        __builtin_abort();\n    }\n");
        }
        out.push_str("    return 0;\n}\n");
        Ok(())
    }

    /// Defines functions that only code mentions which nothing calls, but which the compiler keeps.
    fn unreachable(&self, out: &mut String, about: &About<'_>, units: &[&SourceText]) {
        let is_stub = |name: &String| self.stubs.iter().any(|(_, stub)| stub.name == *name);
        let is_mentioned = |name: &String| units.iter().any(|unit| unit.text.matches(name.as_str()).count() > 1);
        let names = about.undefined.iter().map(|(name, _)| name).filter(|name| !is_stub(name) && is_mentioned(name));
        for (index, name) in names.enumerate() {
            let _ = writeln!(
                out,
                "__attribute__((weak)) void cairn_unreachable_{index}(void) __asm__(CAIRN_NAME(\"{name}\"));\n\
                 void cairn_unreachable_{index}(void)\n{{\n    __builtin_exit(0);\n}}"
            );
        }
    }

    fn answer(&self, out: &mut String, answer: &Answer) -> Result<(), String> {
        for argument in &answer.taken {
            let _ = writeln!(out, "        cairn_take(a[{argument}]);");
        }
        if self.finding.descriptor.is_some_and(|number| answer.releases.contains(&number)) {
            out.push_str("        cairn_released = 1;\n");
        }
        match (&answer.makes, &answer.result) {
            (Some(size), _) => {
                let _ = writeln!(out, "        r = (unsigned long long)(__SIZE_TYPE__)cairn_made({size}, is_stream);");
            }
            (None, Some(result)) => {
                let _ = writeln!(out, "        r = {};", self.number(result)?);
            }
            (None, None) => {}
        }
        for write in &answer.writes {
            match write.argument {
                None => out.push_str("        p = (char *)(__SIZE_TYPE__)r;\n"),
                Some(argument) => {
                    let _ = writeln!(out, "        p = a[{argument}] ? (char *)a[{argument}] - {} : 0;", write.offset);
                }
            }
            for link in &write.chain {
                let _ = writeln!(
                    out,
                    "        p = p && *(char **)(p + {0}) ? *(char **)(p + {0}) - {1} : 0;",
                    link.at, link.offset
                );
            }
            let _ = writeln!(out, "        if (p) {{ {} }}", self.store(write.at, &write.contents)?);
        }
        Ok(())
    }

    /// Returns the statement that stores contents at an offset from `p`.
    fn store(&self, at: u64, contents: &Contents) -> Result<String, String> {
        Ok(match contents {
            Contents::Bytes(bytes) => {
                let text: String = bytes.iter().map(|byte| format!("\\x{byte:02x}")).collect();
                format!("__builtin_memcpy(p + {at}, \"{text}\", {});", bytes.len())
            }
            _ => format!("*(void **)(p + {at}) = {};", self.pointer(contents)?),
        })
    }

    fn pointer(&self, contents: &Contents) -> Result<String, String> {
        Ok(match contents {
            Contents::Bytes(_) => format!("(void *)(__SIZE_TYPE__){:#x}ull", bits(contents)),
            Contents::Address(index) => format!("cairn_objects[{index}]"),
            Contents::Global(index) => self.global(*index)?,
            Contents::Code => "(void *)cairn_code".to_owned(),
        })
    }

    fn number(&self, contents: &Contents) -> Result<String, String> {
        Ok(match contents {
            Contents::Bytes(_) => format!("{:#x}ull", bits(contents)),
            _ => format!("(__SIZE_TYPE__){}", self.pointer(contents)?),
        })
    }

    /// Returns the address of a global variable.
    fn global(&self, index: usize) -> Result<String, String> {
        let global = self.program.globals.get(index).ok_or("input contains an unknown variable")?;
        if !global.defined {
            let position = self.program.globals[..index].iter().filter(|other| !other.defined).count();
            return Ok(format!("(void *)cairn_variable_{position}"));
        }
        if global.name.contains('.') {
            return Err(format!("fault depends on the static variable `{}` of a function", global.name));
        }
        Ok(format!("(void *)&{}", global.name))
    }

    /// Returns the statement that calls the function.
    fn call(&self) -> Result<String, String> {
        let function = &self.program.functions[self.finding.function.index()];
        let (mut types, mut values) = (Vec::new(), Vec::new());
        for (passing, contents) in function.signature.params.iter().zip(&self.scenario.arguments) {
            let Passing::Scalar(ty) = *passing else {
                return Err(format!("function `{}` takes a struct by value", function.name));
            };
            types.push(c_type(ty));
            values.push(match ty {
                Ty::Ptr => self.pointer(contents)?,
                Ty::F32 => format!("(union {{ unsigned b; float f; }}){{{:#x}}}.f", bits(contents) as u32),
                Ty::F64 => format!("(union {{ unsigned long long b; double f; }}){{{:#x}ull}}.f", bits(contents)),
                ty if ty.is_float() => {
                    return Err(format!("function `{}` takes a number of a wide type", function.name));
                }
                ty => format!("({}){}", c_type(ty), self.number(contents)?),
            });
        }
        if function.signature.variadic {
            types.push("...");
        }
        let types = if types.is_empty() { "void".to_owned() } else { types.join(", ") };
        let result = function.signature.ret.map_or("void", c_type);
        let call = format!("(({result} (*)({types})){})({})", function.name, values.join(", "));
        let is_unset = self.finding.violation.fault.kind == CheckKind::Uninitialised;
        Ok(match function.signature.ret {
            // A branch on the result is a use that valgrind sees.
            Some(_) if is_unset => format!("if ({call})\n        cairn_say(\"the result is not 0\\n\");"),
            Some(ty) if !ty.is_float() => format!("cairn_take((void *)(__SIZE_TYPE__){call});"),
            _ => format!("{call};"),
        })
    }
}

/// Returns the low 64 bits of contents.
fn bits(contents: &Contents) -> u64 {
    match contents {
        Contents::Bytes(bytes) => bytes.iter().take(8).rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte)),
        _ => 0,
    }
}

/// Renders the stub of a function without a body.
fn stub(out: &mut String, index: usize, function: &Function) -> Result<(), String> {
    let signature = &function.signature;
    let mut parameters = Vec::new();
    let mut stores = String::new();
    let mut add = |parameters: &mut Vec<String>, ty: Ty| {
        let at = parameters.len();
        parameters.push(format!("{} a{at}", c_type(ty)));
        if !ty.is_float() {
            let _ = write!(stores, " a[{at}] = (void *)(__SIZE_TYPE__)a{at};");
        }
    };
    for passing in &signature.params {
        match *passing {
            Passing::Scalar(ty) => add(&mut parameters, ty),
            Passing::Memory { .. } => break,
        }
    }
    if signature.variadic || !signature.prototyped {
        while parameters.len() < 6 {
            add(&mut parameters, Ty::Ptr);
        }
    }
    let parameters = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
    let result = signature.ret.map_or("void", c_type);
    let name = &function.name;
    let _ = writeln!(out, "{result} cairn_function_{index}({parameters}) __asm__(CAIRN_NAME(\"cairn_stub_{name}\"));");
    let _ = writeln!(out, "{result} cairn_function_{index}({parameters})\n{{\n    void *a[64] = {{0}};{stores}");
    if cairn_contract::never_returns(function) {
        out.push_str("    __builtin_exit(0);\n}\n\n");
        return Ok(());
    }
    if name == "error" || name == "error_at_line" {
        out.push_str("    if (a[0])\n        __builtin_exit(0);\n");
    }
    let answer = format!("cairn_answer(a, {})", u8::from(opens_stream(name)));
    let _ = match signature.ret {
        None => writeln!(out, "    {answer};\n}}\n"),
        Some(Ty::F64) => writeln!(out, "    return (union {{ unsigned long long b; double f; }}){{{answer}}}.f;\n}}\n"),
        Some(Ty::F32) => writeln!(out, "    return (union {{ unsigned b; float f; }}){{(unsigned){answer}}}.f;\n}}\n"),
        Some(Ty::Ptr) => writeln!(out, "    return (void *)(__SIZE_TYPE__){answer};\n}}\n"),
        Some(_) => writeln!(out, "    return ({result}){answer};\n}}\n"),
    };
    Ok(())
}

/// Memory that functions without a body keep, and memory that they make. A stream is a copy of a real one, so that the C library can use
/// it and the sanitizer sees whether it is lost.
const KEEP: &str = r#"static void *cairn_kept[256];
static int cairn_kept_count;

static void cairn_take(void *pointer)
{
    if (cairn_kept_count < 256)
        cairn_kept[cairn_kept_count++] = pointer;
}

void *cairn_tmpfile(void) __asm__(CAIRN_NAME("tmpfile"));

static void *cairn_made(__SIZE_TYPE__ size, int is_stream)
{
    void *made = __builtin_calloc(1, size), *stream;
    if (is_stream && made && (stream = cairn_tmpfile()))
        __builtin_memcpy(made, stream, sizeof(void *) == 8 ? 224 : 152);
    return made;
}

"#;
