//! Pictures of memory in reports: objects, the variables that lead to them, and the pointers between them.

use cairn_interpret::trace::picture::{Picture, PictureLife, PictureNode, PictureValue};
use serde::{Deserialize, Serialize};

/// The memory at one step of an execution, or a symbolic heap.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Heap {
    /// The variables that hold pointers, those of the innermost call first.
    pub variables: Vec<Variable>,
    /// The objects, in the order in which the variables lead to them.
    pub nodes: Vec<Node>,
    /// The object that the finding is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focus: Option<String>,
    /// Whether there are objects that are not shown.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_cut: bool,
}

/// A variable that holds a pointer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Variable {
    /// The name.
    pub name: String,
    /// The function of a local variable.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub function: String,
    /// The number of active calls inside of that function.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub above: u32,
    /// The value.
    pub value: Contents,
}

/// An object.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Node {
    /// A name that stays the same in all pictures of a finding.
    pub id: String,
    /// The type, or the name of the variable.
    pub title: String,
    /// The size in bytes.
    #[serde(default, skip_serializing_if = "is_zero_size")]
    pub size: u64,
    /// Whether the object can still be used.
    pub life: Life,
    /// The contents.
    pub cells: Vec<Cell>,
    /// The number of objects that a segment stands for, in words; `None` for a single object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<String>,
}

/// Whether an object can still be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Life {
    /// It can.
    Live,
    /// It was freed, or its variable went out of scope.
    Freed,
    /// Nothing leads to it any more.
    Lost,
}

/// A part of an object.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Cell {
    /// The name of the field, or the offset.
    pub name: String,
    /// The value.
    pub value: Contents,
}

/// The value of a variable or of a part of an object.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Contents {
    /// A number or a text.
    Text(String),
    /// The null pointer.
    Null,
    /// Nothing was stored.
    Uninitialised,
    /// A pointer to the start of an object.
    To(String),
    /// A pointer to an offset of an object.
    Into(String, u64),
}

impl Contents {
    fn of(value: &PictureValue) -> Self {
        match value {
            PictureValue::Text(text) => Contents::Text(text.clone()),
            PictureValue::Null => Contents::Null,
            PictureValue::Uninitialised => Contents::Uninitialised,
            PictureValue::Pointer { node, offset: 0 } => Contents::To(format!("o{node}")),
            PictureValue::Pointer { node, offset } => Contents::Into(format!("o{node}"), *offset),
        }
    }

    /// Returns the object that a pointer leads to.
    pub fn target(&self) -> Option<&str> {
        match self {
            Contents::To(node) | Contents::Into(node, _) => Some(node),
            Contents::Text(_) | Contents::Null | Contents::Uninitialised => None,
        }
    }

    /// Returns the value in words; empty for a pointer, which is drawn as an arrow.
    pub fn text(&self) -> String {
        match self {
            Contents::Text(text) => text.clone(),
            Contents::Null => "null".to_owned(),
            Contents::Uninitialised => "?".to_owned(),
            Contents::To(_) => String::new(),
            Contents::Into(_, offset) => format!("+{}", *offset as i64),
        }
    }
}

impl Heap {
    /// Returns the picture of an execution.
    pub fn of(picture: &Picture) -> Self {
        let variables = picture.variables.iter().map(|variable| Variable {
            name: variable.name.clone(),
            function: variable.function.clone(),
            above: variable.above,
            value: Contents::of(&variable.value),
        });
        Heap {
            variables: variables.collect(),
            nodes: picture.nodes.iter().map(Node::of).collect(),
            focus: picture.focus.map(|focus| format!("o{focus}")),
            is_cut: picture.is_cut,
        }
    }

    /// Returns an object by its name.
    pub fn node(&self, id: &str) -> Option<&Node> {
        self.nodes.iter().find(|node| node.id == id)
    }
}

impl Node {
    fn of(node: &PictureNode) -> Self {
        let cells = node.cells.iter().map(|cell| Cell { name: cell.name.clone(), value: Contents::of(&cell.value) });
        Node {
            id: format!("o{}", node.id),
            title: node.title.clone(),
            size: node.size,
            life: match node.life {
                PictureLife::Live => Life::Live,
                PictureLife::Ended => Life::Freed,
                PictureLife::Lost => Life::Lost,
            },
            cells: cells.collect(),
            length: None,
        }
    }
}

fn is_false(value: &bool) -> bool {
    !value
}

fn is_zero(value: &u32) -> bool {
    *value == 0
}

fn is_zero_size(value: &u64) -> bool {
    *value == 0
}
