//! Mistakes of the kinds that the engine `integrity` is there for, planted wherever the libraries of `crates/cairn/tests/integrity`
//! have room for one: a link of a new node that is not initialised, memory that is too small, a pointer into or behind a node, an index
//! or a length that is off by one, a node that is freed and linked or returned, a link to a local variable, to something of another type,
//! or to nothing at all. None of the results may be called safe.

use std::fs;
use std::path::Path;

use cairn_engine::engines::integrity::{self, Options};
use cairn_frontend::{Input, compile};
use cairn_ir::layout::Target;

/// A library, its links with the types of what they point to, and how many of its mutants are taken: one of that many.
struct Library {
    name: &'static str,
    links: &'static [(&'static str, &'static str)],
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

/// A library with one mistake.
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

/// The struct that a function returns a pointer to, by the line that its definition begins with.
fn returned(line: &str) -> Option<&str> {
    let (before, _) = line.split_once('(')?;
    let (ty, name) = before.strip_prefix("static ").unwrap_or(before).strip_prefix("struct ")?.split_once(" *")?;
    (is_name(ty) && is_name(name)).then_some(ty)
}

/// The variables of the function around a line that hold new memory there: `makers` are the functions that return some.
fn fresh<'t>(lines: &[&'t str], number: usize, makers: &[&str]) -> Vec<&'t str> {
    let mut out = Vec::new();
    for line in lines[..number].iter().rev().take_while(|line| **line != "{") {
        if line.contains("memset(") {
            // What is zero is initialised.
            return Vec::new();
        }
        let Some((left, right)) = line.trim().split_once(" = ") else { continue };
        if makers.iter().any(|maker| right.starts_with(&format!("{maker}("))) {
            out.push(left.rsplit([' ', '*']).next().unwrap_or(left));
        }
    }
    out
}

/// The names of functions that call `malloc` themselves and return new nodes without links.
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

/// All mutants of a library.
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
                // An element that is copied from its neighbour may be copied from itself.
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

fn library(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cairn/tests/integrity");
    fs::read_to_string(folder.join(name)).expect("the library is there")
}

/// The preprocessor is not asked: these libraries define nothing but NULL.
fn is_safe(name: &str, text: &str) -> Option<bool> {
    let text = text.replace("#define NULL ((void *)0)", "").replace("NULL", "((void *)0)");
    let text = format!("extern void free(void *memory); extern void *realloc(void *, unsigned long); {text}");
    let program = compile(vec![Input { name: name.to_owned(), text }], Target::Lp64).program?;
    let report = integrity::check(&program, &Options::default(), &|| false);
    Some(report.functions.iter().all(integrity::FunctionReport::is_safe))
}

#[test]
fn no_planted_mistake_is_called_safe() {
    let mut wrong = Vec::new();
    let mut asked = 0;
    for of in LIBRARIES {
        let text = library(of.name);
        assert_eq!(is_safe(of.name, &text), Some(true), "{}", of.name);
        for Planted { rule, line, text } in planted(of, &text).into_iter().step_by(of.step) {
            let Some(safe) = is_safe(of.name, &text) else { continue };
            asked += 1;
            if safe {
                wrong.push(format!("{}: {rule}: {line}", of.name));
            }
        }
    }
    println!("{asked} mutants");
    assert!(asked > 400, "{asked}");
    assert!(wrong.is_empty(), "called safe:\n{}", wrong.join("\n"));
}
