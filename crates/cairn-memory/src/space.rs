//! The simulated address space.

use cairn_ir::layout::Target;

/// Unused bytes after every object, so that one past the end of an object is never the start of another.
pub const GAP: u64 = 16;

/// The size of the null page. Addresses below it are null pointers, or null plus the offset of a member.
pub const NULL_PAGE: u64 = 4096;

/// Allocates addresses in ascending order, none of them twice.
#[derive(Clone, Debug)]
pub struct AddressSpace {
    next: u64,
    end: u64,
}

impl AddressSpace {
    /// Creates the empty address space of a target.
    pub fn new(target: Target) -> Self {
        match target {
            Target::Ilp32 => Self { next: 0x0804_8000, end: 0xffff_0000 },
            Target::Lp64 => Self { next: 0x5555_5555_4000, end: 0x7fff_ffff_0000 },
        }
    }

    /// Allocates `size` bytes; `None` if no room is left.
    ///
    /// The alignment is rounded up to a power of two.
    pub fn allocate(&mut self, size: u64, align: u64) -> Option<u64> {
        let align = align.max(1).checked_next_power_of_two()?;
        let base = self.next.checked_add(align - 1)? & !(align - 1);
        let next = base.checked_add(size)?.checked_add(GAP)?;
        if next > self.end {
            return None;
        }
        self.next = next;
        Some(base)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_aligned_and_separate() {
        let mut space = AddressSpace::new(Target::Lp64);
        let first = space.allocate(3, 1).unwrap();
        let second = space.allocate(8, 64).unwrap();
        assert!(second >= first + 3 + GAP);
        assert_eq!(second % 64, 0);
    }

    #[test]
    fn the_space_of_a_32_bit_target_ends() {
        let mut space = AddressSpace::new(Target::Ilp32);
        assert!(space.allocate(1 << 31, 16).is_some());
        assert!(space.allocate(1 << 31, 16).is_none());
        assert!(space.allocate(u64::MAX, 16).is_none());
    }
}
