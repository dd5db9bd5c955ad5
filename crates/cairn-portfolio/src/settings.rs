//! The choices of a user that concern the engines.

use std::cell::Cell;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cairn_ir::Program;
use cairn_smt::Session;

use crate::calls::Calls;
use crate::certificate::Certificate;
use crate::engine::Goal;
use crate::survey::Survey;
use crate::task::Task;

/// The settings of a search.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The engines that take part.
    pub engines: Engines,
    /// The procedure that resolves a pointer to an object.
    pub allocation_check: AllocationCheck,
    /// The order in which exploring follows paths.
    pub order: Order,
    /// The templates to use; empty to let the engine choose.
    pub templates: Vec<String>,
    /// The treatment of calls.
    pub calls: Calls,
    /// Whether the invariants of loops are wanted with a proof.
    pub invariants: bool,
    /// The checker of certificates; `None` to report proofs without checking them.
    pub certifier: Option<Certifier>,
    /// The length of the last round, in states: a limit of work that does not depend on the clock.
    pub last_round: Option<u64>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            engines: Engines::default(),
            allocation_check: AllocationCheck::default(),
            order: Order::LoopBounded,
            templates: Vec::new(),
            calls: Calls::default(),
            invariants: false,
            certifier: None,
            last_round: None,
        }
    }
}

/// A checker of certificates: takes the program, the certificate and the cost of the proof, and gives the reason of a rejection.
///
/// Engines and their interface do not depend on the checker, so the caller passes it.
#[derive(Clone)]
pub struct Certifier(pub Rc<CheckCertificate>);

/// The function of a [`Certifier`].
pub type CheckCertificate = dyn Fn(&Program, &Certificate, u64) -> Result<(), String>;

impl fmt::Debug for Certifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Certifier")
    }
}

/// The engines that take part in a search.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Engines {
    /// All engines that the schedule names.
    #[default]
    All,
    /// Exploring only: no abstraction.
    Explore,
    /// Proving only: no violations are found.
    Prove,
    /// Templates, with proofs of what is left allocated.
    Template,
    /// Value analysis only: proves single checks.
    Value,
}

impl Engines {
    /// All choices, the default first.
    pub const ALL: [Self; 5] = [Self::All, Self::Explore, Self::Prove, Self::Template, Self::Value];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Explore => "explore",
            Self::Prove => "prove",
            Self::Template => "template",
            Self::Value => "value",
        }
    }
}

/// The procedure that resolves a pointer to an object (papers: slcpa, section 5.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum AllocationCheck {
    /// Reads the object off the normal form of the pointer.
    #[default]
    Fast,
    /// Asks one query for each cell until one is the pointer's (Algorithm 4, with equalities instead of separation logic).
    Smt,
    /// Asks one query with a truth value for each cell, and a model of it (Algorithm 5).
    SmtModel,
    /// Asks for satisfiability of the heap and one cell more, in separation logic (Algorithms 3 and 4).
    Sl,
}

impl AllocationCheck {
    /// All procedures, the default first.
    pub const ALL: [Self; 4] = [Self::Fast, Self::Smt, Self::SmtModel, Self::Sl];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Smt => "smt",
            Self::SmtModel => "smt-model",
            Self::Sl => "sl",
        }
    }
}

/// The order in which states are taken from the waiting list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// The newest first.
    DepthFirst,
    /// The oldest first.
    BreadthFirst,
    /// The newest first among those within a bound on loop iterations, which grows when they are used up. In turns with it one path
    /// dives beyond the bound and stays in loops as long as it can: violations after many iterations are found that way.
    LoopBounded,
    /// The one with the least rank first, so that loops are finished before the code after them; of those the newest.
    Ranked,
}

/// Everything that an engine is created from.
pub struct Setup<'p> {
    /// The program.
    pub program: &'p Program,
    /// The question.
    pub task: Task,
    /// Whether one answer is wanted or an answer for each check.
    pub goal: Goal,
    /// The settings.
    pub settings: Settings,
    /// Set from outside to stop.
    pub cancel: Arc<AtomicBool>,
    /// Receives the answers so far whenever they change, for the case that the search has to be cut short.
    pub progress: Option<Box<dyn Fn(Survey) + 'p>>,
    session: Cell<Option<Session>>,
}

impl<'p> Setup<'p> {
    /// Creates a set-up. The first engine uses `session`; the others get sessions of their own with the embedded solver.
    pub fn new(
        program: &'p Program,
        task: Task,
        goal: Goal,
        settings: Settings,
        cancel: Arc<AtomicBool>,
        session: Session,
    ) -> Self {
        Self { program, task, goal, settings, cancel, progress: None, session: Cell::new(Some(session)) }
    }

    /// Returns a solver session for an engine.
    pub fn session(&self) -> Session {
        self.session.take().unwrap_or_else(|| Session::new(self.cancel.clone()))
    }
}
