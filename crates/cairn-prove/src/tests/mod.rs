//! Laws of joining and folding, tested on states that programs reach.
//!
//! - A join covers both of its operands.
//! - A state covers itself.
//! - Unfolding a folded state leads back to the original state.
//! - Joining terminates.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cairn_frontend::{Input, compile};
use cairn_ir::Program;
use cairn_ir::layout::Target;
use cairn_smt::Session;

use super::{Place, Prover};
use crate::State;
use crate::join::pairing::Purpose;
use cairn_exec::path::Path;
use cairn_exec::reach::{Bookkeeping, Budget, Domain, Ended, Merge, Order, reach};
use cairn_memory::segment::Side;
use cairn_portfolio::Task;
use cairn_portfolio::verdict::Property;

mod agreement;
mod structures;

/// A prover whose joins and folds are tested against the laws.
struct LawChecker<'p> {
    prover: Prover<'p>,
    joins: u32,
    folds: u32,
    broken: Vec<String>,
}

/// The number of states that are searched for the original of a folded state.
const MAX_UNFOLDED: usize = 200;

impl LawChecker<'_> {
    /// Drops the bounds on the lengths of segments, which hold for every segment but follow from no other condition.
    fn forget_length_bounds(&mut self, state: &mut State) {
        let lattice = &mut self.prover.lattice;
        let mut conditions = state.path.conditions();
        conditions.reverse();
        let most =
            lattice.machine.terms.constant(1 << (lattice.machine.pointer_bits - 4), lattice.machine.pointer_bits);
        let lengths: Vec<_> = state.memory.iter().filter_map(|(_, o)| Some(o.segment.as_ref()?.length)).collect();
        let bounds: Vec<_> = lengths.into_iter().map(|length| lattice.machine.terms.ult(length, most)).collect();
        conditions.retain(|condition| !bounds.contains(condition));
        state.path = Path::with(&lattice.machine.terms, conditions, state.path.model().clone());
    }

    fn expect_covered(&mut self, what: &str, state: &State, by: &State) {
        let mut by = by.clone();
        self.forget_length_bounds(&mut by);
        let by = &by;
        // After an alarm, a state may have lost an object, and no state covers it then.
        if !self.prover.done() && !self.prover.stop(state, std::slice::from_ref(by)) {
            let lattice = &mut self.prover.lattice;
            let formulas = (lattice.formula(state), lattice.formula(by));
            let mut missing = Vec::new();
            if let Some(pairing) = lattice.pair_states(state, by, Purpose::Cover) {
                for goal in lattice.goals(&pairing) {
                    if !lattice.follows(state, goal) {
                        missing.push(lattice.machine.terms.to_smt_lib(&[goal]));
                    }
                }
            } else {
                missing.push("shape".to_owned());
            }
            let place = self.prover.place(state);
            self.broken.push(format!(
                "{what} is not covered at {place:?}\n{}\n  by\n{}\n  missing: {missing:?}",
                formulas.0, formulas.1
            ));
        }
    }
}

impl LawChecker<'_> {
    /// Folds a state, and unfolds the result at both ends until the original state appears.
    ///
    /// States with segments are skipped, because they may take too many steps: a singly linked list cannot be
    /// unfolded from its end.
    fn expect_folded(&mut self, state: &State) {
        if state.memory.iter().any(|(_, object)| object.segment.is_some()) {
            return;
        }
        let mut folded = self.prover.lattice.fold(state.clone());
        if folded.memory.iter().all(|(_, object)| object.segment.is_none()) {
            return;
        }
        self.folds += 1;
        self.forget_length_bounds(&mut folded);
        let whole = folded.clone();
        let mut waiting = VecDeque::from([folded]);
        for _ in 0..MAX_UNFOLDED {
            let Some(next) = waiting.pop_front() else { break };
            if self.prover.stop(state, std::slice::from_ref(&next)) {
                return;
            }
            let lists: Vec<_> =
                next.memory.iter().filter(|(_, o)| o.segment.is_some() && !o.pattern).map(|(id, _)| id).collect();
            for id in lists {
                for side in [Side::First, Side::Last] {
                    waiting.extend(self.prover.lattice.with_nodes(next.clone(), id, side));
                }
            }
        }
        let place = self.prover.place(state);
        let (before, after) = (self.prover.lattice.formula(state), self.prover.lattice.formula(&whole));
        self.broken
            .push(format!("a folded state is not what it was made of at {place:?}\n{before}\n  became\n{after}"));
    }
}

impl Domain for LawChecker<'_> {
    type State = State;
    type Place = Place;

    fn entry(&mut self) -> Vec<State> {
        self.prover.entry()
    }

    fn transfer(&mut self, state: State, out: &mut Vec<State>) {
        self.prover.transfer(state, out);
        for state in out.iter() {
            if self.prover.place(state).is_some() && !self.prover.done() {
                self.expect_folded(state);
            }
        }
    }

    fn merge(&mut self, new: &State, old: &State, known: usize) -> Merge<State> {
        let merged = self.prover.merge(new, old, known);
        if let Merge::Into(both) = &merged {
            self.joins += 1;
            self.expect_covered("the new state of a join", new, both);
            self.expect_covered("the old state of a join", old, both);
        }
        merged
    }

    fn stop(&mut self, new: &State, reached: &[State]) -> bool {
        if reached.is_empty() {
            return self.prover.stop(new, reached);
        }
        self.expect_covered("a state by itself", new, new);
        self.prover.stop(new, reached)
    }

    fn done(&self) -> bool {
        self.prover.done()
    }
}

impl Bookkeeping for LawChecker<'_> {
    fn place(&self, state: &State) -> Option<Place> {
        self.prover.place(state)
    }

    fn number(&self, state: &mut State, number: u64) {
        self.prover.number(state, number);
    }

    fn origins(&self, state: &State) -> Option<(u64, u64)> {
        self.prover.origins(state)
    }

    fn replaced(&mut self, number: u64) {
        self.prover.replaced(number);
    }

    fn depth(&self, state: &State) -> u32 {
        self.prover.depth(state)
    }

    fn rank(&self, state: &State) -> Vec<u32> {
        self.prover.rank(state)
    }
}

pub(crate) fn program(text: &str) -> Program {
    let compilation = compile(vec![Input { name: "test.c".to_owned(), text: text.to_owned() }], Target::Lp64);
    compilation.program.unwrap_or_else(|| panic!("{:?}", compilation.diagnostics))
}

pub(crate) fn memory_safety() -> Task {
    Task {
        entry: "main".to_owned(),
        properties: vec![Property::ValidDeref, Property::ValidFree, Property::ValidMemtrack],
        besides: Vec::new(),
        malloc_fails: false,
        assert_faults: false,
    }
}

/// Proves a program under the laws; returns whether it is proved, and the numbers of joins and folds.
fn prove(text: &str) -> (bool, u32, u32) {
    let program = program(text);
    let task = memory_safety();
    let cancel = Arc::new(AtomicBool::new(false));
    let prover =
        Prover::new(&program, cairn_exec::Options::of(&task), Session::new(cancel.clone())).expect("there is a main");
    let mut checker = LawChecker { prover, joins: 0, folds: 0, broken: Vec::new() };
    let budget = Budget { states: 20_000, waiting: 10_000, cancel };
    let ended = reach(&mut checker, Order::Ranked, &budget);
    assert!(checker.broken.is_empty(), "{}\n{}", checker.broken.join("\n"), text);
    assert!(ended != Ended::OutOfBudget, "joining does not come to an end\n{text}");
    (ended == Ended::Complete && checker.prover.trouble().is_none(), checker.joins, checker.folds)
}

pub(crate) const PRELUDE: &str = "typedef unsigned long size_t; void *malloc(size_t); void free(void *); \
                       extern int __VERIFIER_nondet_int(void); extern char __VERIFIER_nondet_char(void);\n";

/// Tests that a program is proved and that its mutants are not.
///
/// A mutant is a pair of a text and its replacement that introduces a fault.
fn assert_proved(text: &str, mutants: &[(&str, &str)]) {
    let text = format!("{PRELUDE}{text}");
    let (fine, joins, _) = prove(&text);
    assert!(fine, "not proved: {text}");
    assert!(joins > 0, "nothing was joined: {text}");
    for (from, to) in mutants {
        let mutant = text.replace(from, to);
        assert_ne!(mutant, text, "`{from}` does not occur");
        assert!(!prove(&mutant).0, "proved in spite of the planted fault: {mutant}");
    }
}

#[test]
fn arrays_of_any_length_are_filled_and_read_backwards() {
    assert_proved(
        "int main(void) { int n = __VERIFIER_nondet_int(); if (n < 1 || n > 100000) return 0;
         int *a = malloc(n * sizeof(int)); int sum = 0;
         for (int i = 0; i < n; i++) a[i] = i;
         for (int i = n - 1; i >= 0; i--) sum += a[i];
         free(a); return 0; }",
        &[("i < n", "i <= n"), ("i >= 0", "i >= -1"), ("i = n - 1", "i = n"), ("free(a);", "")],
    );
}

#[test]
fn a_string_is_walked_to_its_end_and_copied() {
    assert_proved(
        "int main(void) { int n = __VERIFIER_nondet_int(); if (n < 1) return 0;
         char *a = malloc(n);
         for (int i = 0; i < n - 1; i++) a[i] = __VERIFIER_nondet_char();
         a[n - 1] = 0;
         char *p = a; while (*p) p++;
         int length = p - a;
         char *b = malloc(length + 1), *q = b; p = a;
         while ((*q++ = *p++)) ;
         free(a); free(b); return 0; }",
        &[("a[n - 1] = 0;", ""), ("malloc(length + 1)", "malloc(length)"), ("a[n - 1] = 0", "a[n - 1] = 1")],
    );
}

#[test]
fn a_pointer_advances_while_a_counter_decreases() {
    assert_proved(
        "int main(void) { int size = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();
         if (size < 1 || n < 0 || n > size) return 0;
         char *a = malloc(size), *p = a;
         for (size_t left = n; left--; ) *p++ = 0;
         free(a); return 0; }",
        &[("n > size", "n > size + 1"), ("left = n", "left = n + 1")],
    );
}

#[test]
fn nested_loops_access_arrays_of_fixed_and_variable_size() {
    assert_proved(
        "int main(void) { int n = __VERIFIER_nondet_int(); if (n < 1) n = 1;
         int a[n], k[20];
         for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) a[j] = a[i - j] + 1;
         for (int i = 0; i < 20; i++) k[i] = __VERIFIER_nondet_int();
         for (int i = 0; i < 20; i++) while (k[i] > 0) k[i]--;
         return 0; }",
        &[("j <= i", "j <= n"), ("i < 20", "i <= 20"), ("a[i - j]", "a[i - j - 1]")],
    );
}

#[test]
fn an_object_is_replaced_repeatedly() {
    assert_proved(
        "int main(void) { int *p = malloc(sizeof(int)); *p = 0;
         while (__VERIFIER_nondet_int()) { int *t = malloc(sizeof(int)); *t = *p + 1; free(p); p = t; }
         free(p); return 0; }",
        &[
            ("free(p); p = t;", "p = t;"),
            ("free(p); p = t;", "free(p); free(t);"),
            ("*p + 1; free(p);", "1; free(p); *t = *p;"),
        ],
    );
}

#[test]
fn a_flag_tells_whether_an_object_exists() {
    assert_proved(
        "int main(void) { int held = 0, turns = 0; int *p = 0;
         while (__VERIFIER_nondet_int()) {
             turns = turns < 100 ? turns + 1 : 0;
             if (!held) { p = malloc(sizeof(int)); held = 1; }
             else if (__VERIFIER_nondet_int()) { free(p); p = 0; held = 0; }
             if (held) *p = turns;
         }
         if (held) free(p); return 0; }",
        &[
            ("p = 0; held = 0;", "p = 0;"),
            ("if (held) *p = turns;", "*p = 1;"),
            ("if (held) free(p); return", "return"),
        ],
    );
}

/// Tests like [`assert_proved`], and requires that lists are folded.
fn assert_proved_with_folds(text: &str, mutants: &[(&str, &str)]) {
    assert_proved(text, mutants);
    let (_, _, folds) = prove(&format!("{PRELUDE}{text}"));
    assert!(folds > 0, "nothing was folded: {text}");
}

#[test]
fn marks_divide_a_list() {
    assert_proved(
        "struct node { struct node *next; int kind; };
         int main(void) { struct node *head = malloc(sizeof *head), *last = head; last->kind = 0;
         while (__VERIFIER_nondet_int()) {
             last->next = malloc(sizeof *last); last = last->next; last->kind = 0;
             if (__VERIFIER_nondet_int()) last->kind = 0;
         }
         last->kind = 1; last->next = malloc(sizeof *last); last->next->kind = 2;
         struct node *at = head; while (at->kind != 1) at = at->next;
         while (head->kind != 1) { struct node *next = head->next; free(head); head = next; }
         free(head->next); free(head); return 0; }",
        &[
            ("last->kind = 1;", ""),
            ("free(head->next);", ""),
            ("at->kind != 1", "at->kind != 3"),
            ("(__VERIFIER_nondet_int()) last->kind = 0", "(__VERIFIER_nondet_int()) last->kind = 1"),
        ],
    );
}

#[test]
fn a_doubly_linked_list_is_reversed() {
    assert_proved_with_folds(
        "struct node { struct node *next, *prev; };
         int main(void) { struct node *head = 0, *last = 0;
         while (__VERIFIER_nondet_int()) {
             struct node *node = malloc(sizeof *node);
             node->next = 0; node->prev = last;
             if (last) last->next = node; else head = node;
             last = node;
         }
         struct node *at = head;
         while (at) { struct node *next = at->next; at->next = at->prev; at->prev = next; at = next; }
         while (last) { struct node *next = last->next; free(last); last = next; }
         return 0; }",
        &[("at->next = at->prev;", ""), ("node->prev = last;", "node->prev = head;"), ("free(last);", "free(head);")],
    );
}

/// Generates a program with a few lists and loops that choose between operations on them.
///
/// Each operation keeps the lists intact, whichever are empty. For odd seeds, the lists are doubly linked.
pub(crate) fn generate(seed: u64) -> String {
    let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut choose = |count: u64| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random >> 11) % count
    };
    let both_ways = seed % 2 == 1;
    let lists = 2 + choose(2);
    let mut body = String::new();
    let mut clear = String::new();
    for list in 0..lists {
        body += &format!("struct node *l{list} = 0;\n");
        clear += &format!("while (l{list}) {{ struct node *n; POP(n, l{list}); free(n); }}\n");
    }
    for _ in 0..1 + choose(2) {
        body += "while (__VERIFIER_nondet_int()) {\n";
        for _ in 0..1 + choose(3) {
            let (from, to) = (choose(lists), choose(lists));
            let data = ["0", "7", "__VERIFIER_nondet_int()"][choose(3) as usize];
            body += "if (__VERIFIER_nondet_int()) ";
            body += &match choose(5) {
                0 | 1 => format!("{{ struct node *n = malloc(sizeof *n); n->data = {data}; PUSH(n, l{to}); }}\n"),
                2 => format!("if (l{from}) {{ struct node *n; POP(n, l{from}); PUSH(n, l{to}); }}\n"),
                3 => format!("{{ struct node *n = l{from}; l{from} = l{to}; l{to} = n; }}\n"),
                _ => format!("if (l{from}) {{ struct node *n; POP(n, l{from}); free(n); }}\n"),
            };
        }
        body += "}\n";
    }
    let text =
        format!("struct node {{ struct node *next, *prev; int data; }};\nint main(void) {{\n{body}{clear}return 0; }}");
    let (push, pop) = if both_ways {
        (
            "n->next = TO; n->prev = 0; if (n->next) n->next->prev = n; TO = n",
            "n = TO; TO = n->next; if (TO) TO->prev = 0",
        )
    } else {
        ("n->next = TO; TO = n", "n = TO; TO = n->next")
    };
    let mut text = text;
    for list in 0..lists {
        let name = format!("l{list}");
        text = text.replace(&format!("PUSH(n, {name})"), &push.replace("TO", &name));
        text = text.replace(&format!("POP(n, {name})"), &pop.replace("TO", &name));
    }
    text
}

#[test]
fn joins_of_several_possibly_empty_lists_cover_both() {
    for seed in 20..80 {
        let text = format!("{PRELUDE}{}", generate(seed));
        assert!(prove(&text).0, "not proved: {text}");
    }
}
