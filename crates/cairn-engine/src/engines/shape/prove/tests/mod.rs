//! Laws of joining and folding on states that programs reach: what a join gives covers both of what it was made of, a state covers
//! itself, a folded state is the one that it was made of once its nodes are taken out again, and joining comes to an end.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cairn_frontend::{Input, compile};
use cairn_ir::Program;
use cairn_ir::layout::Target;
use cairn_smt::Session;

use super::pair::Purpose;
use super::{Place, Prover};
use crate::engines::shape::path::Path;
use crate::engines::shape::state::State;
use crate::memory::segment::Side;
use crate::portfolio::Task;
use crate::reach::{Budget, Domain, Ended, Merge, Order, reach};
use crate::verdict::Property;

mod structures;

/// A prover whose joins are held against the laws.
struct Lawful<'p> {
    prover: Prover<'p>,
    joins: u32,
    folds: u32,
    broken: Vec<String>,
}

/// States that are looked through for the one that a folded state came from.
const MAX_UNFOLDED: usize = 200;

impl Lawful<'_> {
    /// Drops the conditions that nodes are fewer than addresses: that is true by nature and follows from nothing.
    fn forget_nature(&mut self, state: &mut State) {
        let explorer = &mut self.prover.explorer;
        let mut conditions = state.path.conditions();
        conditions.reverse();
        let most = explorer.terms.constant(1 << (explorer.pointer_bits - 4), explorer.pointer_bits);
        let lengths: Vec<_> = state.memory.iter().filter_map(|(_, o)| Some(o.segment.as_ref()?.length)).collect();
        let by_nature: Vec<_> = lengths.into_iter().map(|length| explorer.terms.ult(length, most)).collect();
        conditions.retain(|condition| !by_nature.contains(condition));
        state.path = Path::with(&explorer.terms, conditions, state.path.model().clone());
    }

    fn expect_covered(&mut self, what: &str, state: &State, by: &State) {
        let mut by = by.clone();
        self.forget_nature(&mut by);
        let by = &by;
        // After an alarm a state may have lost an object, and nothing covers it then.
        if !self.prover.done() && !self.prover.covered(state, std::slice::from_ref(by)) {
            let explorer = &mut self.prover.explorer;
            let formulas = (explorer.formula(state), explorer.formula(by));
            let mut missing = Vec::new();
            if let Some(pairing) = explorer.pair_states(state, by, Purpose::Cover) {
                for goal in explorer.goals(&pairing) {
                    if !explorer.follows(state, goal) {
                        missing.push(explorer.terms.to_smt_lib(&[goal]));
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

impl Lawful<'_> {
    /// Folds a state and takes nodes out again, at all ends, until there is the state that it was. One that had lists before may take
    /// more steps than there are: from behind, a list that is linked one way can't be taken apart.
    fn expect_folded(&mut self, state: &State) {
        if state.memory.iter().any(|(_, object)| object.segment.is_some()) {
            return;
        }
        let mut folded = self.prover.explorer.fold(state.clone());
        if folded.memory.iter().all(|(_, object)| object.segment.is_none()) {
            return;
        }
        self.folds += 1;
        self.forget_nature(&mut folded);
        let whole = folded.clone();
        let mut waiting = VecDeque::from([folded]);
        for _ in 0..MAX_UNFOLDED {
            let Some(next) = waiting.pop_front() else { break };
            if self.prover.covered(state, std::slice::from_ref(&next)) {
                return;
            }
            let lists: Vec<_> =
                next.memory.iter().filter(|(_, o)| o.segment.is_some() && !o.pattern).map(|(id, _)| id).collect();
            for id in lists {
                for side in [Side::First, Side::Last] {
                    waiting.extend(self.prover.explorer.with_nodes(next.clone(), id, side));
                }
            }
        }
        let place = self.prover.place(state);
        let (before, after) = (self.prover.explorer.formula(state), self.prover.explorer.formula(&whole));
        self.broken
            .push(format!("a folded state is not what it was made of at {place:?}\n{before}\n  became\n{after}"));
    }
}

impl Domain for Lawful<'_> {
    type State = State;
    type Place = Place;

    fn entry(&mut self) -> Vec<State> {
        self.prover.entry()
    }

    fn step(&mut self, state: State, out: &mut Vec<State>) {
        self.prover.step(state, out);
        for state in out.iter() {
            if self.prover.place(state).is_some() && !self.prover.done() {
                self.expect_folded(state);
            }
        }
    }

    fn place(&self, state: &State) -> Option<Place> {
        self.prover.place(state)
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

    fn covered(&mut self, new: &State, reached: &[State]) -> bool {
        self.expect_covered("a state by itself", new, new);
        self.prover.covered(new, reached)
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

    fn done(&self) -> bool {
        self.prover.done()
    }
}

pub(in crate::engines::shape) fn program(text: &str) -> Program {
    let compilation = compile(vec![Input { name: "test.c".to_owned(), text: text.to_owned() }], Target::Lp64);
    compilation.program.unwrap_or_else(|| panic!("{:?}", compilation.diagnostics))
}

pub(super) fn memory_safety() -> Task {
    Task {
        entry: "main".to_owned(),
        properties: vec![Property::ValidDeref, Property::ValidFree, Property::ValidMemtrack],
        besides: Vec::new(),
        malloc_fails: false,
        assert_faults: false,
    }
}

/// Proves a program under the laws: whether nothing can go wrong in it, and how many joins and folds there were.
fn prove(text: &str) -> (bool, u32, u32) {
    let program = program(text);
    let task = memory_safety();
    let cancel = Arc::new(AtomicBool::new(false));
    let prover = Prover::new(&program, task.exploring(), Session::new(cancel.clone())).expect("there is a main");
    let mut lawful = Lawful { prover, joins: 0, folds: 0, broken: Vec::new() };
    let budget = Budget { states: 20_000, waiting: 10_000, cancel };
    let ended = reach(&mut lawful, Order::Ranked, &budget);
    assert!(lawful.broken.is_empty(), "{}\n{}", lawful.broken.join("\n"), text);
    assert!(ended != Ended::OutOfBudget, "joining does not come to an end\n{text}");
    (ended == Ended::Complete && lawful.prover.trouble().is_none(), lawful.joins, lawful.folds)
}

pub(super) const PRELUDE: &str = "typedef unsigned long size_t; void *malloc(size_t); void free(void *); \
                       extern int __VERIFIER_nondet_int(void); extern char __VERIFIER_nondet_char(void);\n";

/// A program that is proved, and mutants of it with a fault that must not be: pairs of what is replaced and by what.
fn proved(text: &str, mutants: &[(&str, &str)]) {
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
fn an_array_of_any_length_is_filled_and_read_backwards() {
    proved(
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
    proved(
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
fn a_pointer_runs_up_while_a_count_runs_down() {
    proved(
        "int main(void) { int size = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();
         if (size < 1 || n < 0 || n > size) return 0;
         char *a = malloc(size), *p = a;
         for (size_t left = n; left--; ) *p++ = 0;
         free(a); return 0; }",
        &[("n > size", "n > size + 1"), ("left = n", "left = n + 1")],
    );
}

#[test]
fn loops_are_nested_over_arrays_of_fixed_and_other_sizes() {
    proved(
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
fn an_object_is_replaced_again_and_again() {
    proved(
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
fn a_flag_says_whether_an_object_is_there() {
    proved(
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

/// As [`proved`], of programs with lists that are folded.
fn proved_of_lists(text: &str, mutants: &[(&str, &str)]) {
    proved(text, mutants);
    let (_, _, folds) = prove(&format!("{PRELUDE}{text}"));
    assert!(folds > 0, "nothing was folded: {text}");
}

#[test]
fn marks_divide_a_list() {
    proved(
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
fn a_list_of_either_end_is_turned_around() {
    proved_of_lists(
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

/// A program with a few lists in which a loop does one of several things that leave them lists, whichever are empty. Every second one has
/// lists that are linked both ways.
pub(super) fn generated(seed: u64) -> String {
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
fn joins_of_several_lists_that_may_be_empty_cover_both() {
    for seed in 20..80 {
        let text = format!("{PRELUDE}{}", generated(seed));
        assert!(prove(&text).0, "not proved: {text}");
    }
}
