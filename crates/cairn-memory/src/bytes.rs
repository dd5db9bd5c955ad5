//! The concrete bytes of an object, with their initialisation and the provenance of stored pointers.
//!
//! Values and initialisation bits (the *shadow*) share one zeroed allocation, so that a large object costs nothing
//! until it is touched. The encoding of the shadow depends on the object: zero means *uninitialised* for fresh memory
//! and *initialised* for zeroed memory.
//!
//! *Links* are the objects of stored pointers. There is one per pointer-sized granule; they are allocated with the
//! first stored pointer. A pointer that crosses granules or was copied byte by byte has no link, so its object is
//! looked up by its address.

use crate::limits::MAX_UNTESTED;

/// Bytes with their initialisation and links.
#[derive(Clone, Debug, Default)]
pub struct Bytes {
    /// The data bytes, followed by as many shadow bytes.
    buffer: Box<[u8]>,
    /// A shadow byte xor this value has a one for each initialised bit.
    flip: u8,
    /// The binary logarithm of the size of a pointer in bytes.
    granule_shift: u8,
    /// The object id of each granule; empty as long as there is no link.
    links: Box<[u32]>,
}

impl Bytes {
    /// Creates bytes that are uninitialised or zero; `None` if the system lacks the memory.
    pub fn new(size: usize, zeroed: bool, pointer_bytes: u8) -> Option<Self> {
        let total = size.checked_mul(2)?;
        if total > MAX_UNTESTED {
            // Reserving touches no page. It is only a test, because a failed allocation would abort the process.
            Vec::<u8>::new().try_reserve_exact(total).ok()?;
        }
        Some(Self {
            buffer: vec![0; total].into_boxed_slice(),
            flip: if zeroed { 0xff } else { 0 },
            granule_shift: pointer_bytes.trailing_zeros() as u8,
            links: Box::default(),
        })
    }

    /// Returns the number of bytes.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.buffer.len() / 2
    }

    /// Returns whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// Makes all bytes uninitialised.
    pub fn forget(&mut self) {
        let flip = self.flip;
        let size = self.len();
        if let Some(shadow) = self.buffer.get_mut(size..) {
            shadow.fill(flip);
        }
        if !self.links.is_empty() {
            self.links.fill(0);
        }
    }

    /// Reads `N` (at most 8) bytes in little-endian order, with a mask of their uninitialised bits.
    #[inline(always)]
    pub fn load<const N: usize>(&self, at: u64) -> Option<(u64, u64)> {
        let size = self.len() as u64;
        if at >= size || size - at < N as u64 {
            return None;
        }
        let at = at as usize;
        let data = self.buffer.get(at..at + N)?;
        let shadow = self.buffer.get(self.len() + at..self.len() + at + N)?;
        let ones = u64::MAX >> (64 - 8 * N);
        let initialised = (u64::from(!self.flip) * 0x0101_0101_0101_0101) & ones;
        Some((little_endian::<N>(data), little_endian::<N>(shadow) ^ initialised))
    }

    /// Writes the low `N` (at most 8) bytes, with a mask of their uninitialised bits. Overwritten links are dropped.
    #[inline(always)]
    pub fn store<const N: usize>(&mut self, at: u64, bits: u64, undefined: u64) -> Option<()> {
        let size = self.len() as u64;
        if at >= size || size - at < N as u64 {
            return None;
        }
        let at = at as usize;
        self.buffer.get_mut(at..at + N)?.copy_from_slice(&bits.to_le_bytes()[..N]);
        let marks = (u64::from(!self.flip) * 0x0101_0101_0101_0101) ^ undefined;
        let shadow = self.len() + at;
        self.buffer.get_mut(shadow..shadow + N)?.copy_from_slice(&marks.to_le_bytes()[..N]);
        if !self.links.is_empty() {
            self.drop_links(at, N);
        }
        Some(())
    }

    /// Returns the object of the pointer stored at an offset, if there is a link.
    #[inline(always)]
    pub fn link(&self, at: u64) -> Option<u32> {
        if self.links.is_empty() || at & ((1 << self.granule_shift) - 1) != 0 {
            return None;
        }
        self.links.get((at >> self.granule_shift) as usize).copied().filter(|&id| id != 0)
    }

    /// Sets the link of the pointer that was just stored at an offset.
    #[inline(always)]
    pub fn set_link(&mut self, at: u64, object: u32) {
        if at & ((1 << self.granule_shift) - 1) != 0 {
            return;
        }
        if self.links.is_empty() {
            self.links = vec![0; self.len().div_ceil(1 << self.granule_shift)].into_boxed_slice();
        }
        if let Some(link) = self.links.get_mut((at >> self.granule_shift) as usize) {
            *link = object;
        }
    }

    #[inline]
    fn drop_links(&mut self, at: usize, len: usize) {
        if len == 0 {
            return;
        }
        let first = at >> self.granule_shift;
        let last = (at + len - 1) >> self.granule_shift;
        if let Some(links) = self.links.get_mut(first..=last) {
            links.fill(0);
        }
    }

    /// Returns the links of all granules; 0 stands for none.
    pub fn links(&self) -> &[u32] {
        &self.links
    }

    /// Returns the values of a range, whether they are initialised or not.
    pub fn data(&self, at: usize, len: usize) -> &[u8] {
        self.buffer.get(at..at.saturating_add(len)).filter(|_| at.saturating_add(len) <= self.len()).unwrap_or(&[])
    }

    /// Returns the index, within a range, of the first byte that has an uninitialised bit.
    pub fn first_undefined(&self, at: usize, len: usize) -> Option<usize> {
        let shadow = self.buffer.get(self.len() + at..self.len() + at + len)?;
        let full = !self.flip;
        shadow.iter().position(|&s| s != full)
    }

    /// Returns a mask of the initialised bits of a byte.
    pub fn defined_bits(&self, at: usize) -> u8 {
        self.buffer.get(self.len() + at).map_or(0, |s| s ^ self.flip)
    }

    /// Writes a byte with a mask of its initialised bits.
    pub fn set_byte(&mut self, at: usize, value: u8, defined: u8) {
        let flip = self.flip;
        let size = self.len();
        if at >= size {
            return;
        }
        if let Some(byte) = self.buffer.get_mut(at) {
            *byte = value;
        }
        if let Some(shadow) = self.buffer.get_mut(size + at) {
            *shadow = defined ^ flip;
        }
        if !self.links.is_empty() {
            self.drop_links(at, 1);
        }
    }

    /// Writes the first values of zeroed bytes that were not written before. They are initialised already.
    pub fn begin_with(&mut self, values: &[u8]) {
        if let Some(data) = self.buffer.get_mut(..values.len()) {
            data.copy_from_slice(values);
        }
    }

    /// Writes initialised bytes.
    pub fn write(&mut self, at: usize, values: &[u8]) {
        let mark = !self.flip;
        if let Some(data) = self.buffer.get_mut(at..at + values.len()) {
            data.copy_from_slice(values);
        }
        self.mark(at, values.len(), mark);
    }

    /// Sets a range to one value, with the same uninitialised bits in each byte.
    pub fn fill(&mut self, at: usize, len: usize, value: u8, undefined: u8) {
        let mark = !self.flip ^ undefined;
        if let Some(data) = self.buffer.get_mut(at..at + len) {
            data.fill(value);
        }
        self.mark(at, len, mark);
    }

    fn mark(&mut self, at: usize, len: usize, mark: u8) {
        let size = self.len();
        if let Some(shadow) = self.buffer.get_mut(size + at..size + at + len) {
            shadow.fill(mark);
        }
        if !self.links.is_empty() {
            self.drop_links(at, len);
        }
    }

    /// Copies a range of another object, including initialisation and links.
    pub fn copy_from(&mut self, at: usize, source: &Bytes, from: usize, len: usize) {
        if len == 0 {
            return;
        }
        let (Some(data), Some(shadow)) =
            (source.buffer.get(from..from + len), source.buffer.get(source.len() + from..source.len() + from + len))
        else {
            return;
        };
        let size = self.len();
        if let Some(target) = self.buffer.get_mut(at..at + len) {
            target.copy_from_slice(data);
        }
        if let Some(target) = self.buffer.get_mut(size + at..size + at + len) {
            if self.flip == source.flip {
                target.copy_from_slice(shadow);
            } else {
                target.iter_mut().zip(shadow).for_each(|(t, s)| *t = !s);
            }
        }
        self.copy_links(at, &source.links, from, len);
    }

    /// Copies a range within the same object. The ranges may overlap.
    pub fn copy_within(&mut self, at: usize, from: usize, len: usize) {
        if len == 0 || at == from || at.max(from).saturating_add(len) > self.len() {
            return;
        }
        let size = self.len();
        self.buffer.copy_within(from..from + len, at);
        self.buffer.copy_within(size + from..size + from + len, size + at);
        if !self.links.is_empty() {
            let granules = (from >> self.granule_shift)..((from + len).div_ceil(1 << self.granule_shift));
            let links: Vec<u32> = self.links.get(granules.clone()).unwrap_or(&[]).to_vec();
            let start = granules.start << self.granule_shift;
            self.copy_links(at, &links, from - start, len);
        }
    }

    /// Copies the links of whole granules if both ranges have the same alignment; drops all others in the target.
    fn copy_links(&mut self, at: usize, source: &[u32], from: usize, len: usize) {
        if source.is_empty() {
            if !self.links.is_empty() {
                self.drop_links(at, len);
            }
            return;
        }
        let granule = 1usize << self.granule_shift;
        if !self.links.is_empty() {
            self.drop_links(at, len);
        }
        if (at ^ from) & (granule - 1) != 0 {
            return;
        }
        let first = from.div_ceil(granule);
        let last = (from + len) / granule;
        let Some(links) = source.get(first..last.max(first)) else { return };
        if links.iter().all(|&l| l == 0) {
            return;
        }
        if self.links.is_empty() {
            self.links = vec![0; self.len().div_ceil(granule)].into_boxed_slice();
        }
        let target = at.div_ceil(granule);
        if let Some(target) = self.links.get_mut(target..target + links.len()) {
            target.copy_from_slice(links);
        }
    }

    /// Reads `width` bits (at most 128) starting at bit `start` of byte `at`, with a mask of the uninitialised ones.
    pub fn load_bits(&self, at: usize, start: u32, width: u32) -> (u128, u128) {
        let (mut value, mut undefined) = (0u128, 0u128);
        for BitsOfByte { byte, shift, mask, done } in bits_by_byte(at, start, width) {
            let bits = (self.buffer.get(byte).copied().unwrap_or(0) & mask) >> shift;
            value |= u128::from(bits) << done;
            undefined |= u128::from((!self.defined_bits(byte) & mask) >> shift) << done;
        }
        (value, undefined)
    }

    /// Writes `width` bits, with a mask of the uninitialised ones. Neighbouring bits are unchanged.
    pub fn store_bits(&mut self, at: usize, start: u32, width: u32, value: u128, undefined: u128) {
        for BitsOfByte { byte, shift, mask, done } in bits_by_byte(at, start, width) {
            let bits = ((value >> done) as u8) << shift & mask;
            let old = self.buffer.get(byte).copied().unwrap_or(0);
            let unknown = ((undefined >> done) as u8) << shift & mask;
            self.set_byte(byte, old & !mask | bits, (self.defined_bits(byte) | mask) & !unknown);
        }
    }
}

/// The part of a bit-field in one byte.
struct BitsOfByte {
    byte: usize,
    /// The position of its first bit in the byte.
    shift: u32,
    /// The mask of its bits in the byte.
    mask: u8,
    /// The number of bits of the field before this part.
    done: u32,
}

/// Iterates over the bytes of a bit-field, the lowest first.
fn bits_by_byte(at: usize, start: u32, width: u32) -> impl Iterator<Item = BitsOfByte> {
    let mut done = 0;
    std::iter::from_fn(move || {
        if done >= width {
            return None;
        }
        let bit = start + done;
        let (byte, shift) = (at + (bit / 8) as usize, bit % 8);
        let take = (8 - shift).min(width - done);
        let mask = (0xffu8 >> (8 - take)) << shift;
        let part = BitsOfByte { byte, shift, mask, done };
        done += take;
        Some(part)
    })
}

#[inline(always)]
fn little_endian<const N: usize>(bytes: &[u8]) -> u64 {
    let mut word = [0u8; 8];
    if let Some(low) = word.get_mut(..N) {
        low.copy_from_slice(bytes);
    }
    u64::from_le_bytes(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fresh_bytes_are_uninitialised_and_zeroed_ones_are_not() {
        let mut fresh = Bytes::new(16, false, 8).unwrap();
        assert_eq!(fresh.load::<4>(0), Some((0, 0xffff_ffff)));
        fresh.store::<4>(4, 0x1234_5678, 0).unwrap();
        assert_eq!(fresh.load::<4>(4), Some((0x1234_5678, 0)));
        assert_eq!(fresh.load::<8>(4), Some((0x1234_5678, 0xffff_ffff_0000_0000)));
        assert_eq!(fresh.load::<8>(9), None);
        let mut zeroed = Bytes::new(4, true, 8).unwrap();
        assert_eq!(zeroed.load::<4>(0), Some((0, 0)));
        zeroed.forget();
        assert_eq!(zeroed.load::<4>(0), Some((0, 0xffff_ffff)));
    }

    #[test]
    fn bit_fields_are_initialised_bit_by_bit() {
        let mut bytes = Bytes::new(4, false, 8).unwrap();
        bytes.store_bits(0, 3, 7, 0x55, 0);
        assert_eq!(bytes.load_bits(0, 3, 7), (0x55, 0));
        assert_eq!(bytes.load_bits(0, 2, 8), (0x55 << 1, 1));
        bytes.store_bits(0, 0, 3, 5, 0);
        assert_eq!(bytes.load_bits(0, 0, 10), (0x55 << 3 | 5, 0));
        assert_eq!(bytes.load::<1>(0), Some((0xad, 0)));
        assert_eq!(bytes.load::<2>(0).map(|l| l.1), Some(0xfc00));
    }

    #[test]
    fn links_follow_copies_of_whole_pointers() {
        let mut a = Bytes::new(32, false, 8).unwrap();
        a.store::<8>(8, 0x5000, 0).unwrap();
        a.set_link(8, 7);
        let mut b = Bytes::new(24, true, 8).unwrap();
        b.copy_from(0, &a, 8, 16);
        assert_eq!(b.link(0), Some(7));
        assert_eq!(b.load::<8>(0), Some((0x5000, 0)));
        assert_eq!(b.load::<8>(8), Some((0, u64::MAX)));
        assert_eq!(b.load::<8>(16), Some((0, 0)));
        b.copy_within(8, 0, 16);
        assert_eq!((b.link(0), b.link(8)), (Some(7), Some(7)));
        b.store::<1>(11, 0, 0).unwrap();
        assert_eq!(b.link(8), None);
        a.copy_within(16, 8, 8);
        assert_eq!(a.link(16), Some(7));
        a.copy_within(17, 8, 8);
        assert_eq!((a.link(8), a.link(16), a.link(24)), (Some(7), None, None));
    }
}
