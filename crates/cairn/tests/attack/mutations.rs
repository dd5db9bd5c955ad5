//! Mutations: small mistakes in a program, one line each.
//!
//! A mutant need not have a fault. Executions decide.

use super::random::Random;
use super::structures::Generated;

/// A program with a mistake.
pub struct Mutant {
    /// The mistake: "drop line 12".
    pub name: String,
    /// The text after the prelude.
    pub body: String,
}

/// Returns up to `count` different mutants of a program.
pub fn mutants(program: &Generated, seed: u64, count: usize) -> Vec<Mutant> {
    let mut random = Random::new(seed ^ 0x5bd1_e995);
    let lines: Vec<&str> = program.body.lines().collect();
    let mut all = Vec::new();
    for index in 0..lines.len() {
        of_line(&lines, index, program, &mut |what, text| all.push((index, what, text)));
        swap(&lines, index, &mut |text| all.push((index, "swap", text)));
    }
    let mut chosen = Vec::new();
    while chosen.len() < count && !all.is_empty() {
        // The kind of mistake is chosen first: some kinds have many more places than others.
        let mut kinds: Vec<&str> = all.iter().map(|mutant| mutant.1).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let kind = random.one(&kinds);
        let places: Vec<usize> = (0..all.len()).filter(|&index| all[index].1 == kind).collect();
        let (index, what, text) = all.swap_remove(places[random.below(places.len() as u64) as usize]);
        let mut body = String::new();
        // A swap replaces two lines.
        let end = if what == "swap" { index + 2 } else { index + 1 };
        for (at, line) in lines.iter().enumerate().filter(|&(at, _)| at <= index || at >= end) {
            body += if at == index { &text } else { line };
            body.push('\n');
        }
        chosen.push(Mutant { name: format!("{what}: {}", lines[index].trim()), body });
    }
    chosen
}

/// Calls `each` with a line and the next one in the other order, if both are statements of one block.
fn swap(lines: &[&str], index: usize, each: &mut dyn FnMut(String)) {
    let (line, Some(next)) = (lines[index], lines.get(index + 1)) else { return };
    let pad = |line: &str| line.len() - line.trim_start().len();
    let is_statement = |line: &str| {
        let words = ["if ", "while ", "for ", "else", "return", "struct ", "int ", "char "];
        line.ends_with(';') && !words.iter().any(|word| line.trim_start().starts_with(word))
    };
    if pad(line) == pad(next) && pad(line) > 0 && is_statement(line) && is_statement(next) && line != *next {
        each(format!("{next}\n{line}"));
    }
}

/// Calls `each` with the mutations of one line.
fn of_line(lines: &[&str], index: usize, program: &Generated, each: &mut dyn FnMut(&'static str, String)) {
    let line = lines[index];
    let text = line.trim();
    let pad = &line[..line.len() - text.len()];
    if pad.is_empty() {
        return;
    }
    let is_control = ["if ", "while ", "for ", "else", "return", "}", "do "].iter().any(|word| text.starts_with(word));
    let is_statement = text.ends_with(';') && !is_control;
    let declares =
        is_statement && (text.starts_with("struct ") || text.starts_with("int ") || text.starts_with("char "));
    if is_statement && !declares && text != ";" {
        each("drop", format!("{pad};"));
        each("drop sometimes", format!("{pad}if (nb()) {text}"));
    }
    if is_statement && let Some(freed) = text.strip_prefix("free(").and_then(|rest| rest.strip_suffix(");")) {
        each("free twice", format!("{pad}{{ free({freed}); if (nb()) free({freed}); }}"));
        if freed.chars().all(char::is_alphanumeric) {
            for link in program.links.iter().filter(|_| freed == "x" || freed == "p") {
                each("use after free", format!("{pad}{{ free({freed}); if (nb()) {freed}->{link} = 0; }}"));
            }
        }
    }
    if is_statement && let Some(at) = text.find("= malloc(") {
        let (target, call) = (&text[..at], &text[at + 2..text.len() - 1]);
        let name = target.trim().rsplit([' ', '*']).next().unwrap_or_default();
        each("share", format!("{pad}{target}= kept && nb() ? kept : {call}; kept = {name};"));
        each("allocate twice", format!("{pad}{target}= {call}; if (nb()) {name} = {call};"));
    }
    if let Some(condition) = condition(text, "if (") {
        let rest = &text[condition.len() + 5..];
        for with in ["1", "0"] {
            each("fixed condition", format!("{pad}if ({with}){rest}"));
        }
        each("weak condition", format!("{pad}if (nb() && ({condition})){rest}"));
    }
    if let Some(condition) = condition(text, "while (") {
        let rest = &text[condition.len() + 8..];
        each("stop early", format!("{pad}while (({condition}) && nb()){rest}"));
        each("once", format!("{pad}if ({condition}){rest}"));
    }
    for (from, to) in [
        (" < ", " <= "),
        (" == ", " != "),
        (" != ", " == "),
        (" + 1", ""),
        (" - 1", ""),
        (" >= ", " > "),
        (" > ", " >= "),
    ] {
        if let Some(at) = text.find(from) {
            each("compare", format!("{pad}{}{to}{}", &text[..at], &text[at + from.len()..]));
        }
    }
    for from in program.links {
        for to in program.links.iter().filter(|to| *to != from) {
            for (at, found) in text.match_indices(&format!("->{from}")) {
                let after = &text[at + found.len()..];
                if !after.starts_with(char::is_alphanumeric) {
                    each("wrong field", format!("{pad}{}->{to}{after}", &text[..at]));
                }
            }
        }
    }
    for (from, to) in other_variables(lines, index) {
        for (at, _) in text.match_indices(from.as_str()) {
            let is_name = |c: char| c.is_alphanumeric() || c == '_';
            let before = text[..at].chars().next_back();
            let after = text[at + from.len()..].chars().next();
            let is_whole = !before.is_some_and(|c| is_name(c) || c == '>' || c == '.') && !after.is_some_and(is_name);
            if is_whole && !text.starts_with("struct ") {
                each("wrong variable", format!("{pad}{}{to}{}", &text[..at], &text[at + from.len()..]));
            }
        }
    }
    if is_statement && !declares && index + 1 < lines.len() {
        each("exit early", format!("{pad}{{ if (nb()) exit(0); {text} }}"));
    }
}

/// Returns the condition of a line that begins with a keyword: everything up to the matching parenthesis.
fn condition<'a>(text: &'a str, keyword: &str) -> Option<&'a str> {
    let rest = text.strip_prefix(keyword)?;
    let mut depth = 1;
    for (at, c) in rest.char_indices() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if depth == 0 {
            return Some(&rest[..at]);
        }
    }
    None
}

/// Returns pairs of variables of the same pointer type that are declared in the function around a line.
fn other_variables(lines: &[&str], index: usize) -> Vec<(String, String)> {
    let start = (0..=index).rev().find(|&at| !lines[at].starts_with([' ', '}'])).unwrap_or(0);
    let mut found: Vec<(String, String)> = Vec::new();
    for line in &lines[start..=index] {
        for (at, _) in line.match_indices("struct ") {
            let mut words = line[at + 7..].split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '*'));
            let (Some(kind), Some(name)) = (words.next(), words.next()) else { continue };
            if let Some(name) = name.strip_prefix('*').filter(|name| !name.is_empty() && !name.starts_with('*')) {
                found.push((kind.to_owned(), name.to_owned()));
            }
        }
    }
    let mut pairs = Vec::new();
    for (kind, name) in &found {
        for (other_kind, other) in &found {
            if kind == other_kind && name != other {
                pairs.push((name.clone(), other.clone()));
            }
        }
    }
    pairs
}
