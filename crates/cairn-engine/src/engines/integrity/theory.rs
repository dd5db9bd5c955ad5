//! The rules of a program's graphs, generated from its node types (papers/shape-neutral, section 4).
//!
//! A class of cells is a heap, named by a number; each change makes a new one. `cell(F, A, V)`: the heap F holds V at address A.
//! `node_T(P, E)`: P is null or a node of type T that existed at the start of epoch E (an epoch lasts from one cut-point or call
//! to the next). `object_T(P)`: P is a node of type T, whenever it was made. `closed_C(F, E)`: all cells of class C in F link to
//! nodes of the start of epoch E or null. `valid_T(P)` and `intact_C(F)` are what has to be proved: the same for nodes of
//! whatever age. Only their negations have rules.

use cairn_rules::{Atom, Body, Guard, Pattern, Predicate, Rule, Rules};

use super::tags::TagMap;
use super::types::{ClassId, NodeId, NodeTypes};

/// The predicates and rules.
#[derive(Debug)]
pub struct Theory {
    /// All rules.
    pub rules: Rules,
    /// `cell(F, A, V)`.
    pub cell: Predicate,
    /// `write(F, A, V, G)`: G is F with V at A.
    pub write: Predicate,
    /// `fill(F, L, H, V, G)`: G is F with V at all addresses from L to H.
    pub fill: Predicate,
    /// `wipe(F, L, H, G)`: G is F with anything at all addresses from L to H.
    pub wipe: Predicate,
    /// `put(F, A, V, G)`: as `write`, for cells of an array, whose addresses are at least a cell apart.
    pub put: Predicate,
    /// `keep(F, L, H, K, G)`: G is K with what F holds at all addresses from L to H.
    pub keep: Predicate,
    /// `fresh(P, E)`: P is an object that no node of the start of epoch E or before is.
    pub fresh: Predicate,
    /// `made(P)`: P is a variable or an allocation of this call; no two of them are one.
    pub made: Predicate,
    /// `fixed(P)`: P is the address of a global variable.
    pub fixed: Predicate,
    /// `below(A, B)`: A is less than B as unsigned integers, which are known as signed ones.
    pub below: Predicate,
    node: Vec<Predicate>,
    valid: Vec<Predicate>,
    intact: Vec<Option<Predicate>>,
    object: Vec<Predicate>,
    inside: Vec<Option<Predicate>>,
    closed: Vec<Option<Predicate>>,
    filled: Vec<Option<Predicate>>,
    tag_maps: Vec<(TagMap, Predicate)>,
    tagged: Vec<(i64, Predicate)>,
    ahead: Vec<Option<Predicate>>,
}

impl Theory {
    /// The theory of these types.
    pub fn new(types: &NodeTypes<'_>, maps: &[TagMap]) -> Self {
        let mut rules = Rules::default();
        let cell = rules.predicate("cell", 3, Some(0));
        let write = rules.predicate("write", 4, Some(3));
        let fill = rules.predicate("fill", 5, Some(4));
        let wipe = rules.predicate("wipe", 4, Some(3));
        let put = rules.predicate("put", 4, Some(3));
        let keep = rules.predicate("keep", 5, Some(4));
        let fresh = rules.predicate("fresh", 2, None);
        let made = rules.predicate("made", 1, None);
        let fixed = rules.predicate("fixed", 1, None);
        let below = rules.predicate("below", 2, None);
        let named =
            |kind: &str, name: &str| format!("{kind}_{}", name.replace([' ', '*', '(', ')', '[', ']', '.'], "_"));
        let node = types.nodes.iter().map(|node| rules.predicate(&named("node", &node.name), 2, None)).collect();
        let valid = types.nodes.iter().map(|node| rules.predicate(&named("valid", &node.name), 1, None)).collect();
        let object = types.nodes.iter().map(|node| rules.predicate(&named("object", &node.name), 1, None)).collect();
        let inside = types
            .nodes
            .iter()
            .map(|node| node.has_arrays(types).then(|| rules.predicate(&named("inside", &node.name), 2, None)))
            .collect();
        let closed = types
            .classes
            .iter()
            .map(|class| class.link.map(|_| rules.predicate(&named("closed", &class.name), 2, Some(0))))
            .collect();
        let intact = types
            .classes
            .iter()
            .map(|class| class.link.map(|_| rules.predicate(&named("intact", &class.name), 1, Some(0))))
            .collect();
        let filled = types
            .classes
            .iter()
            .map(|class| {
                (class.row && class.tag == 0).then(|| rules.predicate(&named("filled", &class.name), 5, Some(0)))
            })
            .collect();
        let ahead = (0..types.classes.len())
            .map(|class| types.chain_offset(ClassId(class as u32)).map(|_| &types.classes[class].name))
            .map(|name| name.map(|name| rules.predicate(&named("ahead", name), 3, Some(0))))
            .collect();
        let number = |(index, map): (usize, &TagMap)| (map.clone(), rules.predicate(&format!("tag{index}"), 2, None));
        let tag_maps = maps.iter().enumerate().map(number).collect();
        let most = types.classes.iter().map(|class| class.tag).max().unwrap_or(0);
        let tagged = [1, 3, 7, 15].into_iter().filter(|&tag| tag <= most);
        let tagged = tagged.map(|tag| (tag, rules.predicate(&format!("tagged{tag}"), 3, None))).collect();
        let mut theory = Self {
            rules,
            cell,
            write,
            fill,
            wipe,
            put,
            keep,
            fresh,
            made,
            fixed,
            below,
            node,
            valid,
            intact,
            object,
            inside,
            closed,
            filled,
            tag_maps,
            tagged,
            ahead,
        };
        theory.heaps();
        theory.order();
        theory.rows(types);
        theory.chains(types);
        theory.tags();
        theory.graphs(types);
        theory.separation(types);
        theory
    }

    /// `node_T`.
    pub fn node(&self, node: NodeId) -> Predicate {
        self.node[node.0 as usize]
    }

    /// `valid_T`: a goal.
    pub fn valid(&self, node: NodeId) -> Predicate {
        self.valid[node.0 as usize]
    }

    /// `intact_C`, for a class of links: a goal.
    pub fn intact(&self, class: ClassId) -> Option<Predicate> {
        self.intact[class.0 as usize]
    }

    /// `object_T`.
    pub fn object(&self, node: NodeId) -> Predicate {
        self.object[node.0 as usize]
    }

    /// `inside_T(A, P)`, for types with arrays: A is the address of a cell of P, which is a node of type T; which one is not known.
    pub fn inside(&self, node: NodeId) -> Option<Predicate> {
        self.inside[node.0 as usize]
    }

    /// `tagN(V, R)`: R is what an operation makes of the address V with a tag in it.
    pub fn tag_map(&self, map: &TagMap) -> Option<Predicate> {
        self.tag_maps.iter().find(|(known, _)| known == map).map(|&(_, predicate)| predicate)
    }

    /// `taggedN(R, P, T)`: R is the address P with the tag T, which is at most N, in it.
    pub fn tagged(&self) -> Vec<(i64, Predicate)> {
        self.tagged.clone()
    }

    /// `closed_C`, for a class of links.
    pub fn closed(&self, class: ClassId) -> Option<Predicate> {
        self.closed[class.0 as usize]
    }

    /// `filled_C(F, L, H, P, E)`, for a class of links in arrays: all cells in F link to nodes of the start of epoch E or null, but
    /// for those from L to H and the one at P.
    pub fn filled(&self, class: ClassId) -> Option<Predicate> {
        self.filled[class.0 as usize]
    }

    /// `ahead_C(F, P, Q)`, for a class that links nodes of one type: in F, one link after the other leads from the node P to Q, one at
    /// least, and none before the last one is null.
    pub fn ahead(&self, class: ClassId) -> Option<Predicate> {
        self.ahead[class.0 as usize]
    }

    /// The heap solver: heaps are functions, and what a changed heap holds is new or was there before.
    fn heaps(&mut self) {
        let [p, v, f, g, q, w, low, high] = std::array::from_fn(|number| Pattern::var(number as u8));
        let (cell, write, fill, wipe) = (self.cell, self.write, self.fill, self.wipe);
        let before = cell.of([f, q, w]);
        self.rules.add(Rule::simpagation(
            "function",
            vec![cell.of([f, p, v])],
            vec![cell.of([f, p, w])],
            Body::all(vec![Atom::Equal(v, w)]),
        ));
        self.rules.add(Rule::propagation(
            "write",
            vec![write.of([f, p, v, g]), cell.of([g, q, w])],
            Body::any(vec![vec![Atom::Equal(q, p), Atom::Equal(w, v)], vec![Atom::Differ(q, p), before.clone()]]),
        ));
        let inside = vec![Atom::AtMost(low, q), Atom::AtMost(q, high)];
        let below = vec![Atom::AtMost(q.plus(1), low), before.clone()];
        let above = vec![Atom::AtMost(high.plus(1), q), before];
        let filled = inside.iter().cloned().chain([Atom::Equal(w, v)]).collect();
        self.rules.add(Rule::propagation(
            "fill",
            vec![fill.of([f, low, high, v, g]), cell.of([g, q, w])],
            Body::any(vec![filled, below.clone(), above.clone()]),
        ));
        self.rules.add(Rule::propagation(
            "wipe",
            vec![wipe.of([f, low, high, g]), cell.of([g, q, w])],
            Body::any(vec![inside, below, above]),
        ));
    }

    /// The order of unsigned integers, case by case of the signs.
    fn order(&mut self) {
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

    /// Arrays that are filled one by one. Addresses are compared by their order here: what is known of them are bounds.
    fn rows(&mut self, types: &NodeTypes<'_>) {
        let [p, v, f, g, q, w, low, high, _, _, epoch] = std::array::from_fn(|number| Pattern::var(number as u8));
        let width = types.classes.iter().filter(|class| class.row).map(|class| class.width as i64).min();
        let Some(width) = width else { return };
        let (cell, put, keep) = (self.cell, self.put, self.keep);
        let before = cell.of([f, q, w]);
        self.rules.add(Rule::propagation(
            "put",
            vec![put.of([f, p, v, g]), cell.of([g, q, w])],
            Body::any(vec![
                vec![Atom::Equal(q, p), Atom::Equal(w, v)],
                vec![Atom::AtMost(q.plus(width), p), before.clone()],
                vec![Atom::AtMost(p.plus(width), q), before.clone()],
            ]),
        ));
        let other = cell.of([v, q, w]);
        self.rules.add(Rule::propagation(
            "keep",
            vec![keep.of([f, low, high, v, g]), cell.of([g, q, w])],
            Body::any(vec![
                vec![Atom::AtMost(low, q), Atom::AtMost(q, high), before],
                vec![Atom::AtMost(q.plus(1), low), other.clone()],
                vec![Atom::AtMost(high.plus(1), q), other],
            ]),
        ));
        for (index, class) in types.classes.iter().enumerate() {
            let (Some(filled), Some(link)) = (self.filled[index], class.link) else { continue };
            let node = self.node[link.0 as usize].of([w, epoch]);
            self.rules.add(Rule::propagation(
                &format!("filled {}", class.name),
                vec![filled.of([f, low, high, p, epoch]), cell.of([f, q, w])],
                Body::any(vec![
                    vec![Atom::AtMost(q.plus(1), low), node.clone()],
                    vec![Atom::AtMost(high.plus(1), q), node],
                    vec![Atom::AtMost(low, q), Atom::AtMost(q, high)],
                    vec![Atom::Equal(q, p)],
                ]),
            ));
        }
    }

    /// What is ahead of a node: how that unfolds along the links that are known, and that it is transitive.
    fn chains(&mut self, types: &NodeTypes<'_>) {
        let [p, v, f, _, q, w] = std::array::from_fn(|number| Pattern::var(number as u8));
        let zero = Pattern::constant(0);
        for index in 0..types.classes.len() {
            let class = ClassId(index as u32);
            let (Some(ahead), Some(offset)) = (self.ahead(class), types.chain_offset(class)) else { continue };
            let name = &types.class(class).name;
            let mut add = |what: &str, heads: Vec<Atom>, body: Body| {
                self.rules.add(Rule::propagation(&format!("{what} {name}"), heads, body));
            };
            let link = self.cell.of([f, p.plus(offset), v]);
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

    /// What operations on tags do, tag by tag: nodes are aligned, so an address has one tag only.
    fn tags(&mut self) {
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
            let object = self.object[map.node.0 as usize];
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

    /// Definitions 1 and 2 of the paper, and the rewriting of their negations.
    fn graphs(&mut self, types: &NodeTypes<'_>) {
        let [p, v, f, _, q, ..] = [0, 1, 2, 3, 4].map(Pattern::var);
        let (s, t, epoch) = (Pattern::var(8), Pattern::var(9), Pattern::var(10));
        let zero = Pattern::constant(0);
        for (index, node) in types.nodes.iter().enumerate() {
            let (is_node, object) = (self.node[index], self.object[index]);
            let name = &node.name;
            self.rules.add(Rule::propagation(
                &format!("node {name}"),
                vec![is_node.of([p, epoch])],
                Body::any(vec![vec![object.of([p])], vec![Atom::Equal(p, zero)]]),
            ));
            self.rules.add(Rule::simplification(
                &format!("not valid {name}"),
                vec![self.valid[index].not([p])],
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
                    Body::all(vec![self.object[part.0 as usize].of([p.plus(offset as i64)])]),
                ));
            }
            for (other, scalar) in types.nodes.iter().enumerate() {
                if !scalar.scalar || other == index {
                    continue;
                }
                let offsets = node.offsets_of(types, scalar);
                if !offsets.is_empty() {
                    self.rules.add(
                        Rule::propagation(
                            &format!("cell {name}"),
                            vec![self.object[other].not([q]), object.of([p])],
                            Body::contradiction(),
                        )
                        .when(Guard::OneOf(q, p, offsets)),
                    );
                }
            }
        }
        for (index, class) in types.classes.iter().enumerate() {
            let (Some(closed), Some(intact), Some(link)) = (self.closed[index], self.intact[index], class.link) else {
                continue;
            };
            let node = self.node[link.0 as usize];
            // A link with a tag is a node, or null, that many bytes further.
            let linked = if class.tag == 0 {
                Body::all(vec![node.of([v, epoch])])
            } else {
                let with = |tag: i64| vec![Atom::Equal(v, t.plus(tag)), node.of([t, epoch])];
                Body::any((0..=class.tag).map(with).collect())
            };
            self.rules.add(Rule::propagation(
                &format!("closed {}", class.name),
                vec![closed.of([f, epoch]), self.cell.of([f, p, v])],
                linked,
            ));
            let valid = self.valid[link.0 as usize];
            let mut broken = vec![self.cell.of([f, s, t])];
            broken.extend((0..=class.tag).map(|tag| valid.not([t.plus(-tag)])));
            self.rules.add(Rule::simplification(
                &format!("not intact {}", class.name),
                vec![intact.not([f])],
                Body::all(broken),
            ));
        }
    }

    /// Nodes do not overlap unless one is a part of the other, and new objects are new.
    fn separation(&mut self, types: &NodeTypes<'_>) {
        let [p, q, e, f] = [0, 4, 2, 3].map(Pattern::var);
        for (index, node) in types.nodes.iter().enumerate() {
            if let Some(inside) = self.inside[index] {
                let (address, holder, other) = (Pattern::var(0), Pattern::var(4), Pattern::var(5));
                self.rules.add(
                    Rule::propagation(
                        &format!("inside {}", node.name),
                        vec![inside.of([address, holder]), self.object[index].of([other])],
                        Body::all(vec![Atom::Equal(holder, other)]),
                    )
                    .when(Guard::Between(address, other, 0, node.size as i64 - 1)),
                );
            }
        }
        for (first, a) in types.nodes.iter().enumerate() {
            for (second, b) in types.nodes.iter().enumerate().skip(first) {
                if a.scalar || b.scalar {
                    continue;
                }
                let mut allowed = if first == second { vec![0] } else { Vec::new() };
                let parts = |outer: &super::types::NodeType, inner: usize| -> Vec<i64> {
                    let parts = outer.parts.iter().filter(|(_, part)| part.0 as usize == inner);
                    parts.map(|&(offset, _)| offset as i64).collect()
                };
                allowed.extend(parts(b, first));
                allowed.extend(parts(a, second).into_iter().map(|offset| -offset));
                let (low, high) = (1 - a.size as i64, b.size as i64 - 1);
                self.rules.add(
                    Rule::propagation(
                        &format!("separate {} {}", a.name, b.name),
                        vec![self.object[first].of([p]), self.object[second].of([q])],
                        Body::contradiction(),
                    )
                    .when(Guard::BetweenExcept(p, q, low, high, allowed)),
                );
            }
            self.rules.add(
                Rule::propagation(
                    &format!("fresh {}", a.name),
                    vec![self.fresh.of([p, e]), self.node[first].of([q, f])],
                    Body::all(vec![Atom::Differ(p, q)]),
                )
                .when(Guard::Between(f, e, i64::MIN, 0)),
            );
        }
        let (made, fixed) = (self.made, self.fixed);
        let apart = || Body::all(vec![Atom::Differ(p, q)]);
        self.rules.add(Rule::propagation("made objects", vec![made.of([p]), made.of([q])], apart()));
        self.rules.add(Rule::propagation("fixed objects", vec![fixed.of([p]), fixed.of([q])], apart()));
        self.rules.add(Rule::propagation("made and fixed", vec![made.of([p]), fixed.of([q])], apart()));
    }
}
