//! Witnesses in format 2.0: YAML with a `violation_sequence`.

use std::fmt::Write;

use cairn_engine::verdict::Violation;
use cairn_ir::Program;

use super::place::Place;
use super::{Metadata, Path};
use crate::Texts;

/// The witness as text.
pub fn render(violation: &Violation, program: &Program, metadata: &Metadata, texts: Texts<'_>) -> String {
    let path = Path::of(violation, program, metadata, texts);
    let file = quoted(&metadata.input_file);
    let mut out = format!(
        "- entry_type: \"violation_sequence\"\n  metadata:\n    format_version: \"2.0\"\n    uuid: {}\n    creation_time: {}\n    \
         producer:\n      name: \"cairn\"\n      version: {}\n    task:\n      input_files:\n      - {file}\n      \
         input_file_hashes:\n        {file}: {}\n      specification: {}\n      data_model: \"{}\"\n      \
         language: \"C\"\n  content:\n",
        quoted(&metadata.uuid),
        quoted(&metadata.creation_time),
        quoted(&metadata.version),
        quoted(&metadata.input_hash),
        quoted(&metadata.specification),
        if metadata.lp64 { "LP64" } else { "ILP32" },
    );
    for call in &path.returned {
        waypoint(&mut out, "function_return", Some(&call.constraint), &call.place, &call.function);
    }
    waypoint(&mut out, "target", None, &path.target, &path.target_function);
    out
}

/// A segment of one waypoint that must be passed.
fn waypoint(out: &mut String, kind: &str, constraint: Option<&str>, place: &Place, function: &str) {
    let _ = write!(out, "  - segment:\n    - waypoint:\n        type: \"{kind}\"\n        action: \"follow\"\n");
    if let Some(constraint) = constraint {
        let value = quoted(constraint);
        let _ = write!(out, "        constraint:\n          value: {value}\n          format: \"acsl_expression\"\n");
    }
    let _ = write!(
        out,
        "        location:\n          file_name: {}\n          line: {}\n          column: {}\n",
        quoted(&place.file),
        place.line,
        place.column
    );
    if !function.is_empty() {
        let _ = writeln!(out, "          function: {}", quoted(function));
    }
}

/// A double-quoted scalar: the one style of YAML that can hold any text.
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
            // Not printable in YAML, or a line break in some versions of it.
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
