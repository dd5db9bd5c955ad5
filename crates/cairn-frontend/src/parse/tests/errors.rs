//! Tests of syntax errors: their messages and locations, and that each mistake is reported once.

use expect_test::expect;

use super::{check_errors, parse};

#[test]
fn missing_tokens_are_reported_after_the_previous_one() {
    check_errors(
        "int f() {\n  x = 1\n  y = 2;\n  return 0\n}",
        expect![[r#"
        2:8: expected ';' after expression, found 'y'
        4:11: expected ';' after return statement, found '}'
    "#]],
    );
    check_errors(
        "int x = 1\nint y;\nstruct s { int a }\nint z;",
        expect![[r#"
            1:10: expected ';' at end of declaration, found 'int'
            3:17: warning: expected ';' at end of member declaration, found '}'
            3:19: expected ';' after struct, found 'int'
        "#]],
    );
    check_errors(
        "int f() { g(1, 2; h(3); }",
        expect![[r#"
        1:17: expected ')', found ';'
          1:12: to match this '('
    "#]],
    );
    check_errors(
        "int f() {\n if (x {\n y; }\n while x) z; }",
        expect![[r#"
        2:7: expected ')', found '{'
          2:5: to match this '('
        4:7: expected '(' after 'while', found 'x'
    "#]],
    );
    check_errors(
        "int f() { for (i = 0, i < n; i++) x; }\nint g() { do x; until (y); z z; }",
        expect![[r#"
        1:33: expected ';' in 'for' statement, found ')'
        2:16: expected 'while' after the body of a 'do' statement, found 'until'
        2:28: unknown type name 'z'
    "#]],
    );
    check_errors(
        "int a[3 = {1};\nint b;",
        expect![[r#"
            1:11: expected expression, found '{'
        "#]],
    );
    check_errors(
        "void f() {\n  if (a) {\n  b;\n}\n",
        expect![[r#"
        4:2: expected '}', found end of file
          1:10: to match this '{'
    "#]],
    );
    check_errors(
        "int x; }\nint y;",
        expect![[r#"
        1:8: extraneous closing brace ('}')
    "#]],
    );
    check_errors(
        "int f() { return a ? b; }",
        expect![[r#"
        1:23: expected ':', found ';'
          1:20: to match this '?'
    "#]],
    );
    check_errors(
        "int f() { int x = ; y = ); z = (1 + ); w = [1]; }",
        expect![[r#"
            1:19: expected expression, found ';'
            1:25: expected expression, found ')'
            1:37: expected expression, found ')'
            1:44: expected expression, found '['
        "#]],
    );
    check_errors(
        "int f() { case 1 x; default x; goto 1; x.; y->1; &&1; }",
        expect![[r#"
            1:17: expected ':' after 'case', found 'x'
            1:28: expected ':' after 'default', found 'x'
            1:37: expected label after 'goto', found '1'
            1:42: expected member name, found ';'
            1:47: expected member name, found '1'
            1:52: expected label after '&&', found '1'
        "#]],
    );
}

#[test]
fn unknown_types() {
    check_errors(
        "foo x;\nfoo y;\nbar *f(baz q, int);\nstruct s { quux a; };",
        expect![[r#"
        1:1: unknown type name 'foo'
        3:1: unknown type name 'bar'
        3:8: unknown type name 'baz'
        4:12: unknown type name 'quux'
    "#]],
    );
    check_errors(
        "void f(int a) {\n  foo x = 1;\n  foo *y = &x;\n  bar *z;\n  a * a;\n  (baz *)a;\n  sizeof(qux **);\n}",
        expect![[r#"
            2:3: unknown type name 'foo'
            4:3: unknown type name 'bar'
            6:4: unknown type name 'baz'
            7:10: unknown type name 'qux'
        "#]],
    );
    check_errors(
        "static foo bar(void) { return 1; }\nint f(int, foo);\n",
        expect![[r#"
        1:8: unknown type name 'foo'
    "#]],
    );
}

#[test]
fn several_independent_errors() {
    check_errors(
        "int f() { 1 + ; }\nint g() { x y z w; }\nint h( { }\nint k() { return @; }\nint ok() { if } ",
        expect![[r#"
            1:15: expected expression, found ';'
            2:12: expected ';' after expression, found 'y'
            3:8: expected parameter declaration, found '{'
            4:18: unexpected character '@'
            5:14: expected '(' after 'if', found '}'
        "#]],
    );
    check_errors(
        "int f() {\n  else x;\n  if (1) int y;\n  struct { int; 5; } z;\n  enum { 3 } w;\n  int 5;\n}\n+;\nint good;",
        expect![[r#"
            2:3: 'else' without a previous 'if'
            3:10: expected statement; a declaration is not allowed here
            4:17: expected member declaration or '}', found '5'
            5:9: expected '}', found '3'
              5:8: to match this '{'
            6:7: expected identifier or '(', found '5'
            8:1: expected declaration, found '+'
        "#]],
    );
    check_errors(
        "unsigned float x; int char y; static extern int z; long long long w; struct; enum; typedef int struct s t;",
        expect![[r#"
            1:10: cannot combine 'float' with the previous type specifier
            1:23: cannot combine 'char' with the previous type specifier
            1:38: cannot combine with previous storage class
            1:62: cannot combine 'long' with the previous type specifier
            1:76: expected tag or '{' after 'struct', found ';'
            1:82: expected tag or '{' after 'enum', found ';'
            1:96: cannot combine 'struct' with the previous type specifier
        "#]],
    );
}

#[test]
fn unsupported_syntax_is_reported() {
    check_errors(
        "_Complex _Bool c; _Imaginary float d; _BitInt e; _Complex _BitInt(7) f; double h = 0x1.0p0df; int g = _Generic(int, int: 1);",
        expect![[r#"
            1:1: invalid type for '_Complex'
            1:19: imaginary types are not supported
            1:46: expected '(' after '_BitInt', found 'e'
            1:50: invalid type for '_Complex'
            1:84: invalid suffix 'df' on floating constant
            1:112: type name as the controlling operand of '_Generic' is not supported
        "#]],
    );
    check_errors(
        "#include <stdio.h>\n#define A\nint x y;",
        expect![[r#"
            1:1: unexpected directive '#include' in preprocessed text
        "#]],
    );
    check_errors(
        "int a; # b\n#pragma pack(3)\n#pragma scalar_storage_order big-endian\n#pragma weak a\n#pragma weakly\n",
        expect![[r#"
        1:8: unexpected character '#'
        1:11: expected ';' at end of declaration, found end of file
        2:1: warning: malformed '#pragma pack' has no effect
        3:1: '#pragma scalar_storage_order' is not supported
        4:1: '#pragma weak' is not supported
    "#]],
    );
}

#[test]
fn literals() {
    check_errors(
        "int a = 089, b = 0b12, c = 0x, d = 1x, e = 1uu, f = 1e, g = 0x1.0, h = 1.0z, i = 340282366920938463463374607431768211456;",
        expect![[r#"
            1:9: invalid digit '8' in octal constant
            1:18: invalid digit '2' in binary constant
            1:28: hexadecimal constant '0x' has no digits
            1:36: invalid suffix 'x' on integer constant
            1:44: invalid suffix 'uu' on integer constant
            1:53: exponent has no digits
            1:61: hexadecimal floating constant '0x1.0' requires an exponent
            1:72: invalid suffix 'z' on floating constant
            1:82: integer constant '340282366920938463463374607431768211456' is too large
        "#]],
    );
    check_errors(
        "int a = '', b = 'abcde', c = '\\q', d = '\\x', e = L'ab', f = u'ab', g = '\\u12', h = '\\ud800', i = '\\400', j = '\\x100';",
        expect![[r#"
            1:9: empty character constant
            1:17: warning: character constant too long for its type
            1:31: warning: unknown escape sequence '\q'
            1:41: '\x' used with no following hex digits
            1:50: warning: character constant too long for its type
            1:61: character constant too long for its type
            1:73: incomplete universal character name
            1:85: '\ud800' is not a character
            1:99: warning: octal escape sequence out of range
            1:111: warning: hex escape sequence out of range
        "#]],
    );
    check_errors(
        "char *a = \"abc;\nchar *b = L\"a\" U\"b\";\nint c = 'a;\nint d;",
        expect![[r#"
            1:11: missing terminating '"' character
            2:16: concatenation of string literals with different prefixes
            3:9: missing terminating ''' character
        "#]],
    );
    check_errors(
        "int a \u{a0} = 1; int b = \\ 2; int c = ` 3; /* open",
        expect![[r#"
        1:7: unexpected character <U+00A0>
        1:23: unexpected character '\'
        1:36: unexpected character '`'
        1:41: unterminated /* comment
    "#]],
    );
}

#[test]
fn too_many_errors() {
    let text = "int x = ;\n".repeat(500);
    let (_, _, diagnostics, sources) = parse(&text);
    assert_eq!(diagnostics.len(), 101);
    assert_eq!(diagnostics[100].message, "too many errors emitted, stopping now");
    assert_eq!(sources.locate(diagnostics[100].span.start).line, 101);
    let (_, _, diagnostics, _) = parse(&"`\n".repeat(500));
    assert_eq!(diagnostics.len(), 101);
}

#[test]
fn diagnostics_are_in_source_order() {
    let (_, _, diagnostics, _) = parse("int f() { x = ; ` y = ; ` }");
    let starts: Vec<u32> = diagnostics.iter().map(|d| d.span.start).collect();
    assert!(starts.is_sorted(), "{starts:?}");
    assert_eq!(starts.len(), 4);
}
