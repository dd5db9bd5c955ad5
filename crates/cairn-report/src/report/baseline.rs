//! Baselines: the known findings of a project, so that only new ones are shown.

use serde::{Deserialize, Serialize};

use super::{BaselineState, Finding, Report};

/// The version of the file's form.
const VERSION: u64 = 1;

/// The known findings of a project.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Baseline {
    version: u64,
    findings: Vec<Known>,
}

/// A known finding. Only the fingerprint identifies it; the rest is for people.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Known {
    /// The file.
    pub file: String,
    /// The function.
    pub function: String,
    /// The name of the check.
    pub check: String,
    /// The fault in words.
    pub message: String,
    /// The fingerprint.
    pub fingerprint: String,
}

impl Known {
    fn of(finding: &Finding) -> Self {
        let place = finding.place.as_ref();
        Known {
            file: place.and_then(|place| place.file.clone()).unwrap_or_default(),
            function: place.map(|place| place.function.clone()).unwrap_or_default(),
            check: finding.check.clone(),
            message: finding.message.clone(),
            fingerprint: finding.fingerprint.clone(),
        }
    }
}

impl Baseline {
    /// Returns the baseline of a report. Findings that a comment accepts need none.
    pub fn of(report: &Report) -> Self {
        let open = report.findings.iter().filter(|finding| finding.suppressed.is_none());
        let mut findings: Vec<Known> = open.map(Known::of).collect();
        findings.sort();
        Baseline { version: VERSION, findings }
    }

    /// Reads a baseline.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let baseline: Baseline = serde_json::from_str(text).map_err(|error| error.to_string())?;
        match baseline.version {
            VERSION => Ok(baseline),
            other => Err(format!("version {other}, expected {VERSION}")),
        }
    }

    /// Returns the text of the file, with a line for each member so that revisions can be compared.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Returns the number of known findings.
    pub fn len(&self) -> usize {
        self.findings.len()
    }

    /// Returns whether there are no known findings.
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }
}

impl Report {
    /// Marks each finding as new or known, and returns the known ones that are gone.
    pub fn compare(&mut self, baseline: &Baseline) -> Vec<Known> {
        let mut left: Vec<&Known> = baseline.findings.iter().collect();
        for finding in &mut self.findings {
            let known = left.iter().position(|known| known.fingerprint == finding.fingerprint);
            finding.baseline = Some(match known {
                Some(index) => {
                    left.remove(index);
                    BaselineState::Unchanged
                }
                None => BaselineState::New,
            });
        }
        left.into_iter().cloned().collect()
    }
}
