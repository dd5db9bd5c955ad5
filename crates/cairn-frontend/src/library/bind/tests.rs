//! Binding on small programs.

use cairn_ir::parse::parse;
use cairn_ir::print::print;
use cairn_ir::program::Program;
use cairn_ir::verify::verify;

use super::run;
use crate::library::{ReallocZero, Unmodelled};

/// The program after binding; it is well-formed.
fn after(text: &str) -> String {
    with_errors(text, &[])
}

/// Likewise, with these error functions.
fn with_errors(text: &str, errors: &[&str]) -> String {
    let mut program = match parse(text) {
        Ok(program) => program,
        Err(error) => panic!("line {}: {}", error.line, error.message),
    };
    program.error_functions = errors.iter().map(|&name| name.to_owned()).collect();
    run(&mut program, ReallocZero::Glibc, Unmodelled::Unsupported);
    assert_eq!(verify(&program), Vec::<String>::new());
    print(&program)
}

/// `int malloc();` and `int memset();`: arguments and results are converted.
#[test]
fn bound_calls_convert_to_the_declared_types() {
    use cairn_ir::check::Checks;
    use cairn_ir::inst::{Arg, Call, Callee, Inst, Operand, Passing, Terminator, Ty};
    use cairn_ir::program::{Block, Body, Function, Linkage, Origin, RegInfo, Signature};
    use cairn_ir::source::Loc;
    use cairn_ir::{FuncId, Reg};
    let signature =
        Signature { ret: Some(Ty::I32), params: Vec::new(), variadic: false, prototyped: false, noreturn: false };
    let function = |name: &str, body: Option<Body>| Function {
        name: name.to_owned(),
        linkage: Linkage::External,
        signature: Signature { prototyped: body.is_some(), ..signature.clone() },
        origin: Origin::User,
        loc: Loc::NONE,
        body,
    };
    let arg = |value| Arg { value, passing: Passing::Scalar(Ty::I32) };
    let call = |dst, id, args: Vec<Arg>| {
        let fixed = args.len() as u32;
        let (callee, ret) = (Callee::Function(FuncId(id)), Some(Ty::I32));
        Inst::Call(Box::new(Call {
            dst: Some(Reg(dst)),
            callee,
            args,
            ret,
            fixed,
            prototyped: false,
            checks: Checks::NONE,
            ctype: None,
        }))
    };
    let insts = vec![
        call(0, 1, vec![arg(Operand::Reg(Reg(0)))]),
        call(1, 2, vec![arg(Operand::Reg(Reg(0))), arg(Operand::Int(0)), arg(Operand::Int(4))]),
    ];
    let body = Body {
        regs: vec![RegInfo { ty: Ty::I32, name: None }; 2],
        blocks: vec![Block {
            locs: vec![Loc::NONE; insts.len()],
            insts,
            end: Terminator::Return(Some(Operand::Reg(Reg(1)))),
            end_loc: Loc::NONE,
        }],
        ..Body::default()
    };
    let mut program = Program {
        functions: vec![function("main", Some(body)), function("malloc", None), function("memset", None)],
        ..Program::default()
    };
    run(&mut program, ReallocZero::Glibc, Unmodelled::Unsupported);
    assert_eq!(verify(&program), Vec::<String>::new());
    let out = print(&program);
    let calls = [
        "sext i32 v0 to i64",
        "intrinsic heap_alloc(",
        "ptr_to_int",
        "trunc i64",
        "int_to_ptr",
        "intrinsic fill_bytes(",
    ];
    for expected in calls {
        assert!(out.contains(expected), "no {expected} in\n{out}");
    }
}

#[test]
fn noreturn_calls_end_their_block() {
    let out = after(
        "program lp64\nfunction f0 external \"main\" () {\n reg v0: i32\nb0:\n call f1()\n v0 = move 1\n return\n}\n\
         function f1 external \"abort\" ()\n",
    );
    assert!(out.contains("intrinsic abort()"), "{out}");
    assert!(out.contains("unreachable") && !out.contains("move"), "{out}");
}

#[test]
fn threads_are_not_modelled() {
    let out = after(
        "program lp64\nfunction f0 external \"main\" () {\nb0:\n call f1()\n return\n}\nfunction f1 external \"pthread_exit\" ()\n",
    );
    assert!(out.contains("unsupported \"`pthread_exit` (threads)\""), "{out}");
}

#[test]
fn address_taken_library_functions_get_a_body() {
    let out = after(
        "program lp64\nfunction f0 external \"main\" () {\n reg v0: ptr\nb0:\n v0 = move f1\n return\n}\n\
         function f1 external \"free\" (ptr)\n",
    );
    assert!(out.contains("intrinsic heap_free(v0)"), "{out}");
}

/// A program that calls `reach_error`, which it defines, `__VERIFIER_error`, which it does not, and `stop`, which it defines.
const ERRORS: &str = "program lp64\nfunction f0 external \"main\" () {\nb0:\n call f1()\n call f3()\n call f2()\n return\n}\n\
     function f1 external \"reach_error\" () {\nb0:\n return\n}\nfunction f2 external \"__VERIFIER_error\" ()\n\
     function f3 external \"stop\" () {\nb0:\n return\n}\n";

#[test]
fn definitions_win_over_names() {
    let out = with_errors(ERRORS, &[]);
    assert!(out.contains("call f1()") && out.contains("call f3()") && !out.contains("intrinsic"), "{out}");
}

#[test]
fn calls_of_error_functions_are_errors_despite_a_definition() {
    for (name, call) in [("reach_error", "call f1()"), ("__VERIFIER_error", "call f2()"), ("stop", "call f3()")] {
        let out = with_errors(ERRORS, &[name]);
        assert!(!out.contains(call) && out.contains("intrinsic reach_error()"), "{out}");
    }
}
