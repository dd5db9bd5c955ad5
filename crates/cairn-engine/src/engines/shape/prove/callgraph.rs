//! Who calls whom: which functions can come back to themselves, which globals a call can touch, and which calls may not be taken out
//! of their surroundings.

use cairn_ir::inst::Intrinsic;
use cairn_ir::program::Origin;
use cairn_ir::{Callee, FuncId, GlobalId, Inst, Operand, Program};
use rustc_hash::FxHashSet;

/// What is known of one function and of everything that it calls.
#[derive(Clone, Debug, Default)]
pub(super) struct Called {
    /// Whether it can be called again before it has returned.
    pub(super) recursive: bool,
    /// Whether it takes calls of pointers for that, which may never call what leads back to it.
    pub(super) by_pointer: bool,
    /// Whether it can be analysed without its callers: it never jumps out of itself.
    pub(super) alone: bool,
    /// The globals that it mentions.
    pub(super) globals: FxHashSet<GlobalId>,
    /// Whether it, or something that it calls, has a loop.
    pub(super) loops: bool,
    /// Whether it would be run so often, if every call were followed, that it is worth while to analyse it apart from its callers: few
    /// calls are followed at less cost than it takes to tell the heaps apart that they are made on.
    pub(super) often: bool,
}

/// Runs of a function that are many, where it or something that it calls has a loop, and where not.
const MANY_LOOPS: u64 = 2;
const MANY_BRANCHES: u64 = 16;

/// What one body mentions.
#[derive(Default)]
struct Mentions {
    callees: FxHashSet<usize>,
    sites: Vec<usize>,
    /// Calls by a pointer.
    pointers: usize,
    globals: FxHashSet<GlobalId>,
    jumps: bool,
}

/// What is known of every function of a program that starts in `entry`, where some have loops.
pub(super) fn called(program: &Program, entry: &str, has_loop: impl Fn(FuncId) -> bool) -> Vec<Called> {
    let mut all: Vec<Mentions> = Vec::with_capacity(program.functions.len());
    for function in &program.functions {
        let mut mentions = Mentions::default();
        for block in function.body.iter().flat_map(|body| &body.blocks) {
            let mut operand = |operand: Operand| {
                if let Operand::Global(id) = operand {
                    mentions.globals.insert(id);
                }
            };
            block.insts.iter().for_each(|inst| inst.for_operands(&mut operand));
            block.end.for_operands(&mut operand);
            for inst in &block.insts {
                match inst {
                    Inst::Call(call) => match call.callee {
                        Callee::Function(id) => {
                            mentions.callees.insert(id.index());
                            mentions.sites.push(id.index());
                        }
                        Callee::Pointer(_) => mentions.pointers += 1,
                    },
                    Inst::Intrinsic { op: Intrinsic::Setjmp | Intrinsic::Longjmp, .. } => mentions.jumps = true,
                    _ => {}
                }
            }
        }
        all.push(mentions);
    }
    let addressed = program.addressed();
    let addressed: Vec<usize> = (0..addressed.len()).filter(|&index| addressed[index]).collect();
    let named: Vec<FxHashSet<usize>> = all.iter().map(|mentions| mentions.callees.clone()).collect();
    // Where a pointer is called, any function whose address is taken may be.
    for mentions in all.iter_mut().filter(|mentions| mentions.pointers > 0) {
        mentions.callees.extend(&addressed);
        (0..mentions.pointers).for_each(|_| mentions.sites.extend(&addressed));
    }
    let jumps = all.iter().any(|mentions| mentions.jumps);
    let reached: Vec<FxHashSet<usize>> = (0..all.len()).map(|index| reached_from(&all, index)).collect();
    let by_name = |index: usize| reached_by(index, |caller| &named[caller]).contains(&index);
    let loops =
        |index: usize| std::iter::once(&index).chain(&reached[index]).any(|&callee| has_loop(FuncId::new(callee)));
    let mut found: Vec<Called> = (0..all.len())
        .map(|index| {
            let user = program.functions[index].origin == Origin::User;
            let own = std::iter::once(&index).chain(&reached[index]);
            let globals = own.flat_map(|&callee| &all[callee].globals).copied().collect();
            Called {
                recursive: reached[index].contains(&index),
                by_pointer: reached[index].contains(&index) && !by_name(index),
                alone: user && !jumps,
                globals,
                loops: loops(index),
                often: false,
            }
        })
        .collect();
    // Whoever calls comes before what is called, but for those that call each other.
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|&index| (std::cmp::Reverse(reached[index].len()), found[index].recursive));
    let mut runs = vec![0_u64; all.len()];
    if let Some(entry) = program.function_named(entry) {
        runs[entry.index()] = 1;
    }
    for index in order {
        let many = if found[index].loops { MANY_LOOPS } else { MANY_BRANCHES };
        found[index].often = runs[index] >= many;
        // What is analysed apart runs once, and what calls itself is.
        let apart = found[index].alone && (found[index].often || found[index].recursive);
        let times = if apart { 1 } else { runs[index] };
        for &callee in &all[index].sites {
            if !reached[callee].contains(&index) {
                runs[callee] = runs[callee].saturating_add(times);
            }
        }
    }
    found
}

/// The functions that calls of a function can lead to; itself only where it can be called again.
fn reached_from(all: &[Mentions], index: usize) -> FxHashSet<usize> {
    reached_by(index, |caller| &all[caller].callees)
}

fn reached_by<'c>(index: usize, callees: impl Fn(usize) -> &'c FxHashSet<usize>) -> FxHashSet<usize> {
    let mut reached: FxHashSet<usize> = FxHashSet::default();
    let mut waiting: Vec<usize> = callees(index).iter().copied().collect();
    while let Some(callee) = waiting.pop() {
        if reached.insert(callee) {
            waiting.extend(callees(callee));
        }
    }
    reached
}

/// What is known of a function.
pub(super) fn of(called: &[Called], function: FuncId) -> Option<&Called> {
    called.get(function.index())
}

#[cfg(test)]
mod tests {
    use super::super::tests::program;
    use super::*;

    /// The functions that run often, those with a loop being named so.
    fn often(text: &str) -> Vec<String> {
        let program = program(text);
        let loops = |function: FuncId| program.functions[function.index()].name.starts_with("loop");
        let called = called(&program, "main", loops);
        let named = program.functions.iter().zip(&called).filter(|(_, callee)| callee.often);
        named.map(|(function, _)| function.name.clone()).collect()
    }

    #[test]
    fn calls_add_up() {
        assert_eq!(often("void loop(void) {} int main(void) { loop(); return 0; }"), [""; 0]);
        assert_eq!(often("void loop(void) {} int main(void) { loop(); loop(); return 0; }"), ["loop"]);
        let nested = "void loop(void) {} void one(void) { loop(); } void other(void) { loop(); } \
                      int main(void) { one(); other(); return 0; }";
        assert_eq!(often(nested), ["loop"]);
        assert_eq!(often("int get(void) { return 1; } int main(void) { return get() + get() + get(); }"), [""; 0]);
    }

    #[test]
    fn what_is_analysed_apart_runs_once() {
        let nested = "void loop(void) {} void once(void) { loop(); } int main(void) { once(); once(); return 0; }";
        assert_eq!(often(nested), ["once"]);
    }

    #[test]
    fn pointers_call_whatever_has_an_address() {
        let text = "void loop(void) {} int main(void) { void (*f)(void) = loop; f(); f(); f(); return 0; }";
        assert_eq!(often(text), ["loop"]);
    }

    #[test]
    fn what_recurs_by_pointers_only_is_told_apart() {
        let text = "void each(void (*f)(void)) { f(); } void inner(void) {} void outer(void) { each(inner); } \
                    void again(int n) { if (n) again(n - 1); } int main(void) { each(outer); again(3); return 0; }";
        let program = program(text);
        let called = called(&program, "main", |_| false);
        let of = |name: &str| {
            program.function_named(name).map(|id| (called[id.index()].recursive, called[id.index()].by_pointer))
        };
        assert_eq!(of("each"), Some((true, true)));
        assert_eq!(of("outer"), Some((true, true)));
        assert_eq!(of("again"), Some((true, false)));
        assert_eq!(of("main"), Some((false, false)));
    }
}
