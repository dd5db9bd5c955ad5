//! Clauses and unit propagation, with two watched literals per clause.

use crate::search::{Conflict, Solver};
use crate::term::Lit;

impl Solver<'_> {
    pub(crate) fn assign(&mut self, lit: Lit, reason: Option<u32>) {
        self.assignment.values[lit.atom()] = if lit.is_negative() { -1 } else { 1 };
        self.assignment.levels[lit.atom()] = self.level() as u32;
        self.assignment.reasons[lit.atom()] = reason;
        self.assignment.trail.push(lit);
    }

    /// Adds a clause and propagates it if it is unit; returns a conflict if all its literals are false.
    pub(crate) fn add_clause(&mut self, mut lits: Vec<Lit>) -> Option<Conflict> {
        lits.sort_unstable();
        lits.dedup();
        if lits.contains(&Lit::TRUE) || lits.windows(2).any(|pair| pair[0] == !pair[1]) {
            return None;
        }
        lits.retain(|&lit| lit != Lit::FALSE);
        // Move the literals to watch to the front: true ones, then unassigned ones, then the most
        // recently falsified ones.
        lits.sort_by_key(|&lit| match self.value(lit) {
            Some(true) => (0, 0),
            None => (1, 0),
            Some(false) => (2, u32::MAX - self.assignment.levels[lit.atom()]),
        });
        let number = self.database.clauses.len() as u32;
        for &lit in lits.iter().take(2) {
            self.database.watches[lit.index()].push(number);
        }
        let first = lits.first().copied();
        let unit = lits.get(1).is_none_or(|&lit| self.value(lit) == Some(false));
        // If both watched literals belong to the same level, backtracking unassigns them together.
        // Otherwise it may unassign only one of them without unit propagation noticing.
        let level_of = |lit: Lit| self.value(lit).map_or(self.level() as u32, |_| self.assignment.levels[lit.atom()]);
        if unit && (lits.len() < 2 || level_of(lits[0]) != level_of(lits[1])) {
            self.database.late.push(number);
        }
        self.database.clauses.push(lits.into());
        match first.map(|lit| (lit, self.value(lit))) {
            None | Some((_, Some(false))) => Some(number),
            Some((lit, None)) if unit => {
                self.assign(lit, Some(number));
                None
            }
            _ => None,
        }
    }

    /// Re-examines late clauses after backtracking.
    ///
    /// Such a clause can still be unit although the level at which this was detected is gone.
    pub(crate) fn recheck(&mut self) -> Option<Conflict> {
        self.database.look_again = false;
        let mut index = 0;
        while index < self.database.late.len() {
            let number = self.database.late[index];
            let mut open = None;
            let (mut satisfied, mut count) = (false, 0);
            for &lit in &self.database.clauses[number as usize] {
                match self.value(lit) {
                    Some(true) => satisfied = true,
                    None => {
                        open = Some(lit);
                        count += 1;
                    }
                    Some(false) => {}
                }
            }
            if !satisfied && count == 0 {
                return Some(number);
            }
            if let (false, 1, Some(lit)) = (satisfied, count, open) {
                self.assign(lit, Some(number));
            }
            if count >= 2 && self.database.clauses[number as usize].len() >= 2 {
                // With two unassigned literals to watch, the clause is an ordinary clause again.
                self.rewatch(number);
                self.database.late.swap_remove(index);
            } else {
                index += 1;
            }
        }
        None
    }

    pub(crate) fn rewatch(&mut self, number: u32) {
        let mut lits = std::mem::take(&mut self.database.clauses[number as usize]);
        for &lit in lits.iter().take(2) {
            self.database.watches[lit.index()].retain(|&n| n != number);
        }
        lits.sort_by_key(|&lit| self.value(lit).is_some());
        for &lit in lits.iter().take(2) {
            self.database.watches[lit.index()].push(number);
        }
        self.database.clauses[number as usize] = lits;
    }

    pub(crate) fn unit_propagation(&mut self) -> Option<Conflict> {
        while self.assignment.queue < self.assignment.trail.len() {
            let falsified = !self.assignment.trail[self.assignment.queue];
            self.assignment.queue += 1;
            let watching = std::mem::take(&mut self.database.watches[falsified.index()]);
            let mut kept = Vec::with_capacity(watching.len());
            let mut conflict = None;
            for (position, &number) in watching.iter().enumerate() {
                let mut lits = std::mem::take(&mut self.database.clauses[number as usize]);
                if lits[0] == falsified && lits.len() > 1 {
                    lits.swap(0, 1);
                }
                let first = lits[0];
                if lits.len() == 1 || self.holds(first) {
                    kept.push(number);
                    self.database.clauses[number as usize] = lits;
                    continue;
                }
                let next = (2..lits.len()).find(|&at| self.value(lits[at]) != Some(false));
                if let Some(at) = next {
                    lits.swap(1, at);
                    self.database.watches[lits[1].index()].push(number);
                    self.database.clauses[number as usize] = lits;
                    continue;
                }
                kept.push(number);
                self.database.clauses[number as usize] = lits;
                if self.value(first) == Some(false) {
                    conflict = Some(number);
                    kept.extend_from_slice(&watching[position + 1..]);
                    break;
                }
                self.assign(first, Some(number));
            }
            self.database.watches[falsified.index()].extend(kept);
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }
}
