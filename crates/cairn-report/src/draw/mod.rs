//! Drawings of memory: as SVG for pages, and as text for terminals.
//!
//! A sequence of pictures is laid out once, as the union of all of them (`layout.rs`), so that no object moves from one step to the next.
//! `svg.rs` draws each picture on that stage, `changes.rs` tells what to highlight, and `terminal.rs` draws the neighbourhood of a fault
//! with characters.

mod changes;
mod layout;
mod svg;
pub(crate) mod terminal;

use crate::report::heap::Heap;

/// Draws a sequence of pictures, one SVG for each. The titles say what the pictures show.
pub(crate) fn film(pictures: &[(&Heap, String)]) -> Vec<String> {
    let heaps: Vec<&Heap> = pictures.iter().map(|(heap, _)| *heap).collect();
    let stage = layout::Stage::of(&heaps);
    let mut before = None;
    let mut drawings = Vec::with_capacity(pictures.len());
    for (heap, title) in pictures {
        let changes = changes::Changes::between(before, heap);
        drawings.push(svg::draw(&stage, heap, &changes, title));
        before = Some(*heap);
    }
    drawings
}

/// Draws one picture.
pub(crate) fn picture(heap: &Heap, title: &str) -> String {
    film(&[(heap, title.to_owned())]).pop().unwrap_or_default()
}

/// Returns a picture in words, for people who cannot see the drawing.
pub(crate) fn in_words(heap: &Heap) -> String {
    use crate::report::heap::Life;
    let number = |id: &str| heap.nodes.iter().position(|node| node.id == id).map_or(0, |index| index + 1);
    let value = |value: &crate::report::heap::Contents| match value.target() {
        Some(id) => format!("object {}", number(id)),
        None => value.text(),
    };
    let mut sentences: Vec<String> =
        heap.variables.iter().map(|variable| format!("{} is {}.", variable.name, value(&variable.value))).collect();
    for node in &heap.nodes {
        let cells: Vec<String> =
            node.cells.iter().map(|cell| format!("{} is {}", cell.name, value(&cell.value))).collect();
        let life = match node.life {
            Life::Live => "",
            Life::Freed => ", freed",
            Life::Lost => ", lost",
        };
        let length = node.length.as_ref().map_or_else(String::new, |length| format!(", {length}"));
        sentences.push(format!("Object {} ({}{length}{life}): {}.", number(&node.id), node.title, cells.join(", ")));
    }
    sentences.join(" ")
}
