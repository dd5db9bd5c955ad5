//! Fuzz targets. `scripts/fuzz` runs them with coverage feedback; `crates/cairn/tests/fuzz.rs` replays the seeds without.

#[path = "../../crates/cairn/tests/generate/mod.rs"]
#[allow(dead_code)]
mod generate;
pub mod targets;
