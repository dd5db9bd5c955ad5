//! Tests of the lexer: what the tokens are, and what the literals are worth.
