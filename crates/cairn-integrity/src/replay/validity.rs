//! Whether a graph in the interpreter's memory is valid: Definitions 1 to 3 of the paper, on concrete nodes.

use cairn_ir::Program;
use rustc_hash::FxHashMap;

use super::super::limits::VALIDATED_NODES;
use super::super::types::{NodeId, NodeTypes};
use cairn_memory::{End, Memory, ObjectId, Pointer};

/// The nodes found so far, and those whose links are not followed yet.
pub(super) struct GraphWalk<'w, 'p> {
    types: &'w NodeTypes<'p>,
    memory: &'w Memory,
    pointer_width: usize,
    /// The nodes in each object, by offset.
    nodes: FxHashMap<ObjectId, Vec<(u64, NodeId)>>,
    waiting: Vec<(ObjectId, u64, NodeId)>,
    count: usize,
}

/// An invalid link.
pub(super) struct InvalidLink {
    /// The link and its target, for people.
    pub message: String,
    /// The object that holds it.
    pub holder: ObjectId,
    /// The type of the node that holds it.
    pub node: NodeId,
}

impl<'w, 'p> GraphWalk<'w, 'p> {
    pub fn new(program: &Program, types: &'w NodeTypes<'p>, memory: &'w Memory) -> Self {
        let pointer_width = (program.target.pointer_bits() / 8) as usize;
        Self { types, memory, pointer_width, nodes: FxHashMap::default(), waiting: Vec::new(), count: 0 }
    }

    /// Visits the target of a pointer, which has to be a node or null.
    ///
    /// Dead objects are left out, because lifetimes are not a concern of this engine.
    ///
    /// # Errors
    /// Returns a description of a target that is no such node.
    pub fn visit(&mut self, pointer: Pointer, node: NodeId) -> Result<(), String> {
        if pointer.address == 0 {
            return Ok(());
        }
        let name = &self.types.node(node).name;
        let Some(info) = self.memory.info(pointer.object, pointer.life) else {
            return Err(format!("{:#x}, which is not the address of a node", pointer.address));
        };
        if info.shape.end != End::Live {
            return Ok(());
        }
        let at = pointer.address.wrapping_sub(info.shape.base);
        let size = self.types.node(node).size;
        if !info.shape.kind.is_data() || at.checked_add(size).is_none_or(|end| end > info.shape.size) {
            return Err(format!(
                "offset {at} of an object of {} bytes, where no `{name}` of {size} bytes fits",
                info.shape.size
            ));
        }
        let known = self.nodes.entry(pointer.object).or_default();
        if known.contains(&(at, node)) {
            return Ok(());
        }
        for &(other, ty) in known.iter() {
            if !may_share_object(self.types, (at, node), (other, ty)) {
                let other_name = &self.types.node(ty).name;
                return Err(format!(
                    "offset {at} of an object, a `{name}` that overlaps the `{other_name}` at offset {other}"
                ));
            }
        }
        known.push((at, node));
        self.waiting.push((pointer.object, at, node));
        Ok(())
    }

    /// Follows all links.
    ///
    /// # Errors
    /// Returns the first invalid link.
    pub fn follow(&mut self) -> Result<(), InvalidLink> {
        while let Some((object, base, node)) = self.waiting.pop() {
            self.count += 1;
            if self.count > VALIDATED_NODES {
                return Ok(());
            }
            let ty = self.types.node(node);
            for cells in &ty.cells {
                let class = self.types.class(cells.class);
                let Some(link) = class.link else { continue };
                for index in 0..cells.count {
                    let at = base + cells.offset + index * class.width;
                    self.follow_link(object, at, link, class.tag as u64).map_err(|target| InvalidLink {
                        message: format!("`{}` holds {target}", class.name),
                        holder: object,
                        node,
                    })?;
                }
            }
        }
        Ok(())
    }

    fn follow_link(&mut self, object: ObjectId, at: u64, link: NodeId, tag: u64) -> Result<(), String> {
        let Some(bytes) = self.memory.bytes_of(object) else { return Ok(()) };
        if bytes.len() < at as usize + self.pointer_width {
            return Ok(());
        }
        if bytes.first_undefined(at as usize, self.pointer_width).is_some() {
            return Err("an uninitialised value".to_owned());
        }
        let word = bytes.data(at as usize, self.pointer_width);
        let address = word.iter().rev().fold(0_u64, |bits, &byte| bits << 8 | u64::from(byte)) & !tag;
        // The provenance of the bytes decides which object the pointer belongs to.
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

/// Returns whether two nodes may be in one object: they are apart, or one is a part of the other.
fn may_share_object(types: &NodeTypes<'_>, (a, first): (u64, NodeId), (b, second): (u64, NodeId)) -> bool {
    let (one, other) = (types.node(first), types.node(second));
    if one.scalar || other.scalar || a >= b + other.size || b >= a + one.size {
        return true;
    }
    let is_part = |outer: u64, of: NodeId, inner: u64, what: NodeId| {
        inner.checked_sub(outer).is_some_and(|offset| types.node(of).parts.contains(&(offset, what)))
    };
    is_part(a, first, b, second) || is_part(b, second, a, first)
}
