//! Functions without a body that allocate and free memory.
//!
//! Three sources name them, in this order: the user (`--allocator`, `--deallocator`), the table of well-known libraries
//! below, and the attributes `malloc` and `alloc_size` of a declaration. C's own allocators need none of these, because
//! the front-end turns their calls into intrinsics.

use cairn_ir::program::AllocatedSize;
use cairn_ir::{FuncId, Program};

/// A function that returns new memory, or null.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Allocator {
    /// The name of the function.
    pub name: String,
    /// The arguments that say how many bytes it returns.
    pub bytes: AllocatedSize,
    /// Whether these bytes are zero.
    pub zeroed: bool,
}

/// A function that frees memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Deallocator {
    /// The name of the function.
    pub name: String,
    /// The argument that points to the memory, counted from 0.
    pub pointer: u32,
}

/// Allocators that stop the program when there is no memory.
const NEVER_NULL: &[&str] = &[
    "g_malloc",
    "g_malloc0",
    "g_malloc_n",
    "g_malloc0_n",
    "g_slice_alloc",
    "g_slice_alloc0",
    "xmalloc",
    "xzalloc",
    "xcalloc",
];

/// Name, argument for the size, argument that it is multiplied by, whether the memory is zero.
const ALLOCATORS: &[(&str, u32, Option<u32>, bool)] = &[
    // GLib.
    ("g_malloc", 0, None, false),
    ("g_malloc0", 0, None, true),
    ("g_malloc_n", 0, Some(1), false),
    ("g_malloc0_n", 0, Some(1), true),
    ("g_try_malloc", 0, None, false),
    ("g_try_malloc0", 0, None, true),
    ("g_try_malloc_n", 0, Some(1), false),
    ("g_try_malloc0_n", 0, Some(1), true),
    ("g_slice_alloc", 0, None, false),
    ("g_slice_alloc0", 0, None, true),
    // The garbage collector of Boehm and Weiser.
    ("GC_malloc", 0, None, true),
    ("GC_malloc_uncollectable", 0, None, true),
    ("GC_malloc_atomic", 0, None, false),
    // The Linux kernel.
    ("kmalloc", 0, None, false),
    ("kzalloc", 0, None, true),
    ("kcalloc", 1, Some(0), true),
    ("kmalloc_array", 1, Some(0), false),
    ("kvmalloc", 0, None, false),
    ("kvzalloc", 0, None, true),
    ("vmalloc", 0, None, false),
    ("vzalloc", 0, None, true),
    // GNU programs.
    ("xmalloc", 0, None, false),
    ("xzalloc", 0, None, true),
    ("xcalloc", 1, Some(0), true),
];

/// Name, argument that points to the memory.
const DEALLOCATORS: &[(&str, u32)] =
    &[("g_free", 0), ("g_slice_free1", 1), ("GC_free", 0), ("kfree", 0), ("kvfree", 0), ("vfree", 0)];

impl Allocator {
    /// Parses `NAME[:SIZE[*COUNT]][:zero]`, with arguments counted from 1.
    ///
    /// # Errors
    /// Returns a message when the text does not have this form.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default().to_owned();
        if name.is_empty() {
            return Err("allocator without a name".to_owned());
        }
        let mut bytes = AllocatedSize { size: 0, count: None };
        let mut zeroed = false;
        for part in parts {
            if part == "zero" {
                zeroed = true;
                continue;
            }
            let mut numbers = part.split('*').map(argument);
            bytes.size = numbers.next().unwrap_or_else(|| argument(""))?;
            bytes.count = numbers.next().transpose()?;
            if numbers.next().is_some() {
                return Err("size is a product of more than two arguments".to_owned());
            }
        }
        Ok(Self { name, bytes, zeroed })
    }
}

impl Deallocator {
    /// Parses `NAME[:POINTER]`, with arguments counted from 1.
    ///
    /// # Errors
    /// Returns a message when the text does not have this form.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (name, pointer) = text.split_once(':').unwrap_or((text, "1"));
        if name.is_empty() {
            return Err("deallocator without a name".to_owned());
        }
        Ok(Self { name: name.to_owned(), pointer: argument(pointer)? })
    }
}

fn argument(text: &str) -> Result<u32, String> {
    let number: u32 = text.parse().map_err(|_| format!("`{text}` is not an argument number"))?;
    number.checked_sub(1).ok_or_else(|| "arguments are counted from 1".to_owned())
}

/// Returns the size arguments of an allocator and whether its memory is zero; `None` for other functions.
pub(super) fn allocator(program: &Program, named: &[Allocator], id: FuncId) -> Option<(AllocatedSize, bool)> {
    let function = &program.functions[id.index()];
    if let Some(found) = named.iter().find(|allocator| allocator.name == function.name) {
        return Some((found.bytes, found.zeroed));
    }
    if function.body.is_some() {
        return None;
    }
    if let Some(&(_, size, count, zeroed)) = ALLOCATORS.iter().find(|(name, ..)| *name == function.name) {
        return Some((AllocatedSize { size, count }, zeroed));
    }
    program.allocators.get(&function.name).map(|&bytes| (bytes, false))
}

/// Returns whether an allocator never returns null.
pub(super) fn never_null(program: &Program, id: FuncId) -> bool {
    let function = &program.functions[id.index()];
    function.body.is_none() && NEVER_NULL.contains(&function.name.as_str())
}

/// Returns the argument through which a function frees memory.
pub(super) fn deallocator(program: &Program, named: &[Deallocator], id: FuncId) -> Option<usize> {
    let function = &program.functions[id.index()];
    if let Some(found) = named.iter().find(|deallocator| deallocator.name == function.name) {
        return Some(found.pointer as usize);
    }
    let known = DEALLOCATORS.iter().find(|(name, _)| function.body.is_none() && *name == function.name);
    known.map(|&(_, pointer)| pointer as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_argument_numbers() {
        let parsed = Allocator::parse("pool_get:2*3:zero").expect("well-formed");
        assert_eq!(parsed.bytes, AllocatedSize { size: 1, count: Some(2) });
        assert!(parsed.zeroed);
        let plain = Allocator::parse("get").expect("well-formed");
        assert_eq!((plain.bytes, plain.zeroed), (AllocatedSize { size: 0, count: None }, false));
        assert_eq!(Deallocator::parse("put:2").expect("well-formed").pointer, 1);
        for wrong in ["", ":1", "f:0", "f:x", "f:1*2*3", "f:"] {
            assert!(Allocator::parse(wrong).is_err(), "{wrong:?}");
        }
        assert!(Deallocator::parse("g:0").is_err());
    }
}
