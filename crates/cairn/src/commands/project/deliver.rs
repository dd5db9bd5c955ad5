//! Delivers the report of a check: marks accepted findings, prints it, writes further files, and chooses the exit code.

use std::path::Path;

use cairn_report::html::{self, Page};
use cairn_report::report::Baseline;
use cairn_report::{Colour, Context, Format, Read, Report};

use crate::arguments::{FailOn, OutputArguments};
use crate::configuration::Configuration;
use crate::exit::Exit;
use crate::system::files;
use crate::system::terminal::{self, Terminal};

/// How a report is delivered.
#[derive(Clone, Copy)]
pub(crate) struct Delivery<'a> {
    pub(crate) format: Format,
    /// Whether the text format lists all unknown checks.
    pub(crate) lists_unknown: bool,
    pub(crate) output: &'a OutputArguments,
    pub(crate) configuration: Option<&'a Configuration>,
    pub(crate) terminal: &'a Terminal,
}

impl Delivery<'_> {
    /// Delivers a report. `files` are the user's files, and `otherwise` is the exit code without violations.
    pub(crate) fn deliver(&self, mut report: Report, files: &[String], read: Read<'_>, otherwise: Exit) -> Exit {
        if let Some(configuration) = self.configuration {
            for finding in &mut report.findings {
                finding.level = configuration.level(finding);
            }
        }
        for comment in report.suppress(files, read) {
            let place = format!("{}:{}", comment.file, comment.line);
            self.terminal.warning(&format!("{place}: comment accepts nothing: {}", comment.why));
        }
        if let Some(file) = &self.output.baseline {
            match read_baseline(file) {
                Ok(baseline) => self.compare(&mut report, &baseline, file),
                Err(message) => {
                    self.terminal.error(&message);
                    return Exit::Failure;
                }
            }
        }
        if !self.output.is_quiet {
            terminal::print(render(&report, self.format, self.lists_unknown, self.terminal).as_bytes());
        }
        let is_written = self.write(&report).is_some() && self.write_pages(&report, read).is_some();
        if is_written { self.exit(&report, otherwise) } else { Exit::Failure }
    }

    /// Writes the pages of `--html`. Returns `None` after an error.
    fn write_pages(&self, report: &Report, read: Read<'_>) -> Option<()> {
        let Some(folder) = &self.output.html else { return Some(()) };
        let pages = html::pages(report, read, env!("CARGO_PKG_VERSION"));
        match write_pages(folder, &pages) {
            Ok(()) => Some(()),
            Err(message) => {
                self.terminal.error(&message);
                None
            }
        }
    }

    /// Writes the files of `--output`. Returns `None` after an error.
    pub(crate) fn write(&self, report: &Report) -> Option<()> {
        let plain = report.clone().without_colour();
        for (format, file) in &self.output.outputs {
            let text = format.render(&plain, self.context());
            if let Err(message) = files::write(file, &text) {
                self.terminal.error(&message);
                return None;
            }
        }
        Some(())
    }

    pub(crate) fn context(&self) -> Context<'static> {
        context(self.lists_unknown)
    }

    fn compare(&self, report: &mut Report, baseline: &Baseline, file: &Path) {
        let gone = report.compare(baseline);
        if !gone.is_empty() {
            let s = if gone.len() == 1 { "" } else { "s" };
            let message = format!("{} finding{s} of '{}' no longer found", gone.len(), file.display());
            self.terminal.note(&message);
            self.terminal.help("`cairn baseline update` removes them");
        }
    }

    fn exit(&self, report: &Report, otherwise: Exit) -> Exit {
        let is_failure = match self.output.fail_on {
            FailOn::New => report.findings.iter().any(|finding| finding.is_new() && finding.level.is_error()),
            FailOn::Any => report.findings.iter().any(|finding| finding.level.is_error()),
            FailOn::Never => false,
        };
        if is_failure { Exit::Violation } else { otherwise }
    }
}

/// Renders a report for standard output.
pub(crate) fn render(report: &Report, format: Format, lists_unknown: bool, terminal: &Terminal) -> String {
    let is_coloured = format == Format::Text && terminal.output_colour == Colour::On;
    let plain = (!is_coloured).then(|| report.clone().without_colour());
    let context = Context { draws_boxes: terminal.draws_boxes(), ..context(lists_unknown) };
    format.render(plain.as_ref().unwrap_or(report), context)
}

fn context(lists_unknown: bool) -> Context<'static> {
    Context { version: env!("CARGO_PKG_VERSION"), lists_unknown, draws_boxes: false }
}

/// Writes the pages of an HTML report. Numbered pages of an earlier report that had more of them are deleted.
pub(crate) fn write_pages(folder: &Path, pages: &[Page]) -> Result<(), String> {
    for page in pages {
        let file = folder.join(&page.path);
        let parent = file.parent().unwrap_or(folder);
        std::fs::create_dir_all(parent)
            .map_err(|error| format!("cannot create '{}': {}", parent.display(), files::describe(&error)))?;
        files::write(&file, &page.text)?;
    }
    for name in ["finding", "source"] {
        let old = (1..)
            .map(|number| format!("{name}/{number}.html"))
            .skip_while(|path| pages.iter().any(|page| page.path == *path));
        for path in old.map(|path| folder.join(path)).take_while(|path| path.exists()) {
            std::fs::remove_file(&path)
                .map_err(|error| format!("cannot delete '{}': {}", path.display(), files::describe(&error)))?;
        }
    }
    Ok(())
}

/// Reads a baseline. The error is a message that names the file.
fn read_baseline(file: &Path) -> Result<Baseline, String> {
    let text = String::from_utf8(files::read(file)?).map_err(|_| format!("'{}' is not UTF-8", file.display()))?;
    Baseline::from_json(&text).map_err(|error| format!("'{}' is no baseline of cairn: {error}", file.display()))
}
