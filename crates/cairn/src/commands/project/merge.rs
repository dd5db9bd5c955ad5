//! `cairn merge`: the results of several targets as one report.

use std::path::PathBuf;

use cairn_report::Report;
use cairn_report::report::Scope;

use crate::arguments::MergeArguments;
use crate::commands::project::deliver::Delivery;
use crate::exit::Exit;
use crate::system::files;
use crate::system::originals::Originals;
use crate::system::terminal::Terminal;

/// Merges results.
pub(crate) fn merge(arguments: &MergeArguments, terminal: &Terminal) -> Exit {
    let mut parts = Vec::new();
    for file in &arguments.results {
        let read = files::read(file).and_then(|bytes| {
            let text = String::from_utf8(bytes).map_err(|_| format!("'{}' is not UTF-8", file.display()))?;
            Report::from_json(&text).map_err(|error| format!("'{}' is no result of cairn: {error}", file.display()))
        });
        match read {
            Ok(report) => parts.push(report),
            Err(message) => {
                terminal.error(&message);
                return Exit::Failure;
            }
        }
    }
    let report = Report::merge(parts);
    let MergeArguments { format, unknown, output, .. } = arguments;
    let delivery = Delivery { format: *format, lists_unknown: *unknown, output, configuration: None, terminal };
    let paths: Vec<PathBuf> =
        report.findings.iter().filter_map(|f| f.place.as_ref()?.file.clone()).map(Into::into).collect();
    let originals = Originals::new(&paths, std::iter::empty());
    let is_proved = report.checks.unknown == 0 && matches!(report.scope, Scope::Project { functions: 0 });
    let otherwise = match () {
        () if report.targets.iter().any(|target| target.failure.is_some()) => Exit::Failure,
        () if is_proved => Exit::Fine,
        () => Exit::Undecided,
    };
    delivery.deliver(report, &[], &|name| originals.read(name), otherwise)
}
