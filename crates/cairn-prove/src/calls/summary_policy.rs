//! The summary policy: which functions recur, which globals a call can access, and which calls get summaries.

use std::collections::BTreeSet;

use crate::limits::{MANY_CALLS_WITH_LOOP, MANY_CALLS_WITHOUT_LOOP};
use cairn_ir::analysis::CallGraph;
use cairn_ir::analysis::call_graph::Calls;
use cairn_ir::analysis::variable_arguments::{reads_list, starts_list, takes_what_is_passed};
use cairn_ir::inst::Intrinsic;
use cairn_ir::{FuncId, Function, GlobalId, Inst, Operand, Program};
use rustc_hash::FxHashSet;

/// The properties of a function and of everything that it calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct CalleeInfo {
    /// Whether it can be called again before it has returned.
    pub(crate) recursive: bool,
    /// Whether it recurs only through calls by pointer, which may never lead back to it in an actual execution.
    pub(crate) by_pointer: bool,
    /// Whether it can be analysed apart from its callers.
    ///
    /// It must be user code, no function of the program may call `setjmp` or `longjmp`, and it must not read variable arguments whose types
    /// only its callers know.
    pub(crate) separable: bool,
    /// The globals that it, or a function that it calls, mentions.
    pub(crate) globals: FxHashSet<GlobalId>,
    /// Whether it, or a function that it calls, has a loop.
    pub(crate) has_loop: bool,
    /// Whether it would be analysed so often by inlining that a summary pays off.
    ///
    /// Inlining a few calls costs less than keeping their footprints apart.
    pub(crate) frequent: bool,
}
/// The globals that a body mentions, and whether it calls `setjmp` or `longjmp`.
#[derive(Default)]
struct Mentions {
    globals: FxHashSet<GlobalId>,
    jumps: bool,
}

fn mentions(function: &Function) -> Mentions {
    let mut found = Mentions::default();
    for block in function.body.iter().flat_map(|body| &body.blocks) {
        let mut operand = |operand: Operand| {
            if let Operand::Global(id) = operand {
                found.globals.insert(id);
            }
        };
        block.insts.iter().for_each(|inst| inst.for_operands(&mut operand));
        block.end.for_operands(&mut operand);
        let is_jump = |inst: &Inst| matches!(inst, Inst::Intrinsic { op: Intrinsic::Setjmp | Intrinsic::Longjmp, .. });
        found.jumps |= block.insts.iter().any(is_jump);
    }
    found
}

/// Returns the functions that read variable arguments whose types only their callers know.
fn readers_of_lists(program: &Program, graph: &CallGraph) -> Vec<bool> {
    let starts: Vec<bool> = program.functions.iter().map(starts_list).collect();
    let is_reader = |(index, function)| match starts[index] {
        true => !takes_what_is_passed(program, graph, FuncId::new(index)),
        false => reads_list(function),
    };
    let mut readers: Vec<bool> = program.functions.iter().enumerate().map(is_reader).collect();
    // The lists of a function with variable arguments are its own.
    let hands_on = |readers: &[bool], callee: FuncId| readers[callee.index()] && !starts[callee.index()];
    let mut is_stable = false;
    while !is_stable {
        is_stable = true;
        for (index, starts) in starts.iter().enumerate() {
            let mut callees = graph.callees(FuncId::new(index), Calls::All);
            if !starts && !readers[index] && callees.any(|callee| hands_on(&readers, callee)) {
                (readers[index], is_stable) = (true, false);
            }
        }
    }
    readers
}

/// Returns the properties of every function of a program that starts in `entry`.
pub(crate) fn callees(program: &Program, entry: &str, has_loop: impl Fn(FuncId) -> bool) -> Vec<CalleeInfo> {
    let all: Vec<Mentions> = program.functions.iter().map(mentions).collect();
    let graph = CallGraph::of(program);
    let jumps = all.iter().any(|mentions| mentions.jumps);
    let reads_list = readers_of_lists(program, &graph);
    let functions = || (0..all.len()).map(FuncId::new);
    let reached: Vec<BTreeSet<FuncId>> = functions().map(|id| graph.reached_from(id, Calls::All)).collect();
    let by_name = |id: FuncId| graph.reached_from(id, Calls::Named).contains(&id);
    let mut found: Vec<CalleeInfo> = functions()
        .map(|id| {
            let reached = &reached[id.index()];
            let own = || std::iter::once(&id).chain(reached);
            let recursive = reached.contains(&id);
            CalleeInfo {
                recursive,
                by_pointer: recursive && !by_name(id),
                separable: program.functions[id.index()].origin.is_of_user() && !jumps && !reads_list[id.index()],
                globals: own().flat_map(|callee| &all[callee.index()].globals).copied().collect(),
                has_loop: own().any(|&callee| has_loop(callee)),
                frequent: false,
            }
        })
        .collect();
    // Callers come before their callees, except within a recursion.
    let mut order: Vec<FuncId> = functions().collect();
    order.sort_by_key(|id| (std::cmp::Reverse(reached[id.index()].len()), found[id.index()].recursive));
    let mut runs = vec![0_u64; all.len()];
    if let Some(entry) = program.start_of(entry) {
        runs[entry.index()] = 1;
    }
    for id in order {
        let index = id.index();
        let many = if found[index].has_loop { MANY_CALLS_WITH_LOOP } else { MANY_CALLS_WITHOUT_LOOP };
        found[index].frequent = runs[index] >= many;
        // A function with a summary is analysed once per context. Recursive functions always have summaries.
        let apart = found[index].separable && (found[index].frequent || found[index].recursive);
        let times = if apart { 1 } else { runs[index] };
        // A call by pointer may reach any function whose address is taken.
        let by_pointer = (0..graph.pointer_calls(id)).flat_map(|_| graph.addressed());
        for callee in graph.named_calls(id).iter().chain(by_pointer) {
            if !reached[callee.index()].contains(&id) {
                runs[callee.index()] = runs[callee.index()].saturating_add(times);
            }
        }
    }
    found
}

/// Returns the properties of a function.
pub(crate) fn info(callees: &[CalleeInfo], function: FuncId) -> Option<&CalleeInfo> {
    callees.get(function.index())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::program;

    /// Returns the functions that are called often; functions with a loop are those whose name starts with `loop`.
    fn frequent(text: &str) -> Vec<String> {
        let program = program(text);
        let loops = |function: FuncId| program.functions[function.index()].name.starts_with("loop");
        let callees = callees(&program, "main", loops);
        let named = program.functions.iter().zip(&callees).filter(|(_, callee)| callee.frequent);
        named.map(|(function, _)| function.name.clone()).collect()
    }

    #[test]
    fn calls_are_counted_along_call_chains() {
        assert_eq!(frequent("void loop(void) {} int main(void) { loop(); return 0; }"), [""; 0]);
        assert_eq!(frequent("void loop(void) {} int main(void) { loop(); loop(); return 0; }"), ["loop"]);
        let nested = "void loop(void) {} void one(void) { loop(); } void other(void) { loop(); } \
                      int main(void) { one(); other(); return 0; }";
        assert_eq!(frequent(nested), ["loop"]);
        assert_eq!(frequent("int get(void) { return 1; } int main(void) { return get() + get() + get(); }"), [""; 0]);
    }

    #[test]
    fn summarised_functions_count_as_one_caller() {
        let nested = "void loop(void) {} void once(void) { loop(); } int main(void) { once(); once(); return 0; }";
        assert_eq!(frequent(nested), ["once"]);
    }

    #[test]
    fn calls_by_pointer_reach_addressed_functions() {
        let text = "void loop(void) {} int main(void) { void (*f)(void) = loop; f(); f(); f(); return 0; }";
        assert_eq!(frequent(text), ["loop"]);
    }

    #[test]
    fn recursion_by_pointer_only_is_distinguished() {
        let text = "void each(void (*f)(void)) { f(); } void inner(void) {} void outer(void) { each(inner); } \
                    void again(int n) { if (n) again(n - 1); } int main(void) { each(outer); again(3); return 0; }";
        let program = program(text);
        let callees = callees(&program, "main", |_| false);
        let of = |name: &str| {
            program.function_named(name).map(|id| (callees[id.index()].recursive, callees[id.index()].by_pointer))
        };
        assert_eq!(of("each"), Some((true, true)));
        assert_eq!(of("outer"), Some((true, true)));
        assert_eq!(of("again"), Some((true, false)));
        assert_eq!(of("main"), Some((false, false)));
    }
}
