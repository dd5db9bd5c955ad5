//! Writes witnesses: adds the time, the identifier and the file's hash, which reports cannot know, and chooses the format.

use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use cairn_ir::Program;
use cairn_portfolio::invariant::LoopInvariant;
use cairn_portfolio::verdict::Violation;
use cairn_report::Texts;
use cairn_report::witness::{Metadata, graphml, yaml};

use crate::arguments::{DataModel, WitnessFormat};
use crate::program::Loaded;
use crate::sha256;
use crate::system::files;

/// The file and the format of a witness.
pub(crate) struct Destination {
    pub(crate) file: PathBuf,
    pub(crate) format: Option<WitnessFormat>,
}

impl Destination {
    fn format(&self) -> WitnessFormat {
        let graphml = self.file.extension().is_some_and(|e| e.eq_ignore_ascii_case("graphml"));
        self.format.unwrap_or(if graphml { WitnessFormat::Graphml } else { WitnessFormat::Yaml })
    }

    /// Returns whether the format can describe a proof.
    pub(crate) fn tells_proofs(&self) -> bool {
        self.format() == WitnessFormat::Yaml
    }

    /// Writes the witness of a violation.
    pub(crate) fn write(&self, violation: &Violation, task: &TaskText<'_>) -> Result<(), String> {
        let render = match self.format() {
            WitnessFormat::Yaml => yaml::render,
            WitnessFormat::Graphml => graphml::render,
        };
        self.put(task, |program, metadata, texts| render(violation, program, metadata, texts))
    }

    /// Writes the witness of a proof.
    pub(crate) fn write_proof(&self, invariants: &[LoopInvariant], task: &TaskText<'_>) -> Result<(), String> {
        self.put(task, |program, metadata, texts| yaml::render_proof(invariants, program, metadata, texts))
    }

    fn put(
        &self,
        task: &TaskText<'_>,
        render: impl FnOnce(&Program, &Metadata, Texts<'_>) -> String,
    ) -> Result<(), String> {
        let bytes = files::read(task.file)?;
        let lines: Vec<&str> = task.specification.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let metadata = Metadata {
            creation_time: utc(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())),
            uuid: uuid(random(), random()),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            input_file: task.file.to_string_lossy().into_owned(),
            input_hash: sha256::hex(&bytes),
            specification: lines.join("\n"),
            lp64: task.model == DataModel::Lp64,
        };
        let text = task.loaded.with_texts(|texts| render(&task.loaded.program, &metadata, texts));
        files::write(&self.file, &text)
    }
}

/// The task that a witness is about.
pub(crate) struct TaskText<'t> {
    pub(crate) loaded: &'t Loaded,
    pub(crate) file: &'t Path,
    pub(crate) model: DataModel,
    pub(crate) specification: &'t str,
}

/// Returns a random number: the standard library seeds its hash maps from the system's randomness.
fn random() -> u64 {
    RandomState::new().hash_one(0u8)
}

/// Returns a random UUID (version 4) made of these bits.
fn uuid(high: u64, low: u64) -> String {
    let high = (high & !0xf000) | 0x4000;
    let low = (low & !(0b11 << 62)) | (0b10 << 62);
    format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        high >> 32,
        (high >> 16) & 0xffff,
        high & 0xffff,
        low >> 48,
        low & 0xffff_ffff_ffff
    )
}

/// Formats seconds since 1970 as a date and a time in UTC. Years are counted from March, so that leap days come last.
fn utc(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Days since 1 March of the year 0; 400 years have 146,097.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year_of_era = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, next_year) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = era * 400 + year_of_era + next_year;
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3_600, rest / 60 % 60, rest % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_become_dates() {
        assert_eq!(utc(0), "1970-01-01T00:00:00Z");
        assert_eq!(utc(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(utc(951_868_799), "2000-02-29T23:59:59Z");
        assert_eq!(utc(1_000_000_000), "2001-09-09T01:46:40Z");
        assert_eq!(utc(4_107_542_399), "2100-02-28T23:59:59Z");
        assert_eq!(utc(4_107_542_400), "2100-03-01T00:00:00Z");
    }

    #[test]
    fn a_uuid_has_its_version() {
        assert_eq!(uuid(0, 0), "00000000-0000-4000-8000-000000000000");
        assert_eq!(uuid(u64::MAX, u64::MAX), "ffffffff-ffff-4fff-bfff-ffffffffffff");
    }

    #[test]
    fn the_extension_chooses_the_format() {
        let format = |file: &str, format| Destination { file: file.into(), format }.format();
        assert_eq!(format("w.graphml", None), WitnessFormat::Graphml);
        assert_eq!(format("w.yml", None), WitnessFormat::Yaml);
        assert_eq!(format("w", None), WitnessFormat::Yaml);
        assert_eq!(format("w.yml", Some(WitnessFormat::Graphml)), WitnessFormat::Graphml);
        assert_eq!(format("w.graphml", Some(WitnessFormat::Yaml)), WitnessFormat::Yaml);
    }
}
