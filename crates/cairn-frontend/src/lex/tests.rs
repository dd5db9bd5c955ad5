//! Tests of the lexer: kinds and spans of tokens. The parser's tests cover the values of literals.

use super::{TokenKind, keywords, lex};
use crate::symbol::Interner;

/// Returns the kinds and spellings of the tokens of a text, and asserts that there are no diagnostics.
fn tokens(text: &str) -> Vec<(TokenKind, &str)> {
    let base = 100;
    let mut diagnostics = Vec::new();
    let lexed = lex(text, base, &mut Interner::default(), &mut diagnostics);
    assert_eq!(diagnostics, []);
    lexed.tokens.iter().map(|t| (t.kind, &text[(t.start - base) as usize..(t.end - base) as usize])).collect()
}

fn kinds(text: &str) -> Vec<TokenKind> {
    tokens(text).into_iter().map(|(kind, _)| kind).collect()
}

#[test]
fn punctuators_match_greedily() {
    use TokenKind::*;
    let all = "( ) [ ] { } ; , : ? ~ . ... -> + ++ += - -- -= * *= / /= % %= & && &= | || |= ^ ^= ! != = == < <= << <<= > >= >> >>=";
    for (kind, text) in tokens(all) {
        assert!(kind == Eof || kind.text() == text, "{kind:?} {text}");
    }
    assert_eq!(tokens(all).len(), all.split(' ').count() + 1);
    assert_eq!(kinds("a+++++b"), [Ident, PlusPlus, PlusPlus, Plus, Ident, Eof]);
    assert_eq!(kinds("x>>>=y..z"), [Ident, GtGt, GtEq, Ident, Dot, Dot, Ident, Eof]);
    assert_eq!(kinds("<::><%%>"), [LBracket, RBracket, LBrace, RBrace, Eof]);
}

#[test]
fn words() {
    use TokenKind::*;
    assert_eq!(kinds("int intx __inline__ L Lx u8 $"), [Int, Ident, Inline, Ident, Ident, Ident, Ident, Eof]);
    assert_eq!(kinds("bool true nullptr"), [Ident, Ident, Ident, Eof]);
    for word in keywords::spellings().filter(|w| !w.ends_with("ragma")) {
        let kind = kinds(word)[0];
        assert!(kind.is_word(), "{word} is {kind:?}");
    }
    assert_eq!(tokens("\\u00e9t x"), [(Ident, "\\u00e9t"), (Ident, "x"), (Eof, "")]);
    assert_eq!(tokens("été 变量"), [(Ident, "été"), (Ident, "变量"), (Eof, "")]);
}

#[test]
fn numbers_and_quotes() {
    use TokenKind::*;
    assert_eq!(tokens("0x1p+3+1e-5f"), [(Number, "0x1p+3"), (Plus, "+"), (Number, "1e-5f"), (Eof, "")]);
    assert_eq!(tokens("1'000 .5.x"), [(Number, "1'000"), (Number, ".5.x"), (Eof, "")]);
    assert_eq!(
        tokens(r#"L"a\"b" u8'c' "\\" '"'"#),
        [(String, r#"L"a\"b""#), (CharConstant, "u8'c'"), (String, r#""\\""#), (CharConstant, "'\"'"), (Eof, "")]
    );
}

#[test]
fn comments_and_directives_are_skipped() {
    use TokenKind::*;
    assert_eq!(kinds("a/**/b/***/c/* * / **/d//e\nf//"), [Ident, Ident, Ident, Ident, Ident, Eof]);
    assert_eq!(kinds("\u{feff}# 1 \"x.c\"\n\t#line 3\n #pragma x y\n#\na"), [Ident, Eof]);
}

#[test]
fn continued_lines_keep_their_spans() {
    use TokenKind::*;
    assert_eq!(
        tokens("ab\\\ncd \\\n+\\\r\n= \"x\\\ny\" z"),
        [(Ident, "ab\\\ncd"), (PlusEq, "+\\\r\n="), (String, "\"x\\\ny\""), (Ident, "z"), (Eof, "")]
    );
}
