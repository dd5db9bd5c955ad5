//! Witnesses in format 1.0: an automaton in GraphML. It is a chain with one edge per call and one into the violation.

use std::fmt::Write;

use cairn_ir::Program;
use cairn_portfolio::verdict::Violation;

use super::{Metadata, Path};
use crate::Texts;

/// The keys of the document: name, type, and the element that they belong to.
const KEYS: [(&str, &str, &str); 16] = [
    ("witness-type", "string", "graph"),
    ("witness-format-version", "string", "graph"),
    ("sourcecodelang", "string", "graph"),
    ("producer", "string", "graph"),
    ("specification", "string", "graph"),
    ("programfile", "string", "graph"),
    ("programhash", "string", "graph"),
    ("architecture", "string", "graph"),
    ("creationtime", "string", "graph"),
    ("entry", "boolean", "node"),
    ("violation", "boolean", "node"),
    ("startline", "int", "edge"),
    ("endline", "int", "edge"),
    ("assumption", "string", "edge"),
    ("assumption.scope", "string", "edge"),
    ("assumption.resultfunction", "string", "edge"),
];

/// Renders the witness of a violation.
pub fn render(violation: &Violation, program: &Program, metadata: &Metadata, texts: Texts<'_>) -> String {
    let path = Path::of(violation, program, metadata, texts);
    let mut out = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n\
                   <graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" \
                   xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n"
        .to_owned();
    for (name, kind, of) in KEYS {
        let key = format!(" <key id=\"{name}\" attr.name=\"{name}\" attr.type=\"{kind}\" for=\"{of}\"");
        out.push_str(&key);
        out.push_str(if of == "node" { ">\n  <default>false</default>\n </key>\n" } else { "/>\n" });
    }
    out.push_str(" <graph edgedefault=\"directed\">\n");
    let producer = format!("cairn {}", metadata.version);
    let properties = metadata.specification.lines().map(|line| ("specification", line));
    let head = [
        ("witness-type", "violation_witness"),
        ("witness-format-version", "1.0"),
        ("sourcecodelang", "C"),
        ("producer", producer.as_str()),
    ];
    let tail = [
        ("programfile", metadata.input_file.as_str()),
        ("programhash", &metadata.input_hash),
        ("architecture", if metadata.lp64 { "64bit" } else { "32bit" }),
        ("creationtime", &metadata.creation_time),
    ];
    for (key, value) in head.into_iter().chain(properties).chain(tail) {
        data(&mut out, "  ", key, value);
    }
    let last = path.returned.len() + 1;
    out.push_str("  <node id=\"N0\">\n");
    data(&mut out, "   ", "entry", "true");
    out.push_str("  </node>\n");
    for state in 1..last {
        let _ = writeln!(out, "  <node id=\"N{state}\"/>");
    }
    let _ = writeln!(out, "  <node id=\"N{last}\">");
    data(&mut out, "   ", "violation", "true");
    out.push_str("  </node>\n");
    for (state, call) in path.returned.iter().enumerate() {
        edge(&mut out, state, call.place.line, |out| {
            data(out, "   ", "assumption", &call.constraint);
            data(out, "   ", "assumption.scope", &call.function);
            data(out, "   ", "assumption.resultfunction", &call.callee);
        });
    }
    edge(&mut out, last - 1, path.target.line, |_| {});
    out.push_str(" </graph>\n</graphml>\n");
    out
}

/// Renders the edge from a state to the next.
fn edge(out: &mut String, state: usize, line: u32, more: impl FnOnce(&mut String)) {
    let _ = writeln!(out, "  <edge source=\"N{state}\" target=\"N{}\">", state + 1);
    let line = line.to_string();
    data(out, "   ", "startline", &line);
    data(out, "   ", "endline", &line);
    more(out);
    out.push_str("  </edge>\n");
}

fn data(out: &mut String, indent: &str, key: &str, value: &str) {
    let _ = writeln!(out, "{indent}<data key=\"{key}\">{}</data>", escaped(value));
}

/// Escapes text between tags. Characters that XML cannot represent become the replacement character.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            // A parser would turn it into a newline.
            '\r' => out.push_str("&#13;"),
            '\n' | '\t' => out.push(c),
            '\0'..'\u{20}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_can_stand_between_tags() {
        assert_eq!(escaped("a<b>&\"'é"), "a&lt;b&gt;&amp;&quot;&apos;é");
        assert_eq!(escaped("\n\t\r\0\u{1b}\u{ffff}"), "\n\t&#13;\u{fffd}\u{fffd}\u{fffd}");
    }
}
