//! Draws one picture on the stage of its sequence. Colours come from the style sheet of the page.

use std::fmt::Write;

use super::changes::{Changes, key};
use super::layout::{CHIP_ROW, HEADER, MARGIN, ROW, Stage, chip_places, chip_text, chip_width, chips_of, legend};
use crate::html::escaped;
use crate::limits::{LARGEST_LEAST, SHRINKS_TO};
use crate::report::heap::{Cell, Contents, Heap, Life, Node};

/// Draws a picture.
pub(crate) fn draw(stage: &Stage, heap: &Heap, changes: &Changes, title: &str) -> String {
    let (width, height) = (stage.width.ceil(), stage.height.ceil());
    let mut out = format!(
        "<svg class=\"heap least-{}\" role=\"img\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" xmlns=\"http://www.w3.org/2000/svg\">\
         <title>{}</title><desc>{}</desc>",
        least(width),
        escaped(title),
        escaped(&super::in_words(heap))
    );
    if let Some(text) = legend(heap) {
        let _ =
            write!(out, "<text class=\"legend\" x=\"{MARGIN}\" y=\"{:.1}\">{}</text>", MARGIN + 6.0, escaped(&text));
    }
    for node in &heap.nodes {
        edges(&mut out, stage, heap, node, changes);
    }
    for node in &heap.nodes {
        object(&mut out, stage, heap, node, changes);
    }
    out.push_str("</svg>");
    out
}

/// Returns the least width of a drawing in steps of 100 pixels: text must stay readable when it shrinks to fit.
fn least(width: f64) -> u32 {
    ((width * SHRINKS_TO / 100.0).floor() as u32).min(LARGEST_LEAST)
}

fn edges(out: &mut String, stage: &Stage, heap: &Heap, node: &Node, changes: &Changes) {
    for cell in &node.cells {
        let Some(target) = cell.value.target() else { continue };
        let Some(path) = stage.route(&node.id, &cell.name, target) else { continue };
        let mut class = String::from("edge");
        if changes.cells.contains(&(node.id.clone(), cell.name.clone())) {
            class.push_str(" changed");
        }
        if heap.node(target).is_some_and(|target| target.life == Life::Freed) {
            class.push_str(" dangling");
        }
        if node.life == Life::Freed {
            class.push_str(" of-freed");
        }
        let _ = write!(
            out,
            "<path class=\"{class}\" data-from=\"{}\" data-to=\"{}\" d=\"{path}\"/>",
            escaped(&node.id),
            escaped(target)
        );
        if let Some((x, y, left)) = end_of(&path) {
            let back = if left { 7.0 } else { -7.0 };
            let _ = write!(
                out,
                "<path class=\"{}\" d=\"M {x:.1} {y:.1} l {back} -4.5 v 9 z\"/>",
                class.replacen("edge", "arrow", 1)
            );
        }
    }
}

/// Returns the tip of a path's arrow, and whether it points to the left.
fn end_of(path: &str) -> Option<(f64, f64, bool)> {
    let numbers: Vec<f64> = path.split(' ').filter_map(|word| word.parse().ok()).collect();
    if let Some((_, tail)) = path.rsplit_once(" H ")
        && let Ok(x) = tail.parse::<f64>()
    {
        return Some((x - 6.0, numbers.get(numbers.len().checked_sub(2)?).copied()?, true));
    }
    let [.., x, y] = numbers[..] else { return None };
    Some((x + 6.0, y, false))
}

fn object(out: &mut String, stage: &Stage, heap: &Heap, node: &Node, changes: &Changes) {
    let Some(frame) = stage.frames.get(&node.id) else { return };
    let mut class = String::from("node");
    let mut mark = |is: bool, name: &str| {
        if is {
            class.push(' ');
            class.push_str(name);
        }
    };
    mark(node.life == Life::Freed, "freed");
    mark(node.life == Life::Lost, "lost");
    mark(changes.new.contains(&node.id), "new");
    mark(changes.ended.contains(&node.id), "changed");
    mark(heap.focus.as_deref() == Some(&node.id), "focus");
    mark(node.length.is_some(), "segment");
    let (x, y, width, height) = (frame.x, frame.y, frame.width, frame.height);
    let _ = write!(out, "<g class=\"{class}\" data-node=\"{}\">", escaped(&node.id));
    if node.length.is_some() {
        for offset in [8.0, 4.0] {
            let _ = write!(
                out,
                "<rect class=\"behind\" x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"7\"/>",
                x + offset,
                y + offset
            );
        }
    }
    let _ = write!(
        out,
        "<rect class=\"box\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"7\"/>\
         <text class=\"title\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
        x + 10.0,
        y + HEADER / 2.0 + 4.5,
        escaped(&node.title)
    );
    let note = match (&node.length, node.life) {
        (Some(length), _) => Some(length.as_str()),
        (None, Life::Freed) => Some("freed"),
        (None, Life::Lost) => Some("lost"),
        (None, Life::Live) => None,
    };
    if let Some(note) = note {
        let _ = write!(
            out,
            "<text class=\"state\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            x + width - 10.0,
            y + HEADER / 2.0 + 4.5,
            escaped(note)
        );
    }
    if !node.cells.is_empty() {
        let line = y + HEADER;
        let _ = write!(out, "<path class=\"rule\" d=\"M {x:.1} {line:.1} h {width:.1}\"/>");
    }
    for cell in &node.cells {
        field(out, stage, node, cell, changes.cells.contains(&(node.id.clone(), cell.name.clone())));
    }
    if node.life == Life::Freed {
        let _ = write!(
            out,
            "<path class=\"strike\" d=\"M {:.1} {:.1} L {:.1} {:.1}\"/>",
            x + 4.0,
            y + height - 4.0,
            x + width - 4.0,
            y + 4.0
        );
    }
    out.push_str("</g>");
    chips(out, heap, node, changes, (x, y, width));
}

/// Draws one field of an object: its name, its value and the start of its pointer.
fn field(out: &mut String, stage: &Stage, node: &Node, cell: &Cell, is_changed: bool) {
    let Some(frame) = stage.frames.get(&node.id) else { return };
    let (x, width) = (frame.x, frame.width);
    let middle = frame.row(Some(&cell.name));
    if is_changed {
        let _ = write!(
            out,
            "<rect class=\"highlight\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"4\"/>",
            x + 3.0,
            middle - ROW / 2.0 + 1.0,
            width - 6.0,
            ROW - 2.0
        );
    }
    let changed = if is_changed { " changed" } else { "" };
    let _ = write!(
        out,
        "<text class=\"field{changed}\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
        x + 10.0,
        middle + 4.5,
        escaped(&cell.name)
    );
    let text = cell.value.text();
    if !text.is_empty() {
        let null = if matches!(cell.value, Contents::Null) { " null" } else { "" };
        let shift = if cell.value.target().is_some() { 18.0 } else { 10.0 };
        let _ = write!(
            out,
            "<text class=\"value{changed}{null}\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            x + width - shift,
            middle + 4.5,
            escaped(&text)
        );
    }
    if let Some(target) = cell.value.target() {
        // The pointer leaves on the side of its target.
        let left = stage.frames.get(target).is_some_and(|target| target.x < frame.x);
        let at = if left { x } else { x + width };
        let _ = write!(out, "<circle class=\"port{changed}\" cx=\"{at:.1}\" cy=\"{middle:.1}\" r=\"3.2\"/>");
    }
}

/// Draws the variables that lead to an object above it.
fn chips(out: &mut String, heap: &Heap, node: &Node, changes: &Changes, (x, y, width): (f64, f64, f64)) {
    let chips = chips_of(heap, &node.id);
    let places = chip_places(&chips, width);
    let rows = places.last().map_or(0, |(_, row)| row + 1);
    for (chip, (offset, row)) in chips.into_iter().zip(places) {
        let mut class = String::from("chip");
        if changes.variables.contains(&key(chip)) {
            class.push_str(" changed");
        }
        if chip.above > 0 {
            class.push_str(" outer");
        }
        let (left, top) = (x + offset, y - (rows - row) as f64 * CHIP_ROW);
        let own = chip_width(chip);
        let middle = left + (own / 2.0).min(16.0);
        let title =
            if chip.function.is_empty() { chip.name.clone() } else { format!("{} in {}", chip.name, chip.function) };
        let _ = write!(
            out,
            "<g class=\"{class}\" data-variable=\"{}\"><title>{}</title>\
             <path class=\"pin\" d=\"M {:.1} {:.1} l 5 6 l 5 -6 z\"/>\
             <rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{own:.1}\" height=\"20\" rx=\"10\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text></g>",
            escaped(&chip.name),
            escaped(&title),
            middle - 5.0,
            top + 19.5,
            left + own / 2.0,
            top + 14.0,
            escaped(&chip_text(chip))
        );
    }
}
