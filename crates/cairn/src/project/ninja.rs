//! Writes the work of a project as a build graph for ninja: an action for each target, and one that merges the results.
//!
//! Every action names the files that it reads and writes, so that a service for remote execution can run it elsewhere.

use std::fmt::Write;
use std::path::Path;

use super::driver::Job;
use crate::arguments::CheckArguments;
use crate::system::files;

/// The name of the merged results.
const MERGED: &str = "results.json";

/// Writes `build.ninja` and a file for each target to a folder.
pub(crate) fn emit(folder: &Path, jobs: &[Job], arguments: &CheckArguments) -> Result<(), String> {
    let targets = folder.join("targets");
    std::fs::create_dir_all(&targets)
        .map_err(|error| format!("cannot create '{}': {}", targets.display(), files::describe(&error)))?;
    let options: Vec<String> =
        arguments.project.forwarded.iter().map(|word| quoted(&word.to_string_lossy())).collect::<Result<_, _>>()?;
    let mut text = String::from(
        "# Written by `cairn check --emit-ninja`. Start ninja in the folder in which cairn was started.\n",
    );
    let _ = writeln!(text, "cairn = cairn\n\nrule check");
    let _ = writeln!(
        text,
        "  command = $cairn check --target $in --format=junit --output json=$out {} > /dev/null",
        escaped(&options.join(" "))
    );
    let _ = writeln!(text, "  description = check $in\n\nrule merge");
    let _ = writeln!(
        text,
        "  command = $cairn merge $in --fail-on=never --format=junit --output json=$out > /dev/null; test -s $out"
    );
    let _ = writeln!(text, "  description = merge $out\n");
    let mut results = Vec::new();
    for (number, job) in jobs.iter().enumerate() {
        let file = targets.join(format!("{number}.json"));
        files::write(&file, &job.target.to_text())?;
        let result = targets.join(format!("{number}.result.json"));
        let inputs: Vec<String> = job.files.iter().map(|file| path(file)).collect();
        let (result, file) = (path(&result.to_string_lossy()), path(&file.to_string_lossy()));
        let _ = writeln!(text, "# {}\nbuild {result}: check {file} | {}", job.target.name, inputs.join(" "));
        results.push(result);
    }
    let merged = path(&folder.join(MERGED).to_string_lossy());
    let _ = writeln!(text, "\nbuild {merged}: merge {}\n\ndefault {merged}", results.join(" "));
    files::write(&folder.join("build.ninja"), &text)
}

/// Escapes a path of a build statement.
fn path(text: &str) -> String {
    escaped(text).replace(' ', "$ ").replace(':', "$:")
}

/// Escapes text for ninja.
fn escaped(text: &str) -> String {
    text.replace('$', "$$").replace('\n', " ")
}

/// Quotes a word for the shell.
fn quoted(word: &str) -> Result<String, String> {
    shlex::try_quote(word).map(Into::into).map_err(|_| "options must not contain a zero byte".to_owned())
}
