//! Expands texts that need no preprocessor: their only directives define names for constants.
//!
//! Starting a compiler to preprocess such a text usually takes longer than the rest of the compilation. Everything that
//! a compiler could interpret differently is left to it: other directives, names that it may predefine, continued
//! lines, and alternative spellings of characters. The result has the same lines as the original.

use crate::limits::{MAX_EXPANDED_TEXT, MAX_EXPANSIONS, MAX_MACROS};

/// Names in the user's name space that some compilers predefine.
const PREDEFINED: &[&str] =
    &["arm", "hppa", "hpux", "i386", "linux", "m68k", "mips", "PPC", "riscv", "sgi", "sparc", "sun", "unix", "vax"];

/// Prefixes of literals, and names with a special meaning in directives.
const SPECIAL: &[&str] = &["L", "U", "u", "u8", "defined"];

const ATTRIBUTE: &str = "__attribute__";

/// Expands the definitions in a text; returns `None` if this needs a real preprocessor.
pub fn without_preprocessor(text: &str) -> Option<String> {
    let odd = ["??", "%:", "\\\n", "\\\r", "\u{feff}"];
    if odd.into_iter().any(|odd| text.contains(odd)) {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut macros = Vec::new();
    let mut expansion = Expansion::default();
    let mut rest = text;
    while !rest.is_empty() {
        let line_start = out.ends_with('\n') || out.is_empty();
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        if let Some(directive) = rest[blanks..].strip_prefix('#').filter(|_| line_start) {
            let end = directive.find('\n').unwrap_or(directive.len());
            if macros.len() >= MAX_MACROS {
                return None;
            }
            macros.push(definition(&directive[..end], &macros)?);
            rest = &directive[end..];
            // Keep the line, but empty.
            out.push_str(&rest[..rest.len().min(1)]);
            rest = &rest[rest.len().min(1)..];
            continue;
        }
        rest = token(rest, &macros, &mut expansion, &mut out)?;
    }
    Some(out)
}

/// The expansions of a text. Texts that go beyond the limits are left to the compiler.
#[derive(Default)]
struct Expansion<'t> {
    /// The macros under expansion, which are not expanded again inside their own replacement.
    hidden: Vec<&'t str>,
    /// The number of expansions so far.
    count: u32,
}

/// The name and the replacement text of an object-like macro.
type Macro<'t> = (&'t str, &'t str);

/// Parses `define NAME TOKENS`, without the `#`.
fn definition<'t>(line: &'t str, known: &[Macro<'t>]) -> Option<Macro<'t>> {
    let line = line.trim().strip_prefix("define")?;
    let name = line.trim_start();
    let end = name.find(|c: char| !is_word(c)).unwrap_or(name.len());
    let (name, tokens) = name.split_at(end);
    let comment = tokens.contains("/*") || tokens.contains("//");
    let spaced = tokens.is_empty() || tokens.starts_with([' ', '\t']);
    let fine = line.starts_with([' ', '\t'])
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && spaced
        && !comment
        && !tokens.contains('#')
        && !SPECIAL.contains(&name)
        && !known.iter().any(|(other, _)| *other == name);
    fine.then(|| (name, tokens.trim()))
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Copies the first token or white space of the text, expanded, to `out`, and returns the remaining text.
fn token<'t>(text: &'t str, macros: &[Macro<'t>], state: &mut Expansion<'t>, out: &mut String) -> Option<&'t str> {
    let first = text.chars().next()?;
    let length = match first {
        '/' if text.starts_with("/*") => text[2..].find("*/")? + 4,
        '/' if text.starts_with("//") => text.find('\n').unwrap_or(text.len()),
        '"' | '\'' => literal(text, first)?,
        '0'..='9' => number(text),
        '.' if text[1..].starts_with(|c: char| c.is_ascii_digit()) => number(text),
        // No compiler defines this keyword as a macro.
        '_' if text.strip_prefix(ATTRIBUTE).is_some_and(|rest| !rest.starts_with(is_word)) => ATTRIBUTE.len(),
        '_' | '$' | '#' | '\\' => return None,
        'a'..='z' | 'A'..='Z' => {
            let end = text.find(|c: char| !is_word(c)).unwrap_or(text.len());
            let (word, rest) = text.split_at(end);
            if PREDEFINED.contains(&word) || rest.starts_with(|c: char| c == '$' || !c.is_ascii()) {
                return None;
            }
            match macros.iter().find(|(name, _)| *name == word && !state.hidden.contains(name)) {
                Some(&(name, tokens)) => {
                    state.count += 1;
                    if state.count > MAX_EXPANSIONS || out.len() > MAX_EXPANDED_TEXT {
                        return None;
                    }
                    state.hidden.push(name);
                    replaced(tokens, rest, macros, state, out)?;
                    state.hidden.pop();
                }
                None => out.push_str(word),
            }
            return Some(rest);
        }
        _ if first.is_ascii() => 1,
        _ => return None,
    };
    let (copied, rest) = text.split_at(length);
    out.push_str(copied);
    Some(rest)
}

/// Expands a macro and separates the result from the neighbouring tokens.
fn replaced<'t>(
    tokens: &'t str,
    behind: &str,
    macros: &[Macro<'t>],
    state: &mut Expansion<'t>,
    out: &mut String,
) -> Option<()> {
    let open = |c: char| c.is_whitespace() || "([{,;".contains(c);
    if !out.is_empty() && !out.ends_with(open) {
        out.push(' ');
    }
    let mut rest = tokens;
    while !rest.is_empty() {
        rest = token(rest, macros, state, out)?;
    }
    if !behind.starts_with(|c: char| c.is_whitespace() || ")]},;".contains(c)) {
        out.push(' ');
    }
    Some(())
}

/// Returns the length of the literal delimited by `quote`.
fn literal(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' => return None,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// Returns the length of a preprocessing number.
fn number(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let sign = matches!(bytes[at], b'+' | b'-') && at > 0 && matches!(bytes[at - 1], b'e' | b'E' | b'p' | b'P');
        if !sign && !bytes[at].is_ascii_alphanumeric() && !matches!(bytes[at], b'_' | b'.') {
            break;
        }
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::without_preprocessor;

    #[test]
    fn constant_definitions_are_expanded() {
        let text = "#define NULL ((void *)0)\n#define SIZE  4 /\n#define NEG -1\n#define EMPTY\n  # define AGAIN SIZE + AGAIN\nint a[SIZE];\n\
                    int *p = NULL; // NULL\nchar *s = \"NULL\\\"NULL\", c = 'N'; /* NULL\n# not a line */\nint x = 1-NEG, y = 0xNULL, z EMPTY;\n";
        let got = without_preprocessor(text).expect("no preprocessor is needed");
        let expected = "\n\n\n\n\nint a[4 /];\n\
                        int *p = ((void *)0); // NULL\nchar *s = \"NULL\\\"NULL\", c = 'N'; /* NULL\n# not a line */\nint x = 1- -1, y = 0xNULL, z ;\n";
        assert_eq!(got, expected);
        let nested = without_preprocessor("#define A B\n#define B A C\n#define C 1.e+B\nint A;B\n");
        assert_eq!(nested.as_deref(), Some("\n\n\nint A 1.e+B  ;B 1.e+B \n"));
        let attribute = "void stop(void) __attribute__((noreturn));\n";
        assert_eq!(without_preprocessor(attribute).as_deref(), Some(attribute));
        assert_eq!(without_preprocessor("").as_deref(), Some(""));
        assert_eq!(without_preprocessor("#define A 1").as_deref(), Some(""));
    }

    #[test]
    fn texts_that_grow_without_bounds_are_left_to_the_compiler() {
        for start in ["#define A0 x\n", "#define A0\n"] {
            let doubled = (1..40).map(|i| format!("#define A{i} A{0} A{0}\n", i - 1)).collect::<String>();
            assert_eq!(without_preprocessor(&format!("{start}{doubled}int A39;\n")), None);
        }
        let long = format!("#define A {}\n{}", "x ".repeat(100_000), "A\n".repeat(1000));
        assert_eq!(without_preprocessor(&long), None);
        let many: String = (0..10_000).map(|i| format!("#define A{i} 1\n")).collect();
        assert_eq!(without_preprocessor(&many), None);
    }

    #[test]
    fn other_texts_need_a_preprocessor() {
        for text in [
            "#include <stdio.h>\n",
            "#if 1\n#endif\n",
            "#undef A\n",
            "#pragma pack(1)\n",
            "# 1 \"a.c\"\n",
            "#\n",
            "#define F(x) x\n",
            "#define A 1\n#define A 2\n",
            "#define A x##y\n",
            "#define A 1 /* one */\n",
            "#define A \"//\"\n",
            "#define A(1)\n",
            "#define _A 1\n",
            "#define L 1\n",
            "#defineA 1\n",
            "int __LINE__x;\n",
            "int a = __LINE__;\n",
            "int _Bool_;\n",
            "int __attribute__x;\n",
            "int x __attribute__((__packed__));\n",
            "#define A __COUNTER__\nint a = A;\n",
            "int linux;\n",
            "int a = 1; \\\nint b;\n",
            "char *s = \"??=\";\n",
            "%:define A 1\n",
            "int a; #define A 1\n",
            "/* */ #define A 1\n",
            "char *s = \"\n\";\n",
            "/* never ends",
            "int a\u{e4};\n",
            "int $a;\n",
            "int a$;\n",
            "int \\u00e4;\n",
        ] {
            assert_eq!(without_preprocessor(text), None, "{text:?}");
        }
    }
}
