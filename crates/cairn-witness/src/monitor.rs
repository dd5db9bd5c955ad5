//! Programs that follow a witness: the original text with more statements on the same lines.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::expression::pure;
pub use crate::scan::Lines;
use crate::scan::{Scan, Span, same_file};
use crate::{Invariant, InvariantKind, Location, Segment, Waypoint, WaypointKind};

/// The function that is called where an invariant does not hold.
pub const REFUTED: &str = "cairn_witness_refuted";

/// The variable that counts the segments that were passed.
const PASSED: &str = "cairn_witness_segment";

/// The value of a call or of a condition.
const VALUE: &str = "cairn_witness_value";

/// A program text.
#[derive(Clone, Copy, Debug)]
pub struct Source<'t> {
    /// The text.
    pub text: &'t str,
    /// The name of its file.
    pub name: &'t str,
    /// The lines that the witness names.
    pub lines: Lines,
}

/// How an execution passes the waypoints.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Passing {
    /// The first time that an execution comes to the next waypoint, it must pass it. There are fewer such executions.
    AtOnce,
    /// An execution may come to a waypoint several times before it passes it.
    AnyTime,
}

/// A program that follows a violation witness.
#[derive(Clone, Debug)]
pub struct Monitor {
    /// The text.
    pub text: String,
    /// The first and the last line of the target's statement, as reports name them.
    pub target: (u32, u32),
}

/// Adds the monitor of a violation witness to a program.
///
/// # Errors
/// If a location or a constraint does not fit the program.
pub fn follow(source: Source<'_>, segments: &[Segment], passing: Passing) -> Result<Monitor, String> {
    let mut editor = Editor::new(source);
    let mut events: BTreeMap<(Event, Span), String> = BTreeMap::new();
    let mut target = (0, 0);
    for (number, segment) in segments.iter().enumerate() {
        for waypoint in &segment.avoid {
            let (event, span) = editor.event(waypoint)?;
            let condition = condition(waypoint)?;
            let test = format!("if ({PASSED} == {number} && ({condition})) __VERIFIER_assume(0); else ");
            events.entry((event, span)).or_default().push_str(&test);
        }
        let waypoint = &segment.follow;
        let (event, span) = editor.event(waypoint)?;
        let text = if waypoint.kind == WaypointKind::Target {
            target = editor.reported_lines(&waypoint.location)?;
            format!("if ({PASSED} != {number}) __VERIFIER_assume(0); else ")
        } else {
            let condition = condition(waypoint)?;
            match passing {
                Passing::AtOnce => format!(
                    "if ({PASSED} == {number}) {{ __VERIFIER_assume({condition}); {PASSED} = {}; }} else ",
                    number + 1
                ),
                Passing::AnyTime => {
                    format!("if ({PASSED} == {number} && ({condition})) {PASSED} = {}; else ", number + 1)
                }
            }
        };
        events.entry((event, span)).or_default().push_str(&text);
    }
    for ((event, span), tests) in events {
        editor.observe(event, span, &format!("{tests};"));
    }
    let mut prelude = format!("static unsigned {PASSED}; ");
    if !source.text.contains("__VERIFIER_assume") {
        prelude += "extern void __VERIFIER_assume(int); ";
    }
    Ok(Monitor { text: editor.finish(&prelude), target })
}

/// The violation that tells that an invariant does not hold.
#[derive(Clone, Copy, Debug)]
pub enum Refutation<'a> {
    /// A call of an error function.
    Calls(&'a str),
    /// An access through a null pointer.
    Dereferences,
}

/// Adds the invariants of a correctness witness to a program, as calls of [`REFUTED`] where they do not hold.
///
/// # Errors
/// If a location or an invariant does not fit the program.
pub fn assert(source: Source<'_>, invariants: &[Invariant], refutation: Refutation<'_>) -> Result<String, String> {
    let mut editor = Editor::new(source);
    let mut events: BTreeMap<(Event, Span), String> = BTreeMap::new();
    for invariant in invariants {
        let index = editor.index(&invariant.location)?;
        let is_loop = invariant.kind == InvariantKind::LoopInvariant;
        let place = match is_loop {
            true => editor.loop_head(index),
            false => editor.statement(index).map(|span| (editor.before(index), span)),
        };
        let kind = if is_loop { "loop" } else { "statement" };
        let place =
            place.ok_or_else(|| format!("the witness names a {kind} in {}, which has none", invariant.location))?;
        let value = pure(&invariant.value)?;
        let _ = write!(events.entry(place).or_default(), "if (!({value})) {REFUTED}(); ");
    }
    for ((event, span), tests) in events {
        editor.observe(event, span, &tests);
    }
    let mut text = editor.finish(&format!("static void {REFUTED}(void); "));
    // The function comes last: it uses names that the program declares.
    text.push('\n');
    match refutation {
        Refutation::Calls(function) => {
            if !source.text.contains(function) {
                let _ = write!(text, "extern void {function}(void); ");
            }
            let _ = writeln!(text, "static void {REFUTED}(void) {{ {function}(); }}");
        }
        Refutation::Dereferences => {
            let _ = writeln!(text, "static void {REFUTED}(void) {{ *(volatile char *)0 = 0; }}");
        }
    }
    Ok(text)
}

/// Returns the condition under which a waypoint is passed, about [`VALUE`] for calls and branches.
fn condition(waypoint: &Waypoint) -> Result<String, String> {
    let constraint = waypoint.constraint.as_deref().map(str::trim);
    Ok(match (waypoint.kind, constraint) {
        (_, None) | (WaypointKind::FunctionEnter | WaypointKind::Target, _) => "1".to_owned(),
        (WaypointKind::Branching, Some("true")) => format!("{VALUE} != 0"),
        (WaypointKind::Branching, Some("false")) => format!("{VALUE} == 0"),
        (WaypointKind::Branching, Some(number)) => format!("{VALUE} == ({})", pure(number)?),
        (WaypointKind::FunctionReturn, Some(text)) => {
            pure(&text.replace("\\result", "result__"))?.replace("result__", VALUE)
        }
        (WaypointKind::Assumption, Some(text)) => pure(text)?,
    })
}

/// The part of the program that an event belongs to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Event {
    /// Before a statement.
    Statement,
    /// Before a statement that is the body of another one, without braces.
    BareBody,
    /// The evaluation of a condition, which is not empty.
    Condition,
    /// The evaluation of the value of a `switch`.
    Switch,
    /// The evaluation of the missing condition of `for (;;)`.
    NoCondition,
    /// At the beginning of a block.
    Block,
    /// Before a call.
    Enter,
    /// After a call.
    Return,
}

/// Collects additions to a text.
struct Editor<'t> {
    source: Source<'t>,
    scan: Scan<'t>,
    /// Ranges of the text, each with a text to put before and one to put after it.
    additions: Vec<(Span, String, String)>,
}

impl<'t> Editor<'t> {
    fn new(source: Source<'t>) -> Self {
        Self { source, scan: Scan::new(source.text, source.lines, source.name), additions: Vec::new() }
    }

    fn index(&self, location: &Location) -> Result<usize, String> {
        if !same_file(&location.file_name, self.source.name) {
            return Err(format!("the witness is about '{}'", location.file_name));
        }
        self.scan
            .at(location.line, location.column)
            .ok_or_else(|| format!("the witness names {location}, where the program has nothing"))
    }

    fn span(&self, first: usize, after: usize) -> Option<Span> {
        Some((self.scan.tokens.get(first)?.start, self.scan.tokens.get(after.checked_sub(1)?)?.end))
    }

    /// Returns the span of the statement at a token.
    fn statement(&self, index: usize) -> Option<Span> {
        self.span(index, self.scan.after_statement(index)?)
    }

    /// Returns the event of a waypoint.
    fn event(&self, waypoint: &Waypoint) -> Result<(Event, Span), String> {
        let index = self.index(&waypoint.location)?;
        let found = match waypoint.kind {
            WaypointKind::Assumption | WaypointKind::Target => {
                // The target may be inside a statement, or at the end of a function.
                let is_target = waypoint.kind == WaypointKind::Target;
                let token = self.scan.tokens[index];
                if is_target && self.scan.word(index) == "}" {
                    return Ok((Event::Statement, (token.start, token.start)));
                }
                let index = if is_target { self.start_of_statement(index) } else { index };
                self.statement(index).map(|span| (self.before(index), span))
            }
            WaypointKind::FunctionEnter => self.scan.call_ending_at(index).map(|span| (Event::Enter, span)),
            WaypointKind::FunctionReturn => self.scan.call_ending_at(index).map(|span| (Event::Return, span)),
            WaypointKind::Branching if self.scan.word(index) == "switch" => {
                self.scan.condition_of(index).map(|span| (Event::Switch, span))
            }
            WaypointKind::Branching => self.scan.condition_of(index).map(|span| self.evaluation(span)),
        };
        found.ok_or_else(|| format!("the waypoint in {} does not fit the program", waypoint.location))
    }

    /// Returns the event before the statement at a token.
    fn before(&self, index: usize) -> Event {
        if self.scan.is_bare_body(index) { Event::BareBody } else { Event::Statement }
    }

    fn evaluation(&self, span: Span) -> (Event, Span) {
        let is_empty = self.source.text[span.0..span.1].trim().is_empty();
        (if is_empty { Event::NoCondition } else { Event::Condition }, span)
    }

    /// Returns the first token of the innermost statement around a token.
    fn start_of_statement(&self, index: usize) -> usize {
        let mut at = index;
        let mut depth = 0_i32;
        while at > 0 {
            match self.scan.word(at - 1) {
                ";" | "{" | "}" if depth <= 0 => break,
                ")" => depth += 1,
                "(" => depth -= 1,
                "else" | "do" if depth <= 0 => break,
                _ => {}
            }
            at -= 1;
        }
        // The keyword at the beginning tells whether the token is in the body of a statement without braces.
        while matches!(self.scan.word(at), "if" | "while" | "for" | "switch") {
            match self.scan.condition_of(at).map(|span| span.1) {
                Some(_) => {
                    let Some(body) = self.body_of(at).filter(|&body| body <= index) else { break };
                    at = body;
                }
                None => break,
            }
        }
        at
    }

    /// Returns the first token of the body of an `if` or a loop.
    fn body_of(&self, keyword: usize) -> Option<usize> {
        let mut depth = 0_i32;
        for index in keyword + 1..self.scan.tokens.len() {
            match self.scan.word(index) {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Some(index + 1);
            }
        }
        None
    }

    /// Returns the place where the invariant of the loop at a token is tested.
    fn loop_head(&self, index: usize) -> Option<(Event, Span)> {
        match self.scan.word(index) {
            "while" | "for" => Some(self.evaluation(self.scan.condition_of(index)?)),
            "do" => {
                let body = self.statement(index + 1)?;
                let is_block = self.scan.word(index + 1) == "{";
                Some((if is_block { Event::Block } else { Event::BareBody }, body))
            }
            _ => None,
        }
    }

    /// Returns the lines of the statement around a location, as reports name them.
    fn reported_lines(&self, location: &Location) -> Result<(u32, u32), String> {
        let index = self.index(location)?;
        if self.scan.word(index) == "}" {
            return Ok((self.scan.tokens[index].reported, self.scan.tokens[index].reported));
        }
        let start = self.start_of_statement(index);
        let end = self.scan.after_statement(start).unwrap_or(start + 1) - 1;
        // The body of an `if` or a loop is another statement.
        let end = match self.scan.word(start) {
            "if" | "while" | "for" | "switch" => self.body_of(start).map_or(end, |body| body - 1),
            _ => end,
        };
        Ok((self.scan.tokens[start].reported, self.scan.tokens[end].reported))
    }

    /// Adds tests where an event happens. They are statements.
    fn observe(&mut self, event: Event, span: Span, tests: &str) {
        let text = &self.source.text[span.0..span.1];
        let (before, after) = match event {
            Event::Statement => (format!("{tests} "), String::new()),
            Event::BareBody => (format!("{{ {tests} "), " }".to_owned()),
            Event::Condition => (format!("({{ int {VALUE} = !!("), format!("); {tests} {VALUE}; }})")),
            Event::Switch => (format!("({{ __typeof__({text}) {VALUE} = ("), format!("); {tests} {VALUE}; }})")),
            Event::NoCondition => (format!("({{ int {VALUE} = 1; {tests} {VALUE}; }})"), String::new()),
            Event::Block => {
                self.additions.push(((span.0 + 1, span.0 + 1), format!(" {tests} "), String::new()));
                return;
            }
            Event::Enter => (format!("({{ {tests} "), "; })".to_owned()),
            Event::Return => (format!("({{ __typeof__({text}) {VALUE} = "), format!("; {tests} {VALUE}; }})")),
        };
        self.additions.push((span, before, after));
    }

    /// Returns the text with all additions.
    fn finish(mut self, prelude: &str) -> String {
        // The longest range is the outermost one. Its texts enclose those of the others.
        self.additions.sort_by_key(|((start, end), ..)| std::cmp::Reverse(end - start));
        let mut before: BTreeMap<usize, String> = BTreeMap::new();
        let mut after: BTreeMap<usize, String> = BTreeMap::new();
        for ((start, end), open, close) in self.additions {
            before.entry(start).or_default().push_str(&open);
            after.entry(end).or_default().insert_str(0, &close);
        }
        let text = self.source.text;
        let mut cuts: Vec<usize> = before.keys().chain(after.keys()).copied().collect();
        cuts.sort_unstable();
        cuts.dedup();
        let mut out = prelude.to_owned();
        // A line marker needs a line of its own; it also says which line follows.
        if text.trim_start().starts_with('#') {
            out.push('\n');
        }
        let mut done = 0;
        for cut in cuts {
            out.push_str(&text[done..cut]);
            out.push_str(after.get(&cut).map_or("", String::as_str));
            out.push_str(before.get(&cut).map_or("", String::as_str));
            done = cut;
        }
        out.push_str(&text[done..]);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: &str = "a.c";

    fn source(text: &str) -> Source<'_> {
        Source { text, name: NAME, lines: Lines::Physical }
    }

    fn at(line: u32, column: u32) -> Location {
        Location { file_name: NAME.to_owned(), line, column: Some(column) }
    }

    fn invariant(kind: InvariantKind, column: u32, value: &str) -> Invariant {
        Invariant { kind, location: at(1, column), value: value.to_owned() }
    }

    fn asserted(text: &str, invariants: &[Invariant]) -> String {
        let out = assert(source(text), invariants, Refutation::Dereferences).expect("it fits");
        let out = out.strip_prefix("static void cairn_witness_refuted(void); ").expect("the prelude");
        out.lines().next().expect("a line").to_owned()
    }

    #[test]
    fn invariants_are_tested_at_loop_heads_and_before_statements() {
        use InvariantKind::{LocationInvariant, LoopInvariant};
        assert_eq!(
            asserted("while (x) y;", &[invariant(LoopInvariant, 1, "z > 0")]),
            "while (({ int cairn_witness_value = !!(x); if (!(z > 0)) cairn_witness_refuted();  cairn_witness_value; })) y;"
        );
        assert_eq!(
            asserted("for (;;) y;", &[invariant(LoopInvariant, 1, "z")]),
            "for (;({ int cairn_witness_value = 1; if (!(z)) cairn_witness_refuted();  cairn_witness_value; });) y;"
        );
        assert_eq!(
            asserted("if (x) y;", &[invariant(LocationInvariant, 8, "z")]),
            "if (x) { if (!(z)) cairn_witness_refuted();  y; }"
        );
        let refused = |one| assert(source("x;"), &[one], Refutation::Dereferences).is_err();
        assert!(refused(invariant(LoopInvariant, 1, "z")));
        assert!(refused(invariant(LocationInvariant, 7, "z")));
    }

    #[test]
    fn results_of_calls_are_observed() {
        let waypoint = |kind, column, constraint: &str| Waypoint {
            kind,
            location: at(1, column),
            constraint: Some(constraint.to_owned()),
        };
        let segments = [
            Segment { avoid: Vec::new(), follow: waypoint(WaypointKind::FunctionReturn, 7, "\\result == 3") },
            Segment { avoid: Vec::new(), follow: waypoint(WaypointKind::Target, 10, "") },
        ];
        let monitor = follow(source("x = f(); *p = 1;"), &segments, Passing::AnyTime).expect("it fits");
        assert_eq!(monitor.target, (1, 1));
        assert!(
            monitor.text.ends_with(
                "x = ({ __typeof__(f()) cairn_witness_value = f(); if (cairn_witness_segment == 0 && (cairn_witness_value == 3)) \
                 cairn_witness_segment = 1; else ; cairn_witness_value; }); if (cairn_witness_segment != 1) \
                 __VERIFIER_assume(0); else ; *p = 1;"
            ),
            "{}",
            monitor.text
        );
    }
}
