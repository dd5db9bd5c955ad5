//! The engines of cairn and when they work.

use cairn_portfolio::concrete_attempts;
use cairn_portfolio::engine::Goal;
use cairn_portfolio::limits::FIRST_ROUND;
use cairn_portfolio::one_execution;
use cairn_portfolio::schedule::Entry;
use cairn_portfolio::settings::Engines::{All, Explore, Prove, Template, Value};
use cairn_portfolio::settings::Setup;
use cairn_portfolio::verdict::Property;

/// The schedule, in the order of a round.
///
/// One execution decides a program that asks for no input. The value analysis is fast and proves most checks of large programs, so that it
/// comes next. Most violations are close to
/// the entry, so exploring has the first round for itself. Later proofs come first. Executions on guessed inputs find violations behind
/// many iterations; by the third round a shorter trace would have been found.
pub const SCHEDULE: &[Entry] = &[EXECUTE, VALUE, PROVE, EXPLORE, TEMPLATE, ATTEMPT];

/// The schedule for one answer about the memory of a whole program. Proofs by values have no certificates yet, so they take part only if the user
/// chooses them. Executions have none either, so engines that give certificates come first.
const ONE_ANSWER: &[Entry] = &[VALUE_ALONE, PROVE, EXPLORE, TEMPLATE, EXECUTE_LATE, ATTEMPT];

/// The schedule for every check, if the user wants a certificate: engines that give none come last.
const WITH_CERTIFICATE: &[Entry] = &[VALUE, PROVE, EXPLORE, TEMPLATE, EXECUTE_LATE, ATTEMPT];

const EXECUTE: Entry = Entry { create: one_execution::engine, with: &[All], from: FIRST_ROUND };
const EXECUTE_LATE: Entry = Entry { from: 4 * FIRST_ROUND, ..EXECUTE };
const VALUE: Entry = Entry { create: cairn_value::engine::engine, with: &[All, Value], from: FIRST_ROUND };
const VALUE_ALONE: Entry = Entry { with: &[Value], ..VALUE };
const PROVE: Entry =
    Entry { create: cairn_prove::engine::engine, with: &[All, Prove, Template], from: 2 * FIRST_ROUND };
const EXPLORE: Entry = Entry { create: cairn_explore::engine::engine, with: &[All, Explore], from: FIRST_ROUND };
const TEMPLATE: Entry = Entry { create: cairn_template::engine::engine, with: &[All, Template], from: FIRST_ROUND };
const ATTEMPT: Entry = Entry { create: concrete_attempts::engine, with: &[All], from: 4 * FIRST_ROUND };

/// Returns the schedule for a question, in a test build with `CAIRN_PLANT_PANIC` in the environment together with an engine that panics.
///
/// With a certificate, engines that give none come last.
pub(crate) fn chosen(setup: &Setup<'_>, wants_certificate: bool) -> &'static [Entry] {
    #[cfg(debug_assertions)]
    if std::env::var_os("CAIRN_PLANT_PANIC").is_some() {
        return &[planted::ENTRY, EXECUTE, VALUE, PROVE, EXPLORE, TEMPLATE, ATTEMPT];
    }
    match setup.goal {
        // Bounds of numbers are what the value analysis is best at.
        Goal::FirstAnswer if setup.task.properties.contains(&Property::NoOverflow) => SCHEDULE,
        Goal::FirstAnswer => ONE_ANSWER,
        Goal::EveryCheck if wants_certificate => WITH_CERTIFICATE,
        Goal::EveryCheck => SCHEDULE,
    }
}

/// An engine that panics, for tests of bug reports.
#[cfg(debug_assertions)]
mod planted {
    use cairn_portfolio::engine::{Budget, Engine, Finding, OpenChecks};
    use cairn_portfolio::schedule::Entry;
    use cairn_portfolio::settings::Engines;

    pub(super) const ENTRY: Entry = Entry { create: |_| Ok(Box::new(Planted)), with: &Engines::ALL, from: 0 };

    struct Planted;

    impl Engine for Planted {
        fn name(&self) -> &'static str {
            "planted"
        }

        fn advance(&mut self, _: &OpenChecks, _: &mut Budget) -> Vec<Finding> {
            panic!("planted panic")
        }
    }
}
