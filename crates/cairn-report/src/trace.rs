//! Draws the trace to a fault: numbered steps with their source lines. Repetitions are omitted.

use std::collections::HashMap;

use cairn_interpret::trace::{TraceKind, TraceStep};
use cairn_ir::{Loc, Program};
use cairn_portfolio::verdict::Violation;

use crate::condition::said;
use crate::excerpt::Excerpt;
use crate::limits::{SHOWN_INPUTS, SHOWN_STEPS, SHOWN_STEPS_AT_START, SHOWN_VISITS};
use crate::{Texts, printable};

/// A line of a folded trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Line<'t> {
    /// A step.
    Step(&'t TraceStep),
    /// This many steps are omitted.
    Omitted(usize),
    /// This many iterations of a loop are omitted.
    Iterations(u64),
}

/// How much of a trace is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Detail {
    /// The steps that the fault depends on most.
    #[default]
    Short,
    /// All steps, without repetitions.
    Full,
}

/// Returns the lines of a violation's trace.
pub(crate) fn lines(violation: &Violation, detail: Detail) -> Vec<Line<'_>> {
    if detail == Detail::Full || violation.story.steps.is_empty() {
        return folded(&violation.trace);
    }
    let mut lines = Vec::new();
    for step in &violation.story.steps {
        if step.iterations > 0 {
            lines.push(Line::Iterations(step.iterations));
        }
        lines.push(Line::Step(step));
    }
    lines
}

/// Renders the steps, one or two lines each.
pub(crate) fn render(lines: Vec<Line<'_>>, program: &Program, texts: Texts<'_>) -> String {
    let width = lines.len().to_string().len();
    let mut out = String::new();
    let mut shown: Option<Loc> = None;
    let mut number = 0;
    for line in lines {
        let step = match line {
            Line::Omitted(count) => {
                let s = if count == 1 { "" } else { "s" };
                out.push_str(&format!("  {:width$}  … {count} step{s} omitted …\n", ""));
                shown = None;
                continue;
            }
            Line::Iterations(count) => {
                let s = if count == 1 { "" } else { "s" };
                out.push_str(&format!("  {:width$}  … {count} more iteration{s} …\n", ""));
                shown = None;
                continue;
            }
            Line::Step(step) => step,
        };
        number += 1;
        let loc = step.place.loc;
        let Some(excerpt) = Excerpt::of_loc(loc, program.file_name(loc), texts) else { continue };
        out.push_str(&format!("  {number:width$}. {}: {}\n", excerpt.place(), printable(&said(step, program, texts))));
        // The text of a line is shown once for several steps.
        if shown.is_none_or(|last| (last.file, last.line) != (loc.file, loc.line))
            && let Some((text, _)) = &excerpt.text
        {
            out.push_str(&format!("  {:width$}  | {}\n", "", printable(text.trim())));
        }
        shown = Some(loc);
    }
    out
}

/// Returns how many first and last visits of a location are kept.
const fn kept_at_each_end(kind: TraceKind) -> usize {
    match kind {
        TraceKind::Input => SHOWN_INPUTS,
        _ => SHOWN_VISITS,
    }
}

/// Omits repetitions: the steps inside calls that returned without an allocation, a free, an input or a relevant assignment,
/// and all but the first and the last visits of each location.
pub(crate) fn folded(steps: &[TraceStep]) -> Vec<Line<'_>> {
    let mut kept: Vec<&TraceStep> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for step in steps.iter().filter(|step| step.place.loc.is_some()) {
        match step.kind {
            TraceKind::Call => open.push(kept.len()),
            TraceKind::Return => {
                // The step of a call may not have been recorded.
                while open.last().is_some_and(|&call| kept[call].depth > step.depth) {
                    open.pop();
                }
                if let Some(&call) = open.last()
                    && kept[call].depth == step.depth
                {
                    open.pop();
                    let matters = |s: &&TraceStep| {
                        use TraceKind::{Allocation, Assignment, Free, Input};
                        matches!(s.kind, Allocation | Assignment | Free | Input)
                    };
                    if !kept[call + 1..].iter().any(matters) {
                        kept.truncate(call + 1);
                    }
                }
            }
            _ => {}
        }
        kept.push(step);
    }

    let key = |step: &TraceStep| (step.kind, step.place.loc.file.0, step.place.loc.line, step.place.loc.column);
    let mut totals: HashMap<_, usize> = HashMap::new();
    for step in &kept {
        *totals.entry(key(step)).or_default() += 1;
    }
    let mut seen: HashMap<_, usize> = HashMap::new();
    let mut lines = Vec::new();
    for step in kept {
        if step.left_out > 0 {
            push(&mut lines, Line::Omitted(usize::try_from(step.left_out).unwrap_or(usize::MAX)));
        }
        let visit = seen.entry(key(step)).or_default();
        *visit += 1;
        let ends = kept_at_each_end(step.kind);
        let total = totals.get(&key(step)).copied().unwrap_or(0);
        push(&mut lines, if *visit <= ends || *visit + ends > total { Line::Step(step) } else { Line::Omitted(1) });
    }
    if lines.len() <= SHOWN_STEPS {
        return lines;
    }
    let end = lines.len() - (SHOWN_STEPS - SHOWN_STEPS_AT_START);
    let mut short = Vec::with_capacity(SHOWN_STEPS + 1);
    for (index, line) in lines.into_iter().enumerate() {
        let line = match line {
            Line::Step(_) if (SHOWN_STEPS_AT_START..end).contains(&index) => Line::Omitted(1),
            line => line,
        };
        push(&mut short, line);
    }
    short
}

/// Adds a line. Consecutive omissions become one line.
fn push<'t>(lines: &mut Vec<Line<'t>>, line: Line<'t>) {
    match (lines.last_mut(), line) {
        (Some(Line::Omitted(count)), Line::Omitted(more)) => *count += more,
        _ => lines.push(line),
    }
}

#[cfg(test)]
mod tests {
    use cairn_ir::source::StackPlace;
    use cairn_ir::{FileId, FuncId};

    use super::*;

    fn step(kind: TraceKind, line: u32, depth: u32) -> TraceStep {
        let loc = Loc { file: FileId(0), line, column: 1 };
        TraceStep::new(kind, String::new(), StackPlace { function: FuncId(0), loc }, depth)
    }

    fn shape(steps: &[TraceStep]) -> Vec<String> {
        let shown = |line: &Line<'_>| match line {
            Line::Step(step) => format!("{} {}", step.kind.name(), step.place.loc.line),
            Line::Omitted(count) => format!("… {count}"),
            Line::Iterations(count) => format!("{count} iterations"),
        };
        folded(steps).iter().map(shown).collect()
    }

    #[test]
    fn middle_iterations_are_omitted() {
        let steps: Vec<_> =
            (0..100).flat_map(|_| [step(TraceKind::Branch, 1, 1), step(TraceKind::Allocation, 2, 1)]).collect();
        assert_eq!(shape(&steps), ["branch 1", "allocation 2", "… 196", "branch 1", "allocation 2"]);
    }

    #[test]
    fn steps_inside_calls_without_effect_are_omitted() {
        let steps = [
            step(TraceKind::Call, 1, 2),
            step(TraceKind::Branch, 7, 2),
            step(TraceKind::Return, 8, 2),
            step(TraceKind::Call, 2, 2),
            step(TraceKind::Branch, 9, 2),
            step(TraceKind::Free, 10, 2),
            step(TraceKind::Return, 11, 2),
            step(TraceKind::Call, 3, 2),
            step(TraceKind::Branch, 12, 2),
        ];
        let expected = ["call 1", "return 8", "call 2", "branch 9", "free 10", "return 11", "call 3", "branch 12"];
        assert_eq!(shape(&steps), expected);
    }

    #[test]
    fn a_long_trace_keeps_its_ends() {
        let steps: Vec<_> = (1..=1000).map(|line| step(TraceKind::Branch, line, 1)).collect();
        let lines = shape(&steps);
        assert_eq!(lines.len(), SHOWN_STEPS + 1);
        assert_eq!(lines[SHOWN_STEPS_AT_START], format!("… {}", 1000 - SHOWN_STEPS));
        assert_eq!(lines.last().map(String::as_str), Some("branch 1000"));
    }
}
