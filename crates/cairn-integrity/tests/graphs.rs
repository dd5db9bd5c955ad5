//! Comparison of the engine `integrity` with the interpreter on nodes with links, arrays of links and tagged integers.

mod libraries;

use libraries::{Environment, Numbers};

const VARIABLES: &[&str] = &["a", "b", "c", "d"];

/// Returns a statement on the pointers `a` to `d`, each of which may be null, and on the integer `n`.
fn statement(numbers: &mut Numbers, tagged: bool, function: u64, depth: u32) -> String {
    let (x, y, z) = (numbers.pick(VARIABLES), numbers.pick(VARIABLES), numbers.pick(VARIABLES));
    let field = numbers.pick(&["l", "r[0]", "r[1]", "in.up"]);
    let block = |numbers: &mut Numbers| {
        let count = 1 + numbers.below(3);
        (0..count).map(|_| statement(numbers, tagged, function, depth + 1)).collect::<Vec<_>>().join(" ")
    };
    // Some libraries have links with tags, stored as integers.
    if tagged && numbers.below(5) == 0 {
        let tag = numbers.pick(&["0", "1", "2", "3"]);
        return match numbers.below(12) {
            0..=2 => format!("if ({x}) {x}->t = (unsigned long){y} | {tag};"),
            3..=5 => format!("if ({y}) {x} = (struct node *)({y}->t & ~3UL);"),
            6 => format!("if ({y} && ({y}->t & 3) == {tag}) {x} = (struct node *)({y}->t - {tag});"),
            7 => format!("if ({x}) {x}->t ^= {tag};"),
            8 => format!("if ({x}) {x}->t |= {tag};"),
            9 => format!("if ({x} && ({x}->t & 1)) {x}->t = (unsigned long){y};"),
            10 => format!("if ({x} && {y}) {x}->t = {y}->t;"),
            // Faults.
            _ => match numbers.below(5) {
                0 => format!("if ({y}) {x} = (struct node *)({y}->t & ~1UL);"),
                1 => format!("if ({x}) {x}->t = n;"),
                2 => format!("if ({x} && {y}) {x}->t = (unsigned long)&{y}->in;"),
                3 => format!("if ({y} && ({y}->t & 1)) {x} = (struct node *)({y}->t - 2);"),
                _ => format!("if ({x}) {x}->t = (unsigned long){y} + 4;"),
            },
        };
    }
    match numbers.below(if depth < 2 { 37 } else { 25 }) {
        0..=4 => format!("if ({x}) {x}->{field} = {y};"),
        5..=8 => format!("if ({y}) {x} = {y}->{field};"),
        9 => format!("{x} = {y};"),
        10 | 11 => format!("{x} = make(); {x}->l = {y}; {x}->r[0] = {x}->r[1] = {z}; {x}->in.up = 0; {x}->t = 0;"),
        12 => format!("{x} = make(); {x}->l = {y};"),
        13 => format!("if ({x}) {{ {x}->l = make(); {x}->l->l = {x}; {x}->l->r[0] = {y}; }}"),
        14 => format!("if ({x} && n >= 0 && n < 2) {x}->r[n] = {y};"),
        15 => format!("if ({x}) {x}->v = n;"),
        16 if function > 0 => format!("{x} = f{}({y}, {z}, n);", numbers.below(function)),
        17 => format!("{{ struct node **p = &{x}; if ({y}) p = &{y}->r[1]; *p = {z}; }}"),
        18 => {
            format!(
                "{{ struct node t; t.l = {x}; t.r[0] = t.r[1] = {y}; t.in.up = 0; t.t = 0; {z} = t.l; if ({z}) *{z} = t; }}"
            )
        }
        19 => format!("{{ struct inner *i = {x} ? &{x}->in : 0; if (i) i->up = {y}; }}"),
        20 => format!("if ({x}) {{ long t = (long){x} | 1; {y} = (struct node *)(t & ~1L); }}"),
        // Some of these are faults, here or later.
        21 => match numbers.below(6) {
            0 => format!("if ({x}) {x}->{field} = (struct node *)&{x}->r[0];"),
            1 => format!("if ({x}) {x}->r[2] = {y};"),
            2 => format!("if ({x}) {x}[1].l = {y};"),
            3 => format!("{x} = (struct node *)(long)n;"),
            4 => format!("{x} = malloc(sizeof(struct node) - 8); if (!{x}) abort(); {x}->l = 0;"),
            _ => format!("if ({x} && n < 3) {x}->r[n] = {y};"),
        },
        22 => {
            format!(
                "{{ struct node t; {x} = &t; t.l = t.r[0] = t.r[1] = t.in.up = 0; t.t = 1; {x}->l = {y}; {x} = {x}->l; }}"
            )
        }
        23 => format!("{{ struct outer *o = wrap({x}); if (o->node) {y} = o->node; o->node = {z}; }}"),
        24 => format!("keep({x}); {y} = kept;"),
        25..=27 => format!("if ({x} == {y}) {{ {} }} else {{ {} }}", block(numbers), block(numbers)),
        28 | 29 => format!("while ({x} && n-- > 0) {{ {} {x} = {x}->{field}; }}", block(numbers)),
        30 => format!("for (i = 0; i < 2; i++) if ({x}) {x}->r[i] = {y};"),
        31 => format!(
            "{x} = make(); for (i = 0; i < n; i++) {{ {} }} {x}->l = {x}->r[0] = {x}->r[1] = 0; {x}->in.up = {y}; {x}->t = 2;",
            block(numbers)
        ),
        32 => format!(
            "{{ struct node h, *t = &h; while ({x} && n-- > 0) {{ t->l = {x}; t = {x}; {x} = {x}->r[0]; {} }} t->l = 0; {y} = h.l; }}",
            block(numbers)
        ),
        33 => format!("if (n > 2) {{ {} }}", block(numbers)),
        // A path of nodes in an array, sometimes with a fault.
        _ => {
            let slip = |numbers: &mut Numbers| numbers.below(5) == 0;
            let bound = if slip(numbers) { "k <= 3" } else { numbers.pick(&["k < 3", "k < 2"]) };
            let first = if slip(numbers) { "k = 1;" } else { numbers.pick(&["", "", "p[k++] = 0;"]) };
            let hole = if slip(numbers) { numbers.pick(&["p[h] = 0;", "k++;", "k++; p[h] = 0;"]) } else { "" };
            let back = if slip(numbers) {
                numbers.pick(&["for (;;) { W = p[--k]; if (!W) break;", "while (k >= 0) { W = p[k--];"])
            } else {
                numbers.pick(&["while (k > 0) { W = p[--k];", "while (k > 0 && (W = p[--k])) {", "{ W = p[k - 1];"])
            };
            let back = back.replace('W', y);
            format!(
                "{{ struct node *p[3]; int k = 0, h; {first} while ({x} && {bound}) {{ p[k++] = {x}; {x} = {x}->{field}; {} }} \
                 h = k; {hole} if (k > 0) {back} if ({y}) {y}->l = {z}; }} }}",
                block(numbers)
            )
        }
    }
}

/// Returns the library, which is checked.
fn library(numbers: &mut Numbers, tagged: bool) -> String {
    let mut text = String::from(
        "typedef unsigned long size_t; extern void *malloc(size_t); extern void abort(void) __attribute__((noreturn));\n\
         struct node; struct inner { long k; struct node *up; };\n\
         struct node { int v; struct node *l; struct node *r[2]; struct inner in; unsigned long t; };\n\
         struct outer { struct node *node; long size; };\n\
         struct node *kept;\n\
         static struct node *make(void) { struct node *n = malloc(sizeof *n); if (!n) abort(); return n; }\n\
         struct outer *wrap(struct node *n) { struct outer *o = malloc(sizeof *o); if (!o) abort(); o->node = n; return o; }\n\
         void keep(struct node *n) { kept = n; }\n",
    );
    for function in 0..3 {
        let count = 2 + numbers.below(5);
        let body: Vec<String> = (0..count).map(|_| statement(numbers, tagged, function, 0)).collect();
        let result = numbers.pick(VARIABLES);
        let start = numbers.pick(&["0", "a", "0"]);
        text.push_str(&format!(
            "struct node *f{function}(struct node *a, struct node *b, int n) {{ struct node *c = {start}, *d = 0; int i; {} return {result}; }}\n",
            body.join("\n  ")
        ));
    }
    text
}

/// Looks at every node.
const VISIT: &str = "
static struct node *seen[500]; static int count;
void visit(struct node *p)
{
    int i;
    if (!p) return;
    for (i = 0; i < count; i++) if (seen[i] == p) return;
    if (count == 500) return;
    seen[count++] = p;
    visit(p->l); visit(p->r[0]); visit(p->r[1]); visit(p->in.up); TAGGED
}
";

/// Builds a graph, calls the library on it, and then looks at every node. Nothing is asked about this.
const MAIN: &str = "
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    struct node *nodes[13]; int i, k;
    for (i = 0; i < 12; i++) {
        nodes[i] = malloc(sizeof(struct node));
        nodes[i]->v = i; nodes[i]->in.k = i;
        nodes[i]->l = nodes[i]->r[0] = nodes[i]->r[1] = nodes[i]->in.up = 0;
        nodes[i]->t = 0;
    }
    nodes[12] = 0;
    for (i = 0; i < 12; i++) {
        nodes[i]->l = nodes[__VERIFIER_nondet_int() + (__VERIFIER_nondet_int() == 0)];
        nodes[i]->r[0] = nodes[__VERIFIER_nondet_int() + (__VERIFIER_nondet_int() == 0)];
        nodes[i]->r[1] = nodes[__VERIFIER_nondet_int() + 1];
        nodes[i]->in.up = nodes[__VERIFIER_nondet_int() + 1];
        nodes[i]->t = (unsigned long)nodes[__VERIFIER_nondet_int() + 1] | (__VERIFIER_nondet_int() & 3);
    }
    for (k = 0; k < 6; k++) {
        struct node *a = nodes[__VERIFIER_nondet_int() + 1], *b = nodes[__VERIFIER_nondet_int() + 1], *result;
        int n = __VERIFIER_nondet_int() - 3;
        switch (__VERIFIER_nondet_int() % 3) {
        case 0: result = f0(a, b, n); break;
        case 1: result = f1(a, b, n); break;
        default: result = f2(a, b, n); break;
        }
        count = 0;
        visit(result); visit(kept);
        for (i = 0; i < 12; i++) visit(nodes[i]);
        nodes[__VERIFIER_nondet_int()] = result ? result : nodes[0];
    }
    return 0;
}
";

#[test]
fn executions_of_safe_libraries_are_valid() {
    let made = |numbers: &mut Numbers, seed: u64| {
        let tagged = seed.is_multiple_of(8);
        let follow = if tagged { "visit((struct node *)(p->t & ~3UL));" } else { "" };
        format!("{}{}", library(numbers, tagged), VISIT.replace("TAGGED", follow))
    };
    let environment = Environment { inputs_below: 12, sure_allocations: u64::MAX };
    libraries::executions_of_safe_libraries_are_valid(made, MAIN, environment, 45);
}
