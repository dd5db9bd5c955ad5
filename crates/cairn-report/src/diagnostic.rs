//! Draws diagnostics of the front-end in the manner of clang and rustc.

use annotate_snippets::{AnnotationKind, Group, Level};
use cairn_ir::diagnostic::{Diagnostic, Severity};
use cairn_ir::source::SourceMap;

use crate::excerpt::Excerpt;
use crate::{Colour, Texts, printable, renderer};

/// Renders a diagnostic, with an excerpt for its location and for each of its notes.
pub fn render(diagnostic: &Diagnostic, sources: &SourceMap, texts: Texts<'_>, colour: Colour) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut main = Group::with_title(level.primary_title(printable(&diagnostic.message)));
    if let Some(excerpt) = Excerpt::of_span(diagnostic.span, sources, texts) {
        main = main.element(excerpt.element(AnnotationKind::Primary, &diagnostic.label));
    }
    let mut report = vec![main];
    for (span, text) in &diagnostic.notes {
        let mut note = Group::with_title(Level::NOTE.secondary_title(printable(text)));
        if let Some(excerpt) = Excerpt::of_span(*span, sources, texts) {
            note = note.element(excerpt.element(AnnotationKind::Primary, ""));
        }
        report.push(note);
    }
    renderer(colour).render(&report)
}

#[cfg(test)]
mod tests {
    use cairn_ir::source::Span;
    use expect_test::{Expect, expect};

    use super::*;

    const TEXT: &str = "# 1 \"list.c\"\nint f(void)\n{\n  return ((void *)0)->next;\n}\n# 9 \"list.h\" 2\nint g(\n";

    /// Draws a diagnostic about the `nth` occurrence of `marked` in [`TEXT`].
    fn check(make: impl Fn(&dyn Fn(&str) -> Span) -> Diagnostic, original: Option<&str>, expected: Expect) {
        let mut sources = SourceMap::default();
        sources.add("list.i", TEXT.to_owned()).expect("a small text fits");
        let span = |marked: &str| {
            let at = TEXT.find(marked).expect("the marked text occurs") as u32;
            Span::new(at, at + marked.len() as u32)
        };
        let read = |name: &str| if name == "list.c" { original.map(Into::into) } else { None };
        let texts = Texts { read: &read, sources: Some(&sources) };
        expected.assert_eq(&render(&make(&span), &sources, texts, Colour::Off));
    }

    #[test]
    fn an_error_with_label_and_note() {
        check(
            |span| {
                Diagnostic::error(span("->"), "`void` has no members")
                    .label("this is a `void *`")
                    .note(span("g("), "declared here")
            },
            None,
            expect![[r#"
                error: `void` has no members
                 --> list.c:3:21
                  |
                3 |   return ((void *)0)->next;
                  |                     ^^ this is a `void *`
                  |
                note: declared here
                 --> list.h:9:5
                  |
                9 | int g(
                  |     ^^"#]],
        );
    }

    #[test]
    fn an_expanded_macro_is_shown_as_the_user_wrote_it() {
        check(
            |span| Diagnostic::warning(span("->"), "suspicious"),
            Some("int f(void)\n{\n  return NULL->next;\n}\n"),
            expect![[r#"
                warning: suspicious
                 --> list.c:3:14
                  |
                3 |   return NULL->next;
                  |              ^^"#]],
        );
    }

    #[test]
    fn text_from_a_macro_is_shown_expanded() {
        check(
            |span| Diagnostic::error(span("void *"), "no"),
            Some("int f(void)\n{\n  return NULL->next;\n}\n"),
            expect![[r#"
                error: no
                 --> list.c:3:12
                  |
                3 |   return ((void *)0)->next;
                  |            ^^^^^^"#]],
        );
    }

    #[test]
    fn a_span_of_several_lines_is_marked_in_its_first_line() {
        check(
            |span| Diagnostic::error(span("int f(void)\n{\n"), "no \u{1b}[31m"),
            None,
            expect![[r#"
                error: no \u{1b}[31m
                 --> list.c:1:1
                  |
                1 | int f(void)
                  | ^^^^^^^^^^^"#]],
        );
    }

    #[test]
    fn without_a_text_there_is_only_the_message() {
        let sources = SourceMap::default();
        let texts = Texts { read: &|_| None, sources: None };
        let text = render(&Diagnostic::error(Span::default(), "nothing to compile"), &sources, texts, Colour::Off);
        assert_eq!(text, "error: nothing to compile");
    }
}
