//! Scopes.
//!
//! Each name has a stack of bindings, and leaving a scope undoes the bindings made in it. A look-up takes two array
//! accesses at any nesting depth.

use cairn_ir::ctype::{EnumId, QualType, RecordId, TypeId};
use cairn_ir::source::Span;

use crate::hir::LocalId;
use crate::symbol::Symbol;

/// An index into the checker's globals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct GlobalIndex(pub u32);

/// The meaning of an ordinary identifier.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Entity {
    /// A function, global or static local.
    Global(GlobalIndex),
    /// A local variable of the function at the given nesting level.
    Local(u32, LocalId),
    /// A type name, with the alignment that its declaration requested (0 for none).
    Typedef(QualType, u64),
    /// An enumerator.
    Enumerator(i128, TypeId),
    /// A parameter of a prototype, of which only the type matters.
    PrototypeParam(QualType),
    /// A name with an invalid declaration.
    Error,
}

/// The meaning of a tag.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tag {
    Record(RecordId),
    Enum(EnumId),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Binding<T> {
    symbol: Symbol,
    previous: u32,
    depth: u32,
    pub span: Span,
    pub value: T,
}

/// A name space. For each symbol, `heads` holds 1 + the index of its innermost binding, or 0.
#[derive(Debug)]
pub(crate) struct Namespace<T> {
    heads: Vec<u32>,
    bindings: Vec<Binding<T>>,
}

impl<T> Default for Namespace<T> {
    fn default() -> Self {
        Self { heads: Vec::new(), bindings: Vec::new() }
    }
}

impl<T: Copy> Namespace<T> {
    fn bind(&mut self, symbol: Symbol, value: T, span: Span, depth: u32) {
        let index = symbol.0 as usize;
        if index >= self.heads.len() {
            self.heads.resize(index + 64, 0);
        }
        self.bindings.push(Binding { symbol, previous: self.heads[index], depth, span, value });
        self.heads[index] = self.bindings.len() as u32;
    }

    fn get(&self, symbol: Symbol) -> Option<&Binding<T>> {
        let head = *self.heads.get(symbol.0 as usize)?;
        self.bindings.get((head as usize).checked_sub(1)?)
    }

    fn get_mut(&mut self, symbol: Symbol) -> Option<&mut Binding<T>> {
        let head = *self.heads.get(symbol.0 as usize)?;
        self.bindings.get_mut((head as usize).checked_sub(1)?)
    }

    fn truncate(&mut self, mark: usize) {
        while self.bindings.len() > mark {
            if let Some(binding) = self.bindings.pop() {
                self.heads[binding.symbol.0 as usize] = binding.previous;
            }
        }
    }
}

/// The bindings of a closed scope, for entering it again.
#[derive(Debug)]
pub(crate) struct Saved {
    ordinary: Vec<Binding<Entity>>,
    tags: Vec<Binding<Tag>>,
}

/// All open scopes.
#[derive(Debug, Default)]
pub(crate) struct Scopes {
    ordinary: Namespace<Entity>,
    tags: Namespace<Tag>,
    marks: Vec<(usize, usize)>,
}

impl Scopes {
    pub fn enter(&mut self) {
        self.marks.push((self.ordinary.bindings.len(), self.tags.bindings.len()));
    }

    pub fn leave(&mut self) {
        if let Some((ordinary, tags)) = self.marks.pop() {
            self.ordinary.truncate(ordinary);
            self.tags.truncate(tags);
        }
    }

    /// Leaves the scope and returns its bindings.
    pub fn leave_saving(&mut self) -> Saved {
        let (ordinary, tags) = self.marks.last().copied().unwrap_or_default();
        let saved =
            Saved { ordinary: self.ordinary.bindings[ordinary..].to_vec(), tags: self.tags.bindings[tags..].to_vec() };
        self.leave();
        saved
    }

    /// Enters a scope with the bindings of a closed one.
    pub fn enter_again(&mut self, saved: Saved) {
        self.enter();
        for binding in saved.ordinary {
            self.bind(binding.symbol, binding.value, binding.span);
        }
        for binding in saved.tags {
            self.bind_tag(binding.symbol, binding.value, binding.span);
        }
    }

    fn depth(&self) -> u32 {
        self.marks.len() as u32
    }

    pub fn at_file_scope(&self) -> bool {
        self.marks.is_empty()
    }

    pub fn bind(&mut self, symbol: Symbol, value: Entity, span: Span) {
        let depth = self.depth();
        self.ordinary.bind(symbol, value, span, depth);
    }

    pub fn bind_tag(&mut self, symbol: Symbol, value: Tag, span: Span) {
        let depth = self.depth();
        self.tags.bind(symbol, value, span, depth);
    }

    pub fn lookup(&self, symbol: Symbol) -> Option<Entity> {
        self.ordinary.get(symbol).map(|b| b.value)
    }

    /// Returns the binding of the innermost scope itself.
    pub fn lookup_here(&self, symbol: Symbol) -> Option<&Binding<Entity>> {
        self.ordinary.get(symbol).filter(|b| b.depth == self.depth())
    }

    pub fn lookup_here_mut(&mut self, symbol: Symbol) -> Option<&mut Binding<Entity>> {
        let depth = self.depth();
        self.ordinary.get_mut(symbol).filter(|b| b.depth == depth)
    }

    pub fn lookup_tag(&self, symbol: Symbol) -> Option<&Binding<Tag>> {
        self.tags.get(symbol)
    }

    pub fn lookup_tag_here(&self, symbol: Symbol) -> Option<&Binding<Tag>> {
        self.tags.get(symbol).filter(|b| b.depth == self.depth())
    }
}
