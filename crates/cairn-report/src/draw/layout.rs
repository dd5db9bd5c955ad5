//! The layout of a sequence of pictures: one place for each object, and a route for each pointer that some picture has.
//!
//! Objects are put into columns, from the variables that lead to them to the right. The crate `rust-sugiyama` orders the objects of
//! each column so that few pointers cross, and aligns them. A pointer that skips columns is led through invisible objects in between, so
//! that no pointer crosses an object.

use std::collections::{BTreeMap, BTreeSet};

use rust_sugiyama::configure::Config;
use rust_sugiyama::from_vertices_and_edges;

use crate::report::heap::{Heap, Variable};

/// The width of a character of the drawings' font, in pixels.
pub(crate) const CHARACTER: f64 = 7.3;
/// The height of a field.
pub(crate) const ROW: f64 = 22.0;
/// The height of the title of an object.
pub(crate) const HEADER: f64 = 26.0;
/// The height of a row of variables above an object.
pub(crate) const CHIP_ROW: f64 = 28.0;
/// The space around the drawing.
pub(crate) const MARGIN: f64 = 18.0;
/// The space between two columns, where pointers bend.
const GAP: f64 = 52.0;
/// The space between two objects of a column.
const SPACE: f64 = 26.0;
/// The least width of an object.
const LEAST: f64 = 104.0;

/// The box of an object.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// The names of the fields of all pictures, in their order.
    pub(crate) rows: Vec<String>,
    column: usize,
}

impl Frame {
    /// Returns the middle of a field; that of the title for no field.
    pub(crate) fn row(&self, name: Option<&str>) -> f64 {
        match name.and_then(|name| self.rows.iter().position(|row| row == name)) {
            Some(index) => self.y + HEADER + ROW * (index as f64 + 0.5),
            None => self.y + HEADER / 2.0,
        }
    }

    fn right(&self) -> f64 {
        self.x + self.width
    }
}

/// The places of all objects of a sequence of pictures.
#[derive(Debug)]
pub(crate) struct Stage {
    pub(crate) frames: BTreeMap<String, Frame>,
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// The left and right end of each column.
    columns: Vec<(f64, f64)>,
    /// For each pair of objects, the heights at which a pointer crosses the columns between them, from left to right.
    bends: BTreeMap<(String, String), Vec<f64>>,
}

impl Stage {
    /// Lays out the union of pictures.
    pub(crate) fn of(pictures: &[&Heap]) -> Self {
        let union = Union::of(pictures);
        let sizes: Vec<(f64, f64)> = (0..union.ids.len()).map(|index| union.size(index)).collect();
        let heights: Vec<f64> = sizes.iter().map(|(_, height)| height + SPACE).collect();
        let (columns, _) = arranged(&heights, &union.edges);
        let (heights, edges, chains) = with_bends(heights, &union.edges, &columns);
        let (columns, centres) = arranged(&heights, &edges);
        let count = columns.iter().copied().max().map_or(0, |last| last + 1);
        let mut widths = vec![0.0_f64; count];
        for (index, size) in sizes.iter().enumerate() {
            widths[columns[index]] = widths[columns[index]].max(size.0);
        }
        let mut ends = Vec::with_capacity(count);
        let mut x = MARGIN;
        for width in widths {
            ends.push((x, x + width));
            x += width + GAP;
        }
        let mut frames = BTreeMap::new();
        let top =
            centres.iter().zip(&heights).map(|(centre, height)| centre - height / 2.0).fold(f64::INFINITY, f64::min);
        let top = if top.is_finite() { top } else { 0.0 };
        let legend = union.legend_height();
        let mut bottom = MARGIN + legend;
        for (index, id) in union.ids.iter().enumerate() {
            let (width, height) = sizes[index];
            let chips = union.chip_rows[index] as f64 * CHIP_ROW;
            let y = centres[index] - height / 2.0 - top + MARGIN + legend + chips;
            let column = columns[index];
            let rows = union.rows[index].clone();
            bottom = bottom.max(y + height - chips + MARGIN);
            frames.insert(id.clone(), Frame { x: ends[column].0, y, width, height: height - chips, rows, column });
        }
        let mut bends = BTreeMap::new();
        for ((from, to), chain) in chains {
            let ys: Vec<f64> = chain.iter().map(|&index| centres[index] - top + MARGIN + legend).collect();
            bottom = ys.iter().fold(bottom, |bottom, y| bottom.max(y + MARGIN));
            bends.insert((union.ids[from].clone(), union.ids[to].clone()), ys);
        }
        let right = ends.last().map_or(MARGIN, |end| end.1) + GAP / 2.0;
        Stage { frames, width: right.max(union.legend_width()), height: bottom, columns: ends, bends }
    }

    /// Returns the path of a pointer from a field of an object to another object, as the data of an SVG path.
    pub(crate) fn route(&self, from: &str, field: &str, to: &str) -> Option<String> {
        let (source, target) = (self.frames.get(from)?, self.frames.get(to)?);
        let (start, end) = (source.row(Some(field)), target.row(None));
        let crossing = |a: &str, b: &str| self.bends.get(&(a.to_owned(), b.to_owned())).cloned();
        let mut path = String::new();
        if target.column > source.column {
            path.push_str(&format!("M {:.1} {start:.1} H {:.1}", source.right(), self.columns[source.column].1));
            let mut y = start;
            let between = crossing(from, to).unwrap_or_default();
            for (index, next) in between.into_iter().chain([end]).enumerate() {
                let column = source.column + index;
                let (left, right) = (self.columns[column].1, self.columns[column + 1].0);
                path.push_str(&bend(left, y, right - if column + 1 == target.column { 6.0 } else { 0.0 }, next));
                if column + 1 < target.column {
                    path.push_str(&format!(" H {:.1}", self.columns[column + 1].1));
                }
                y = next;
            }
            return Some(path);
        }
        if target.column < source.column {
            let end = end + HEADER / 4.0;
            path.push_str(&format!("M {:.1} {start:.1} H {:.1}", source.x, self.columns[source.column].0));
            let mut y = start;
            let mut between = crossing(to, from).unwrap_or_default();
            between.reverse();
            for (index, next) in between.into_iter().chain([end]).enumerate() {
                let column = source.column - index;
                let (right, left) = (self.columns[column].0, self.columns[column - 1].1);
                path.push_str(&bend(right, y, left, next));
                if column - 1 > target.column {
                    path.push_str(&format!(" H {:.1}", self.columns[column - 1].0));
                }
                y = next;
            }
            path.push_str(&format!(" H {:.1}", target.right() + 6.0));
            return Some(path);
        }
        let (edge, end) = (self.columns[source.column].1, end + HEADER / 4.0);
        path.push_str(&format!("M {:.1} {start:.1} H {edge:.1}", source.right()));
        path.push_str(&format!(" C {0:.1} {start:.1} {0:.1} {end:.1} {edge:.1} {end:.1}", edge + GAP * 0.6));
        path.push_str(&format!(" H {:.1}", target.right() + 6.0));
        Some(path)
    }
}

fn bend(left: f64, from: f64, right: f64, to: f64) -> String {
    let middle = (left + right) / 2.0;
    format!(" C {middle:.1} {from:.1} {middle:.1} {to:.1} {right:.1} {to:.1}")
}

/// Everything that occurs in a sequence of pictures.
struct Union {
    ids: Vec<String>,
    rows: Vec<Vec<String>>,
    /// The number of characters of the widest line of each object.
    characters: Vec<usize>,
    /// The rows of variables above each object.
    chip_rows: Vec<usize>,
    /// The pointers, without cycles, from left to right.
    edges: Vec<(usize, usize)>,
    legend: usize,
}

impl Union {
    fn of(pictures: &[&Heap]) -> Self {
        let mut union = Union {
            ids: Vec::new(),
            rows: Vec::new(),
            characters: Vec::new(),
            chip_rows: Vec::new(),
            edges: Vec::new(),
            legend: 0,
        };
        let mut index_of: BTreeMap<String, usize> = BTreeMap::new();
        // The last picture shows most; objects of earlier ones follow.
        for node in pictures.iter().rev().flat_map(|picture| &picture.nodes) {
            let index = *index_of.entry(node.id.clone()).or_insert_with(|| {
                union.ids.push(node.id.clone());
                union.rows.push(Vec::new());
                union.characters.push(0);
                union.chip_rows.push(0);
                union.ids.len() - 1
            });
            let title =
                node.title.chars().count() + node.length.as_ref().map_or(0, |text| text.chars().count() + 3) + 7;
            union.characters[index] = union.characters[index].max(title);
            for cell in &node.cells {
                let value = cell.value.text().chars().count();
                union.characters[index] = union.characters[index].max(cell.name.chars().count() + value + 4);
                if !union.rows[index].contains(&cell.name) {
                    union.rows[index].push(cell.name.clone());
                }
            }
        }
        for picture in pictures {
            for (index, id) in union.ids.iter().enumerate() {
                let width = union.width(index);
                let rows = chip_rows(&chips_of(picture, id), width);
                union.chip_rows[index] = union.chip_rows[index].max(rows);
            }
            union.legend = union.legend.max(legend(picture).map_or(0, |text| text.chars().count()));
        }
        let mut pointers: BTreeSet<(usize, usize)> = BTreeSet::new();
        let mut ordered = Vec::new();
        for node in pictures.iter().rev().flat_map(|picture| &picture.nodes) {
            for target in node.cells.iter().filter_map(|cell| cell.value.target()) {
                if let (Some(&from), Some(&to)) = (index_of.get(&node.id), index_of.get(target))
                    && from != to
                    && pointers.insert((from, to))
                {
                    ordered.push((from, to));
                }
            }
        }
        union.edges = without_cycles(union.ids.len(), &ordered);
        union
    }

    fn width(&self, index: usize) -> f64 {
        (self.characters[index] as f64 * CHARACTER + 16.0).max(LEAST)
    }

    /// Returns the size of an object with the variables above it.
    fn size(&self, index: usize) -> (f64, f64) {
        let height = HEADER + ROW * self.rows[index].len() as f64 + self.chip_rows[index] as f64 * CHIP_ROW;
        (self.width(index), height)
    }

    fn legend_height(&self) -> f64 {
        if self.legend == 0 { 0.0 } else { ROW + 8.0 }
    }

    fn legend_width(&self) -> f64 {
        (self.legend as f64 * CHARACTER + 2.0 * MARGIN).min(900.0)
    }
}

/// Returns the variables that lead to an object.
pub(crate) fn chips_of<'h>(heap: &'h Heap, id: &str) -> Vec<&'h Variable> {
    heap.variables.iter().filter(|variable| variable.value.target() == Some(id)).collect()
}

/// Returns the text of a variable above an object.
pub(crate) fn chip_text(variable: &Variable) -> String {
    match &variable.value {
        crate::report::heap::Contents::Into(..) => format!("{} {}", variable.name, variable.value.text()),
        _ => variable.name.clone(),
    }
}

/// Returns the width of a variable above an object.
pub(crate) fn chip_width(variable: &Variable) -> f64 {
    chip_text(variable).chars().count() as f64 * CHARACTER + 16.0
}

/// Returns the number of rows that variables above an object of a width need.
fn chip_rows(chips: &[&Variable], width: f64) -> usize {
    chip_places(chips, width).last().map_or(0, |(_, row)| row + 1)
}

/// Returns the horizontal offset and the row of each variable above an object of a width.
pub(crate) fn chip_places(chips: &[&Variable], width: f64) -> Vec<(f64, usize)> {
    let (mut x, mut row) = (0.0, 0);
    let mut places = Vec::with_capacity(chips.len());
    for chip in chips {
        let own = chip_width(chip);
        if x > 0.0 && x + own > width {
            (x, row) = (0.0, row + 1);
        }
        places.push((x, row));
        x += own + 6.0;
    }
    places
}

/// Returns the line about the variables that lead nowhere.
pub(crate) fn legend(heap: &Heap) -> Option<String> {
    let nowhere: Vec<String> = heap
        .variables
        .iter()
        .filter(|variable| variable.value.target().is_none())
        .map(|variable| format!("{} = {}", variable.name, variable.value.text()))
        .collect();
    let mut seen = BTreeSet::new();
    let nowhere: Vec<String> = nowhere.into_iter().filter(|text| seen.insert(text.clone())).take(8).collect();
    (!nowhere.is_empty()).then(|| nowhere.join("   "))
}

/// Turns pointers around until there is no cycle: those that lead back to an object on the way to them.
fn without_cycles(count: usize, pointers: &[(usize, usize)]) -> Vec<(usize, usize)> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
    for &(from, to) in pointers {
        next[from].push(to);
    }
    let mut marks = vec![Mark::New; count];
    let mut edges = BTreeSet::new();
    for root in 0..count {
        if marks[root] != Mark::New {
            continue;
        }
        marks[root] = Mark::Open;
        let mut stack = vec![(root, 0)];
        while let Some((from, at)) = stack.pop() {
            let Some(&to) = next[from].get(at) else {
                marks[from] = Mark::Done;
                continue;
            };
            stack.push((from, at + 1));
            match marks[to] {
                Mark::Open => {
                    edges.insert((to, from));
                }
                mark => {
                    edges.insert((from, to));
                    if mark == Mark::New {
                        marks[to] = Mark::Open;
                        stack.push((to, 0));
                    }
                }
            }
        }
    }
    let both: Vec<(usize, usize)> = edges.iter().copied().filter(|&(a, b)| !edges.contains(&(b, a)) || a < b).collect();
    both
}

/// Returns the column of each object, and its centre in the column.
fn arranged(heights: &[f64], edges: &[(usize, usize)]) -> (Vec<usize>, Vec<f64>) {
    let vertices: Vec<(u32, (f64, f64))> =
        heights.iter().enumerate().map(|(index, &height)| (index as u32, (height, 1.0))).collect();
    let edges: Vec<(u32, u32)> = edges.iter().map(|&(from, to)| (from as u32, to as u32)).collect();
    let config = Config { vertex_spacing: 1.0, dummy_vertices: true, ..Config::default() };
    let parts = from_vertices_and_edges(&vertices, &edges, &config);
    let mut columns = vec![0; heights.len()];
    let mut centres = vec![0.0; heights.len()];
    let mut parts: Vec<Vec<(usize, (f64, f64))>> = parts.into_iter().map(|(places, _, _)| places).collect();
    for part in &mut parts {
        part.sort_by_key(|(index, _)| *index);
    }
    parts.sort_by_key(|part| part.first().map(|(index, _)| *index));
    let mut below = 0.0;
    for part in parts {
        let mut ranks: Vec<i64> = part.iter().map(|(_, (_, rank))| (rank * 16.0).round() as i64).collect();
        ranks.sort_unstable();
        ranks.dedup();
        let half = |index: usize| heights[index] / 2.0;
        let top = part.iter().map(|&(index, (y, _))| y - half(index)).fold(f64::INFINITY, f64::min);
        let mut by_column: BTreeMap<usize, Vec<(f64, usize)>> = BTreeMap::new();
        for &(index, (y, rank)) in &part {
            let rank = (rank * 16.0).round() as i64;
            columns[index] = ranks.binary_search(&rank).unwrap_or(0);
            by_column.entry(columns[index]).or_default().push((y - top + below, index));
        }
        let mut lowest = below;
        for members in by_column.values_mut() {
            members.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            // Objects must not touch, whatever the alignment was.
            let mut free = below;
            for &(y, index) in members.iter() {
                let centre = y.max(free + half(index));
                centres[index] = centre;
                free = centre + half(index);
                lowest = lowest.max(free);
            }
        }
        below = lowest;
    }
    (columns, centres)
}

/// An edge with the invisible objects that it passes through.
type Chains = Vec<((usize, usize), Vec<usize>)>;

/// Adds an invisible object in each column that an edge skips.
fn with_bends(
    mut heights: Vec<f64>,
    edges: &[(usize, usize)],
    columns: &[usize],
) -> (Vec<f64>, Vec<(usize, usize)>, Chains) {
    let mut short = Vec::new();
    let mut chains = Vec::new();
    for &(from, to) in edges {
        let (from, to) = if columns[from] <= columns[to] { (from, to) } else { (to, from) };
        let mut chain = Vec::new();
        let mut last = from;
        for _ in columns[from] + 1..columns[to] {
            heights.push(SPACE);
            short.push((last, heights.len() - 1));
            last = heights.len() - 1;
            chain.push(last);
        }
        short.push((last, to));
        if !chain.is_empty() {
            chains.push(((from, to), chain));
        }
    }
    (heights, short, chains)
}
