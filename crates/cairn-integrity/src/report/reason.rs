//! Reasons for answers that are unknown, and the conditions that can fail.

use std::fmt;

use cairn_ir::Loc;

use super::super::limits::PATHS;

/// An answer that is unknown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unknown {
    /// The reason.
    pub reason: Reason,
    /// The location, for reasons that concern a single instruction.
    pub loc: Option<Loc>,
}

impl Unknown {
    /// Returns a reason that concerns a location.
    pub fn at(loc: Loc, reason: Reason) -> Self {
        Self { reason, loc: Some(loc) }
    }
}

impl From<Reason> for Unknown {
    fn from(reason: Reason) -> Self {
        Self { reason, loc: None }
    }
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.loc {
            Some(loc) => write!(f, "line {}: {}", loc.line, self.reason),
            None => self.reason.fmt(f),
        }
    }
}

/// Why an answer is unknown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The function has no body.
    NoBody,
    /// No path reaches the end of the function. Everything follows from a contradiction, so nothing is claimed.
    InfeasibleExit,
    /// The paths end at a location where memory safety is not proved.
    AfterUnprovedMemory(Loc),
    /// The paths end at a location where integrity is not proved.
    AfterUnprovedIntegrity(Loc),
    /// The execution of the function ran out of time or instructions.
    OutOfBudget,
    /// The solver ran out of steps on a condition.
    ConditionOutOfBudget(Condition),
    /// There are too many paths between two cut-points.
    TooManyPaths,
    /// The function has a computed goto.
    ComputedGoto,
    /// A function that is executed in place has a loop without a constant bound.
    UnboundedLoopInCallee,
    /// The function has a variable-length array.
    VariableLengthArray,
    /// The function has a construct that the IR does not model.
    Unsupported(String),
    /// Calls that are executed in place are nested too deeply.
    CallDepth,
    /// A call writes a struct result directly to memory that is no variable.
    StructResultInMemory,
    /// A library function gets a pointer to memory whose extent its model does not know.
    LibraryAccess,
    /// The type of a struct argument is unknown.
    UnknownStructArgument,
    /// A struct that is passed by value has a link with a tag.
    TaggedStructArgument,
    /// A call has too few arguments.
    TooFewArguments,
    /// A struct is passed by value to a function that is executed in place.
    StructArgumentInPlace,
    /// An operation accesses memory of unknown extent.
    UnknownExtent,
    /// Memory is used after it was freed on the same path.
    UseAfterFree,
    /// An access goes through a pointer to memory of unknown length.
    UnknownLength,
    /// An access goes through a pointer that is not declared as a link.
    ForeignPointer,
    /// An access goes to the container of a linked struct.
    UnknownContainer,
    /// The index of an access counts the iterations of a loop that only the graph bounds.
    UnboundedIndex {
        /// The number of elements of the array.
        length: u64,
        /// The largest index that is inside of the array.
        high: i64,
    },
    /// The index of an access is a parameter of a function whose callers are all known.
    IndexFromCallers,
    /// A pointer that is handed on may be valid for reasons that no type declares.
    UnknownPointer(Subject, PointerDoubt),
    /// The address of a local variable may be returned.
    ReturnedLocal(String),
    /// The address of a local variable may be left in the graph.
    LinkedLocal {
        /// The name of the variable.
        variable: String,
        /// The class of cells.
        class: String,
    },
    /// A link leads to memory that was freed on the same path.
    FreedMemoryLinked,
    /// A fault depends on the number of nodes behind a link or on a number in a node.
    OpenFacts,
    /// An execution has a fault that depends on integers which the callers, all of them known, pass.
    FaultFromCallers(String),
}

/// The role of a pointer that is handed on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject {
    /// An argument of a call.
    Argument,
    /// A link in a struct that is passed by value.
    StructArgument,
    /// The result of the function.
    Result,
    /// A pointer that is stored through a pointer to a scalar.
    StoredPointer,
}

/// Why a pointer may be valid although no type says so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PointerDoubt {
    /// It points to an allocation of unknown size.
    UnknownSize,
    /// It was converted from a pointer that is not declared as a link.
    ForeignCast,
    /// It points to the container of a linked struct.
    Container,
    /// It points into an array of unknown length.
    UnknownLength,
}

/// A condition that an execution has to meet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Condition {
    /// An access stays inside of its allocation.
    InsideAllocation,
    /// An access stays inside of a node.
    InsideNode,
    /// An element that is accessed is a cell of an array in a node.
    ArrayElement,
    /// An index stays inside of its array.
    IndexInside,
    /// All links of a class are valid at a cut-point.
    ValidLinks {
        /// The class of cells.
        class: String,
        /// The kind of cut-point.
        at: CutPoint,
    },
    /// A pointer that is handed on is null or a node of its type.
    ValidPointer {
        /// The role of the pointer.
        subject: Subject,
        /// The type of the node.
        node: String,
    },
}

/// A program point where the graph has to be valid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CutPoint {
    /// A call.
    Call,
    /// The head of a loop.
    LoopHead,
    /// The end of the function.
    Exit,
    /// The end of the function, for the nodes that it returns.
    Returned,
}

impl Reason {
    /// Returns the stable name.
    pub const fn name(&self) -> &'static str {
        match self {
            Reason::NoBody => "no-body",
            Reason::InfeasibleExit => "infeasible-exit",
            Reason::AfterUnprovedMemory(_) => "after-unproved-memory",
            Reason::AfterUnprovedIntegrity(_) => "after-unproved-integrity",
            Reason::OutOfBudget => "out-of-budget",
            Reason::ConditionOutOfBudget(_) => "condition-out-of-budget",
            Reason::TooManyPaths => "too-many-paths",
            Reason::ComputedGoto => "computed-goto",
            Reason::UnboundedLoopInCallee => "unbounded-loop-in-callee",
            Reason::VariableLengthArray => "variable-length-array",
            Reason::Unsupported(_) => "unsupported",
            Reason::CallDepth => "call-depth",
            Reason::StructResultInMemory => "struct-result-in-memory",
            Reason::LibraryAccess => "library-access",
            Reason::UnknownStructArgument => "unknown-struct-argument",
            Reason::TaggedStructArgument => "tagged-struct-argument",
            Reason::TooFewArguments => "too-few-arguments",
            Reason::StructArgumentInPlace => "struct-argument-in-place",
            Reason::UnknownExtent => "unknown-extent",
            Reason::UseAfterFree => "use-after-free",
            Reason::UnknownLength => "unknown-length",
            Reason::ForeignPointer => "foreign-pointer",
            Reason::UnknownContainer => "unknown-container",
            Reason::UnboundedIndex { .. } => "unbounded-index",
            Reason::IndexFromCallers => "index-from-callers",
            Reason::UnknownPointer(_, PointerDoubt::UnknownSize) => "pointer-to-unknown-size",
            Reason::UnknownPointer(_, PointerDoubt::ForeignCast) => "pointer-from-foreign-cast",
            Reason::UnknownPointer(_, PointerDoubt::Container) => "pointer-to-container",
            Reason::UnknownPointer(_, PointerDoubt::UnknownLength) => "pointer-to-unknown-length",
            Reason::ReturnedLocal(_) => "returned-local",
            Reason::LinkedLocal { .. } => "linked-local",
            Reason::FreedMemoryLinked => "freed-memory-linked",
            Reason::OpenFacts => "open-facts",
            Reason::FaultFromCallers(_) => "fault-from-callers",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Reason::NoBody => "the function has no body",
            Reason::InfeasibleExit => "no path to the end of the function is feasible",
            Reason::AfterUnprovedMemory(loc) => {
                return write!(f, "not checked after line {}, where memory safety is not proved", loc.line);
            }
            Reason::AfterUnprovedIntegrity(loc) => {
                return write!(f, "not checked after line {}, where integrity is not proved", loc.line);
            }
            Reason::OutOfBudget => "out of budget",
            Reason::ConditionOutOfBudget(condition) => return write!(f, "{condition}: out of budget"),
            Reason::TooManyPaths => return write!(f, "more than {PATHS} paths between two cut-points"),
            Reason::ComputedGoto => "computed goto",
            Reason::UnboundedLoopInCallee => "loop without a constant bound in a function that is executed in place",
            Reason::VariableLengthArray => "variable-length array",
            Reason::Unsupported(what) => return write!(f, "{what} is not supported"),
            Reason::CallDepth => "calls are nested too deeply",
            Reason::StructResultInMemory => "struct result is written directly to memory",
            Reason::LibraryAccess => "library function accesses memory whose extent it cannot know",
            Reason::UnknownStructArgument => "struct argument of unknown type",
            Reason::TaggedStructArgument => "struct that is passed by value has a link with a tag",
            Reason::TooFewArguments => "call has too few arguments",
            Reason::StructArgumentInPlace => "struct is passed by value to a function that is executed in place",
            Reason::UnknownExtent => "operation on memory of unknown extent",
            Reason::UseAfterFree => "memory is used after it was freed",
            Reason::UnknownLength => "access through a pointer to memory of unknown length",
            Reason::ForeignPointer => "access through a pointer that is not declared as a link",
            Reason::UnknownContainer => "access to the container of a linked struct, which no type declares",
            Reason::UnboundedIndex { length, high } => {
                return write!(
                    f,
                    "index counts the iterations of a loop that only the graph bounds: the access stays inside of the array of \
                     {length} elements while the index is at most {high}, which no type declares (see `--longest-path`)"
                );
            }
            Reason::IndexFromCallers => {
                "whether the index is inside of the array depends on the callers, which are all in this program"
            }
            Reason::UnknownPointer(subject, doubt) => return write!(f, "{subject} {doubt}"),
            Reason::ReturnedLocal(name) => {
                return write!(f, "address of the local variable `{name}` may be returned");
            }
            Reason::LinkedLocal { variable, class } => {
                return write!(f, "address of the local variable `{variable}` may be left in `{class}`");
            }
            Reason::FreedMemoryLinked => "freed memory is still linked",
            Reason::OpenFacts => {
                "address depends on the number of nodes behind a link or on a number in a node, which no type declares"
            }
            Reason::FaultFromCallers(message) => {
                return write!(
                    f,
                    "{message}: whether this happens depends on the integers that the callers pass, which are all in this program"
                );
            }
        };
        f.write_str(text)
    }
}

impl Condition {
    /// Returns whether it is a condition of memory safety (column M) and not of integrity (column D).
    pub(crate) const fn is_about_memory(&self) -> bool {
        matches!(
            self,
            Condition::InsideAllocation | Condition::InsideNode | Condition::ArrayElement | Condition::IndexInside
        )
    }

    /// Returns whether it is a condition at the end of the function: no path continues after it.
    pub(crate) const fn is_at_exit(&self) -> bool {
        matches!(
            self,
            Condition::ValidLinks { at: CutPoint::Exit | CutPoint::Returned, .. }
                | Condition::ValidPointer { subject: Subject::Result, .. }
        )
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Subject::Argument => "argument",
            Subject::StructArgument => "link in a struct argument",
            Subject::Result => "result",
            Subject::StoredPointer => "stored pointer",
        })
    }
}

impl fmt::Display for PointerDoubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PointerDoubt::UnknownSize => "points to memory of unknown size",
            PointerDoubt::ForeignCast => "is converted from a pointer that is not declared as a link",
            PointerDoubt::Container => "points to the container of a linked struct, which no type declares",
            PointerDoubt::UnknownLength => "points into an array of unknown length",
        })
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Condition::InsideAllocation => f.write_str("access is outside of the allocation"),
            Condition::InsideNode => f.write_str("access may be outside of every node"),
            Condition::ArrayElement => f.write_str("element is not a cell of an array in a node"),
            Condition::IndexInside => f.write_str("index may be outside of the array"),
            Condition::ValidLinks { class, at } => write!(f, "`{class}` may hold an invalid link {at}"),
            Condition::ValidPointer { subject, node } => write!(f, "{subject} may be an invalid pointer to `{node}`"),
        }
    }
}

impl fmt::Display for CutPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CutPoint::Call => "at a call",
            CutPoint::LoopHead => "at a loop head",
            CutPoint::Exit => "at the end of the function",
            CutPoint::Returned => "in the returned graph",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_render_with_their_line() {
        let loc = Loc { line: 7, ..Loc::NONE };
        let unknown = Unknown::at(loc, Reason::UnknownPointer(Subject::Result, PointerDoubt::Container));
        let text = "line 7: result points to the container of a linked struct, which no type declares";
        assert_eq!(unknown.to_string(), text);
        assert_eq!(unknown.reason.name(), "pointer-to-container");
        assert_eq!(Unknown::from(Reason::OutOfBudget).to_string(), "out of budget");
    }

    #[test]
    fn conditions_name_the_class_and_the_cut_point() {
        let condition = Condition::ValidLinks { class: "node.next".to_owned(), at: CutPoint::Exit };
        assert_eq!(condition.to_string(), "`node.next` may hold an invalid link at the end of the function");
    }
}
