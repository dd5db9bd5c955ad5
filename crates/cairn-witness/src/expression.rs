//! The C expressions that a witness may contain.
//!
//! An expression becomes a part of the program. It must not change what the program does, or a witness could make a wrong
//! program provable: no assignments, no calls, and nothing that ends an execution silently.

use crate::scan::{Lines, Scan};

/// Words in the parentheses of a cast or of `sizeof`.
const TYPE_WORDS: [&str; 13] = [
    "int", "char", "short", "long", "unsigned", "signed", "const", "volatile", "struct", "_Bool", "float", "double",
    "*",
];

/// Returns an expression on one line.
///
/// # Errors
/// If the expression may have an effect. The message says why.
pub(crate) fn pure(text: &str) -> Result<String, String> {
    let line = text.replace(['\n', '\r'], " ");
    let refuse = |why: &str| Err(format!("`{}` {why}", line.trim()));
    let scan = Scan::new(&line, Lines::Physical, "");
    if scan.tokens.is_empty() {
        return refuse("is no expression");
    }
    if ["/*", "//", "++", "--", "\"", "'"].iter().any(|part| line.contains(part)) || line.trim_start().starts_with('#')
    {
        return refuse("is not allowed in a witness");
    }
    let mut brackets = Vec::new();
    for index in 0..scan.tokens.len() {
        let word = scan.word(index);
        let next = scan.word(index + 1);
        let touches =
            |index: usize| scan.tokens.get(index + 1).is_some_and(|next| next.start == scan.tokens[index].end);
        match word {
            ";" | "{" | "}" | "#" | "\\" | "@" | "`" => return refuse("is no expression"),
            "(" | "[" => brackets.push(index),
            ")" | "]" => {
                let Some(open) = brackets.pop() else { return refuse("has unbalanced brackets") };
                if (scan.word(open) == "(") != (word == ")") {
                    return refuse("has unbalanced brackets");
                }
                let is_type =
                    (open + 1..index).all(|at| TYPE_WORDS.contains(&scan.word(at)) || scan.word(open + 1) == "struct");
                if word == ")" && next == "(" && !is_type {
                    return refuse("calls a function");
                }
            }
            "=" => {
                let before = index > 0 && touches(index - 1) && matches!(scan.word(index - 1), "=" | "<" | ">" | "!");
                // `<<=` and `>>=` are assignments.
                let shift = index > 1
                    && touches(index - 2)
                    && scan.word(index - 2) == scan.word(index - 1)
                    && matches!(scan.word(index - 1), "<" | ">");
                let after = touches(index) && next == "=";
                let is_comparison = (before && !shift) || after;
                if !is_comparison {
                    return refuse("assigns");
                }
            }
            // A division by zero ends an execution.
            "/" | "%" if next.parse::<u64>().ok().is_none_or(|number| number == 0) => {
                return refuse("divides by something other than a number");
            }
            "asm" | "__asm__" | "__extension__" => return refuse("is not allowed in a witness"),
            _ if word.starts_with("cairn_") || word.starts_with("__cairn") => return refuse("uses a reserved name"),
            _ if word.starts_with(|c: char| c.is_alphabetic() || c == '_') && next == "(" && word != "sizeof" => {
                return refuse("calls a function");
            }
            _ => {}
        }
    }
    if brackets.is_empty() { Ok(line.trim().to_owned()) } else { refuse("has unbalanced brackets") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_without_effect_are_kept() {
        for text in [
            "x >= 0 && y != 3",
            "p == (struct node *)0",
            "(unsigned)(x + 1) <= 4U",
            "a[i]->next == &b",
            "x / 2 == 1",
            "1 <= n\n&& n <= 2",
            "x<<2 >= y",
            "(x)",
        ] {
            assert!(pure(text).is_ok(), "{text}: {:?}", pure(text));
        }
    }

    #[test]
    fn expressions_with_an_effect_are_refused() {
        for text in [
            "x = 1",
            "x += 1",
            "x <<= 1",
            "x++",
            "f()",
            "(f)(x)",
            "(*f)(x)",
            "1; exit(0)",
            "1)) exit(0); ((1",
            "({ x = 1; 1; })",
            "1 / 0",
            "1 % y",
            "1 /* ) */",
            "a]",
            "",
            "cairn_witness_segment == 1",
            "asm(\"\")",
            "# define x 1",
        ] {
            assert!(pure(text).is_err(), "{text}");
        }
    }
}
