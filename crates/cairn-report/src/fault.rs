//! Draws a fault of the interpreter: its location, the calls that lead to it, and the history of the object.

use annotate_snippets::{AnnotationKind, Group, Level};
use cairn_interpret::Fault;
use cairn_ir::Program;
use cairn_ir::program::Origin;
use cairn_ir::source::StackPlace;

use crate::excerpt::Excerpt;
use crate::limits::SHOWN_CALLS_AT_EACH_END;
use crate::{Colour, Texts, printable, renderer};

/// The severity of a fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Weight {
    /// `error[…]`.
    Error,
    /// `warning[…]`: no failure.
    Warning,
}

/// Renders a fault.
pub fn render(fault: &Fault, weight: Weight, program: &Program, texts: Texts<'_>, colour: Colour) -> String {
    let level = match weight {
        Weight::Error => Level::ERROR,
        Weight::Warning => Level::WARNING,
    };
    let mut main = Group::with_title(level.primary_title(printable(&fault.message)).id(fault.kind.name()));
    let place = Place::of(&fault.stack, program);
    let allocation = fault.kind.is_of_the_end();
    let label = match place.library {
        Some(name) => format!("in `{name}`, called here"),
        None if allocation => "allocated here".to_owned(),
        None => String::new(),
    };
    if let Some(excerpt) = place.excerpt(program, texts) {
        main = main.element(excerpt.element(AnnotationKind::Primary, &label));
    }
    for line in calls(place.frames, program, texts) {
        main = main.element(Level::NOTE.message(line));
    }
    let mut report = vec![main];
    // A leak is reported where the object was allocated; no note repeats that.
    for event in fault.history.iter().filter(|event| event.stack != fault.stack) {
        let place = Place::of(&event.stack, program);
        let text = match place.library {
            Some(name) => format!("{} (in `{name}`)", event.what),
            None => event.what.clone(),
        };
        let mut note = Group::with_title(Level::NOTE.secondary_title(printable(&text)));
        if let Some(excerpt) = place.excerpt(program, texts) {
            note = note.element(excerpt.element(AnnotationKind::Primary, ""));
        }
        for line in calls(place.frames, program, texts) {
            note = note.element(Level::NOTE.message(line));
        }
        report.push(note);
    }
    renderer(colour).render(&report)
}

/// The part of a stack from the innermost user function on.
struct Place<'a> {
    frames: &'a [StackPlace],
    /// The library function that the user's code called, if the event happened inside one.
    library: Option<&'a str>,
}

impl<'a> Place<'a> {
    fn of(stack: &'a [StackPlace], program: &'a Program) -> Self {
        let first = stack.iter().position(|f| f.loc.is_some() && !is_library(f, program)).unwrap_or(0);
        let library = first.checked_sub(1).map(|i| name(&stack[i], program));
        Place { frames: &stack[first..], library }
    }

    fn excerpt(&self, program: &Program, texts: Texts<'_>) -> Option<Excerpt> {
        let frame = self.frames.first()?;
        Excerpt::of_loc(frame.loc, program.file_name(frame.loc), texts)
    }
}

fn is_library(frame: &StackPlace, program: &Program) -> bool {
    program.functions.get(frame.function.index()).is_some_and(|f| f.origin == Origin::Model)
}

fn name<'a>(frame: &StackPlace, program: &'a Program) -> &'a str {
    program.functions.get(frame.function.index()).map_or("<unknown>", |f| &f.name)
}

/// Returns one line for each call that leads to the first frame.
///
/// The middle of a long stack is omitted. Of several library functions that call each other, only the one that the user
/// called is shown.
fn calls(frames: &[StackPlace], program: &Program, texts: Texts<'_>) -> Vec<String> {
    let outermost_of_library =
        |i: usize| !is_library(&frames[i], program) || frames.get(i + 1).is_none_or(|next| !is_library(next, program));
    let frames: Vec<&StackPlace> = (0..frames.len()).filter(|&i| outermost_of_library(i)).map(|i| &frames[i]).collect();
    let count = frames.len().saturating_sub(1);
    let left_out = count.saturating_sub(2 * SHOWN_CALLS_AT_EACH_END);
    let mut lines = Vec::new();
    for (i, pair) in frames.windows(2).enumerate() {
        if left_out > 0 && (SHOWN_CALLS_AT_EACH_END..SHOWN_CALLS_AT_EACH_END + left_out).contains(&i) {
            if i == SHOWN_CALLS_AT_EACH_END {
                lines.push(format!("… {left_out} more calls …"));
            }
            continue;
        }
        let callee = printable(name(pair[0], program));
        lines.push(if is_library(pair[1], program) {
            format!("in `{callee}`, called by `{}`", name(pair[1], program))
        } else if let Some(excerpt) = Excerpt::of_loc(pair[1].loc, program.file_name(pair[1].loc), texts) {
            format!("in `{callee}`, called at {}", excerpt.place())
        } else {
            format!("in `{callee}`")
        });
    }
    lines
}

#[cfg(test)]
mod tests {
    use cairn_interpret::Event;
    use cairn_ir::program::{Function, Linkage, Signature};
    use cairn_ir::{CheckKind, FileId, FuncId, Loc};
    use expect_test::{Expect, expect};

    use super::*;

    const TEXT: &str = "struct node *n = malloc(24);\nfree(n);\nn->next = 0;\nvisit(n);\nstrcpy(s, t);\n";

    fn program() -> Program {
        let function = |name: &str, origin| Function {
            name: name.to_owned(),
            linkage: Linkage::External,
            signature: Signature { ret: None, params: Vec::new(), variadic: false, prototyped: true, noreturn: false },
            origin,
            loc: Loc::NONE,
            body: None,
        };
        Program {
            files: vec!["list.c".to_owned(), "<cairn/string.c>".to_owned()],
            functions: vec![
                function("main", Origin::User),
                function("visit", Origin::User),
                function("strcpy", Origin::Model),
            ],
            ..Program::default()
        }
    }

    fn at(function: u32, file: u32, line: u32, column: u32) -> StackPlace {
        StackPlace { function: FuncId(function), loc: Loc { file: FileId(file), line, column } }
    }

    fn fault(kind: CheckKind, message: &str, stack: Vec<StackPlace>) -> Fault {
        Fault { kind, check: None, message: message.to_owned(), access: None, stack, history: Vec::new() }
    }

    fn check(fault: &Fault, weight: Weight, expected: Expect) {
        let read = |name: &str| (name == "list.c").then(|| TEXT.into());
        let texts = Texts { read: &read, sources: None };
        expected.assert_eq(&render(fault, weight, &program(), texts, Colour::Off));
    }

    #[test]
    fn a_use_after_free_has_its_stack_and_history() {
        let mut it =
            fault(CheckKind::UseAfterFree, "write of 8 bytes at offset 8", vec![at(1, 0, 3, 1), at(0, 0, 4, 1)]);
        it.history = vec![
            Event { what: "allocated here".to_owned(), stack: vec![at(0, 0, 1, 18)] },
            Event { what: "freed here".to_owned(), stack: vec![at(1, 0, 2, 1), at(0, 0, 4, 1)] },
        ];
        check(
            &it,
            Weight::Error,
            expect![[r#"
                error[use-after-free]: write of 8 bytes at offset 8
                 --> list.c:3:1
                  |
                3 | n->next = 0;
                  | ^
                  |
                  = note: in `visit`, called at list.c:4:1
                note: allocated here
                 --> list.c:1:18
                  |
                1 | struct node *n = malloc(24);
                  |                  ^^^^^^
                note: freed here
                 --> list.c:2:1
                  |
                2 | free(n);
                  | ^^^^
                  = note: in `visit`, called at list.c:4:1"#]],
        );
    }

    #[test]
    fn a_fault_in_the_library_is_shown_at_the_users_call() {
        let it = fault(CheckKind::OutOfBounds, "write of 9 bytes", vec![at(2, 1, 40, 5), at(0, 0, 5, 1)]);
        check(
            &it,
            Weight::Error,
            expect![[r#"
                error[out-of-bounds]: write of 9 bytes
                 --> list.c:5:1
                  |
                5 | strcpy(s, t);
                  | ^^^^^^ in `strcpy`, called here"#]],
        );
    }

    #[test]
    fn a_callback_names_the_library_function_that_the_user_called() {
        let stack = vec![at(1, 0, 3, 1), at(2, 1, 40, 5), at(2, 1, 50, 5), at(0, 0, 5, 1)];
        let it = fault(CheckKind::NullDeref, "read of 8 bytes", stack);
        check(
            &it,
            Weight::Error,
            expect![[r#"
                error[null-deref]: read of 8 bytes
                 --> list.c:3:1
                  |
                3 | n->next = 0;
                  | ^
                  |
                  = note: in `visit`, called by `strcpy`
                  = note: in `strcpy`, called at list.c:5:1"#]],
        );
    }

    #[test]
    fn an_unfreed_object_is_a_warning_at_the_allocation() {
        let it = fault(CheckKind::Unfreed, "24 bytes in 1 object never freed", vec![at(0, 0, 1, 18)]);
        check(
            &it,
            Weight::Warning,
            expect![[r#"
                warning[unfreed]: 24 bytes in 1 object never freed
                 --> list.c:1:18
                  |
                1 | struct node *n = malloc(24);
                  |                  ^^^^^^ allocated here"#]],
        );
    }

    #[test]
    fn the_middle_of_a_deep_stack_is_omitted() {
        let mut stack = vec![at(1, 0, 3, 1)];
        stack.extend((0..40).map(|_| at(1, 0, 4, 1)));
        let read = |_: &str| None;
        let texts = Texts { read: &read, sources: None };
        let text = render(&fault(CheckKind::NullDeref, "read", stack), Weight::Error, &program(), texts, Colour::Off);
        assert_eq!(text.lines().filter(|l| l.contains("called at list.c:4:1")).count(), 2 * SHOWN_CALLS_AT_EACH_END);
        assert!(text.contains("… 28 more calls …"), "{text}");
    }

    #[test]
    fn a_stack_without_locations_is_rendered() {
        let it = fault(CheckKind::Leak, "1 byte", vec![StackPlace { function: FuncId(99), loc: Loc::NONE }]);
        check(&it, Weight::Error, expect!["error[leak]: 1 byte"]);
    }
}
