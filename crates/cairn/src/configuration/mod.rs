//! `cairn.toml`: the settings of a project.
//!
//! [`file`] reads it, and [`functions`] holds its descriptions of functions. [`Configuration::apply`] fills in the options that the command
//! line does not give, so that the command line wins.

mod file;
pub(crate) mod functions;
#[cfg(test)]
mod schema;

use std::path::{Path, PathBuf};

use cairn_report::report::{Finding, Level};
use globset::GlobSet;

pub(crate) use file::Settings;

use crate::arguments::{CheckArguments, FailOn};
use crate::system::files;

/// The name of the file.
pub(crate) const NAME: &str = "cairn.toml";

/// The settings of a project, with the folder that its paths are relative to.
#[derive(Debug)]
pub(crate) struct Configuration {
    settings: Settings,
    folder: PathBuf,
    exclude: GlobSet,
    /// The paths of each override, in the order of the file.
    overrides: Vec<GlobSet>,
}

impl Configuration {
    /// Reads `--config`, or `cairn.toml` in the current folder or above it. The error is a message that names the file.
    pub(crate) fn find(named: Option<&Path>) -> Result<Option<Configuration>, String> {
        let file = match named {
            Some(file) => file.to_path_buf(),
            None => {
                let current = std::env::current_dir().unwrap_or_default();
                match current.ancestors().map(|dir| dir.join(NAME)).find(|file| file.is_file()) {
                    Some(file) => file,
                    None => return Ok(None),
                }
            }
        };
        let text = String::from_utf8(files::read(&file)?).map_err(|_| format!("'{}' is not UTF-8", file.display()))?;
        Self::parse(&text, &file).map(Some)
    }

    pub(crate) fn parse(text: &str, file: &Path) -> Result<Configuration, String> {
        let at = |message: String| format!("{}: {message}", file.display());
        let settings =
            Settings::parse(text).map_err(|(line, message)| format!("{}:{line}: {message}", file.display()))?;
        let exclude = file::patterns(&settings.exclude).map_err(at)?;
        let overrides =
            settings.overrides.iter().map(|one| file::patterns(&one.paths)).collect::<Result<_, _>>().map_err(at)?;
        let folder = match file.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
            _ => PathBuf::from("."),
        };
        Ok(Configuration { settings, folder, exclude, overrides })
    }

    /// Fills in the options that the command line does not give.
    pub(crate) fn apply(&self, arguments: &mut CheckArguments) {
        let Settings { paths, database, models, baseline, .. } = &self.settings;
        let own = |path: &PathBuf| self.folder.join(path);
        let project = &mut arguments.project;
        if arguments.files.is_empty() && project.database.is_none() {
            arguments.files = paths.iter().map(own).collect();
            project.database = database.as_ref().map(own);
        }
        project.models = models.iter().map(own).collect();
        arguments.c.functions.clone_from(&self.settings.functions);
        project.jobs = project.jobs.or(self.settings.jobs);
        let output = &mut arguments.output;
        output.baseline = output.baseline.take().or_else(|| baseline.as_ref().map(own));
        if let (Some(fail_on), FailOn::New) = (self.settings.fail_on, output.fail_on) {
            output.fail_on = fail_on.into();
        }
        // Options of each target are passed on as words.
        let is_given = |name: &str, words: &[std::ffi::OsString]| words.iter().any(|word| word == name);
        let words = &mut project.forwarded;
        if self.settings.malloc_fails && !arguments.malloc_fails {
            arguments.malloc_fails = true;
            words.push("--malloc-fails".into());
        }
        if self.settings.overflow && !arguments.c.overflow {
            arguments.c.overflow = true;
            words.push("--overflow".into());
        }
        if self.settings.allow_unfreed && !arguments.allow_unfreed {
            arguments.allow_unfreed = true;
            words.push("--allow-unfreed".into());
        }
        if let Some(seconds) = self.settings.time_limit.filter(|_| !is_given("--time-limit", words)) {
            arguments.time_limit = seconds;
            words.extend(["--time-limit".into(), seconds.to_string().into()]);
        }
    }

    /// Returns whether a file is left out. Its name is relative to the current folder or absolute.
    pub(crate) fn excludes(&self, file: &str) -> bool {
        self.exclude.is_match(self.relative(file))
    }

    /// Returns the level of a finding: that of the last override for its file, or else that of the whole project.
    pub(crate) fn level(&self, finding: &Finding) -> Level {
        let file = finding.place.as_ref().and_then(|place| place.file.as_deref()).unwrap_or("");
        let name = self.relative(file);
        let fitting = self.settings.overrides.iter().zip(&self.overrides).rev();
        let special =
            fitting.filter(|(_, paths)| paths.is_match(&name)).find_map(|(one, _)| one.checks.get(&finding.check));
        special.or_else(|| self.settings.checks.get(&finding.check)).copied().unwrap_or_default().into()
    }

    /// Returns a name relative to the folder of the configuration, if it is below it.
    fn relative(&self, file: &str) -> PathBuf {
        let absolute = |path: &Path| std::path::absolute(path).map(|path| crate::project::flags::normalised(&path));
        match (absolute(Path::new(file)), absolute(&self.folder)) {
            (Ok(file), Ok(folder)) => file.strip_prefix(folder).map_or(file.clone(), Path::to_path_buf),
            _ => PathBuf::from(file),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        Configuration::parse(text, Path::new("cairn.toml")).err().unwrap_or_default()
    }

    #[test]
    fn mistakes_are_shown_with_their_line_and_a_suggestion() {
        assert_eq!(
            error("paths = ['src']\nexlude = ['a']\n"),
            "cairn.toml:2: unknown key `exlude`; did you mean `exclude`?"
        );
        assert_eq!(error("[checks]\nleek = 'off'\n"), "cairn.toml:2: there is no check `leek`; did you mean `leak`?");
        assert!(error("jobs = 'two'\n").starts_with("cairn.toml:1: invalid type: string \"two\", expected u32"));
        assert!(error("[checks]\nleak = 'of'\n").starts_with("cairn.toml:2: unknown variant `of`"));
        assert!(error("paths = [\n").starts_with("cairn.toml:"));
        assert!(error("exclude = ['a[']\n").contains("not a pattern: 'a['"));
    }

    #[test]
    fn later_overrides_win() {
        let text = "[checks]\nleak = 'warning'\n[[overrides]]\npaths = ['tests/**']\nchecks = { leak = 'off' }\n
                    [[overrides]]\npaths = ['tests/main.c']\nchecks = { leak = 'error' }\n";
        let it = Configuration::parse(text, Path::new("cairn.toml")).expect("this is valid");
        let level = |file: &str, check: &str| {
            let json = format!(
                "{{\"check\":\"{check}\",\"message\":\"\",\"place\":{{\"function\":\"f\",\"file\":\"{file}\",\"line\":1}},\"stack\":[],\"history\":[],\"trace\":[]}}"
            );
            it.level(&serde_json::from_str(&json).expect("this is a finding"))
        };
        assert_eq!(level("src/a.c", "leak"), Level::Warning);
        assert_eq!(level("src/a.c", "double-free"), Level::Error);
        assert_eq!(level("tests/a.c", "leak"), Level::Off);
        assert_eq!(level("tests/main.c", "leak"), Level::Error);
    }
}
