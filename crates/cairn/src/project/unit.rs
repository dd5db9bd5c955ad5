//! Translation units with their compiler options, and the targets that consist of them.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::flags;
use crate::arguments::{COptions, DataModel};
use crate::configuration::functions::Functions;
use crate::system::files;

/// The version of target files.
const VERSION: u32 = 3;

/// A translation unit.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(crate) struct Unit {
    /// The file, relative to the root of the project or absolute.
    pub(crate) file: String,
    /// The data model.
    pub(crate) data_model: UnitModel,
    /// The options for the preprocessor.
    pub(crate) flags: Vec<String>,
    /// The object that the build writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) output: Option<String>,
}

/// The data model of a unit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(crate) enum UnitModel {
    #[serde(rename = "ILP32")]
    Ilp32,
    #[serde(rename = "LP64")]
    Lp64,
}

impl From<DataModel> for UnitModel {
    fn from(model: DataModel) -> Self {
        match model {
            DataModel::Ilp32 => UnitModel::Ilp32,
            DataModel::Lp64 => UnitModel::Lp64,
        }
    }
}

impl From<UnitModel> for DataModel {
    fn from(model: UnitModel) -> Self {
        match model {
            UnitModel::Ilp32 => DataModel::Ilp32,
            UnitModel::Lp64 => DataModel::Lp64,
        }
    }
}

impl Unit {
    /// Returns whether two units preprocess the same file in the same way.
    pub(crate) fn is_same_code(&self, other: &Unit) -> bool {
        (&self.file, self.data_model, &self.flags) == (&other.file, other.data_model, &other.flags)
    }

    /// Returns the options for reading the unit, after those of the command line.
    pub(crate) fn c_options(&self, given: &COptions) -> COptions {
        let mut options = given.clone();
        options.data_model = self.data_model.into();
        options.flags = self.flags.iter().map(Into::into).collect();
        options
    }
}

/// Code that is checked together.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Target {
    /// The version of this form.
    pub(crate) version: u32,
    /// The name of the program, or the file of a library.
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// The units, those that are checked first.
    pub(crate) units: Vec<Unit>,
    /// The number of units, at the end, that are linked because the others call their functions. They are targets of their own.
    #[serde(default)]
    pub(crate) dependencies: usize,
    /// What functions do with memory, from the configuration.
    #[serde(default, skip_serializing_if = "Functions::is_empty")]
    pub(crate) functions: Functions,
}

/// How a target is checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    /// From `main`.
    Program,
    /// Function by function, for unknown callers.
    Library,
}

impl Kind {
    /// Returns the name in reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Program => "program",
            Kind::Library => "library",
        }
    }
}

impl Target {
    /// Returns a target of these units.
    pub(crate) fn new(name: String, kind: Kind, units: Vec<Unit>) -> Self {
        Target { version: VERSION, name, kind, units, dependencies: 0, functions: Functions::new() }
    }

    /// Returns a library of one file with the units that it calls.
    pub(crate) fn library(unit: Unit, dependencies: Vec<Unit>) -> Self {
        let count = dependencies.len();
        let units = std::iter::once(unit.clone()).chain(dependencies).collect();
        Target { dependencies: count, ..Target::new(unit.file, Kind::Library, units) }
    }

    /// Returns the units that are checked.
    pub(crate) fn checked(&self) -> &[Unit] {
        &self.units[..self.units.len().saturating_sub(self.dependencies)]
    }

    /// Reads a target file. The error is a message that names the file.
    pub(crate) fn read(path: &Path) -> Result<Target, String> {
        let bytes = files::read(path)?;
        let target: Target = serde_json::from_slice(&bytes)
            .map_err(|error| format!("'{}' is no target of cairn: {error}", path.display()))?;
        if target.version != VERSION {
            return Err(format!("'{}' has version {}, expected {VERSION}", path.display(), target.version));
        }
        if let Some(unit) = target.units.iter().find(|unit| !flags::are_harmless(&unit.flags)) {
            return Err(format!("'{}' has options that are not allowed, for '{}'", path.display(), unit.file));
        }
        for (name, function) in &target.functions {
            function.check(name).map_err(|message| format!("'{}': {message}", path.display()))?;
        }
        Ok(target)
    }

    /// Returns the text of a target file.
    pub(crate) fn to_text(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}
