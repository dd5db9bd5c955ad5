//! What lowering makes of small functions, as text.

use cairn_ir::layout::Target;
use cairn_ir::program::Program;
use expect_test::{Expect, expect};

use crate::{Compilation, Input, compile};

fn compile_units(texts: &[&str]) -> Compilation {
    let inputs = texts
        .iter()
        .enumerate()
        .map(|(index, text)| Input { name: format!("{index}.c"), text: (*text).to_owned() })
        .collect();
    compile(inputs, Target::Lp64)
}

fn program(texts: &[&str]) -> Program {
    let compilation = compile_units(texts);
    match compilation.program {
        Some(program) => program,
        None => panic!("not accepted: {:#?}", compilation.diagnostics),
    }
}

/// The first function of the program, without places and checks.
fn check(source: &str, expect: Expect) {
    let text = cairn_ir::print::print(&program(&[source]));
    expect.assert_eq(&text);
}

#[test]
fn empty() {
    check("int f(int x) { int y = x + 1; return y; }", expect![[]]);
}
