//! Scopes: starts and ends the lifetimes of variables on every path into and out of blocks.
//!
//! The scopes of a function form a tree. A block is a scope. The region after the declaration of a variable-length
//! array, or of a variable with a cleanup function, is a scope as well: a jump back over the declaration ends that
//! variable's lifetime. So are the temporaries of a full expression. A jump leaves all scopes up to the nearest common
//! one and enters those between the common one and its target.

use cairn_ir::check::Checks;
use cairn_ir::inst::{Arg, Call, Callee, CompareOp, Inst, Local, Operand, Passing, Terminator, Ty};
use cairn_ir::program::Symbol;
use cairn_ir::{BlockId, CheckKind, Intrinsic, Loc, SlotId};

use super::builder::{Builder, Home};
use crate::hir::{LabelId, LocalId, SymbolId};

/// An index into [`Builder::scopes`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ScopeId(pub u32);

impl ScopeId {
    /// The parent of the outermost scope.
    pub const NONE: ScopeId = ScopeId(u32::MAX);
}

/// A node of the tree of scopes.
#[derive(Debug)]
pub(super) struct Scope<'u> {
    pub parent: ScopeId,
    pub depth: u32,
    pub kind: ScopeKind<'u>,
}

/// The contents of a scope.
#[derive(Debug)]
pub(super) enum ScopeKind<'u> {
    /// The locals of a block.
    Block(&'u [LocalId]),
    /// Slots whose lifetime starts on demand: parameters, temporaries, a variable-length array.
    Slots(Vec<SlotId>),
    /// A variable with a cleanup function, which is called with its address at the end.
    Cleanup(LocalId, SymbolId),
}

/// The targets of `break`, `continue`, `case` and `default`.
#[derive(Clone, Default, Debug)]
pub(super) struct Targets {
    pub break_to: Option<(BlockId, ScopeId)>,
    pub continue_to: Option<(BlockId, ScopeId)>,
    /// The case blocks of the innermost switch, its default block, and the scope around the switch.
    pub switch: Option<(Vec<BlockId>, BlockId, ScopeId)>,
}

/// A label. Its scope is known once it was lowered.
#[derive(Debug)]
pub(super) struct LabelState {
    pub block: BlockId,
    pub scope: Option<ScopeId>,
}

/// A pending `goto`, whose block is ended later because the label may follow.
#[derive(Debug)]
pub(super) struct Goto {
    from: BlockId,
    scope: ScopeId,
    label: LabelId,
    loc: Loc,
    /// Whether the jump comes from a nested function.
    ///
    /// It then also leaves the scopes from which that function was called.
    from_nested: bool,
}

/// A pending `goto *e`.
#[derive(Debug)]
pub(super) struct Computed {
    from: BlockId,
    scope: ScopeId,
    addr: Operand,
    loc: Loc,
}

/// The end of a call that `longjmp` may return from again, out of any block of the function.
#[derive(Debug)]
pub(super) struct ReturnsAgain {
    from: BlockId,
    scope: ScopeId,
    next: BlockId,
    loc: Loc,
}

/// The jumps of a function and their targets.
#[derive(Default)]
pub(super) struct Jumps {
    pub targets: Targets,
    pub labels: Vec<LabelState>,
    /// The number of labels lowered so far. Without labels, no declaration is reached twice within its block.
    pub labels_seen: u32,
    pub gotos: Vec<Goto>,
    pub computed: Vec<Computed>,
    pub returns_again: Vec<ReturnsAgain>,
}

impl<'u> Builder<'_, 'u, '_> {
    /// Opens a new scope inside the current one, without emitting code.
    pub fn push_scope(&mut self, kind: ScopeKind<'u>) -> ScopeId {
        let depth = self.scopes[self.scope.0 as usize].depth + 1;
        self.scopes.push(Scope { parent: self.scope, depth, kind });
        self.scope = ScopeId(self.scopes.len() as u32 - 1);
        self.scope
    }

    /// Leaves the current scope and its ancestors up to and including `scope`.
    pub fn pop_scope(&mut self, scope: ScopeId) {
        let outer = self.scopes[scope.0 as usize].parent;
        self.leave_to(self.scope, outer);
        self.scope = outer;
    }

    /// Ends the lifetimes in all scopes from `from` up to, but excluding, `to`.
    pub fn leave_to(&mut self, from: ScopeId, to: ScopeId) {
        let mut scope = from;
        while scope != to && scope != ScopeId::NONE {
            self.leave(scope);
            scope = self.scopes[scope.0 as usize].parent;
        }
    }

    /// Ends all lifetimes, before a return.
    pub fn leave_all(&mut self) {
        self.leave_to(self.scope, ScopeId::NONE);
    }

    fn leave(&mut self, scope: ScopeId) {
        if !self.open {
            return;
        }
        match self.scopes[scope.0 as usize].kind {
            ScopeKind::Block(locals) => {
                for &local in locals.iter().rev() {
                    match self.home(local) {
                        Home::Reg(reg) => self.push(Inst::Leave(Local::Reg(reg))),
                        Home::Slot(slot) => self.push(Inst::Leave(Local::Slot(slot))),
                        // A VLA has a scope of its own, which starts at its declaration.
                        Home::Vla(_) => {}
                    }
                }
            }
            ScopeKind::Slots(ref slots) => {
                for index in (0..slots.len()).rev() {
                    if let ScopeKind::Slots(slots) = &self.scopes[scope.0 as usize].kind {
                        let slot = slots[index];
                        self.push(Inst::Leave(Local::Slot(slot)));
                    }
                }
            }
            ScopeKind::Cleanup(local, function) => self.call_cleanup(local, function),
        }
    }

    fn call_cleanup(&mut self, local: LocalId, function: SymbolId) {
        let (Home::Slot(slot) | Home::Vla(slot)) = self.home(local) else { return };
        match self.linker.resolve(self.unit, function, self.types, self.locator) {
            Symbol::Function(id) => {
                let arg = Arg { value: Operand::Slot(slot), passing: Passing::Scalar(Ty::Ptr) };
                self.push(Inst::Call(Box::new(Call {
                    dst: None,
                    callee: Callee::Function(id),
                    args: vec![arg],
                    ret: None,
                    fixed: 1,
                    prototyped: true,
                    checks: Checks::NONE,
                    ctype: None,
                })));
            }
            _ => self.unsupported("cleanup function that is not a function"),
        }
    }

    /// Starts the lifetimes in a scope, except those that start at a declaration.
    pub fn enter(&mut self, scope: ScopeId) {
        if let ScopeKind::Block(locals) = self.scopes[scope.0 as usize].kind {
            for &local in locals {
                match self.home(local) {
                    Home::Reg(reg) => self.push(Inst::Enter(Local::Reg(reg))),
                    Home::Slot(slot) => self.push(Inst::Enter(Local::Slot(slot))),
                    Home::Vla(_) => {}
                }
            }
        }
    }

    /// Enters all scopes between `outer` and `inner`, outermost first.
    pub fn enter_from(&mut self, outer: ScopeId, inner: ScopeId) {
        let mut path = Vec::new();
        let mut scope = inner;
        while scope != outer && scope != ScopeId::NONE {
            path.push(scope);
            scope = self.scopes[scope.0 as usize].parent;
        }
        for &scope in path.iter().rev() {
            self.enter(scope);
        }
    }

    /// Returns the nearest common ancestor of two scopes.
    fn common(&self, a: ScopeId, b: ScopeId) -> ScopeId {
        let (mut a, mut b) = (a, b);
        while a != b {
            let (left, right) = (&self.scopes[a.0 as usize], &self.scopes[b.0 as usize]);
            if left.depth >= right.depth {
                a = left.parent;
            }
            if right.depth >= left.depth {
                b = right.parent;
            }
            if a == ScopeId::NONE || b == ScopeId::NONE {
                return ScopeId::NONE;
            }
        }
        a
    }

    /// Runs `lower` as a full expression, whose temporaries die afterwards.
    pub fn full<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.temporaries.take();
        let result = lower(self);
        if let Some(scope) = self.temporaries.take() {
            self.pop_scope(scope);
        }
        self.temporaries = outer;
        result
    }

    /// Adds a temporary to the current full expression.
    pub fn own_temporary(&mut self, slot: SlotId) {
        let scope = match self.temporaries {
            Some(scope) => scope,
            None => self.push_scope(ScopeKind::Slots(Vec::new())),
        };
        self.temporaries = Some(scope);
        if let ScopeKind::Slots(slots) = &mut self.scopes[scope.0 as usize].kind {
            slots.push(slot);
        }
    }

    /// Lowers `break` and `continue`.
    pub fn jump_out(&mut self, target: Option<(BlockId, ScopeId)>) {
        if let Some((block, scope)) = target {
            self.leave_to(self.scope, scope);
            self.jump(block);
        }
    }

    /// Records a `goto`, whose block is ended once all labels are known.
    pub fn goto(&mut self, label: LabelId) {
        if !self.open {
            return;
        }
        let from = self.current();
        self.jumps.gotos.push(Goto { from, scope: self.scope, label, loc: self.loc, from_nested: false });
        self.end(Terminator::Unreachable);
    }

    /// Lowers the arrival point of jumps from nested functions to a label of this block.
    pub fn landing(&mut self, label: LabelId, local: LocalId) {
        let Home::Slot(slot) = self.home(local) else { return };
        if !self.open {
            return;
        }
        let dst = self.temporary(Ty::I32);
        let args = Box::new([Operand::Slot(slot)]);
        self.push(Inst::Intrinsic { op: Intrinsic::Setjmp, dst: Some(dst), args, checks: Checks::NONE });
        let cond = self.compare_by(CompareOp::Ne, Ty::I32, Operand::Reg(dst), Operand::Int(0));
        let (arrived, next) = (self.new_block(), self.new_block());
        self.end(Terminator::Branch { cond, then: arrived, other: next, checks: Checks::NONE });
        self.start(arrived);
        let from = self.current();
        self.jumps.gotos.push(Goto { from, scope: self.scope, label, loc: self.loc, from_nested: true });
        self.end(Terminator::Unreachable);
        self.start(next);
    }

    /// Ends the lifetimes in all blocks that a `longjmp` to this place leaves. When the call returns for the first time, none has begun.
    pub fn return_again(&mut self) {
        if !self.open {
            return;
        }
        let (from, next) = (self.current(), self.new_block());
        self.jumps.returns_again.push(ReturnsAgain { from, scope: self.scope, next, loc: self.loc });
        self.end(Terminator::Jump(next));
        self.start(next);
    }

    /// Creates a block that ends lifetimes and jumps to `block`.
    ///
    /// It ends those in all scopes inside `around`, except the scopes around `label`.
    fn leave_inner(&mut self, around: ScopeId, label: ScopeId, block: BlockId) -> BlockId {
        let edge = self.new_block();
        self.start_always(edge);
        let within = |builder: &Self, scope: ScopeId, outer: ScopeId| builder.common(scope, outer) == outer;
        for index in (0..self.scopes.len()).rev() {
            let scope = ScopeId(index as u32);
            let cleanup = matches!(self.scopes[index].kind, ScopeKind::Cleanup(..));
            if scope != around && !cleanup && within(self, scope, around) && !within(self, label, scope) {
                self.leave(scope);
            }
        }
        self.jump(block);
        edge
    }

    /// Records a `goto *addr`, whose block is ended once all labels are known.
    pub fn goto_computed(&mut self, addr: Operand) {
        if !self.open {
            return;
        }
        let addr = self.detached(addr);
        let from = self.current();
        self.jumps.computed.push(Computed { from, scope: self.scope, addr, loc: self.loc });
        self.end(Terminator::Unreachable);
    }

    /// Ends the blocks of all pending jumps.
    pub fn resolve_jumps(&mut self) {
        for goto in std::mem::take(&mut self.jumps.gotos) {
            self.loc = goto.loc;
            let label = &self.jumps.labels[goto.label.0 as usize];
            let block = label.block;
            match label.scope {
                Some(scope) if goto.from_nested && self.changes(goto.scope, scope) => {
                    self.refuse_goto(&goto, "jump from a nested function into a block");
                }
                Some(scope) if goto.from_nested => {
                    let end = self.leave_inner(goto.scope, scope, block);
                    self.body.blocks[goto.from.index()].end = Terminator::Jump(end);
                }
                Some(scope) => {
                    let end = self.edge(goto.scope, scope, block);
                    self.body.blocks[goto.from.index()].end = Terminator::Jump(end);
                }
                None => self.refuse_goto(&goto, "jump to an unknown label"),
            }
        }
        for goto in std::mem::take(&mut self.jumps.computed) {
            self.resolve_computed(&goto);
        }
        for call in std::mem::take(&mut self.jumps.returns_again) {
            self.loc = call.loc;
            let end = self.leave_inner(ScopeId(0), call.scope, call.next);
            self.body.blocks[call.from.index()].end = Terminator::Jump(end);
        }
    }

    fn refuse_goto(&mut self, goto: &Goto, what: &str) {
        let edge = self.new_block();
        self.start_always(edge);
        self.unsupported(what);
        self.end(Terminator::Unreachable);
        self.body.blocks[goto.from.index()].end = Terminator::Jump(edge);
    }

    /// Returns a block that adjusts lifetimes and jumps to `block`; `block` itself if nothing changes.
    fn edge(&mut self, from: ScopeId, to: ScopeId, block: BlockId) -> BlockId {
        if !self.changes(from, to) {
            return block;
        }
        let edge = self.new_block();
        self.start_always(edge);
        let common = self.common(from, to);
        self.leave_to(from, common);
        self.enter_from(common, to);
        self.jump(block);
        edge
    }

    /// Returns whether a jump between two scopes starts or ends a lifetime.
    fn changes(&self, from: ScopeId, to: ScopeId) -> bool {
        let common = self.common(from, to);
        let counts = |mut scope: ScopeId, leaving: bool| {
            while scope != common && scope != ScopeId::NONE {
                let entry = &self.scopes[scope.0 as usize];
                let alive = match &entry.kind {
                    ScopeKind::Block(locals) => !locals.is_empty(),
                    ScopeKind::Slots(slots) => leaving && !slots.is_empty(),
                    ScopeKind::Cleanup(..) => leaving,
                };
                if alive {
                    return true;
                }
                scope = entry.parent;
            }
            false
        };
        counts(from, true) || counts(to, false)
    }

    /// Lowers `goto *addr`.
    ///
    /// A single jump suffices for all labels that are reached by leaving the same scopes and entering none. The other
    /// labels are distinguished by comparing the address.
    fn resolve_computed(&mut self, goto: &Computed) {
        self.loc = goto.loc;
        let function = self.function;
        let taken = |index: usize| function.labels[index].address_taken;
        let targets: Vec<(BlockId, ScopeId)> = (0..self.jumps.labels.len())
            .filter(|&index| taken(index))
            .filter_map(|index| self.jumps.labels[index].scope.map(|scope| (self.jumps.labels[index].block, scope)))
            .collect();
        // Scopes without locals can be entered by a direct jump.
        let simple = |builder: &Self, scope: ScopeId| {
            let common = builder.common(goto.scope, scope);
            (!builder.changes(common, scope)).then_some(common)
        };
        let shared = targets.first().and_then(|&(_, scope)| simple(self, scope));
        let direct: Vec<bool> = targets
            .iter()
            .map(|&(_, scope)| {
                let own = simple(self, scope);
                match (own, shared) {
                    (Some(own), Some(shared)) => {
                        own == shared || !self.changes(own, shared) && !self.changes(shared, own)
                    }
                    _ => false,
                }
            })
            .collect();
        let start = self.new_block();
        self.body.blocks[goto.from.index()].end = Terminator::Jump(start);
        self.start_always(start);
        for (&(block, scope), _) in targets.iter().zip(&direct).filter(|(_, direct)| !**direct) {
            let dst = self.temporary(Ty::I1);
            let (lhs, rhs) = (goto.addr, Operand::Label(block));
            self.push(Inst::Compare { op: CompareOp::Eq, ty: Ty::Ptr, dst, lhs, rhs });
            let checks = self.checks(&[CheckKind::Uninitialised]);
            let (here, next) = (self.new_block(), self.new_block());
            self.end(Terminator::Branch { cond: Operand::Reg(dst), then: here, other: next, checks });
            self.start(here);
            let edge = self.edge_open(goto.scope, scope, block);
            self.jump(edge);
            self.start(next);
        }
        if let Some(shared) = shared {
            self.leave_to(goto.scope, shared);
        }
        let blocks = targets.iter().zip(&direct).filter(|(_, direct)| **direct).map(|(&(block, _), _)| block).collect();
        let checks = self.checks(&[CheckKind::InvalidCall, CheckKind::Uninitialised]);
        self.end(Terminator::JumpTo { addr: goto.addr, targets: blocks, checks });
    }

    /// Adjusts lifetimes in the current block for a jump to `block`, and returns `block`.
    fn edge_open(&mut self, from: ScopeId, to: ScopeId, block: BlockId) -> BlockId {
        let common = self.common(from, to);
        self.leave_to(from, common);
        self.enter_from(common, to);
        block
    }
}
