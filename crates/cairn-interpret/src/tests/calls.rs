//! Calls, variable arguments, function pointers, nested functions and jumps across frames.

use super::*;

const ADD: &str = "function f1 internal \"add\" (i32, i32) -> i32 @0:20:1 {\nreg v0: i32 \"a\"\nreg v1: i32 \"b\"\n\
                   reg v2: i32\nparams v0, v1\nb0:\nv2 = add i32 v0, v1\nreturn v2\n}\n";

#[track_caller]
fn status_with(code: &str, others: &str) -> i32 {
    match run_in(&program_with(code, others), &mut World::default(), &Options::default()).ending {
        Ending::Exited(status) => status,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn fault_with(code: &str, others: &str) -> Fault {
    fault_in(&program_with(code, others))
}

#[test]
fn arguments_and_results() {
    assert_eq!(status_with("v0 = call f1(i32 40, i32 2) -> i32\nreturn v0", ADD), 42);
    assert_eq!(status_with("v20 = move f1\nv0 = call_ptr v20(i32 40, i32 3) -> i32\nreturn v0", ADD), 43);
    let recursive = "function f1 internal \"sum\" (i32) -> i32 {\nreg v0: i32\nreg v1: i1\nreg v2: i32\nparams v0\n\
                     b0:\nv1 = eq i32 v0, 0\nbranch v1, b1, b2\nb1:\nreturn 0\nb2:\nv2 = sub i32 v0, 1\n\
                     v2 = call f1(i32 v2) -> i32\nv2 = add i32 v2, v0\nreturn v2\n}\n";
    assert_eq!(status_with("v0 = call f1(i32 1000) -> i32\nreturn v0", recursive), 500_500);
    let text = program_with("v0 = call f1(i32 -1) -> i32\nreturn v0", recursive);
    let outcome = run_in(&text, &mut World::default(), &Options::default());
    assert_eq!(outcome.ending, Ending::OutOfBudget("call depth exceeds 100000".to_owned()));
}

#[test]
fn wide_scalars_are_passed_whole() {
    let callee = "function f1 internal \"half\" (i128, f80) -> i128 {\nreg v0: i128\nreg v1: f80\nreg v2: i128\n\
                  params v0, v1\nb0:\nv2 = lshr i128 v0, 1\nreturn v2\n}\n";
    let code = "v45 = move 1\nv45 = shl i128 v45, 65\nv42 = sint_to_float i32 1 to f80\n\
                v46 = call f1(i128 v45, f80 v42) -> i128\nv46 = lshr i128 v46, 60\nv0 = trunc i128 v46 to i32\nreturn v0";
    assert_eq!(status_with(code, callee), 16);
}

#[test]
fn structs_are_copied() {
    let callee = "function f1 internal \"get\" (memory 16 align 8) -> i32 {\nreg v0: i32\n\
                  slot s0 \"p\" size 16 align 8\nparams s0\nb0:\nv0 = load i32 s0+4\nstore i32 s0+4, 0\nreturn v0\n}\n";
    let code = "enter s0\nzero s0 size 16\nstore i32 s0+4, 8\nv0 = call f1(memory 16 align 8 s0) -> i32\n\
                v1 = load i32 s0+4\nv0 = add i32 v0, v1\nreturn v0";
    assert_eq!(status_with(code, callee), 16);
}

#[test]
fn calls_with_another_type_are_faults() {
    let few = fault_with("v20 = move f1\nv0 = call_ptr v20(i32 1) -> i32\nreturn 0", ADD);
    assert_eq!(
        (few.kind, few.message.as_str()),
        (CheckKind::InvalidCall, "`add` takes 2 arguments, but the call passes 1")
    );
    let many = fault_with("v20 = move f1\nv0 = call_ptr v20(i32 1, i32 2, i32 3) -> i32\nreturn 0", ADD);
    assert_eq!(many.kind, CheckKind::InvalidCall);
    let class = fault_with("v20 = move f1\nv35 = move 0\nv0 = call_ptr v20(i32 1, f64 v35) -> i32\nreturn 0", ADD);
    assert_eq!(class.message, "argument 2 of the call of `add` has an incompatible type");
    let width = fault_with("v20 = move f1\nv0 = call_ptr v20(i32 1, i64 2) -> i32\nreturn 0", ADD);
    assert_eq!(width.kind, CheckKind::InvalidCall);
    let result = fault_with("v20 = move f1\nv35 = call_ptr v20(i32 1, i32 2) -> f64\nreturn 0", ADD);
    assert_eq!(result.kind, CheckKind::InvalidCall);
    assert_eq!(status_with("v0 = call f1(i32 1, i32 2) -> i32 unprototyped\nreturn v0", ADD), 3);
}

#[test]
fn calls_of_data_and_null_are_faults() {
    let data = fault("v20 = move g0\ncall_ptr v20()\nreturn 0");
    assert_eq!(data.message, "call through a pointer to `counter` (4 bytes, static)");
    let null = fault("v20 = move 0\ncall_ptr v20()\nreturn 0");
    assert_eq!((null.kind, null.message.as_str()), (CheckKind::InvalidCall, "call through a null pointer"));
    let undefined = fault("call_ptr v20()\nreturn 0");
    assert_eq!(undefined.kind, CheckKind::Uninitialised);
    let missing = fault_with("call f1()\nreturn 0", "function f1 external \"gone\" ()\n");
    assert_eq!(missing.kind, CheckKind::Unsupported);
    let options = Options { undefined_names_hold_anything: true, ..Options::default() };
    let mut world = World { nondet: vec![12], ..World::default() };
    let text = program_with("v0 = call f1() -> i32\nreturn v0", "function f1 external \"gone\" () -> i32\n");
    assert_eq!(run_in(&text, &mut world, &options).ending, Ending::Exited(12));
}

const SECOND: &str = "function f1 internal \"second\" (i32, ...) -> i32 {\nreg v0: i32\nreg v1: ptr\nreg v2: i32\n\
                      params v0\nb0:\nv1 = intrinsic va_start()\nv2 = load i32 v1+16\nreturn v2\n}\n";

#[test]
fn variable_arguments_lie_16_bytes_apart() {
    assert_eq!(status_with("v0 = call f1(i32 0, ..., i32 5, i32 6) -> i32\nreturn v0", SECOND), 6);
    let missing = fault_with("v0 = call f1(i32 0, ..., i32 5) -> i32\nreturn v0", SECOND);
    let message = "read of 4 bytes at offset 16 of the variable arguments of a call (1 of them)";
    assert_eq!((missing.kind, missing.message.as_str()), (CheckKind::OutOfBounds, message));
    assert_eq!(missing.stack.len(), 2);
    let aggregate = "enter s0\nzero s0 size 16\nstore i32 s0, 4\n\
                     v0 = call f1(i32 0, ..., i64 1, memory 16 align 8 s0) -> i32\nreturn v0";
    assert_eq!(status_with(aggregate, SECOND), 4);
}

#[test]
fn returned_addresses_of_locals_are_dead() {
    let callee = "function f1 internal \"leak\" () -> ptr {\nreg v0: ptr\nslot s0 \"x\" size 4 align 4 @0:30:7\n\
                  b0:\nenter s0\nstore i32 s0, 1\nv0 = move s0\nreturn v0    @0:31:3\n}\n";
    let fault = fault_with("v20 = call f1() -> ptr\nv21 = call f1() -> ptr\nv0 = load i32 v20\nreturn v0", callee);
    assert_eq!(fault.kind, CheckKind::UseAfterScope);
    let history: Vec<_> = fault.history.iter().map(|e| (e.what.as_str(), e.stack[0].loc.line)).collect();
    assert_eq!(history, [("declared here", 30), ("lifetime ended here", 31)]);
}

#[test]
fn alloca_lives_until_its_function_returns() {
    let callee = "function f1 internal \"room\" () -> ptr {\nreg v0: ptr\nb0:\nv0 = intrinsic stack_alloc(8)\n\
                  store i32 v0, 1\nreturn v0\n}\n";
    let fault = fault_with("v20 = call f1() -> ptr\nv0 = load i32 v20\nreturn v0", callee);
    assert_eq!(fault.kind, CheckKind::UseAfterScope);
    assert_eq!(fault.message, "read of 4 bytes at offset 0 of an alloca object of 8 bytes after its lifetime ended");
}

#[test]
fn stacks_are_kept_for_the_history() {
    let callee = "function f1 internal \"make\" () -> ptr {\nreg v0: ptr\nb0:\n\
                  v0 = intrinsic heap_alloc(4)  @0:40:9\nreturn v0\n}\n\
                  function f2 internal \"drop\" (ptr) {\nreg v0: ptr\nparams v0\nb0:\n\
                  intrinsic heap_free(v0)   @0:50:3\nreturn\n}\n";
    let code = "v20 = call f1() -> ptr  @0:10:1\ncall f2(ptr v20)   @0:11:1\ncall f2(ptr v20)   @0:12:1\nreturn 0";
    let fault = fault_with(code, callee);
    assert_eq!(fault.kind, CheckKind::DoubleFree);
    let lines = |stack: &[cairn_ir::source::StackPlace]| stack.iter().map(|p| p.loc.line).collect::<Vec<_>>();
    assert_eq!(lines(&fault.stack), [50, 12]);
    assert_eq!(lines(&fault.history[0].stack), [40, 10]);
    assert_eq!(lines(&fault.history[1].stack), [50, 11]);
}

#[test]
fn nested_functions_capture_addresses() {
    let nested = "function f1 internal \"main.inc\" (i32, ptr) -> i32 {\nreg v0: i32\nreg v1: ptr\nreg v2: i32\n\
                  params v0, v1\nb0:\nv2 = load i32 v1\nv2 = add i32 v2, v0\nstore i32 v1, v2\nreturn v2\n}\n";
    let code = "enter s1\nstore i32 s1, 5\nv20 = intrinsic closure(f1, s1)\nv0 = call_ptr v20(i32 2) -> i32\n\
                v1 = load i32 s1\nv0 = add i32 v0, v1\nreturn v0";
    assert_eq!(status_with(code, nested), 14);
    let maker = "function f1 internal \"inner\" (ptr) {\nreg v0: ptr\nparams v0\nb0:\nreturn\n}\n\
                 function f2 internal \"maker\" () -> ptr {\nreg v0: ptr\nslot s0 \"x\" size 4 align 4\nb0:\n\
                 enter s0\nv0 = intrinsic closure(f1, s0)\nreturn v0\n}\n";
    let fault = fault_with("v20 = call f2() -> ptr\ncall_ptr v20()\nreturn 0", maker);
    assert_eq!(fault.kind, CheckKind::InvalidCall);
}

#[test]
fn longjmp_goes_back_with_a_value() {
    let callee = "function f1 internal \"thrower\" (ptr) {\nreg v0: ptr\nslot s0 size 8 align 8\nparams v0\nb0:\n\
                  enter s0\nintrinsic longjmp(v0, 7)\nunreachable\n}\n";
    let code = "enter s0\nv1 = move 1\nv0 = intrinsic setjmp(s0)\nv30 = eq i32 v0, 0\nbranch v30, b1, b2\nb1:\n\
                v1 = move 30\ncall f1(ptr s0)\nreturn 99\nb2:\nv0 = add i32 v0, v1\nreturn v0";
    assert_eq!(status_with(code, callee), 37);
    let setter = "function f1 internal \"setter\" (ptr) -> i32 {\nreg v0: ptr\nreg v1: i32\nparams v0\nb0:\n\
                  v1 = intrinsic setjmp(v0)\nreturn v1\n}\n";
    let code = "enter s0\nv0 = call f1(ptr s0) -> i32\nintrinsic longjmp(s0, 1)\nunreachable";
    assert_eq!(fault_with(code, setter).kind, CheckKind::InvalidCall);
    assert_eq!(fault("enter s0\nintrinsic longjmp(s0, 1)\nunreachable").kind, CheckKind::Uninitialised);
}

#[test]
fn main_gets_its_arguments() {
    let text = "program lp64\nfile 0 \"t.c\"\nfunction f0 external \"main\" (i32, ptr) -> i32 {\nreg v0: i32\nreg v1: ptr\n\
                reg v2: ptr\nreg v3: i8\nreg v4: i32\nparams v0, v1\nb0:\nv2 = load ptr v1+8\nv3 = load i8 v2+1\n\
                v4 = zext i8 v3 to i32\nv4 = add i32 v4, v0\nreturn v4\n}\n";
    let options = Options { args: vec![b"p".to_vec(), b"xA".to_vec()], ..Options::default() };
    assert_eq!(run_in(text, &mut World::default(), &options).ending, Ending::Exited(67));
}

#[test]
fn handlers_of_the_exit_model_run_after_main() {
    let model = "function f1 external \"exit\" (i32) model noreturn {\nreg v0: i32\nparams v0\nb0:\n\
                 v0 = add i32 v0, 1\nintrinsic exit(v0)\nunreachable\n}\n";
    let text = program_with("return 5", model);
    // The printer defines the order of attributes in the text form.
    let text =
        if cairn_ir::parse::parse(&text).is_ok() { text } else { text.replace("model noreturn", "noreturn model") };
    assert_eq!(run_in(&text, &mut World::default(), &Options::default()).ending, Ending::Exited(6));
}
