//! The shape of the project: which crate may depend on which, and one name for one thing.

mod support;

use std::collections::BTreeMap;
use std::fs;

use cairn_ir::CheckKind;
use support::root;

/// Every crate with the crates of the project that it builds on. Edges go one way; a new one is a decision.
const EDGES: &[(&str, &[&str])] = &[
    ("cairn", &["cairn-engine", "cairn-frontend", "cairn-ir", "cairn-report", "cairn-sl", "cairn-smt"]),
    ("cairn-engine", &["cairn-ir", "cairn-rules", "cairn-sl", "cairn-smt"]),
    ("cairn-frontend", &["cairn-ir"]),
    ("cairn-ir", &[]),
    ("cairn-report", &["cairn-engine", "cairn-ir"]),
    ("cairn-rules", &[]),
    ("cairn-sl", &["cairn-smt"]),
    ("cairn-smt", &[]),
];

#[test]
fn crates_depend_on_each_other_one_way() {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(root().join("crates")).expect("the crates are there") {
        let dir = entry.expect("the crates are there").path();
        let name = dir.file_name().expect("crates have names").to_string_lossy().into_owned();
        let manifest = fs::read_to_string(dir.join("Cargo.toml")).expect("a crate has a manifest");
        let dependencies = manifest.split("[dependencies]").nth(1).unwrap_or("").split("\n[").next().unwrap_or("");
        let mut edges: Vec<String> = dependencies
            .lines()
            .filter_map(|line| line.split(['.', ' ', '=']).next())
            .filter(|name| name.starts_with("cairn"))
            .map(str::to_owned)
            .collect();
        edges.sort();
        found.insert(name, edges);
    }
    let expected: BTreeMap<String, Vec<String>> = EDGES
        .iter()
        .map(|(name, edges)| ((*name).to_owned(), edges.iter().map(|edge| (*edge).to_owned()).collect()))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn every_check_has_a_page_and_a_folder_of_programs() {
    for kind in CheckKind::ALL {
        let page = root().join("crates/cairn/src/explain").join(format!("{kind}.md"));
        assert!(page.is_file(), "{}", page.display());
        // No run of a program can have it: it is a statement about a graph, not about an access.
        if *kind == CheckKind::Integrity {
            continue;
        }
        let folder = root().join("crates/cairn/tests/run").join(kind.name());
        let names: Vec<String> = fs::read_dir(&folder)
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
            .map(|entry| entry.expect("the folder is readable").file_name().to_string_lossy().into_owned())
            .collect();
        for prefix in ["fault_", "fine_"] {
            let count = names.iter().filter(|name| name.starts_with(prefix)).count();
            assert!(count >= 5, "{kind} has {count} programs {prefix}*.c");
        }
    }
}

#[test]
fn only_the_command_line_touches_files_clock_and_processes() {
    for name in ["cairn-ir", "cairn-frontend", "cairn-smt", "cairn-rules", "cairn-sl", "cairn-engine", "cairn-report"] {
        let mut folders = vec![root().join("crates").join(name).join("src")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).expect("a crate has sources") {
                let path = entry.expect("a crate has sources").path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|e| e == "rs") {
                    let text = fs::read_to_string(&path).expect("sources are readable");
                    // Tests of a crate may compare with the compiler.
                    let text = text.split("#[cfg(test)]").next().unwrap_or("");
                    for forbidden in ["std::fs", "std::process", "std::env", "SystemTime", "Instant"] {
                        let in_tests = path.file_stem().is_some_and(|s| s == "tests");
                        assert!(in_tests || !text.contains(forbidden), "{} uses {forbidden}", path.display());
                    }
                }
            }
        }
    }
}

#[test]
fn every_dependency_has_its_reason() {
    let reasons = fs::read_to_string(root().join("CONTRIBUTING.md")).expect("the page is there");
    for entry in fs::read_dir(root().join("crates")).expect("the crates are there") {
        let dir = entry.expect("the crates are there").path();
        let manifest = fs::read_to_string(dir.join("Cargo.toml")).expect("a crate has a manifest");
        for section in manifest.split("\n[").filter(|s| s.contains("dependencies]\n")) {
            for line in section.lines().skip(1).filter(|line| line.contains(".workspace")) {
                let name = line.split('.').next().unwrap_or("");
                assert!(name.starts_with("cairn-") || reasons.contains(&format!("`{name}`")), "no reason for {name}");
            }
        }
    }
}
