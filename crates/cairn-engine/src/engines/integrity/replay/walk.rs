//! Whether a graph in the interpreter's memory is valid: Definitions 1 to 3 of the paper, on concrete nodes.

use cairn_ir::Program;
use rustc_hash::FxHashMap;

use super::super::types::{NodeId, NodeTypes};
use crate::memory::{End, Memory, ObjectId, Pointer};

/// Nodes beyond this number are not looked at.
const NODES: usize = 4000;

/// What was found to be a node, and where.
pub(super) struct Walk<'w, 'p> {
    types: &'w NodeTypes<'p>,
    memory: &'w Memory,
    width: usize,
    /// The nodes in each object, by offset.
    nodes: FxHashMap<ObjectId, Vec<(u64, NodeId)>>,
    waiting: Vec<(ObjectId, u64, NodeId)>,
    count: usize,
}

/// A link that is not valid: what is wrong, and the node that holds it.
pub(super) type Broken = (String, ObjectId, NodeId);

impl<'w, 'p> Walk<'w, 'p> {
    pub fn new(program: &Program, types: &'w NodeTypes<'p>, memory: &'w Memory) -> Self {
        let width = (program.target.pointer_bits() / 8) as usize;
        Self { types, memory, width, nodes: FxHashMap::default(), waiting: Vec::new(), count: 0 }
    }

    /// A pointer to a node, or null. What is dead is not looked at: when memory dies is no matter of this engine.
    pub fn visit(&mut self, pointer: Pointer, node: NodeId) -> Result<(), String> {
        if pointer.address == 0 {
            return Ok(());
        }
        let name = &self.types.node(node).name;
        let Some(info) = self.memory.info(pointer.object, pointer.life) else {
            return Err(format!("{:#x}, which is the address of no node", pointer.address));
        };
        if info.shape.end != End::Live {
            return Ok(());
        }
        let at = pointer.address.wrapping_sub(info.shape.base);
        let size = self.types.node(node).size;
        if !info.shape.kind.is_data() || at.checked_add(size).is_none_or(|end| end > info.shape.size) {
            return Err(format!(
                "offset {at} of an object of {} bytes, where no {name} of {size} bytes is",
                info.shape.size
            ));
        }
        let known = self.nodes.entry(pointer.object).or_default();
        if known.contains(&(at, node)) {
            return Ok(());
        }
        for &(other, ty) in known.iter() {
            if !fits(self.types, (at, node), (other, ty)) {
                let other_name = &self.types.node(ty).name;
                return Err(format!(
                    "offset {at} of an object, a {name} that overlaps the {other_name} at offset {other}"
                ));
            }
        }
        known.push((at, node));
        self.waiting.push((pointer.object, at, node));
        Ok(())
    }

    /// Follows all links.
    pub fn follow(&mut self) -> Result<(), Broken> {
        while let Some((object, base, node)) = self.waiting.pop() {
            self.count += 1;
            if self.count > NODES {
                return Ok(());
            }
            let ty = self.types.node(node);
            for cells in &ty.cells {
                let class = self.types.class(cells.class);
                let Some(link) = class.link else { continue };
                for index in 0..cells.count {
                    let at = base + cells.offset + index * class.width;
                    self.cell(object, at, link, class.tag as u64)
                        .map_err(|what| (format!("{} holds {what}", class.name), object, node))?;
                }
            }
        }
        Ok(())
    }

    fn cell(&mut self, object: ObjectId, at: u64, link: NodeId, tag: u64) -> Result<(), String> {
        let Some(bytes) = self.memory.bytes_of(object) else { return Ok(()) };
        if bytes.len() < at as usize + self.width {
            return Ok(());
        }
        if bytes.first_undefined(at as usize, self.width).is_some() {
            return Err("nothing: it is not initialised".to_owned());
        }
        let word = bytes.data(at as usize, self.width);
        let address = word.iter().rev().fold(0_u64, |bits, &byte| bits << 8 | u64::from(byte)) & !tag;
        // Where the bytes remember what the pointer was made from, that is what it points to.
        let mut pointer = self.memory.find(address);
        if let Some(id) = bytes.link(at)
            && ObjectId(id) != pointer.object
        {
            pointer = Pointer { address, object: ObjectId(id), life: u32::MAX };
            if self.memory.info(pointer.object, pointer.life).is_some_and(|info| info.shape.end != End::Live) {
                return Ok(());
            }
        }
        self.visit(pointer, link)
    }
}

/// Whether two nodes may be in one object: they are apart, or one is a part of the other.
fn fits(types: &NodeTypes<'_>, (a, first): (u64, NodeId), (b, second): (u64, NodeId)) -> bool {
    let (one, other) = (types.node(first), types.node(second));
    if one.scalar || other.scalar || a >= b + other.size || b >= a + one.size {
        return true;
    }
    let part = |outer: u64, of: NodeId, inner: u64, what: NodeId| {
        inner.checked_sub(outer).is_some_and(|offset| types.node(of).parts.contains(&(offset, what)))
    };
    part(a, first, b, second) || part(b, second, a, first)
}
