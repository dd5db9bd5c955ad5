//! The table `[functions]`: what functions of the project do with memory.
//!
//! An entry that says what a function returns or frees becomes a model, which all engines follow. Ownership without a model (`takes`,
//! `borrows`) is a stated contract, like that of a comment.

use std::collections::BTreeMap;
use std::fmt;

use cairn_contract::stated::{Stated, Statement};
use cairn_frontend::library::described::{self, Contents, Described, Failure, MAX_PARAMETER, Outcome};
use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// The described functions, by name.
pub(crate) type Functions = BTreeMap<String, Function>;

/// The description of a function.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct Function {
    returns: Option<Returns>,
    size: Option<Size>,
    #[serde(alias = "may_fail")]
    may_fail: Option<bool>,
    contents: Option<ContentsName>,
    frees: Parameters,
    takes: Parameters,
    borrows: Parameters,
    replace: bool,
}

/// What a call returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Returns {
    Owned,
    Never,
}

/// The bytes of new memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ContentsName {
    Uninitialised,
    Zero,
    Any,
}

/// A sum of products of numbers and parameters: `$1 * $2 + 16`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
struct Size(String);

/// Parameters, numbered from 1: `"$1"` or `["$1", "$3"]`.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
struct Parameters(Vec<String>);

impl Function {
    /// Checks an entry. The error is a message.
    pub(crate) fn check(&self, name: &str) -> Result<(), String> {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) || !name.chars().all(is_word) {
            return Err(format!("`{name}` is no name of a function"));
        }
        if cairn_frontend::library::is_modelled(name) {
            return Err(format!("`{name}` is a function of the C library, which cairn knows"));
        }
        let of_memory = [
            ("size", self.size.is_some()),
            ("may-fail", self.may_fail.is_some()),
            ("contents", self.contents.is_some()),
        ];
        if self.returns != Some(Returns::Owned)
            && let Some((key, _)) = of_memory.iter().find(|(_, is_given)| *is_given)
        {
            return Err(format!("`{key}` of `{name}` needs `returns = \"owned\"`"));
        }
        let is_stated = !self.takes.0.is_empty() || !self.borrows.0.is_empty();
        match self.described(name) {
            None if !is_stated => Err(format!("the entry of `{name}` says nothing about the function")),
            None if self.replace => Err(format!("`replace` of `{name}` needs `returns` or `frees`")),
            Some(_) if is_stated => {
                Err(format!("`takes` and `borrows` of `{name}` have no effect together with `returns` or `frees`"))
            }
            _ => match self.takes.0.iter().find(|one| self.borrows.0.contains(one)) {
                Some(both) => Err(format!("`{name}` cannot both take and borrow `{both}`")),
                None => Ok(()),
            },
        }
    }

    /// Returns the description for the front-end, if the entry says what the function returns or frees.
    fn described(&self, name: &str) -> Option<Described> {
        let result = match self.returns {
            None if self.frees.0.is_empty() => return None,
            None => Outcome::Any,
            Some(Returns::Never) => Outcome::Never,
            Some(Returns::Owned) => Outcome::Owned {
                size: self.size.as_ref().and_then(|size| size.0.parse().ok()),
                failure: match self.may_fail {
                    None => Failure::AsMalloc,
                    Some(true) => Failure::Possible,
                    Some(false) => Failure::Impossible,
                },
                contents: match self.contents {
                    None | Some(ContentsName::Uninitialised) => Contents::Uninitialised,
                    Some(ContentsName::Zero) => Contents::Zero,
                    Some(ContentsName::Any) => Contents::Any,
                },
            },
        };
        let frees = self.frees.0.iter().filter_map(|text| number(text)).collect();
        Some(Described { name: name.to_owned(), result, frees, replaces: self.replace })
    }

    /// Returns the statements about ownership, with the numbers of parameters as their names.
    fn stated(&self) -> Option<Stated> {
        let takes = self.takes.0.iter().map(|name| Statement::Takes(name.clone()));
        let borrows = self.borrows.0.iter().map(|name| Statement::Borrows(name.clone()));
        let statements: Vec<(Statement, u32)> = takes.chain(borrows).map(|statement| (statement, 1)).collect();
        let named = self.takes.0.iter().chain(&self.borrows.0).filter_map(|text| number(text));
        let parameters = (1..=named.max()?).map(|number| format!("${number}")).collect();
        Some(Stated { parameters, statements, file: super::NAME.to_owned() })
    }
}

/// Returns the functions that become models.
pub(crate) fn described(functions: &Functions) -> Vec<Described> {
    functions.iter().filter_map(|(name, function)| function.described(name)).collect()
}

/// Returns the functions whose ownership is stated.
pub(crate) fn stated(functions: &Functions) -> impl Iterator<Item = (&String, Stated)> {
    functions.iter().filter_map(|(name, function)| Some((name, function.stated()?)))
}

/// Returns the number of a parameter such as `$1`.
fn number(text: &str) -> Option<usize> {
    let number = text.strip_prefix('$').filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
    number.parse().ok().filter(|number| (1..=MAX_PARAMETER).contains(number))
}

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl Visitor<'_> for Reader {
            type Value = Size;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a size such as \"$1\", \"$1 * $2 + 16\" or 64")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Size, E> {
                match text.parse::<described::Size>() {
                    Ok(_) => Ok(Size(text.to_owned())),
                    Err(_) => Err(E::invalid_value(de::Unexpected::Str(text), &self)),
                }
            }
            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Size, E> {
                self.visit_str(&number.to_string())
            }
            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Size, E> {
                self.visit_str(&number.to_string())
            }
        }
        deserializer.deserialize_any(Reader)
    }
}

impl<'de> Deserialize<'de> for Parameters {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Parameters;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a parameter such as \"$1\", or a list of parameters")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Parameters, E> {
                match number(text) {
                    Some(number) => Ok(Parameters(vec![format!("${number}")])),
                    None => Err(E::invalid_value(de::Unexpected::Str(text), &self)),
                }
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Parameters, A::Error> {
                let mut all = Parameters::default();
                while let Some(Parameters(mut one)) = seq.next_element()? {
                    all.0.append(&mut one);
                }
                Ok(all)
            }
        }
        deserializer.deserialize_any(Reader)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Settings;

    fn error(entry: &str) -> String {
        let (line, message) =
            Settings::parse(&format!("[functions]\n# f\nf = {{ {entry} }}\n")).expect_err("this is wrong");
        format!("{line}: {message}")
    }

    #[test]
    fn mistakes_in_entries_are_shown_with_their_line() {
        assert_eq!(error("retruns = 'owned'"), "3: unknown key `retruns`; did you mean `returns`?");
        assert_eq!(
            error("returns = 'ownd'"),
            "3: unknown variant `ownd`, expected `owned` or `never`; did you mean `owned`?"
        );
        assert_eq!(error("returns = 'owned', size = '$0'"), sized("string \"$0\""));
        assert_eq!(error("returns = 'owned', size = '$1 - 1'"), sized("string \"$1 - 1\""));
        assert_eq!(error("returns = 'owned', size = -1"), sized("string \"-1\""));
        assert!(error("frees = 1").starts_with("3: invalid type: integer `1`, expected a parameter such as \"$1\""));
        assert!(error("frees = ['$1', '2']").starts_with("3: invalid value: string \"2\", expected a parameter"));
        assert!(error("may-fail = 'no'").starts_with("3: invalid type: string \"no\", expected a boolean"));
        assert_eq!(error("size = '$1'"), "3: `size` of `f` needs `returns = \"owned\"`");
        assert_eq!(error(""), "3: the entry of `f` says nothing about the function");
        assert_eq!(error("takes = '$1', replace = true"), "3: `replace` of `f` needs `returns` or `frees`");
        assert_eq!(error("takes = '$1', borrows = '$1'"), "3: `f` cannot both take and borrow `$1`");
        let (line, message) =
            Settings::parse("[functions]\nmalloc = { returns = 'owned' }\n").expect_err("this is wrong");
        assert_eq!((line, message.as_str()), (2, "`malloc` is a function of the C library, which cairn knows"));
    }

    fn sized(found: &str) -> String {
        format!("3: invalid value: {found}, expected a size such as \"$1\", \"$1 * $2 + 16\" or 64")
    }
}
