//! Each pass on a small program.

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

/// The program after one pass; it is well-formed.
fn after(pass: fn(&mut Program), text: &str) -> String {
    let mut program = read(text);
    pass(&mut program);
    assert_eq!(verify(&program), Vec::<String>::new());
    print(&program)
}

/// `int malloc();` and `int memset();`: arguments and results are converted.
#[test]
fn declared_library_functions_are_called_as_the_caller_sees_them() {
    use crate::check::Checks;
    use crate::ids::{FuncId, Reg};
    use crate::inst::{Arg, Call, Callee, Inst, Operand, Passing, Terminator, Ty};
    use crate::program::{Block, Body, Function, Linkage, Origin, RegInfo, Signature};
    use crate::source::Loc;
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
    super::bind_library::run(&mut program);
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
fn a_call_that_does_not_return_ends_its_block() {
    let out = after(
        super::bind_library::run,
        "program lp64\nfunction f0 external \"main\" () {\n reg v0: i32\nb0:\n call f1()\n v0 = move 1\n return\n}\n\
         function f1 external \"abort\" ()\n",
    );
    assert!(out.contains("intrinsic abort()"), "{out}");
    assert!(out.contains("unreachable") && !out.contains("move"), "{out}");
}

#[test]
fn threads_are_not_modelled() {
    let out = after(
        super::bind_library::run,
        "program lp64\nfunction f0 external \"main\" () {\nb0:\n call f1()\n return\n}\nfunction f1 external \"pthread_exit\" ()\n",
    );
    assert!(out.contains("unsupported \"`pthread_exit` (threads)\""), "{out}");
}

#[test]
fn a_library_function_whose_address_is_used_gets_a_body() {
    let out = after(
        super::bind_library::run,
        "program lp64\nfunction f0 external \"main\" () {\n reg v0: ptr\nb0:\n v0 = move f1\n return\n}\n\
         function f1 external \"free\" (ptr)\n",
    );
    assert!(out.contains("intrinsic heap_free(v0)"), "{out}");
}

#[test]
fn blocks_are_joined_and_unreached_ones_go() {
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
fn endless_empty_loops_stay() {
    let out = after(
        super::tidy_blocks::run,
        "program lp64\nfunction f0 external \"main\" () {\nb0:\n jump b1\nb1:\n jump b2\nb2:\n jump b1\n}\n",
    );
    assert!(out.contains("jump b1"), "{out}");
}

#[test]
fn only_what_is_used_stays() {
    let out = after(
        super::drop_unused::run,
        "program lp64\nfunction f0 external \"unused\" ()\nfunction f1 external \"used\" ()\n\
         function f2 external \"main\" () {\nb0:\n call f1()\n return\n}\n",
    );
    assert!(!out.contains("unused"), "{out}");
    assert!(out.contains("call f0()"), "{out}");
}
