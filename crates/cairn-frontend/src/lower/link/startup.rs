//! Functions with the attributes `constructor` and `destructor`.
//!
//! Constructors are called at the start of `main`. Destructors are registered there with `atexit`, so that they run
//! last at program exit.

use cairn_ir::inst::{Call, Passing};
use cairn_ir::program::{Function, Linkage, Origin, Program, Signature};
use cairn_ir::{Arg, Callee, CheckKind, Checks, FuncId, Inst, Loc, Operand, Ty};

/// The function that registers destructors.
pub(crate) const ATEXIT: &str = "atexit";

/// Returns the declaration of `atexit`, for programs without one.
pub(crate) fn atexit() -> Function {
    let signature = Signature {
        ret: Some(Ty::I32),
        params: vec![Passing::Scalar(Ty::Ptr)],
        variadic: false,
        prototyped: true,
        noreturn: false,
    };
    let (name, linkage, origin) = (ATEXIT.to_owned(), Linkage::External, Origin::User);
    Function { name, linkage, signature, origin, loc: Loc::NONE, body: None }
}

/// Inserts the calls at the start of `main`. Lower priorities come first, and functions registered first run last.
pub(crate) fn run_unasked(
    program: &mut Program,
    mut constructors: Vec<(u16, FuncId)>,
    mut destructors: Vec<(u16, FuncId)>,
) {
    if constructors.is_empty() && destructors.is_empty() {
        return;
    }
    let Some(main) = program.function_named("main") else { return };
    constructors.sort_by_key(|&(priority, _)| priority);
    destructors.sort_by_key(|&(priority, _)| priority);
    let mut calls = Vec::new();
    if let Some(atexit) = program.function_named(ATEXIT) {
        for &(_, id) in &destructors {
            let arg = Arg { value: Operand::Function(id), passing: Passing::Scalar(Ty::Ptr) };
            calls.push((call(atexit, vec![arg], Some(Ty::I32)), program.functions[id.index()].loc));
        }
    }
    for &(_, id) in &constructors {
        let loc = program.functions[id.index()].loc;
        if program.functions[id.index()].signature.params.is_empty() {
            let ret = program.functions[id.index()].signature.ret;
            calls.push((call(id, Vec::new(), ret), loc));
        } else {
            let checks = program.add_checks(&[CheckKind::Unsupported], main, loc);
            calls.push((Inst::Unsupported { what: "constructor with parameters".into(), checks }, loc));
        }
    }
    let body = program.functions[main.index()].body.as_mut();
    if let Some(entry) = body.and_then(|body| body.blocks.first_mut()) {
        let (insts, locs): (Vec<Inst>, Vec<Loc>) = calls.into_iter().unzip();
        entry.insts.splice(0..0, insts);
        entry.locs.splice(0..0, locs);
    }
}

fn call(function: FuncId, args: Vec<Arg>, ret: Option<Ty>) -> Inst {
    let (fixed, callee) = (args.len() as u32, Callee::Function(function));
    Inst::Call(Box::new(Call {
        dst: None,
        callee,
        args,
        ret,
        fixed,
        prototyped: true,
        checks: Checks::NONE,
        ctype: None,
    }))
}
