//! Tests of the parser on hand-written texts, valid and invalid.

use super::parse;
use crate::print::{print, print_cfg};
use crate::verify::verify;

/// A program that uses every construct, in exactly the form that the printer writes.
const EVERYTHING: &str = include_str!("everything.ir");

#[test]
fn every_construct_round_trips() {
    let program = parse(EVERYTHING).expect("the text is well-formed");
    assert_eq!(print(&program), EVERYTHING);
    assert_eq!(verify(&program), Vec::<String>::new());
}

#[test]
fn white_space_and_comments_are_ignored() {
    let text = "\n// a comment\nprogram   ilp32 // the data model\n\n  file 0 \"a//b.c\"\n\tfunction f0 external \"f\" ( ) @ 0:1 : 2 {\n\nb0 :\n return // done\n }\n";
    let program = parse(text).expect("the text is well-formed");
    assert_eq!(
        print(&program),
        "program ilp32\nfile 0 \"a//b.c\"\nfunction f0 external \"f\" () @0:1:2 {\nb0:\n  return\n}\n"
    );
}

#[test]
fn repeated_initial_values_round_trip() {
    let text =
        "program lp64\nglobal g0 external \"a\" size 5000 align 4 = \"ab\" \"\\01\\00\\00\\00\" x 1000 \"end\"\n";
    let program = parse(text).expect("the text is well-formed");
    assert_eq!(program.globals[0].bytes.len(), 4005);
    assert_eq!(program.globals[0].bytes[4002..], *b"end");
    assert_eq!(print(&program), text);
    let bomb =
        "program lp64\nglobal g0 external \"a\" size 4611686018427387904 align 4 = \"a\" x 4611686018427387904\n";
    assert!(mistake(bomb).contains("a number of times that fits the size"));
}

/// Returns the first syntax error of a text.
fn mistake(text: &str) -> String {
    parse(text).expect_err("the text has a mistake").to_string()
}

/// Returns the first syntax error of a line inside a function.
fn mistake_in(line: &str) -> String {
    mistake(&format!("program lp64\nfunction f0 external \"f\" () {{\nb0:\n{line}\n}}\n"))
}

#[test]
fn syntax_errors_give_location_and_expectation() {
    assert_eq!(mistake(""), "1:1: expected `program`, found the end of the text");
    assert_eq!(mistake("program lp65"), "1:9: expected `lp64` or `ilp32`, found `lp65`");
    assert_eq!(mistake("program lp64 x"), "1:14: expected the end of the line, found `x`");
    assert_eq!(mistake("program lp64\nfile 1 \"a\""), "2:6: expected file number 0, found `1`");
    assert_eq!(mistake("program lp64\nfile 0 \"a"), "2:10: expected `\"`, found the end of the text");
    assert_eq!(mistake("program lp64\nfile 0 \"\\ff\""), "2:8: expected a string in UTF-8, found `\"`");
    assert_eq!(mistake("program lp64\nfile 0 \"\\f\""), "2:9: expected two hexadecimal digits after `\\`, found `\\`");
    assert_eq!(mistake("program lp64\nglobal g1"), "2:8: expected g0, found `g1`");
    assert_eq!(mistake("program lp64\nwide w0 = 12"), "2:11: expected a hexadecimal number of 128 bits, found `12`");
    assert_eq!(mistake("program lp64\ncheck c0 nul"), "2:10: expected the name of a check, found `nul`");
    assert_eq!(
        mistake("program lp64\n\nfoo"),
        "3:1: expected `file`, `global`, `wide`, `check` or `function`, found `foo`"
    );
    assert_eq!(mistake("program lp64\nfunction f0 external \"f\" (i32 i32)"), "2:31: expected `,` or `)`, found `i32`");
    assert_eq!(mistake("program lp64\nfunction f0 external \"f\" (i33)"), "2:27: expected a type, found `i33`");
    assert_eq!(
        mistake("program lp64\nfunction f0 external \"f\" () {\n"),
        "3:1: expected a block (`b0:`), `reg`, `slot`, `params` or `}`, found the end of the text"
    );
    assert_eq!(mistake("program lp64\nfunction f0 external \"f\" () {\nb1:"), "3:1: expected b0, found `b1`");
}

#[test]
fn syntax_errors_in_instructions_give_their_location() {
    assert_eq!(mistake_in("  v0 = ad i32 v1, 2"), "4:8: expected an operation with a result, found `ad`");
    assert_eq!(mistake_in("  stor i32 v1, 2"), "4:3: expected an instruction or the end of the block, found `stor`");
    assert_eq!(mistake_in("  v0 = add i32 v1 2"), "4:19: expected `,`, found `2`");
    assert_eq!(mistake_in("  v0 = add i32 v1, ä"), "4:20: expected an operand, found `ä`");
    assert_eq!(
        mistake_in("  v0 = add i32 v1, 9223372036854775808"),
        "4:20: expected an integer of 64 bits, found `9223372036854775808`"
    );
    assert_eq!(mistake_in("  v0 = load i8 v1+"), "4:18: expected an offset of 64 bits, found `+`");
    assert_eq!(mistake_in("  v0 = load i8 v1 !c5..c4"), "4:24: expected a check of a higher number, found `c4`");
    assert_eq!(mistake_in("  v0 = intrinsic malloc(1)"), "4:18: expected the name of an intrinsic, found `malloc`");
    assert_eq!(mistake_in("  v0 = load_bits i8 v1 bits 0+256"), "4:31: expected a number below 256, found `256`");
    assert_eq!(mistake_in("  switch i32 v0 { x: b0 }"), "4:19: expected a constant or `else`, found `x`");
    assert_eq!(mistake_in("  enter g0"), "4:9: expected a register or a slot, found `g0`");
    assert_eq!(mistake_in("  return v0 @0:1"), "4:17: expected `:`, found the end of the line");
    assert_eq!(mistake_in("  v0 = undef"), "5:1: expected an instruction or the end of the block, found `}`");
}

#[test]
fn graphs_show_user_functions() {
    let program = parse(EVERYTHING).expect("the text is well-formed");
    let graph = print_cfg(&program);
    assert!(graph.starts_with("digraph program {\n"));
    assert!(graph.contains("label=\"main\";"));
    assert!(!graph.contains("label=\"helper\";"), "models are not the user's");
    assert!(graph.contains("f0_b0 -> f0_b1 [label=\"true\"];"));
    assert!(graph.contains("f0_b0 -> f0_b2 [label=\"false\"];"));
    assert!(graph.contains("[label=\"3..5\"];"));
    assert!(graph.contains("unsupported \\\"asm \\\\22x\\\\22\\\" !c7\\l"));
    assert_eq!(graph.matches('{').count() - graph.matches('}').count(), 0);
}
