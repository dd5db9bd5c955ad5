//! The external names of a translation unit, by which units are linked to programs.

use cairn_ir::layout::Target;
use cairn_ir::program::{Linkage, Origin};

use crate::{Input, Session, has_error, library};

/// The external names that a translation unit defines and needs.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Symbols {
    /// The functions and objects that the unit defines, sorted.
    pub defined: Vec<String>,
    /// The functions and objects that the unit uses without defining them, sorted. Names of the C library are left out.
    pub undefined: Vec<String>,
}

/// Returns the external names of a translation unit, or `None` if it is not valid C.
pub fn symbols(input: Input, target: Target) -> Option<Symbols> {
    let mut session = Session::new(target, Vec::new(), crate::Overflow::Unchecked);
    session.add_unit(&input.name, input.text, Origin::User);
    if has_error(&session.diagnostics) {
        return None;
    }
    let program = &session.linker.program;
    let functions = program.functions.iter().filter(|f| f.body.is_some() && f.linkage == Linkage::External);
    let globals = program.globals.iter().filter(|g| g.defined && g.linkage == Linkage::External);
    let mut defined: Vec<String> = functions.map(|f| f.name.clone()).chain(globals.map(|g| g.name.clone())).collect();
    let mut undefined = session.linker.undefined_names();
    undefined.retain(|name| !library::is_of_c(name) && !library::has_model(name));
    for names in [&mut defined, &mut undefined] {
        names.sort();
        names.dedup();
    }
    Some(Symbols { defined, undefined })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_defined_or_needed() {
        let text = "extern int shared; int own = 1; static int hidden; int puts(const char *); int other(void);
                    void unused(void); static void local(void) { puts(\"\"); } int main(void) { local(); return other() + shared + hidden; }";
        let input = Input { name: "a.c".to_owned(), text: text.to_owned() };
        let symbols = symbols(input, Target::Lp64).expect("this is valid");
        assert_eq!(symbols.defined, ["main", "own"]);
        assert_eq!(symbols.undefined, ["other", "shared"]);
    }
}
