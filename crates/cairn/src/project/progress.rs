//! A progress line on a terminal, and nothing elsewhere.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The progress of a project.
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// Starts the line for this many targets.
    pub(crate) fn start(targets: usize) -> Self {
        let bar = ProgressBar::new(targets as u64);
        if std::io::stderr().is_terminal() {
            let style = ProgressStyle::with_template("{bar:24} {pos}/{len} checked, {msg} [{elapsed}]");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.enable_steady_tick(Duration::from_millis(200));
        } else {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        Progress { bar }
    }

    /// Shows that a target has ended.
    pub(crate) fn ended(&self, name: &str, findings: usize) {
        let s = if findings == 1 { "" } else { "s" };
        self.bar.set_message(format!("{findings} finding{s}, {name}"));
        self.bar.inc(1);
    }

    /// Removes the line.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
