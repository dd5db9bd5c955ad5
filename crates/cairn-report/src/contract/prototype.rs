//! The declarations of functions, as the source has them.

use cairn_contract::contract::Contract;

use crate::Texts;

/// Returns the declaration of a function without the semicolon; `None` if the text is not at hand.
///
/// The source has the names of types that the contract does not: `size_t`, and names of structs without a tag.
pub(super) fn prototype(contract: &Contract, texts: Texts<'_>) -> Option<String> {
    let text = (texts.read)(&contract.file)?;
    let lines: Vec<&str> = text.lines().collect();
    let index = (contract.line as usize).checked_sub(1)?;
    let line = lines.get(index)?;
    let name = word_position(line, &contract.function)?;
    let mut head = String::new();
    // The result type may be on the lines above.
    let before = line[..name].trim();
    if before.is_empty() {
        let above = lines.get(index.checked_sub(1)?)?.trim();
        if above.ends_with([';', '}', '/']) || above.starts_with('#') {
            return None;
        }
        head.push_str(above);
        head.push(' ');
    } else {
        head.push_str(before);
        if !before.ends_with('*') {
            head.push(' ');
        }
    }
    let mut rest = line[name..].to_owned();
    let mut next = index + 1;
    while !rest.contains('{') && next < lines.len() && next < index + 12 {
        rest.push(' ');
        rest.push_str(lines[next].trim());
        next += 1;
    }
    let rest = rest.split('{').next()?.trim_end();
    let is_plain = rest.ends_with(')') && !rest.contains(';') && !rest.contains("/*") && !rest.contains("//");
    is_plain.then(|| format!("{head}{}", rest.split_whitespace().collect::<Vec<_>>().join(" ")))
}

/// Returns the position of a whole word in a line.
fn word_position(line: &str, word: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).map(|(at, _)| at).find(|&at| {
        !line[..at].chars().next_back().is_some_and(is_part)
            && !line[at + word.len()..].chars().next().is_some_and(is_part)
    })
}
