//! Combines translation units to programs, as the build does where it is known, and by their external names otherwise.
//!
//! A unit with a `main` becomes a program. The units of its link command belong to it; without one, those that the build system keeps in
//! the same folder of objects (CMake's `prog.dir`, meson's `prog.p`). Names that are still undefined pull in units that define them, as a
//! linker pulls members out of archives: nearer units first. Units that no program contains are library code.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path};

use cairn_frontend::Symbols;

use super::database::Link;
use super::unit::{Kind, Target, Unit};
use crate::limits::MAX_DEPENDENCIES;

/// The parts of a project that are linked.
pub(crate) struct Linking<'a> {
    pub(crate) units: &'a [Unit],
    /// The external names of each unit; `None` for units with errors.
    pub(crate) symbols: &'a [Option<Symbols>],
    pub(crate) links: &'a [Link],
    /// The number of units, at the end of the list, that are models: they are pulled in, and are no code to check.
    pub(crate) models: usize,
    /// Whether units with a `main` become programs.
    pub(crate) has_programs: bool,
}

impl Linking<'_> {
    /// Returns the programs, then the files that no program contains, each sorted by name.
    pub(crate) fn targets(&self) -> Vec<Target> {
        let definers = self.definers();
        let mut programs: BTreeMap<String, Target> = BTreeMap::new();
        let mut used = BTreeSet::new();
        for main in self.with_main().filter(|_| self.has_programs) {
            let (name, members) = self.program(main, &definers);
            used.extend(members.iter().map(|&index| self.units[index].file.clone()));
            let units: Vec<Unit> = members.iter().map(|&index| self.units[index].clone()).collect();
            let name = free_name(&programs, name, &units);
            programs.entry(name.clone()).or_insert_with(|| Target::new(name, Kind::Program, units));
        }
        let mut libraries = BTreeMap::new();
        for index in 0..self.units.len() - self.models {
            let unit = &self.units[index];
            if !used.contains(&unit.file) {
                let target = || Target::library(unit.clone(), self.dependencies(index, &definers));
                libraries.entry(unit.file.clone()).or_insert_with(target);
            }
        }
        programs.into_values().chain(libraries.into_values()).collect()
    }

    fn with_main(&self) -> impl Iterator<Item = usize> {
        let has_main =
            |symbols: &Option<Symbols>| symbols.as_ref().is_some_and(|s| s.defined.iter().any(|n| n == "main"));
        (0..self.units.len()).filter(move |&index| has_main(&self.symbols[index]))
    }

    /// Returns the units that define what a unit of a library calls, directly or through others, and the models among them.
    ///
    /// Without them, nothing would be known about these functions. They are no part of a program, and all of them fit together.
    fn dependencies(&self, unit: usize, definers: &BTreeMap<&str, Vec<usize>>) -> Vec<Unit> {
        let programs: BTreeSet<usize> = self.with_main().collect();
        let mut members = vec![unit];
        let mut defined = BTreeSet::new();
        self.define(unit, &mut defined);
        let mut next = 0;
        while next < members.len() && members.len() <= MAX_DEPENDENCIES {
            for name in self.names(members[next]).1 {
                if defined.contains(name.as_str()) {
                    continue;
                }
                let fits = |other: &usize| {
                    let is_same_machine = self.units[*other].data_model == self.units[unit].data_model;
                    let is_new = !self.names(*other).0.iter().any(|name| defined.contains(name.as_str()));
                    is_same_machine && is_new && !programs.contains(other)
                };
                let fitting = definers.get(name.as_str()).into_iter().flatten().copied().filter(fits);
                if let Some(other) = fitting.max_by_key(|&other| (self.nearness(unit, other), std::cmp::Reverse(other)))
                {
                    members.push(other);
                    self.define(other, &mut defined);
                }
            }
            next += 1;
        }
        members.truncate(MAX_DEPENDENCIES + 1);
        members.into_iter().skip(1).map(|index| self.units[index].clone()).collect()
    }

    /// Returns the units that define each name.
    fn definers(&self) -> BTreeMap<&str, Vec<usize>> {
        let mut definers: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (index, symbols) in self.symbols.iter().enumerate() {
            for name in symbols.iter().flat_map(|symbols| &symbols.defined) {
                definers.entry(name).or_default().push(index);
            }
        }
        definers
    }

    /// Returns the name and the units of the program with this `main`.
    fn program(&self, main: usize, definers: &BTreeMap<&str, Vec<usize>>) -> (String, Vec<usize>) {
        let link = self.units[main].output.as_ref().and_then(|object| {
            // A command that compiles and links at once gives the unit the name of the program.
            let is_its = |link: &&Link| link.output == *object || link.inputs.iter().any(|input| input == object);
            self.links.iter().filter(|link| link.is_program).find(is_its)
        });
        let (name, together, allowed) = match link {
            Some(link) => (link.output.clone(), self.objects(&link.inputs, &link.output), Some(self.reachable(link))),
            None => (self.units[main].file.clone(), self.folder_of(main), None),
        };
        let mut members = vec![main];
        let mut defined: BTreeSet<&str> = BTreeSet::new();
        self.define(main, &mut defined);
        for unit in together {
            // Two `main` in one folder are two programs.
            let is_other_program =
                link.is_none() && self.names(unit).0.iter().any(|name| defined.contains(name.as_str()));
            if !members.contains(&unit) && !is_other_program {
                members.push(unit);
                self.define(unit, &mut defined);
            }
        }
        let mut next = 0;
        while next < members.len() {
            for name in self.names(members[next]).1 {
                if defined.contains(name.as_str()) {
                    continue;
                }
                let candidates = definers.get(name.as_str()).into_iter().flatten().copied();
                let is_model = |unit: &usize| *unit >= self.units.len() - self.models;
                let allowed = candidates
                    .filter(|unit| is_model(unit) || allowed.as_ref().is_none_or(|allowed| allowed.contains(unit)));
                let fitting =
                    allowed.filter(|&unit| !self.names(unit).0.iter().any(|name| defined.contains(name.as_str())));
                let nearest = fitting.max_by_key(|&unit| (self.nearness(main, unit), std::cmp::Reverse(unit)));
                if let Some(unit) = nearest {
                    members.push(unit);
                    self.define(unit, &mut defined);
                }
            }
            next += 1;
        }
        (name, members)
    }

    /// Returns the defined and undefined names of a unit.
    fn names(&self, unit: usize) -> (&[String], &[String]) {
        self.symbols[unit].as_ref().map_or((&[], &[]), |symbols| (&symbols.defined, &symbols.undefined))
    }

    fn define<'s>(&'s self, unit: usize, defined: &mut BTreeSet<&'s str>) {
        defined.extend(self.names(unit).0.iter().map(String::as_str));
    }

    /// Returns the units whose objects are among these files, which a command combines to an output.
    ///
    /// A source file stands for its unit that is compiled for this output: builds compile variants of one file with different options.
    fn objects(&self, files: &[String], output: &str) -> Vec<usize> {
        let is_for_output = |unit: &Unit| unit.output.as_deref() == Some(output);
        let own: BTreeSet<&str> =
            self.units.iter().filter(|unit| is_for_output(unit)).map(|unit| unit.file.as_str()).collect();
        let is_one = |unit: &Unit| {
            let is_source = files.contains(&unit.file) && (is_for_output(unit) || !own.contains(unit.file.as_str()));
            is_source || unit.output.as_ref().is_some_and(|object| files.contains(object))
        };
        (0..self.units.len()).filter(|&index| is_one(&self.units[index])).collect()
    }

    /// Returns the units that a link command can pull in: its objects, and the members of archives and libraries that the build makes.
    fn reachable(&self, link: &Link) -> BTreeSet<usize> {
        let mut files: Vec<String> = link.inputs.clone();
        for other in self.links.iter().filter(|other| !other.is_program) {
            let name = Path::new(&other.output).file_stem().and_then(|stem| stem.to_str()).unwrap_or("");
            let is_named =
                name.strip_prefix("lib").is_some_and(|name| link.libraries.iter().any(|library| library == name));
            if is_named || link.inputs.contains(&other.output) {
                files.extend(other.inputs.iter().cloned());
            }
        }
        self.objects(&files, &link.output).into_iter().collect()
    }

    /// Returns the units that the build system compiles for the same target.
    fn folder_of(&self, main: usize) -> Vec<usize> {
        let folder = |unit: &Unit| unit.output.as_deref().and_then(target_folder).map(str::to_owned);
        match folder(&self.units[main]) {
            Some(own) => {
                (0..self.units.len()).filter(|&unit| folder(&self.units[unit]).as_ref() == Some(&own)).collect()
            }
            None => Vec::new(),
        }
    }

    /// Returns the number of folders that the files of two units share.
    fn nearness(&self, a: usize, b: usize) -> usize {
        let parts = |unit: usize| Path::new(&self.units[unit].file).components().collect::<Vec<Component<'_>>>();
        parts(a).iter().zip(parts(b)).take_while(|(a, b)| *a == b).count()
    }
}

/// Returns a name that no other program has.
fn free_name(programs: &BTreeMap<String, Target>, name: String, units: &[Unit]) -> String {
    let is_free = |name: &String| programs.get(name).is_none_or(|other| other.units == units);
    let numbered = (2..).map(|number| format!("{name} ({number})"));
    std::iter::once(name.clone()).chain(numbered).find(is_free).unwrap_or(name)
}

/// Returns the part of an object's path that names a target: `build/CMakeFiles/prog.dir` or `build/prog.p`.
fn target_folder(output: &str) -> Option<&str> {
    let mut end = 0;
    for part in output.split('/') {
        end += part.len();
        if part.ends_with(".dir") || part.ends_with(".p") {
            return Some(&output[..end]);
        }
        end += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::DataModel;

    fn unit(file: &str, output: &str) -> Unit {
        let output = Some(output.to_owned()).filter(|output| !output.is_empty());
        Unit { file: file.to_owned(), data_model: DataModel::Lp64.into(), flags: Vec::new(), output }
    }

    fn symbols(defined: &[&str], undefined: &[&str]) -> Option<Symbols> {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Some(Symbols { defined: owned(defined), undefined: owned(undefined) })
    }

    fn shape(linking: &Linking<'_>) -> Vec<String> {
        let files = |target: &Target| target.units.iter().map(|unit| unit.file.clone()).collect::<Vec<_>>().join(" ");
        linking
            .targets()
            .iter()
            .map(|target| format!("{} {}: {}", target.kind.name(), target.name, files(target)))
            .collect()
    }

    #[test]
    fn names_pull_in_the_nearest_units() {
        let units = [
            unit("a/main.c", ""),
            unit("a/x.c", ""),
            unit("b/x.c", ""),
            unit("b/main.c", ""),
            unit("c/y.c", ""),
            unit("d.c", ""),
        ];
        let symbols = [
            symbols(&["main"], &["x", "puts"]),
            symbols(&["x"], &["y"]),
            symbols(&["x"], &[]),
            symbols(&["main"], &["x"]),
            symbols(&["y"], &[]),
            symbols(&["z"], &[]),
        ];
        let linking = Linking { units: &units, symbols: &symbols, links: &[], models: 0, has_programs: true };
        assert_eq!(
            shape(&linking),
            ["program a/main.c: a/main.c a/x.c c/y.c", "program b/main.c: b/main.c b/x.c", "library d.c: d.c"]
        );
    }

    #[test]
    fn link_commands_decide() {
        let units = [
            unit("main.c", "main.o"),
            unit("x.c", "x.o"),
            unit("other/x.c", "other/x.o"),
            unit("plugin.c", "plugin.o"),
        ];
        let symbols = [symbols(&["main"], &["x"]), symbols(&["x"], &[]), symbols(&["x"], &[]), symbols(&["hook"], &[])];
        let link = |output: &str, inputs: &[&str], is_program| Link {
            output: output.to_owned(),
            inputs: inputs.iter().map(|input| (*input).to_owned()).collect(),
            libraries: Vec::new(),
            is_program,
        };
        let links = [link("libx.a", &["other/x.o"], false), link("prog", &["main.o", "plugin.o", "libx.a"], true)];
        let linking = Linking { units: &units, symbols: &symbols, links: &links, models: 0, has_programs: true };
        assert_eq!(shape(&linking), ["program prog: main.c plugin.c other/x.c", "library x.c: x.c"]);
    }

    #[test]
    fn variants_of_a_program_are_told_apart() {
        let variant =
            |file: &str, output: &str, flag: &str| Unit { flags: vec![flag.to_owned()], ..unit(file, output) };
        let units = [
            variant("main.c", "prog", "-DA"),
            variant("x.c", "prog", "-DA"),
            variant("main.c", "prog_b", "-DB"),
            variant("x.c", "prog_b", "-DB"),
            variant("main.c", "", "-DC"),
            variant("main.c", "", "-DD"),
        ];
        let symbols = units
            .clone()
            .map(|unit| if unit.file == "main.c" { symbols(&["main"], &["x"]) } else { symbols(&["x"], &[]) });
        let link = |output: &str| Link {
            output: output.to_owned(),
            inputs: vec!["main.c".to_owned(), "x.c".to_owned()],
            libraries: Vec::new(),
            is_program: true,
        };
        let links = [link("prog"), link("prog_b")];
        let linking = Linking { units: &units, symbols: &symbols, links: &links, models: 0, has_programs: true };
        let targets = linking.targets();
        let names: Vec<&str> = targets.iter().map(|target| target.name.as_str()).collect();
        assert_eq!(names, ["main.c", "main.c (2)", "prog", "prog_b"]);
        assert!(targets[3].units.iter().all(|unit| unit.flags == ["-DB"]));
    }

    #[test]
    fn models_are_pulled_in_and_not_checked() {
        let units = [unit("main.c", ""), unit("lib.c", ""), unit("model.c", ""), unit("unused.c", "")];
        let symbols = [
            symbols(&["main"], &["alloc"]),
            symbols(&["f"], &["alloc"]),
            symbols(&["alloc"], &[]),
            symbols(&["g"], &[]),
        ];
        let linking = Linking { units: &units, symbols: &symbols, links: &[], models: 2, has_programs: true };
        assert_eq!(shape(&linking), ["program main.c: main.c model.c", "library lib.c: lib.c model.c"]);
    }

    #[test]
    fn libraries_are_linked_with_what_they_call() {
        let units = [unit("l/a.c", ""), unit("l/b.c", ""), unit("l/c.c", ""), unit("m/b.c", ""), unit("m/main.c", "")];
        let symbols = [
            symbols(&["a"], &["b", "main_helper"]),
            symbols(&["b"], &["c"]),
            symbols(&["c"], &["a"]),
            symbols(&["b"], &[]),
            symbols(&["main", "main_helper"], &[]),
        ];
        let linking = Linking { units: &units, symbols: &symbols, links: &[], models: 0, has_programs: true };
        let expected = [
            "program m/main.c: m/main.c",
            "library l/a.c: l/a.c l/b.c l/c.c",
            "library l/b.c: l/b.c l/c.c l/a.c",
            "library l/c.c: l/c.c l/a.c l/b.c",
            "library m/b.c: m/b.c",
        ];
        assert_eq!(shape(&linking), expected);
        assert_eq!(linking.targets()[1].checked().len(), 1);
        // Without programs, every file is checked as a library.
        assert_eq!(Linking { has_programs: false, ..linking }.targets().len(), 5);
    }

    #[test]
    fn folders_of_objects_belong_together() {
        assert_eq!(target_folder("b/CMakeFiles/prog.dir/src/a.c.o"), Some("b/CMakeFiles/prog.dir"));
        assert_eq!(target_folder("prog.p/a.c.o"), Some("prog.p"));
        assert_eq!(target_folder("src/a.o"), None);
    }
}
