//! Arithmetic, comparisons, conversions and control flow.

use super::*;

#[test]
fn operations_are_small() {
    assert_eq!(size_of::<crate::translate::op::Op>(), 16);
    assert_eq!(size_of::<crate::arithmetic::value::Value>(), 16);
}

#[test]
fn integers_wrap_at_their_width() {
    assert_eq!(status("v0 = move 2147483647\nv1 = add i32 v0, 1\nreturn v1"), i32::MIN);
    assert_eq!(status("v0 = move -8\nv1 = ashr i32 v0, 1\nreturn v1"), -4);
    assert_eq!(status("v0 = move -8\nv1 = lshr i32 v0, 28\nreturn v1"), 15);
    assert_eq!(status("v0 = move -7\nv1 = sdiv i32 v0, 2\nreturn v1"), -3);
    assert_eq!(status("v0 = move -7\nv1 = srem i32 v0, 2\nreturn v1"), -1);
    assert_eq!(status("v48 = move -1\nv0 = zext i8 v48 to i32\nreturn v0"), 255);
    assert_eq!(status("v48 = move -1\nv0 = sext i8 v48 to i32\nreturn v0"), -1);
    assert_eq!(status("v48 = move 127\nv48 = add i8 v48, 1\nv0 = sext i8 v48 to i32\nreturn v0"), -128);
    assert_eq!(status("v10 = move 4294967299\nv0 = trunc i64 v10 to i32\nreturn v0"), 3);
    assert_eq!(status("v0 = move 6\nv1 = trailing_zeros i32 v0\nreturn v1"), 1);
}

#[test]
fn wide_integers_take_two_registers() {
    let code = "v45 = move -1\nv46 = shl i128 v45, 100\nv46 = ashr i128 v46, 98\nv0 = trunc i128 v46 to i32\nreturn v0";
    assert_eq!(status(code), -4);
    let code = "v45 = move 1\nv45 = shl i128 v45, 64\nv46 = sub i128 v45, 1\nv30 = ult i128 v46, v45\n\
                v0 = zext i1 v30 to i32\nreturn v0";
    assert_eq!(status(code), 1);
}

#[test]
fn floats_of_every_width() {
    let code = format!(
        "v35 = move {}\nv36 = mul f64 v35, v35\nv0 = float_to_sint f64 v36 to i32\nreturn v0",
        1.5f64.to_bits()
    );
    assert_eq!(status(&code), 2);
    let code = "v42 = sint_to_float i32 7 to f80\nv43 = sint_to_float i32 2 to f80\nv42 = fdiv f80 v42, v43\n\
                v35 = float_cast f80 v42 to f64\nv35 = add f64 v35, v35\nv0 = float_to_sint f64 v35 to i32\nreturn v0";
    assert_eq!(status(code), 7);
}

#[test]
fn loops_and_switches() {
    let code = "v0 = move 0\nv1 = move 0\njump b1\nb1:\nv30 = slt i32 v0, 10\nbranch v30, b2, b3\nb2:\n\
                v1 = add i32 v1, v0\nv0 = add i32 v0, 1\njump b1\nb3:\nreturn v1";
    assert_eq!(status(code), 45);
    for (value, expected) in [(-5, 9), (-1, 1), (3, 2), (5, 2), (6, 9), (1000, 3)] {
        let code = format!(
            "v0 = move {value}\nswitch i32 signed v0 {{ -1: b1, 3..5: b2, 1000: b3, else: b4 }}\n\
             b1:\nreturn 1\nb2:\nreturn 2\nb3:\nreturn 3\nb4:\nreturn 9"
        );
        assert_eq!(status(&code), expected, "{value}");
    }
    let dense = "v0 = move 2\nswitch i32 signed v0 { 0: b1, 1: b2, 2: b3, else: b4 }\n\
                 b1:\nreturn 1\nb2:\nreturn 2\nb3:\nreturn 3\nb4:\nreturn 9";
    assert_eq!(status(dense), 3);
}

#[test]
fn labels_are_addresses() {
    let code = "v20 = move b2\njump_to v20 [b1, b2]\nb1:\nreturn 1\nb2:\nreturn 2";
    assert_eq!(status(code), 2);
    check_fault(
        "v20 = move g0\njump_to v20 [b1]\nb1:\nreturn 1",
        CheckKind::InvalidCall,
        "jump to a pointer that is not a label of this function",
    );
}

#[test]
fn division_by_zero_is_a_fault() {
    let kind = CheckKind::DivisionByZero;
    check_fault("v0 = move 0\nv1 = sdiv i32 1, v0\nreturn v1", kind, "division by zero or quotient overflow");
    let least = "v0 = move -1\nv1 = move -2147483648\nv1 = srem i32 v1, v0\nreturn v1";
    check_fault(least, kind, "division by zero or quotient overflow");
}

#[test]
fn uninitialised_values_may_be_copied_but_not_branched_on() {
    assert_eq!(status("v0 = undef\nv1 = add i32 v0, 1\nv2 = move v1\nreturn 0"), 0);
    let kind = CheckKind::Uninitialised;
    let decides = "branch depends on an uninitialised value";
    check_fault("v30 = eq i32 v0, 1\nbranch v30, b1, b1\nb1:\nreturn 0", kind, decides);
    check_fault("v30 = eq i32 v0, 1\nv31 = move v30\nbranch v31, b1, b1\nb1:\nreturn 0", kind, decides);
    check_fault("switch i32 signed v0 { 1: b1, else: b1 }\nb1:\nreturn 0", kind, decides);
    assert_eq!(status("switch i32 signed v0 { else: b1 }\nb1:\nreturn 0"), 0);
    check_fault("return v0", kind, "exit status is uninitialised");
    check_fault("v0 = load i32 v20\nreturn 0", kind, "read of 4 bytes at an uninitialised address");
    check_fault("enter s0\nv0 = load i32 s0\nv30 = ne i32 v0, 0\nbranch v30, b1, b1\nb1:\nreturn 0", kind, decides);
}

#[test]
fn steps_are_limited() {
    let options = Options { max_steps: Some(1000), ..Options::default() };
    let outcome = run_in(&main_with("jump b0"), &mut World::default(), &options);
    assert_eq!(outcome.ending, Ending::OutOfBudget("more than 1000 steps".to_owned()));
    assert!(outcome.steps >= 1000 && outcome.steps < 1010);
}
