//! Tests of `cairn run` on programs with planted faults and on near misses, which state the expected reports in comments.

mod support;

use std::path::Path;

use cairn_ir::CheckKind;
use support::{Report, cairn, check_all, finish, programs, reports, scratch};

#[test]
fn planted_faults_are_found_and_near_misses_are_not() {
    check_all(&support::c_files(&programs("run")), check);
}

fn check(file: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    let expected = annotations(&text)?;
    let said = finish(cairn().args(["run", "-w", "--max-steps=100000000"]).args(requested(file)).arg(file));
    let found = reports(&said.stderr, &file.display().to_string());
    if expected != found {
        return Err(format!("reports {found:?} instead of {expected:?}\n{}", said.stderr));
    }
    let status = match expected.first().and_then(|(name, _)| CheckKind::from_name(name)) {
        None if !said.stderr.is_empty() => return Err(format!("says\n{}", said.stderr)),
        None | Some(CheckKind::Unfreed) => 0,
        Some(CheckKind::Unsupported) => 2,
        Some(_) => 1,
    };
    if said.status != status {
        return Err(format!("status {} instead of {status}\n{}", said.status, said.stderr));
    }
    Ok(())
}

/// Returns the option that requests the check which a folder is named after, if it is not made otherwise.
fn requested(file: &Path) -> Option<&'static str> {
    let is_overflow = file.parent().is_some_and(|folder| folder.ends_with(CheckKind::Overflow.name()));
    is_overflow.then_some("--overflow")
}

/// Returns the comments `//~ check-name` of a program, with their lines.
fn annotations(text: &str) -> Result<Vec<Report>, String> {
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let Some((_, name)) = line.split_once("//~ ") else { continue };
        let name = name.trim();
        CheckKind::from_name(name).ok_or_else(|| format!("`{name}` is no check"))?;
        found.push((name.to_owned(), index as u32 + 1));
    }
    found.sort();
    Ok(found)
}

#[test]
fn unfreed_memory_is_reported_on_request() {
    let file = programs("run").join("unfreed");
    let files = support::c_files(&file);
    check_all(&files, |file| {
        let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
        let said = finish(cairn().args(["run", "-w", "--error-on-unfreed"]).arg(file));
        let expected = !annotations(&text)?.is_empty();
        if said.stderr.contains("error[unfreed]") != expected || (said.status == 1) != expected {
            return Err(format!("status {}\n{}", said.status, said.stderr));
        }
        let said = finish(cairn().args(["run", "-w", "--leaks=ignore"]).arg(file));
        if said.status != 0 || !said.stderr.is_empty() {
            return Err(format!("status {} with --leaks=ignore\n{}", said.status, said.stderr));
        }
        Ok(())
    });
}

/// The pages of `cairn explain` show a program with the fault and one without it.
#[test]
fn examples_of_explanation_pages_are_correct() {
    let dir = scratch("pages");
    for kind in CheckKind::ALL {
        let page = finish(cairn().args(["explain", kind.name()])).stdout;
        let programs: Vec<&str> = page.split("```c\n").skip(1).filter_map(|part| part.split("```").next()).collect();
        let [bad, good] = programs[..] else { panic!("{kind} has not two programs") };
        for (text, has_it) in [(bad, true), (good, false)] {
            let file = dir.join(format!("{kind}-{has_it}.c"));
            std::fs::write(&file, text).expect("the target folder is writable");
            let requested = (*kind == CheckKind::Overflow).then_some("--overflow");
            let said = finish(cairn().arg("run").args(requested).arg(&file));
            let found: Vec<String> =
                reports(&said.stderr, &file.display().to_string()).into_iter().map(|(name, _)| name).collect();
            // The interpreter does not check graphs.
            let expected = if has_it && *kind != CheckKind::Integrity { vec![kind.name()] } else { Vec::new() };
            assert_eq!(found, expected, "{kind}:\n{text}\n{}", said.stderr);
        }
    }
}
