//! Rules for heaps that change, and for the order of unsigned integers.

use cairn_rules::{Atom, Body, Pattern, Rule};

use super::Theory;

impl Theory {
    /// Adds the rules of the heap solver: heaps are functions, and a cell of a changed heap is new or was there before.
    pub(super) fn add_heap_rules(&mut self) {
        let [p, v, f, g, q, w, low, high] = std::array::from_fn(|number| Pattern::var(number as u8));
        let heaps = self.heaps;
        let before = heaps.cell.of([f, q, w]);
        self.rules.add(Rule::simpagation(
            "function",
            vec![heaps.cell.of([f, p, v])],
            vec![heaps.cell.of([f, p, w])],
            Body::all(vec![Atom::Equal(v, w)]),
        ));
        self.rules.add(Rule::propagation(
            "write",
            vec![heaps.write.of([f, p, v, g]), heaps.cell.of([g, q, w])],
            Body::any(vec![vec![Atom::Equal(q, p), Atom::Equal(w, v)], vec![Atom::Differ(q, p), before.clone()]]),
        ));
        let inside = vec![Atom::AtMost(low, q), Atom::AtMost(q, high)];
        let below = vec![Atom::AtMost(q.plus(1), low), before.clone()];
        let above = vec![Atom::AtMost(high.plus(1), q), before];
        let filled = inside.iter().cloned().chain([Atom::Equal(w, v)]).collect();
        self.rules.add(Rule::propagation(
            "fill",
            vec![heaps.fill.of([f, low, high, v, g]), heaps.cell.of([g, q, w])],
            Body::any(vec![filled, below.clone(), above.clone()]),
        ));
        self.rules.add(Rule::propagation(
            "wipe",
            vec![heaps.wipe.of([f, low, high, g]), heaps.cell.of([g, q, w])],
            Body::any(vec![inside, below, above]),
        ));
    }

    /// Adds the rules for the order of unsigned integers: a case distinction on the signs.
    pub(super) fn add_order_rules(&mut self) {
        let (a, b, zero) = (Pattern::var(0), Pattern::var(1), Pattern::constant(0));
        let (positive, negative) = (|a| Atom::AtMost(zero, a), |a: Pattern| Atom::AtMost(a.plus(1), zero));
        let less = Atom::AtMost(a.plus(1), b);
        let not_less = Atom::AtMost(b, a);
        self.rules.add(Rule::propagation(
            "below",
            vec![self.below.of([a, b])],
            Body::any(vec![vec![positive(a), less.clone()], vec![positive(a), negative(b)], vec![negative(b), less]]),
        ));
        self.rules.add(Rule::propagation(
            "not below",
            vec![self.below.not([a, b])],
            Body::any(vec![
                vec![positive(b), not_less.clone()],
                vec![negative(a), positive(b)],
                vec![negative(a), not_less],
            ]),
        ));
    }
}
