//! The theory of a program's graphs: predicates and rules, generated from its node types (papers/shape-neutral, section
//! 4).
//!
//! A class of cells is a heap, named by a number; each change makes a new heap. `cell(F, A, V)`: the heap F holds V at
//! address A. `node_T(P, E)`: P is null or a node of type T that existed at the start of epoch E (an epoch lasts from
//! one cut-point or call to the next). `object_T(P)`: P is a node of type T, whenever it was made. `closed_C(F, E)`:
//! all cells of class C in F link to nodes of the start of epoch E or null. `valid_T(P)` and `intact_C(F)` are goals:
//! the same for nodes of any age. Only their negations have rules.
//!
//! `heap_rules` has the rules for heaps that change and for the order of integers, `graph_rules` the paper's
//! Definitions 1 and 2 and the separation of nodes, `link_rules` the extensions for arrays of links, chains of links
//! and tags.

mod graph_rules;
mod heap_rules;
mod link_rules;

use cairn_rules::{Predicate, Rules};

use super::types::{ClassId, NodeId, NodeTypes, TagMap};

/// Predicates on heaps.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeapPredicates {
    /// `cell(F, A, V)`: F holds V at A.
    pub cell: Predicate,
    /// `write(F, A, V, G)`: G is F with V at A.
    pub write: Predicate,
    /// `fill(F, L, H, V, G)`: G is F with V at all addresses from L to H.
    pub fill: Predicate,
    /// `wipe(F, L, H, G)`: G is F with anything at all addresses from L to H.
    pub wipe: Predicate,
    /// `put(F, A, V, G)`: as `write`, for cells of an array, whose addresses are at least a cell apart.
    pub put: Predicate,
    /// `keep(F, L, H, K, G)`: G is K with the contents of F at all addresses from L to H.
    pub keep: Predicate,
}

/// Predicates on the identity of objects.
#[derive(Clone, Copy, Debug)]
pub(super) struct ObjectPredicates {
    /// `fresh(P, E)`: P differs from all nodes of the start of epoch E and before.
    pub fresh: Predicate,
    /// `made(P)`: P is a variable or an allocation of this call. Any two of them differ.
    pub made: Predicate,
    /// `fixed(P)`: P is the address of a global variable.
    pub fixed: Predicate,
}

/// Predicates of one node type T.
#[derive(Clone, Copy, Debug)]
struct NodePredicates {
    node: Predicate,
    valid: Predicate,
    object: Predicate,
    inside: Option<Predicate>,
}

/// Predicates of one class C; `None` for classes that they do not apply to.
#[derive(Clone, Copy, Debug)]
struct ClassPredicates {
    closed: Option<Predicate>,
    intact: Option<Predicate>,
    filled: Option<Predicate>,
    ahead: Option<Predicate>,
}

/// The predicates and rules.
#[derive(Debug)]
pub(super) struct Theory {
    rules: Rules,
    heaps: HeapPredicates,
    objects: ObjectPredicates,
    below: Predicate,
    nodes: Vec<NodePredicates>,
    classes: Vec<ClassPredicates>,
    tag_maps: Vec<(TagMap, Predicate)>,
    tagged: Vec<(i64, Predicate)>,
}

impl Theory {
    /// Returns the theory of these types, with these operations on tags.
    pub fn new(types: &NodeTypes<'_>, maps: &[TagMap]) -> Self {
        let mut rules = Rules::default();
        let heaps = HeapPredicates {
            cell: rules.predicate("cell", 3, Some(0)),
            write: rules.predicate("write", 4, Some(3)),
            fill: rules.predicate("fill", 5, Some(4)),
            wipe: rules.predicate("wipe", 4, Some(3)),
            put: rules.predicate("put", 4, Some(3)),
            keep: rules.predicate("keep", 5, Some(4)),
        };
        let objects = ObjectPredicates {
            fresh: rules.predicate("fresh", 2, None),
            made: rules.predicate("made", 1, None),
            fixed: rules.predicate("fixed", 1, None),
        };
        let below = rules.predicate("below", 2, None);
        let nodes = node_predicates(types, &mut rules);
        let classes = class_predicates(types, &mut rules);
        let number = |(index, map): (usize, &TagMap)| (map.clone(), rules.predicate(&format!("tag{index}"), 2, None));
        let tag_maps = maps.iter().enumerate().map(number).collect();
        let most = types.classes().map(|(_, class)| class.tag).max().unwrap_or(0);
        let tagged = [1, 3, 7, 15].into_iter().filter(|&tag| tag <= most);
        let tagged = tagged.map(|tag| (tag, rules.predicate(&format!("tagged{tag}"), 3, None))).collect();
        let mut theory = Self { rules, heaps, objects, below, nodes, classes, tag_maps, tagged };
        theory.add_heap_rules();
        theory.add_order_rules();
        theory.add_row_rules(types);
        theory.add_chain_rules(types);
        theory.add_tag_rules();
        theory.add_graph_rules(types);
        theory.add_separation_rules(types);
        theory
    }

    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    pub fn heaps(&self) -> HeapPredicates {
        self.heaps
    }

    pub fn objects(&self) -> ObjectPredicates {
        self.objects
    }

    /// `below(A, B)`: A is less than B as unsigned integers, where terms are signed integers.
    pub fn below(&self) -> Predicate {
        self.below
    }

    /// `node_T`.
    pub fn node(&self, node: NodeId) -> Predicate {
        self.nodes[node.index()].node
    }

    /// `valid_T`: a goal.
    pub fn valid(&self, node: NodeId) -> Predicate {
        self.nodes[node.index()].valid
    }

    /// `object_T`.
    pub fn object(&self, node: NodeId) -> Predicate {
        self.nodes[node.index()].object
    }

    /// `inside_T(A, P)`, for types with arrays: A is the address of some cell of P, which is a node of type T.
    pub fn inside(&self, node: NodeId) -> Option<Predicate> {
        self.nodes[node.index()].inside
    }

    /// `closed_C`, for a class of links.
    pub fn closed(&self, class: ClassId) -> Option<Predicate> {
        self.classes[class.index()].closed
    }

    /// `intact_C`, for a class of links: a goal.
    pub fn intact(&self, class: ClassId) -> Option<Predicate> {
        self.classes[class.index()].intact
    }

    /// `filled_C(F, L, H, P, E)`, for a class of links in arrays.
    ///
    /// All cells in F link to nodes of the start of epoch E or null, except for those from L to H and the one at P.
    pub fn filled(&self, class: ClassId) -> Option<Predicate> {
        self.classes[class.index()].filled
    }

    /// `ahead_C(F, P, Q)`, for a class that links nodes of one type.
    ///
    /// In F, a sequence of at least one link leads from the node P to Q, and no link before the last one is null.
    pub fn ahead(&self, class: ClassId) -> Option<Predicate> {
        self.classes[class.index()].ahead
    }

    /// `tagN(V, R)`: R is the result of an operation on the address V with a tag in it.
    pub fn tag_map(&self, map: &TagMap) -> Option<Predicate> {
        self.tag_maps.iter().find(|(known, _)| known == map).map(|&(_, predicate)| predicate)
    }

    /// `taggedN(R, P, T)`: R is the address P with the tag T, which is at most N, in it.
    pub fn tagged(&self) -> &[(i64, Predicate)] {
        &self.tagged
    }
}

/// Returns the name of the predicate of a kind for a type or class.
fn named(kind: &str, name: &str) -> String {
    format!("{kind}_{}", name.replace([' ', '*', '(', ')', '[', ']', '.'], "_"))
}

fn node_predicates(types: &NodeTypes<'_>, rules: &mut Rules) -> Vec<NodePredicates> {
    let mut all = |kind: &str, arity: usize| -> Vec<Predicate> {
        types.nodes().map(|(_, node)| rules.predicate(&named(kind, &node.name), arity, None)).collect()
    };
    let (node, valid, object) = (all("node", 2), all("valid", 1), all("object", 1));
    types
        .nodes()
        .zip(node.into_iter().zip(valid).zip(object))
        .map(|((_, ty), ((node, valid), object))| {
            let inside = ty.has_arrays(types).then(|| rules.predicate(&named("inside", &ty.name), 2, None));
            NodePredicates { node, valid, object, inside }
        })
        .collect()
}

fn class_predicates(types: &NodeTypes<'_>, rules: &mut Rules) -> Vec<ClassPredicates> {
    let mut all = |kind: &str, arity: usize, applies: &dyn Fn(ClassId) -> bool| -> Vec<Option<Predicate>> {
        let one = |(id, class): (ClassId, &super::types::Class)| {
            applies(id).then(|| rules.predicate(&named(kind, &class.name), arity, Some(0)))
        };
        types.classes().map(one).collect()
    };
    let is_link = |id: ClassId| types.class(id).link.is_some();
    let closed = all("closed", 2, &is_link);
    let intact = all("intact", 1, &is_link);
    let filled = all("filled", 5, &|id| types.class(id).row && types.class(id).tag == 0);
    let ahead = all("ahead", 3, &|id| types.chain_offset(id).is_some());
    closed
        .into_iter()
        .zip(intact)
        .zip(filled.into_iter().zip(ahead))
        .map(|((closed, intact), (filled, ahead))| ClassPredicates { closed, intact, filled, ahead })
        .collect()
}
