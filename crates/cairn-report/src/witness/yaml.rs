//! Witnesses in format 2.0: YAML with a `violation_sequence`, or with an `invariant_set` for a proof.

use std::fmt::Write;

use cairn_ir::Program;
use cairn_portfolio::invariant::LoopInvariant;
use cairn_portfolio::verdict::Violation;

use super::place::{InputText, Place};
use super::{Metadata, Path};
use crate::Texts;

/// Renders the witness of a violation.
pub fn render(violation: &Violation, program: &Program, metadata: &Metadata, texts: Texts<'_>) -> String {
    let path = Path::of(violation, program, metadata, texts);
    let mut out = head("violation_sequence", metadata, None);
    out.push_str("  content:\n");
    for call in &path.returned {
        waypoint(&mut out, "function_return", Some(&call.constraint), &call.place, &call.function);
    }
    waypoint(&mut out, "target", None, &path.target, &path.target_function);
    out
}

/// Renders the witness of a proof: the loop invariants.
///
/// Separation-logic formulas cannot be written in C. They are in the description of the producer, which validators ignore.
pub fn render_proof(invariants: &[LoopInvariant], program: &Program, metadata: &Metadata, texts: Texts<'_>) -> String {
    let input = InputText::new(&metadata.input_file, texts);
    let mut loops = Vec::new();
    for invariant in invariants {
        for &entry in &invariant.entries {
            loops.extend(input.loop_at(entry, program.file_name(entry), texts).map(|found| (found, invariant)));
        }
    }
    loops.sort_by_key(|(found, _)| (found.place.line, found.place.column));
    let mut formulas = String::new();
    let mut content = String::new();
    for (found, invariant) in loops {
        let function = program.functions.get(invariant.function.index()).map_or("", |f| f.name.as_str());
        let _ = write!(formulas, "{}:{}:", found.place.line, found.place.column);
        for formula in &invariant.formulas {
            let _ = write!(formulas, "\n  {formula}");
        }
        formulas.push('\n');
        for fact in &invariant.facts {
            if fact.variables.iter().any(|variable| found.declared.contains(variable)) {
                continue;
            }
            content.push_str("  - invariant:\n      type: \"loop_invariant\"\n");
            location(&mut content, "      ", &found.place, function);
            let _ = write!(content, "      value: {}\n      format: \"c_expression\"\n", quoted(&fact.text));
        }
    }
    let mut out = head("invariant_set", metadata, (!formulas.is_empty()).then_some(formulas.as_str()));
    if content.is_empty() {
        out.push_str("  content: []\n");
    } else {
        out.push_str("  content:\n");
        out.push_str(&content);
    }
    out
}

/// Renders the metadata of an entry.
fn head(entry_type: &str, metadata: &Metadata, description: Option<&str>) -> String {
    let file = quoted(&metadata.input_file);
    let description = description.map_or_else(String::new, |text| format!("      description: {}\n", quoted(text)));
    format!(
        "- entry_type: \"{entry_type}\"\n  metadata:\n    format_version: \"2.0\"\n    uuid: {}\n    creation_time: {}\n    \
         producer:\n      name: \"cairn\"\n      version: {}\n{description}    task:\n      input_files:\n      - {file}\n      \
         input_file_hashes:\n        {file}: {}\n      specification: {}\n      data_model: \"{}\"\n      \
         language: \"C\"\n",
        quoted(&metadata.uuid),
        quoted(&metadata.creation_time),
        quoted(&metadata.version),
        quoted(&metadata.input_hash),
        quoted(&metadata.specification),
        if metadata.lp64 { "LP64" } else { "ILP32" },
    )
}

/// Renders a segment of one waypoint that must be passed.
fn waypoint(out: &mut String, kind: &str, constraint: Option<&str>, place: &Place, function: &str) {
    let _ = write!(out, "  - segment:\n    - waypoint:\n        type: \"{kind}\"\n        action: \"follow\"\n");
    if let Some(constraint) = constraint {
        let value = quoted(constraint);
        let _ = write!(out, "        constraint:\n          value: {value}\n          format: \"acsl_expression\"\n");
    }
    location(out, "        ", place, function);
}

fn location(out: &mut String, indent: &str, place: &Place, function: &str) {
    let _ = write!(
        out,
        "{indent}location:\n{indent}  file_name: {}\n{indent}  line: {}\n{indent}  column: {}\n",
        quoted(&place.file),
        place.line,
        place.column
    );
    if !function.is_empty() {
        let _ = writeln!(out, "{indent}  function: {}", quoted(function));
    }
}

/// Quotes a scalar with double quotes, the only style of YAML that can hold any text.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // These are not printable in YAML, or line breaks in some of its versions.
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}') => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_can_be_quoted() {
        assert_eq!(quoted("a \"b\" \\ c: # é"), "\"a \\\"b\\\" \\\\ c: # é\"");
        assert_eq!(quoted("\n\r\t\0\u{1b}\u{85}\u{2028}\u{feff}"), "\"\\n\\r\\t\\u0000\\u001B\\u0085\\u2028\\uFEFF\"");
        assert_eq!(quoted("\\result == 1"), "\"\\\\result == 1\"");
    }
}
