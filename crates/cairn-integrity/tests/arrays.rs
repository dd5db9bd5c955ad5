//! Comparison of the engine `integrity` with the interpreter on nodes with arrays of structs, arrays of arrays, a union and a link to a
//! cell.

mod libraries;

use libraries::{Environment, Numbers};

const VARIABLES: &[&str] = &["a", "b", "c"];

/// Returns a cell of the node `x` and a condition under which it is in bounds. Some conditions are wrong.
fn cell(numbers: &mut Numbers, x: &str) -> (String, String) {
    let slip = numbers.below(24) == 0;
    let (member, condition) = if slip {
        [
            ("e[m].up", "m <= 3"),
            ("e[n].up", "n < 3"),
            ("e[n % 3].up", "1"),
            ("e[m & 3].up", "1"),
            ("g[m][n]", "m < 2 && n < 2"),
            ("g[m % 3][1]", "1"),
            ("g[n & 1][m]", "m <= 2"),
            ("e[(unsigned char)n].up", "n < 3"),
        ][numbers.below(8) as usize]
    } else {
        [
            ("l", "1"),
            ("e[1].up", "1"),
            ("e[m].up", "m < 3"),
            ("e[n].up", "n >= 0 && n < 3"),
            ("e[m % 3].up", "1"),
            ("e[n & 1].up", "1"),
            ("e[(unsigned char)n].up", "(unsigned char)n < 3"),
            ("g[0][1]", "1"),
            ("g[m][n]", "m < 2 && n >= 0 && n < 2"),
            ("g[n & 1][m % 2]", "1"),
            ("g[m >> 31][m & 1]", "1"),
            ("u.x", "1"),
            ("u.y", "1"),
        ][numbers.below(13) as usize]
    };
    (format!("{x}->{member}"), format!("{x} && {condition}"))
}

/// Returns a statement on the pointers `a` to `c`, each of which may be null, and on the integers `n` and `m`.
fn statement(numbers: &mut Numbers, depth: u32) -> String {
    let (x, y, z) = (numbers.pick(VARIABLES), numbers.pick(VARIABLES), numbers.pick(VARIABLES));
    let block = |numbers: &mut Numbers| {
        let count = 1 + numbers.below(2);
        (0..count).map(|_| statement(numbers, depth + 1)).collect::<Vec<_>>().join(" ")
    };
    let (to, inside) = cell(numbers, x);
    let (from, there) = cell(numbers, y);
    match numbers.below(if depth < 2 { 26 } else { 20 }) {
        0..=3 => format!("if ({inside}) {to} = {y};"),
        4..=6 => format!("if ({there}) {x} = {from};"),
        7 => format!("if (({inside}) && ({there})) {to} = {from};"),
        8 => format!("{{ struct node **p = {inside} ? &{to} : 0; if (p) *p = {z}; }}"),
        9 => format!("{{ struct inner *p = {x} && m < 3 ? &{x}->e[m] : 0; if (p) p->up = {y}; }}"),
        10 => format!("if ({x} && {y} && m < 3) {x}->e[m] = {y}->e[n & 1];"),
        11 => format!("if ({x}) for (i = 0; i < 3; i++) {x}->e[i].up = {y};"),
        12 => format!("if ({x}) {{ struct inner *p; for (p = {x}->e; p < {x}->e + 3; p++) p->up = {y}; }}"),
        13 => format!("if ({inside} && {y}) {y}->q = &{to};"),
        14 => format!("if ({x} && {x}->q) *{x}->q = {y};"),
        15 => format!("if ({y} && {y}->q) {x} = *{y}->q;"),
        16 => format!(
            "{x} = malloc(sizeof(struct node)); if (!{x}) return 0; {x}->l = {y}; for (i = 0; i < 3; i++) {x}->e[i].up = {z}; \
             {x}->g[0][0] = {x}->g[0][1] = {x}->g[1][0] = {x}->g[1][1] = 0; {x}->u.x = 0; {x}->q = &{x}->l;"
        ),
        17 => format!("if ({x} && {y}) memcpy(&{x}->e[1], &{y}->e[2], sizeof(struct inner));"),
        18 => format!("if ({x} && {y}) *{x} = *{y};"),
        // Some of these are faults, here or later.
        19 => match numbers.below(10) {
            0 => format!("if ({x}) {x}->q = (struct node **)&{x}->v;"),
            1 => format!("if ({x}) {x}->e[3].up = {y};"),
            2 => format!("if ({x}) {{ struct inner *p; for (p = {x}->e; p <= {x}->e + 3; p++) p->up = {y}; }}"),
            3 => format!("if ({x}) {x}->u.y = (struct node *)&{x}->u;"),
            4 => format!("if ({x} && {y}) memcpy(&{x}->e[1], &{y}->e[1], 2 * sizeof(struct inner) + 8);"),
            5 => format!("{x} = malloc(sizeof(struct node)); if (!{x}) return 0; {x}->l = 0;"),
            6 => format!("{{ struct inner *p = {x} && m <= 3 ? &{x}->e[m] : 0; if (p) p->up = {y}; }}"),
            7 => format!("if ({x}) {x}->q = &{x}->g[1][2] + (n & 3);"),
            8 => format!("if ({x}) {x}->g[1][m & 3] = {y};"),
            _ => format!("if ({x}) memset({x}, m & 1, sizeof(struct node));"),
        },
        20 | 21 => format!("if (m < n) {{ {} }} else {{ {} }}", block(numbers), block(numbers)),
        22 => format!("while ({x} && n-- > 0) {{ {} {x} = {x}->u.x; }}", block(numbers)),
        23 => format!("for (m = 0; m < 3 && {x}; m++) {{ {} }}", block(numbers)),
        24 => format!("for (m = 3; m-- > 0 && {x};) {{ {x}->e[m].up = {y}; {} }}", block(numbers)),
        _ => format!("if (m >= 2) {{ {} }}", block(numbers)),
    }
}

fn library(numbers: &mut Numbers) -> String {
    let mut text = String::from(
        "typedef unsigned long size_t; extern void *malloc(size_t); extern void *memcpy(void *, const void *, size_t);\n\
         extern void *memset(void *, int, size_t);\n\
         struct node; struct inner { long k; struct node *up; };\n\
         struct node { int v; struct node *l; struct inner e[3]; struct node *g[2][2];\n\
         \x20 union { struct node *x; struct node *y; } u; struct node **q; };\n",
    );
    for function in 0..3 {
        let count = 2 + numbers.below(4);
        let body: Vec<String> = (0..count).map(|_| statement(numbers, 0)).collect();
        let result = numbers.pick(VARIABLES);
        text.push_str(&format!(
            "struct node *f{function}(struct node *a, struct node *b, int n, unsigned m)\n\
             {{ struct node *c = 0; int i; {} return {result}; }}\n",
            body.join("\n  ")
        ));
    }
    text
}

/// A function that reads every node.
const VISIT: &str = "
static struct node *seen[500]; static int count;
void visit(struct node *p)
{
    int i;
    if (!p) return;
    for (i = 0; i < count; i++) if (seen[i] == p) return;
    if (count == 500) return;
    seen[count++] = p;
    visit(p->l); visit(p->e[0].up); visit(p->e[1].up); visit(p->e[2].up);
    visit(p->g[0][0]); visit(p->g[0][1]); visit(p->g[1][0]); visit(p->g[1][1]); visit(p->u.x);
    if (p->q) visit(*p->q);
}
";

/// A program that builds a graph, calls the library and reads every node. It is executed but not checked.
const MAIN: &str = "
extern int __VERIFIER_nondet_int(void);
static struct node *any(struct node **nodes) { return nodes[__VERIFIER_nondet_int() + (__VERIFIER_nondet_int() & 1)]; }
int main(void)
{
    struct node *nodes[9]; int i, k;
    for (i = 0; i < 8; i++) {
        nodes[i] = malloc(sizeof(struct node));
        memset(nodes[i], 0, sizeof(struct node));
    }
    nodes[8] = 0;
    for (i = 0; i < 8; i++) {
        struct node *q = nodes[__VERIFIER_nondet_int()];
        nodes[i]->l = any(nodes); nodes[i]->u.x = any(nodes);
        for (k = 0; k < 3; k++) nodes[i]->e[k].up = any(nodes);
        for (k = 0; k < 4; k++) nodes[i]->g[k / 2][k % 2] = any(nodes);
        switch (__VERIFIER_nondet_int() & 3) {
        case 0: nodes[i]->q = &q->l; break;
        case 1: nodes[i]->q = &q->e[2].up; break;
        case 2: nodes[i]->q = &q->g[1][1]; break;
        default: break;
        }
    }
    for (k = 0; k < 6; k++) {
        struct node *a = any(nodes), *b = any(nodes), *result;
        int n = __VERIFIER_nondet_int() - 3;
        unsigned m = __VERIFIER_nondet_int() - (__VERIFIER_nondet_int() == 0);
        switch (__VERIFIER_nondet_int() % 3) {
        case 0: result = f0(a, b, n, m); break;
        case 1: result = f1(a, b, n, m); break;
        default: result = f2(a, b, n, m); break;
        }
        count = 0;
        visit(result);
        for (i = 0; i < 8; i++) visit(nodes[i]);
        nodes[__VERIFIER_nondet_int()] = result ? result : nodes[0];
    }
    return 0;
}
";

#[test]
fn executions_of_safe_libraries_are_valid() {
    let made = |numbers: &mut Numbers, _| format!("{}{VISIT}", library(numbers));
    let environment = Environment { inputs_below: 8, sure_allocations: 20 };
    libraries::executions_of_safe_libraries_are_valid(made, MAIN, environment, 6);
}
