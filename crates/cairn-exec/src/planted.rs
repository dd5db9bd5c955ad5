//! Faults that a test build plants, one at a time, to measure what the tests catch.
//!
//! `planted!(7, normal, faulty)` is `normal`. In a build with the feature `planted-faults` it is `faulty` while fault 7 is
//! selected. `scripts/planted-faults` selects one after the other, and counts those that lead to a wrong answer.

/// The number of planted faults. They are numbered from 1 on.
pub const FAULTS: u32 = 61;

/// Plants a fault.
#[cfg(not(feature = "planted-faults"))]
#[macro_export]
macro_rules! planted {
    ($number:literal, $normal:expr, $faulty:expr) => {
        $normal
    };
}

/// Plants a fault.
#[cfg(feature = "planted-faults")]
#[macro_export]
macro_rules! planted {
    ($number:literal, $normal:expr, $faulty:expr) => {
        if $crate::planted::is_selected($number) { $faulty } else { $normal }
    };
}

#[cfg(feature = "planted-faults")]
static SELECTED: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);

/// Selects a fault; 0 selects none.
#[cfg(feature = "planted-faults")]
pub fn select(fault: u32) {
    SELECTED.store(fault, std::sync::atomic::Ordering::Relaxed);
}

/// Returns whether a fault is selected.
#[cfg(feature = "planted-faults")]
pub fn is_selected(fault: u32) -> bool {
    SELECTED.load(std::sync::atomic::Ordering::Relaxed) == fault
}
