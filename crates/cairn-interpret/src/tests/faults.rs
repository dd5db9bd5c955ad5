//! Memory faults with their messages and histories, and leaks.

use super::*;

#[test]
fn loads_and_stores_of_named_objects() {
    assert_eq!(status("v0 = load i32 g0\nstore i32 g0, 35\nv1 = load i32 g0\nv0 = add i32 v0, v1\nreturn v0"), 42);
    let code = "enter s0\nstore i64 s0+8, -2\nv0 = load i32 s0+8\nv49 = load i16 s0+14\nv1 = sext i16 v49 to i32\n\
                v0 = add i32 v0, v1\nreturn v0";
    assert_eq!(status(code), -3);
    let code = "enter s0\nenter s1\nstore ptr s0+8, s1\nstore i32 s1, 5\nv20 = load ptr s0+8\nv0 = load i32 v20\n\
                return v0";
    assert_eq!(status(code), 5);
}

#[test]
fn wide_values_go_through_memory() {
    let code = "enter s0\nv45 = move -5\nstore i128 s0, v45\nv46 = load i128 s0\nv0 = trunc i128 v46 to i32\nreturn v0";
    assert_eq!(status(code), -5);
    let code = "enter s0\nv42 = sint_to_float i32 -9 to f80\nstore f80 s0, v42\nv43 = load f80 s0\n\
                v0 = float_to_sint f80 v43 to i32\nreturn v0";
    assert_eq!(status(code), -9);
}

#[test]
fn bit_fields_keep_their_neighbours() {
    let code = "enter s0\nzero s0 size 16\nstore_bits i32 s0 bits 3+7, -1\nv0 = load i32 s0\nreturn v0";
    assert_eq!(status(code), 0x3f8);
    let code = "enter s0\nstore_bits i32 s0 bits 3+7, 95\nv0 = load_bits i32 s0 bits 3+7 signed\nreturn v0";
    assert_eq!(status(code), -33);
    let code = "enter s0\nstore_bits i32 s0 bits 3+7, 95\nv0 = load_bits i32 s0 bits 2+7\nreturn v0";
    check_fault(code, CheckKind::Uninitialised, "exit status is uninitialised");
}

#[test]
fn bounds_are_those_of_the_pointers_own_object() {
    let kind = CheckKind::OutOfBounds;
    let message = "write of 4 bytes at offset 13 of `buffer` (16 bytes, stack)";
    check_fault("enter s0\nstore i32 s0+13, 1\nreturn 0", kind, message);
    let message = "read of 1 byte at offset -1 of `counter` (4 bytes, static)";
    check_fault("v20 = ptr_add g0, -1 * 1\nv48 = load i8 v20\nreturn 0", kind, message);
    // However far a pointer is from its object, it does not access another object there.
    let code = "enter s0\nenter s1\nstore i32 s1, 1\nv10 = ptr_sub s1, s0\nv20 = ptr_add s0, v10 * 1\n\
                v0 = load i32 v20\nreturn 0";
    assert_eq!(fault(code).kind, kind);
    // A pointer one past the end is valid.
    assert_eq!(status("v20 = ptr_add g0, 4 * 1\nv20 = ptr_add v20, -1 * 4\nv0 = load i32 v20\nreturn v0"), 7);
}

#[test]
fn pointers_without_an_object() {
    check_fault(
        "v20 = move 0\nv0 = load i32 v20\nreturn 0",
        CheckKind::NullDeref,
        "read of 4 bytes through a null pointer",
    );
    check_fault(
        "v20 = move 0\nstore i64 v20+24, 1\nreturn 0",
        CheckKind::NullDeref,
        "write of 8 bytes at offset 24 of a null pointer",
    );
    check_fault(
        "v10 = move 305419896\nv20 = int_to_ptr i64 v10 to ptr\nv0 = load i32 v20\nreturn 0",
        CheckKind::InvalidDeref,
        "read of 4 bytes at address 0x12345678, which is not in any object",
    );
    check_fault(
        "v0 = load i32 f0\nreturn 0",
        CheckKind::InvalidDeref,
        "read of 4 bytes of the function `main`, which is not data",
    );
    check_fault(
        "store i8 g1, 65\nreturn 0",
        CheckKind::InvalidDeref,
        "write of 1 byte to a string literal (6 bytes), which is constant",
    );
}

#[test]
fn integers_become_pointers_again() {
    let code = "v10 = ptr_to_int ptr g0 to i64\nv10 = add i64 v10, 2\nv10 = sub i64 v10, 2\n\
                v20 = int_to_ptr i64 v10 to ptr\nv0 = load i32 v20\nreturn v0";
    assert_eq!(status(code), 7);
    let code = "v20 = intrinsic heap_alloc(8)\nv10 = ptr_to_int ptr v20 to i64\nintrinsic heap_free(v20)\n\
                v21 = int_to_ptr i64 v10 to ptr\nv0 = load i32 v21\nreturn 0";
    assert_eq!(fault(code).kind, CheckKind::UseAfterFree);
}

#[test]
fn use_after_free_reports_the_history() {
    let code = "v20 = intrinsic heap_alloc(8)      @0:10:1\nstore i32 v20, 3\nv0 = load i32 v20\n\
                intrinsic heap_free(v20)            @0:11:1\nv1 = load i32 v20+4  @0:12:1\nreturn v0";
    let fault = fault(code);
    assert_eq!(fault.kind, CheckKind::UseAfterFree);
    assert_eq!(fault.message, "read of 4 bytes at offset 4 of a heap object of 8 bytes after it was freed");
    assert_eq!(fault.stack.len(), 1);
    assert_eq!(fault.stack[0].loc.line, 12);
    let history: Vec<_> = fault.history.iter().map(|e| (e.what.as_str(), e.stack[0].loc.line)).collect();
    assert_eq!(history, [("allocated here", 10), ("freed here", 11)]);
}

#[test]
fn invalid_frees_are_faults() {
    let twice = "v20 = intrinsic heap_alloc(8)\nintrinsic heap_free(v20)\nintrinsic heap_free(v20)\nreturn 0";
    check_fault(twice, CheckKind::DoubleFree, "free of a heap object of 8 bytes, which was freed before");
    let inside = "v20 = intrinsic heap_alloc(8)\nv20 = ptr_add v20, 4 * 1\nintrinsic heap_free(v20)\nreturn 0";
    let message = "free of a pointer to offset 4 of a heap object of 8 bytes, not to its start";
    check_fault(inside, CheckKind::InvalidFree, message);
    let message = "free of `counter` (4 bytes, static), which is not on the heap";
    check_fault("intrinsic heap_free(g0)\nreturn 0", CheckKind::InvalidFree, message);
    let undefined = "pointer passed to `free` is uninitialised";
    check_fault("intrinsic heap_free(v20)\nreturn 0", CheckKind::Uninitialised, undefined);
    assert_eq!(status("intrinsic heap_free(0)\nreturn 0"), 0);
}

#[test]
fn realloc_moves_and_keeps_the_contents() {
    let code = "v20 = intrinsic heap_realloc(0, 8, 0)\nstore i32 v20, 9\nv21 = intrinsic heap_realloc(v20, 400, 0)\n\
                v0 = load i32 v21\nv22 = intrinsic heap_realloc(v21, 0, 0)\nv30 = eq ptr v22, 0\nbranch v30, b1, b2\n\
                b1:\nreturn v0\nb2:\nreturn 0";
    assert_eq!(status(code), 9);
    let code = "v20 = intrinsic heap_alloc(8)\nv21 = intrinsic heap_realloc(v20, 16, 0)\nstore i8 v20, 1\nreturn 0";
    let fault = fault(code);
    assert_eq!(fault.kind, CheckKind::UseAfterFree);
}

#[test]
fn allocations_can_fail_and_respect_limits() {
    let code = "v20 = intrinsic heap_alloc(8)\nv30 = eq ptr v20, 0\nbranch v30, b1, b2\nb1:\nreturn 1\nb2:\nreturn 0";
    let mut world = World { failing: Some(1), ..World::default() };
    assert_eq!(run_in(&main_with(code), &mut world, &Options::default()).ending, Ending::Exited(1));
    assert_eq!(status(&code.replace("(8)", "(-1)")), 1);
    let budget = run_in(&main_with(&code.replace("(8)", "(5368709120)")), &mut World::default(), &Options::default());
    assert!(matches!(budget.ending, Ending::OutOfBudget(_)));
    // Large objects cost nothing until they are touched.
    let code = "v20 = intrinsic heap_alloc_zeroed(1000000000, 2)\nv0 = load i32 v20+1999999996\nreturn v0";
    assert_eq!(status(code), 0);
}

#[test]
fn stack_variables_end_with_their_block() {
    let code = "enter s1\nstore i32 s1, 1\nv20 = move s1\nleave s1   @0:20:3\nv0 = load i32 v20\nreturn 0";
    let fault = fault(code);
    assert_eq!(fault.kind, CheckKind::UseAfterScope);
    assert_eq!(fault.message, "read of 4 bytes at offset 0 of `other` (8 bytes, stack) after its lifetime ended");
    let history: Vec<_> = fault.history.iter().map(|e| (e.what.as_str(), e.stack[0].loc.line)).collect();
    assert_eq!(history, [("declared here", 5), ("lifetime ended here", 20)]);
}

#[test]
fn pointers_to_an_earlier_lifetime_dangle() {
    // The variable is entered again: the old pointer dangles, in a register and in memory.
    let stale = "enter s1\nv20 = move s1\nleave s1\nenter s1\nstore i32 s1, 1\nv0 = load i32 v20\nreturn 0";
    assert_eq!(fault(stale).kind, CheckKind::UseAfterScope);
    let stored = "enter s1\nstore ptr g2, s1\nleave s1\nenter s1\nstore i32 s1, 1\nv20 = load ptr g2\n\
                  v0 = load i32 v20\nreturn 0";
    assert_eq!(fault(stored).kind, CheckKind::UseAfterScope);
    let late = "enter s1\nv21 = move s1\nleave s1\nenter s1\nstore i32 s1, 1\nstore ptr g2, v21\nv20 = load ptr g2\n\
                v0 = load i32 v20\nreturn 0";
    assert_eq!(fault(late).kind, CheckKind::UseAfterScope);
    // The new lifetime starts uninitialised.
    let fresh = "enter s1\nstore i32 s1, 1\nleave s1\nenter s1\nv0 = load i32 s1\nreturn v0";
    assert_eq!(fault(fresh).kind, CheckKind::Uninitialised);
}

#[test]
fn variable_length_arrays() {
    let code = "enter_vla s2 size 12\nstore i32 s2+8, 3\nv0 = load i32 s2+8\nenter_vla s2 size 4\nreturn v0";
    assert_eq!(status(code), 3);
    let code = "enter_vla s2 size 12\nstore i32 s2+12, 3\nreturn 0";
    check_fault(code, CheckKind::OutOfBounds, "write of 4 bytes at offset 12 of `vla` (12 bytes, stack)");
}

#[test]
fn copies_keep_initialisation_and_links() {
    let code = "enter s0\nenter s1\nstore i32 s1, 77\nstore ptr s0+8, s1\nv20 = intrinsic heap_alloc(16)\n\
                copy 16 to v20 from s0\nv21 = load ptr v20+8\nv0 = load i32 v21\nreturn v0";
    assert_eq!(status(code), 77);
    let code = "enter s0\nv20 = intrinsic heap_alloc(16)\nstore i32 s0, 1\ncopy 16 to v20 from s0\nv0 = load i32 v20+4\n\
                return v0";
    assert_eq!(fault(code).kind, CheckKind::Uninitialised);
    let code = "v20 = intrinsic heap_alloc(8)\ncopy 16 to v20 from s0\nreturn 0";
    assert_eq!(fault(&format!("enter s0\n{code}")).kind, CheckKind::OutOfBounds);
}

#[test]
fn pointers_survive_bytewise_copies() {
    let bytes: String = (0..8).map(|i| format!("v48 = load i8 s0+{i}\nstore i8 g2+{i}, v48\n")).collect();
    let code = format!(
        "enter s0\nenter s1\nstore i32 s1, 6\nstore ptr s0, s1\n{bytes}v20 = load ptr g2\nv0 = load i32 v20\nreturn v0"
    );
    assert_eq!(status(&code), 6);
}

#[test]
fn leaks_are_distinguished_from_reachable_objects() {
    let code = "v20 = intrinsic heap_alloc(8)  @0:10:1\nv21 = intrinsic heap_alloc(16)   @0:11:1\n\
                store ptr g2+8, v20\nv22 = ptr_add v21, 16 * 1\nstore ptr v20, v22\n\
                v23 = intrinsic heap_alloc(5)  @0:12:1\nv23 = intrinsic heap_alloc_zeroed(1, 4)   @0:13:1\nreturn 0";
    let outcome = run_in(&main_with(code), &mut World::default(), &Options::default());
    let found: Vec<_> = outcome.leaks.iter().map(|l| (l.kind, l.stack[0].loc.line, l.message.as_str())).collect();
    let unfreed = "is still allocated when the program ends";
    let lost = "is unreachable and not freed";
    assert_eq!(
        found,
        [
            (CheckKind::Unfreed, 10, format!("heap object of 8 bytes {unfreed}").as_str()),
            (CheckKind::Unfreed, 11, format!("heap object of 16 bytes {unfreed}").as_str()),
            (CheckKind::Leak, 12, format!("heap object of 5 bytes {lost}").as_str()),
            (CheckKind::Leak, 13, format!("heap object of 4 bytes {lost}").as_str()),
        ]
    );
    // At `exit` the variables of active frames count, but not their temporaries.
    let code = "enter s0\nv20 = intrinsic heap_alloc(8)\nstore ptr s0, v20\nv20 = intrinsic heap_alloc(9)\n\
                intrinsic exit(0)\nunreachable";
    let outcome = run_in(&main_with(code), &mut World::default(), &Options::default());
    assert_eq!(outcome.leaks.iter().map(|l| l.kind).collect::<Vec<_>>(), [CheckKind::Unfreed, CheckKind::Leak]);
}

#[test]
fn objects_of_one_allocation_site_are_one_leak() {
    let code = "v0 = move 0\njump b1\nb1:\nv20 = intrinsic heap_alloc(8)\nv0 = add i32 v0, 1\nv30 = slt i32 v0, 3\n\
                branch v30, b1, b2\nb2:\nreturn 0";
    let outcome = run_in(&main_with(code), &mut World::default(), &Options::default());
    let messages: Vec<_> = outcome.leaks.iter().map(|l| l.message.as_str()).collect();
    let expected = "3 heap objects of 24 bytes together are unreachable and not freed";
    assert_eq!(messages, [expected]);
}

#[test]
fn tombstones_are_swept() {
    let code = "v0 = move 0\njump b1\nb1:\nv20 = intrinsic heap_alloc(8)\nintrinsic heap_free(v20)\nv0 = add i32 v0, 1\n\
                v30 = slt i32 v0, 3000000\nbranch v30, b1, b2\nb2:\nv1 = load i32 v20\nreturn 0";
    let fault = fault(code);
    assert_eq!(fault.kind, CheckKind::UseAfterFree);
}
