//! The memory model that every engine shares: objects, pointers, and the one door to bytes.
