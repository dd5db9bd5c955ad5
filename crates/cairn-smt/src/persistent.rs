//! A persistent map and list: clones share their structure until one of them changes.
//!
//! Symbolic states are cloned at every branch and differ in few entries. With these collections a
//! clone is cheap and a change costs only the path to the changed entry.
//!
//! The map is ordered by its integer keys and implemented as a radix tree with 16 children per
//! node. The list grows at the front.

use std::rc::Rc;

/// The number of key bits that each level of the tree consumes.
const DIGIT: u32 = 4;

/// An ordered map from integers to values.
#[derive(Clone, Debug)]
pub struct Map<V> {
    root: Option<Rc<Node<V>>>,
    /// The number of levels below the root; keys have `DIGIT · (height + 1)` bits.
    height: u32,
    len: usize,
}

/// A tree node: the children that are present, ordered by digit.
#[derive(Clone, Debug)]
struct Node<V> {
    present: u16,
    children: Children<V>,
}

#[derive(Clone, Debug)]
enum Children<V> {
    Inner(Vec<Rc<Node<V>>>),
    Values(Vec<V>),
}

impl<V> Default for Map<V> {
    fn default() -> Self {
        Self { root: None, height: 0, len: 0 }
    }
}

const fn digit(key: u64, level: u32) -> u32 {
    (key >> (DIGIT * level)) as u32 & 15
}

impl<V> Node<V> {
    fn new(level: u32) -> Self {
        let children = if level == 0 { Children::Values(Vec::new()) } else { Children::Inner(Vec::new()) };
        Self { present: 0, children }
    }

    fn has(&self, digit: u32) -> bool {
        self.present & (1 << digit) != 0
    }

    /// Returns the position of the child with this digit, or the position at which to insert it.
    fn position(&self, digit: u32) -> usize {
        (self.present & ((1 << digit) - 1)).count_ones() as usize
    }

    /// Returns the entry with the greatest key that is at most `key`; `above` holds the higher digits of all keys.
    fn last_at_or_before(&self, key: u64, level: u32, above: u64) -> Option<(u64, &V)> {
        let wanted = digit(key, level);
        match &self.children {
            Children::Values(values) => {
                let below = u32::from(self.present) & ((2 << wanted) - 1);
                let found = below.checked_ilog2()?;
                Some((above | u64::from(found), &values[self.position(found)]))
            }
            Children::Inner(children) => {
                let prefix = |digit: u32| above | u64::from(digit) << (DIGIT * level);
                if self.has(wanted)
                    && let found @ Some(_) =
                        children[self.position(wanted)].last_at_or_before(key, level - 1, prefix(wanted))
                {
                    return found;
                }
                let below = u32::from(self.present) & ((1 << wanted) - 1);
                let other = below.checked_ilog2()?;
                children[self.position(other)].last_at_or_before(u64::MAX, level - 1, prefix(other))
            }
        }
    }

    /// Returns the entry with the least key that is at least `key`; `above` holds the higher digits of all keys.
    fn first_at_or_after(&self, key: u64, level: u32, above: u64) -> Option<(u64, &V)> {
        let wanted = digit(key, level);
        match &self.children {
            Children::Values(values) => {
                let rest = u32::from(self.present) >> wanted;
                let found = wanted + (rest != 0).then(|| rest.trailing_zeros())?;
                Some((above | u64::from(found), &values[self.position(found)]))
            }
            Children::Inner(children) => {
                let prefix = |digit: u32| above | u64::from(digit) << (DIGIT * level);
                if self.has(wanted)
                    && let found @ Some(_) =
                        children[self.position(wanted)].first_at_or_after(key, level - 1, prefix(wanted))
                {
                    return found;
                }
                let rest = u32::from(self.present) >> wanted >> 1;
                let other = wanted + 1 + (rest != 0).then(|| rest.trailing_zeros())?;
                children[self.position(other)].first_at_or_after(0, level - 1, prefix(other))
            }
        }
    }

    fn for_each<'m>(&'m self, level: u32, above: u64, each: &mut dyn FnMut(u64, &'m V)) {
        let mut present = self.present;
        let mut position = 0;
        while present != 0 {
            let key = above | u64::from(present.trailing_zeros()) << (DIGIT * level);
            match &self.children {
                Children::Values(values) => each(key, &values[position]),
                Children::Inner(children) => children[position].for_each(level - 1, key, each),
            }
            present &= present - 1;
            position += 1;
        }
    }
}

impl<V: Clone> Node<V> {
    fn get_mut(&mut self, key: u64, level: u32) -> &mut V {
        let position = self.position(digit(key, level));
        match &mut self.children {
            Children::Values(values) => &mut values[position],
            Children::Inner(children) => Rc::make_mut(&mut children[position]).get_mut(key, level - 1),
        }
    }

    fn insert(&mut self, key: u64, level: u32, value: V) -> Option<V> {
        let digit = digit(key, level);
        let (position, had) = (self.position(digit), self.has(digit));
        self.present |= 1 << digit;
        match &mut self.children {
            Children::Values(values) if had => Some(std::mem::replace(&mut values[position], value)),
            Children::Values(values) => {
                values.insert(position, value);
                None
            }
            Children::Inner(children) => {
                if !had {
                    children.insert(position, Rc::new(Node::new(level - 1)));
                }
                Rc::make_mut(&mut children[position]).insert(key, level - 1, value)
            }
        }
    }

    fn remove(&mut self, key: u64, level: u32) -> Option<V> {
        let digit = digit(key, level);
        if !self.has(digit) {
            return None;
        }
        let position = self.position(digit);
        match &mut self.children {
            Children::Values(values) => {
                self.present &= !(1 << digit);
                Some(values.remove(position))
            }
            Children::Inner(children) => {
                let child = Rc::make_mut(&mut children[position]);
                let removed = child.remove(key, level - 1);
                if child.present == 0 {
                    children.remove(position);
                    self.present &= !(1 << digit);
                }
                removed
            }
        }
    }
}

impl<V> Map<V> {
    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the map is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns whether the tree is high enough to hold `key`.
    fn fits(&self, key: u64) -> bool {
        let bits = DIGIT * (self.height + 1);
        bits >= 64 || key >> bits == 0
    }

    /// Returns the value of a key.
    pub fn get(&self, key: u64) -> Option<&V> {
        if !self.fits(key) {
            return None;
        }
        let mut node = self.root.as_deref()?;
        let mut level = self.height;
        loop {
            let digit = digit(key, level);
            if !node.has(digit) {
                return None;
            }
            match &node.children {
                Children::Values(values) => return Some(&values[node.position(digit)]),
                Children::Inner(children) => node = &children[node.position(digit)],
            }
            level -= 1;
        }
    }

    /// Returns the entry with the greatest key that is at most `key`.
    pub fn last_at_or_before(&self, key: u64) -> Option<(u64, &V)> {
        let key = if self.fits(key) { key } else { u64::MAX };
        self.root.as_deref()?.last_at_or_before(key, self.height, 0)
    }

    /// Returns the entry with the least key that is at least `key`.
    pub fn first_at_or_after(&self, key: u64) -> Option<(u64, &V)> {
        self.fits(key).then(|| self.root.as_deref()?.first_at_or_after(key, self.height, 0)).flatten()
    }

    /// Calls `each` for every entry, in ascending order of keys.
    pub fn for_each<'m>(&'m self, mut each: impl FnMut(u64, &'m V)) {
        if let Some(root) = &self.root {
            root.for_each(self.height, 0, &mut each);
        }
    }

    /// Returns all entries in ascending order of keys.
    pub fn to_vec(&self) -> Vec<(u64, &V)> {
        let mut all = Vec::with_capacity(self.len);
        self.for_each(|key, value| all.push((key, value)));
        all
    }

    /// Returns whether both maps share the same root, which implies that they are equal.
    pub fn is_same(&self, other: &Self) -> bool {
        match (&self.root, &other.root) {
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        }
    }
}

impl<V: Clone> FromIterator<(u64, V)> for Map<V> {
    fn from_iter<I: IntoIterator<Item = (u64, V)>>(values: I) -> Self {
        let mut map = Self::default();
        values.into_iter().for_each(|(key, value)| {
            map.insert(key, value);
        });
        map
    }
}

impl<V: Clone> Map<V> {
    /// Applies `change` to every value.
    pub fn change_values(&mut self, mut change: impl FnMut(&mut V)) {
        let keys: Vec<u64> = self.to_vec().into_iter().map(|(key, _)| key).collect();
        for key in keys {
            if let Some(value) = self.get_mut(key) {
                change(value);
            }
        }
    }

    /// Returns a mutable reference to the value of a key.
    pub fn get_mut(&mut self, key: u64) -> Option<&mut V> {
        // Look the key up first, because `make_mut` copies shared nodes even if the key is absent.
        self.get(key)?;
        Some(Rc::make_mut(self.root.as_mut()?).get_mut(key, self.height))
    }

    /// Sets the value of a key and returns the previous value.
    pub fn insert(&mut self, key: u64, value: V) -> Option<V> {
        while !self.fits(key) {
            self.height += 1;
            if let Some(root) = self.root.take() {
                self.root = Some(Rc::new(Node { present: 1, children: Children::Inner(vec![root]) }));
            }
        }
        let height = self.height;
        let root = self.root.get_or_insert_with(|| Rc::new(Node::new(height)));
        let before = Rc::make_mut(root).insert(key, height, value);
        self.len += usize::from(before.is_none());
        before
    }

    /// Removes a key and returns its value.
    pub fn remove(&mut self, key: u64) -> Option<V> {
        // Look the key up first, because `make_mut` copies shared nodes even if the key is absent.
        self.get(key)?;
        let root = Rc::make_mut(self.root.as_mut()?);
        let removed = root.remove(key, self.height);
        if root.present == 0 {
            *self = Self::default();
        } else {
            self.len -= usize::from(removed.is_some());
        }
        removed
    }
}

impl<V: Clone + PartialEq> PartialEq for Map<V> {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other) || (self.len == other.len && self.to_vec() == other.to_vec())
    }
}

impl<V: Clone + Eq> Eq for Map<V> {}

/// A singly linked list that grows at the front.
#[derive(Debug)]
pub struct List<T> {
    first: Option<Rc<Link<T>>>,
}

#[derive(Debug)]
struct Link<T> {
    value: T,
    rest: List<T>,
}

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        Self { first: self.first.clone() }
    }
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self { first: None }
    }
}

impl<T> Drop for List<T> {
    fn drop(&mut self) {
        // Drop the links iteratively: recursion would overflow the stack on a long list.
        let mut next = self.first.take();
        while let Some(link) = next {
            let Ok(mut link) = Rc::try_unwrap(link) else { break };
            next = link.rest.first.take();
        }
    }
}

impl<T> List<T> {
    /// Adds a value at the front.
    pub fn push(&mut self, value: T) {
        let rest = std::mem::take(self);
        self.first = Some(Rc::new(Link { value, rest }));
    }

    /// Returns the values, starting with the one added last.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        std::iter::successors(self.first.as_deref(), |link| link.rest.first.as_deref()).map(|link| &link.value)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::{List, Map};

    #[derive(Clone, Debug)]
    enum Step {
        Insert(u64, u32),
        Remove(u64),
        Change(u64),
        Clone,
    }

    fn key() -> impl Strategy<Value = u64> {
        prop_oneof![0..40u64, 0..5000u64, any::<u64>(), Just(u64::MAX)]
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            4 => (key(), any::<u32>()).prop_map(|(k, v)| Step::Insert(k, v)),
            2 => key().prop_map(Step::Remove),
            2 => key().prop_map(Step::Change),
            1 => Just(Step::Clone),
        ]
    }

    fn same(map: &Map<u32>, model: &BTreeMap<u64, u32>, probes: &[u64]) {
        assert_eq!(map.len(), model.len());
        assert_eq!(map.to_vec(), model.iter().map(|(&k, v)| (k, v)).collect::<Vec<_>>());
        for &probe in probes {
            assert_eq!(map.get(probe), model.get(&probe));
            assert_eq!(map.last_at_or_before(probe), model.range(..=probe).next_back().map(|(&k, v)| (k, v)));
            assert_eq!(map.first_at_or_after(probe), model.range(probe..).next().map(|(&k, v)| (k, v)));
        }
    }

    #[test]
    fn long_lists_share_tails_and_drop_without_recursion() {
        let mut list = List::default();
        (0..1_000_000).for_each(|i| list.push(i));
        let mut other = list.clone();
        other.push(7);
        assert_eq!(list.iter().take(2).collect::<Vec<_>>(), [&999_999, &999_998]);
        assert_eq!(other.iter().count(), 1_000_001);
        drop(list);
        assert_eq!(other.iter().nth(1), Some(&999_999));
    }

    proptest! {
        #[test]
        fn behaves_like_an_ordered_map_with_independent_clones(steps in prop::collection::vec(step(), 0..120),
                                                               probes in prop::collection::vec(key(), 8)) {
            let (mut map, mut model) = (Map::default(), BTreeMap::new());
            let mut kept = Vec::new();
            for step in steps {
                match step {
                    Step::Insert(key, value) => prop_assert_eq!(map.insert(key, value), model.insert(key, value)),
                    Step::Remove(key) => prop_assert_eq!(map.remove(key), model.remove(&key)),
                    Step::Change(key) => {
                        let (a, b) = (map.get_mut(key), model.get_mut(&key));
                        prop_assert_eq!(&a, &b);
                        if let (Some(a), Some(b)) = (a, b) {
                            (*a, *b) = (a.wrapping_add(1), b.wrapping_add(1));
                        }
                    }
                    Step::Clone => kept.push((map.clone(), model.clone())),
                }
            }
            same(&map, &model, &probes);
            for (map, model) in kept {
                same(&map, &model, &probes);
            }
        }
    }
}
