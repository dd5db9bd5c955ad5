//! The form of `cairn.toml`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use cairn_ir::CheckKind;
use cairn_report::report::Level;
use globset::{Glob, GlobSet, GlobSetBuilder};
use serde::Deserialize;

use super::functions::Functions;
use crate::arguments::FailOn;

/// The settings of a project. docs/configuration.md describes the keys.
#[derive(Clone, Default, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct Settings {
    pub(crate) paths: Vec<PathBuf>,
    pub(crate) exclude: Vec<String>,
    pub(crate) database: Option<PathBuf>,
    pub(crate) models: Vec<PathBuf>,
    pub(crate) baseline: Option<PathBuf>,
    pub(crate) fail_on: Option<FailOnName>,
    pub(crate) jobs: Option<u32>,
    pub(crate) time_limit: Option<u64>,
    pub(crate) malloc_fails: bool,
    pub(crate) allow_unfreed: bool,
    pub(crate) overflow: bool,
    pub(crate) checks: BTreeMap<String, LevelName>,
    pub(crate) overrides: Vec<Override>,
    pub(crate) functions: Functions,
}

/// Levels of checks in some files.
#[derive(Clone, Default, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Override {
    pub(crate) paths: Vec<String>,
    pub(crate) checks: BTreeMap<String, LevelName>,
}

/// The level of a check.
#[derive(Clone, Copy, Default, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LevelName {
    #[default]
    Error,
    Warning,
    Off,
}

impl From<LevelName> for Level {
    fn from(name: LevelName) -> Self {
        match name {
            LevelName::Error => Level::Error,
            LevelName::Warning => Level::Warning,
            LevelName::Off => Level::Off,
        }
    }
}

/// Which violations give the exit code 1.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FailOnName {
    New,
    Any,
    Never,
}

impl From<FailOnName> for FailOn {
    fn from(name: FailOnName) -> Self {
        match name {
            FailOnName::New => FailOn::New,
            FailOnName::Any => FailOn::Any,
            FailOnName::Never => FailOn::Never,
        }
    }
}

impl Settings {
    /// Reads the text. The error is a line and a message.
    pub(super) fn parse(text: &str) -> Result<Settings, (usize, String)> {
        let line = |offset: usize| text[..offset.min(text.len())].matches('\n').count() + 1;
        let settings: Settings = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(1, |span| line(span.start));
            (at, explained(error.message()))
        })?;
        let checks = settings.checks.keys().chain(settings.overrides.iter().flat_map(|one| one.checks.keys()));
        for name in checks {
            if !CheckKind::ALL.iter().any(|kind| kind.name() == name) {
                let at = text.find(name.as_str()).map_or(1, line);
                let names: Vec<&str> = CheckKind::ALL.iter().map(|kind| kind.name()).collect();
                return Err((at, format!("there is no check `{name}`{}", suggestion(name, &names))));
            }
        }
        for (name, function) in &settings.functions {
            function.check(name).map_err(|message| (line_of_key(text, name), message))?;
        }
        Ok(settings)
    }
}

/// Adds a suggestion to the message about an unknown key or value.
fn explained(message: &str) -> String {
    let message = message.lines().next().unwrap_or(message);
    // The message ends with the known names: "unknown field `a`, expected one of `b`, `c`".
    let mut quoted = message.split('`').skip(1).step_by(2);
    let name = quoted.next().unwrap_or("");
    let known: Vec<&str> = quoted.collect();
    if message.starts_with("unknown field `") {
        format!("unknown key `{name}`{}", suggestion(name, &known))
    } else if message.starts_with("unknown variant `") {
        format!("{message}{}", suggestion(name, &known))
    } else {
        message.to_owned()
    }
}

/// Returns the line of the first text that begins with a key, after spaces or quotes.
fn line_of_key(text: &str, key: &str) -> usize {
    let is_it = |line: &str| {
        let rest = line.trim_start().trim_start_matches(['"', '\'']).strip_prefix(key);
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
    };
    text.lines().position(is_it).map_or(1, |index| index + 1)
}

/// Returns "; did you mean …?" for the nearest name, if one is near.
fn suggestion(name: &str, names: &[&str]) -> String {
    let nearest = names.iter().map(|other| (strsim::damerau_levenshtein(name, other), other)).min();
    match nearest {
        Some((distance, other)) if distance <= 1 + name.len() / 4 => format!("; did you mean `{other}`?"),
        _ => String::new(),
    }
}

/// Compiles patterns of paths.
pub(super) fn patterns(texts: &[String]) -> Result<GlobSet, String> {
    let mut set = GlobSetBuilder::new();
    for text in texts {
        set.add(Glob::new(text).map_err(|error| format!("not a pattern: '{text}': {}", error.kind()))?);
    }
    set.build().map_err(|error| error.to_string())
}
