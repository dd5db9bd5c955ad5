//! Tests of the verifier: for every rule, a program that violates it.

use super::verify;
use crate::ids::FuncId;
use crate::inst::Inst;
use crate::parse::parse;
use crate::program::Program;
use crate::source::{FileId, Loc};

/// Returns a program whose function `f0` has `lines` as its entry block, with operands of every kind in scope.
fn text(lines: &str) -> String {
    format!(
        r#"program lp64
file 0 "a.c"
global g0 external "g" size 32 align 8
wide w0 = 0x1
check c0 null-deref f0
check c1 out-of-bounds f0
check c2 null-deref f0
check c3 unsupported f0
check c4 leak f1
check c5 invalid-call f0
function f0 external "f" (i32, ptr, memory 16 align 8) -> i32 {{
  reg v0: i32 "x"
  reg v1: ptr "p"
  reg v2: i64
  reg v3: i1
  reg v4: f64
  reg v5: i8
  reg v6: f80
  reg v7: i128
  reg v8: f32
  slot s0 size 16 align 8
  slot s1 size 0 align 8
  params v0, v1, s0
b0:
{lines}
b1:
  unreachable
}}
function f1 external "two" (i32, ptr) {{
  reg v0: i32
  reg v1: ptr
  params v0, v1
b0:
  return
}}
function f2 external "variadic" (i32, ...) -> i32 {{
  reg v0: i32
  params v0
b0:
  return 0
}}
function f3 external "old" () unprototyped
"#
    )
}

fn program(lines: &str) -> Program {
    parse(&text(lines)).unwrap_or_else(|e| panic!("{e} in {lines}"))
}

/// Returns the complaints about an instruction.
fn complaints(inst: &str) -> Vec<String> {
    verify(&program(&format!("  {inst}\n  return 0 @none")))
}

#[track_caller]
fn good(inst: &str) {
    assert_eq!(complaints(inst), Vec::<String>::new(), "{inst}");
}

#[track_caller]
fn bad(inst: &str, complaint: &str) {
    assert_eq!(complaints(inst), [format!("f0 f b0[0]: {complaint}")], "{inst}");
}

#[track_caller]
fn bad_end(end: &str, complaint: &str) {
    assert_eq!(verify(&program(end)), [format!("f0 f b0 end: {complaint}")], "{end}");
}

/// Asserts that the verifier reports exactly `complaint` after a change to the program.
#[track_caller]
fn bad_after(change: impl FnOnce(&mut Program), complaint: &str) {
    let mut program = program("  return 0");
    change(&mut program);
    assert_eq!(verify(&program), [complaint.to_owned()]);
}

#[test]
fn well_formed_instructions_pass() {
    for inst in [
        "v0 = move -1",
        "v1 = move f1",
        "v1 = move b1",
        "v6 = move w0",
        "v7 = move w0",
        "v7 = move -5",
        "v3 = move 1",
        "v8 = move 4294967295",
        "v4 = neg f64 v4",
        "v3 = not i1 v3",
        "v4 = add f64 v4, 0",
        "v3 = eq ptr v1, 0",
        "v1 = int_to_ptr i64 v2 to ptr",
        "v1 = ptr_add s0, v2 * 8",
        "v0 = load i32 v1+4 !c0..c1",
        "v0 = load_bits i32 v1 bits 7+32",
        "enter v0",
        "leave s0",
        "enter_vla s1 size v2",
        "call f1(i32 1, ptr 0)",
        "v0 = call f2(i32 1, ..., f64 v4) -> i32",
        "call f2(i32 1)",
        "call f3(i32 1, i32 2) unprototyped",
        "call f1(i32 1) unprototyped",
        "call f1(i32 1) !c5",
        "v8 = intrinsic math_sqrt(v8)",
        "intrinsic math_sqrt(v8)",
        "v7 = intrinsic nondet()",
        "v1 = intrinsic closure(f1, s0, s1)",
        "unsupported \"asm\" !c3",
    ] {
        good(inst);
    }
}

#[test]
fn ids_are_in_range() {
    bad("v9 = undef", "v9 does not exist");
    bad("v0 = move v9", "v9 does not exist");
    bad("v1 = move s2", "s2 does not exist");
    bad("v1 = move g1", "g1 does not exist");
    bad("v1 = move f4", "f4 does not exist");
    bad("v1 = move b2", "b2 does not exist");
    bad("v6 = move w1", "w1 does not exist");
    bad("enter v9", "v9 does not exist");
    bad("leave s2", "s2 does not exist");
    bad("enter_vla s2 size v2", "s2 does not exist");
    bad("call f4()", "f4 does not exist");
    bad("enter s0 @1:1:1", "its file 1 does not exist");
    bad_end("  jump b2", "b2 does not exist");
    bad_end("  branch v3, b1, b2", "b2 does not exist");
    bad_end("  branch v3, b2, b1", "b2 does not exist");
    bad_end("  switch i32 v0 { 1: b2, else: b1 }", "b2 does not exist");
    bad_end("  switch i32 v0 { else: b2 }", "b2 does not exist");
    bad_end("  jump_to v1 [b1, b2]", "b2 does not exist");
    bad_end("  return 0 @1:1:1", "its file 1 does not exist");
}

#[test]
fn registers_have_the_types_of_their_uses() {
    bad("v0 = move v2", "v2 has type i64 but is used as i32");
    bad("v0 = neg i64 v2", "v0 has type i32 but is assigned i64");
    bad("v0 = add i32 v0, v2", "v2 has type i64 but is used as i32");
    bad("v0 = add i32 v2, v0", "v2 has type i64 but is used as i32");
    bad("v2 = sdiv i32 v0, 1", "v2 has type i64 but is assigned i32");
    bad("v0 = eq i32 v0, 0", "v0 has type i32 but is assigned i1");
    bad("v2 = sext i8 v0 to i64", "v0 has type i32 but is used as i8");
    bad("v0 = sext i8 v5 to i64", "v0 has type i32 but is assigned i64");
    bad("v2 = ptr_add v1, v2 * 1", "v2 has type i64 but is assigned ptr");
    bad("v1 = ptr_add v2, v2 * 1", "v2 has type i64 but is used as ptr");
    bad("v1 = ptr_add v1, v0 * 1", "v0 has type i32 but is used as i64");
    bad("v0 = ptr_sub v1, v1", "v0 has type i32 but is assigned i64");
    bad("v2 = ptr_sub v1, v2", "v2 has type i64 but is used as ptr");
    bad("v0 = load i64 v1", "v0 has type i32 but is assigned i64");
    bad("v0 = load i32 v2", "v2 has type i64 but is used as ptr");
    bad("store i32 v1, v2", "v2 has type i64 but is used as i32");
    bad("store_bits i32 v1 bits 0+3, v2", "v2 has type i64 but is used as i32");
    bad("copy 8 to v2 from v1", "v2 has type i64 but is used as ptr");
    bad("copy 8 to v1 from v2", "v2 has type i64 but is used as ptr");
    bad("zero v2 size 8", "v2 has type i64 but is used as ptr");
    bad("enter_vla s1 size v0", "v0 has type i32 but is used as i64");
    bad("call_ptr v2()", "v2 has type i64 but is used as ptr");
    bad("call f1(i32 v2, ptr v1)", "v2 has type i64 but is used as i32");
    bad("call_ptr v1(memory 16 align 8 v2)", "v2 has type i64 but is used as ptr");
    bad("v2 = call f2(i32 1) -> i32", "v2 has type i64 but is assigned i32");
    bad_end("  branch v0, b1, b1", "v0 has type i32 but is used as i1");
    bad_end("  switch i32 v2 { else: b1 }", "v2 has type i64 but is used as i32");
    bad_end("  jump_to v2 [b1]", "v2 has type i64 but is used as ptr");
    bad_end("  return v2", "v2 has type i64 but is used as i32");
}

#[test]
fn constants_are_in_their_canonical_form() {
    bad("v5 = move 255", "255 is no constant of type i8");
    bad("v0 = move 4294967295", "4294967295 is no constant of type i32");
    bad("v3 = move 2", "2 is no constant of type i1");
    bad("v8 = move -1", "-1 is no constant of type f32");
    bad("v6 = move 0", "0 is no constant of type f80");
    bad("v2 = move w0", "w0 is no constant of type i64");
    bad("v2 = move g0", "the address of g0 is used as i64");
    bad("v2 = move s0", "the address of s0 is used as i64");
    bad("v2 = move f0", "the address of f0 is used as i64");
    bad("v2 = move b0", "the address of b0 is used as i64");
}

#[test]
fn operations_work_on_their_types() {
    bad("v4 = not f64 v4", "not does not work on f64");
    bad("v1 = neg ptr v1", "neg does not work on ptr");
    bad("v1 = add ptr v1, v1", "add does not work on ptr");
    bad("v0 = fdiv i32 v0, v0", "fdiv does not work on i32");
    bad("v4 = xor f64 v4, v4", "xor does not work on f64");
    bad("v4 = sdiv f64 v4, v4", "sdiv does not work on f64");
    bad("v3 = udiv i1 v3, v3", "udiv does not work on i1");
    bad("v3 = eq f64 v4, v4", "eq does not work on f64");
    bad("v3 = slt ptr v1, v1", "slt does not work on ptr");
    bad("v3 = flt i32 v0, v0", "flt does not work on i32");
    bad("v3 = load i1 v1", "i1 is never in memory");
    bad("store i1 v1, v3", "i1 is never in memory");
    bad("v7 = intrinsic math_sqrt(w0)", "math_sqrt does not work on i128");
    bad_end("  switch f64 v4 { else: b1 }", "switch does not work on f64");
}

#[test]
fn conversions_are_legal() {
    bad("v2 = trunc i32 v0 to i64", "trunc does not convert i32 to i64");
    bad("v0 = zext i64 v2 to i32", "zext does not convert i64 to i32");
    bad("v0 = sext i32 v0 to i32", "sext does not convert i32 to i32");
    bad("v0 = float_to_sint i64 v2 to i32", "float_to_sint does not convert i64 to i32");
    bad("v8 = uint_to_float f64 v4 to f32", "uint_to_float does not convert f64 to f32");
    bad("v4 = float_cast f64 v4 to f64", "float_cast does not convert f64 to f64");
    bad("v0 = ptr_to_int ptr v1 to i32", "ptr_to_int does not convert ptr to i32");
    bad("v1 = int_to_ptr i32 v0 to ptr", "int_to_ptr does not convert i32 to ptr");
}

#[test]
fn bit_ranges_are_in_bounds() {
    bad("v0 = load_bits i32 v1 bits 8+1", "bits 8+1 make no i32");
    bad("v0 = load_bits i32 v1 bits 0+0", "bits 0+0 make no i32");
    bad("v0 = load_bits i32 v1 bits 0+33", "bits 0+33 make no i32");
    bad("store_bits f64 v1 bits 0+3, v4", "bits 0+3 make no f64");
}

#[test]
fn checks_are_in_the_table_and_of_the_function() {
    bad("v0 = load i32 v1 !c6", "checks from c6 on, 1 of them, do not exist");
    bad("v0 = load i32 v1 !c3..c4294967295", "checks from c3 on, 4294967293 of them, do not exist");
    bad("v0 = load i32 v1 !c0..c2", "c2 is a second null-deref check");
    bad("store i32 v1, v0 !c4", "c4 belongs to f1");
    bad("copy 4 to v1 !c4 from v1", "c4 belongs to f1");
    bad("copy 4 to v1 from v1 !c4", "c4 belongs to f1");
    bad("v0 = udiv i32 v0, v0 !c4", "c4 belongs to f1");
    bad("v0 = load_bits i32 v1 bits 0+1 !c4", "c4 belongs to f1");
    bad("store_bits i32 v1 bits 0+1, v0 !c4", "c4 belongs to f1");
    bad("call f3() !c4", "c4 belongs to f1");
    bad("intrinsic heap_free(v1) !c4", "c4 belongs to f1");
    bad("unsupported \"x\" !c0", "it carries other checks than one of unsupported C");
    bad("unsupported \"x\"", "it carries other checks than one of unsupported C");
    bad_end("  branch v3, b1, b1 !c4", "c4 belongs to f1");
    bad_end("  switch i32 v0 { else: b1 } !c4", "c4 belongs to f1");
    bad_end("  jump_to v1 [b1] !c4", "c4 belongs to f1");
    bad_after(|p| p.checks[1].function = FuncId(9), "c1: its function f9 does not exist");
    let elsewhere = Loc { file: FileId(3), line: 1, column: 1 };
    bad_after(|p| p.checks[1].loc = elsewhere, "c1: its file 3 does not exist");
}

#[test]
fn calls_agree_with_the_signature() {
    bad("call f1(i32 1)", "1 fixed arguments, f1 has 2 parameters");
    bad("call f1(i32 1, ptr 0, i32 2)", "3 fixed arguments, f1 has 2 parameters");
    bad("call f1(i32 1, ptr 0, ..., i32 2)", "f1 takes no variable arguments");
    bad("v0 = call f1(i32 1, ptr 0)", "v0 takes the result of a call that has none");
    bad("call f2(i32 1, ..., i1 v3)", "an argument has type i1, which no C type has");
    bad("call f2(i32 1, ..., memory 4 align 3 v1)", "alignment 3 of an argument is no power of two");
    let mut program = program("  call_ptr v1(i32 1)\n  return 0");
    for inst in &mut program.functions[0].body.as_mut().expect("it has a body").blocks[0].insts {
        let Inst::Call(call) = inst else { panic!("it is a call") };
        call.fixed = 2;
    }
    assert_eq!(verify(&program), ["f0 f b0[0]: 2 fixed arguments of 1"]);
}

#[test]
fn intrinsic_arguments_match_the_parameters() {
    bad("v1 = intrinsic heap_alloc()", "heap_alloc has 0 arguments instead of 1");
    bad("v1 = intrinsic heap_alloc(v0)", "v0 has type i32 but is used as i64");
    bad("v0 = intrinsic heap_alloc(v2)", "v0 has type i32 but is assigned ptr");
    bad("v0 = intrinsic heap_free(v1)", "heap_free has no result for v0");
    bad("v1 = intrinsic closure()", "closure has 0 arguments instead of 1");
    bad("v1 = intrinsic closure(f1, v0)", "v0 has type i32 but is used as ptr");
    bad("v4 = intrinsic math_pow(v4, v8)", "v8 has type f32 but is used as f64");
    bad("intrinsic math_pow(v4, v8)", "v8 has type f32 but is used as f64");
}

#[test]
fn switches_are_disjoint() {
    bad_end("  switch i32 signed v0 { 1: b1, 1: b1, else: b1 }", "the ranges 1..1 and 1..1 overlap");
    bad_end("  switch i32 signed v0 { 7: b1, 1..9: b1, else: b1 }", "the ranges 1..9 and 7..7 overlap");
    bad_end("  switch i32 signed v0 { 9..1: b1, else: b1 }", "the range 9..1 is empty");
    bad_end("  switch i32 v0 { -1..1: b1, else: b1 }", "the range -1..1 is empty");
    bad_end("  switch i8 v5 { 200: b1, else: b1 }", "200..200 is no range of i8");
    let unsigned = program("  switch i32 v0 { 5..-1: b1, 0..4: b1, else: b1 }");
    assert_eq!(verify(&unsigned), Vec::<String>::new());
}

#[test]
fn returns_agree_with_the_signature() {
    bad_after(|p| p.functions[0].signature.ret = None, "f0 f b0 end: it returns a value but has no result");
    assert_eq!(verify(&program("  return")), Vec::<String>::new(), "the end may be fallen off");
}

#[test]
fn functions_are_complete() {
    let body = |p: &mut Program| p.functions[0].body.take().unwrap_or_default();
    bad_after(
        |p| {
            let mut changed = body(p);
            changed.blocks.clear();
            p.functions[0].body = Some(changed);
        },
        "f0 f: it has no entry block",
    );
    bad_after(
        |p| {
            let mut changed = body(p);
            changed.blocks[0].locs.push(Loc::NONE);
            p.functions[0].body = Some(changed);
        },
        "f0 f b0 end: 0 instructions but 1 places",
    );
    bad_after(
        |p| {
            let mut changed = body(p);
            changed.slots[0].align = 0;
            p.functions[0].body = Some(changed);
        },
        "f0 f: alignment 0 of s0 is no power of two",
    );
    bad_after(|p| p.functions[2].name = "two".into(), "f2 two: another function has that name and external linkage");
    let ty = crate::inst::Ty::I1;
    bad_after(|p| p.functions[1].signature.ret = Some(ty), "f1 two: the result has type i1, which no C type has");
    let passing = crate::inst::Passing::Scalar(ty);
    bad_after(
        |p| p.functions[3].signature.params.push(passing),
        "f3 old: parameter 0 has type i1, which no C type has",
    );
}

#[test]
fn parameters_match_the_signature() {
    let changed = |from: &str, to: &str| {
        let text = text("  return 0");
        assert!(text.contains(from));
        verify(&parse(&text.replacen(from, to, 1)).expect("the text is well-formed"))
    };
    assert_eq!(changed("params v0, v1, s0", "params v0, v1"), ["f0 f: 2 parameters in the body, 3 declared"]);
    assert_eq!(changed("params v0, v1, s0", "params v2, v1, s0"), ["f0 f: v2 has type i64 but is assigned i32"]);
    assert_eq!(changed("params v0, v1, s0", "params v0, v1, s1"), ["f0 f: parameter 2 has 16 bytes, its s1 has 0"]);
    assert_eq!(changed("params v0, v1, s0", "params s0, v1, s0"), ["f0 f: parameter 0 is a scalar but goes to a slot"]);
    assert_eq!(
        changed("params v0, v1, s0", "params v0, v1, v2"),
        ["f0 f: parameter 2 is passed in memory but goes to a register"]
    );
    assert_eq!(changed("memory 16 align 8)", "i32)"), ["f0 f: parameter 2 is a scalar but goes to a slot"]);
    assert_eq!(
        changed("(i32, ptr, memory 16 align 8)", "(ptr, ptr, memory 16 align 8)"),
        ["f0 f: v0 has type i32 but is assigned ptr"]
    );
    assert_eq!(
        changed("(i32, ptr, memory 16 align 8) -> i32 {", "(i32, i32, memory 16 align 8) -> i32 {"),
        ["f0 f: v1 has type ptr but is assigned i32"]
    );
}

#[test]
fn slots_of_variable_length_arrays_have_no_size() {
    bad("enter_vla s0 size v2", "s0 has a size of its own");
}

#[test]
fn initial_values_are_in_bounds() {
    let global = |lines: &str| {
        let text = format!(
            "program lp64\nglobal g0 external \"g\" {lines}\nfunction f0 external \"f\" () {{\nb0:\n  return\n}}\n"
        );
        verify(&parse(&text).expect("the text is well-formed"))
    };
    assert_eq!(global("size 16 align 8\n at 0 ptr g0\n at 8 ptr f0.b0"), Vec::<String>::new());
    assert_eq!(global("size 16 align 3"), ["g0 g: alignment 3 is no power of two"]);
    assert_eq!(global("size 2 align 1 = \"abc\""), ["g0 g: 3 bytes of initial value in 2 bytes"]);
    assert_eq!(global("size 2 align 1 @0:1:1"), ["g0 g: its file 0 does not exist"]);
    assert_eq!(global("size 16 align 8\n at 9 ptr g0"), ["g0 g: relocation at 9 is outside of 16 bytes"]);
    assert_eq!(
        global("size 16 align 8\n at 18446744073709551615 ptr g0"),
        ["g0 g: relocation at 18446744073709551615 is outside of 16 bytes"]
    );
    let order = "relocation at 4 overlaps the one before or is out of order";
    assert_eq!(global("size 16 align 8\n at 0 ptr g0\n at 4 ptr g0"), [format!("g0 g: {order}")]);
    assert_eq!(global("size 16 align 8\n at 8 ptr g0\n at 4 ptr g0"), [format!("g0 g: {order}")]);
    for (symbol, shown) in [("g1", "Global(g1)"), ("f1", "Function(f1)"), ("f0.b1", "Label(f0, b1)")] {
        let complaint = format!("g0 g: relocation at 0 points to {shown}, which does not exist");
        assert_eq!(global(&format!("size 16 align 8\n at 0 ptr {symbol}")), [complaint]);
    }
}
