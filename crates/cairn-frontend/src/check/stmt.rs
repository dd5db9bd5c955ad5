//! Checks statements, labels and switches.

use cairn_ir::ctype::{ArrayLen, QualType, Type, TypeId};
use cairn_ir::source::Span;

use crate::ast::{self, BlockItem, Compound, ForInit};
use crate::check::Checker;
use crate::check::constants::integer;
use crate::check::declarations::function::{LabelState, LocalLabel};
use crate::check::expressions::expr::Operand;
use crate::check::types::convert::Assigning;
use crate::hir::{Block, Expr, ExprKind, LabelId, Local, LocalId, PlaceKind, Stmt, StmtKind};
use crate::symbol::Symbol;

/// The size of the jump buffer for jumps out of nested functions.
const JUMP_BYTES: u64 = 16;

/// A switch whose body is under check.
#[derive(Debug)]
pub(super) struct SwitchState {
    /// The promoted type of the value.
    ty: TypeId,
    cases: Vec<(i128, i128)>,
    spans: Vec<Span>,
    default: Option<Span>,
}

impl Checker<'_> {
    pub(super) fn block_item(&mut self, item: &BlockItem, out: &mut Vec<Stmt>) {
        match item {
            BlockItem::Declaration(declaration) => self.declaration(declaration, out),
            BlockItem::Function(definition) => self.function_definition(definition),
            BlockItem::Stmt(stmt) => {
                let stmt = self.stmt(stmt);
                out.push(stmt);
            }
            BlockItem::StaticAssert(assertion) => self.static_assert(assertion),
            BlockItem::LocalLabels(names) => {
                for &(name, span) in names {
                    let id = self.new_label(name, span);
                    if let Some(function) = self.functions.last_mut() {
                        let block = function.blocks.len().saturating_sub(1);
                        function.local_labels.push(LocalLabel { name, id, block, landing: None });
                    }
                }
            }
        }
    }

    /// Opens a block: a scope and a list of its locals. Returns the number of local labels in scope.
    fn open_block(&mut self) -> usize {
        self.scopes.enter();
        match self.functions.last_mut() {
            Some(function) => {
                function.blocks.push(Vec::new());
                function.local_labels.len()
            }
            None => 0,
        }
    }

    pub(super) fn close_block(&mut self, labels: usize, stmts: Vec<Stmt>, span: Span) -> Block {
        self.scopes.leave();
        let mut stmts = stmts;
        let locals = match self.functions.last_mut() {
            Some(function) => {
                let landings =
                    function.local_labels.drain(labels..).filter_map(|label| Some((label.id, label.landing?)));
                stmts.splice(0..0, landings.map(|(id, local)| Stmt { kind: StmtKind::Landing(id, local), span }));
                function.blocks.pop().unwrap_or_default()
            }
            None => Vec::new(),
        };
        Block { locals, stmts, span }
    }

    pub(super) fn compound(&mut self, compound: &Compound) -> Block {
        let labels = self.open_block();
        let mut stmts = Vec::with_capacity(compound.items.len());
        for item in &compound.items {
            self.block_item(item, &mut stmts);
        }
        self.close_block(labels, stmts, compound.span)
    }

    /// Checks the body of a loop or branch as a block, which only matters for locals created by its expressions.
    fn sub_stmt(&mut self, stmt: &ast::Stmt) -> Box<Stmt> {
        if matches!(stmt.kind, ast::StmtKind::Compound(_)) {
            return Box::new(self.stmt(stmt));
        }
        Box::new(self.in_block(|checker| checker.stmt(stmt)))
    }

    /// Checks a statement as a block of its own: the locals that its expressions create end with it.
    fn in_block(&mut self, check: impl FnOnce(&mut Self) -> Stmt) -> Stmt {
        let labels = self.open_block();
        let inner = check(self);
        let span = inner.span;
        let has_locals = self.functions.last().and_then(|f| f.blocks.last()).is_some_and(|b| !b.is_empty());
        if has_locals {
            let block = self.close_block(labels, vec![inner], span);
            return Stmt { kind: StmtKind::Block(block), span };
        }
        self.close_block(labels, Vec::new(), span);
        inner
    }

    fn test(&mut self, expr: &ast::Expr) -> Expr {
        let value = self.value(expr);
        self.condition(value)
    }

    pub(super) fn stmt(&mut self, stmt: &ast::Stmt) -> Stmt {
        let span = stmt.span;
        let kind = match &stmt.kind {
            ast::StmtKind::Expr(expr) => StmtKind::Expr(self.value(expr)),
            ast::StmtKind::Empty | ast::StmtKind::Error => StmtKind::Empty,
            ast::StmtKind::Compound(compound) => StmtKind::Block(self.compound(compound)),
            // A selection or iteration statement is a block: compound literals of its condition end with it (C11 6.8.4, 6.8.5).
            ast::StmtKind::If(..) => return self.in_block(|checker| checker.if_chain(stmt)),
            ast::StmtKind::While(cond, body) => {
                return self.in_block(|checker| {
                    let cond = checker.test(cond);
                    Stmt { kind: StmtKind::While(cond, checker.loop_body(body)), span }
                });
            }
            ast::StmtKind::DoWhile(body, cond) => {
                return self.in_block(|checker| {
                    let body = checker.loop_body(body);
                    Stmt { kind: StmtKind::DoWhile(body, checker.test(cond)), span }
                });
            }
            ast::StmtKind::For(init, cond, step, body) => self.for_loop(init, cond.as_ref(), step.as_ref(), body, span),
            ast::StmtKind::Switch(value, body) => {
                return self.in_block(|checker| Stmt { kind: checker.switch(value, body), span });
            }
            ast::StmtKind::Case(low, high, body) => self.case(low, high.as_ref(), body, span),
            ast::StmtKind::Default(body) => self.default(body, span),
            ast::StmtKind::Label(name, body) => {
                let label = self.define_label(*name, span);
                let body = Box::new(self.stmt(body));
                match label {
                    Some(label) => StmtKind::Label(label, body),
                    None => return *body,
                }
            }
            ast::StmtKind::Goto(name) => self.goto(*name, span),
            ast::StmtKind::GotoComputed(target) => {
                let value = self.value(target);
                let value = self.assign_convert(value, TypeId::VOID_PTR, Assigning::Assignment);
                StmtKind::GotoComputed(value)
            }
            ast::StmtKind::Break => {
                if self.functions.last().is_none_or(|f| f.breakable == 0) {
                    self.error(span, "'break' statement not in loop or switch statement");
                    return Stmt { kind: StmtKind::Empty, span };
                }
                StmtKind::Break
            }
            ast::StmtKind::Continue => {
                if self.functions.last().is_none_or(|f| f.loops == 0) {
                    self.error(span, "'continue' statement not in loop statement");
                    return Stmt { kind: StmtKind::Empty, span };
                }
                StmtKind::Continue
            }
            ast::StmtKind::Return(value) => self.return_stmt(value.as_ref(), span),
            ast::StmtKind::Asm(asm) => self.asm(asm),
        };
        Stmt { kind, span }
    }

    /// Checks `if … else if …` iteratively, since generated code contains long chains.
    fn if_chain(&mut self, stmt: &ast::Stmt) -> Stmt {
        let mut links = Vec::new();
        let mut tail = None;
        let mut at = stmt;
        loop {
            let ast::StmtKind::If(cond, then, otherwise) = &at.kind else {
                tail = Some(self.sub_stmt(at));
                break;
            };
            let cond = self.test(cond);
            let then = self.sub_stmt(then);
            links.push((cond, then, at.span));
            match otherwise {
                Some(next) => at = next,
                None => break,
            }
        }
        let mut result = tail;
        while let Some((cond, then, span)) = links.pop() {
            result = Some(Box::new(Stmt { kind: StmtKind::If(cond, then, result), span }));
        }
        result.map_or(Stmt { kind: StmtKind::Empty, span: stmt.span }, |s| *s)
    }

    fn loop_body(&mut self, body: &ast::Stmt) -> Box<Stmt> {
        if let Some(function) = self.functions.last_mut() {
            function.loops += 1;
            function.breakable += 1;
        }
        let body = self.sub_stmt(body);
        if let Some(function) = self.functions.last_mut() {
            function.loops -= 1;
            function.breakable -= 1;
        }
        body
    }

    fn for_loop(
        &mut self,
        init: &ForInit,
        cond: Option<&ast::Expr>,
        step: Option<&ast::Expr>,
        body: &ast::Stmt,
        span: Span,
    ) -> StmtKind {
        let labels = self.open_block();
        let mut stmts = Vec::new();
        match init {
            ForInit::None => {}
            ForInit::Expr(expr) => {
                let value = self.value(expr);
                stmts.push(Stmt { span: expr.span, kind: StmtKind::Expr(value) });
            }
            ForInit::Declaration(declaration) => self.declaration(declaration, &mut stmts),
        }
        let cond = cond.map(|c| self.test(c));
        let step = step.map(|s| self.value(s));
        let body = self.loop_body(body);
        let kind = StmtKind::For(cond, step, body);
        let has_locals = self.functions.last().and_then(|f| f.blocks.last()).is_some_and(|b| !b.is_empty());
        if stmts.is_empty() && !has_locals {
            self.close_block(labels, Vec::new(), span);
            return kind;
        }
        stmts.push(Stmt { kind, span });
        StmtKind::Block(self.close_block(labels, stmts, span))
    }

    fn switch(&mut self, value: &ast::Expr, body: &ast::Stmt) -> StmtKind {
        let value = self.value(value);
        let value = if self.is_integer(value.ty) || self.is_error(value.ty) {
            self.promote(value)
        } else {
            let text = format!("statement requires expression of integer type ('{}' invalid)", self.print(value.ty));
            self.error(value.span, text);
            self.error_expr(value.span)
        };
        let ty = value.ty;
        if let Some(function) = self.functions.last_mut() {
            function.switches.push(SwitchState { ty, cases: Vec::new(), spans: Vec::new(), default: None });
            function.breakable += 1;
        }
        let body = self.sub_stmt(body);
        let state = match self.functions.last_mut() {
            Some(function) => {
                function.breakable -= 1;
                function.switches.pop()
            }
            None => None,
        };
        let Some(state) = state else { return StmtKind::Empty };
        self.check_duplicate_cases(&state);
        StmtKind::Switch { value, body, cases: state.cases, has_default: state.default.is_some() }
    }

    fn check_duplicate_cases(&mut self, state: &SwitchState) {
        let wide = self.is_wide_unsigned(state.ty);
        let mut order: Vec<usize> = (0..state.cases.len()).collect();
        let key = |i: usize| {
            let low = state.cases[i].0;
            // Flip the sign bit so that the bits of unsigned values sort correctly.
            (if wide { low ^ i128::MIN } else { low }, i)
        };
        order.sort_by_key(|&i| key(i));
        for pair in order.windows(2) {
            let (first, second) = (state.cases[pair[0]], state.cases[pair[1]]);
            let overlap = if wide { second.0 as u128 <= first.1 as u128 } else { second.0 <= first.1 };
            if overlap {
                let (early, late) = (pair[0].min(pair[1]), pair[0].max(pair[1]));
                let text = format!("duplicate case value '{}'", second.0);
                self.error_with_note(state.spans[late], text, state.spans[early], "previous case defined here");
            }
        }
    }

    fn case(&mut self, low: &ast::Expr, high: Option<&ast::Expr>, body: &ast::Stmt, span: Span) -> StmtKind {
        let ty = self.functions.last().and_then(|f| f.switches.last()).map(|s| s.ty);
        let first = self.constant_integer(low);
        let last = match high {
            Some(high) => self.constant_integer(high),
            None => first,
        };
        let Some(ty) = ty else {
            self.error(span, "'case' statement not in switch statement");
            return self.stmt(body).kind;
        };
        let index = match (first, last, self.int_kind(ty)) {
            (Some(first), Some(last), Some(kind)) => {
                let first = integer::wrap(kind, self.target, first);
                let last = integer::wrap(kind, self.target, last);
                let empty = if self.is_wide_unsigned(ty) { first as u128 > last as u128 } else { first > last };
                if empty {
                    self.warning(low.span, "empty case range specified");
                    None
                } else {
                    let function = self.functions.last_mut();
                    function.and_then(|f| f.switches.last_mut()).map(|state| {
                        state.cases.push((first, last));
                        state.spans.push(low.span);
                        state.cases.len() as u32 - 1
                    })
                }
            }
            _ => None,
        };
        let body = self.stmt(body);
        match index {
            Some(index) => StmtKind::Case(index, Box::new(body)),
            None => body.kind,
        }
    }

    fn default(&mut self, body: &ast::Stmt, span: Span) -> StmtKind {
        let previous = self.functions.last_mut().and_then(|f| f.switches.last_mut()).map(|s| s.default.replace(span));
        match previous {
            None => self.error(span, "'default' statement not in switch statement"),
            Some(Some(at)) => {
                self.error_with_note(span, "multiple default labels in one switch", at, "previous case defined here")
            }
            Some(None) => return StmtKind::Default(Box::new(self.stmt(body))),
        }
        self.stmt(body).kind
    }

    fn return_stmt(&mut self, value: Option<&ast::Expr>, span: Span) -> StmtKind {
        let ret = self.return_type();
        let Some(expr) = value else {
            if ret != TypeId::VOID && !self.is_error(ret) {
                self.warning(span, "non-void function should return a value");
            }
            return StmtKind::Return(None);
        };
        let value = self.value(expr);
        if ret == TypeId::VOID {
            if value.ty != TypeId::VOID && !self.is_error(value.ty) {
                self.warning(expr.span, "void function should not return a value");
            }
            let value = self.convert(value, TypeId::VOID);
            return StmtKind::Return(Some(value));
        }
        if value.ty == TypeId::VOID {
            let text = format!("returning 'void' from a function with incompatible result type '{}'", self.print(ret));
            self.error(expr.span, text);
            return StmtKind::Return(None);
        }
        let value = self.assign_convert(value, ret, Assigning::Returning);
        StmtKind::Return(Some(value))
    }

    fn asm(&mut self, asm: &ast::Asm) -> StmtKind {
        // Check the operands, and treat them as accessed through memory.
        let mut operands = Vec::new();
        for operand in asm.outputs.iter().chain(&asm.inputs) {
            operands.push(match self.operand(operand) {
                Operand::Place(place) => {
                    self.mark_address_taken(&place);
                    // Computing the address of a named object has no side effects.
                    if !matches!(place.kind, PlaceKind::Deref(_)) || self.is_error(place.ty.ty) {
                        continue;
                    }
                    let ty = self.types.pointer(place.ty);
                    let span = place.span;
                    Expr { kind: ExprKind::AddressOf(Box::new(place)), ty, span }
                }
                Operand::Value(value) => value,
            });
        }
        for &label in &asm.labels {
            self.use_label(label, asm.span);
        }
        let nothing = asm.template.iter().all(u8::is_ascii_whitespace);
        if asm.empty || (nothing && asm.outputs.is_empty() && asm.labels.is_empty()) {
            let mut effects = self.int_expr(0, TypeId::INT, asm.span);
            for operand in operands.into_iter().rev() {
                effects = self.after_effects(operand, effects, asm.span);
            }
            return match effects.kind {
                ExprKind::Comma(..) => StmtKind::Expr(effects),
                _ => StmtKind::Empty,
            };
        }
        StmtKind::Unsupported("inline assembly".to_owned())
    }

    fn new_label(&mut self, name: Symbol, span: Span) -> LabelId {
        let Some(function) = self.functions.last_mut() else { return LabelId(0) };
        let id = LabelId(function.labels.len() as u32);
        function.labels.push(LabelState { name, defined: false, address_taken: false, span });
        id
    }

    /// Returns the label that a name denotes, creating it if necessary.
    ///
    /// Returns `None` for a local label of an enclosing function.
    fn use_label(&mut self, name: Symbol, span: Span) -> Option<LabelId> {
        let function = self.functions.last()?;
        if let Some(label) = function.local_labels.iter().rev().find(|label| label.name == name) {
            return Some(label.id);
        }
        if let Some(&id) = function.label_names.get(&name) {
            return Some(id);
        }
        // A `__label__` of an enclosing function: the jump leaves this function.
        let outer = self.functions.len() - 1;
        if self.functions[..outer].iter().any(|f| f.local_labels.iter().any(|label| label.name == name)) {
            return None;
        }
        let id = self.new_label(name, span);
        if let Some(function) = self.functions.last_mut() {
            function.label_names.insert(name, id);
        }
        Some(id)
    }

    fn define_label(&mut self, name: Symbol, span: Span) -> Option<LabelId> {
        let function = self.functions.last()?;
        let local = function.local_labels.iter().rev().find(|label| label.name == name).map(|label| label.id);
        let id = match local.or_else(|| function.label_names.get(&name).copied()) {
            Some(id) => id,
            None => {
                let id = self.new_label(name, span);
                self.functions.last_mut()?.label_names.insert(name, id);
                id
            }
        };
        let label = &mut self.functions.last_mut()?.labels[id.0 as usize];
        if label.defined {
            let at = label.span;
            let text = format!("redefinition of label '{}'", self.name(name));
            self.error_with_note(span, text, at, "previous definition is here");
            return None;
        }
        label.defined = true;
        label.span = span;
        Some(id)
    }

    fn goto(&mut self, name: Symbol, span: Span) -> StmtKind {
        match self.use_label(name, span) {
            Some(id) => StmtKind::Goto(id),
            None => self.jump_out(name, span),
        }
    }

    /// Checks a `goto` to a label that an enclosing function declares.
    ///
    /// The block of the label starts with a `Landing` (see [`Checker::close_block`]), which the jump reaches like
    /// `longjmp`.
    fn jump_out(&mut self, name: Symbol, span: Span) -> StmtKind {
        let ty = Type::Array(QualType::plain(TypeId::CHAR), ArrayLen::Fixed(JUMP_BYTES));
        let ty = QualType::plain(self.types.intern(ty));
        let outer = self.functions.len().saturating_sub(1);
        let mut found = None;
        for (level, function) in self.functions[..outer].iter_mut().enumerate().rev() {
            let Some(label) = function.local_labels.iter_mut().rev().find(|label| label.name == name) else { continue };
            let landing = *label.landing.get_or_insert_with(|| {
                let id = LocalId(function.locals.len() as u32);
                function.locals.push(Local { name: None, ty, address_taken: true, align: 16, cleanup: None, span });
                if let Some(block) = function.blocks.get_mut(label.block) {
                    block.push(id);
                }
                id
            });
            found = Some((level as u32 + 1, landing));
            break;
        }
        let Some((level, landing)) = found else { return StmtKind::Empty };
        let place = self.captured_place(level, landing, span);
        let pointer = self.types.pointer(place.ty);
        StmtKind::JumpOut(self.address_of(place, pointer))
    }

    pub(super) fn label_address(&mut self, name: Symbol, span: Span) -> Expr {
        if self.functions.is_empty() {
            self.error(span, "use of address-of-label extension outside of a function body");
            return self.error_expr(span);
        }
        match self.use_label(name, span) {
            Some(id) => {
                if let Some(function) = self.functions.last_mut() {
                    function.labels[id.0 as usize].address_taken = true;
                }
                Expr { kind: ExprKind::LabelAddress(id), ty: TypeId::VOID_PTR, span }
            }
            None => self.unsupported("address of a label of an enclosing function", TypeId::VOID_PTR, span),
        }
    }

    /// Checks `({ … })`, whose value is that of the last statement if it is an expression.
    pub(super) fn statement_expression(&mut self, body: &Compound, span: Span) -> Expr {
        if self.functions.is_empty() {
            self.error(span, "statement expression not allowed at file scope");
            return self.error_expr(span);
        }
        let pending = std::mem::take(&mut self.pending);
        let prototypes = std::mem::take(&mut self.counts.prototypes);
        let labels = self.open_block();
        let mut stmts = Vec::with_capacity(body.items.len());
        let mut value = None;
        for (index, item) in body.items.iter().enumerate() {
            match item {
                BlockItem::Stmt(stmt) if index + 1 == body.items.len() => {
                    value = self.last_value(stmt, &mut stmts);
                }
                _ => self.block_item(item, &mut stmts),
            }
        }
        let block = self.close_block(labels, stmts, body.span);
        self.pending = pending;
        self.counts.prototypes = prototypes;
        let ty = value.as_ref().map_or(TypeId::VOID, |v| v.ty);
        if self.is_error(ty) {
            return self.error_expr(span);
        }
        Expr { kind: ExprKind::StmtExpr(Box::new(block), value.map(Box::new)), ty, span }
    }

    fn last_value(&mut self, stmt: &ast::Stmt, stmts: &mut Vec<Stmt>) -> Option<Expr> {
        match &stmt.kind {
            ast::StmtKind::Expr(expr) => Some(self.value(expr)),
            ast::StmtKind::Label(name, body)
                if matches!(body.kind, ast::StmtKind::Expr(_) | ast::StmtKind::Label(..)) =>
            {
                if let Some(label) = self.define_label(*name, stmt.span) {
                    let empty = Box::new(Stmt { kind: StmtKind::Empty, span: stmt.span });
                    stmts.push(Stmt { kind: StmtKind::Label(label, empty), span: stmt.span });
                }
                self.last_value(body, stmts)
            }
            _ => {
                let stmt = self.stmt(stmt);
                stmts.push(stmt);
                None
            }
        }
    }
}
