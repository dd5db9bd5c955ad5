//! The call graph of a program.
//!
//! A call through a pointer may call any function whose address is taken.

use std::collections::BTreeSet;

use crate::ids::FuncId;
use crate::inst::{Callee, Inst};
use crate::program::{Function, Program};

/// The calls between the functions of a program.
#[derive(Clone, Debug)]
pub struct CallGraph {
    named: Vec<Vec<FuncId>>,
    pointer_calls: Vec<usize>,
    addressed: Vec<FuncId>,
}

/// The calls that a question about the graph is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Calls {
    /// Calls that name their callee.
    Named,
    /// All calls, also those through pointers.
    All,
}

impl CallGraph {
    /// Builds the call graph of a program.
    pub fn of(program: &Program) -> Self {
        let named = program.functions.iter().map(|function| named_calls(function).collect()).collect();
        let by_pointer = |function| callees(function).filter(|callee| matches!(callee, Callee::Pointer(_))).count();
        let pointer_calls = program.functions.iter().map(by_pointer).collect();
        let addressed = program.addressed().into_iter().enumerate().filter(|&(_, taken)| taken);
        let addressed = addressed.map(|(index, _)| FuncId::new(index)).collect();
        Self { named, pointer_calls, addressed }
    }

    /// Returns the functions that a function calls by name, one for each call in it.
    pub fn named_calls(&self, caller: FuncId) -> &[FuncId] {
        &self.named[caller.index()]
    }

    /// Returns the number of calls through pointers in a function.
    pub fn pointer_calls(&self, caller: FuncId) -> usize {
        self.pointer_calls[caller.index()]
    }

    /// Returns the functions whose address is taken.
    pub fn addressed(&self) -> &[FuncId] {
        &self.addressed
    }

    /// Returns the functions that a function may call. One may occur several times.
    pub fn callees(&self, caller: FuncId, calls: Calls) -> impl Iterator<Item = FuncId> {
        let by_pointer = calls == Calls::All && self.pointer_calls(caller) > 0;
        let by_pointer: &[FuncId] = if by_pointer { &self.addressed } else { &[] };
        self.named_calls(caller).iter().chain(by_pointer).copied()
    }

    /// Returns the functions that may run in a call of a function. The function itself is among them only if it recurs.
    pub fn reached_from(&self, caller: FuncId, calls: Calls) -> BTreeSet<FuncId> {
        let mut reached = BTreeSet::new();
        let mut waiting: Vec<FuncId> = self.callees(caller, calls).collect();
        while let Some(callee) = waiting.pop() {
            if reached.insert(callee) {
                waiting.extend(self.callees(callee, calls));
            }
        }
        reached
    }

    /// Returns the strongly connected components, callees before callers.
    ///
    /// A component of several functions is a mutual recursion. The algorithm is Tarjan's ("Depth-First Search and Linear
    /// Graph Algorithms", 1972), with an explicit stack.
    pub fn components(&self, calls: Calls) -> Vec<Vec<FuncId>> {
        const UNSEEN: usize = usize::MAX;
        let count = self.named.len();
        let (mut number, mut low) = (vec![UNSEEN; count], vec![UNSEEN; count]);
        let mut is_open = vec![false; count];
        let (mut open, mut components) = (Vec::new(), Vec::new());
        let mut next_number = 0;
        for root in (0..count).map(FuncId::new) {
            if number[root.index()] != UNSEEN {
                continue;
            }
            let mut stack = vec![(root, None::<std::vec::IntoIter<FuncId>>)];
            while let Some((function, callees)) = stack.last_mut() {
                let (function, at) = (*function, function.index());
                let callees = callees.get_or_insert_with(|| {
                    (number[at], low[at], is_open[at]) = (next_number, next_number, true);
                    next_number += 1;
                    open.push(function);
                    self.callees(function, calls).collect::<Vec<_>>().into_iter()
                });
                match callees.next() {
                    Some(callee) if number[callee.index()] == UNSEEN => stack.push((callee, None)),
                    Some(callee) if is_open[callee.index()] => low[at] = low[at].min(number[callee.index()]),
                    Some(_) => {}
                    None => {
                        stack.pop();
                        if let Some((caller, _)) = stack.last() {
                            low[caller.index()] = low[caller.index()].min(low[at]);
                        }
                        if low[at] == number[at] {
                            let start = open.iter().rposition(|&other| other == function).unwrap_or(0);
                            let component = open.split_off(start);
                            component.iter().for_each(|member| is_open[member.index()] = false);
                            components.push(component);
                        }
                    }
                }
            }
        }
        components
    }
}

/// Iterates over the functions that a function calls by name, one for each call in it.
pub fn named_calls(function: &Function) -> impl Iterator<Item = FuncId> {
    callees(function).filter_map(|callee| match callee {
        Callee::Function(callee) => Some(callee),
        Callee::Pointer(_) => None,
    })
}

fn callees(function: &Function) -> impl Iterator<Item = Callee> {
    let insts = function.body.iter().flat_map(|body| &body.blocks).flat_map(|block| &block.insts);
    insts.filter_map(|inst| match inst {
        Inst::Call(call) => Some(call.callee),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::program;
    use super::*;

    /// Builds the graph of functions that call the functions with the given numbers; 9 stands for a call through a pointer
    /// and a negative number for a use of an address.
    fn graph(calls: &[&[i32]]) -> CallGraph {
        let mut text = "program lp64\n".to_owned();
        for (index, callees) in calls.iter().enumerate() {
            text += &format!("function f{index} external \"g{index}\" () {{\n reg v0: ptr\nb0:\n");
            for callee in *callees {
                text += &match callee {
                    9 => " call_ptr v0()\n".to_owned(),
                    0.. => format!(" call f{callee}()\n"),
                    _ => format!(" v0 = move f{}\n", -callee),
                };
            }
            text += " return\n}\n";
        }
        CallGraph::of(&program(&text))
    }

    fn reached(graph: &CallGraph, from: u32, calls: Calls) -> Vec<u32> {
        graph.reached_from(FuncId(from), calls).into_iter().map(|id| id.0).collect()
    }

    #[test]
    fn a_function_reaches_itself_only_by_recursion() {
        let graph = graph(&[&[1, 1], &[2], &[1], &[]]);
        assert_eq!(graph.named_calls(FuncId(0)), [FuncId(1), FuncId(1)]);
        assert_eq!(reached(&graph, 0, Calls::All), [1, 2]);
        assert_eq!(reached(&graph, 1, Calls::All), [1, 2]);
        assert_eq!(reached(&graph, 3, Calls::All), [0; 0]);
    }

    #[test]
    fn pointers_reach_functions_whose_address_is_taken() {
        let graph = graph(&[&[9, 1], &[-2], &[], &[]]);
        assert_eq!(reached(&graph, 0, Calls::Named), [1]);
        assert_eq!(reached(&graph, 0, Calls::All), [1, 2]);
        assert_eq!((graph.pointer_calls(FuncId(0)), graph.addressed()), (1, &[FuncId(2)][..]));
    }

    #[test]
    fn components_are_recursions_and_come_before_their_callers() {
        let graph = graph(&[&[1, 3], &[2], &[1, 4], &[3], &[]]);
        let components: Vec<Vec<u32>> = graph
            .components(Calls::All)
            .into_iter()
            .map(|component| {
                let mut numbers: Vec<u32> = component.into_iter().map(|id| id.0).collect();
                numbers.sort_unstable();
                numbers
            })
            .collect();
        assert_eq!(components, [vec![4], vec![1, 2], vec![3], vec![0]]);
    }

    #[test]
    fn components_agree_with_reachability() {
        let graph = graph(&[&[1], &[2, 4], &[3], &[1], &[5], &[4, 6], &[9], &[0, -3]]);
        let components = graph.components(Calls::All);
        let of = |id: FuncId| components.iter().position(|component| component.contains(&id));
        for a in (0..8).map(FuncId) {
            for b in (0..8).map(FuncId) {
                let (from, to) = (graph.reached_from(a, Calls::All), graph.reached_from(b, Calls::All));
                let is_mutual = a == b || (from.contains(&b) && to.contains(&a));
                assert_eq!(of(a) == of(b), is_mutual, "{a:?} {b:?}");
                assert!(!from.contains(&b) || of(b) <= of(a), "callees come first: {a:?} {b:?}");
            }
        }
    }
}
