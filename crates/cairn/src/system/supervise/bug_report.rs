//! Reports of panics, which are bugs in cairn. A report is a folder with everything that a developer needs to see the panic again.

use std::backtrace::Backtrace;
use std::panic;
use std::path::{Path, PathBuf};

use cairn_portfolio::Reason;

use super::guard::Guard;
use crate::system::files;
use crate::system::temporary;
use crate::system::terminal::error;

/// Records every panic instead of printing it: the report names it.
pub(super) fn record_panics(guard: &Guard) {
    let guard = guard.clone();
    panic::set_hook(Box::new(move |info| {
        let payload = info.payload();
        let what = match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
            (Some(text), _) => text,
            (_, Some(text)) => text.as_str(),
            _ => "no message",
        };
        let place = info.location().map(|l| format!(" at {}:{}", l.file(), l.line())).unwrap_or_default();
        guard.add_panic(format!("{what}{place}"), Backtrace::force_capture().to_string());
    }));
}

/// Reports the panic of a part that was contained, or that of the command.
pub(super) fn report(guard: &Guard, failure: Option<&Reason>) {
    let panics = guard.panics();
    let message = match failure {
        Some(failure) => {
            // The hook knows the location, the reason the part.
            let Reason::InternalError(part, message) = failure else { return };
            let located = panics.iter().map(|(text, _)| text).find(|text| text.starts_with(message.as_str()));
            format!("internal error in `{part}`: {}", located.unwrap_or(message))
        }
        None => format!("internal error: {}", panics.last().map_or("no message", |(text, _)| text)),
    };
    let note = match write(guard, &message, &panics) {
        Ok(folder) => format!("with the folder '{}'", folder.display()),
        Err(cause) => format!("({cause})"),
    };
    error(&format!("{message}\nnote: this is a bug in cairn; please report it {note}"));
}

/// Writes the report. Returns its folder.
fn write(guard: &Guard, message: &str, panics: &[(String, String)]) -> Result<PathBuf, String> {
    let folder = temporary::create_folder("cairn-bug")
        .map_err(|cause| format!("cannot write a report: {}", files::describe(&cause)))?;
    let mut text = format!("cairn {}\n{message}\n\nArguments:\n", env!("CARGO_PKG_VERSION"));
    for argument in std::env::args_os() {
        text.push_str(&format!("    {}\n", argument.to_string_lossy()));
    }
    text.push_str("\nPreprocessed inputs:\n");
    for (index, (name, input)) in guard.inputs().iter().enumerate() {
        let file = file_name(index, name);
        text.push_str(&format!("    {file}: {name}\n"));
        files::write(&folder.join(file), input)?;
    }
    for (message, backtrace) in panics {
        text.push_str(&format!("\nPanic: {message}\n{backtrace}\n"));
    }
    files::write(&folder.join("report.txt"), &text)?;
    Ok(folder)
}

/// Returns a name for the copy of an input: letters and digits only, whatever the name of the input is.
fn file_name(index: usize, name: &str) -> String {
    let stem = Path::new(name).file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let extension = if name.ends_with(".ir") { "ir" } else { "i" };
    let plain: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).take(40).collect();
    format!("{}-{plain}.{extension}", index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_copies_are_plain() {
        assert_eq!(file_name(0, "dir/list.c"), "1-list.i");
        assert_eq!(file_name(1, "../../.ssh/\u{1b}[31m x"), "2-__31m_x.i");
        assert_eq!(file_name(2, "/"), "3-.i");
        assert_eq!(file_name(3, "a.ir"), "4-a.ir");
    }
}
