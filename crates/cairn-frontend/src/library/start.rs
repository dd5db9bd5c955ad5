//! The start of a program: the model that calls `main` with its arguments.
//!
//! The model is C text over inputs, like every model of the world. The text depends on the parameters of `main`, and the arguments are
//! either any strings or those that the user has fixed.

use std::fmt::Write;

use cairn_ir::Ty;
use cairn_ir::inst::Passing;
use cairn_ir::program::Signature;

/// The name of the model file.
pub(crate) const FILE: &str = "<cairn/start.c>";

/// The model for any arguments. `CALL` stands for the call of `main`.
const ANY: &str = include_str!("world/start.c");

/// The arguments of a program after its name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Arguments {
    /// Any number of strings.
    #[default]
    Any,
    /// These strings.
    Fixed(Vec<Vec<u8>>),
}

/// Returns the model for a `main` of this signature, or `None` if `main` takes no arguments.
pub(crate) fn text(main: &Signature, arguments: &Arguments) -> Option<String> {
    const PTR: Passing = Passing::Scalar(Ty::Ptr);
    let (parameters, passed, has_environment) = match main.params[..] {
        [Passing::Scalar(count), PTR] => (format!("{}, char **", integer(count)?), "count, arguments", false),
        [Passing::Scalar(count), PTR, PTR] => {
            (format!("{}, char **, char **", integer(count)?), "count, arguments, environment", true)
        }
        _ => return None,
    };
    let (result, call) = match main.ret {
        Some(status) => (integer(status)?, format!("return main({passed})")),
        None => ("void", format!("main({passed});\n    return 0")),
    };
    let (before, after) = ANY.split_once("/* __cairn_start:")?;
    // The environment is made like the arguments, whether these are fixed or not. It may be empty.
    let call = if has_environment { format!("{}{call}", environment(after)?) } else { call };
    let start = match arguments {
        Arguments::Any => format!("/* __cairn_start:{}", after.replace("CALL", &call)),
        Arguments::Fixed(given) => fixed(given, &call),
    };
    Some(format!("{before}{result} main({parameters});\n\n{start}"))
}

/// Returns the part of the model that makes any strings, for the environment.
fn environment(start: &str) -> Option<String> {
    let (_, body) = start.split_once("{\n    int count = 1;\n")?;
    let (strings, _) = body.split_once("    CALL")?;
    let strings = strings.replace("count", "variables").replace("arguments", "environment");
    Some(format!("int variables = 0;\n{strings}    "))
}

/// Returns the C type of an integer.
fn integer(ty: Ty) -> Option<&'static str> {
    Some(match ty {
        Ty::I8 => "signed char",
        Ty::I16 => "short",
        Ty::I32 => "int",
        Ty::I64 => "long long",
        _ => return None,
    })
}

/// Returns the function that calls `main` with given arguments.
fn fixed(given: &[Vec<u8>], call: &str) -> String {
    let mut text = String::new();
    let mut names = Vec::new();
    for (index, bytes) in std::iter::once(b"program".as_slice()).chain(given.iter().map(Vec::as_slice)).enumerate() {
        let bytes: Vec<String> = bytes.iter().chain(&[0]).map(u8::to_string).collect();
        let _ = writeln!(text, "static char cairn_argument_{index}[] = {{{}}};", bytes.join(", "));
        names.push(format!("cairn_argument_{index}"));
    }
    let _ = write!(
        text,
        "static char *cairn_arguments[] = {{{}, 0}};\n\n/* __cairn_start: no checks. */\nint __cairn_start(void)\n{{\n    int count = {};\n    char **arguments = cairn_arguments;\n    {call};\n}}\n",
        names.join(", "),
        names.len()
    );
    text
}

#[cfg(test)]
mod tests {
    use cairn_ir::layout::Target;

    use super::*;
    use crate::library::Face;
    use crate::{Input, Options, compile};

    fn starts(main: &str, arguments: Arguments) -> bool {
        let input = Input { name: "main.c".to_owned(), text: main.to_owned() };
        let options = Options { face: Face::World, arguments, ..Target::Lp64.into() };
        let compilation = compile(vec![input], options);
        assert!(compilation.diagnostics.is_empty(), "{:#?}", compilation.diagnostics);
        let program = compilation.program.expect("the program compiles");
        let start = program.start_of("main").expect("the program has an entry");
        program.functions[start.index()].name != "main"
    }

    #[test]
    fn a_main_that_reads_its_arguments_is_called_by_the_model() {
        let fixed = Arguments::Fixed(vec![b"a\"\\\xff".to_vec(), Vec::new()]);
        for arguments in [Arguments::Any, fixed] {
            assert!(starts("int main(int n, char **all) { return all[n - 1][0]; }", arguments.clone()));
            assert!(starts("int main(int n, char **all, char **more) { return n; }", arguments.clone()));
            assert!(starts("long long main(long long n, char **all) { return n; }", arguments.clone()));
            assert!(starts("void main(int n, char **all) { while (n) n--; }", arguments.clone()));
            assert!(!starts("int main(int n, char **all) { return 0; }", arguments.clone()));
            assert!(!starts("int main(void) { return 0; }", arguments));
        }
    }
}
