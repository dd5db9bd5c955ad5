//! Merges the reports of the programs and libraries of a project.

use std::collections::BTreeSet;

use super::{Counts, Finding, Place, Report, Scope, TargetSummary, Unknown, VERSION};

impl Report {
    /// Returns the report of a project without targets.
    pub fn of_project() -> Report {
        Report {
            version: VERSION,
            scope: Scope::Project { functions: 0 },
            findings: Vec::new(),
            checks: Counts::default(),
            unknown_because: Vec::new(),
            unknown_reasons: Vec::new(),
            unknown_checks: Vec::new(),
            functions: Vec::new(),
            assumptions: Vec::new(),
            targets: Vec::new(),
            table: None,
        }
    }

    /// Adds the report of a target. A finding that another target has as well (in a file that both contain) is kept once.
    pub fn add_target(&mut self, name: &str, kind: &str, part: Report) {
        let functions = match part.scope {
            Scope::Library { functions } | Scope::Project { functions } => functions,
            Scope::Program | Scope::Functions => 0,
        };
        if let Scope::Project { functions: all } = &mut self.scope {
            *all += functions;
        }
        self.checks.proved += part.checks.proved;
        self.checks.assuming += part.checks.assuming;
        self.checks.violated += part.checks.violated;
        self.checks.unknown += part.checks.unknown;
        self.targets.push(TargetSummary {
            name: name.to_owned(),
            kind: kind.to_owned(),
            checks: part.checks,
            functions,
            failure: None,
        });
        let is_same = |a: &Finding, b: &Finding| a.check == b.check && a.place == b.place && a.place.is_some();
        for finding in part.findings {
            if !self.findings.iter().any(|other| is_same(other, &finding)) {
                self.findings.push(finding);
            }
        }
        for reason in part.unknown_reasons {
            self.add_reason(reason);
        }
        self.unknown_checks.extend(part.unknown_checks);
        self.functions.extend(part.functions);
        let known: BTreeSet<String> = self.assumptions.iter().cloned().collect();
        self.assumptions.extend(part.assumptions.into_iter().filter(|assumption| !known.contains(assumption)));
    }

    /// Adds a target that could not be checked.
    pub fn add_failure(&mut self, name: &str, kind: &str, failure: &str) {
        self.targets.push(TargetSummary {
            name: name.to_owned(),
            kind: kind.to_owned(),
            checks: Counts::default(),
            functions: 0,
            failure: Some(failure.to_owned()),
        });
    }

    /// Sorts the findings by location, whatever the order of the targets.
    pub fn sort_findings(&mut self) {
        let key = |finding: &Finding| {
            let place = finding.place.as_ref().and_then(Place::position);
            (place.map(|(file, line, column)| (file.to_owned(), line, column)), finding.check.clone())
        };
        self.findings.sort_by_cached_key(key);
    }

    fn add_reason(&mut self, reason: Unknown) {
        if !self.unknown_reasons.contains(&reason) {
            self.unknown_because.push(reason.message.clone());
            self.unknown_reasons.push(reason);
        }
    }
}
