//! Tests of the passes, each on a small program.

use crate::parse::parse;
use crate::print::print;
use crate::program::Program;
use crate::verify::verify;

fn read(text: &str) -> Program {
    match parse(text) {
        Ok(program) => program,
        Err(error) => panic!("line {}: {}", error.line, error.message),
    }
}

/// Returns the program after one pass, and asserts that it is well-formed.
fn after(pass: fn(&mut Program), text: &str) -> String {
    let mut program = read(text);
    pass(&mut program);
    assert_eq!(verify(&program), Vec::<String>::new());
    print(&program)
}

#[test]
fn blocks_are_merged_and_unreachable_ones_removed() {
    let out = after(
        super::tidy_blocks::run,
        "program lp64\nfunction f0 external \"main\" () -> i32 {\n reg v0: i32\n reg v1: i1\n\
         b0:\n v0 = move 1\n jump b3\nb1:\n jump b2\nb2:\n return v0\nb3:\n v1 = eq i32 v0, 1\n branch v1, b1, b4\n\
         b4:\n jump b2\nb5:\n return 7\n}\n",
    );
    assert!(out.contains("branch v1, b1, b1"), "{out}");
    assert!(!out.contains("b2:") && !out.contains("return 7"), "{out}");
}

#[test]
fn infinite_empty_loops_are_kept() {
    let out = after(
        super::tidy_blocks::run,
        "program lp64\nfunction f0 external \"main\" () {\nb0:\n jump b1\nb1:\n jump b2\nb2:\n jump b1\n}\n",
    );
    assert!(out.contains("jump b1"), "{out}");
}

#[test]
fn unused_functions_are_removed() {
    let out = after(
        super::drop_unused::run,
        "program lp64\nfunction f0 external \"unused\" ()\nfunction f1 external \"used\" ()\n\
         function f2 external \"main\" () {\nb0:\n call f1()\n return\n}\n",
    );
    assert!(!out.contains("unused"), "{out}");
    assert!(out.contains("call f0()"), "{out}");
}
