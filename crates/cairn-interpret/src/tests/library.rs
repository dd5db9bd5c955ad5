//! The intrinsics behind the C library: bytes, strings, `printf` and `strtod`.

use super::*;

#[test]
fn copies_must_not_overlap() {
    let code = "enter s0\nzero s0 size 16\nv20 = ptr_add s0, 4 * 1\nintrinsic OP(v20, s0, SIZE)\nreturn 0";
    let run = |op: &str, size: &str| code.replace("OP", op).replace("SIZE", size);
    assert_eq!(status(&run("move_bytes", "8")), 0);
    assert_eq!(status(&run("copy_bytes", "4")), 0);
    let fault = fault(&run("copy_bytes", "5"));
    assert_eq!(fault.kind, CheckKind::Overlap);
    assert_eq!(status("intrinsic copy_bytes(0, 0, 0)\nreturn 0"), 0);
    assert_eq!(status("enter s0\nzero s0 size 16\nintrinsic copy_bytes(s0, s0, 16)\nreturn 0"), 0);
}

#[test]
fn bytes_are_filled_and_compared() {
    let code = "enter s1\nintrinsic fill_bytes(s1, 1, 8)\nv0 = load i32 s1\nreturn v0";
    assert_eq!(status(code), 0x0101_0101);
    assert_eq!(status("v0 = intrinsic compare_bytes(g1, g1, 6)\nreturn v0"), 0);
    let code = "enter s1\nstore i8 s1, 104\nstore i8 s1+1, 120\nv0 = intrinsic compare_bytes(s1, g1, 6)\nreturn v0";
    assert_eq!(status(code), i32::from(b'x') - i32::from(b'e'));
    let code = "enter s1\nv0 = intrinsic compare_bytes(s1, g1, 6)\nreturn v0";
    assert_eq!(fault(code).kind, CheckKind::Uninitialised);
    let code = "enter s1\nintrinsic fill_bytes(s1, 1, 9)\nreturn 0";
    assert_eq!(fault(code).message, "write of 9 bytes at offset 0 of `other` (8 bytes, stack)");
}

#[test]
fn strings_end_inside_their_object() {
    assert_eq!(status("v10 = intrinsic string_length(g1)\nv0 = trunc i64 v10 to i32\nreturn v0"), 5);
    let code = "enter s1\nintrinsic fill_bytes(s1, 65, 8)\nv10 = intrinsic string_length(s1)\nreturn 0";
    check_fault(code, CheckKind::OutOfBounds, "read of 1 byte at offset 8 of `other` (8 bytes, stack)");
}

#[test]
fn object_sizes() {
    let code =
        "enter s0\nv20 = ptr_add s0, 6 * 1\nv10 = intrinsic object_size(v20)\nv0 = trunc i64 v10 to i32\nreturn v0";
    assert_eq!(status(code), 10);
}

#[test]
fn inputs_come_from_the_host() {
    let code = "v0 = intrinsic nondet()\nv1 = intrinsic nondet()\nv30 = slt i32 v1, 0\nbranch v30, b1, b2\nb1:\n\
                return v0\nb2:\nintrinsic assume(0)\nreturn 0";
    let mut world = World { nondet: vec![5, 0xffff_ffff], ..World::default() };
    assert_eq!(run_in(&main_with(code), &mut world, &Options::default()).ending, Ending::Exited(5));
    let outcome = run_in(&main_with(code), &mut World::default(), &Options::default());
    assert_eq!(outcome.ending, Ending::AssumptionFailed);
    let outcome = run_in(&main_with("intrinsic abort()\nunreachable"), &mut World::default(), &Options::default());
    assert_eq!(outcome.ending, Ending::Aborted);
    assert_eq!(fault("intrinsic assert_fail()\nunreachable").kind, CheckKind::Assertion);
}

/// Returns a program whose `main` calls `printf` with a format and arguments.
fn print_program(format: &str, args: &str) -> String {
    let escaped: String = format.bytes().map(|b| format!("\\{b:02x}")).collect();
    let comma = if args.is_empty() { "" } else { ", ..., " };
    let ellipsis = if args.is_empty() { "" } else { args };
    format!(
        "program lp64\nfile 0 \"t.c\"\n\
         global g0 internal \".str\" size {} align 1 constant = \"{escaped}\"\n\
         global g1 internal \".str\" size 6 align 1 constant = \"hello\"\n\
         global g2 external \"n\" size 8 align 8\n\
         wide w0 = 0x3fff8000000000000000\n\
         function f0 external \"main\" () -> i32 {{\nreg v0: i32\nreg v1: f80\nreg v2: f64\nb0:\n\
         v1 = move w0\nv0 = call f1(ptr g0{comma}{ellipsis}) -> i32\nreturn v0\n}}\n\
         function f1 external \"printf\" (ptr, ...) -> i32 model {{\nreg v0: ptr\nreg v1: ptr\nreg v2: i32\nparams v0\n\
         b0:\nv1 = intrinsic va_start()\nv2 = intrinsic format_file(1, v0, v1)\nreturn v2\n}}\n",
        format.len() + 1
    )
}

#[track_caller]
fn printed(format: &str, args: &str) -> String {
    let mut world = World::default();
    let outcome = run_in(&print_program(format, args), &mut world, &Options::default());
    assert_eq!(outcome.ending, Ending::Exited(world.output.len() as i32));
    String::from_utf8_lossy(&world.output).into_owned()
}

#[test]
fn printf_of_integers() {
    assert_eq!(
        printed("%d|%5d|%-5d|%05d|%+d|% d", "i32 1, i32 -2, i32 3, i32 -4, i32 5, i32 6"),
        "1|   -2|3    |-0004|+5| 6"
    );
    assert_eq!(printed("%x|%#X|%o|%#o|%u", "i32 255, i32 255, i32 8, i32 8, i32 -1"), "ff|0XFF|10|010|4294967295");
    assert_eq!(printed("%hhd|%hu|%ld|%lld|%zu", "i32 257, i32 65537, i64 -1, i64 5, i64 6"), "1|1|-1|5|6");
    assert_eq!(
        printed("%.3d|%8.3d|%.0d|%*d|%-*d|", "i32 7, i32 7, i32 0, i32 4, i32 1, i32 3, i32 2"),
        "007|     007||   1|2  |"
    );
    assert_eq!(printed("%c%c%%", "i32 65, i32 10"), "A\n%");
    assert_eq!(printed("plain", ""), "plain");
    assert_eq!(printed("%2$d %1$d %2$*3$d|", "i32 1, i32 2, i32 4"), "2 1    2|");
}

#[test]
fn printf_of_strings_and_pointers() {
    assert_eq!(printed("[%s|%7s|%-7s|%.2s]", "ptr g1, ptr g1, ptr g1, ptr g1"), "[hello|  hello|hello  |he]");
    assert_eq!(printed("%p", "ptr 0"), "(nil)");
    assert_eq!(printed("ab%nc", "ptr g2"), "abc");
}

#[test]
fn printf_of_floats() {
    let d = |v: f64| format!("f64 {}", v.to_bits() as i64);
    assert_eq!(
        printed("%f|%.2f|%8.1f|%-8.1f|%08.1f", &[1.5, 2.345, -1.25, 1.0, -1.5].map(d).join(", ")),
        "1.500000|2.35|    -1.2|1.0     |-00001.5"
    );
    assert_eq!(
        printed("%e|%g|%G|%a", &[12345.678, 0.0001, 1e20, 1.0].map(d).join(", ")),
        "1.234568e+04|0.0001|1E+20|0x1p+0"
    );
    assert_eq!(
        printed("%f %F %5.1f", &[f64::INFINITY, f64::NAN.copysign(1.0), f64::NEG_INFINITY].map(d).join(", ")),
        "inf NAN  -inf"
    );
    assert_eq!(printed("%Lf|%.20Lg", "f80 v1, f80 v1"), "1.000000|1");
}

#[test]
fn printf_checks_its_arguments() {
    let fault = |format: &str, args: &str| fault_in(&print_program(format, args));
    assert_eq!(fault("%d %d", "i32 1").kind, CheckKind::OutOfBounds);
    assert_eq!(fault("%d", "i32 v0").kind, CheckKind::Uninitialised);
    assert_eq!(fault("%ld", "i32 1").kind, CheckKind::InvalidCall);
    assert_eq!(fault("%d", "i64 1").kind, CheckKind::InvalidCall);
    assert_eq!(fault("%d", "f64 0").kind, CheckKind::InvalidCall);
    assert_eq!(fault("%f", "i64 0").kind, CheckKind::InvalidCall);
    assert_eq!(fault("%s", "ptr 0").kind, CheckKind::NullDeref);
    assert_eq!(fault("%s", "i32 0").kind, CheckKind::InvalidCall);
}

#[test]
fn doubles_are_parsed_exactly() {
    let code = "global g0 internal \".str\" size 16 align 1 constant = \"  0x1.8p1rest\"\n";
    let text = format!(
        "program lp64\nfile 0 \"t.c\"\n{code}function f0 external \"main\" () -> i32 {{\nreg v0: i32\nreg v1: f64\n\
         reg v2: ptr\nreg v3: i64\nreg v4: i32\nslot s0 size 8 align 8\nb0:\nenter s0\n\
         v1 = intrinsic parse_float(g0, s0)\nv0 = float_to_sint f64 v1 to i32\nv2 = load ptr s0\n\
         v3 = ptr_sub v2, g0\nv4 = trunc i64 v3 to i32\nv4 = mul i32 v4, 10\nv0 = add i32 v0, v4\nreturn v0\n}}\n"
    );
    assert_eq!(run_in(&text, &mut World::default(), &Options::default()).ending, Ending::Exited(93));
}
