//! Interned identifiers: comparing two names is comparing two numbers.

use rustc_hash::FxHashMap;

/// An interned name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Symbol(pub u32);

/// The names of one run.
#[derive(Debug, Default)]
pub struct Interner {
    names: Vec<Box<str>>,
    index: FxHashMap<Box<str>, Symbol>,
}

impl Interner {
    /// The symbol of a name, new or known.
    pub fn intern(&mut self, name: &str) -> Symbol {
        if let Some(&symbol) = self.index.get(name) {
            return symbol;
        }
        let symbol = Symbol(self.names.len() as u32);
        self.names.push(name.into());
        self.index.insert(name.into(), symbol);
        symbol
    }

    /// The name of a symbol.
    pub fn name(&self, symbol: Symbol) -> &str {
        &self.names[symbol.0 as usize]
    }
}
