//! Draws the neighbourhood of a fault with characters: the objects on the way from a variable to the object of the fault, and the next one.
//!
//! ```text
//!     list              task
//!      |                 |
//!      v                 v
//!     +--------+        +........+        +--------+
//!     | id   4 |        : id   3 :        | id   2 |
//!     | next *--------> : next *--------> | next *--> …
//!     +--------+        +........+        +--------+
//!                        freed
//! ```

use std::collections::{BTreeMap, VecDeque};

use crate::limits::{DRAWN_CELLS, DRAWN_OBJECTS, DRAWN_TEXT};
use crate::report::heap::{Contents, Heap, Life, Node, Variable};

/// The characters of a drawing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Characters {
    /// Those of every terminal and file.
    Ascii,
    /// Lines and arrows of Unicode.
    Boxes,
}

impl Characters {
    /// Returns the corners, the horizontal and the vertical line of an object.
    fn frame(self, life: Life) -> (&'static str, &'static str, &'static str, &'static str, char, char) {
        match (self, life) {
            (Characters::Ascii, Life::Freed) => ("+", "+", "+", "+", '.', ':'),
            (Characters::Ascii, _) => ("+", "+", "+", "+", '-', '|'),
            (Characters::Boxes, Life::Freed) => ("┌", "┐", "└", "┘", '╌', '╎'),
            (Characters::Boxes, _) => ("┌", "┐", "└", "┘", '─', '│'),
        }
    }

    fn pointer(self) -> (char, char, char) {
        match self {
            Characters::Ascii => ('*', '-', '>'),
            Characters::Boxes => ('●', '─', '▶'),
        }
    }

    fn down(self) -> (char, char) {
        match self {
            Characters::Ascii => ('|', 'v'),
            Characters::Boxes => ('│', '▼'),
        }
    }

    fn more(self) -> &'static str {
        match self {
            Characters::Ascii => "...",
            Characters::Boxes => "…",
        }
    }
}

/// Draws the neighbourhood of the object that a picture is about, or `None` if there is nothing to see.
pub(crate) fn draw(heap: &Heap, characters: Characters) -> Option<String> {
    let focus = heap.node(heap.focus.as_deref()?)?;
    let chain = chain(heap, focus);
    let shows_little = chain.len() == 1 && focus.cells.is_empty() && pointing(heap, focus).is_empty();
    if shows_little {
        return None;
    }
    let boxes: Vec<Drawn> = chain
        .iter()
        .enumerate()
        .map(|(index, node)| Drawn::of(heap, node, chain.get(index + 1).copied(), characters))
        .collect();
    let has_chips = boxes.iter().any(|drawn| !drawn.chips.is_empty());
    let height = boxes.iter().map(|drawn| drawn.lines.len()).max()?;
    let mut lines: Vec<String> = vec![String::new(); height + if has_chips { 3 } else { 0 }];
    let (bar, tip) = characters.down();
    for drawn in &boxes {
        let start = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
        let mut at = |row: usize, text: &str| {
            let line = &mut lines[row];
            let missing = start.saturating_sub(line.chars().count());
            line.extend(std::iter::repeat_n(' ', missing));
            line.push_str(text);
        };
        let first = if has_chips { 3 } else { 0 };
        if !drawn.chips.is_empty() {
            at(0, &format!(" {}", drawn.chips));
            at(1, &format!("  {bar}"));
            at(2, &format!("  {tip}"));
        }
        for (row, text) in drawn.lines.iter().enumerate() {
            at(first + row, text);
        }
    }
    let lines: Vec<String> = lines.iter().map(|line| format!("    {}", line.trim_end())).collect();
    Some(lines.join("\n") + "\n")
}

/// Returns the objects on the way from a variable to the object of the fault, and the object after it.
fn chain<'h>(heap: &'h Heap, focus: &'h Node) -> Vec<&'h Node> {
    let mut from: BTreeMap<&str, Option<&str>> = BTreeMap::new();
    let mut waiting = VecDeque::new();
    for variable in &heap.variables {
        if let Some(target) = variable.value.target()
            && variable.value.target() != Some(&focus.id)
            && !from.contains_key(target)
        {
            from.insert(target, None);
            waiting.push_back(target);
        }
    }
    while let Some(id) = waiting.pop_front() {
        for target in heap.node(id).into_iter().flat_map(|node| &node.cells).filter_map(|cell| cell.value.target()) {
            if !from.contains_key(target) {
                from.insert(target, Some(id));
                waiting.push_back(target);
            }
        }
    }
    let mut way = vec![focus];
    let mut at = from.get(focus.id.as_str()).copied().flatten();
    while let Some(id) = at {
        let Some(node) = heap.node(id) else { break };
        if way.len() + 1 >= DRAWN_OBJECTS {
            break;
        }
        way.insert(0, node);
        at = from.get(id).copied().flatten();
    }
    let next = focus.cells.iter().filter_map(|cell| cell.value.target()).filter_map(|target| heap.node(target));
    way.extend(next.filter(|next| !way.iter().any(|node| node.id == next.id)).take(1).collect::<Vec<_>>());
    way
}

fn pointing<'h>(heap: &'h Heap, node: &Node) -> Vec<&'h Variable> {
    heap.variables.iter().filter(|variable| variable.value.target() == Some(&node.id)).collect()
}

/// An object as lines of text, with the arrow to the next object.
struct Drawn {
    chips: String,
    lines: Vec<String>,
}

impl Drawn {
    fn of(heap: &Heap, node: &Node, next: Option<&Node>, characters: Characters) -> Self {
        let mut names: Vec<&str> = Vec::new();
        for variable in pointing(heap, node) {
            if !names.contains(&variable.name.as_str()) {
                names.push(&variable.name);
            }
        }
        let shown = shown_cells(node, next);
        let widest = shown.iter().map(|cell| cell.0.chars().count()).max().unwrap_or(0);
        let (dot, line, tip) = characters.pointer();
        let rows: Vec<(String, Arrow)> = shown
            .into_iter()
            .map(|(name, value)| {
                let (text, arrow) = match value.target() {
                    Some(target) if next.is_some_and(|next| next.id == target) => (dot.to_string(), Arrow::Next),
                    Some(target) if target == node.id => ("itself".to_owned(), Arrow::None),
                    Some(_) => (dot.to_string(), Arrow::Away),
                    None => (cut(&value.text(), characters), Arrow::None),
                };
                (format!("{name:widest$} {text}"), arrow)
            })
            .collect();
        let title = cut(&node.title, characters);
        let inner = rows.iter().map(|row| row.0.chars().count()).max().unwrap_or(0).max(title.chars().count());
        let (left_top, right_top, left_bottom, right_bottom, across, along) = characters.frame(node.life);
        let mut lines = vec![format!("{left_top}{}{right_top}", across.to_string().repeat(inner + 2))];
        lines.push(format!("{along} {title:inner$} {along}"));
        let mut next_arrow = false;
        for (text, arrow) in rows {
            let missing = inner - text.chars().count();
            lines.push(match arrow {
                Arrow::None => format!("{along} {text:inner$} {along}"),
                // Only one arrow leads to the next object.
                Arrow::Next if !next_arrow => {
                    next_arrow = true;
                    format!("{along} {text}{}{tip} ", line.to_string().repeat(missing + 8))
                }
                Arrow::Next | Arrow::Away => {
                    format!("{along} {text}{}{tip} {}", line.to_string().repeat(missing + 2), characters.more())
                }
            });
        }
        lines.push(format!("{left_bottom}{}{right_bottom}", across.to_string().repeat(inner + 2)));
        match node.life {
            Life::Live => {}
            Life::Freed => lines.push("  freed".to_owned()),
            Life::Lost => lines.push("  lost".to_owned()),
        }
        let wide = names.join(", ");
        // The next object begins after the widest line.
        let width = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
        if next.is_some() && !next_arrow {
            let missing = width.saturating_sub(lines[0].chars().count()) + 3;
            lines[0].extend(std::iter::repeat_n(' ', missing));
        }
        Drawn { chips: wide, lines }
    }
}

/// Where the arrow of a pointer leads.
#[derive(Clone, Copy, PartialEq)]
enum Arrow {
    None,
    Next,
    Away,
}

/// Returns the fields that fit: pointers and the first numbers.
fn shown_cells<'h>(node: &'h Node, next: Option<&Node>) -> Vec<(&'h str, &'h Contents)> {
    let is_pointer = |contents: &Contents| contents.target().is_some() || *contents == Contents::Null;
    let leads = |contents: &Contents| next.is_some_and(|next| contents.target() == Some(&next.id));
    let mut order: Vec<usize> = (0..node.cells.len()).collect();
    order.sort_by_key(|&index| {
        let value = &node.cells[index].value;
        (!leads(value), !is_pointer(value), index)
    });
    order.truncate(DRAWN_CELLS);
    order.sort_unstable();
    order.into_iter().map(|index| (node.cells[index].name.as_str(), &node.cells[index].value)).collect()
}

fn cut(text: &str, characters: Characters) -> String {
    let text: String = match characters {
        Characters::Ascii => text.replace('…', "..."),
        Characters::Boxes => text.to_owned(),
    };
    if text.chars().count() <= DRAWN_TEXT {
        text
    } else {
        text.chars().take(DRAWN_TEXT).collect::<String>() + characters.more()
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::report::heap::Cell;

    fn node(id: &str, life: Life, next: Contents) -> Node {
        let number = Cell { name: "id".into(), value: Contents::Text("4".into()) };
        let cells = vec![number, Cell { name: "next".into(), value: next }];
        Node { id: id.into(), title: "struct task".into(), size: 16, life, cells, length: None }
    }

    fn heap() -> Heap {
        let variable = |name: &str, to: &str| Variable {
            name: name.into(),
            function: "f".into(),
            above: 0,
            value: Contents::To(to.into()),
        };
        Heap {
            variables: vec![variable("list", "a"), variable("task", "b")],
            nodes: vec![
                node("a", Life::Live, Contents::To("b".into())),
                node("b", Life::Freed, Contents::To("c".into())),
                node("c", Life::Live, Contents::Null),
            ],
            focus: Some("b".into()),
            is_cut: false,
        }
    }

    #[test]
    fn the_freed_object_stands_between_its_neighbours() {
        let drawing = draw(&heap(), Characters::Ascii).expect("there is a focus");
        let drawing: String =
            drawing.lines().map(|line| format!("{}\n", line.strip_prefix("    ").unwrap_or(line))).collect();
        expect![[r#"
             list                   task
              |                      |
              v                      v
            +-------------+        +.............+        +-------------+
            | struct task |        : struct task :        | struct task |
            | id   4      |        : id   4      :        | id   4      |
            | next *-------------> : next *-------------> | next null   |
            +-------------+        +.............+        +-------------+
                                     freed
        "#]]
        .assert_eq(&drawing);
    }
}
