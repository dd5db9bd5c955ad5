//! Parses the text form of a program, which [`crate::print`] describes.
//!
//! The parser accepts the printer's output. For hand-written files it also accepts blank lines, comments from `//` to
//! the end of the line, and any amount of white space. It checks syntax only; [`crate::verify`] checks well-formedness.

mod cursor;
mod inst;
#[cfg(test)]
mod tests;

use crate::check::{Check, CheckKind};
use crate::ids::{FuncId, Reg, Slot as SlotId};
use crate::inst::{Passing, Ty};
use crate::layout::Target;
use crate::limits::MAX_REPEATED_VALUE;
use crate::program::{
    Block, Body, Function, Global, Linkage, Origin, Param, Program, RegInfo, Relocation, Signature, Slot, Symbol,
};
use crate::source::{FileId, Loc};
use cursor::Cursor;

/// A syntax error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// The line, from 1.
    pub line: u32,
    /// The column in bytes, from 1.
    pub column: u32,
    /// The expected and the found token.
    pub message: String,
}

impl std::fmt::Display for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

type Result<T> = std::result::Result<T, ParseError>;

/// Parses a program.
///
/// # Errors
/// Returns the first syntax error.
pub fn parse(text: &str) -> Result<Program> {
    let mut cursor = Cursor::new(text);
    let mut program = Program::default();
    cursor.skip_blank_lines();
    cursor.keyword("program")?;
    program.target = match cursor.word() {
        "lp64" => Target::Lp64,
        "ilp32" => Target::Ilp32,
        _ => return cursor.fail_at_word("`lp64` or `ilp32`"),
    };
    cursor.end_of_line()?;
    loop {
        cursor.skip_blank_lines();
        if cursor.at_end() {
            return Ok(program);
        }
        match cursor.word() {
            "file" => file(&mut cursor, &mut program)?,
            "global" => global(&mut cursor, &mut program)?,
            "wide" => wide(&mut cursor, &mut program)?,
            "check" => check(&mut cursor, &mut program)?,
            "function" => function(&mut cursor, &mut program)?,
            _ => return cursor.fail_at_word("`file`, `global`, `wide`, `check` or `function`"),
        }
    }
}

fn file(cursor: &mut Cursor<'_>, program: &mut Program) -> Result<()> {
    let start = cursor.mark();
    if cursor.number()? != program.files.len() as u64 {
        return cursor.fail_at(start, &format!("file number {}", program.files.len()));
    }
    program.files.push(cursor.text()?);
    cursor.end_of_line()
}

fn linkage(cursor: &mut Cursor<'_>) -> Result<Linkage> {
    match cursor.word() {
        "external" => Ok(Linkage::External),
        "internal" => Ok(Linkage::Internal),
        _ => cursor.fail_at_word("`external` or `internal`"),
    }
}

/// Parses a sequence of strings, each with an optional repetition count.
///
/// Repetition never produces more than `size` bytes.
fn initial_value(cursor: &mut Cursor<'_>, size: u64) -> Result<Vec<u8>> {
    let mut bytes = cursor.string()?;
    let mut start = 0;
    loop {
        if cursor.eat_word("x") {
            let times = cursor.number()?;
            let pattern = bytes.split_off(start);
            let total = times.checked_mul(pattern.len() as u64).and_then(|more| more.checked_add(start as u64));
            match (total.filter(|total| *total <= size.min(MAX_REPEATED_VALUE)), usize::try_from(times)) {
                (Some(_), Ok(times)) => bytes.extend(pattern.repeat(times)),
                _ => return cursor.fail("a number of times that fits the size"),
            }
        }
        if !cursor.at_string() {
            return Ok(bytes);
        }
        start = bytes.len();
        bytes.extend(cursor.string()?);
    }
}

fn global(cursor: &mut Cursor<'_>, program: &mut Program) -> Result<()> {
    cursor.next_id('g', program.globals.len())?;
    let linkage = linkage(cursor)?;
    let name = cursor.text()?;
    cursor.keyword("size")?;
    let size = cursor.number()?;
    cursor.keyword("align")?;
    let align = cursor.number()?;
    let constant = cursor.eat_word("constant");
    let defined = !cursor.eat_word("undefined");
    let loc = place(cursor)?.unwrap_or(Loc::NONE);
    let bytes = if cursor.eat("=") { initial_value(cursor, size)? } else { Vec::new() };
    cursor.end_of_line()?;
    let mut relocations = Vec::new();
    loop {
        cursor.skip_blank_lines();
        if !cursor.eat_word("at") {
            break;
        }
        let offset = cursor.number()?;
        cursor.keyword("ptr")?;
        let target = symbol(cursor)?;
        let addend = cursor.offset()?;
        relocations.push(Relocation { offset, target, addend });
        cursor.end_of_line()?;
    }
    program.globals.push(Global {
        name,
        size,
        align,
        bytes,
        relocations,
        constant,
        linkage,
        defined,
        loc,
        ctype: None,
    });
    Ok(())
}

fn symbol(cursor: &mut Cursor<'_>) -> Result<Symbol> {
    if let Some(id) = cursor.eat_id('g') {
        return Ok(Symbol::Global(crate::ids::GlobalId(id)));
    }
    let Some(id) = cursor.eat_id('f') else { return cursor.fail("a global or a function") };
    let function = FuncId(id);
    if cursor.eat(".") {
        return Ok(Symbol::Label(function, crate::ids::Block(cursor.id('b', "a block")?)));
    }
    Ok(Symbol::Function(function))
}

fn wide(cursor: &mut Cursor<'_>, program: &mut Program) -> Result<()> {
    cursor.next_id('w', program.wide.len())?;
    cursor.expect("=")?;
    program.wide.push(cursor.hexadecimal()?);
    cursor.end_of_line()
}

fn check(cursor: &mut Cursor<'_>, program: &mut Program) -> Result<()> {
    cursor.next_id('c', program.checks.len())?;
    let start = cursor.mark();
    let Some(kind) = CheckKind::from_name(cursor.dashed_word()) else {
        return cursor.fail_at(start, "the name of a check");
    };
    let function = FuncId(cursor.id('f', "a function")?);
    let loc = place(cursor)?.unwrap_or(Loc::NONE);
    program.checks.push(Check { kind, function, loc });
    cursor.end_of_line()
}

/// Parses `@file:line:column` or `@none`, if present.
fn place(cursor: &mut Cursor<'_>) -> Result<Option<Loc>> {
    if !cursor.eat("@") {
        return Ok(None);
    }
    if cursor.eat_word("none") {
        return Ok(Some(Loc::NONE));
    }
    let file = FileId(cursor.number_u32()?);
    cursor.expect(":")?;
    let line = cursor.number_u32()?;
    cursor.expect(":")?;
    let column = cursor.number_u32()?;
    Ok(Some(Loc { file, line, column }))
}

fn function(cursor: &mut Cursor<'_>, program: &mut Program) -> Result<()> {
    cursor.next_id('f', program.functions.len())?;
    let linkage = linkage(cursor)?;
    let name = cursor.text()?;
    let signature = signature(cursor)?;
    let origin = if cursor.eat_word("model") {
        Origin::Model
    } else if cursor.eat_word("dependency") {
        Origin::Dependency
    } else {
        Origin::User
    };
    let loc = place(cursor)?.unwrap_or(Loc::NONE);
    let body = if cursor.eat("{") { Some(body(cursor)?) } else { None };
    program.functions.push(Function { name, linkage, signature, origin, loc, body });
    cursor.end_of_line()
}

fn signature(cursor: &mut Cursor<'_>) -> Result<Signature> {
    cursor.expect("(")?;
    let mut params = Vec::new();
    let mut variadic = false;
    if !cursor.eat(")") {
        loop {
            if cursor.eat("...") {
                variadic = true;
                cursor.expect(")")?;
                break;
            }
            params.push(passing(cursor)?);
            if cursor.eat(")") {
                break;
            }
            cursor.expect_one_of(",", "`,` or `)`")?;
        }
    }
    let ret = result(cursor)?;
    let prototyped = !cursor.eat_word("unprototyped");
    let noreturn = cursor.eat_word("noreturn");
    Ok(Signature { ret, params, variadic, prototyped, noreturn })
}

/// Parses `-> i32`, if present.
fn result(cursor: &mut Cursor<'_>) -> Result<Option<Ty>> {
    if cursor.eat("->") { ty(cursor).map(Some) } else { Ok(None) }
}

fn ty(cursor: &mut Cursor<'_>) -> Result<Ty> {
    match Ty::from_name(cursor.word()) {
        Some(ty) => Ok(ty),
        None => cursor.fail_at_word("a type"),
    }
}

fn passing(cursor: &mut Cursor<'_>) -> Result<Passing> {
    if cursor.eat_word("memory") {
        let size = cursor.number()?;
        cursor.keyword("align")?;
        let align = cursor.number()?;
        return Ok(Passing::Memory { size, align });
    }
    ty(cursor).map(Passing::Scalar)
}

fn body(cursor: &mut Cursor<'_>) -> Result<Body> {
    cursor.end_of_line()?;
    let mut body = Body::default();
    loop {
        cursor.skip_blank_lines();
        if cursor.eat("}") {
            return Ok(body);
        }
        if let Some(id) = cursor.eat_id('b') {
            if id as usize != body.blocks.len() {
                return cursor.fail_at_word(&format!("b{}", body.blocks.len()));
            }
            cursor.expect(":")?;
            cursor.end_of_line()?;
            body.blocks.push(block(cursor)?);
            continue;
        }
        match cursor.word() {
            "reg" => registers(cursor, &mut body)?,
            "slot" => slot(cursor, &mut body)?,
            "params" => params(cursor, &mut body)?,
            _ => return cursor.fail_at_word("a block (`b0:`), `reg`, `slot`, `params` or `}`"),
        }
        cursor.end_of_line()?;
    }
}

fn registers(cursor: &mut Cursor<'_>, body: &mut Body) -> Result<()> {
    let mut count = 0;
    loop {
        cursor.next_id('v', body.regs.len() + count)?;
        count += 1;
        if !cursor.eat(",") {
            break;
        }
    }
    cursor.expect_one_of(":", "`,` or `:`")?;
    let ty = ty(cursor)?;
    let name = cursor.optional_text()?;
    body.regs.extend(std::iter::repeat_n(RegInfo { ty, name }, count));
    Ok(())
}

fn slot(cursor: &mut Cursor<'_>, body: &mut Body) -> Result<()> {
    cursor.next_id('s', body.slots.len())?;
    let name = cursor.optional_text()?;
    cursor.keyword("size")?;
    let size = cursor.number()?;
    cursor.keyword("align")?;
    let align = cursor.number()?;
    let loc = place(cursor)?.unwrap_or(Loc::NONE);
    body.slots.push(Slot { name, size, align, loc });
    Ok(())
}

fn params(cursor: &mut Cursor<'_>, body: &mut Body) -> Result<()> {
    loop {
        let param = if let Some(id) = cursor.eat_id('v') {
            Param::Reg(Reg(id))
        } else if let Some(id) = cursor.eat_id('s') {
            Param::Slot(SlotId(id))
        } else {
            return cursor.fail("a register or a slot");
        };
        body.params.push(param);
        if !cursor.eat(",") {
            return Ok(());
        }
    }
}

fn block(cursor: &mut Cursor<'_>) -> Result<Block> {
    let (mut insts, mut locs) = (Vec::new(), Vec::new());
    let mut loc = Loc::NONE;
    loop {
        cursor.skip_blank_lines();
        let line = inst::line(cursor)?;
        loc = place(cursor)?.unwrap_or(loc);
        cursor.end_of_line()?;
        match line {
            inst::Line::Inst(inst) => {
                insts.push(inst);
                locs.push(loc);
            }
            inst::Line::End(end) => return Ok(Block { insts, locs, end, end_loc: loc }),
        }
    }
}
