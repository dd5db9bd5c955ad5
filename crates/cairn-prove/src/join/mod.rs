//! Joining and covering: the objects of two states are paired.
//!
//! [`pairing`] pairs the objects of two states, [`values`] pairs the values of their cells, and [`shapes`] pairs
//! segments, also with a single node or with nothing. [`ownership`] rejects pairs of shared with owned objects.

pub(crate) mod ownership;
pub(crate) mod pairing;
pub(crate) mod shapes;
pub(crate) mod values;
