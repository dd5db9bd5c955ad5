//! Rules for arrays of links, chains of links and links with tags. These go beyond the paper.

use cairn_rules::{Atom, Body, Guard, Pattern, Rule};

use super::super::types::NodeTypes;
use super::Theory;

impl Theory {
    /// Adds the rules for arrays that are filled one by one.
    ///
    /// Addresses are compared by their order here, because the facts that are known about them are bounds.
    pub(super) fn add_row_rules(&mut self, types: &NodeTypes<'_>) {
        let [p, v, f, g, q, w, low, high, _, _, epoch] = std::array::from_fn(|number| Pattern::var(number as u8));
        let width = types.classes().filter(|(_, class)| class.row).map(|(_, class)| class.width as i64).min();
        let Some(width) = width else { return };
        let heaps = self.heaps;
        let before = heaps.cell.of([f, q, w]);
        self.rules.add(Rule::propagation(
            "put",
            vec![heaps.put.of([f, p, v, g]), heaps.cell.of([g, q, w])],
            Body::any(vec![
                vec![Atom::Equal(q, p), Atom::Equal(w, v)],
                vec![Atom::AtMost(q.plus(width), p), before.clone()],
                vec![Atom::AtMost(p.plus(width), q), before.clone()],
            ]),
        ));
        let other = heaps.cell.of([v, q, w]);
        self.rules.add(Rule::propagation(
            "keep",
            vec![heaps.keep.of([f, low, high, v, g]), heaps.cell.of([g, q, w])],
            Body::any(vec![
                vec![Atom::AtMost(low, q), Atom::AtMost(q, high), before],
                vec![Atom::AtMost(q.plus(1), low), other.clone()],
                vec![Atom::AtMost(high.plus(1), q), other],
            ]),
        ));
        for (id, class) in types.classes() {
            let (Some(filled), Some(link)) = (self.filled(id), class.link) else { continue };
            let node = self.node(link).of([w, epoch]);
            self.rules.add(Rule::propagation(
                &format!("filled {}", class.name),
                vec![filled.of([f, low, high, p, epoch]), heaps.cell.of([f, q, w])],
                Body::any(vec![
                    vec![Atom::AtMost(q.plus(1), low), node.clone()],
                    vec![Atom::AtMost(high.plus(1), q), node],
                    vec![Atom::AtMost(low, q), Atom::AtMost(q, high)],
                    vec![Atom::Equal(q, p)],
                ]),
            ));
        }
    }

    /// Adds the rules for chains of links: `ahead` unfolds along known links, and is transitive.
    pub(super) fn add_chain_rules(&mut self, types: &NodeTypes<'_>) {
        let [p, v, f, _, q, w] = std::array::from_fn(|number| Pattern::var(number as u8));
        let zero = Pattern::constant(0);
        for (id, class) in types.classes() {
            let (Some(ahead), Some(offset)) = (self.ahead(id), types.chain_offset(id)) else { continue };
            let mut add = |kind: &str, heads: Vec<Atom>, body: Body| {
                self.rules.add(Rule::propagation(&format!("{kind} {}", class.name), heads, body));
            };
            let link = self.heaps.cell.of([f, p.plus(offset), v]);
            add(
                "ahead",
                vec![ahead.of([f, p, q]), link.clone()],
                Body::any(vec![vec![Atom::Equal(v, q)], vec![Atom::Differ(v, zero), ahead.of([f, v, q])]]),
            );
            let not_ahead = vec![ahead.not([f, p, q]), link];
            add("not next", not_ahead.clone(), Body::all(vec![Atom::Differ(v, q)]));
            let later = Body::any(vec![vec![ahead.not([f, v, q])], vec![Atom::Equal(v, zero)]]);
            add("not ahead", not_ahead, later);
            let further = vec![ahead.of([f, p, q]), ahead.not([f, p, w])];
            add("not there", further.clone(), Body::all(vec![Atom::Differ(q, w)]));
            let behind = Body::any(vec![vec![ahead.not([f, q, w])], vec![Atom::Equal(q, zero)]]);
            add("not further", further, behind);
        }
    }

    /// Adds the rules for operations on tags, one per tag. Nodes are aligned, so an address has one tag only.
    pub(super) fn add_tag_rules(&mut self) {
        let [value, result, base] = [0, 1, 2].map(Pattern::var);
        for &(most, predicate) in &self.tagged {
            let cases = (0..=most)
                .map(|tag| vec![Atom::Equal(base, Pattern::constant(tag)), Atom::Equal(value, result.plus(tag))]);
            self.rules.add(Rule::propagation(
                &format!("tagged {most}"),
                vec![predicate.of([value, result, base])],
                Body::any(cases.collect()),
            ));
        }
        for (map, predicate) in self.tag_maps.clone() {
            let object = self.object(map.node);
            for (tag, &bits) in map.table.iter().enumerate() {
                let tag = tag as i64;
                let kept = if map.keeps { base } else { Pattern::constant(0) };
                self.rules.add(
                    Rule::propagation(
                        &format!("tag {tag} of a node"),
                        vec![predicate.of([value, result]), object.of([base])],
                        Body::all(vec![Atom::Equal(result, kept.plus(bits))]),
                    )
                    .when(Guard::Between(value, base, tag, tag)),
                );
                self.rules.add(
                    Rule::propagation(
                        &format!("tag {tag} of null"),
                        vec![predicate.of([value, result])],
                        Body::all(vec![Atom::Equal(result, Pattern::constant(bits))]),
                    )
                    .when(Guard::Between(value, Pattern::constant(0), tag, tag)),
                );
            }
        }
    }
}
