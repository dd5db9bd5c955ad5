//! Rules for valid graphs: the paper's Definitions 1 and 2, and the separation of nodes.

use cairn_rules::{Atom, Body, Guard, Pattern, Rule};

use super::super::types::{NodeType, NodeTypes};
use super::Theory;

impl Theory {
    /// Adds Definitions 1 and 2 of the paper, and the rewriting of their negations.
    pub(super) fn add_graph_rules(&mut self, types: &NodeTypes<'_>) {
        self.add_node_rules(types);
        self.add_closed_rules(types);
    }

    /// Adds the rules for node pointers (Definition 1).
    fn add_node_rules(&mut self, types: &NodeTypes<'_>) {
        let (p, q, epoch) = (Pattern::var(0), Pattern::var(4), Pattern::var(10));
        let zero = Pattern::constant(0);
        for (id, node) in types.nodes() {
            let object = self.object(id);
            let name = &node.name;
            self.rules.add(Rule::propagation(
                &format!("node {name}"),
                vec![self.node(id).of([p, epoch])],
                Body::any(vec![vec![object.of([p])], vec![Atom::Equal(p, zero)]]),
            ));
            self.rules.add(Rule::simplification(
                &format!("not valid {name}"),
                vec![self.valid(id).not([p])],
                Body::all(vec![Atom::Differ(p, zero), object.not([p])]),
            ));
            self.rules.add(Rule::propagation(
                &format!("object {name}"),
                vec![object.of([p])],
                Body::all(vec![Atom::Differ(p, zero)]),
            ));
            for &(offset, part) in &node.parts {
                self.rules.add(Rule::propagation(
                    &format!("part {name}"),
                    vec![object.of([p])],
                    Body::all(vec![self.object(part).of([p.plus(offset as i64)])]),
                ));
            }
            for (other, scalar) in types.nodes() {
                if !scalar.scalar || other == id {
                    continue;
                }
                let offsets = node.offsets_of(types, scalar);
                if !offsets.is_empty() {
                    self.rules.add(
                        Rule::propagation(
                            &format!("cell {name}"),
                            vec![self.object(other).not([q]), object.of([p])],
                            Body::contradiction(),
                        )
                        .when(Guard::OneOf(q, p, offsets)),
                    );
                }
            }
        }
    }

    /// Adds the rules for closed heaps (Definition 2).
    fn add_closed_rules(&mut self, types: &NodeTypes<'_>) {
        let (p, v, f) = (Pattern::var(0), Pattern::var(1), Pattern::var(2));
        let (s, t, epoch) = (Pattern::var(8), Pattern::var(9), Pattern::var(10));
        for (id, class) in types.classes() {
            let (Some(closed), Some(intact), Some(link)) = (self.closed(id), self.intact(id), class.link) else {
                continue;
            };
            let node = self.node(link);
            // A link with a tag is the address of a node, or null, plus the tag.
            let linked = if class.tag == 0 {
                Body::all(vec![node.of([v, epoch])])
            } else {
                let with = |tag: i64| vec![Atom::Equal(v, t.plus(tag)), node.of([t, epoch])];
                Body::any((0..=class.tag).map(with).collect())
            };
            self.rules.add(Rule::propagation(
                &format!("closed {}", class.name),
                vec![closed.of([f, epoch]), self.heaps.cell.of([f, p, v])],
                linked,
            ));
            let valid = self.valid(link);
            let mut broken = vec![self.heaps.cell.of([f, s, t])];
            broken.extend((0..=class.tag).map(|tag| valid.not([t.plus(-tag)])));
            self.rules.add(Rule::simplification(
                &format!("not intact {}", class.name),
                vec![intact.not([f])],
                Body::all(broken),
            ));
        }
    }

    /// Adds the rules by which nodes do not overlap unless one is a part of the other, and new objects are new.
    pub(super) fn add_separation_rules(&mut self, types: &NodeTypes<'_>) {
        let [p, q, e, f] = [0, 4, 2, 3].map(Pattern::var);
        for (id, node) in types.nodes() {
            if let Some(inside) = self.inside(id) {
                let (address, holder, other) = (Pattern::var(0), Pattern::var(4), Pattern::var(5));
                self.rules.add(
                    Rule::propagation(
                        &format!("inside {}", node.name),
                        vec![inside.of([address, holder]), self.object(id).of([other])],
                        Body::all(vec![Atom::Equal(holder, other)]),
                    )
                    .when(Guard::Between(address, other, 0, node.size as i64 - 1)),
                );
            }
        }
        let parts = |outer: &NodeType, inner: usize| -> Vec<i64> {
            let parts = outer.parts.iter().filter(|(_, part)| part.index() == inner);
            parts.map(|&(offset, _)| offset as i64).collect()
        };
        for (first, a) in types.nodes() {
            for (second, b) in types.nodes().skip(first.index()) {
                if a.scalar || b.scalar {
                    continue;
                }
                let mut allowed = if first == second { vec![0] } else { Vec::new() };
                allowed.extend(parts(b, first.index()));
                allowed.extend(parts(a, second.index()).into_iter().map(|offset| -offset));
                let (low, high) = (1 - a.size as i64, b.size as i64 - 1);
                self.rules.add(
                    Rule::propagation(
                        &format!("separate {} {}", a.name, b.name),
                        vec![self.object(first).of([p]), self.object(second).of([q])],
                        Body::contradiction(),
                    )
                    .when(Guard::BetweenExcept(p, q, low, high, allowed)),
                );
            }
            self.rules.add(
                Rule::propagation(
                    &format!("fresh {}", a.name),
                    vec![self.objects.fresh.of([p, e]), self.node(first).of([q, f])],
                    Body::all(vec![Atom::Differ(p, q)]),
                )
                .when(Guard::Between(f, e, i64::MIN, 0)),
            );
        }
        let (made, fixed) = (self.objects.made, self.objects.fixed);
        let apart = || Body::all(vec![Atom::Differ(p, q)]);
        self.rules.add(Rule::propagation("made objects", vec![made.of([p]), made.of([q])], apart()));
        self.rules.add(Rule::propagation("fixed objects", vec![fixed.of([p]), fixed.of([q])], apart()));
        self.rules.add(Rule::propagation("made and fixed", vec![made.of([p]), fixed.of([q])], apart()));
    }
}
