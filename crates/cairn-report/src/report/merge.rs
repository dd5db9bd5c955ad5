//! Merges the reports of the programs and libraries of a project.

use std::collections::BTreeSet;

use super::{Counts, Finding, Place, Report, Scope, TargetSummary, VERSION};

impl TargetSummary {
    /// Returns the summary of a target's report.
    pub fn of(name: &str, kind: &str, report: &Report) -> Self {
        let functions = match report.scope {
            Scope::Library { functions } | Scope::Project { functions } => functions,
            Scope::Program | Scope::Functions => 0,
        };
        TargetSummary { name: name.to_owned(), kind: kind.to_owned(), checks: report.checks, functions, failure: None }
    }
}

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
            proved_checks: Vec::new(),
            functions: Vec::new(),
            assumptions: Vec::new(),
            targets: Vec::new(),
            table: None,
        }
    }

    /// Returns the report of a target that could not be checked.
    pub fn of_failure(name: &str, kind: &str, failure: &str) -> Report {
        let mut report = Report::of_project();
        report.targets.push(TargetSummary {
            name: name.to_owned(),
            kind: kind.to_owned(),
            checks: Counts::default(),
            functions: 0,
            failure: Some(failure.to_owned()),
        });
        report
    }

    /// Merges the reports of targets. The result does not depend on their order.
    ///
    /// A finding that several targets have, in a file that all of them contain, is kept once.
    pub fn merge(mut parts: Vec<Report>) -> Report {
        let key = |part: &Report| {
            let first = part.targets.first();
            first.map(|target| (target.kind != "program", target.name.clone(), target.failure.clone()))
        };
        parts.sort_by_cached_key(key);
        let mut all = Report::of_project();
        let mut reasons = BTreeSet::new();
        let mut assumptions = BTreeSet::new();
        let mut functions = 0;
        for part in parts {
            all.checks.proved += part.checks.proved;
            all.checks.assuming += part.checks.assuming;
            all.checks.violated += part.checks.violated;
            all.checks.unknown += part.checks.unknown;
            functions += part.targets.iter().map(|target| target.functions).sum::<usize>();
            all.targets.extend(part.targets);
            for finding in part.findings {
                if !all.findings.iter().any(|other| is_same(other, &finding)) {
                    all.findings.push(finding);
                }
            }
            for reason in part.unknown_reasons {
                if reasons.insert(reason.message.clone()) {
                    all.unknown_because.push(reason.message.clone());
                    all.unknown_reasons.push(reason);
                }
            }
            all.unknown_checks.extend(part.unknown_checks);
            all.proved_checks.extend(part.proved_checks);
            all.functions.extend(part.functions);
            assumptions.extend(part.assumptions);
        }
        all.scope = Scope::Project { functions };
        all.assumptions = assumptions.into_iter().collect();
        all.findings.sort_by_cached_key(|finding| {
            let place = finding.place.as_ref().and_then(Place::position);
            (place.map(|(file, line, column)| (file.to_owned(), line, column)), finding.check.clone())
        });
        all
    }
}

fn is_same(a: &Finding, b: &Finding) -> bool {
    a.check == b.check && a.place == b.place && a.place.is_some()
}
