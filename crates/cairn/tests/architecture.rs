//! Tests of the architecture: allowed dependencies, pages and programs of every check.

mod support;

use std::collections::BTreeMap;
use std::fs;

use cairn_ir::CheckKind;
use support::root;

/// Every crate with the crates of the project that it builds on. A new edge is a decision.
const EDGES: &[(&str, &[&str])] = &[
    (
        "cairn",
        &[
            "cairn-certificate",
            "cairn-contract",
            "cairn-exec",
            "cairn-explore",
            "cairn-frontend",
            "cairn-integrity",
            "cairn-interpret",
            "cairn-ir",
            "cairn-portfolio",
            "cairn-prove",
            "cairn-report",
            "cairn-sl",
            "cairn-smt",
            "cairn-template",
            "cairn-termination",
            "cairn-value",
            "cairn-witness",
        ],
    ),
    // The checker of proofs shares no code with the engines that find them.
    ("cairn-certificate", &["cairn-exec", "cairn-ir", "cairn-memory", "cairn-portfolio", "cairn-smt"]),
    ("cairn-contract", &["cairn-exec", "cairn-interpret", "cairn-ir", "cairn-memory", "cairn-portfolio", "cairn-smt"]),
    ("cairn-exec", &["cairn-ir", "cairn-memory", "cairn-portfolio", "cairn-sl", "cairn-smt"]),
    ("cairn-explore", &["cairn-exec", "cairn-ir", "cairn-memory", "cairn-portfolio", "cairn-smt"]),
    ("cairn-frontend", &["cairn-ir"]),
    ("cairn-integrity", &["cairn-interpret", "cairn-ir", "cairn-memory", "cairn-rules"]),
    ("cairn-interpret", &["cairn-ir", "cairn-memory"]),
    ("cairn-ir", &[]),
    ("cairn-memory", &["cairn-ir", "cairn-smt"]),
    ("cairn-portfolio", &["cairn-interpret", "cairn-ir", "cairn-smt"]),
    ("cairn-prove", &["cairn-exec", "cairn-ir", "cairn-memory", "cairn-portfolio", "cairn-smt"]),
    (
        "cairn-report",
        &[
            "cairn-contract",
            "cairn-exec",
            "cairn-integrity",
            "cairn-interpret",
            "cairn-ir",
            "cairn-portfolio",
            "cairn-prove",
        ],
    ),
    ("cairn-rules", &[]),
    ("cairn-sl", &["cairn-smt"]),
    ("cairn-smt", &[]),
    ("cairn-witness", &[]),
    ("cairn-template", &["cairn-ir", "cairn-memory", "cairn-portfolio", "cairn-smt"]),
    ("cairn-termination", &["cairn-ir", "cairn-memory", "cairn-smt"]),
    ("cairn-value", &["cairn-ir", "cairn-portfolio"]),
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
        // No execution has this fault, because it is a statement about a graph and not about an access.
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
    for (name, _) in EDGES.iter().filter(|(name, _)| *name != "cairn") {
        let mut folders = vec![root().join("crates").join(name).join("src")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).expect("a crate has sources") {
                let path = entry.expect("a crate has sources").path();
                let is_test = path.file_stem().is_some_and(|stem| stem == "tests");
                if path.is_dir() && !is_test {
                    folders.push(path);
                } else if path.extension().is_some_and(|e| e == "rs") && !is_test {
                    let text = fs::read_to_string(&path).expect("sources are readable");
                    let text = without_tests(&text);
                    for forbidden in ["std::fs", "std::process", "std::env", "std::time", "SystemTime"] {
                        assert!(!text.contains(forbidden), "{} uses {forbidden}", path.display());
                    }
                }
            }
        }
    }
}

/// Returns a source text without its test modules, which may compare with the compiler.
fn without_tests(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("#[cfg(test)]") {
        kept.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = match (rest.find(';'), rest.find('{')) {
            (Some(end), Some(open)) if end < open => end + 1,
            (Some(end), None) => end + 1,
            (_, Some(open)) => open + closing(&rest[open..]),
            (None, None) => rest.len(),
        };
        rest = &rest[end..];
    }
    kept + rest
}

/// Returns the length of a block, from its opening brace to the line that closes it at the margin.
fn closing(block: &str) -> usize {
    block.find("\n}\n").map_or(block.len(), |end| end + 3)
}

#[test]
fn code_behind_a_test_module_is_scanned() {
    let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n    use std::fs;\n}\nfn b() { std::env::args(); }\n";
    assert_eq!(without_tests(text), "fn a() {}\nfn b() { std::env::args(); }\n");
    assert_eq!(without_tests("#[cfg(test)]\nmod tests;\nfn b() {}\n"), "\nfn b() {}\n");
}

#[test]
fn every_dependency_has_a_reason() {
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

/// The trusted base of certificates: the name in `docs/certificates.md`, and its files and folders. A minus excludes one.
const TRUSTED: &[(&str, &[&str])] = &[
    (
        "execution of instructions",
        &[
            "cairn-exec/src",
            "-cairn-exec/src/memory",
            // The reachability loop, the printing of states, and planted faults are not used by the checker.
            "-cairn-exec/src/reach.rs",
            "-cairn-exec/src/formula.rs",
            "-cairn-exec/src/planted.rs",
            // Decides queries: a part of the solver.
            "-cairn-exec/src/linear.rs",
        ],
    ),
    ("certificates as data", &["cairn-portfolio/src/certificate/mod.rs"]),
    (
        "checker",
        &[
            "cairn-certificate/src",
            // These only guess terms, which the checker then checks, and compare certificates for tests.
            "-cairn-certificate/src/entail/values.rs",
            "-cairn-certificate/src/compare.rs",
        ],
    ),
];

/// Returns the lines of code of a file or folder, without comments, tests and blank lines.
fn lines_of_code(path: &std::path::Path, excluded: &[std::path::PathBuf]) -> usize {
    let is_tests = path.file_stem().is_some_and(|name| name == "tests");
    if is_tests || excluded.iter().any(|other| other == path) {
        return 0;
    }
    if path.is_dir() {
        let entries = fs::read_dir(path).expect("the folder is readable");
        return entries.map(|entry| lines_of_code(&entry.expect("the folder is readable").path(), excluded)).sum();
    }
    let text = fs::read_to_string(path).expect("the file is readable");
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    code.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}

/// The trusted base has at most 6,000 lines beyond front-end, memory model and solver, and the docs say how many.
#[test]
fn the_trusted_base_is_small_and_stated() {
    let docs = fs::read_to_string(root().join("docs/certificates.md")).expect("the page is there");
    let crates = root().join("crates");
    let mut total = 0;
    for (name, paths) in TRUSTED {
        let excluded: Vec<_> = paths.iter().filter_map(|path| path.strip_prefix('-')).map(|p| crates.join(p)).collect();
        let counted = paths.iter().filter(|path| !path.starts_with('-'));
        let lines: usize = counted.map(|path| lines_of_code(&crates.join(path), &excluded)).sum();
        println!("{name}: {lines} lines");
        total += lines;
        let row = docs.lines().find(|line| line.starts_with(&format!("| {name}"))).expect("the docs have the part");
        let stated: String = row.rsplit('|').nth(1).unwrap_or_default().chars().filter(char::is_ascii_digit).collect();
        let stated: usize = stated.parse().expect("the docs state the lines");
        assert!(lines.abs_diff(stated) <= 100, "{name} has {lines} lines, the docs say {stated}");
    }
    println!("trusted base: {total} lines");
    assert!(total <= 6_000, "the trusted base has grown to {total} lines");
}
