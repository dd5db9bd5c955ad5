//! Reads task definitions of SV-COMP (YAML, formats 1.0 to 2.1): a program, and the properties that it is verified for.
//!
//! ```yaml
//! format_version: '2.0'
//! input_files: 'list.c'
//! properties:
//!   - property_file: ../properties/valid-memsafety.prp
//!     expected_verdict: false
//!     subproperty: valid-deref
//! options:
//!   language: C
//!   data_model: ILP32
//! ```

use serde::Deserialize;

use crate::read::{Trouble, malformed, parse};

/// A task definition. Paths are relative to its folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TaskDefinition {
    /// The program.
    pub file: String,
    /// The properties.
    pub properties: Vec<WantedProperty>,
    /// `ILP32` or `LP64`, if the definition says so.
    pub data_model: Option<String>,
}

/// A property of a task.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct WantedProperty {
    /// The property file.
    pub property_file: String,
    /// Whether the program satisfies the property, if it is known.
    pub expected_verdict: Option<bool>,
    /// The part of the property that is violated.
    pub subproperty: Option<String>,
}

#[derive(Deserialize)]
struct Definition {
    format_version: String,
    input_files: InputFiles,
    #[serde(default)]
    properties: Vec<WantedProperty>,
    #[serde(default)]
    options: Options,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum InputFiles {
    One(String),
    Several(Vec<String>),
}

#[derive(Deserialize, Default)]
struct Options {
    language: Option<String>,
    data_model: Option<String>,
}

/// Reads a task definition.
///
/// # Errors
/// If the text is not in the format, or the task is not one C program.
pub fn read(text: &str) -> Result<TaskDefinition, Trouble> {
    let Definition { format_version, input_files, properties, options } = parse(text)?;
    if !matches!(format_version.as_str(), "1.0" | "2.0" | "2.1") {
        return Err(Trouble::Unsupported(format!("format version {format_version}")));
    }
    if let Some(language) = options.language.filter(|language| language != "C") {
        return Err(Trouble::Unsupported(format!("the language {language}")));
    }
    let file = match input_files {
        InputFiles::One(file) => file,
        InputFiles::Several(mut files) if files.len() <= 1 => {
            files.pop().ok_or_else(|| malformed("`input_files` names no file"))?
        }
        InputFiles::Several(_) => return Err(Trouble::Unsupported("a task of several files".to_owned())),
    };
    Ok(TaskDefinition { file, properties, data_model: options.data_model })
}

impl WantedProperty {
    /// Returns the expected answer in the form of `cairn svcomp`, if it is known.
    pub fn expected(&self) -> Option<String> {
        Some(match (self.expected_verdict?, &self.subproperty) {
            (true, _) => "TRUE".to_owned(),
            (false, Some(part)) => format!("FALSE({part})"),
            (false, None) => "FALSE".to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TASK: &str = "format_version: '2.0'\ninput_files: 'list.c'\nproperties:\n  - property_file: ../p/memsafety.prp\n    expected_verdict: false\n    subproperty: valid-deref\n  - property_file: ../p/termination.prp\noptions:\n  language: C\n  data_model: LP64\n";

    #[test]
    fn definitions_are_read() {
        let task = read(TASK).expect("this is valid");
        assert_eq!((task.file.as_str(), task.data_model.as_deref()), ("list.c", Some("LP64")));
        let expected: Vec<_> = task.properties.iter().map(|p| (p.property_file.as_str(), p.expected())).collect();
        assert_eq!(
            expected,
            [("../p/memsafety.prp", Some("FALSE(valid-deref)".to_owned())), ("../p/termination.prp", None)]
        );
        let plain = read("format_version: '1.0'\ninput_files: ['a.c']\n").expect("this is valid");
        assert_eq!((plain.properties.len(), plain.data_model), (0, None));
    }

    #[test]
    fn mistakes_are_named() {
        let message = |text: &str| match read(text) {
            Ok(task) => panic!("{task:?}"),
            Err(Trouble::Malformed { line, message }) => format!("{line}: {message}"),
            Err(Trouble::Unsupported(what)) => what,
        };
        assert_eq!(message("format_version: '3.0'\ninput_files: a.c\n"), "format version 3.0");
        assert_eq!(message(&TASK.replace("language: C", "language: Java")), "the language Java");
        assert_eq!(message(&TASK.replace("'list.c'", "[a.c, b.c]")), "a task of several files");
        assert!(message(&TASK.replace("'list.c'", "[]")).contains("`input_files` names no file"));
        assert!(message("input_files: a.c\n").contains("format_version"), "{}", message("input_files: a.c\n"));
        assert!(message("- 1\n- 2\n").starts_with("1: "));
    }
}
