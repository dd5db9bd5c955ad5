//! Facts about numbered locations: equalities, disequalities and allocation.
//!
//! A base pair is such a shape over the parameters of a predicate (Brotherston, Fuhs, Gorogiannis,
//! Navarro Pérez, "A decision procedure for satisfiability in separation logic with inductive
//! predicates", LICS 2014, section 3).

/// A consistent set of equalities, disequalities and allocated locations.
///
/// Operations that could make it inconsistent return whether they succeeded.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Shape {
    /// For each location, the least location that is equal to it.
    representative: Vec<u32>,
    /// For each representative, a bit row of the representatives that differ from it.
    distinct: Vec<u64>,
    /// The bit set of allocated representatives.
    allocated: Vec<u64>,
    words: usize,
}

fn bit(row: &[u64], place: usize) -> bool {
    row[place / 64] >> (place % 64) & 1 == 1
}

fn set(row: &mut [u64], place: usize) {
    row[place / 64] |= 1 << (place % 64);
}

fn clear(row: &mut [u64], place: usize) {
    row[place / 64] &= !(1 << (place % 64));
}

fn ones(row: &[u64]) -> impl Iterator<Item = usize> + '_ {
    row.iter().enumerate().flat_map(|(index, &word)| {
        let mut left = word;
        std::iter::from_fn(move || {
            if left == 0 {
                return None;
            }
            let place = left.trailing_zeros() as usize;
            left &= left - 1;
            Some(index * 64 + place)
        })
    })
}

impl Shape {
    /// Creates a shape of that many unconstrained locations.
    pub fn new(count: usize) -> Self {
        let words = count.div_ceil(64).max(1);
        Self {
            representative: (0..count as u32).collect(),
            distinct: vec![0; count * words],
            allocated: vec![0; words],
            words,
        }
    }

    /// Returns the number of locations.
    pub fn len(&self) -> usize {
        self.representative.len()
    }

    /// Adds unconstrained locations.
    pub fn grow(&mut self, more: usize) {
        let old = self.len();
        let count = old + more;
        let words = count.div_ceil(64).max(1);
        if words != self.words {
            let mut distinct = vec![0; count * words];
            for i in 0..old {
                distinct[i * words..i * words + self.words]
                    .copy_from_slice(&self.distinct[i * self.words..(i + 1) * self.words]);
            }
            self.distinct = distinct;
            self.allocated.resize(words, 0);
            self.words = words;
        } else {
            self.distinct.resize(count * words, 0);
        }
        self.representative.extend(old as u32..count as u32);
    }

    /// Returns the least location that is known to be equal.
    pub fn find(&self, location: usize) -> usize {
        self.representative[location] as usize
    }

    fn row(&self, representative: usize) -> &[u64] {
        &self.distinct[representative * self.words..(representative + 1) * self.words]
    }

    fn row_mut(&mut self, representative: usize) -> &mut [u64] {
        &mut self.distinct[representative * self.words..(representative + 1) * self.words]
    }

    /// Returns whether two locations are known to be equal.
    pub fn are_equal(&self, a: usize, b: usize) -> bool {
        self.representative[a] == self.representative[b]
    }

    /// Returns whether two locations are known to differ.
    pub fn are_distinct(&self, a: usize, b: usize) -> bool {
        bit(self.row(self.find(a)), self.find(b))
    }

    /// Returns whether a location is known to be allocated.
    pub fn is_allocated(&self, location: usize) -> bool {
        bit(&self.allocated, self.find(location))
    }

    /// Adds an equality; returns whether this is consistent.
    #[must_use]
    pub fn equate(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return true;
        }
        if bit(self.row(a), b) {
            return false;
        }
        let (low, high) = (a.min(b), a.max(b));
        let moved: Vec<usize> = ones(self.row(high)).collect();
        for other in moved {
            clear(self.row_mut(other), high);
            set(self.row_mut(other), low);
            set(self.row_mut(low), other);
        }
        self.row_mut(high).fill(0);
        if bit(&self.allocated, high) {
            clear(&mut self.allocated, high);
            set(&mut self.allocated, low);
        }
        for representative in &mut self.representative[high..] {
            if *representative == high as u32 {
                *representative = low as u32;
            }
        }
        true
    }

    /// Adds a disequality; returns whether this is consistent.
    #[must_use]
    pub fn separate(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return false;
        }
        set(self.row_mut(a), b);
        set(self.row_mut(b), a);
        true
    }

    /// Allocates a location separately from all allocated ones; returns whether this is consistent.
    #[must_use]
    pub fn allocate(&mut self, location: usize, nil: usize) -> bool {
        let location = self.find(location);
        if bit(&self.allocated, location) || !self.separate(location, nil) {
            return false;
        }
        let others: Vec<usize> = ones(&self.allocated).collect();
        for other in others {
            if !self.separate(location, other) {
                return false;
            }
        }
        set(&mut self.allocated, location);
        true
    }

    /// Adds all facts of another shape, whose allocated locations are separate; returns whether this is consistent.
    ///
    /// `place` maps the locations of the other shape to those of this one.
    #[must_use]
    pub fn join(&mut self, other: &Shape, place: impl Fn(usize) -> usize) -> bool {
        for i in 0..other.len() {
            let representative = other.find(i);
            if representative != i && !self.equate(place(i), place(representative)) {
                return false;
            }
        }
        // Check allocation first, because double allocation is the most frequent contradiction.
        for i in ones(&other.allocated) {
            if bit(&self.allocated, self.find(place(i))) {
                return false;
            }
        }
        for i in 0..other.len() {
            for j in ones(other.row(i)).take_while(|&j| j < i) {
                if !self.separate(place(i), place(j)) {
                    return false;
                }
            }
        }
        let before: Vec<usize> = ones(&self.allocated).collect();
        for i in ones(&other.allocated) {
            let location = self.find(place(i));
            for &one in &before {
                if !self.separate(location, one) {
                    return false;
                }
            }
            set(&mut self.allocated, location);
        }
        true
    }

    /// Returns whether joining would be obviously inconsistent; this test is cheap and incomplete.
    pub fn contradicts(&self, other: &Shape, place: impl Fn(usize) -> usize) -> bool {
        ones(&self.allocated).any(|i| other.is_allocated(place(i)))
            || (0..self.len()).any(|i| {
                let representative = self.find(i);
                (representative != i && other.are_distinct(place(i), place(representative)))
                    || ones(self.row(i)).take_while(|&j| j < i).any(|j| other.are_equal(place(i), place(j)))
            })
    }

    /// Like [`Self::contradicts`], except for locations that an earlier join of the same call allocated.
    pub fn contradicts_apart_from(&self, other: &Shape, place: impl Fn(usize) -> usize, known: Option<&Shape>) -> bool {
        let Some(known) = known else { return self.contradicts(other, place) };
        let own = |i: usize| (0..known.len()).any(|k| known.is_allocated(k) && other.are_equal(place(k), place(i)));
        ones(&self.allocated).any(|i| other.is_allocated(place(i)) && !own(i))
            || (0..self.len()).any(|i| {
                let representative = self.find(i);
                (representative != i && other.are_distinct(place(i), place(representative)))
                    || ones(self.row(i)).take_while(|&j| j < i).any(|j| other.are_equal(place(i), place(j)))
            })
    }

    /// Like [`Self::join`], for additional facts about a call of which `known` was joined before.
    #[must_use]
    pub fn join_again(&mut self, other: &Shape, place: impl Fn(usize) -> usize, known: Option<&Shape>) -> bool {
        let Some(known) = known else { return self.join(other, place) };
        let mut pure = other.clone();
        pure.allocated.fill(0);
        if !self.join(&pure, &place) {
            return false;
        }
        for i in ones(&other.allocated) {
            let own = (0..known.len()).any(|k| known.is_allocated(k) && self.are_equal(place(k), place(i)));
            if own {
                continue;
            }
            let location = self.find(place(i));
            let others: Vec<usize> = ones(&self.allocated).collect();
            for one in others {
                if !self.separate(location, one) {
                    return false;
                }
            }
            set(&mut self.allocated, location);
        }
        true
    }

    /// Projects the shape to these locations, renumbered in this order.
    pub fn project(&self, keep: &[usize]) -> Shape {
        let mut result = Shape::new(keep.len());
        let mut first = vec![u32::MAX; self.len()];
        for (place, &location) in keep.iter().enumerate() {
            let representative = self.find(location);
            if first[representative] == u32::MAX {
                first[representative] = place as u32;
            }
            result.representative[place] = first[representative];
        }
        for (representative, &place) in first.iter().enumerate() {
            if place == u32::MAX {
                continue;
            }
            for other in ones(self.row(representative)) {
                if first[other] != u32::MAX {
                    set(result.row_mut(place as usize), first[other] as usize);
                }
            }
            if bit(&self.allocated, representative) {
                set(&mut result.allocated, place as usize);
            }
        }
        result
    }

    /// Returns whether the other shape contains all facts of this one.
    pub fn is_weaker_than(&self, other: &Shape) -> bool {
        (0..self.len()).all(|i| other.are_equal(i, self.find(i)))
            && ones(&self.allocated).all(|i| other.is_allocated(i))
            && (0..self.len()).all(|i| ones(self.row(i)).all(|j| other.are_distinct(i, j)))
    }

    /// Returns the facts common to both shapes.
    pub fn meet(&self, other: &Shape) -> Shape {
        let mut result = Shape::new(self.len());
        for i in 0..self.len() {
            if let Some(j) = (0..i).find(|&j| self.are_equal(i, j) && other.are_equal(i, j)) {
                result.representative[i] = result.representative[j];
            }
        }
        for i in 0..self.len() {
            if result.find(i) != i {
                continue;
            }
            for j in 0..i {
                if result.find(j) == j && self.are_distinct(i, j) && other.are_distinct(i, j) {
                    set(result.row_mut(i), j);
                    set(result.row_mut(j), i);
                }
            }
            if self.is_allocated(i) && other.is_allocated(i) {
                set(&mut result.allocated, i);
            }
        }
        result
    }
}
