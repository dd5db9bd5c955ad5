//! Random formulas over list cells, and their semantics in all small models by definition.

#![allow(dead_code, reason = "each test file uses a part of this")]

use cairn_sl::formula::{Formula, LocationSort, PredicateId, Pure, Sort, Spatial, Term, Variable};
use cairn_sl::model::{Model, Value};
use cairn_sl::signature::Signature;

/// A deterministic pseudo-random number generator.
pub struct Dice(pub u64);

impl Dice {
    /// Returns a number below the limit.
    pub fn roll(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit
    }
}

/// A signature with one cell sort, the field `next`, a list segment predicate and some variables.
pub struct World {
    pub signature: Signature,
    pub sort: LocationSort,
    pub list: PredicateId,
    pub variables: Vec<Variable>,
}

impl World {
    pub fn new(variables: usize) -> Self {
        let mut signature = Signature::new();
        let sort = signature.add_record("Node", |sort| vec![("next".to_owned(), Sort::Location(sort))]);
        let location = Sort::Location(sort);
        let list = signature.add_list_segment("segment", sort, 0);
        let variables = (0..variables).map(|i| signature.variable(&format!("x{i}"), location)).collect();
        Self { signature, sort, list, variables }
    }

    /// Generates a variable or, occasionally, `nil`.
    pub fn term(&self, dice: &mut Dice) -> Term {
        match dice.roll(self.variables.len() * 3 + 1) {
            0 => Term::Nil(self.sort),
            n => Term::variable(self.variables[n % self.variables.len()]),
        }
    }

    pub fn cell(&self, dice: &mut Dice) -> Formula {
        Formula::points_to(self.term(dice), vec![self.term(dice)])
    }

    pub fn segment(&self, dice: &mut Dice) -> Formula {
        Formula::predicate(self.list, vec![self.term(dice), self.term(dice)])
    }

    pub fn pure(&self, dice: &mut Dice) -> Formula {
        let (a, b) = (self.term(dice), self.term(dice));
        Formula::Pure(if dice.roll(3) == 0 { Pure::Equal(a, b) } else { Pure::Distinct(a, b) })
    }

    /// Generates the pure and the spatial atoms of a symbolic heap.
    pub fn heap(&self, dice: &mut Dice, most: usize) -> (Vec<Formula>, Vec<Formula>) {
        let pure = (0..dice.roll(3)).map(|_| self.pure(dice)).collect();
        let spatial = (0..dice.roll(most + 1))
            .map(|_| if dice.roll(2) == 0 { self.cell(dice) } else { self.segment(dice) })
            .collect();
        (pure, spatial)
    }

    /// Generates a formula with boolean structure.
    pub fn boolean(&self, dice: &mut Dice, depth: usize) -> Formula {
        if depth == 0 {
            return match dice.roll(8) {
                0 => Formula::Emp,
                1 => Formula::True,
                2 | 3 => self.pure(dice),
                _ => self.cell(dice),
            };
        }
        let two = |dice: &mut Dice| [self.boolean(dice, depth - 1), self.boolean(dice, depth - 1)];
        match dice.roll(9) {
            0 | 1 => Formula::and(two(dice)),
            2 => Formula::or(two(dice)),
            3 | 4 => Formula::not(self.boolean(dice, depth - 1)),
            5 | 6 => Formula::sep(two(dice)),
            7 => {
                let added =
                    if dice.roll(4) == 0 { Formula::or([self.cell(dice), self.cell(dice)]) } else { self.cell(dice) };
                let then = Box::new(self.boolean(dice, depth - 1));
                if dice.roll(2) == 0 {
                    Formula::Wand(Box::new(added), then)
                } else {
                    Formula::Septraction(Box::new(added), then)
                }
            }
            _ => self.boolean(dice, 0),
        }
    }
}

/// Returns the conjunction of pure and spatial atoms.
pub fn symbolic(pure: &[Formula], spatial: &[Formula]) -> Formula {
    Formula::and(pure.iter().cloned().chain([Formula::sep(spatial.iter().cloned())]))
}

/// A small model: values of the variables, and the target of each cell; location 0 is `nil`.
#[derive(Clone, Debug)]
pub struct Small {
    pub stack: Vec<(Variable, u8)>,
    pub cells: Vec<u8>,
    /// Whether pure atoms also require the heap to be empty.
    pub strict: bool,
}

/// Marks a location without a cell.
pub const FREE: u8 = u8::MAX;

impl Small {
    fn value(&self, term: &Term, bound: &[(Variable, u8)]) -> u8 {
        match term {
            Term::Nil(_) => 0,
            Term::Variable(v) => {
                let known = bound.iter().rev().chain(&self.stack).find(|(w, _)| w == v);
                known.unwrap_or_else(|| panic!("{v:?} has a value")).1
            }
            Term::Integer(_) => panic!("there are no integers here"),
        }
    }

    fn everything(&self) -> u32 {
        (1..self.cells.len()).filter(|&l| self.cells[l] != FREE).map(|l| 1 << l).sum()
    }

    /// Returns whether the formula holds in the whole heap.
    pub fn satisfies(&self, world: &World, formula: &Formula) -> bool {
        self.holds(world, formula, self.everything(), &[])
    }

    fn holds(&self, world: &World, formula: &Formula, part: u32, bound: &[(Variable, u8)]) -> bool {
        match formula {
            Formula::True => true,
            Formula::False => false,
            Formula::Pure(_) if self.strict && part != 0 => false,
            Formula::Pure(Pure::Equal(a, b)) => self.value(a, bound) == self.value(b, bound),
            Formula::Pure(Pure::Distinct(a, b)) => self.value(a, bound) != self.value(b, bound),
            Formula::Pure(other) => panic!("{other:?} is not generated"),
            Formula::Emp => part == 0,
            Formula::Spatial(Spatial::PointsTo(location, fields)) => {
                let location = self.value(location, bound);
                part == 1 << location && location != 0 && self.cells[location as usize] == self.value(&fields[0], bound)
            }
            Formula::Spatial(Spatial::Predicate(_, arguments)) => {
                self.segment(self.value(&arguments[0], bound), self.value(&arguments[1], bound), part)
            }
            Formula::Sep(parts) => self.divided(world, parts, part, bound),
            Formula::And(parts) => parts.iter().all(|p| self.holds(world, p, part, bound)),
            Formula::Or(parts) => parts.iter().any(|p| self.holds(world, p, part, bound)),
            Formula::Not(inner) => !self.holds(world, inner, part, bound),
            Formula::Wand(a, b) => {
                !self.extended(world, a, part, bound, &mut |larger, whole| !larger.holds(world, b, whole, bound))
            }
            Formula::Septraction(a, b) => {
                self.extended(world, a, part, bound, &mut |larger, whole| larger.holds(world, b, whole, bound))
            }
            Formula::Exists(variables, inner) => self.some(world, variables, inner, part, bound),
            Formula::Forall(variables, inner) => {
                let not = Formula::not((**inner).clone());
                !self.some(world, variables, &not, part, bound)
            }
        }
    }

    fn some(
        &self,
        world: &World,
        variables: &[Variable],
        inner: &Formula,
        part: u32,
        bound: &[(Variable, u8)],
    ) -> bool {
        let Some((&variable, rest)) = variables.split_first() else { return self.holds(world, inner, part, bound) };
        (0..self.cells.len() as u8 + 1).any(|value| {
            let mut bound = bound.to_vec();
            bound.push((variable, value));
            self.some(world, rest, inner, part, &bound)
        })
    }

    /// Returns whether `ls(from, to)` holds in a part of the heap.
    ///
    /// Equal ends require an empty part. Otherwise there must be a cell at `from`, and a segment from its target.
    fn segment(&self, from: u8, to: u8, part: u32) -> bool {
        if from == to {
            return part == 0;
        }
        let in_part = (from as usize) < self.cells.len() && part & (1 << from) != 0;
        in_part && self.segment(self.cells[from as usize], to, part & !(1 << from))
    }

    fn divided(&self, world: &World, parts: &[Formula], heap: u32, bound: &[(Variable, u8)]) -> bool {
        let Some((first, rest)) = parts.split_first() else { return heap == 0 };
        if rest.is_empty() {
            return self.holds(world, first, heap, bound);
        }
        let mut part = heap;
        loop {
            if self.holds(world, first, part, bound) && self.divided(world, rest, heap & !part, bound) {
                return true;
            }
            if part == 0 {
                return false;
            }
            part = (part - 1) & heap;
        }
    }

    /// Returns whether some disjoint heap satisfies the formula and makes the test succeed.
    fn extended(
        &self,
        world: &World,
        added: &Formula,
        part: u32,
        bound: &[(Variable, u8)],
        test: &mut impl FnMut(&Small, u32) -> bool,
    ) -> bool {
        let free: Vec<usize> = (1..self.cells.len()).filter(|l| part & (1 << l) == 0).collect();
        let mut larger = self.clone();
        for &l in &free {
            larger.cells[l] = FREE;
        }
        let choices = self.cells.len() as u32 + 1;
        for number in 0..choices.pow(free.len() as u32) {
            let mut rest = number;
            let mut extension = 0;
            for &l in &free {
                let choice = rest % choices;
                rest /= choices;
                larger.cells[l] = if choice == 0 { FREE } else { choice as u8 - 1 };
                if choice != 0 {
                    extension |= 1 << l;
                }
            }
            if larger.holds(world, added, extension, bound) && test(&larger, part | extension) {
                return true;
            }
        }
        false
    }
}

/// Enumerates all models with that many locations, up to renaming of the locations on the stack.
pub fn small_models(world: &World, locations: usize) -> Vec<Small> {
    let mut stacks: Vec<Vec<(Variable, u8)>> = vec![Vec::new()];
    for &variable in &world.variables {
        let mut next = Vec::new();
        for stack in stacks {
            let used = stack.iter().map(|(_, v)| *v).max().unwrap_or(0);
            for value in 0..=(used + 1).min(locations as u8) {
                let mut longer = stack.clone();
                longer.push((variable, value));
                next.push(longer);
            }
        }
        stacks = next;
    }
    let choices = locations as u32 + 2;
    let mut models = Vec::new();
    for stack in stacks {
        for number in 0..choices.pow(locations as u32) {
            let mut rest = number;
            let mut cells = vec![FREE];
            for _ in 0..locations {
                let choice = rest % choices;
                rest /= choices;
                cells.push(if choice == 0 { FREE } else { choice as u8 - 1 });
            }
            models.push(Small { stack: stack.clone(), cells, strict: false });
        }
    }
    models
}

/// Converts a model of the library, renumbering its locations.
pub fn renumbered(world: &World, model: &Model) -> Small {
    let mut numbers: Vec<Value> = vec![Value::Location(world.sort, 0)];
    // Number the cells first, so that every allocated location has an entry in the table.
    numbers.extend(model.heap.keys());
    let cells = numbers.len();
    let mut number = |value: Value| -> u8 {
        let known = numbers.iter().position(|v| *v == value);
        known.unwrap_or_else(|| {
            numbers.push(value);
            numbers.len() - 1
        }) as u8
    };
    let mut table = vec![FREE; cells];
    for (location, fields) in &model.heap {
        let location = number(*location) as usize;
        table[location] = number(fields[0]);
    }
    let stack = world
        .variables
        .iter()
        .map(|&v| (v, number(model.stack.get(&v).copied().unwrap_or(Value::Location(world.sort, 0)))))
        .collect();
    // Add entries for locations without a cell, where a separating implication may add one.
    table.resize(numbers.len(), FREE);
    Small { stack, cells: table, strict: false }
}
