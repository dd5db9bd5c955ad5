//! Two more things that loops keep. One variable is ahead of another along a chain of links, as where one goes twice as fast to
//! find the middle of a list: then the slow one does not come to the end. And a cell of a local variable is not null, as the link of an anchor
//! that a list is built behind.
//!
//! Both are found as all the rest is: what is true at the first arrival is kept as long as it is inductive.

use cairn_ir::Reg;
use cairn_rules::{Lit, Term};

use super::checker::{Checker, Flow};
use super::invariant::Fact;
use super::state::{Reach, State, Value};
use super::types::ClassId;

/// Links of one variable that are looked at.
const LINKS: usize = 8;

/// The node of one register is ahead of that of another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Ahead {
    from: Reg,
    to: Reg,
    class: ClassId,
}

/// A link in a local variable: the number of its slot, and where.
pub(super) type SlotLink = (usize, u64);

impl Checker<'_, '_> {
    /// What is ahead of what at a loop head, of what was known. At the first arrival, one link away.
    pub fn chains(&mut self, state: &State, facts: &[Fact], known: Option<&[Ahead]>) -> Vec<Ahead> {
        let possible = match known {
            Some(known) => known.to_vec(),
            None => self.neighbours(state, facts),
        };
        let mut out = Vec::new();
        for ahead in possible {
            if let Some(holds) = self.ahead(state, facts, ahead)
                && self.prove(&[!holds]).is_ok()
            {
                out.push(ahead);
            }
        }
        out
    }

    /// Registers with nodes of which one was just found to be linked from the other.
    fn neighbours(&self, state: &State, facts: &[Fact]) -> Vec<Ahead> {
        let at = |term: Term| {
            let holds = |&index: &usize| is_node(facts[index]) && is(state.frame().regs[index], term);
            (0..facts.len()).filter(holds).map(Reg::new).collect::<Vec<_>>()
        };
        let mut out = Vec::new();
        for &(class, address, value) in &state.held {
            let Some(offset) = self.theory.ahead(class).and_then(|_| self.types.chain_offset(class)) else { continue };
            for from in at(address - offset) {
                out.extend(at(value).into_iter().map(|to| Ahead { from, to, class }));
            }
        }
        out
    }

    fn ahead(&mut self, state: &State, facts: &[Fact], ahead: Ahead) -> Option<Lit> {
        let Ahead { from, to, class } = ahead;
        let predicate = self.theory.ahead(class)?;
        let node = |reg: Reg| match state.frame().regs[reg.index()] {
            Value::Term(term) if is_node(facts[reg.index()]) => Some(term),
            _ => None,
        };
        let args = [Term::constant(state.heaps[class.0 as usize]), node(from)?, node(to)?];
        Some(self.solver.constraint(predicate, &args))
    }

    /// The links in local variables that are not null, of those that were. An array of links is no such variable.
    pub fn set_links(&mut self, state: &State, known: Option<&[SlotLink]>) -> Vec<SlotLink> {
        let possible = match known {
            Some(known) => known.to_vec(),
            None => self.slot_links(state),
        };
        let mut out = Vec::new();
        for link in possible {
            let Some((class, address)) = self.slot_link(state, link) else { continue };
            let value = self.solver.fresh();
            let heap = Term::constant(state.heaps[class.0 as usize]);
            let cell = self.solver.constraint(self.theory.cell, &[heap, address, value]);
            let null = self.solver.equal(value, Term::constant(0));
            if self.prove(&[cell, null]).is_ok() {
                out.push(link);
            }
        }
        out
    }

    fn slot_links(&self, state: &State) -> Vec<SlotLink> {
        let mut out = Vec::new();
        for (slot, &address) in state.frames[0].slots.iter().enumerate() {
            let Some(node) = self.origin(address).and_then(|origin| origin.hint) else { continue };
            let node = self.types.node(node);
            if node.is_row(self.types) {
                continue;
            }
            let links = node.cells.iter().filter(|cells| self.types.class(cells.class).link.is_some());
            out.extend(links.filter(|cells| cells.count == 1).take(LINKS).map(|cells| (slot, cells.offset)));
        }
        out
    }

    fn slot_link(&self, state: &State, (slot, offset): SlotLink) -> Option<(ClassId, Term)> {
        let address = *state.frames[0].slots.get(slot)?;
        let node = self.types.node(self.origin(address)?.hint?);
        let cells = node.cells.iter().find(|cells| cells.offset == offset)?;
        Some((cells.class, address + offset as i64))
    }

    /// What a loop head assumes of all this.
    pub fn assume_chains(&mut self, state: &mut State, facts: &[Fact], chains: &[Ahead], set: &[SlotLink]) -> Flow {
        for &ahead in chains {
            if let Some(holds) = self.ahead(state, facts, ahead) {
                self.assume(holds)?;
            }
        }
        for &link in set {
            let Some((class, address)) = self.slot_link(state, link) else { continue };
            let value = self.read(state, class, address)?;
            let nonnull = !self.solver.equal(value, Term::constant(0));
            self.assume(nonnull)?;
            state.anchors.push((class, address));
        }
        Ok(())
    }

    /// What links in local variables hold that a call does not come across, to be put back behind it.
    pub fn links_to_keep(&mut self, state: &mut State, isolated: &[Term], except: Option<Term>) -> Flow<Vec<Kept>> {
        let slots = state.frames[0].slots.clone();
        let mine = |checker: &Self, address: Term| {
            let own = |slot: &&Term| slot.var == address.var;
            slots.iter().find(own).is_some_and(|slot| {
                (isolated.contains(slot) || checker.reach(*slot) == Reach::Private)
                    && except.is_none_or(|except| except.var != slot.var)
                    && !checker.is_row(*slot)
            })
        };
        let mut wanted = state.anchors.clone();
        wanted.extend(state.held.iter().map(|&(class, address, _)| (class, address)));
        wanted.retain(|&(class, address)| self.types.class(class).link.is_some() && mine(self, address));
        wanted.sort_unstable();
        wanted.dedup();
        let mut out = Vec::with_capacity(wanted.len());
        for (class, address) in wanted {
            out.push((class, address, self.read(state, class, address)?));
        }
        Ok(out)
    }

    fn is_row(&self, slot: Term) -> bool {
        let node = self.origin(slot).and_then(|origin| origin.hint);
        node.is_some_and(|node| self.types.node(node).is_row(self.types))
    }
}

/// A link, where it is, and what it holds.
pub(super) type Kept = (ClassId, Term, Term);

fn is_node(fact: Fact) -> bool {
    matches!(fact, Fact::Node { offset: 0, .. })
}

fn is(value: Value, term: Term) -> bool {
    matches!(value, Value::Term(held) if held == term)
}
