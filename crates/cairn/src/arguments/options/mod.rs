//! Groups of options that several commands share, or that belong to one engine: one file per group.

mod c;
mod integrity;
mod project;
mod search;

pub(crate) use c::{COptions, DataModel};
pub(crate) use integrity::IntegrityArguments;
pub(crate) use project::{FailOn, OutputArguments, ProjectArguments, forwarded};
pub(crate) use search::{
    CallsName, CertifyName, EngineName, MergeName, SearchArguments, SolverArguments, StopName, template_names,
};
