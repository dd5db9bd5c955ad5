//! Tasks of `cairn svcomp`: property files, expected answers and work limits.

use std::path::{Path, PathBuf};

use super::{SAFETY_NET, Said, cairn, finish, scratch};

/// The work limit of programs that must get an answer: many times the work that any of them needs.
pub const AMPLE: &str = "65536000";

/// The work limit of programs that no engine answers, and of sweeps that only look for wrong answers.
pub const SMALL: &str = "8000";

/// Writes the property file called `name` into a folder that belongs to `test`.
pub fn property(test: &str, name: &str) -> PathBuf {
    let formulas: &[&str] = match name {
        "memsafety" => &["valid-free", "valid-deref", "valid-memtrack"],
        "memcleanup" => &["valid-memcleanup"],
        "unreach" => &["! call(reach_error())"],
        "deref" => &["valid-deref"],
        "termination" => &["F end"],
        "overflow" => &["! overflow"],
        "free" => &["valid-free"],
        other => panic!("`{other}` is no property of these tests"),
    };
    let line = |formula: &&str| match *formula {
        "F end" => "CHECK( init(main()), LTL(F end) )\n".to_owned(),
        formula => format!("CHECK( init(main()), LTL(G {formula}) )\n"),
    };
    let text: String = formulas.iter().map(line).collect();
    let file = scratch(&format!("{test}-{name}")).join("property.prp");
    std::fs::write(&file, text).expect("the scratch folder is writable");
    file
}

/// Property files by name.
pub struct Properties(Vec<(&'static str, PathBuf)>);

impl Properties {
    /// Writes the property files with these names.
    pub fn new(test: &str, names: &[&'static str]) -> Self {
        Self(names.iter().map(|name| (*name, property(test, name))).collect())
    }

    /// Returns the file of a property.
    pub fn get(&self, name: &str) -> Result<&Path, String> {
        let found = self.0.iter().find(|(known, _)| *known == name);
        found.map(|(_, file)| file.as_path()).ok_or_else(|| format!("no property `{name}`"))
    }
}

/// Runs `cairn svcomp` with a work limit. Returns its last line, which is the answer, and all of its output.
pub fn ask(file: &Path, property: &Path, states: &str, options: &[&str]) -> (String, Said) {
    let mut command = cairn();
    command.args(["svcomp", "--data-model", "LP64", "--work-limit", states]).args(SAFETY_NET).args(options);
    let said = finish(command.arg("--property").arg(property).arg(file));
    (said.stdout.lines().last().unwrap_or("").to_owned(), said)
}

/// Reads a program and the line `//= PROPERTY: ANSWER` in it.
pub fn expectation(file: &Path) -> Result<(String, String, String), String> {
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    let line = text.lines().find_map(|line| line.strip_prefix("//= ")).and_then(|line| line.split_once(": "));
    let (name, answer) = line.ok_or("no line `//= PROPERTY: ANSWER`")?;
    let (name, answer) = (name.to_owned(), answer.to_owned());
    Ok((text, name, answer))
}
