//! Numeric templates over variables and over the fields of one object: [`intervals`], [`zones`] and [`octagons`].

pub mod intervals;
pub mod octagons;
pub mod zones;
