//! Lowers statements.

use cairn_ir::check::Checks;
use cairn_ir::inst::{BinaryOp, Case, CompareOp, Inst, Local, Operand, Terminator, Ty};
use cairn_ir::{BlockId, CheckKind, Intrinsic};

use super::builder::{Builder, Class, Home};
use super::scope::{ScopeId, ScopeKind};
use crate::hir::{Block, Expr, LocalId, LocalInit, Stmt, StmtKind};
use crate::lower::expressions::place::Mem;
use crate::lower::expressions::value::{Scalar, Truth};

impl<'u> Builder<'_, 'u, '_> {
    /// Lowers a block with its scope.
    pub fn block(&mut self, block: &'u Block) {
        let scope = self.enter_block(block);
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
        self.leave_block(block, scope);
    }

    /// Leaves a block's scope at its closing brace.
    pub fn leave_block(&mut self, block: &Block, scope: ScopeId) {
        if self.open && self.scope != scope || !block.locals.is_empty() {
            self.loc = self.locator.locate(block.span.end.saturating_sub(1));
        }
        self.pop_scope(scope);
    }

    /// Enters a block's scope.
    pub fn enter_block(&mut self, block: &'u Block) -> ScopeId {
        let scope = self.push_scope(ScopeKind::Block(&block.locals));
        if !block.locals.is_empty() {
            self.loc = self.place_of(block.span);
            self.enter(scope);
        }
        scope
    }

    /// Lowers a statement.
    pub fn stmt(&mut self, stmt: &'u Stmt) {
        if !self.descend() {
            return;
        }
        self.stmt_inner(stmt);
        self.ascend();
    }

    fn stmt_inner(&mut self, stmt: &'u Stmt) {
        self.loc = self.place_of(stmt.span);
        match &stmt.kind {
            StmtKind::Expr(expr) => self.full(|b| b.effect(expr)),
            StmtKind::Declare(local, init) => self.declare(*local, init.as_ref()),
            StmtKind::DeclareVla(local, size) => self.declare_vla(*local, size),
            StmtKind::Block(block) => self.block(block),
            StmtKind::If(..) => self.if_chain(stmt),
            StmtKind::While(cond, body) => self.while_loop(cond, body),
            StmtKind::DoWhile(body, cond) => self.do_while(body, cond),
            StmtKind::For(cond, step, body) => self.for_loop(cond.as_ref(), step.as_ref(), body),
            StmtKind::Switch { value, body, cases, has_default } => self.switch(value, body, cases, *has_default),
            StmtKind::Case(index, inner) => {
                let target =
                    self.jumps.targets.switch.as_ref().map(|(cases, _, scope)| (cases[*index as usize], *scope));
                self.case(target, inner);
            }
            StmtKind::Default(inner) => {
                let target = self.jumps.targets.switch.as_ref().map(|(_, default, scope)| (*default, *scope));
                self.case(target, inner);
            }
            StmtKind::Label(label, inner) => {
                let block = self.jumps.labels[label.0 as usize].block;
                self.jump(block);
                self.start_always(block);
                self.jumps.labels[label.0 as usize].scope = Some(self.scope);
                self.jumps.labels_seen += 1;
                self.stmt(inner);
            }
            StmtKind::Goto(label) => self.goto(*label),
            StmtKind::GotoComputed(target) => {
                let addr = self.full(|b| {
                    let addr = b.rvalue(target);
                    b.detached(addr)
                });
                self.loc = self.place_of(stmt.span);
                self.goto_computed(addr);
            }
            StmtKind::Landing(label, local) => self.landing(*label, *local),
            StmtKind::JumpOut(address) => {
                let address = self.full(|b| b.rvalue(address));
                self.loc = self.place_of(stmt.span);
                let checks = self.checks(&[CheckKind::InvalidCall]);
                let args = Box::new([address, Operand::Int(1)]);
                self.push(Inst::Intrinsic { op: Intrinsic::Longjmp, dst: None, args, checks });
                self.end(Terminator::Unreachable);
            }
            StmtKind::Break => self.jump_out(self.jumps.targets.break_to),
            StmtKind::Continue => self.jump_out(self.jumps.targets.continue_to),
            StmtKind::Return(value) => self.return_stmt(stmt, value.as_ref()),
            StmtKind::Unsupported(what) => self.unsupported(what),
            StmtKind::Empty => {}
        }
    }

    /// Lowers the declaration of a local.
    fn declare(&mut self, local: LocalId, init: Option<&'u LocalInit>) {
        match init {
            Some(init) => self.full(|b| b.initialise_local(local, init)),
            // Entering the block already made the variable indeterminate. It has a value only after a jump back within
            // the block.
            None if self.jumps.labels_seen > 0 => self.forget(local),
            None => {}
        }
        if let Some(function) = self.local(local).cleanup {
            self.push_scope(ScopeKind::Cleanup(local, function));
        }
    }

    /// Makes a live variable indeterminate.
    fn forget(&mut self, local: LocalId) {
        match self.home(local) {
            Home::Reg(dst) => self.push(Inst::Undef { dst }),
            Home::Slot(slot) => {
                // Copying memory also copies that it is uninitialised.
                let (size, align) = (self.body.slots[slot.index()].size, self.body.slots[slot.index()].align);
                let fresh = self.hidden_slot(size, align);
                self.push(Inst::Enter(Local::Slot(fresh)));
                self.copy(Mem::named(Operand::Slot(slot), size), Mem::named(Operand::Slot(fresh), size), size);
                self.push(Inst::Leave(Local::Slot(fresh)));
            }
            Home::Vla(_) => {}
        }
    }

    fn declare_vla(&mut self, local: LocalId, size: &'u Expr) {
        let value = self.full(|b| b.rvalue(size));
        let (Home::Vla(slot) | Home::Slot(slot)) = self.home(local) else { return };
        self.loc = self.place_of(self.local(local).span);
        let of = self.scalar(size.ty).unwrap_or(Scalar { ty: self.size_ty(), signed: false });
        let size = self.convert_scalar(value, of, Scalar { ty: self.size_ty(), signed: false });
        self.push(Inst::EnterVla { slot, size });
        self.push_scope(ScopeKind::Slots(vec![slot]));
        if let Some(function) = self.local(local).cleanup {
            self.push_scope(ScopeKind::Cleanup(local, function));
        }
    }

    /// Lowers `if`, with `else if` chains walked iteratively.
    fn if_chain(&mut self, first: &'u Stmt) {
        let join = self.new_block();
        let mut stmt = first;
        loop {
            let StmtKind::If(cond, then, other) = &stmt.kind else {
                self.stmt(stmt);
                self.jump(join);
                break;
            };
            self.loc = self.place_of(stmt.span);
            let yes = self.new_block();
            match other {
                None => {
                    self.full_condition(cond, yes, join);
                    self.start(yes);
                    self.stmt(then);
                    self.jump(join);
                    break;
                }
                Some(other) => {
                    let no = self.new_block();
                    self.full_condition(cond, yes, no);
                    self.start(yes);
                    self.stmt(then);
                    self.jump(join);
                    self.start(no);
                    stmt = other;
                }
            }
        }
        self.start(join);
    }

    /// Lowers the body of a loop with the targets of `break` and `continue`.
    fn loop_body(&mut self, body: &'u Stmt, break_to: BlockId, continue_to: BlockId) {
        let scope = self.scope;
        let old = (
            self.jumps.targets.break_to.replace((break_to, scope)),
            self.jumps.targets.continue_to.replace((continue_to, scope)),
        );
        self.stmt(body);
        (self.jumps.targets.break_to, self.jumps.targets.continue_to) = old;
    }

    fn while_loop(&mut self, cond: &'u Expr, body: &'u Stmt) {
        let (head, inside, exit) = (self.new_block(), self.new_block(), self.new_block());
        self.jump(head);
        self.start_always(head);
        self.full_condition(cond, inside, exit);
        self.start(inside);
        self.loop_body(body, exit, head);
        self.jump(head);
        self.start(exit);
    }

    fn do_while(&mut self, body: &'u Stmt, cond: &'u Expr) {
        let (head, tail, exit) = (self.new_block(), self.new_block(), self.new_block());
        self.jump(head);
        self.start_always(head);
        self.loop_body(body, exit, tail);
        self.jump(tail);
        self.start(tail);
        self.loc = self.place_of(cond.span);
        self.full_condition(cond, head, exit);
        self.start(exit);
    }

    fn for_loop(&mut self, cond: Option<&'u Expr>, step: Option<&'u Expr>, body: &'u Stmt) {
        let (head, inside, tail, exit) = (self.new_block(), self.new_block(), self.new_block(), self.new_block());
        self.jump(head);
        self.start_always(head);
        match cond {
            Some(cond) => self.full_condition(cond, inside, exit),
            None => self.jump(inside),
        }
        self.start(inside);
        self.loop_body(body, exit, tail);
        self.jump(tail);
        self.start(tail);
        if let Some(step) = step {
            self.loc = self.place_of(step.span);
            self.full(|b| b.effect(step));
        }
        self.jump(head);
        self.start(exit);
    }

    fn switch(&mut self, value: &'u Expr, body: &'u Stmt, cases: &[(i128, i128)], has_default: bool) {
        let loc = self.loc;
        let operand = self.full(|b| b.rvalue(value));
        self.loc = loc;
        let of = self.scalar(value.ty).unwrap_or(Scalar { ty: Ty::I32, signed: true });
        let exit = self.new_block();
        let blocks: Vec<BlockId> = cases.iter().map(|_| self.new_block()).collect();
        let default = if has_default { self.new_block() } else { exit };
        self.dispatch(operand, of, cases, &blocks, default);
        let scope = self.scope;
        let old = (
            self.jumps.targets.break_to.replace((exit, scope)),
            self.jumps.targets.switch.replace((blocks, default, scope)),
        );
        self.stmt(body);
        (self.jumps.targets.break_to, self.jumps.targets.switch) = old;
        self.jump(exit);
        self.start(exit);
    }

    /// Branches to the block of the range that contains the value.
    fn dispatch(&mut self, value: Operand, of: Scalar, cases: &[(i128, i128)], blocks: &[BlockId], default: BlockId) {
        if of.ty != Ty::I128 {
            let unused = 128 - of.ty.bits(self.target());
            let constant = |v: i128| (v << unused >> unused) as i64;
            let cases = cases
                .iter()
                .zip(blocks)
                .map(|(&(low, high), &target)| Case { low: constant(low), high: constant(high), target })
                .collect();
            let known = self.known(value, of).is_some();
            let checks = if known { Checks::NONE } else { self.checks(&[CheckKind::Uninitialised]) };
            self.end(Terminator::Switch { ty: of.ty, signed: of.signed, value, cases, default, checks });
            return;
        }
        let order = if of.signed { CompareOp::SLe } else { CompareOp::ULe };
        for (&(low, high), &target) in cases.iter().zip(blocks) {
            let low_value = self.int(low, of.ty);
            let inside = if low == high {
                self.compare_by(CompareOp::Eq, of.ty, value, low_value)
            } else {
                let high_value = self.int(high, of.ty);
                let above = self.compare_by(order, of.ty, low_value, value);
                let below = self.compare_by(order, of.ty, value, high_value);
                let above = self.truth_as(Truth::Computed(above), Ty::I8);
                let below = self.truth_as(Truth::Computed(below), Ty::I8);
                let both = self.binary(BinaryOp::And, Ty::I8, above, below);
                self.compare_by(CompareOp::Ne, Ty::I8, both, Operand::Int(0))
            };
            let next = self.new_block();
            self.branch(Truth::Computed(inside), target, next);
            self.start(next);
        }
        self.jump(default);
    }

    /// Lowers `case` and `default`. The edge from the switch enters the scopes in between.
    fn case(&mut self, target: Option<(BlockId, ScopeId)>, inner: &'u Stmt) {
        if let Some((block, outer)) = target {
            if outer == self.scope {
                self.jump(block);
                self.start(block);
            } else {
                let label = self.new_block();
                self.jump(label);
                self.start(block);
                self.enter_from(outer, self.scope);
                self.jump(label);
                self.start(label);
            }
        }
        self.stmt(inner);
    }

    fn return_stmt(&mut self, stmt: &Stmt, value: Option<&'u Expr>) {
        let class = self.class(self.function.ret);
        let result = match (value, class) {
            (Some(value), Class::Scalar(_)) => {
                let value = self.full(|b| {
                    let value = b.rvalue(value);
                    b.detached_if_left(value)
                });
                Some(value)
            }
            (Some(value), Class::Memory { size, .. }) => {
                match (self.result, self.class(value.ty)) {
                    (Some(result), Class::Memory { .. }) => {
                        self.full(|b| b.aggregate_into(value, Mem::named(Operand::Reg(result), size)));
                    }
                    _ => self.full(|b| b.effect(value)),
                }
                None
            }
            (Some(value), Class::Void) => {
                self.full(|b| b.effect(value));
                None
            }
            (None, Class::Scalar(ty)) => Some(self.undefined(ty)),
            (None, _) => None,
        };
        self.loc = self.place_of(stmt.span);
        self.use_exit_status(result);
        self.leave_all();
        self.end(Terminator::Return(result));
    }

    /// Checks the value that `main` returns: it leaves the program.
    fn use_exit_status(&mut self, result: Option<Operand>) {
        if let (Some(src @ Operand::Reg(reg)), true) = (result, self.name == "main") {
            let checks = self.checks(&[CheckKind::Uninitialised]);
            let ty = self.body.regs[reg.index()].ty;
            self.push(Inst::Use { ty, src, checks });
        }
    }

    /// Copies the operand of a `return` to a temporary if a variable would die before its use.
    ///
    /// Parameters live until the function returns.
    fn detached_if_left(&mut self, operand: Operand) -> Operand {
        match operand {
            Operand::Reg(reg) if self.is_variable(operand) => {
                let is_param = self.body.params.contains(&cairn_ir::program::Param::Reg(reg));
                if is_param { operand } else { self.detached(operand) }
            }
            Operand::Slot(_) => self.detached(operand),
            other => other,
        }
    }
}
