//! Heap programs: a structure, the payload of its nodes, and operations in a random order.
//!
//! The text of a structure has one statement per line, so that mutations can work on lines. `@FIELDS`, `@INIT(x)`, `@FINI(x)`,
//! `@TOUCH(x)` and `@END` stand for the fields of the payload, and for the statements that create, release and use it in a node
//! `x`, and that release what all nodes share. `nb()` is an arbitrary truth value, `nd()` an arbitrary number.

use super::lists::{CIRCULAR, DOUBLY, INTRUSIVE, QUEUE, SINGLY};
use super::random::Random;
use super::shapes::{BUFFERS, NESTED, PARENTS, SKIP, TABLE, TREE, VECTOR};

/// A data structure with its operations.
pub struct Structure {
    pub name: &'static str,
    /// Fields of nodes that hold pointers.
    pub links: &'static [&'static str],
    pub types: &'static str,
    pub state: &'static str,
    pub functions: &'static str,
    /// Statements that build the structure, one of which a program uses.
    pub build: &'static [&'static str],
    /// Operations, each a block of its own.
    pub operations: &'static [&'static str],
    /// Statements that free the structure, one of which a program uses.
    pub end: &'static [&'static str],
}

pub const STRUCTURES: [&Structure; 12] =
    [&SINGLY, &DOUBLY, &CIRCULAR, &INTRUSIVE, &QUEUE, &NESTED, &TREE, &PARENTS, &SKIP, &TABLE, &VECTOR, &BUFFERS];

/// The contents of nodes.
struct Payload {
    name: &'static str,
    fields: &'static str,
    /// Declarations before the structure.
    globals: &'static str,
    start: &'static str,
    init: &'static str,
    fini: &'static str,
    touch: &'static str,
    end: &'static str,
}

const NOTHING: Payload =
    Payload { name: "nothing", fields: "", globals: "", start: "", init: "", fini: "", touch: "", end: "" };

const PAYLOADS: [Payload; 11] = [
    NOTHING,
    Payload { name: "number", fields: "int data;", init: "x->data = nd();", touch: "x->data = 1;", ..NOTHING },
    Payload {
        name: "mark",
        fields: "int mark;",
        init: "x->mark = 1;",
        touch: "if (x->mark != 1)\n    reach_error();",
        fini: "if (x->mark != 1)\n    reach_error();",
        ..NOTHING
    },
    Payload {
        name: "buffer",
        fields: "char *buf;",
        init: "x->buf = malloc(4);\nx->buf[0] = 1;",
        fini: "free(x->buf);",
        touch: "x->buf[3] = 2;",
        ..NOTHING
    },
    Payload {
        name: "optional",
        fields: "int has; char *buf;",
        init: "x->has = nb();\nx->buf = 0;\nif (x->has)\n    x->buf = malloc(4);",
        fini: "if (x->has)\n    free(x->buf);",
        touch: "if (x->has)\n    x->buf[3] = 2;",
        ..NOTHING
    },
    Payload {
        name: "shared",
        fields: "char *item;",
        globals: "static char *shared;",
        start: "shared = malloc(4);",
        init: "x->item = shared;",
        touch: "x->item[1] = 2;",
        end: "free(shared);\nshared = 0;",
        ..NOTHING
    },
    Payload {
        name: "counted",
        fields: "struct item *item;",
        globals: "struct item { int users; };\nstatic struct item *shared;",
        start: "shared = malloc(sizeof *shared);\nshared->users = 1;",
        init: "x->item = shared;\nx->item->users++;",
        fini: "x->item->users--;\nif (x->item->users == 0)\n    free(x->item);",
        touch: "if (x->item->users < 1)\n    reach_error();",
        end: "shared->users--;\nif (shared->users == 0)\n    free(shared);\nshared = 0;",
    },
    Payload {
        name: "owned_pair",
        fields: "struct box *box;",
        globals: "struct box { int *value; };",
        init: "x->box = malloc(sizeof *x->box);\nx->box->value = malloc(sizeof(int));\n*x->box->value = 7;",
        fini: "free(x->box->value);\nfree(x->box);",
        touch: "*x->box->value = 8;",
        ..NOTHING
    },
    Payload {
        name: "sized",
        fields: "int size; char *buf;",
        init: "x->size = nb() ? 1 : 3;\nx->buf = malloc(x->size);",
        fini: "x->buf[x->size - 1] = 0;\nfree(x->buf);",
        touch: "x->buf[x->size - 1] = 1;",
        ..NOTHING
    },
    // Two nodes have one item, which the later of the two owns.
    Payload {
        name: "in_pairs",
        fields: "int owns; char *item;",
        globals: "static char *half;",
        init: "x->owns = half != 0;\nx->item = half;\nhalf = 0;\nif (!x->owns) {\n    half = malloc(4);\n    x->item = half;\n}",
        fini: "if (x->owns)\n    free(x->item);",
        end: "free(half);\nhalf = 0;",
        ..NOTHING
    },
    // The node is registered in a chain of its own, whose links are apart from it.
    Payload {
        name: "chained",
        fields: "struct entry *entry;",
        globals: "struct entry { struct entry *older; int users; };\nstatic struct entry *newest;",
        init: "x->entry = malloc(sizeof *x->entry);\nx->entry->older = newest;\nx->entry->users = 1;\nnewest = x->entry;",
        fini: "x->entry->users = 0;",
        touch: "if (x->entry->users != 1)\n    reach_error();",
        end: "while (newest) {\n    struct entry *older = newest->older;\n    free(newest);\n    newest = older;\n}",
        ..NOTHING
    },
];

pub const PRELUDE: &str = "typedef __typeof__(sizeof 0) size_t;
void *malloc(size_t);
void free(void *);
void exit(int);
void abort(void);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern _Bool __VERIFIER_nondet_bool(void);
static int nd(void) { return __VERIFIER_nondet_int(); }
static int nb(void) { return __VERIFIER_nondet_bool(); }
static void *kept;
";

/// A generated program.
pub struct Generated {
    /// The names of the structure and of the payload.
    pub name: String,
    /// Everything after [`PRELUDE`], one statement per line.
    pub body: String,
    /// Fields of nodes that hold pointers.
    pub links: &'static [&'static str],
}

/// Generates the program of a seed. It has no fault.
pub fn generate(seed: u64) -> Generated {
    let mut random = Random::new(seed);
    let structure = STRUCTURES[random.below(STRUCTURES.len() as u64) as usize];
    let payload = &PAYLOADS[random.below(PAYLOADS.len() as u64) as usize];
    let types = structure.types.replace("@FIELDS", payload.fields);
    let functions = fill(structure.functions, payload);
    let mut main = Vec::new();
    main.push(payload.start.to_owned());
    main.push(random.one(structure.build).to_owned());
    let mut helpers = String::new();
    for index in 0..1 + random.below(3) {
        main.push(operation(random.one(structure.operations), index, &mut helpers, &mut random));
    }
    let end = random.one(structure.end).to_owned();
    if random.below(4) == 0 {
        // An error path that ends the program inside a callee.
        helpers += &format!(
            "static void give_up(void) {{\n{}\n{}\n    exit(1);\n}}\n",
            indent(&end, 1),
            indent(payload.end, 1)
        );
        main.push("if (nb())\n    give_up();".to_owned());
    }
    main.extend([end, payload.end.to_owned(), "return 0;".to_owned()]);
    let main = indent(&main.join("\n"), 1);
    let body = format!(
        "{}\n{types}\n{}\n{functions}\n{helpers}int main(void) {{\n{main}\n}}\n",
        payload.globals, structure.state
    );
    let body = body.lines().filter(|line| !line.trim().is_empty()).collect::<Vec<_>>().join("\n") + "\n";
    Generated { name: format!("{}/{}", structure.name, payload.name), body, links: structure.links }
}

/// Returns the statements of an operation: once, perhaps, repeatedly, in a helper, or by recursion.
fn operation(text: &str, index: u64, helpers: &mut String, random: &mut Random) -> String {
    let block = |head: &str| format!("{head} {{\n{}\n}}", indent(text, 1));
    match random.below(6) {
        0 => block("if (nb())"),
        1 => block("while (nb())"),
        2 => {
            *helpers += &format!("static void step{index}(void) {{\n{}\n}}\n", indent(text, 1));
            format!("step{index}();")
        }
        3 => {
            *helpers += &format!(
                "static void again{index}(int n) {{\n{}\n    if (n > 0 && nb())\n        again{index}(n - 1);\n}}\n",
                indent(text, 1)
            );
            format!("again{index}(2);")
        }
        _ => block("do").replace("do {", "{"),
    }
}

/// Replaces the hooks of the payload, keeping the indentation.
fn fill(text: &str, payload: &Payload) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let trimmed = line.trim_start();
        let depth = (line.len() - trimmed.len()) / 4;
        let statements = match trimmed {
            "@INIT(x)" => payload.init,
            "@FINI(x)" => payload.fini,
            "@TOUCH(x)" => payload.touch,
            "@END" => payload.end,
            _ => {
                out += line;
                out.push('\n');
                continue;
            }
        };
        out += &indent(statements, depth);
        out.push('\n');
    }
    out
}

fn indent(text: &str, depth: usize) -> String {
    let pad = "    ".repeat(depth);
    text.lines().map(|line| format!("{pad}{line}")).collect::<Vec<_>>().join("\n")
}
