//! Which functions without a body here give out memory, and which take it back.
//!
//! Three sources say so, the first one that does is believed: the user (`--allocator`, `--deallocator`), the table of well-known
//! libraries below, and the attributes `malloc` and `alloc_size` of a declaration. C's own allocators need none of them: the
//! front-end makes intrinsics of their calls.

use cairn_ir::program::AllocatedSize;
use cairn_ir::{FuncId, Program};

/// A function that returns new memory, or null.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Allocator {
    /// Its name.
    pub name: String,
    /// How much it returns.
    pub bytes: AllocatedSize,
    /// Whether that is zero.
    pub zeroed: bool,
}

/// A function that takes memory back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Deallocator {
    /// Its name.
    pub name: String,
    /// The argument that points to it, counted from 0.
    pub pointer: u32,
}

/// Those of them that stop the program when there is no memory.
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

/// Name, argument of the size, argument that it is multiplied with, whether it is zero.
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
    // The conservative collector of Boehm and Weiser.
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
    /// Reads `NAME[:SIZE[*COUNT]][:zero]`, with arguments counted from 1.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default().to_owned();
        if name.is_empty() {
            return Err("an allocator needs a name".to_owned());
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
                return Err("a size is the product of at most two arguments".to_owned());
            }
        }
        Ok(Self { name, bytes, zeroed })
    }
}

impl Deallocator {
    /// Reads `NAME[:POINTER]`, with arguments counted from 1.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (name, pointer) = text.split_once(':').unwrap_or((text, "1"));
        if name.is_empty() {
            return Err("a deallocator needs a name".to_owned());
        }
        Ok(Self { name: name.to_owned(), pointer: argument(pointer)? })
    }
}

fn argument(text: &str) -> Result<u32, String> {
    let number: u32 = text.parse().map_err(|_| format!("`{text}` is no number of an argument"))?;
    number.checked_sub(1).ok_or_else(|| "arguments are counted from 1".to_owned())
}

/// The allocator that a function is.
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

/// Whether an allocator returns memory or does not return.
pub(super) fn never_null(program: &Program, id: FuncId) -> bool {
    let function = &program.functions[id.index()];
    function.body.is_none() && NEVER_NULL.contains(&function.name.as_str())
}

/// The argument through which a function takes memory back.
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
    fn options_name_the_arguments() {
        let parsed = Allocator::parse("pool_get:2*3:zero").expect("it is well-formed");
        assert_eq!(parsed.bytes, AllocatedSize { size: 1, count: Some(2) });
        assert!(parsed.zeroed);
        let plain = Allocator::parse("get").expect("it is well-formed");
        assert_eq!((plain.bytes, plain.zeroed), (AllocatedSize { size: 0, count: None }, false));
        assert_eq!(Deallocator::parse("put:2").expect("it is well-formed").pointer, 1);
        for wrong in ["", ":1", "f:0", "f:x", "f:1*2*3", "f:"] {
            assert!(Allocator::parse(wrong).is_err(), "{wrong:?}");
        }
        assert!(Deallocator::parse("g:0").is_err());
    }
}
