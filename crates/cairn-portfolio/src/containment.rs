//! Containment of panics: a bug in one engine must not take the answers of the others with it.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::engine::{Budget, Engine, Finding, Observations, OpenChecks};

/// Runs `work`. The error is the message of a panic.
///
/// The caller must not use a value again that the panic may have left in an inconsistent state.
pub(crate) fn contained<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| message(payload.as_ref()))
}

/// Returns the message of a panic.
fn message(payload: &(dyn Any + Send)) -> String {
    match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => (*text).to_owned(),
        (_, Some(text)) => text.clone(),
        _ => "no message".to_owned(),
    }
}

/// Takes the place of an engine that panicked. It finds nothing.
pub(crate) struct Failed {
    pub(crate) name: &'static str,
    /// The observations of the engine before the turn in which it panicked.
    pub(crate) observations: Observations,
}

impl Engine for Failed {
    fn name(&self) -> &'static str {
        self.name
    }

    fn advance(&mut self, _: &OpenChecks, _: &mut Budget) -> Vec<Finding> {
        Vec::new()
    }

    fn observations(&self) -> Observations {
        self.observations.clone()
    }
}
