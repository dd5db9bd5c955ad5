//! Judges the findings of other tools: reads their SARIF, and confirms, refutes or leaves open each finding by the answers of cairn.
//!
//! A finding is *confirmed* if a replayed violation of the same kind passes through its line. It is *refuted* if cairn has proved all checks
//! of its kind on that line without an assumption. Everything else is *open*, among it all kinds that cairn does not check.

use serde_json::{Value, json};

use crate::printable;
use crate::report::{Finding, Place, Report, Step};

/// The judgement about a finding of another tool.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Judgement {
    /// A replayed execution shows it: the index of cairn's finding.
    Confirmed(usize),
    /// The check is proved.
    Refuted,
    /// Neither, with the reason.
    Open(&'static str),
}

impl Judgement {
    /// Returns the name in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Judgement::Confirmed(_) => "confirmed",
            Judgement::Refuted => "refuted",
            Judgement::Open(_) => "open",
        }
    }
}

/// A finding of another tool.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// The name of the tool.
    pub tool: String,
    /// The rule of the tool.
    pub rule: String,
    /// The text of the tool.
    pub message: String,
    /// The file, relative or absolute.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The run and the result in the log.
    at: (usize, usize),
}

/// A log of another tool.
#[derive(Clone, PartialEq, Debug)]
pub struct Log {
    value: Value,
    /// The findings.
    pub claims: Vec<Claim>,
}

impl Log {
    /// Reads a SARIF log.
    pub fn read(text: &str) -> Result<Log, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let runs = value["runs"].as_array().ok_or("no `runs`: expected SARIF 2.1.0")?;
        let mut claims = Vec::new();
        for (run_index, run) in runs.iter().enumerate() {
            let tool = run["tool"]["driver"]["name"].as_str().unwrap_or("unknown").to_owned();
            for (index, result) in run["results"].as_array().into_iter().flatten().enumerate() {
                let physical = &result["locations"][0]["physicalLocation"];
                let line = physical["region"]["startLine"].as_u64().and_then(|line| u32::try_from(line).ok());
                let rule = result["ruleId"].as_str().or_else(|| {
                    let rules = run["tool"]["driver"]["rules"].as_array()?;
                    rules.get(usize::try_from(result["ruleIndex"].as_u64()?).ok()?)?["id"].as_str()
                });
                claims.push(Claim {
                    tool: tool.clone(),
                    rule: rule.unwrap_or("").to_owned(),
                    message: result["message"]["text"].as_str().unwrap_or("").to_owned(),
                    file: file_of(physical["artifactLocation"]["uri"].as_str().unwrap_or("")),
                    line: line.unwrap_or(0),
                    at: (run_index, index),
                });
            }
        }
        Ok(Log { value, claims })
    }

    /// Returns the log with the judgements: `kind` is `fail`, `pass` or `open`, and refuted findings are suppressed.
    pub fn with_judgements(mut self, judgements: &[Judgement]) -> String {
        for (claim, judgement) in self.claims.iter().zip(judgements) {
            let result = &mut self.value["runs"][claim.at.0]["results"][claim.at.1];
            let Some(members) = result.as_object_mut() else { continue };
            let kind = match judgement {
                Judgement::Confirmed(_) => "fail",
                Judgement::Refuted => "pass",
                Judgement::Open(_) => "open",
            };
            members.insert("kind".to_owned(), json!(kind));
            if kind != "fail" {
                // A level other than `none` belongs to failures only.
                members.insert("level".to_owned(), json!("none"));
            }
            if *judgement == Judgement::Refuted {
                let why = "cairn has proved that no execution violates the check";
                members.insert("suppressions".to_owned(), json!([{"kind": "external", "justification": why}]));
            }
        }
        self.value.to_string() + "\n"
    }
}

/// Removes the scheme and the escapes of a URI.
fn file_of(uri: &str) -> String {
    let path = uri.strip_prefix("file://").unwrap_or(uri);
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        let escape = tail.get(..2).filter(|_| byte == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        match escape.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(escaped) => {
                bytes.push(escaped);
                rest = &tail[2..];
            }
            None => {
                bytes.push(byte);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The words in names of rules, lower-case without separators, with the checks that they stand for. The first that fits counts.
const RULES: &[(&[&str], &[&str])] = &[
    (&["doublefree", "415"], &["double-free"]),
    (&["useafterfree", "usesafterfree", "usedafterfree", "deallocuse", "416"], &["use-after-free", "double-free"]),
    (&["fdleak", "filleak", "fileleak", "resourceleak", "leakedfile", "775"], &["file-leak", "leak", "unfreed"]),
    (&["leak", "401"], &["leak", "unfreed"]),
    (&["freeofnonheap", "invalidfree", "badfree", "mismatchingdeallocation", "590"], &["invalid-free", "double-free"]),
    (
        &["staleframe", "danglingpointer", "stackaddress", "deadpointer", "returndanglinglifetime", "562"],
        &["use-after-scope", "use-after-free"],
    ),
    (&["uninit", "undefbinaryoperator", "undefreturn", "457"], &["uninitialised"]),
    (&["dividebyzero", "divisionbyzero", "zerodiv", "divzero", "369"], &["division-by-zero"]),
    (
        &[
            "outofbounds",
            "overflow",
            "overread",
            "underwrite",
            "underread",
            "arrayindex",
            "arraybound",
            "bufferaccess",
            "121",
            "122",
            "126",
            "127",
            "787",
            "125",
        ],
        &["out-of-bounds"],
    ),
    (&["null", "possiblenullargument", "476", "690"], &["null-deref"]),
];

/// Returns the checks that a rule of another tool stands for.
fn checks_of(rule: &str) -> &'static [&'static str] {
    let plain: String = rule.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    let fits = |words: &[&str]| words.iter().any(|word| plain.contains(word));
    RULES.iter().find(|(words, _)| fits(words)).map_or(&[], |(_, checks)| checks)
}

impl Report {
    /// Judges a finding of another tool.
    pub fn judge(&self, claim: &Claim) -> Judgement {
        let checks = checks_of(&claim.rule);
        if checks.is_empty() {
            return Judgement::Open("cairn has no check for this rule");
        }
        let is_there = |place: &Place| {
            place.line == Some(claim.line) && place.file.as_deref().is_some_and(|f| is_same_file(f, &claim.file))
        };
        let passes = |finding: &Finding| {
            let steps = finding.trace.iter().filter_map(|step| match step {
                Step::Event { place, .. } => Some(place),
                Step::Omitted { .. } | Step::Iterations { .. } => None,
            });
            let history = finding.history.iter().flat_map(|event| &event.stack);
            finding.stack.iter().chain(history).chain(steps).any(is_there)
        };
        let of_kind = |finding: &&Finding| checks.contains(&finding.check.as_str());
        // The fault itself on the line is the best match; then an execution that passes through it.
        let exact = self.findings.iter().position(|finding| of_kind(&finding) && finding.stack.iter().any(is_there));
        if let Some(index) = exact.or_else(|| self.findings.iter().position(|f| of_kind(&f) && passes(f))) {
            return Judgement::Confirmed(index);
        }
        if self.findings.iter().any(|finding| !["leak", "unfreed", "file-leak"].contains(&finding.check.as_str())) {
            return Judgement::Open("proofs hold only up to another violation");
        }
        let is_of_end = checks.iter().any(|check| ["leak", "unfreed"].contains(check));
        let is_proved = |check: &str, at: &dyn Fn(&Place) -> bool| {
            self.proved_checks.iter().any(|proved| proved.check == check && at(&proved.place))
        };
        if is_of_end {
            return if is_proved("leak", &|place| place.file.is_none()) {
                Judgement::Refuted
            } else {
                Judgement::Open("leaks are not decided")
            };
        }
        let is_open =
            self.unknown_checks.iter().any(|open| checks.contains(&open.check.as_str()) && is_there(&open.place));
        // Every check of the rule that the line has must be proved, and it must have one.
        let is_proved = checks.iter().any(|check| is_proved(check, &is_there));
        match (is_open, is_proved) {
            (false, true) => Judgement::Refuted,
            (true, _) => Judgement::Open("the check on this line is unknown"),
            (false, false) => Judgement::Open("no proved check of this kind on this line"),
        }
    }
}

/// Returns whether two names denote the same file: one of them may be relative.
fn is_same_file(a: &str, b: &str) -> bool {
    let (a, b) = (a.trim_start_matches("./"), b.trim_start_matches("./"));
    a == b || a.ends_with(&format!("/{b}")) || b.ends_with(&format!("/{a}"))
}

/// Renders judgements as text: a line for each, then the findings of cairn that confirm some.
pub fn render(log: &Log, judgements: &[Judgement], report: &Report) -> String {
    let mut out = String::new();
    for (claim, judgement) in log.claims.iter().zip(judgements) {
        let reason = match judgement {
            Judgement::Open(reason) => format!(" ({reason})"),
            _ => String::new(),
        };
        out.push_str(&format!(
            "{}:{}: {}{reason}: {} [{}]\n",
            printable(&claim.file),
            claim.line,
            judgement.name(),
            printable(&claim.message),
            printable(&claim.rule)
        ));
    }
    let mut shown: Vec<usize> = judgements
        .iter()
        .filter_map(|judgement| match judgement {
            Judgement::Confirmed(index) => Some(*index),
            _ => None,
        })
        .collect();
    shown.sort_unstable();
    shown.dedup();
    for finding in shown.iter().filter_map(|&index| report.findings.get(index)) {
        out.push_str(&format!("\n{}\n", finding.rendered));
    }
    let count = |name: &str| judgements.iter().filter(|judgement| judgement.name() == name).count();
    out.push_str(&format!(
        "\n{} findings: {} confirmed, {} refuted, {} open\n",
        judgements.len(),
        count("confirmed"),
        count("refuted"),
        count("open")
    ));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_other_tools_stand_for_checks() {
        for (rule, check) in [
            ("-Wanalyzer-use-after-free", "use-after-free"),
            ("-Wanalyzer-malloc-leak", "leak"),
            ("-Wanalyzer-null-dereference", "null-deref"),
            ("-Wanalyzer-possible-null-argument", "null-deref"),
            ("-Wanalyzer-double-free", "double-free"),
            ("-Wanalyzer-out-of-bounds", "out-of-bounds"),
            ("-Wanalyzer-use-of-uninitialized-value", "uninitialised"),
            ("core.NullDereference", "null-deref"),
            ("unix.Malloc", ""),
            ("memleak", "leak"),
            ("nullPointer", "null-deref"),
            ("bufferAccessOutOfBounds", "out-of-bounds"),
            ("NULL_DEREFERENCE", "null-deref"),
            ("USE_AFTER_FREE", "use-after-free"),
            ("cpp/double-free", "double-free"),
            ("-Wunused", ""),
        ] {
            assert_eq!(checks_of(rule).first().copied().unwrap_or(""), check, "{rule}");
        }
    }

    #[test]
    fn logs_are_read_and_marked() {
        let text = r#"{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"gcc","rules":[{"id":"-Wanalyzer-malloc-leak"}]}},
            "results":[{"ruleIndex":0,"level":"warning","message":{"text":"leak of 'p'"},
            "locations":[{"physicalLocation":{"artifactLocation":{"uri":"file:///p/a%20b.c"},"region":{"startLine":7}}}]}]}]}"#;
        let log = Log::read(text).expect("this is SARIF");
        let claim = &log.claims[0];
        assert_eq!((claim.rule.as_str(), claim.file.as_str(), claim.line), ("-Wanalyzer-malloc-leak", "/p/a b.c", 7));
        let mut report = Report::of_project();
        assert_eq!(report.judge(claim), Judgement::Open("leaks are not decided"));
        let place = Place { function: String::new(), file: None, line: None, column: None };
        report.proved_checks.push(crate::report::OpenCheck { check: "leak".into(), place });
        assert_eq!(report.judge(claim), Judgement::Refuted);
        let marked = log.clone().with_judgements(&[Judgement::Refuted]);
        assert!(
            marked.contains("\"kind\":\"pass\"")
                && marked.contains("\"level\":\"none\"")
                && marked.contains("external"),
            "{marked}"
        );
        for bad in ["", "[]", "{}", "{\"runs\": 1}"] {
            assert!(Log::read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn names_of_files_may_be_relative() {
        assert!(is_same_file("src/a.c", "/p/src/a.c") && is_same_file("./a.c", "a.c"));
        assert!(!is_same_file("a.c", "ba.c"));
    }
}
