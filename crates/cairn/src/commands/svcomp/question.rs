//! The question of a task: a program, a property and a data model, from the command line or from a task definition.

use std::path::{Path, PathBuf};

use cairn_witness::read::Trouble;
use cairn_witness::task_definition::{self, TaskDefinition};

use crate::arguments::{DataModel, SvcompArguments};
use crate::system::files;

/// What a task asks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Question {
    pub(super) file: PathBuf,
    pub(super) property: PathBuf,
    pub(super) model: DataModel,
    /// The expected answer, if the task definition tells.
    pub(super) expected: Option<String>,
}

impl Question {
    /// Returns the question that the command line asks. The error is a message.
    pub(super) fn of(arguments: &SvcompArguments) -> Result<Self, String> {
        let file = &arguments.file;
        if file.extension().is_none_or(|extension| extension != "yml" && extension != "yaml") {
            let missing = |option: &str| {
                format!("`{option}` is missing for '{}': only a task definition (.yml) can do without", file.display())
            };
            return Ok(Question {
                file: file.clone(),
                property: arguments.property.clone().ok_or_else(|| missing("--property FILE.prp"))?,
                model: arguments.data_model.ok_or_else(|| missing("--data-model MODEL"))?,
                expected: None,
            });
        }
        let text = String::from_utf8_lossy(&files::read(file)?).into_owned();
        let definition = task_definition::read(&text).map_err(|trouble| match trouble {
            Trouble::Malformed { line, message } => format!("{}:{line}: {message}", file.display()),
            Trouble::Unsupported(what) => format!("{}: {what} is not supported", file.display()),
        })?;
        Question::defined(file, &definition, arguments)
    }

    fn defined(file: &Path, definition: &TaskDefinition, arguments: &SvcompArguments) -> Result<Self, String> {
        let folder = file.parent().unwrap_or(Path::new(""));
        let (property, expected) = match &arguments.property {
            Some(given) => {
                let is_same = |path: &str| Path::new(path).file_name() == given.file_name();
                let wanted = definition.properties.iter().find(|wanted| is_same(&wanted.property_file));
                (given.clone(), wanted.and_then(|wanted| wanted.expected()))
            }
            None => {
                let readable: Vec<_> = definition
                    .properties
                    .iter()
                    .filter(|wanted| super::read_specification(&folder.join(&wanted.property_file)).is_ok())
                    .collect();
                match readable[..] {
                    [wanted] => (folder.join(&wanted.property_file), wanted.expected()),
                    [] => return Err(format!("{}: no property that is supported", file.display())),
                    _ => {
                        let names: Vec<&str> = readable.iter().map(|wanted| wanted.property_file.as_str()).collect();
                        let names = names.join(", ");
                        return Err(format!("{}: choose a property with `--property`: {names}", file.display()));
                    }
                }
            }
        };
        let model = match (arguments.data_model, definition.data_model.as_deref()) {
            (Some(model), _) => model,
            (None, Some("LP64")) => DataModel::Lp64,
            (None, Some("ILP32") | None) => DataModel::Ilp32,
            (None, Some(other)) => {
                return Err(format!("{}: unknown data model `{other}`: expected ILP32 or LP64", file.display()));
            }
        };
        Ok(Question { file: folder.join(&definition.file), property, model, expected })
    }
}
