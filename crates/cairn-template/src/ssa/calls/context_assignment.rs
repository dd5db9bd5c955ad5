//! The assignment of calls to calling contexts (thesis §2.5.4).
//!
//! At first all calls of a function share one context. A call whose inputs no other context subsumes may get a context
//! of its own, and the function has one body per context.

use std::collections::BTreeMap;

use cairn_ir::FuncId;

/// A placeholder call: the body it is in, the function it was inlined from, and its position there.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct CallSite {
    /// The function of the body that contains the call, and the number of that body's context.
    pub body: (FuncId, u32),
    /// The function that contains the call.
    pub function: FuncId,
    /// The block.
    pub block: usize,
    /// The instruction.
    pub inst: usize,
    /// The called function.
    pub callee: FuncId,
}

/// The context number of each call, unique per function.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Contexts {
    numbers: BTreeMap<CallSite, u32>,
}

impl Contexts {
    /// Returns the context of a call. A call in the body of a new context defaults to its context in the first body.
    pub fn of(&self, site: &CallSite) -> u32 {
        let first = || self.numbers.get(&CallSite { body: (site.body.0, 0), ..site.clone() });
        self.numbers.get(site).or_else(first).copied().unwrap_or(0)
    }

    /// Iterates over the calls with a context of their own.
    pub fn iter(&self) -> impl Iterator<Item = (&CallSite, &u32)> {
        self.numbers.iter()
    }

    /// Assigns a call to a context.
    pub fn set(&mut self, site: CallSite, number: u32) {
        self.numbers.insert(site, number);
    }

    /// Returns an unused context number of a function.
    pub fn free_number(&self, function: FuncId) -> u32 {
        let of = self.numbers.iter().filter(|(site, _)| site.callee == function);
        of.map(|(_, number)| number + 1).max().unwrap_or(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_body_inherits_the_contexts_of_the_first() {
        let site = |number, inst| CallSite {
            body: (FuncId(1), number),
            function: FuncId(1),
            block: 0,
            inst,
            callee: FuncId(2),
        };
        let mut contexts = Contexts::default();
        assert_eq!((contexts.of(&site(0, 3)), contexts.free_number(FuncId(2))), (0, 1));
        contexts.set(site(0, 3), 1);
        assert_eq!((contexts.of(&site(0, 3)), contexts.of(&site(1, 3)), contexts.of(&site(0, 4))), (1, 1, 0));
        contexts.set(site(1, 3), contexts.free_number(FuncId(2)));
        assert_eq!((contexts.of(&site(0, 3)), contexts.of(&site(1, 3))), (1, 2));
    }
}
