//! Prints the text form of a program: everything except its C types, one item per line.
//!
//! [`crate::parse`] reads this form back. An example:
//!
//! ```text
//! program lp64
//! file 0 "list.c"
//! global g0 external "table" size 16 align 8 @0:3:5 = "\01"
//!   at 8 ptr f0
//! wide w0 = 0x3fff8000000000000000
//! check c0 null-deref f0 @0:12:5
//! function f0 external "main" (i32, ptr) -> i32 @0:10:5 {
//!   reg v0: i32 "argc"
//!   reg v1: ptr "argv"
//!   reg v2, v3: i32
//!   slot s0 "buf" size 16 align 16 @0:11:8
//!   params v0, v1
//! b0:
//!   enter s0                                      @0:11:8
//!   v2 = load i32 v1+8 !c0                        @0:12:5
//!   v3 = add i32 v2, 1
//!   return v3
//! }
//! ```
//!
//! Tables are written in the order of their ids. `!c3` or `!c3..c8` (inclusive) gives the checks of an instruction.
//! `@file:line:column` gives its location, and `@none` stands for no location. The location is omitted if it equals
//! that of the previous instruction in the block. In strings, `\hh` is the byte with that hexadecimal value.

mod cfg;
mod inst;
mod runs;

use std::fmt::Write as _;

use crate::check::Checks;
use crate::inst::Passing;
use crate::layout::Target;
use crate::program::{Block, Body, Function, Global, Linkage, Origin, Param, Program, Signature, Symbol};
use crate::source::Loc;

pub use cfg::print_cfg;
pub use inst::{print_inst, print_terminator};

/// The column at which instruction locations start: wide enough for most instructions.
const PLACE_COLUMN: usize = 48;

/// Prints the whole program as text, which [`crate::parse::parse`] reads back.
pub fn print(program: &Program) -> String {
    let mut printer = Printer { out: String::new() };
    printer.program(program);
    printer.out
}

/// The text printed so far.
struct Printer {
    out: String,
}

/// Writes formatted text to the printer's `String`, which cannot fail.
macro_rules! put {
    ($printer:expr, $($arg:tt)*) => {
        let _ = write!($printer.out, $($arg)*);
    };
}
use put;

impl Printer {
    fn program(&mut self, program: &Program) {
        let target = match program.target {
            Target::Ilp32 => "ilp32",
            Target::Lp64 => "lp64",
        };
        put!(self, "program {target}\n");
        for (index, file) in program.files.iter().enumerate() {
            put!(self, "file {index} ");
            self.string(file.as_bytes(), true);
            self.out.push('\n');
        }
        for (index, global) in program.globals.iter().enumerate() {
            self.global(index, global);
        }
        for (index, bits) in program.wide.iter().enumerate() {
            put!(self, "wide w{index} = {bits:#x}\n");
        }
        for (index, check) in program.checks.iter().enumerate() {
            put!(self, "check c{index} {} {}", check.kind, check.function);
            self.declared_at(check.loc);
            self.out.push('\n');
        }
        for (index, function) in program.functions.iter().enumerate() {
            self.function(index, function);
        }
    }

    fn global(&mut self, index: usize, global: &Global) {
        put!(self, "global g{index} {} ", linkage(global.linkage));
        self.string(global.name.as_bytes(), true);
        put!(self, " size {} align {}", global.size, global.align);
        if global.constant {
            self.out.push_str(" constant");
        }
        if !global.defined {
            self.out.push_str(" undefined");
        }
        self.declared_at(global.loc);
        if !global.bytes.is_empty() {
            self.out.push_str(" =");
            for (pattern, times) in runs::runs(&global.bytes) {
                self.out.push(' ');
                self.string(pattern, false);
                if times > 1 {
                    put!(self, " x {times}");
                }
            }
        }
        self.out.push('\n');
        for relocation in &global.relocations {
            put!(self, "  at {} ptr ", relocation.offset);
            match relocation.target {
                Symbol::Global(id) => {
                    put!(self, "{id}");
                }
                Symbol::Function(id) => {
                    put!(self, "{id}");
                }
                Symbol::Label(function, block) => {
                    put!(self, "{function}.{block}");
                }
            }
            self.offset(relocation.addend);
            self.out.push('\n');
        }
    }

    fn function(&mut self, index: usize, function: &Function) {
        put!(self, "function f{index} {} ", linkage(function.linkage));
        self.string(function.name.as_bytes(), true);
        self.out.push(' ');
        self.signature(&function.signature);
        match function.origin {
            Origin::User => {}
            Origin::Dependency => self.out.push_str(" dependency"),
            Origin::Model => self.out.push_str(" model"),
        }
        self.declared_at(function.loc);
        if let Some(body) = &function.body {
            self.out.push_str(" {\n");
            self.body(body);
            self.out.push('}');
        }
        self.out.push('\n');
    }

    fn signature(&mut self, signature: &Signature) {
        self.out.push('(');
        for (index, &param) in signature.params.iter().enumerate() {
            self.comma(index);
            self.passing(param);
        }
        if signature.variadic {
            self.comma(signature.params.len());
            self.out.push_str("...");
        }
        self.out.push(')');
        if let Some(ret) = signature.ret {
            put!(self, " -> {}", ret.name());
        }
        if !signature.prototyped {
            self.out.push_str(" unprototyped");
        }
        if signature.noreturn {
            self.out.push_str(" noreturn");
        }
    }

    fn body(&mut self, body: &Body) {
        let mut index = 0;
        while let Some(reg) = body.regs.get(index) {
            put!(self, "  reg v{index}");
            index += 1;
            // Temporaries are numerous, so neighbours of the same type share a line.
            while reg.name.is_none() && body.regs.get(index) == Some(reg) {
                put!(self, ", v{index}");
                index += 1;
            }
            put!(self, ": {}", reg.ty.name());
            if let Some(name) = &reg.name {
                self.out.push(' ');
                self.string(name.as_bytes(), true);
            }
            self.out.push('\n');
        }
        for (index, slot) in body.slots.iter().enumerate() {
            put!(self, "  slot s{index}");
            if let Some(name) = &slot.name {
                self.out.push(' ');
                self.string(name.as_bytes(), true);
            }
            put!(self, " size {} align {}", slot.size, slot.align);
            self.declared_at(slot.loc);
            self.out.push('\n');
        }
        if !body.params.is_empty() {
            self.out.push_str("  params ");
            for (index, param) in body.params.iter().enumerate() {
                self.comma(index);
                match param {
                    Param::Reg(reg) => {
                        put!(self, "{reg}");
                    }
                    Param::Slot(slot) => {
                        put!(self, "{slot}");
                    }
                }
            }
            self.out.push('\n');
        }
        for (index, block) in body.blocks.iter().enumerate() {
            put!(self, "b{index}:\n");
            self.block(block);
        }
    }

    fn block(&mut self, block: &Block) {
        let mut before = Loc::NONE;
        for (index, inst) in block.insts.iter().enumerate() {
            let start = self.out.len();
            self.out.push_str("  ");
            self.inst(inst);
            self.place(start, block.locs.get(index).copied().unwrap_or(Loc::NONE), &mut before);
        }
        let start = self.out.len();
        self.out.push_str("  ");
        self.terminator(&block.end);
        self.place(start, block.end_loc, &mut before);
    }

    /// Prints the location of the instruction that began at `start`, and ends the line.
    fn place(&mut self, start: usize, loc: Loc, before: &mut Loc) {
        if loc != *before {
            *before = loc;
            let width = self.out.len() - start;
            for _ in width..PLACE_COLUMN {
                self.out.push(' ');
            }
            self.loc(loc);
        }
        self.out.push('\n');
    }

    fn loc(&mut self, loc: Loc) {
        if loc == Loc::NONE {
            self.out.push_str(" @none");
        } else {
            put!(self, " @{}:{}:{}", loc.file.0, loc.line, loc.column);
        }
    }

    /// Prints the location of a declaration, if it has one.
    fn declared_at(&mut self, loc: Loc) {
        if loc != Loc::NONE {
            self.loc(loc);
        }
    }

    fn passing(&mut self, passing: Passing) {
        match passing {
            Passing::Scalar(ty) => self.out.push_str(ty.name()),
            Passing::Memory { size, align } => {
                put!(self, "memory {size} align {align}");
            }
        }
    }

    fn checks(&mut self, checks: Checks) {
        match checks.count {
            0 => {}
            1 => {
                put!(self, " !{}", checks.first);
            }
            count => {
                put!(self, " !{}..c{}", checks.first, u64::from(checks.first.0) + u64::from(count) - 1);
            }
        }
    }

    /// Prints `+8` or `-8`, or nothing if the offset is 0.
    fn offset(&mut self, offset: i64) {
        if offset != 0 {
            put!(self, "{offset:+}");
        }
    }

    fn comma(&mut self, index: usize) {
        if index != 0 {
            self.out.push_str(", ");
        }
    }

    /// Prints a string in quotes. With `text`, valid UTF-8 is printed unescaped.
    fn string(&mut self, bytes: &[u8], text: bool) {
        self.out.push('"');
        if text && let Ok(letters) = std::str::from_utf8(bytes) {
            for letter in letters.chars() {
                match letter {
                    '"' | '\\' | '\0'..' ' | '\x7f' => {
                        put!(self, "\\{:02x}", u32::from(letter));
                    }
                    letter => self.out.push(letter),
                }
            }
        } else {
            for &byte in bytes {
                match byte {
                    b'"' | b'\\' | 0..b' ' | 0x7f.. => {
                        put!(self, "\\{byte:02x}");
                    }
                    byte => self.out.push(char::from(byte)),
                }
            }
        }
        self.out.push('"');
    }
}

fn linkage(linkage: Linkage) -> &'static str {
    match linkage {
        Linkage::External => "external",
        Linkage::Internal => "internal",
    }
}
