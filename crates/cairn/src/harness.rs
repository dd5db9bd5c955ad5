//! Writes a violation as a C program that fails under a sanitizer.

use std::path::{Path, PathBuf};

use cairn_contract::Finding;
use cairn_portfolio::verdict::Violation;
use cairn_report::harness::{About, render, render_library};

use crate::program::Loaded;
use crate::system::files;

/// Writes the harness of a violation.
pub(crate) fn write(file: &Path, violation: &Violation, loaded: &Loaded, entry: &str) -> Result<(), String> {
    let about = About {
        version: env!("CARGO_PKG_VERSION"),
        file: &file.to_string_lossy(),
        entry,
        undefined: &loaded.undefined,
    };
    let text = loaded
        .with_texts(|texts| render(violation, &loaded.program, texts, &about))
        .map_err(|reason| format!("cannot write harness '{}': {reason}", file.display()))?;
    files::write(file, &text)
}

/// Writes the harness of a fault of a library function.
pub(crate) fn write_library(file: &Path, finding: &Finding, loaded: &Loaded) -> Result<(), String> {
    let about = About {
        version: env!("CARGO_PKG_VERSION"),
        file: &file.to_string_lossy(),
        entry: "main",
        undefined: &loaded.undefined,
    };
    let text = loaded
        .with_texts(|texts| render_library(finding, &loaded.program, texts, &about))
        .map_err(|reason| format!("cannot write harness '{}': {reason}", file.display()))?;
    files::write(file, &text)
}

/// Returns the file of the n-th harness: `out.c`, `out-2.c`, `out-3.c`.
pub(crate) fn numbered(file: &Path, number: usize) -> PathBuf {
    if number < 2 {
        return file.to_path_buf();
    }
    let mut name = file.file_stem().unwrap_or_default().to_os_string();
    name.push(format!("-{number}"));
    if let Some(extension) = file.extension() {
        name.push(".");
        name.push(extension);
    }
    file.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn further_files_are_numbered() {
        assert_eq!(numbered(Path::new("a/out.c"), 1), Path::new("a/out.c"));
        assert_eq!(numbered(Path::new("a/out.c"), 2), Path::new("a/out-2.c"));
        assert_eq!(numbered(Path::new("out"), 12), Path::new("out-12"));
    }
}
