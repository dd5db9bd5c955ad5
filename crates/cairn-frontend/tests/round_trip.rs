//! Round-trip tests on real programs: the compiled IR is well-formed and its text form parses back to itself.

use cairn_frontend::{Input, compile};
use cairn_ir::Program;
use cairn_ir::layout::Target;
use cairn_ir::parse::parse;
use cairn_ir::print::{print, print_cfg};
use cairn_ir::verify::verify;

/// Programs that together use most instructions.
const SOURCES: &[(&str, &str)] = &[
    (
        "list",
        r#"
        typedef __typeof__(sizeof 0) size_t;
        void *malloc(size_t size);
        void free(void *pointer);
        struct node { int value; struct node *next; };
        static struct node *push(struct node *list, int value) {
            struct node *node = malloc(sizeof *node);
            if (!node) return list;
            node->value = value;
            node->next = list;
            return node;
        }
        int main(void) {
            struct node *list = 0;
            for (int i = 0; i < 10; i++) list = push(list, i * i);
            int sum = 0;
            while (list) {
                struct node *next = list->next;
                sum += list->value;
                free(list);
                list = next;
            }
            return sum == 285 ? 0 : 1;
        }
        "#,
    ),
    (
        "globals",
        r#"
        int zero(void), one(void);
        const char *const words[] = { "plain", "with \"quotes\" and \\", "\001\377\n", "" };
        int (*const table[2])(void) = { zero, one };
        struct pair { char tag; double value; long double wide; } pairs[3] = { { 'a', 1.5, 2.25L }, { .tag = 'c' } };
        int matrix[3][4] = { { 1, 2 }, [2] = { [3] = -1 } };
        int *middle = &matrix[1][2];
        extern int elsewhere;
        static unsigned counter;
        int zero(void) { return 0; }
        int one(void) { static int calls = 1; return calls++; }
        int main(void) { counter += table[1](); return table[0]() + words[0][counter] - 'l' + (middle == 0); }
        "#,
    ),
    (
        "aggregates",
        r#"
        struct big { long long a[5]; };
        union both { unsigned bits; float value; };
        struct flags { unsigned a : 3; signed b : 5; unsigned long long c : 40; _Bool d : 1; };
        static struct big make(int start) {
            struct big big = { { start, start + 1 } };
            big.a[4] = start * 2;
            return big;
        }
        static long long total(struct big big, const char *name, ...) {
            long long sum = 0;
            for (int i = 0; i < 5; i++) sum += big.a[i];
            return sum + (name != 0);
        }
        int main(void) {
            struct flags flags = { 1, -2, 1ull << 39, 1 };
            flags.b += flags.a;
            union both both = { .value = 1.0f };
            struct big copy = make(3), other;
            other = copy;
            return (int)total(other, "x", 1, 2.0, copy) + flags.b + (both.bits >> 31);
        }
        "#,
    ),
    (
        "control",
        r#"
        static int classify(int value) {
            switch (value) {
            case 1: return 10;
            case 3 ... 5: value++;
            case 7: break;
            default: return -1;
            }
            do { value--; if (value == 2) continue; } while (value > 0 && value != 99 || value == 1000);
            return value;
        }
        static int jumping(int n) {
            static void *labels[] = { &&first, &&second };
            goto *labels[n & 1];
        first:
            return 1;
        second:
            return 2;
        }
        static double mixed(int i, unsigned u, long l, float f, long double w) {
            int array[i > 0 ? i : 1];
            array[0] = u / 3 + l % 7;
            return f * i - (double)w + (unsigned char)u + array[0] + (i ? f : -w);
        }
        int main(int argc, char **argv) {
            int (*call)(int) = argc > 1 ? classify : jumping;
            return call(argc) + (int)mixed(argc, 7u, -8l, 0.5f, 1.0L) + (argv[0] == 0);
        }
        "#,
    ),
];

fn program(name: &str, text: &str, target: Target) -> Program {
    let compilation = compile(vec![Input { name: format!("{name}.c"), text: text.into() }], target);
    let Some(program) = compilation.program else { panic!("{name}: {:#?}", compilation.diagnostics) };
    program
}

#[test]
fn compiled_programs_are_well_formed_and_round_trip() {
    for &(name, text) in SOURCES {
        for target in [Target::Lp64, Target::Ilp32] {
            let program = program(name, text, target);
            assert_eq!(verify(&program), Vec::<String>::new(), "{name} {target:?}");
            let printed = print(&program);
            let read = match parse(&printed) {
                Ok(read) => read,
                Err(error) => panic!("{name} {target:?}: {error} in\n{printed}"),
            };
            assert_eq!(verify(&read), Vec::<String>::new(), "{name} {target:?}");
            assert_eq!(print(&read), printed, "{name} {target:?}");
            assert_eq!(print_cfg(&read), print_cfg(&program), "{name} {target:?}");
        }
    }
}
