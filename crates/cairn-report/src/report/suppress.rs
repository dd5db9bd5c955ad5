//! Comments in the code that accept findings: `// cairn: ignore(leak) the cache lives until the end`.
//!
//! A comment accepts findings of the named checks on its own line, or on the next line if nothing but the comment is on its line. It must
//! give a reason.

use cairn_ir::CheckKind;

use super::{Report, Suppression};
use crate::Read;

/// A comment that has no effect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ineffective {
    /// The file of the comment.
    pub file: String,
    /// The line of the comment.
    pub line: u32,
    /// Why it has no effect.
    pub why: String,
}

/// A comment that accepts findings.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Comment {
    line: u32,
    /// The line whose findings it accepts.
    about: u32,
    checks: Vec<String>,
    reason: String,
}

impl Report {
    /// Marks the findings that a comment accepts. `read` returns the text of a file.
    ///
    /// Returns the comments without an effect in the files of findings and in `files`.
    pub fn suppress(&mut self, files: &[String], read: Read<'_>) -> Vec<Ineffective> {
        let of_findings = self.findings.iter().filter_map(|finding| finding.place.as_ref()?.file.clone());
        let mut files: Vec<String> = files.iter().cloned().chain(of_findings).collect();
        files.sort();
        files.dedup();
        let mut ineffective = Vec::new();
        for file in files {
            let Some(text) = read(&file) else { continue };
            for comment in comments(&text) {
                if let Some(why) = self.apply(&comment, &file) {
                    ineffective.push(Ineffective { file: file.clone(), line: comment.line, why });
                }
            }
        }
        ineffective
    }

    /// Marks the findings that a comment accepts, or returns why there are none.
    fn apply(&mut self, comment: &Comment, file: &str) -> Option<String> {
        let is_check = |name: &&String| CheckKind::ALL.iter().any(|kind| kind.name() == name.as_str());
        if let Some(name) = comment.checks.iter().find(|name| !is_check(name)) {
            return Some(format!("there is no check `{name}`"));
        }
        if comment.reason.is_empty() {
            return Some("the comment gives no reason".to_owned());
        }
        let mut found = false;
        for finding in &mut self.findings {
            let position = finding.place.as_ref().and_then(|place| Some((place.file.as_deref()?, place.line?)));
            if position == Some((file, comment.about)) && comment.checks.contains(&finding.check) {
                finding.suppressed = Some(Suppression { reason: comment.reason.clone(), line: comment.line });
                found = true;
            }
        }
        (!found).then(|| format!("no finding of `{}` on line {}", comment.checks.join("`, `"), comment.about))
    }
}

/// Returns the comments of a text that accept findings.
fn comments(text: &str) -> Vec<Comment> {
    let lines = text.lines().zip(1_u32..);
    lines.filter_map(|(line, number)| comment(line, number)).collect()
}

fn comment(line: &str, number: u32) -> Option<Comment> {
    const MARK: &str = "cairn: ignore(";
    let at = line.find(MARK)?;
    let before = line[..at].trim_end();
    let code = before.strip_suffix("//").or_else(|| before.strip_suffix("/*"))?;
    let (names, reason) = line[at + MARK.len()..].split_once(')')?;
    let reason = reason.trim().trim_end_matches("*/").trim().to_owned();
    let checks = names.split(',').map(|name| name.trim().to_owned()).collect();
    let about = if code.trim().is_empty() { number + 1 } else { number };
    Some(Comment { line: number, about, checks, reason })
}

#[cfg(test)]
mod tests {
    use super::super::{Finding, Place};
    use super::*;

    fn report(check: &str, line: u32) -> Report {
        let place = Place { function: "f".into(), file: Some("a.c".into()), line: Some(line), column: Some(1) };
        let mut report = Report::of_project();
        report.findings.push(Finding {
            check: check.into(),
            level: Default::default(),
            property: None,
            message: String::new(),
            place: Some(place),
            stack: Vec::new(),
            history: Vec::new(),
            trace: Vec::new(),
            heap: None,
            hint: None,
            graph: None,
            arguments: None,
            fingerprint: String::new(),
            rendered: String::new(),
            baseline: None,
            suppressed: None,
        });
        report
    }

    #[test]
    fn comments_are_about_their_line_or_the_next() {
        let text = "int a; // cairn: ignore(leak, unfreed) kept\n  /* cairn: ignore(leak) whole */\nx\n\"cairn: ignore(leak) no\"";
        let found = comments(text);
        assert_eq!(found.iter().map(|c| (c.line, c.about)).collect::<Vec<_>>(), [(1, 1), (2, 3)]);
        assert_eq!((found[0].checks.join(" "), found[1].reason.as_str()), ("leak unfreed".to_owned(), "whole"));
    }

    #[test]
    fn only_comments_with_a_reason_and_a_finding_have_an_effect() {
        let read = |text: &'static str| move |_: &str| Some(text.into());
        let mut it = report("leak", 2);
        assert!(it.suppress(&[], &read("// cairn: ignore(leak) known\nmalloc(1);\n")).is_empty());
        assert!(!it.findings[0].is_new());
        for (text, why) in [
            ("malloc(1);\nmalloc(1); // cairn: ignore(leak)\n", "the comment gives no reason"),
            ("malloc(1); // cairn: ignore(leak) x\n\n", "no finding of `leak` on line 1"),
            ("\nmalloc(1); // cairn: ignore(double-free) x\n", "no finding of `double-free` on line 2"),
            ("\nmalloc(1); // cairn: ignore(leaks) x\n", "there is no check `leaks`"),
        ] {
            let mut it = report("leak", 2);
            let ineffective = it.suppress(&[], &read(text));
            assert_eq!(ineffective.iter().map(|i| i.why.as_str()).collect::<Vec<_>>(), [why]);
            assert!(it.findings[0].is_new());
        }
    }
}
