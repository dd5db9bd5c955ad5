//! Parses statements and blocks.

use cairn_ir::source::Span;

use super::declaration::Declared;
use super::scope::Meaning;
use super::specifiers::Place;
use super::{Parse, Parser};
use crate::ast::{BlockItem, Compound, Expr, ForInit, Stmt, StmtKind};
use crate::lex::{Token, TokenKind};
use crate::symbol::Symbol;

/// A label before a statement.
enum Label {
    Name(Symbol),
    Case(Expr, Option<Expr>),
    Default,
}

impl Parser<'_> {
    /// Parses a block in a new scope.
    pub(super) fn compound_in_scope(&mut self) -> Parse<Compound> {
        let scope = self.open_scope();
        let result = self.compound();
        self.close_scope(scope);
        result
    }

    /// Parses a block whose scope is already open.
    pub(super) fn compound(&mut self) -> Parse<Compound> {
        self.nest(|p| {
            let open = p.token();
            p.expect(TokenKind::LBrace, "")?;
            let mut items = Vec::new();
            let links = p.links;
            let mut deepest = links;
            while !matches!(p.kind(), TokenKind::RBrace | TokenKind::Eof) {
                let before = p.pos;
                p.links = links;
                match p.block_item() {
                    Ok(item) => items.push(item),
                    Err(_) => {
                        p.skip_statement();
                        if p.pos == before {
                            p.bump();
                        }
                        let span = Span::new(p.tokens[before].start, p.previous_end());
                        items.push(BlockItem::Stmt(Stmt { kind: StmtKind::Error, span }));
                    }
                }
                deepest = deepest.max(p.links);
            }
            p.links = deepest;
            p.expect_close(open, TokenKind::RBrace);
            Ok(Compound { items, span: p.span_from(open.start) })
        })
    }

    fn block_item(&mut self) -> Parse<BlockItem> {
        use TokenKind as T;
        match self.kind() {
            T::Ident if self.peek(1) == T::Colon => Ok(BlockItem::Stmt(self.labelled(true)?)),
            T::Case | T::Default => Ok(BlockItem::Stmt(self.labelled(true)?)),
            T::Ident => {
                let token = self.token();
                let declaration = match self.meaning(token.symbol()) {
                    Meaning::Typedef | Meaning::UnknownType => true,
                    Meaning::Keyword => self.at_declaration(),
                    Meaning::Ordinary | Meaning::Undeclared => self.at_unknown_type(),
                };
                if declaration { self.block_declaration() } else { Ok(BlockItem::Stmt(self.statement()?)) }
            }
            T::Label => self.local_labels(),
            T::Attribute => self.attributed_item(),
            T::LBracket if self.at_attribute() => self.attributed_item(),
            T::Extension => {
                let mut ahead = 1;
                while self.peek(ahead) == T::Extension {
                    ahead += 1;
                }
                let start = self.pos;
                self.pos += ahead;
                if self.at_declaration() {
                    return self.block_declaration();
                }
                self.pos = start;
                Ok(BlockItem::Stmt(self.statement()?))
            }
            _ if self.at_declaration() => self.block_declaration(),
            _ => Ok(BlockItem::Stmt(self.statement()?)),
        }
    }

    fn block_declaration(&mut self) -> Parse<BlockItem> {
        if self.keyword_of(self.token()) == TokenKind::StaticAssert {
            return Ok(BlockItem::StaticAssert(self.static_assert()?));
        }
        Ok(match self.declaration(Place::Block, Vec::new())? {
            Declared::Declaration(declaration) => BlockItem::Declaration(declaration),
            Declared::Function(function) => BlockItem::Function(function),
        })
    }

    /// Parses an item that starts with attributes, possibly an empty statement such as `[[fallthrough]];`.
    fn attributed_item(&mut self) -> Parse<BlockItem> {
        let start = self.start();
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        if self.at(TokenKind::Semi) {
            self.bump();
            return Ok(BlockItem::Stmt(Stmt { kind: StmtKind::Empty, span: self.span_from(start) }));
        }
        if self.at(TokenKind::Extension) || self.at_declaration() || self.at_unknown_type() {
            return Ok(match self.declaration(Place::Block, attributes)? {
                Declared::Declaration(declaration) => BlockItem::Declaration(declaration),
                Declared::Function(function) => BlockItem::Function(function),
            });
        }
        self.block_item()
    }

    /// Parses `__label__ a, b;`.
    fn local_labels(&mut self) -> Parse<BlockItem> {
        self.bump();
        let mut labels = Vec::new();
        loop {
            if !self.at(TokenKind::Ident) {
                return Err(self.expected("label name"));
            }
            let token = self.take();
            labels.push((token.symbol(), token.span()));
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect_semi("after '__label__'");
        Ok(BlockItem::LocalLabels(labels))
    }

    /// Parses a statement.
    pub(super) fn statement(&mut self) -> Parse<Stmt> {
        use TokenKind as T;
        let start = self.start();
        let kind = match self.kind() {
            T::Ident if self.peek(1) == T::Colon => return self.labelled(false),
            T::Case | T::Default => return self.labelled(false),
            T::LBrace => StmtKind::Compound(self.compound_in_scope()?),
            T::Semi => {
                self.bump();
                StmtKind::Empty
            }
            T::If => return self.nest(Self::if_statement),
            T::While => {
                let keyword = self.take();
                let condition = self.condition(keyword)?;
                StmtKind::While(condition, Box::new(self.body()?))
            }
            T::Do => self.do_statement()?,
            T::For => self.for_statement()?,
            T::Switch => {
                let keyword = self.take();
                let value = self.condition(keyword)?;
                StmtKind::Switch(value, Box::new(self.body()?))
            }
            T::Goto => self.goto()?,
            T::Break => {
                self.bump();
                self.expect_semi("after 'break'");
                StmtKind::Break
            }
            T::Continue => {
                self.bump();
                self.expect_semi("after 'continue'");
                StmtKind::Continue
            }
            T::Return => {
                self.bump();
                let value = if self.at(T::Semi) { None } else { Some(self.expression()?) };
                self.expect_semi("after return statement");
                StmtKind::Return(value)
            }
            T::Asm => {
                let asm = self.asm()?;
                self.expect_semi("after asm statement");
                StmtKind::Asm(asm)
            }
            T::Attribute | T::LBracket if self.at_attribute() => {
                self.skip_attributes()?;
                return self.nest(Self::statement);
            }
            T::Else => {
                let failed = self.error_at(self.token().span(), "'else' without a previous 'if'");
                self.bump();
                return Err(failed);
            }
            _ if self.at_declaration() || self.at_unknown_type() => return self.misplaced_declaration(),
            _ => {
                let expr = self.expression()?;
                self.expect_semi("after expression");
                StmtKind::Expr(expr)
            }
        };
        Ok(Stmt { kind, span: self.span_from(start) })
    }

    /// Parses the body of a control statement.
    fn body(&mut self) -> Parse<Stmt> {
        self.nest(Self::statement)
    }

    /// Reports and parses a declaration where only a statement is permitted, which avoids follow-up errors.
    #[cold]
    fn misplaced_declaration(&mut self) -> Parse<Stmt> {
        let start = self.start();
        let span = self.token().span();
        self.error_at(span, "expected statement; a declaration is not allowed here");
        self.block_declaration()?;
        Ok(Stmt { kind: StmtKind::Error, span: self.span_from(start) })
    }

    /// Parses `(condition)`.
    fn condition(&mut self, keyword: Token) -> Parse<Expr> {
        let open = self.token();
        self.expect(TokenKind::LParen, &format!("after '{}'", keyword.kind.text()))?;
        let condition = self.expression()?;
        self.expect_close(open, TokenKind::RParen);
        Ok(condition)
    }

    /// Parses labels and the labelled statement. In a block, a declaration or the closing brace may follow a label.
    fn labelled(&mut self, in_block: bool) -> Parse<Stmt> {
        let mut labels = Vec::new();
        loop {
            let start = self.start();
            let label = match self.kind() {
                TokenKind::Case => {
                    self.bump();
                    let first = self.conditional()?;
                    let last = if self.eat(TokenKind::Ellipsis) { Some(self.conditional()?) } else { None };
                    self.expect(TokenKind::Colon, "after 'case'")?;
                    Label::Case(first, last)
                }
                TokenKind::Default => {
                    self.bump();
                    self.expect(TokenKind::Colon, "after 'default'")?;
                    Label::Default
                }
                TokenKind::Ident if self.peek(1) == TokenKind::Colon => {
                    let name = self.take().symbol();
                    self.bump();
                    Label::Name(name)
                }
                _ => break,
            };
            self.link()?;
            labels.push((label, start));
        }
        let alone = self.at(TokenKind::RBrace)
            || in_block
                && (self.at_attribute()
                    || matches!(self.kind(), TokenKind::Extension | TokenKind::Label)
                    || self.at_declaration()
                    || self.at_unknown_type());
        let mut statement =
            if alone { Stmt { kind: StmtKind::Empty, span: self.place_behind() } } else { self.body()? };
        for (label, start) in labels.into_iter().rev() {
            let span = Span::new(start, statement.span.end);
            let inner = Box::new(statement);
            let kind = match label {
                Label::Name(name) => StmtKind::Label(name, inner),
                Label::Case(first, last) => StmtKind::Case(first, last, inner),
                Label::Default => StmtKind::Default(inner),
            };
            statement = Stmt { kind, span };
        }
        Ok(statement)
    }

    /// Parses `if … else if … else`. The branches are collected and assembled from the end.
    fn if_statement(&mut self) -> Parse<Stmt> {
        let mut branches = Vec::new();
        let mut otherwise = None;
        loop {
            let keyword = self.take();
            let condition = self.condition(keyword)?;
            let then = self.body()?;
            branches.push((keyword.start, condition, then));
            if !self.eat(TokenKind::Else) {
                break;
            }
            self.link()?;
            if !self.at(TokenKind::If) {
                otherwise = Some(self.body()?);
                break;
            }
        }
        let end = self.previous_end();
        let mut result = otherwise;
        for (start, condition, then) in branches.into_iter().rev() {
            let kind = StmtKind::If(condition, Box::new(then), result.map(Box::new));
            result = Some(Stmt { kind, span: Span::new(start, end) });
        }
        // The loop pushes at least one branch, so there is a statement.
        result.ok_or(super::Failed)
    }

    fn do_statement(&mut self) -> Parse<StmtKind> {
        self.bump();
        let body = Box::new(self.body()?);
        let keyword = self.token();
        self.expect(TokenKind::While, "after the body of a 'do' statement")?;
        let condition = self.condition(keyword)?;
        self.expect_semi("after 'do' statement");
        Ok(StmtKind::DoWhile(body, condition))
    }

    fn for_statement(&mut self) -> Parse<StmtKind> {
        let scope = self.open_scope();
        let result = self.for_in_scope();
        self.close_scope(scope);
        result
    }

    fn for_in_scope(&mut self) -> Parse<StmtKind> {
        self.bump();
        let open = self.token();
        self.expect(TokenKind::LParen, "after 'for'")?;
        self.skip_attributes()?;
        while self.at(TokenKind::Extension) && self.peek(1) != TokenKind::LParen {
            self.bump();
        }
        let init = if self.eat(TokenKind::Semi) {
            ForInit::None
        } else if self.at_declaration() || self.at_unknown_type() {
            match self.declaration(Place::Block, Vec::new())? {
                Declared::Declaration(declaration) => ForInit::Declaration(declaration),
                Declared::Function(function) => {
                    return Err(self.error_at(function.span, "function definition is not allowed here"));
                }
            }
        } else {
            let expr = self.expression()?;
            self.expect(TokenKind::Semi, "in 'for' statement")?;
            ForInit::Expr(expr)
        };
        let condition = if self.at(TokenKind::Semi) { None } else { Some(self.expression()?) };
        self.expect(TokenKind::Semi, "in 'for' statement")?;
        let step = if self.at(TokenKind::RParen) { None } else { Some(self.expression()?) };
        self.expect_close(open, TokenKind::RParen);
        Ok(StmtKind::For(Box::new(init), condition, step, Box::new(self.body()?)))
    }

    fn goto(&mut self) -> Parse<StmtKind> {
        self.bump();
        let kind = if self.eat(TokenKind::Star) {
            StmtKind::GotoComputed(self.expression()?)
        } else if self.at(TokenKind::Ident) {
            StmtKind::Goto(self.take().symbol())
        } else {
            return Err(self.expected("label after 'goto'"));
        };
        self.expect_semi("after 'goto'");
        Ok(kind)
    }
}
