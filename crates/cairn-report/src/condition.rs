//! The source text of a condition. A branch of the IR has only the location where the tested operand begins; the source line
//! tells where it ends.

use cairn_interpret::trace::{TraceKind, TraceStep};
use cairn_ir::{Loc, Program};

use crate::Texts;
use crate::limits::SHOWN_CONDITION;

/// Returns the description of a step, with the condition of a branch as in the source.
pub(crate) fn said(step: &TraceStep, program: &Program, texts: Texts<'_>) -> String {
    if step.kind == TraceKind::Branch
        && let Some(value) = step.what.strip_prefix("condition is ")
        && let Some(text) = condition(step.place.loc, program.file_name(step.place.loc), texts)
    {
        return format!("`{text}` is {value}");
    }
    step.what.clone()
}

/// Returns the operand that begins at a location.
///
/// Columns are those of the preprocessed text, which may have several pieces of one line. Their operands must agree, or one of
/// them must be in the user's line.
fn condition(loc: Loc, file: &str, texts: Texts<'_>) -> Option<String> {
    let column = loc.column.checked_sub(1)? as usize;
    let pieces = texts.sources.map_or_else(Vec::new, |sources| sources.pieces_of_line(file, loc.line));
    let found: Vec<String> = pieces.iter().filter_map(|piece| operand(piece.get(column..)?)).collect();
    if let Some(first) = found.first()
        && found.iter().all(|other| other == first)
    {
        return Some(first.clone());
    }
    let text = (texts.read)(file)?;
    let written = operand(text.split('\n').nth(loc.line.checked_sub(1)? as usize)?.get(column..)?)?;
    (pieces.is_empty() || found.contains(&written)).then_some(written)
}

/// Returns the operand of a logical operator, or the whole condition, at the start of a text.
fn operand(text: &str) -> Option<String> {
    let mut depth = 0usize;
    let mut quote = None;
    let mut end = None;
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match (quote, byte) {
            (Some(_), b'\\') => {
                bytes.next();
            }
            (Some(open), _) => quote = quote.filter(|_| byte != open),
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'(' | b'[' | b'{') => depth += 1,
            (None, b')' | b']' | b'}' | b';' | b',' | b'?' | b':') if depth == 0 => {
                end = Some(at);
                break;
            }
            (None, b'&' | b'|') if depth == 0 && text.as_bytes().get(at + 1) == Some(&byte) && at > 0 => {
                end = Some(at);
                break;
            }
            (None, b')' | b']' | b'}') => depth -= 1,
            _ => {}
        }
    }
    // A condition that continues in the next line is cut.
    let whole = text[..end.unwrap_or(text.len())].trim();
    let whole = without_parentheses(whole);
    if whole.is_empty() || whole.starts_with(|c: char| !(c.is_alphanumeric() || "_(*!~-+&\"'$".contains(c))) {
        return None;
    }
    let mut shown: String = whole.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut = shown.chars().count() > SHOWN_CONDITION;
    if cut {
        shown = shown.chars().take(SHOWN_CONDITION).collect();
    }
    if cut || end.is_none() {
        shown.push_str(" …");
    }
    Some(shown)
}

/// Removes parentheses that enclose a whole text.
fn without_parentheses(text: &str) -> &str {
    let mut text = text;
    while let Some(inside) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        let mut depth = 0i32;
        let closed_early = inside.bytes().any(|byte| {
            depth += i32::from(byte == b'(') - i32::from(byte == b')');
            depth < 0
        });
        if closed_early {
            break;
        }
        text = inside.trim();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::operand;

    #[test]
    fn an_operand_ends_where_the_condition_or_the_operator_does() {
        let texts = [
            ("(a + b) > 3) a++;", "(a + b) > 3"),
            ("(a > 2)) b++;", "a > 2"),
            ("(c = next()) != 0 && (a < 5", "(c = next()) != 0"),
            ("a & 1 || b", "a & 1"),
            ("&x == p)", "&x == p"),
            ("strcmp(s, \");\") == ')' ? 1", "strcmp(s, \");\") == ')'"),
            ("step < 20; step++)", "step < 20"),
            ("a ==", "a == …"),
            ("((b) > 0))", "(b) > 0"),
        ];
        for (text, expected) in texts {
            assert_eq!(operand(text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(operand("; x"), None);
        assert_eq!(operand("]é"), None);
        assert_eq!(operand(""), None);
    }
}
