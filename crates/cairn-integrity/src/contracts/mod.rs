//! Contracts: facts about arguments that all callers establish, and results that are never null.
//!
//! A function with internal linkage whose address is not taken is only called from the text at hand. Facts about its
//! arguments that hold at every call (a pointer is not null, an integer is within bounds) may be assumed at its entry;
//! that a result is not null may be assumed after a call. `inference` finds both together.

mod inference;

use cairn_ir::program::Param;
use cairn_ir::{FuncId, Program};
use cairn_rules::Term;

use super::solver::{Flow, Landmarks, PathSolver};

pub(super) use inference::infer;

/// The fact about one parameter that all callers establish.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Given {
    /// Nothing.
    Any,
    /// The pointer is not null.
    NonNull,
    /// The integer has these bounds.
    Range(Option<i64>, Option<i64>),
}

/// When a function returns a pointer that is not null.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) enum Returned {
    /// It is not known.
    #[default]
    Anything,
    /// When none of its arguments that are nodes is null.
    NonNullForNodes,
    /// Always.
    NonNull,
}

/// The purpose of an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Purpose {
    /// The answers of the function.
    Answers,
    /// Whether its result is not null under the assumption that no node which it is given is null.
    ResultForNodes,
}

/// The contract of one function.
#[derive(Clone, Debug, Default)]
struct Contract {
    /// Whether all of its calls are analysed.
    closed: bool,
    /// The facts that the calls so far establish; `None` before the first one.
    given: Option<Vec<Given>>,
    returned: Returned,
}

/// The contracts of all functions; empty while none are inferred.
#[derive(Clone, Debug, Default)]
pub(super) struct Contracts(Vec<Contract>);

impl Contracts {
    /// Returns whether contracts are inferred.
    pub fn are_inferred(&self) -> bool {
        !self.0.is_empty()
    }

    /// Returns the facts that a function may assume of its arguments.
    pub fn given(&self, id: FuncId) -> &[Given] {
        self.0.get(id.index()).and_then(|contract| contract.given.as_deref()).unwrap_or(&[])
    }

    /// Returns the contract of a function if all of its calls are analysed.
    ///
    /// The inner value is missing before the first call.
    pub fn closed(&self, id: FuncId) -> Option<Option<&[Given]>> {
        let contract = self.0.get(id.index()).filter(|contract| contract.closed)?;
        Some(contract.given.as_deref())
    }

    /// Returns when a function returns a pointer that is not null.
    pub fn returned(&self, id: FuncId) -> Returned {
        self.0.get(id.index()).map_or(Returned::Anything, |contract| contract.returned)
    }
}

impl Given {
    /// Weakens a fact about a pointer to what holds for an argument. There is no fact before the first call.
    pub fn weaken_pointer(solver: &mut PathSolver<'_, '_>, before: Option<Given>, value: Term) -> Self {
        let null = solver.is_null(value);
        let holds = before.is_none_or(|before| before == Given::NonNull) && solver.is_refuted(&[null]);
        if holds { Given::NonNull } else { Given::Any }
    }

    /// Weakens a fact about an integer to what holds for an argument. There is no fact before the first call.
    pub fn weaken_integer(
        solver: &mut PathSolver<'_, '_>,
        landmarks: &Landmarks,
        before: Option<Given>,
        value: Term,
    ) -> Self {
        let bounds = match (before, solver.constant(value)) {
            (None, Some(constant)) => (Some(constant), Some(constant)),
            (None, None) => solver.bounds_within(landmarks, landmarks.tightest(), value),
            (Some(Given::Range(low, high)), _) => solver.bounds_within(landmarks, (low, high), value),
            (Some(_), _) => (None, None),
        };
        match bounds {
            (None, None) => Given::Any,
            (low, high) => Given::Range(low, high),
        }
    }

    /// Assumes the fact about a parameter.
    pub fn assume(self, solver: &mut PathSolver<'_, '_>, term: Term) -> Flow {
        match self {
            Given::Any => Ok(()),
            Given::NonNull => {
                let nonnull = !solver.is_null(term);
                solver.assume(nonnull)
            }
            Given::Range(low, high) => {
                if let Some(value) = low.filter(|_| low == high) {
                    let equal = solver.equal(term, Term::constant(value));
                    solver.assume(equal)?;
                }
                for bound in [
                    low.map(|low| solver.at_most(Term::constant(low), term)),
                    high.map(|high| solver.at_most(term, Term::constant(high))),
                ] {
                    bound.map_or(Ok(()), |bound| solver.assume(bound))?;
                }
                Ok(())
            }
        }
    }
}

/// Returns the facts about the parameters of a function as C expressions.
fn as_conditions(program: &Program, id: FuncId, given: &[Given]) -> Vec<String> {
    let Some(body) = &program.functions[id.index()].body else { return Vec::new() };
    let mut out = Vec::new();
    for (param, given) in body.params.iter().zip(given) {
        let Param::Reg(reg) = param else { continue };
        let name = body.regs[reg.index()].name.as_deref().unwrap_or("argument");
        match *given {
            Given::NonNull => out.push(format!("{name} != 0")),
            Given::Range(Some(low), Some(high)) if low == high => out.push(format!("{name} == {low}")),
            Given::Range(low, high) => {
                out.extend(low.map(|low| format!("{name} >= {low}")));
                out.extend(high.map(|high| format!("{name} <= {high}")));
            }
            Given::Any => {}
        }
    }
    out
}
