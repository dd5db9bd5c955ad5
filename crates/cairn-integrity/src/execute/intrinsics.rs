//! Intrinsics, allocations and deallocations.

use cairn_ir::inst::Call;
use cairn_ir::program::AllocatedSize;
use cairn_ir::{Intrinsic, Loc, Operand, Reg};
use cairn_rules::Term;

use super::super::report::Reason;
use super::super::solver::{Flow, Origin, Reach, Site, Stop, Untyped};
use super::super::state::{Contents, State, Value};
use super::Execution;

/// The kind of an allocator.
#[derive(Clone, Copy, Debug)]
pub(super) struct AllocatorKind {
    pub contents: Contents,
    /// Whether it stops the program when there is no memory.
    pub never_null: bool,
}

impl Execution<'_, '_> {
    /// Executes an intrinsic.
    pub(super) fn intrinsic(
        &mut self,
        state: &mut State,
        op: Intrinsic,
        dst: Option<Reg>,
        args: &[Operand],
        loc: Loc,
    ) -> Flow {
        let values: Vec<Term> = args.iter().map(|&arg| self.term(state, arg)).collect();
        let constants: Vec<Option<i64>> = values.iter().map(|&term| self.solver.constant(term)).collect();
        let constant = |index: usize| constants.get(index).copied().flatten();
        let size = |index: usize| constant(index).and_then(|size| u64::try_from(size).ok());
        let value = match op {
            Intrinsic::HeapAlloc => self.heap_allocation(state, dst, constant(0), Contents::Anything)?,
            Intrinsic::HeapAllocAligned => self.heap_allocation(state, dst, constant(1), Contents::Anything)?,
            Intrinsic::HeapAllocZeroed => {
                let size = constant(0).zip(constant(1)).and_then(|(count, size)| count.checked_mul(size));
                self.heap_allocation(state, dst, size, Contents::Zero)?
            }
            Intrinsic::StackAlloc => self.allocate(state, size(0), Contents::Anything)?,
            Intrinsic::HeapFree => {
                self.free(state, values[0], loc)?;
                Value::Unknown
            }
            Intrinsic::FillBytes => {
                let Some(size) = size(2) else { return self.give_up(Reason::UnknownExtent) };
                let contents = if constant(1) == Some(0) { Contents::Zero } else { Contents::Anything };
                self.set_bytes(state, (values[0], size), contents, loc)?;
                Value::Unknown
            }
            Intrinsic::NondetBytes => {
                let Some(size) = size(1) else { return self.give_up(Reason::UnknownExtent) };
                self.set_bytes(state, (values[0], size), Contents::Anything, loc)?;
                Value::Unknown
            }
            Intrinsic::CopyBytes | Intrinsic::MoveBytes => {
                let Some(size) = size(2) else { return self.give_up(Reason::UnknownExtent) };
                self.copy(state, values[0], values[1], size, loc)?;
                Value::Unknown
            }
            Intrinsic::Nondet
            | Intrinsic::Math(_)
            | Intrinsic::Time
            | Intrinsic::Clock
            | Intrinsic::ReadChar
            | Intrinsic::OneAnswer
            | Intrinsic::Vary
            | Intrinsic::Order => Value::Unknown,
            Intrinsic::Assume => {
                let nonzero = !self.solver.is_null(values[0]);
                self.solver.assume(nonzero)?;
                Value::Unknown
            }
            Intrinsic::AssertFail | Intrinsic::ReachError | Intrinsic::Exit | Intrinsic::Abort | Intrinsic::Longjmp => {
                return Err(Stop::PathEnd);
            }
            _ => return self.give_up(Reason::UnknownExtent),
        };
        self.assign_result(state, dst, value)
    }

    /// Executes a call of an allocator that is not C's own.
    pub(super) fn allocator_call(
        &mut self,
        state: &mut State,
        call: &Call,
        bytes: AllocatedSize,
        kind: AllocatorKind,
    ) -> Flow {
        let mut argument = |index: u32| {
            let arg = call.args.get(index as usize)?;
            let term = self.term(state, arg.value);
            self.solver.constant(term).filter(|&size| size >= 0)
        };
        let size = match bytes.count {
            Some(count) => argument(bytes.size).zip(argument(count)).and_then(|(size, count)| size.checked_mul(count)),
            None => argument(bytes.size),
        };
        let value = if kind.never_null {
            self.successful_allocation(state, size, kind.contents)?
        } else {
            self.heap_allocation(state, call.dst, size, kind.contents)?
        };
        self.assign_result(state, call.dst, value)
    }

    /// Allocates heap memory, or fails on another path.
    fn heap_allocation(
        &mut self,
        state: &mut State,
        dst: Option<Reg>,
        size: Option<i64>,
        contents: Contents,
    ) -> Flow<Value> {
        let mut failed = state.clone();
        if let Some(dst) = dst {
            failed.set_reg(dst, Value::NULL);
        }
        self.fork(failed, None);
        self.successful_allocation(state, size, contents)
    }

    fn successful_allocation(&mut self, state: &mut State, size: Option<i64>, contents: Contents) -> Flow<Value> {
        let contents = if self.context.options.zero_allocation { Contents::Zero } else { contents };
        self.allocate(state, size.and_then(|size| u64::try_from(size).ok()), contents)
    }

    /// Makes a new object. Its type is that of an earlier use of this allocation site.
    fn allocate(&mut self, state: &mut State, size: Option<u64>, contents: Contents) -> Flow<Value> {
        let site = Site(state.frames.iter().map(|f| (f.function.0, f.block as u32, f.inst as u32)).collect());
        let node = self.site_types.get(&site).copied();
        let untyped = node.is_none().then_some(Untyped { size, site });
        let reach = Reach::Private;
        let base = self.solver.variable(Origin { reach, hint: node, owned: true, untyped, ..Origin::default() });
        let fresh = self.solver.fresh(base, state.heaps.epoch());
        self.solver.assume(fresh)?;
        let made = self.solver.made(base);
        self.solver.assume(made)?;
        self.solver.assume_object(node, base)?;
        if let Some(node) = node {
            state.heaps.fill_node(&mut self.solver, base, node, contents)?;
            state.locals.made.push((base, node));
        }
        Ok(Value::Term(base))
    }

    /// Frees memory. Freed memory is not used any more, so its links need not be valid.
    pub(super) fn free(&mut self, state: &mut State, base: Term, loc: Loc) -> Flow {
        if self.findings.is_memory_proved() && self.is_freed(state, base) {
            self.findings.memory_unknown(loc, Reason::UseAfterFree);
        }
        state.freed.push(base);
        let Some(node) = self.solver.hint(base).filter(|_| base.offset == 0) else { return Ok(()) };
        let object = self.solver.object(node, base);
        let null = self.solver.is_null(base);
        if !self.types().node(node).scalar
            && self.solver.is_refuted(&[!object, !null])
            && self.solver.value(!null) != Some(false)
        {
            state.heaps.fill_node(&mut self.solver, base, node, Contents::Zero)?;
        }
        Ok(())
    }
}
