//! Initialisers: the parts that each element of a list initialises, and the values of static objects.

pub(crate) mod initialise;
pub(crate) mod label_distance;
pub(crate) mod parts;
pub(crate) mod static_objects;
