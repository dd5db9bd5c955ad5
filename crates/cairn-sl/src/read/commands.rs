//! Commands: declarations extend the signature, all others become part of the script.

use rustc_hash::FxHashMap;

use super::ReadError;
use super::declarations::{Definition, Reader, Type};
use super::expression::{Expression, Kind};
use crate::limits;
use crate::script::{Command, Script};
use crate::signature::{Cell, Field};

/// Converts top-level expressions to a script.
pub(super) fn script(expressions: &[Expression]) -> Result<Script, ReadError> {
    let mut state = State::default();
    for expression in expressions {
        state.command(expression)?;
        if state.ended {
            break;
        }
    }
    Ok(Script {
        logic: state.logic,
        status: state.status,
        signature: state.reader.signature,
        constants: state.reader.constants,
        commands: state.commands,
    })
}

#[derive(Default)]
struct State {
    reader: Reader,
    logic: Option<String>,
    status: Option<String>,
    commands: Vec<Command>,
    levels: u32,
    ended: bool,
}

impl State {
    fn command(&mut self, expression: &Expression) -> Result<(), ReadError> {
        let items = expression.list("a command in parentheses")?;
        let Some((head, arguments)) = items.split_first() else { return Err(expression.expected("a command")) };
        let name = head.symbol("the name of a command")?;
        match name {
            "set-logic" => {
                let [logic] = exactly(expression, arguments, "one logic")?;
                self.logic = Some(logic.symbol("the name of a logic")?.to_owned());
            }
            "set-info" => {
                if let [key, value] = arguments
                    && key.as_symbol() == Some(":status")
                {
                    self.status = value.as_symbol().map(str::to_owned);
                }
            }
            "set-option" | "get-info" | "get-option" | "echo" => {}
            "declare-sort" => self.declare_sort(expression, arguments)?,
            "declare-datatypes" => self.declare_datatypes(expression, arguments)?,
            "declare-datatype" => {
                let [name, constructors] = exactly(expression, arguments, "a name and its constructors")?;
                self.declare_record_names(&[(name, 0)])?;
                self.constructors(name, constructors)?;
            }
            "declare-heap" | "declare-heaps" => self.declare_heap(expression, arguments)?,
            "declare-const" => {
                let [name, sort] = exactly(expression, arguments, "a name and a sort")?;
                self.reader.declare_constant(name, sort)?;
            }
            "declare-fun" => {
                let [name, parameters, sort] = exactly(expression, arguments, "a name, parameters and a sort")?;
                if !parameters.list("a list of sorts")?.is_empty() {
                    return Err(parameters.error("functions without a definition are not supported: expected `()`"));
                }
                self.reader.declare_constant(name, sort)?;
            }
            "define-fun" => self.define_macro(expression, arguments)?,
            "define-const" => {
                let [name, sort, body] = exactly(expression, arguments, "a name, a sort and a body")?;
                let definition =
                    Definition { parameters: Vec::new(), result: self.reader.sort(sort)?, body: body.clone() };
                self.reader.define(name, definition)?;
            }
            "define-fun-rec" => {
                let [name, parameters, sort, body] =
                    exactly(expression, arguments, "a name, parameters, the sort `Bool` and a body")?;
                let id = self.reader.declare_predicate(name, parameters, sort)?;
                self.reader.define_predicate(id, body)?;
            }
            "define-funs-rec" => self.define_predicates(expression, arguments)?,
            "assert" => {
                let [formula] = exactly(expression, arguments, "one formula")?;
                let formula = self.reader.formula(formula)?;
                self.commands.push(Command::Assert(formula));
            }
            "check-sat" => {
                let [] = exactly(expression, arguments, "nothing")?;
                self.commands.push(Command::CheckSat);
            }
            "get-model" => {
                let [] = exactly(expression, arguments, "nothing")?;
                self.commands.push(Command::GetModel);
            }
            "push" | "pop" => self.level(expression, name, arguments)?,
            "exit" => self.ended = true,
            "check-unsat"
            | "check-sat-assuming"
            | "get-value"
            | "get-unsat-core"
            | "get-proof"
            | "get-assignment"
            | "reset"
            | "reset-assertions"
            | "define-sort"
            | "declare-codatatypes"
            | "get-assertions" => {
                return Err(head.error(format!("the command `{name}` is not supported")));
            }
            _ => {
                return Err(head.error(format!(
                    "there is no command `{name}`: expected a declaration, a definition, `assert`, `check-sat`, …"
                )));
            }
        }
        Ok(())
    }

    fn level(&mut self, expression: &Expression, name: &str, arguments: &[Expression]) -> Result<(), ReadError> {
        let levels = match arguments {
            [] => 1,
            [Expression { kind: Kind::Numeral(digits), .. }] => digits.parse().unwrap_or(u32::MAX),
            _ => return Err(expression.error(format!("expected one number of levels for `{name}`"))),
        };
        if name == "push" {
            self.levels = self.levels.saturating_add(levels);
            if self.levels > limits::MAX_ASSERTION_LEVELS {
                return Err(expression.error("there are too many levels"));
            }
            self.commands.push(Command::Push(levels));
        } else {
            self.levels = self
                .levels
                .checked_sub(levels)
                .ok_or_else(|| expression.error("this pops more levels than were pushed"))?;
            self.commands.push(Command::Pop(levels));
        }
        Ok(())
    }

    fn declare_sort(&mut self, expression: &Expression, arguments: &[Expression]) -> Result<(), ReadError> {
        let [name, arity] = exactly(expression, arguments, "a name and the arity 0")?;
        if arity.kind != Kind::Numeral("0".to_owned()) {
            return Err(arity.expected("the arity 0"));
        }
        let symbol = name.symbol("the name of a sort")?;
        let sort = self.reader.signature.add_locations(symbol);
        self.reader.add_type(name, Type::Location(sort))
    }

    fn declare_datatypes(&mut self, expression: &Expression, arguments: &[Expression]) -> Result<(), ReadError> {
        let [names, bodies] = exactly(expression, arguments, "a list of names and a list of constructors")?;
        let names = names.list("a list such as `((Node 0))`")?;
        let bodies = bodies.list("a list of constructors for each datatype")?;
        if names.len() != bodies.len() {
            return Err(expression.error(format!("{} datatypes are named but {} defined", names.len(), bodies.len())));
        }
        let mut declared = Vec::new();
        for name in names {
            let [name, arity] =
                exactly(name, name.list("a name with the arity 0, such as `(Node 0)`")?, "a name and 0")?;
            if arity.kind != Kind::Numeral("0".to_owned()) {
                return Err(arity.expected("the arity 0"));
            }
            declared.push((name, 0));
        }
        self.declare_record_names(&declared)?;
        for ((name, _), body) in declared.iter().zip(bodies) {
            self.constructors(name, body)?;
        }
        Ok(())
    }

    fn declare_record_names(&mut self, names: &[(&Expression, u32)]) -> Result<(), ReadError> {
        for (name, _) in names {
            let symbol = name.symbol("the name of a datatype")?.to_owned();
            let record = self.reader.add_record(symbol);
            self.reader.add_type(name, Type::Record(record))?;
        }
        Ok(())
    }

    /// Reads the constructors of a datatype, of which there must be exactly one.
    fn constructors(&mut self, name: &Expression, body: &Expression) -> Result<(), ReadError> {
        let [constructor] = body.list("a list of constructors")? else {
            return Err(body.error("a datatype must be a record here: expected exactly one constructor"));
        };
        let (head, fields) = match &constructor.kind {
            Kind::Symbol(_) => (constructor, &[][..]),
            _ => match constructor.list("a constructor")?.split_first() {
                Some(split) => split,
                None => return Err(constructor.expected("a constructor")),
            },
        };
        let mut read = Vec::new();
        for field in fields {
            let [selector, sort] = exactly(field, field.list("a field such as `(next Loc)`")?, "a name and a sort")?;
            read.push((selector, self.reader.sort(sort)?, sort));
        }
        self.reader.define_record(name, head, &read)
    }

    fn declare_heap(&mut self, expression: &Expression, arguments: &[Expression]) -> Result<(), ReadError> {
        // Old files contain a single pair without parentheses around it.
        let plain = arguments.len() == 2 && arguments.iter().all(|a| a.as_symbol().is_some());
        let pairs: Vec<[&Expression; 2]> = if plain {
            vec![[&arguments[0], &arguments[1]]]
        } else {
            let pair = |a| -> Result<[&Expression; 2], ReadError> {
                let pair: &Expression = a;
                exactly(pair, pair.list("a pair such as `(Loc Node)`")?, "a sort of locations and a sort of cells")
            };
            arguments.iter().map(pair).collect::<Result<_, _>>()?
        };
        if pairs.is_empty() {
            return Err(expression.error("expected a pair such as `(Loc Node)`"));
        }
        for [location, data] in pairs {
            let Type::Location(sort) = self.reader.sort(location)? else {
                return Err(location.expected("a sort of locations that `declare-sort` declares"));
            };
            if self.reader.signature.locations(sort).cell.is_some() {
                return Err(location.error(format!("the heap at {} has a type already", location.found())));
            }
            let data_type = self.reader.sort(data)?;
            let fields = self.reader.flat_fields(data, data_type)?;
            let record = match data_type {
                Type::Record(record) => Some(self.reader.record_names(record)),
                _ => None,
            };
            let fields = fields.into_iter().map(|(name, sort)| Field { name, sort }).collect();
            self.reader.signature.set_cell(sort, Cell { record, fields });
        }
        Ok(())
    }

    fn define_macro(&mut self, expression: &Expression, arguments: &[Expression]) -> Result<(), ReadError> {
        let [name, parameters, sort, body] = exactly(expression, arguments, "a name, parameters, a sort and a body")?;
        let mut read = Vec::new();
        for parameter in parameters.list("a list of parameters")? {
            let pair = parameter.list("a parameter such as `(x Loc)`")?;
            let [name, sort] = exactly(parameter, pair, "a name and a sort")?;
            read.push((name.symbol("the name of a parameter")?.to_owned(), self.reader.sort(sort)?));
        }
        let definition = Definition { parameters: read, result: self.reader.sort(sort)?, body: body.clone() };
        self.reader.define(name, definition)
    }

    fn define_predicates(&mut self, expression: &Expression, arguments: &[Expression]) -> Result<(), ReadError> {
        let [heads, bodies] = exactly(expression, arguments, "a list of heads and a list of bodies")?;
        let heads = heads.list("a list of heads such as `((ls ((x Loc)) Bool))`")?;
        let bodies = bodies.list("a list of bodies")?;
        if heads.len() != bodies.len() {
            return Err(expression.error(format!("there are {} heads but {} bodies", heads.len(), bodies.len())));
        }
        let mut ids = Vec::new();
        for head in heads {
            let items = head.list("a head such as `(ls ((x Loc)) Bool)`")?;
            let [name, parameters, sort] = exactly(head, items, "a name, parameters and the sort `Bool`")?;
            ids.push(self.reader.declare_predicate(name, parameters, sort)?);
        }
        for (id, body) in ids.into_iter().zip(bodies) {
            self.reader.define_predicate(id, body)?;
        }
        Ok(())
    }
}

/// Returns the items if their number is as expected.
pub(super) fn exactly<'e, const N: usize>(
    whole: &Expression,
    items: &'e [Expression],
    expected: &str,
) -> Result<[&'e Expression; N], ReadError> {
    let found: Vec<&Expression> = items.iter().collect();
    <[&Expression; N]>::try_from(found).map_err(|found| {
        whole.error(format!("expected {expected} in {}, found {} of them", whole.found(), found.len()))
    })
}

/// The names in scope while a formula is read.
pub(super) type Scope<V> = FxHashMap<String, V>;
