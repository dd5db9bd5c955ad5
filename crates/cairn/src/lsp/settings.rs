//! The settings of a client.

use serde::Deserialize;
use serde_json::Value;

/// The settings, from `initializationOptions` or `workspace/didChangeConfiguration`.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Settings {
    /// When a document is checked.
    #[serde(alias = "check")]
    pub(super) check_on: CheckOn,
    /// The milliseconds between the last change and a check.
    pub(super) delay: u64,
    /// The seconds that a check may take.
    pub(super) time_limit: u64,
    /// Further arguments of `cairn check`.
    pub(super) arguments: Vec<String>,
    pub(super) inlay_hints: bool,
    pub(super) code_lens: bool,
}

/// When a document is checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum CheckOn {
    #[serde(alias = "onType")]
    Change,
    #[serde(alias = "onSave")]
    Save,
    #[serde(alias = "manual")]
    Never,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            check_on: CheckOn::Change,
            delay: 300,
            time_limit: 10,
            arguments: Vec::new(),
            inlay_hints: true,
            code_lens: true,
        }
    }
}

impl Settings {
    /// Returns whether a check with little work can come first. Options that choose the work themselves forbid it.
    pub(super) fn has_quick_check(&self) -> bool {
        let own = ["--work-limit", "--engine", "--merge", "--stop", "--time-limit", "--library"];
        self.time_limit > 1 && !self.arguments.iter().any(|word| own.iter().any(|option| word.starts_with(option)))
    }

    /// Reads settings, which may be under the name `cairn`. The error is a message.
    pub(super) fn read(value: &Value) -> Result<Settings, String> {
        let own = value.get("cairn").unwrap_or(value);
        if own.is_null() {
            return Ok(Settings::default());
        }
        let settings: Settings =
            serde_json::from_value(own.clone()).map_err(|error| format!("settings of cairn: {error}"))?;
        // Only options: a path would name another program to check.
        match settings.arguments.iter().find(|word| word.as_str() == "--" || word.as_str() == "-") {
            Some(word) => Err(format!("settings of cairn: `{word}` is no option")),
            None => Ok(settings),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn missing_members_have_defaults_and_unknown_ones_are_ignored() {
        let read = |value: Value| Settings::read(&value);
        assert_eq!(read(Value::Null), Ok(Settings::default()));
        let expected = Settings { check_on: CheckOn::Save, ..Settings::default() };
        assert_eq!(read(json!({"checkOn": "save", "x": 1})), Ok(expected.clone()));
        assert_eq!(read(json!({"cairn": {"check": "onSave"}})), Ok(expected));
        assert!(read(json!({"delay": "soon"})).is_err() && read(json!({"arguments": ["--", "a"]})).is_err());
    }
}
