//! Reads statements from the comments of a source text.

use super::{Stated, Statement, Statements};

/// A comment that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mistake {
    /// Its line.
    pub line: u32,
    /// What is wrong.
    pub message: String,
}

/// Reads the statements of a source text and adds them.
///
/// A statement stands in a comment that begins with `cairn:`, on the lines right above a declaration or definition of a function.
pub fn read(file: &str, text: &str, all: &mut Statements) -> Vec<Mistake> {
    let lines: Vec<&str> = text.lines().collect();
    let mut mistakes = Vec::new();
    let mut waiting: Vec<(Statement, u32)> = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let number = index as u32 + 1;
        if let Some(words) = statement_text(line) {
            for part in words.split(';').map(str::trim).filter(|part| !part.is_empty()) {
                match statement(part) {
                    Some(found) => waiting.push((found, number)),
                    None => mistakes.push(Mistake { line: number, message: format!("unknown statement `{part}`") }),
                }
            }
            continue;
        }
        let is_comment = ["//", "/*", "*"].iter().any(|start| line.trim_start().starts_with(start));
        if waiting.is_empty() || is_comment {
            continue;
        }
        let statements = std::mem::take(&mut waiting);
        match declaration(&lines[index..]) {
            Some((name, parameters)) => {
                let unknown = statements.iter().find_map(|(one, line)| {
                    let name = parameter_of(one).filter(|name| !parameters.contains(name))?;
                    Some(Mistake { line: *line, message: format!("no parameter is named `{name}`") })
                });
                mistakes.extend(unknown);
                let stated = all.entry(name).or_insert_with(|| Stated { file: file.to_owned(), ..Stated::default() });
                stated.parameters = parameters;
                stated.statements.extend(statements);
            }
            None => {
                mistakes.push(Mistake { line: number, message: "no function is declared below the comment".to_owned() })
            }
        }
    }
    mistakes.extend(
        waiting
            .first()
            .map(|(_, line)| Mistake { line: *line, message: "no function is declared below the comment".to_owned() }),
    );
    mistakes
}

/// Returns the text behind `cairn:` of a line that is a comment with it. Comments that accept findings have other words.
fn statement_text(line: &str) -> Option<&str> {
    let line = line.trim();
    let inner = line.strip_prefix("//").or_else(|| Some(line.strip_prefix("/*")?.trim_end_matches("*/")))?;
    let words = inner.trim().strip_prefix("cairn:")?.trim();
    let first = words.split_whitespace().next()?;
    ["takes", "borrows", "allows", "returns", "never"].contains(&first).then_some(words)
}

fn statement(text: &str) -> Option<Statement> {
    let words: Vec<&str> = text.split_whitespace().collect();
    Some(match words.as_slice() {
        ["takes", name] => Statement::Takes((*name).to_owned()),
        ["borrows", name] => Statement::Borrows((*name).to_owned()),
        ["allows", "null", name] => Statement::AllowsNull((*name).to_owned()),
        ["returns", "new"] => Statement::ReturnsNew,
        ["returns", "not", "null"] => Statement::ReturnsNotNull,
        ["never", "returns"] => Statement::NeverReturns,
        _ => return None,
    })
}

fn parameter_of(statement: &Statement) -> Option<&String> {
    match statement {
        Statement::Takes(name) | Statement::Borrows(name) | Statement::AllowsNull(name) => Some(name),
        _ => None,
    }
}

/// Returns the name of the function that is declared on the first lines, and the names of its parameters.
fn declaration(lines: &[&str]) -> Option<(String, Vec<String>)> {
    let mut text = String::new();
    for line in lines.iter().take(12) {
        text.push_str(line);
        text.push(' ');
        if line.contains([';', '{']) {
            break;
        }
    }
    let open = text.find('(')?;
    let name = last_word(&text[..open])?;
    let mut depth = 0;
    let mut parameters = vec![String::new()];
    for c in text[open..].chars() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 1 => parameters.push(String::new()),
            _ => {}
        }
        if depth == 0 {
            break;
        }
        if let Some(last) = parameters.last_mut() {
            last.push(c);
        }
    }
    let names = parameters.iter().map(|one| {
        // A pointer to a function has its name in parentheses.
        let one = one.trim_start_matches('(');
        let one = one.split(")(").next().unwrap_or(one).split(") (").next().unwrap_or(one);
        last_word(one.split('[').next().unwrap_or(one)).unwrap_or_default()
    });
    Some((name, names.collect()))
}

/// Returns the identifier at the end of a text.
fn last_word(text: &str) -> Option<String> {
    let text = text.trim_end();
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let start = text.rfind(|c: char| !is_part(c)).map_or(0, |at| at + 1);
    let word = &text[start..];
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_').then(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_belong_to_the_declaration_below() {
        let mut all = Statements::new();
        let text = "int x;\n// cairn: takes item; returns new\n// A word about it.\nstruct list *\nlist_add(struct list *list,\n    struct item *item, int (*less)(int, int), char text[4]);\n";
        assert_eq!(read("l.h", text, &mut all), []);
        let stated = &all["list_add"];
        assert_eq!(stated.parameters, ["list", "item", "less", "text"]);
        assert_eq!(stated.statements, [(Statement::Takes("item".to_owned()), 2), (Statement::ReturnsNew, 2)]);
        assert_eq!((stated.takes(1), stated.takes(0)), (Some(true), None));
    }

    #[test]
    fn mistakes_are_reported() {
        let mut all = Statements::new();
        let mistakes = read(
            "l.h",
            "/* cairn: takes it */\nvoid f(int *p);\n// cairn: returns gold\n// cairn: never returns\n",
            &mut all,
        );
        let lines: Vec<(u32, &str)> = mistakes.iter().map(|mistake| (mistake.line, mistake.message.as_str())).collect();
        assert_eq!(
            lines,
            [
                (1, "no parameter is named `it`"),
                (3, "unknown statement `returns gold`"),
                (4, "no function is declared below the comment")
            ]
        );
    }
}
