//! Calling contexts (thesis §2.5.4): which calls of a function have a summary in common. At first all have; a call that passes what no
//! other context of the function covers may be given one of its own, and the function has a body for each.

use std::collections::BTreeMap;

use cairn_ir::FuncId;

/// A call that is a placeholder: the function that it is in, with the body that this is inlined into, and where.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct CallSite {
    /// The function whose body it is in, and which of its contexts that is for.
    pub body: (FuncId, u32),
    /// The function that it is in.
    pub function: FuncId,
    /// The block.
    pub block: usize,
    /// The instruction.
    pub inst: usize,
    /// The function that is called.
    pub callee: FuncId,
}

/// Which context each call is for, by its number among those of the function.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Contexts {
    numbers: BTreeMap<CallSite, u32>,
}

impl Contexts {
    /// The context of a call. One in a body for a new context is taken for what it is in the first.
    pub fn of(&self, site: &CallSite) -> u32 {
        let first = || self.numbers.get(&CallSite { body: (site.body.0, 0), ..site.clone() });
        self.numbers.get(site).or_else(first).copied().unwrap_or(0)
    }

    /// A call is for this context.
    pub fn set(&mut self, site: CallSite, number: u32) {
        self.numbers.insert(site, number);
    }

    /// A number that no context of a function has.
    pub fn free_number(&self, function: FuncId) -> u32 {
        let of = self.numbers.iter().filter(|(site, _)| site.callee == function);
        of.map(|(_, number)| number + 1).max().unwrap_or(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_body_calls_as_the_first_does() {
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
