//! Adds an `invalid-call` check to every direct call that does not match the definition of its callee.
//!
//! C checks a call against the visible declaration only. The declaration may disagree with the definition in another
//! file. The definition may also follow a call without a prototype, or the function may be hidden behind a cast. The
//! definition that a call reaches is known only after linking.

use crate::check::{Check, CheckKind, Checks};
use crate::ids::{CheckId, FuncId};
use crate::inst::{Call, Callee, Inst, Passing};
use crate::program::{Program, Signature};

/// Runs the pass.
pub(super) fn run(program: &mut Program) {
    let signatures: Vec<Option<Signature>> =
        program.functions.iter().map(|f| f.body.as_ref().map(|_| f.signature.clone())).collect();
    for (index, function) in program.functions.iter_mut().enumerate() {
        for block in function.body.iter_mut().flat_map(|b| &mut b.blocks) {
            for (inst, &loc) in block.insts.iter_mut().zip(&block.locs) {
                let Inst::Call(call) = inst else { continue };
                let Callee::Function(callee) = call.callee else { continue };
                let Some(Some(signature)) = signatures.get(callee.index()) else { continue };
                if call.checks.is_empty() && !fits(call, signature) {
                    call.checks = Checks { first: CheckId::new(program.checks.len()), count: 1 };
                    program.checks.push(Check { kind: CheckKind::InvalidCall, function: FuncId::new(index), loc });
                }
            }
        }
    }
}

/// Returns whether all arguments and the result match the callee's signature.
fn fits(call: &Call, signature: &Signature) -> bool {
    let named = signature.params.len();
    let count = if signature.variadic {
        call.args.len() >= named && call.fixed as usize == named
    } else {
        call.args.len() == named
    };
    let same = |(given, wanted): (Passing, Passing)| match (given, wanted) {
        (Passing::Scalar(given), Passing::Scalar(wanted)) => given == wanted,
        (Passing::Memory { size: given, .. }, Passing::Memory { size: wanted, .. }) => given == wanted,
        _ => false,
    };
    let given = call.args.iter().map(|arg| arg.passing);
    count && given.zip(signature.params.iter().copied()).all(same) && (call.ret.is_none() || call.ret == signature.ret)
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::parse::parse;
    use crate::print::print_inst;
    use crate::verify::verify;

    /// Returns the call in `caller` after the pass.
    fn after(call: &str) -> String {
        let text = format!(
            "program lp64\n\
             function f0 external \"caller\" () {{\n reg v0: i32\nb0:\n {call}\n return\n}}\n\
             function f1 external \"one\" (i32) -> i32 {{\n reg v0: i32\n params v0\nb0:\n return v0\n}}\n\
             function f2 external \"many\" (i32, ...) {{\n reg v0: i32\n params v0\nb0:\n return\n}}\n\
             function f3 external \"struct\" (memory 8 align 4) {{\n slot s0 size 8 align 4\n params s0\nb0:\n return\n}}\n\
             function f4 external \"undefined\" (i32)\n"
        );
        let mut program = parse(&text).expect("the text is well-formed");
        run(&mut program);
        assert_eq!(verify(&program), Vec::<String>::new());
        let body = program.functions[0].body.as_ref().expect("the caller has a body");
        print_inst(&body.blocks[0].insts[0])
    }

    #[test]
    fn matching_calls_are_unchanged() {
        for call in [
            "v0 = call f1(i32 1) -> i32",
            "call f1(i32 1)",
            "call f1(i32 1) -> i32 unprototyped",
            "call f2(i32 1, ..., f64 0)",
            "call f2(i32 1)",
            "call f3(memory 8 align 1 0)",
            "call f4(i32 1, i32 2)",
        ] {
            assert_eq!(after(call), call);
        }
    }

    #[test]
    fn mismatched_calls_get_a_check() {
        for call in [
            "call f1()",
            "call f1() unprototyped",
            "call f1(i32 1, i32 2)",
            "call f1(i64 1)",
            "call f1(i32 1) -> ptr",
            "call f2()",
            "call f2(i32 1, i32 2)",
            "v0 = call f2(i32 1) -> i32",
            "call f3(memory 4 align 4 0)",
            "call f3(ptr 0)",
        ] {
            assert_eq!(after(call), format!("{call} !c0"));
        }
    }
}
