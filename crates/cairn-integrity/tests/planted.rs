//! Faults of the kinds that the engine `integrity` detects, planted at every possible position in the libraries of
//! `crates/cairn/tests/integrity`.
//!
//! The faults are: an uninitialised link of a new node, memory that is too small, a pointer into or behind a node, an index or a length that
//! is off by one, a freed node that is linked or returned, a link to a local variable, to an object of another type, or to nothing. None of
//! the results may be called safe.

mod sweep;

use std::fs;
use std::path::Path;

use cairn_frontend::{Input, compile};
use cairn_integrity::Options;
use cairn_ir::layout::Target;

/// A library with planted faults.
struct Library {
    name: &'static str,
    /// The links, with the type that each points to.
    links: &'static [(&'static str, &'static str)],
    /// One mutant in `step` is checked by default.
    step: usize,
}

const LIBRARIES: &[Library] = &[
    Library { name: "schorr_waite.c", links: &[("left", "vertex"), ("right", "vertex")], step: 1 },
    Library { name: "binary_search_tree.c", links: &[("left", "tree"), ("right", "tree")], step: 1 },
    Library { name: "singly_linked_list.c", links: &[("next", "cell")], step: 2 },
    Library { name: "doubly_linked_list.c", links: &[("next", "item"), ("prev", "item")], step: 3 },
    Library {
        name: "balanced_tree.c",
        links: &[("left", "node"), ("right", "node"), ("root", "node"), ("node", "node"), ("up", "step")],
        step: 11,
    },
    Library {
        name: "layouts.c",
        links: &[
            ("parent", "task"),
            ("child[i]", "branch"),
            ("child[index]", "branch"),
            ("child[0]", "branch"),
            ("to", "vertex"),
        ],
        step: 1,
    },
    Library {
        name: "initialisers.c",
        links: &[
            ("next", "link"),
            ("prev", "link"),
            ("parent", "task"),
            ("child[0]", "task"),
            ("child[i]", "task"),
            ("running", "task"),
        ],
        step: 1,
    },
    Library {
        name: "nested_arrays.c",
        links: &[
            ("out[i].to", "place"),
            ("next", "place"),
            ("child[i]", "trie"),
            ("child[letter]", "trie"),
            ("up", "trie"),
            ("cell[row][column]", "grid"),
            ("body.circle.next", "shape"),
            ("to.at.north", "quad"),
            ("to.child[3]", "quad"),
        ],
        step: 7,
    },
    Library { name: "callers.c", links: &[("next", "item"), ("prev", "item"), ("slot[at]", "item")], step: 1 },
];

/// A library with one fault.
struct Planted {
    rule: &'static str,
    line: String,
    text: String,
}

fn is_simple(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || "_->.[]".contains(c))
}

fn is_name(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Returns the struct that a function returns a pointer to, from the first line of its definition.
fn returned(line: &str) -> Option<&str> {
    let (before, _) = line.split_once('(')?;
    let (ty, name) = before.strip_prefix("static ").unwrap_or(before).strip_prefix("struct ")?.split_once(" *")?;
    (is_name(ty) && is_name(name)).then_some(ty)
}

/// Returns the variables that hold new memory at a line. `makers` are the functions that return new memory.
fn fresh<'t>(lines: &[&'t str], number: usize, makers: &[&str]) -> Vec<&'t str> {
    let mut out = Vec::new();
    for line in lines[..number].iter().rev().take_while(|line| **line != "{") {
        if line.contains("memset(") {
            // Zeroed memory is initialised.
            return Vec::new();
        }
        let Some((left, right)) = line.trim().split_once(" = ") else { continue };
        if makers.iter().any(|maker| right.starts_with(&format!("{maker}("))) {
            out.push(left.rsplit([' ', '*']).next().unwrap_or(left));
        }
    }
    out
}

/// Returns the functions that return uninitialised memory of `malloc`.
fn makers<'t>(lines: &[&'t str]) -> Vec<&'t str> {
    let mut out = vec!["malloc"];
    let mut current = "";
    for line in lines {
        if !line.starts_with([' ', '{', '}', '/']) && line.contains('(') && !line.ends_with(';') {
            let head = line.split('(').next().unwrap_or("");
            current = head.rsplit([' ', '*']).next().unwrap_or("");
        }
        if line.contains("malloc(") && line.starts_with(' ') && line.trim().starts_with("return ") {
            out.push(current);
        }
    }
    out
}

/// Returns all mutants of a library.
fn planted(library: &Library, text: &str) -> Vec<Planted> {
    let lines: Vec<&str> = text.lines().collect();
    let makers = makers(&lines);
    let mut out = Vec::new();
    let mut result = None;
    for (number, line) in lines.iter().enumerate() {
        if !line.starts_with([' ', '{', '}', '/', '#']) {
            result = returned(line);
        }
        let mut add = |rule: &'static str, changed: String| {
            let mut all = lines.clone();
            all[number] = &changed;
            out.push(Planted { rule, line: line.trim().to_owned(), text: all.join("\n") });
        };
        if !line.starts_with("extern") {
            for (at, _) in line.match_indices("malloc(") {
                let (before, after) = line.split_at(at + "malloc(".len());
                add("one byte less", format!("{before}-1 + {after}"));
                add("one word less", format!("{before}-8 + {after}"));
                add("no byte at all", format!("{before}0 * {after}"));
                add("the size of a pointer", format!("{before}sizeof(void *) + 0 * {after}"));
            }
            for name in ["memcpy(", "memset("] {
                for (at, _) in line.match_indices(name) {
                    let Some(size) = line[at..].find("sizeof") else { continue };
                    let (before, after) = line.split_at(at + size);
                    add("one byte too many", format!("{before}1 + {after}"));
                    add("only one word", format!("{before}8 + 0 * {after}"));
                }
            }
            for (from, to) in [
                ("[i]", "[i + 1]"),
                ("[index]", "[index + 1]"),
                ("[at]", "[at + 1]"),
                ("[letter]", "[letter + 1]"),
                ("[row][", "[row + 1]["),
                ("[column]", "[column + 1]"),
                ("[(unsigned char)byte]", "[1 + (unsigned char)byte]"),
                ("hash % 26", "hash % 28"),
                ("< 2 ", "<= 2 "),
                ("i >= 3", "i > 3"),
                ("i >= 0", "i >= -1"),
                ("< 4;", "<= 4;"),
                ("< 8;", "<= 8;"),
            ] {
                // A copy from the next element may also be a copy from the element itself.
                for (at, _) in line.match_indices(from).filter(|_| !line.contains("[i + 1]")) {
                    add("off by one", format!("{}{to}{}", &line[..at], &line[at + from.len()..]));
                }
            }
        }
        let statement = line.trim_start();
        let indent = &line[..line.len() - statement.len()];
        let value = statement.strip_prefix("return ").and_then(|text| text.strip_suffix(';'));
        if let (Some(ty), Some(value)) =
            (result, value.filter(|value| is_name(value) && !["NULL", "0"].contains(value)))
        {
            add("freed and returned", format!("{indent}{{ free({value}); return {value}; }}"));
            add("pointer into the node returned", format!("{indent}return (void *)((char *){value} + 1);"));
            add("pointer behind the node returned", format!("{indent}return {value} + 1;"));
            add("local variable returned", format!("{indent}{{ struct {ty} local = {{ 0 }}; return &local; }}"));
            add("nothing returned", format!("{indent}{{ struct {ty} *nothing; return nothing; }}"));
        }
        let Some((left, right)) = statement.strip_suffix(';').and_then(|text| text.split_once(" = ")) else { continue };
        let Some((base, field)) = left.rsplit_once("->") else { continue };
        let Some((_, ty)) = library.links.iter().find(|(name, _)| *name == field) else { continue };
        if !is_simple(left) || right.contains(" = ") {
            continue;
        }
        if fresh(&lines, number, &makers).contains(&base) {
            add("forgotten initialisation", format!("{indent};"));
        }
        let null = matches!(right, "NULL" | "0");
        if !null {
            add("pointer into the node", format!("{indent}{left} = (void *)((char *)({right}) + 8);"));
        }
        if !null && is_name(right) {
            add("freed and linked", format!("{indent}{{ {left} = {right}; free({right}); }}"));
            add("pointer behind the node", format!("{indent}{left} = {right} + 1;"));
        }
        add("number for a link", format!("{indent}{left} = (void *)4660L;"));
        add("link to nothing", format!("{indent}{{ struct {ty} *nothing; {left} = nothing; }}"));
        let stranger = "extern struct stranger { long number; } stranger;";
        add("link to another type", format!("{indent}{{ {stranger} {left} = (void *)&stranger; }}"));
        add("shrunk", format!("{indent}{{ {left} = {right}; {left} = realloc({left}, 4); }}"));
        add("link to a local variable", format!("{indent}{{ struct {ty} local = {{ 0 }}; {left} = &local; }}"));
    }
    out
}

fn read(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cairn/tests/integrity");
    fs::read_to_string(folder.join(name)).expect("the library is there")
}

/// Whether all functions are safe, or `None` if the program is invalid. The libraries need no preprocessor: they only define NULL.
fn is_safe(name: &str, text: &str) -> Option<bool> {
    let text = text.replace("#define NULL ((void *)0)", "").replace("NULL", "((void *)0)");
    let text = format!("extern void free(void *memory); extern void *realloc(void *, unsigned long); {text}");
    let program = compile(vec![Input { name: name.to_owned(), text }], Target::Lp64).program?;
    let report = cairn_integrity::check(&program, &Options::default(), &|| false);
    Some(report.functions.iter().all(cairn_integrity::FunctionReport::is_safe))
}

#[test]
fn libraries_with_a_planted_fault_are_not_safe() {
    let mut mutants = Vec::new();
    for library in LIBRARIES {
        let text = read(library.name);
        assert_eq!(is_safe(library.name, &text), Some(true), "{}", library.name);
        let step = if sweep::takes_all() { 1 } else { 3 * library.step };
        mutants.extend(planted(library, &text).into_iter().step_by(step).map(|mutant| (library.name, mutant)));
    }
    let results = sweep::in_parallel(&mutants, |(name, Planted { rule, line, text })| {
        is_safe(name, text).map(|is_safe| is_safe.then(|| format!("{name}: {rule}: {line}")))
    });
    let checked = results.iter().flatten().count();
    let wrong: Vec<String> = results.into_iter().flatten().flatten().collect();
    println!("{checked} mutants");
    assert!(checked > 130, "{checked}");
    assert!(wrong.is_empty(), "called safe:\n{}", wrong.join("\n"));
}
