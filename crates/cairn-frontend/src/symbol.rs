//! Interned identifiers, so that comparing names means comparing numbers.
//!
//! The keywords of C have the smallest numbers, in the order of [`crate::lex::keywords`]. A single comparison therefore
//! separates keywords from identifiers.

use crate::lex::keywords;

/// An interned name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Symbol(pub u32);

/// The table of all interned names.
#[derive(Debug)]
pub struct Interner {
    /// The concatenation of all names.
    text: String,
    /// The end of each name in `text`.
    ends: Vec<usize>,
    /// An open-addressing hash table. Its length is a power of two, and at least a third of it is free.
    table: Vec<Slot>,
}

/// An entry of the hash table: the hash of a name, and its symbol plus one (zero for a free entry).
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    hash: u32,
    symbol: u32,
}

impl Default for Interner {
    fn default() -> Self {
        let mut interner = Self { text: String::new(), ends: Vec::new(), table: vec![Slot::default(); 1024] };
        for name in keywords::spellings() {
            interner.intern(name);
        }
        interner
    }
}

impl Interner {
    /// Returns the symbol of a name, adding the name if necessary.
    pub fn intern(&mut self, name: &str) -> Symbol {
        let hash = hash(name.as_bytes());
        let mask = self.table.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.table[at];
            if slot.symbol == 0 {
                break;
            }
            let symbol = Symbol(slot.symbol - 1);
            if slot.hash == hash && self.name(symbol) == name {
                return symbol;
            }
            at = (at + 1) & mask;
        }
        let symbol = Symbol(self.ends.len() as u32);
        self.text.push_str(name);
        self.ends.push(self.text.len());
        self.table[at] = Slot { hash, symbol: symbol.0 + 1 };
        if self.ends.len() * 3 > self.table.len() * 2 {
            self.grow();
        }
        symbol
    }

    /// Returns the name of a symbol.
    pub fn name(&self, symbol: Symbol) -> &str {
        let index = symbol.0 as usize;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.text[start..self.ends[index]]
    }

    /// Returns the number of names, which is greater than every symbol's number.
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    fn grow(&mut self) {
        let mask = self.table.len() * 2 - 1;
        let mut table = vec![Slot::default(); mask + 1];
        for &slot in self.table.iter().filter(|slot| slot.symbol != 0) {
            let mut at = slot.hash as usize & mask;
            while table[at].symbol != 0 {
                at = (at + 1) & mask;
            }
            table[at] = slot;
        }
        self.table = table;
    }
}

/// Hashes eight bytes at a time; the last eight may overlap the previous ones.
fn hash(bytes: &[u8]) -> u32 {
    const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |state: u64, word: u64| (state.rotate_left(23) ^ word).wrapping_mul(MULTIPLIER);
    let mut state = bytes.len() as u64;
    if let Some(last) = bytes.last_chunk::<8>() {
        let (words, _) = bytes.as_chunks::<8>();
        for word in words {
            state = mix(state, u64::from_le_bytes(*word));
        }
        state = mix(state, u64::from_le_bytes(*last));
    } else if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let word = u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << 32;
        state = mix(state, word);
    } else {
        let word = bytes.iter().fold(0, |word, &byte| word << 8 | u64::from(byte));
        state = mix(state, word);
    }
    ((state >> 32) ^ (state >> 15)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_have_equal_symbols() {
        let mut interner = Interner::default();
        let names: Vec<String> = (0..5000).map(|i| format!("name{i}")).collect();
        let symbols: Vec<Symbol> = names.iter().map(|name| interner.intern(name)).collect();
        for (name, &symbol) in names.iter().zip(&symbols) {
            assert_eq!(interner.intern(name), symbol);
            assert_eq!(interner.name(symbol), name);
        }
        assert_eq!(interner.count(), keywords::spellings().count() + names.len());
    }

    #[test]
    fn keywords_come_first() {
        let mut interner = Interner::default();
        for (index, name) in keywords::spellings().enumerate() {
            assert_eq!(interner.intern(name), Symbol(index as u32), "{name}");
        }
    }
}
