//! Mutants of the libraries of `crates/cairn/tests/integrity`, compared with the interpreter.
//!
//! Each position where a mutation applies gives a mutant. Many mutants are valid. Mutants that the engine `integrity` calls safe are
//! executed on many graphs, and no execution may leave a node or end with an invalid graph.

mod sweep;

use std::fs;
use std::path::Path;

use cairn_frontend::{Input, compile};
use cairn_integrity::Options;
use cairn_ir::layout::Target;

/// A mutation: its name, and the changed lines that it makes of a line, one per mutant.
type Mutation = (&'static str, fn(&str) -> Vec<String>);

/// Replaces each occurrence of a text in a line, one at a time.
fn each(line: &str, from: &str, to: &str) -> Vec<String> {
    line.match_indices(from).map(|(at, _)| format!("{}{to}{}", &line[..at], &line[at + from.len()..])).collect()
}

/// Splits an assignment to a member into indentation, left side and right side.
fn assignment(line: &str) -> Option<(&str, &str, &str)> {
    let statement = line.trim_start();
    let (left, right) = statement.strip_suffix(';')?.split_once(" = ")?;
    let simple = left.chars().all(|c| c.is_ascii_alphanumeric() || "_->.[]".contains(c));
    (left.contains("->") && simple).then_some((&line[..line.len() - statement.len()], left, right))
}

const MUTATIONS: &[Mutation] = &[
    ("missing assignment", |line| assignment(line).map(|(indent, ..)| format!("{indent};")).into_iter().collect()),
    ("pointer into the node", |line| match assignment(line) {
        Some((indent, left, right)) if !right.contains(['"', '?', '=']) && right != "NULL" => {
            vec![format!("{indent}{left} = (void *)((char *)({right}) + 8);")]
        }
        _ => Vec::new(),
    }),
    ("pointer behind the node", |line| match assignment(line) {
        Some((indent, left, right)) if right.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') => {
            vec![format!("{indent}{left} = (void *)((char *)({right}) + sizeof *({left}));")]
        }
        _ => Vec::new(),
    }),
    ("integer as a link", |line| match assignment(line) {
        Some((indent, left, "NULL")) => vec![format!("{indent}{left} = (void *)4660L;")],
        _ => Vec::new(),
    }),
    ("swapped assignment", |line| match assignment(line) {
        Some((indent, left, right)) if right.contains("->") && !right.contains(['(', '?', '=', ' ']) => {
            vec![format!("{indent}{right} = {left};")]
        }
        _ => Vec::new(),
    }),
    ("wrong size", |line| {
        let mut out = each(line, "malloc(sizeof", "malloc(-8 + sizeof");
        out.extend(each(line, "malloc(sizeof", "malloc(sizeof(int) + 0 * sizeof"));
        out
    }),
    ("loop bound off by one", |line| if line.contains("for (") { each(line, " < ", " <= ") } else { Vec::new() }),
    ("condition off by one", |line| {
        if line.contains("if (") {
            [each(line, ">= 4", "> 4"), each(line, "< 4", "<= 4"), each(line, ">= 0", ">= -1")].concat()
        } else {
            Vec::new()
        }
    }),
    ("missing condition", |line| {
        let start = line.trim_start();
        let open = line.len() - start.len();
        match start.strip_prefix("if (") {
            Some(rest) if rest.ends_with(')') || rest.ends_with(") {") => {
                vec![format!("{}if (1 || {rest}", &line[..open])]
            }
            _ => Vec::new(),
        }
    }),
    ("negated condition", |line| [each(line, " != NULL", " == NULL"), each(line, " == NULL", " != NULL")].concat()),
    ("wrong index", |line| {
        [
            each(line, "[0]", "[1]"),
            each(line, "[1]", "[4]"),
            each(line, "[i]", "[i + 1]"),
            each(line, "[index]", "[index - 1]"),
        ]
        .concat()
    }),
    ("wrong mask", |line| {
        [
            each(line, "(uintptr_t)1", "(uintptr_t)3"),
            each(line, "(uintptr_t)3", "(uintptr_t)1"),
            each(line, "| 1", "| 4"),
        ]
        .concat()
    }),
    ("freed memory", |line| match assignment(line) {
        Some((indent, left, right))
            if right.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && right != "NULL" =>
        {
            vec![format!("{indent}{left} = {right}; free({right});")]
        }
        _ => Vec::new(),
    }),
];

/// A library with one mutation.
struct Mutant {
    mutation: &'static str,
    number: u32,
    line: String,
    text: String,
}

/// Returns the mutants of a library.
fn mutants(text: &str) -> Vec<Mutant> {
    let lines: Vec<&str> = text.lines().collect();
    let mut out = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        for (name, change) in MUTATIONS {
            for changed in change(line) {
                let mut all: Vec<&str> = lines.clone();
                all[number] = &changed;
                let (number, line) = (number as u32 + 1, changed.trim().to_owned());
                out.push(Mutant { mutation: name, number, line, text: all.join("\n") });
            }
        }
    }
    out
}

fn library(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cairn/tests/integrity");
    let text = fs::read_to_string(folder.join(name)).expect("the library is there");
    // These libraries need no preprocessor: they only define NULL.
    text.replace("#define NULL ((void *)0)", "")
}

/// Checks one mutant in `step`. Returns the number of mutants that were checked and the number of safe ones.
fn check(name: &str, step: usize) -> (usize, usize) {
    let mutants: Vec<Mutant> = mutants(&library(name)).into_iter().step_by(step).collect();
    let results = sweep::in_parallel(&mutants, |Mutant { mutation, number, line, text }| {
        let text = text.replace("NULL", "((void *)0)");
        let compiled = compile(vec![Input { name: name.to_owned(), text }], Target::Lp64);
        let program = compiled.program?;
        let report = cairn_integrity::check(&program, &Options::default(), &|| false);
        // The answer for a function assumes that the functions it calls are safe.
        if !report.functions.iter().all(cairn_integrity::FunctionReport::is_safe) {
            return Some(false);
        }
        let start = |function: &cairn_integrity::FunctionReport| program.functions[function.function.index()].loc.line;
        let changed = report.functions.iter().filter(|function| start(function) <= *number).max_by_key(|f| start(f));
        let Some(changed) = changed else { return Some(true) };
        let found = cairn_integrity::refute(&program, &report, changed.function, 100);
        assert!(found.is_none() || changed.in_callers, "{name}: {mutation}: `{line}` is called safe, but: {found:?}");
        Some(true)
    });
    (results.iter().flatten().count(), results.iter().flatten().filter(|safe| **safe).count())
}

#[test]
fn safe_mutants_have_valid_executions() {
    let mut sum = (0, 0);
    for (name, step) in [
        ("schorr_waite.c", 4),
        ("binary_search_tree.c", 6),
        ("layouts.c", 6),
        ("tagged_links.c", 4),
        ("singly_linked_list.c", 23),
        ("doubly_linked_list.c", 23),
        ("balanced_tree.c", 71),
    ] {
        let (checked, safe) = check(name, if sweep::takes_all() { 1 } else { step });
        println!("{name}: {checked} mutants, {safe} of them safe");
        assert!(checked > 3 && safe < checked, "{name}: {safe} of {checked} mutants are safe");
        sum = (sum.0 + checked, sum.1 + safe);
    }
    assert!(sum.0 > 40, "{sum:?}");
}
