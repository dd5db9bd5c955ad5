//! Persistent maps with keys of 32 bits, as Patricia tries (Okasaki and Gill, "Fast Mergeable Integer Maps", 1998).
//!
//! The shape of a trie depends on its keys alone. Two maps that come from a common ancestor share subtrees, and merging, comparing and
//! searching skip what they share. Every branch holds a filter of the objects that its values refer to.

use std::rc::Rc;

/// A value of a [`Map`].
pub trait Entry: Clone + PartialEq {
    /// Returns a filter of the objects that the value refers to: a set of bits, see [`filter_of`].
    fn filter(&self) -> u64;
    /// Returns whether two values are the same one in memory.
    fn is_same(&self, other: &Self) -> bool;
}

/// The bit of filters for pointers that are known to be before a zero byte.
pub const TEXT_FILTER: u64 = 1 << 63;

/// Returns the bit of an object in filters.
pub const fn filter_of(object: u32) -> u64 {
    let bit = object.wrapping_mul(0x9e37_79b1) >> 26;
    1 << if bit == 63 { 62 } else { bit }
}

#[derive(Debug)]
enum Node<V> {
    Leaf { key: u32, value: V },
    Branch { prefix: u32, bit: u32, filter: u64, left: Rc<Node<V>>, right: Rc<Node<V>> },
}

/// A persistent map.
#[derive(Debug)]
pub struct Map<V>(Option<Rc<Node<V>>>);

impl<V> Clone for Map<V> {
    fn clone(&self) -> Self {
        Map(self.0.clone())
    }
}

impl<V> Default for Map<V> {
    fn default() -> Self {
        Map(None)
    }
}

impl<V: Entry> PartialEq for Map<V> {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(a), Some(b)) => equal(a, b),
            _ => false,
        }
    }
}

impl<V: Entry> Node<V> {
    fn filter(&self) -> u64 {
        match self {
            Node::Leaf { value, .. } => value.filter(),
            Node::Branch { filter, .. } => *filter,
        }
    }
}

fn equal<V: Entry>(a: &Rc<Node<V>>, b: &Rc<Node<V>>) -> bool {
    if Rc::ptr_eq(a, b) {
        return true;
    }
    match (&**a, &**b) {
        (Node::Leaf { key, value }, Node::Leaf { key: other_key, value: other }) => {
            key == other_key && (value.is_same(other) || value == other)
        }
        (
            Node::Branch { prefix, bit, left, right, .. },
            Node::Branch { prefix: other_prefix, bit: other_bit, left: other_left, right: other_right, .. },
        ) => prefix == other_prefix && bit == other_bit && equal(left, other_left) && equal(right, other_right),
        _ => false,
    }
}

const fn prefix_of(key: u32, bit: u32) -> u32 {
    key & !(bit | (bit - 1))
}

fn branch<V: Entry>(prefix: u32, bit: u32, left: Rc<Node<V>>, right: Rc<Node<V>>) -> Rc<Node<V>> {
    let filter = left.filter() | right.filter();
    Rc::new(Node::Branch { prefix, bit, filter, left, right })
}

/// Joins two tries with different prefixes.
fn link<V: Entry>(a_key: u32, a: Rc<Node<V>>, b_key: u32, b: Rc<Node<V>>) -> Rc<Node<V>> {
    let bit = 1 << (31 - (a_key ^ b_key).leading_zeros());
    let prefix = prefix_of(a_key, bit);
    if a_key & bit == 0 { branch(prefix, bit, a, b) } else { branch(prefix, bit, b, a) }
}

fn key_of<V>(node: &Node<V>) -> u32 {
    match node {
        Node::Leaf { key, .. } => *key,
        Node::Branch { prefix, .. } => *prefix,
    }
}

fn insert<V: Entry>(node: &Rc<Node<V>>, key: u32, value: V) -> Rc<Node<V>> {
    match &**node {
        Node::Leaf { key: old, .. } if *old == key => Rc::new(Node::Leaf { key, value }),
        Node::Leaf { key: old, .. } => link(key, Rc::new(Node::Leaf { key, value }), *old, node.clone()),
        Node::Branch { prefix, bit, left, right, .. } => {
            if prefix_of(key, *bit) != *prefix {
                link(key, Rc::new(Node::Leaf { key, value }), *prefix, node.clone())
            } else if key & bit == 0 {
                branch(*prefix, *bit, insert(left, key, value), right.clone())
            } else {
                branch(*prefix, *bit, left.clone(), insert(right, key, value))
            }
        }
    }
}

fn remove<V: Entry>(node: &Rc<Node<V>>, key: u32) -> Option<Rc<Node<V>>> {
    match &**node {
        Node::Leaf { key: old, .. } => (*old != key).then(|| node.clone()),
        Node::Branch { prefix, bit, left, right, .. } => {
            if prefix_of(key, *bit) != *prefix {
                return Some(node.clone());
            }
            let (left, right) = if key & bit == 0 {
                (remove(left, key), Some(right.clone()))
            } else {
                (Some(left.clone()), remove(right, key))
            };
            rebuild(*prefix, *bit, left, right)
        }
    }
}

fn rebuild<V: Entry>(
    prefix: u32,
    bit: u32,
    left: Option<Rc<Node<V>>>,
    right: Option<Rc<Node<V>>>,
) -> Option<Rc<Node<V>>> {
    match (left, right) {
        (Some(left), Some(right)) => Some(branch(prefix, bit, left, right)),
        (left, right) => left.or(right),
    }
}

/// The function that merges two values of a key, of which one may be missing.
type Merge<'a, V> = dyn FnMut(u32, Option<&V>, Option<&V>) -> Option<V> + 'a;

fn one_side<V: Entry>(node: &Rc<Node<V>>, is_left: bool, merge: &mut Merge<'_, V>) -> Option<Rc<Node<V>>> {
    match &**node {
        Node::Leaf { key, value } => {
            let new = if is_left { merge(*key, Some(value), None) } else { merge(*key, None, Some(value)) }?;
            Some(if new.is_same(value) { node.clone() } else { Rc::new(Node::Leaf { key: *key, value: new }) })
        }
        Node::Branch { prefix, bit, left, right, .. } => {
            let (new_left, new_right) = (one_side(left, is_left, merge), one_side(right, is_left, merge));
            keep(node, (left, right), *prefix, *bit, new_left, new_right)
        }
    }
}

/// Builds a branch, or returns the old one if its children are unchanged.
fn keep<V: Entry>(
    node: &Rc<Node<V>>,
    (left, right): (&Rc<Node<V>>, &Rc<Node<V>>),
    prefix: u32,
    bit: u32,
    new_left: Option<Rc<Node<V>>>,
    new_right: Option<Rc<Node<V>>>,
) -> Option<Rc<Node<V>>> {
    match (&new_left, &new_right) {
        (Some(l), Some(r)) if Rc::ptr_eq(l, left) && Rc::ptr_eq(r, right) => Some(node.clone()),
        _ => rebuild(prefix, bit, new_left, new_right),
    }
}

fn merge_nodes<V: Entry>(a: &Rc<Node<V>>, b: &Rc<Node<V>>, merge: &mut Merge<'_, V>) -> Option<Rc<Node<V>>> {
    if Rc::ptr_eq(a, b) {
        return Some(a.clone());
    }
    let apart = |merge: &mut Merge<'_, V>| {
        let (left, right) = (one_side(a, true, merge), one_side(b, false, merge));
        match (left, right) {
            (Some(left), Some(right)) => Some(link(key_of(a), left, key_of(b), right)),
            (left, right) => left.or(right),
        }
    };
    match (&**a, &**b) {
        (Node::Leaf { key, value }, Node::Leaf { key: other_key, value: other }) => {
            if key != other_key {
                return apart(merge);
            }
            if value.is_same(other) {
                return Some(a.clone());
            }
            let new = merge(*key, Some(value), Some(other))?;
            Some(if new.is_same(value) { a.clone() } else { Rc::new(Node::Leaf { key: *key, value: new }) })
        }
        (Node::Branch { prefix, bit, left, right, .. }, _) if is_inside(b, *prefix, *bit) => {
            let other = key_of(b);
            let (new_left, new_right) = if other & bit == 0 {
                (merge_nodes(left, b, merge), one_side(right, true, merge))
            } else {
                (one_side(left, true, merge), merge_nodes(right, b, merge))
            };
            keep(a, (left, right), *prefix, *bit, new_left, new_right)
        }
        (_, Node::Branch { prefix, bit, left, right, .. }) if is_inside(a, *prefix, *bit) => {
            let other = key_of(a);
            let (new_left, new_right) = if other & bit == 0 {
                (merge_nodes(a, left, merge), one_side(right, false, merge))
            } else {
                (one_side(left, false, merge), merge_nodes(a, right, merge))
            };
            rebuild(*prefix, *bit, new_left, new_right)
        }
        (
            Node::Branch { prefix, bit, left, right, .. },
            Node::Branch { prefix: other_prefix, bit: other_bit, left: other_left, right: other_right, .. },
        ) if prefix == other_prefix && bit == other_bit => {
            let (new_left, new_right) = (merge_nodes(left, other_left, merge), merge_nodes(right, other_right, merge));
            keep(a, (left, right), *prefix, *bit, new_left, new_right)
        }
        _ => apart(merge),
    }
}

/// Returns whether a trie belongs below one child of a branch.
fn is_inside<V>(node: &Node<V>, prefix: u32, bit: u32) -> bool {
    let inner = match node {
        Node::Leaf { .. } => 0,
        Node::Branch { bit, .. } => *bit,
    };
    inner < bit && prefix_of(key_of(node), bit) == prefix
}

fn visit<'a, V>(node: &'a Node<V>, low: u32, high: u32, each: &mut dyn FnMut(u32, &'a V)) {
    match node {
        Node::Leaf { key, value } => {
            if low <= *key && *key <= high {
                each(*key, value);
            }
        }
        Node::Branch { prefix, bit, left, right, .. } => {
            let last = prefix | bit | (bit - 1);
            if low <= last && *prefix <= high {
                visit(left, low, high, each);
                visit(right, low, high, each);
            }
        }
    }
}

/// The function that replaces a value; `None` keeps it.
type Replace<'a, V> = dyn FnMut(u32, &V) -> Option<V> + 'a;

fn replace<V: Entry>(node: &Rc<Node<V>>, filter: u64, change: &mut Replace<'_, V>) -> Rc<Node<V>> {
    if node.filter() & filter == 0 {
        return node.clone();
    }
    match &**node {
        Node::Leaf { key, value } => match change(*key, value) {
            Some(value) => Rc::new(Node::Leaf { key: *key, value }),
            None => node.clone(),
        },
        Node::Branch { prefix, bit, left, right, .. } => {
            let (new_left, new_right) = (replace(left, filter, change), replace(right, filter, change));
            if Rc::ptr_eq(&new_left, left) && Rc::ptr_eq(&new_right, right) {
                node.clone()
            } else {
                branch(*prefix, *bit, new_left, new_right)
            }
        }
    }
}

impl<V: Entry> Map<V> {
    /// Returns the value of a key.
    pub fn get(&self, key: u32) -> Option<&V> {
        let mut node = self.0.as_deref()?;
        loop {
            match node {
                Node::Leaf { key: found, value } => return (*found == key).then_some(value),
                Node::Branch { bit, left, right, .. } => node = if key & bit == 0 { left } else { right },
            }
        }
    }

    /// Sets the value of a key.
    pub fn insert(&mut self, key: u32, value: V) {
        self.0 = Some(match &self.0 {
            Some(node) => insert(node, key, value),
            None => Rc::new(Node::Leaf { key, value }),
        });
    }

    /// Removes a key.
    pub fn remove(&mut self, key: u32) {
        if let Some(node) = &self.0 {
            self.0 = remove(node, key);
        }
    }

    /// Returns whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Returns whether two maps are the same one in memory.
    pub fn is_same(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        }
    }

    /// Returns a filter of the objects that all values refer to.
    pub fn filter(&self) -> u64 {
        self.0.as_ref().map_or(0, |node| node.filter())
    }

    /// Merges two maps. Values that are the same in both are kept without a call of `merge`.
    pub fn merge(&self, other: &Self, merge: &mut Merge<'_, V>) -> Self {
        Map(match (&self.0, &other.0) {
            (Some(a), Some(b)) => merge_nodes(a, b, merge),
            (Some(a), None) => one_side(a, true, merge),
            (None, Some(b)) => one_side(b, false, merge),
            (None, None) => None,
        })
    }

    /// Calls `each` with the entries of a range of keys, in ascending order.
    pub fn for_range<'a>(&'a self, low: u32, high: u32, each: &mut dyn FnMut(u32, &'a V)) {
        if let Some(node) = &self.0 {
            visit(node, low, high, each);
        }
    }

    /// Returns all entries in ascending order of keys.
    pub fn entries(&self) -> Vec<(u32, &V)> {
        let mut found = Vec::new();
        self.for_range(0, u32::MAX, &mut |key, value| found.push((key, value)));
        found
    }

    /// Replaces values whose filter meets the given one.
    pub fn replace(&mut self, filter: u64, change: &mut Replace<'_, V>) {
        if let Some(node) = &self.0 {
            self.0 = Some(replace(node, filter, change));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    impl Entry for u8 {
        fn filter(&self) -> u64 {
            1 << (self % 64)
        }
        fn is_same(&self, other: &Self) -> bool {
            self == other
        }
    }

    fn map(entries: &BTreeMap<u32, u8>) -> Map<u8> {
        let mut map = Map::default();
        entries.iter().for_each(|(&key, &value)| map.insert(key, value));
        map
    }

    fn keys() -> impl Strategy<Value = BTreeMap<u32, u8>> {
        proptest::collection::btree_map(prop_oneof![0u32..40, any::<u32>()], any::<u8>(), 0..30)
    }

    proptest! {
        #[test]
        fn a_map_is_a_map(a in keys(), b in keys(), low in 0u32..40, high in 0u32..60) {
            let (left, right) = (map(&a), map(&b));
            for key in a.keys().chain(b.keys()) {
                prop_assert_eq!(left.get(*key), a.get(key));
            }
            let merged = left.merge(&right, &mut |_, a, b| match (a, b) {
                (Some(a), Some(b)) => Some(a | b),
                (a, b) => a.or(b).copied().filter(|v| v % 3 != 0),
            });
            for key in a.keys().chain(b.keys()) {
                let expected = match (a.get(key), b.get(key)) {
                    (Some(a), Some(b)) => Some(a | b),
                    (a, b) => a.or(b).copied().filter(|v| v % 3 != 0),
                };
                prop_assert_eq!(merged.get(*key).copied(), expected);
            }
            let mut seen = Vec::new();
            left.for_range(low, high, &mut |key, value| seen.push((key, *value)));
            let expected: Vec<_> = if low > high { vec![] } else { a.range(low..=high).map(|(&k, &v)| (k, v)).collect() };
            prop_assert_eq!(seen, expected);
            let mut fewer = left.clone();
            let mut rest = a.clone();
            for key in b.keys() {
                fewer.remove(*key);
                rest.remove(key);
            }
            prop_assert_eq!(&fewer, &map(&rest));
            let mut changed = left.clone();
            changed.replace(1 << 5, &mut |_, v| (v % 64 == 5).then_some(0));
            for (key, value) in &a {
                prop_assert_eq!(changed.get(*key).copied(), Some(if value % 64 == 5 { 0 } else { *value }));
            }
        }
    }
}
