//! Tests on thousands of mutated programs: the parser terminates, does not panic, and reports spans inside the text.

use super::parse;

const PROGRAMS: [&str; 5] = [
    r#"# 1 "list.c"
typedef unsigned long size_t;
extern void *malloc(size_t) __attribute__((__nothrow__, __malloc__));
struct node { struct node *next; int value : 7; union { char c[4]; float f; }; };
static struct node *push(struct node *head, int value) {
    struct node *n = malloc(sizeof(struct node));
    if (!n) return head;
    *n = (struct node){ .next = head, .value = value & 0x7f, .c = "ab\x41" };
    return n;
}
int main(int argc, char **argv) {
    struct node *list = 0;
    for (int i = 0; i < 10; ++i) list = push(list, i * 3 % 5);
    while (list) { struct node *next = list->next; list = next; }
    return argc > 1 ? argv[1][0] == 'x' : 0;
}
"#,
    r#"enum color { RED, GREEN = 5, BLUE, };
typedef int (*handler)(enum color, const char *restrict, ...);
static handler table[] = { [RED] = 0, [GREEN ... BLUE] = (handler)1 };
int dispatch(c, s) enum color c; char *s; {
    switch (c) {
    case RED: return table[c](c, s, 1.5e-3f, 0x1p3, 'ab', L"wide" "text");
    case GREEN ... BLUE: { __label__ out; goto out; out: ; }
    default: __attribute__((fallthrough));
    }
    do { s++; } while (*s);
    return ({ int y = sizeof(int[3]); y; }) ?: -1;
}
"#,
    r#"#pragma pack(push, 1)
struct packed { _Alignas(8) char a; long long b; int tail[]; } __attribute__((aligned(4)));
#pragma pack(pop)
_Static_assert(sizeof(struct packed) == 9, "size");
asm(".globl x");
_Thread_local volatile unsigned __int128 big = 1'000'000ull;
void f(int n, int a[static n], int (*g)(int (*)[*])) {
    void *labels[] = { &&one, &&two };
    goto *labels[n & 1];
one: asm volatile ("nop" : "=r"(n), [x] "+m" (a[0]) : "r"(n) : "memory");
two: __typeof__(n) m = _Generic(n, int: 1, default: 2);
    int nested(int q) { return q + n; }
    if (n) m = nested(m); else if (m) n = 1; else { bool b = true; }
    __builtin_offsetof(struct packed, tail[1]);
}
"#,
    "typedef int T; void g(T T) { T = (T)(1); } void h(void) { T * x; unsigned T; T * 2; for (int T; ; ) ; }",
    "int \u{e9}t\u{e9} = '\u{e9}'; char *s = \"\u{1F600}\\u00e9\\\n tail\"; /* c */ // d\\\nstill\nint x<:2:> = <%1, 2%>;",
];

/// A xorshift generator, with the same sequence in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

const SNIPPETS: [&str; 40] = [
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ",",
    "*",
    "&&",
    "\"",
    "'",
    "\\",
    "#",
    "\n",
    "\\\n",
    "/*",
    "*/",
    "//",
    "0x",
    "1e",
    "'\\x",
    " int ",
    " struct ",
    " typedef ",
    " enum ",
    " if ",
    " else ",
    " case ",
    " sizeof ",
    " __attribute__((",
    "[[",
    "]]",
    " asm ",
    "\u{e9}",
    "...",
    "?",
    ":",
    " T ",
    " _Generic(",
];

/// Applies a few random mutations to a text.
fn mutate(text: &str, random: &mut Random) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..1 + random.below(4) {
        let at = random.below(chars.len());
        let len = (1 + random.below(12)).min(chars.len() - at);
        match random.below(5) {
            0 => drop(chars.drain(at..at + len)),
            1 => drop(chars.splice(at..at + 1, SNIPPETS[random.below(SNIPPETS.len())].chars())),
            2 => drop(chars.splice(at..at, SNIPPETS[random.below(SNIPPETS.len())].chars())),
            3 => {
                let piece: Vec<char> = chars[at..at + len].to_vec();
                let to = random.below(chars.len());
                drop(chars.splice(to..to, piece));
            }
            _ => chars[at] = char::from((32 + random.below(95)) as u8),
        }
        if chars.is_empty() {
            chars.push(';');
        }
    }
    chars.into_iter().collect()
}

#[test]
fn mutated_programs_do_not_panic() {
    let mut random = Random(0x1234_5678_9abc_def1);
    for program in PROGRAMS {
        for _ in 0..1500 {
            let text = mutate(program, &mut random);
            let (_, _, diagnostics, sources) = parse(&text);
            let base = sources.texts[1].base;
            for d in &diagnostics {
                assert!(base <= d.span.start && d.span.start <= d.span.end, "{d:?} in {text}");
                assert!(d.span.end <= base + text.len() as u32, "{d:?} in {text}");
            }
        }
    }
}

#[test]
fn every_prefix_terminates() {
    for program in PROGRAMS {
        for (at, _) in program.char_indices() {
            parse(&program[..at]);
        }
    }
}

#[test]
fn the_programs_are_correct() {
    for program in PROGRAMS {
        let (_, _, diagnostics, sources) = parse(program);
        assert_eq!(super::describe(&diagnostics, &sources), "");
    }
}
