//! The difference between two revisions of a project: findings, and contracts of functions.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::printable;
use crate::report::{Finding, Report};

/// The results for one revision.
#[derive(Clone, PartialEq, Debug)]
pub struct Revision {
    /// The findings.
    pub report: Report,
    /// The contract of each function, as sentences, by file and function.
    pub contracts: BTreeMap<(String, String), Vec<String>>,
    /// The files that use each function of another file.
    pub users: BTreeMap<String, BTreeSet<String>>,
}

/// The difference between two revisions.
#[derive(Clone, PartialEq, Debug)]
pub struct Difference {
    /// Findings of the new revision only.
    pub new: Vec<Finding>,
    /// Findings of the old revision only.
    pub fixed: Vec<Finding>,
    /// The number of findings of both.
    pub unchanged: usize,
    /// Contracts that differ.
    pub contracts: Vec<ContractChange>,
}

/// The change of a function's contract.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ContractChange {
    /// The file.
    pub file: String,
    /// The function.
    pub function: String,
    /// Sentences of the new contract only.
    pub gained: Vec<String>,
    /// Sentences of the old contract only.
    pub lost: Vec<String>,
    /// Other files that use the function.
    pub users: Vec<String>,
}

impl Difference {
    /// Compares two revisions. Findings are the same if their fingerprints are.
    pub fn between(old: &Revision, new: &Revision) -> Difference {
        let prints = |revision: &Revision| -> BTreeSet<String> {
            revision.report.findings.iter().map(|finding| finding.fingerprint.clone()).collect()
        };
        let (before, after) = (prints(old), prints(new));
        let without = |revision: &Revision, others: &BTreeSet<String>| {
            let findings = revision.report.findings.iter();
            findings.filter(|finding| !others.contains(&finding.fingerprint)).cloned().collect::<Vec<_>>()
        };
        let mut contracts = Vec::new();
        for ((file, function), sentences) in &new.contracts {
            // A function that moved to another file keeps its contract.
            let same_place = old.contracts.get(&(file.clone(), function.clone()));
            let moved = || old.contracts.iter().find(|((_, name), _)| name == function).map(|(_, sentences)| sentences);
            let Some(earlier) = same_place.or_else(moved) else { continue };
            let only = |these: &[String], those: &[String]| -> Vec<String> {
                these.iter().filter(|sentence| !those.contains(sentence)).cloned().collect()
            };
            let (gained, lost) = (only(sentences, earlier), only(earlier, sentences));
            if !gained.is_empty() || !lost.is_empty() {
                let users = new.users.get(function).map(|files| files.iter().cloned().collect()).unwrap_or_default();
                contracts.push(ContractChange { file: file.clone(), function: function.clone(), gained, lost, users });
            }
        }
        Difference {
            new: without(new, &before),
            fixed: without(old, &after),
            unchanged: before.intersection(&after).count(),
            contracts,
        }
    }

    /// Renders the difference as text. The new findings are shown with their traces.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for finding in &self.new {
            let _ = writeln!(out, "{}\n", finding.rendered);
        }
        for finding in &self.fixed {
            let _ = writeln!(out, "fixed: {}", line(finding));
        }
        for change in &self.contracts {
            let _ =
                writeln!(out, "contract of `{}` ({}) changed:", printable(&change.function), printable(&change.file));
            for sentence in &change.gained {
                let _ = writeln!(out, "  now: {}", printable(sentence));
            }
            for sentence in &change.lost {
                let _ = writeln!(out, "  no longer: {}", printable(sentence));
            }
            if !change.users.is_empty() {
                let _ = writeln!(out, "  used in {}", printable(&change.users.join(", ")));
            }
        }
        let _ = writeln!(out, "{}", self.summary());
        out
    }

    /// Renders the difference as Markdown, for a comment on a pull request.
    pub fn markdown(&self) -> String {
        let mut out = format!("**cairn**: {}\n", self.summary());
        let findings = |title: &str, findings: &[Finding], out: &mut String| {
            if !findings.is_empty() {
                let _ = writeln!(out, "\n### {title}\n");
                for finding in findings {
                    let _ = writeln!(out, "- {}", line(finding));
                }
            }
        };
        findings("New findings", &self.new, &mut out);
        findings("Fixed findings", &self.fixed, &mut out);
        if !self.contracts.is_empty() {
            out.push_str("\n### Changed contracts\n\n");
        }
        for change in &self.contracts {
            let _ = writeln!(out, "- `{}` ({})", printable(&change.function), printable(&change.file));
            for sentence in &change.gained {
                let _ = writeln!(out, "  - now: {}", printable(sentence));
            }
            for sentence in &change.lost {
                let _ = writeln!(out, "  - no longer: {}", printable(sentence));
            }
            if !change.users.is_empty() {
                let _ = writeln!(out, "  - used in {}", printable(&change.users.join(", ")));
            }
        }
        out
    }

    fn summary(&self) -> String {
        format!(
            "{} new, {} fixed, {} unchanged; {} changed contract{}",
            self.new.len(),
            self.fixed.len(),
            self.unchanged,
            self.contracts.len(),
            if self.contracts.len() == 1 { "" } else { "s" }
        )
    }
}

/// Returns a finding on one line.
fn line(finding: &Finding) -> String {
    let place = finding.place.as_ref().and_then(|place| place.position());
    let place = place.map_or_else(String::new, |(file, line, _)| format!(" at {file}:{line}"));
    printable(&format!("`{}`{place}: {}", finding.check, finding.message))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn revision(sentences: &[&str]) -> Revision {
        let sentences = sentences.iter().map(|sentence| (*sentence).to_owned()).collect();
        Revision {
            report: Report::of_project(),
            contracts: BTreeMap::from([(("a.c".to_owned(), "parse".to_owned()), sentences)]),
            users: BTreeMap::from([("parse".to_owned(), BTreeSet::from(["main.c".to_owned()]))]),
        }
    }

    #[test]
    fn changed_sentences_are_shown_with_the_users() {
        let difference =
            Difference::between(&revision(&["returns a number"]), &revision(&["returns a number", "frees `text`"]));
        assert_eq!(
            difference.text(),
            "contract of `parse` (a.c) changed:\n  now: frees `text`\n  used in main.c\n0 new, 0 fixed, 0 unchanged; 1 changed contract\n"
        );
        assert!(difference.markdown().contains("- `parse` (a.c)\n  - now: frees `text`\n"));
        let same = Difference::between(&revision(&["x"]), &revision(&["x"]));
        assert_eq!(same.text(), "0 new, 0 fixed, 0 unchanged; 0 changed contracts\n");
    }
}
