//! Mistakes made by rule in the libraries of `crates/cairn/tests/integrity`: every place where a rule applies gives a mutant. Many of
//! them are as valid as what they were made of; so the interpreter is asked: what the engine `integrity` calls safe is run on
//! many graphs, and no run may leave a node or end with a graph that is not valid.

use std::fs;
use std::path::Path;

use cairn_engine::engines::integrity::{self, Options};
use cairn_frontend::{Input, compile};
use cairn_ir::layout::Target;

/// A rule: its name, and what it makes of a line (each change is one mutant).
type Mutation = (&'static str, fn(&str) -> Vec<String>);

/// The line with each occurrence of a text replaced, one at a time.
fn each(line: &str, from: &str, to: &str) -> Vec<String> {
    line.match_indices(from).map(|(at, _)| format!("{}{to}{}", &line[..at], &line[at + from.len()..])).collect()
}

/// The two sides of an assignment statement to a member, and how far it is indented.
fn assignment(line: &str) -> Option<(&str, &str, &str)> {
    let statement = line.trim_start();
    let (left, right) = statement.strip_suffix(';')?.split_once(" = ")?;
    let simple = left.chars().all(|c| c.is_ascii_alphanumeric() || "_->.[]".contains(c));
    (left.contains("->") && simple).then_some((&line[..line.len() - statement.len()], left, right))
}

const MUTATIONS: &[Mutation] = &[
    ("a forgotten assignment", |line| assignment(line).map(|(indent, ..)| format!("{indent};")).into_iter().collect()),
    ("a pointer into the node", |line| match assignment(line) {
        Some((indent, left, right)) if !right.contains(['"', '?', '=']) && right != "NULL" => {
            vec![format!("{indent}{left} = (void *)((char *)({right}) + 8);")]
        }
        _ => Vec::new(),
    }),
    ("a pointer behind the node", |line| match assignment(line) {
        Some((indent, left, right)) if right.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') => {
            vec![format!("{indent}{left} = (void *)((char *)({right}) + sizeof *({left}));")]
        }
        _ => Vec::new(),
    }),
    ("an integer for a link", |line| match assignment(line) {
        Some((indent, left, "NULL")) => vec![format!("{indent}{left} = (void *)4660L;")],
        _ => Vec::new(),
    }),
    ("a swapped assignment", |line| match assignment(line) {
        Some((indent, left, right)) if right.contains("->") && !right.contains(['(', '?', '=', ' ']) => {
            vec![format!("{indent}{right} = {left};")]
        }
        _ => Vec::new(),
    }),
    ("a wrong size", |line| {
        let mut out = each(line, "malloc(sizeof", "malloc(-8 + sizeof");
        out.extend(each(line, "malloc(sizeof", "malloc(sizeof(int) + 0 * sizeof"));
        out
    }),
    ("a loop that goes too far", |line| if line.contains("for (") { each(line, " < ", " <= ") } else { Vec::new() }),
    ("a bound that is off by one", |line| {
        if line.contains("if (") {
            [each(line, ">= 4", "> 4"), each(line, "< 4", "<= 4"), each(line, ">= 0", ">= -1")].concat()
        } else {
            Vec::new()
        }
    }),
    ("a test that is missing", |line| {
        let start = line.trim_start();
        let open = line.len() - start.len();
        match start.strip_prefix("if (") {
            Some(rest) if rest.ends_with(')') || rest.ends_with(") {") => {
                vec![format!("{}if (1 || {rest}", &line[..open])]
            }
            _ => Vec::new(),
        }
    }),
    ("a test that is turned round", |line| {
        [each(line, " != NULL", " == NULL"), each(line, " == NULL", " != NULL")].concat()
    }),
    ("another index", |line| {
        [
            each(line, "[0]", "[1]"),
            each(line, "[1]", "[4]"),
            each(line, "[i]", "[i + 1]"),
            each(line, "[index]", "[index - 1]"),
        ]
        .concat()
    }),
    ("another mask", |line| {
        [
            each(line, "(uintptr_t)1", "(uintptr_t)3"),
            each(line, "(uintptr_t)3", "(uintptr_t)1"),
            each(line, "| 1", "| 4"),
        ]
        .concat()
    }),
    ("memory that is freed at once", |line| match assignment(line) {
        Some((indent, left, right))
            if right.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && right != "NULL" =>
        {
            vec![format!("{indent}{left} = {right}; free({right});")]
        }
        _ => Vec::new(),
    }),
];

/// A library with one mistake.
struct Mutant {
    rule: &'static str,
    number: u32,
    line: String,
    text: String,
}

/// The mutants of a library.
fn mutants(text: &str) -> Vec<Mutant> {
    let lines: Vec<&str> = text.lines().collect();
    let mut out = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        for (name, change) in MUTATIONS {
            for changed in change(line) {
                let mut all: Vec<&str> = lines.clone();
                all[number] = &changed;
                let (number, line) = (number as u32 + 1, changed.trim().to_owned());
                out.push(Mutant { rule: name, number, line, text: all.join("\n") });
            }
        }
    }
    out
}

fn library(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cairn/tests/integrity");
    let text = fs::read_to_string(folder.join(name)).expect("the library is there");
    // The preprocessor is not asked: these libraries define nothing but NULL.
    text.replace("#define NULL ((void *)0)", "")
}

/// How many mutants of a library were asked about, and how many of them are called safe. One of `step` is taken.
fn hold(name: &str, step: usize) -> (usize, usize) {
    let (mut asked, mut safe) = (0, 0);
    for Mutant { rule, number, line, text } in mutants(&library(name)).into_iter().step_by(step) {
        let text = text.replace("NULL", "((void *)0)");
        let compiled = compile(vec![Input { name: name.to_owned(), text }], Target::Lp64);
        let Some(program) = compiled.program else { continue };
        asked += 1;
        let report = integrity::check(&program, &Options::default(), &|| false);
        // A function is answered for under the assumption that those it calls are safe.
        if !report.functions.iter().all(integrity::FunctionReport::is_safe) {
            continue;
        }
        safe += 1;
        let place = |function: &integrity::FunctionReport| program.functions[function.function.index()].loc.line;
        let changed = report.functions.iter().filter(|function| place(function) <= number).max_by_key(|f| place(f));
        let Some(changed) = changed else { continue };
        let found = integrity::refute(&program, &report, changed.function, 100);
        assert!(found.is_none() || changed.in_callers, "{name}: {rule}: `{line}` is called safe, but: {found:?}");
    }
    (asked, safe)
}

#[test]
fn mutants_that_are_called_safe_are_safe() {
    let mut sum = (0, 0);
    for (name, step) in [
        ("schorr_waite.c", 2),
        ("binary_search_tree.c", 3),
        ("layouts.c", 3),
        ("tagged_links.c", 2),
        ("singly_linked_list.c", 11),
        ("doubly_linked_list.c", 11),
        ("balanced_tree.c", 23),
    ] {
        let (asked, safe) = hold(name, step);
        println!("{name}: {asked} mutants, {safe} of them called safe");
        assert!(asked > 5 && safe < asked, "{name}: {safe} of {asked} mutants are safe");
        sum = (sum.0 + asked, sum.1 + safe);
    }
    assert!(sum.0 > 80, "{sum:?}");
}
