//! Round-trip tests: printing and parsing generated programs gives the same programs again.
//!
//! In addition, no text makes the parser or the verifier panic. The generated programs have any form that the data
//! structures can hold, well-formed or not: ids may be out of range and types may disagree. The text form must
//! represent these too, since dumps matter most for ill-formed programs.

use cairn_ir::check::{Check, CheckKind, Checks};
use cairn_ir::ids::{self, CheckId, FuncId, GlobalId, Reg, WideId};
use cairn_ir::inst::{
    Arg, BinaryOp, BitRange, Call, Callee, Case, CompareOp, ConvertOp, DivideOp, FitsOp, Inst, Intrinsic, Local,
    MathFn, Operand, Passing, Terminator, Ty, UnaryOp,
};
use cairn_ir::layout::Target;
use cairn_ir::parse::parse;
use cairn_ir::print::{print, print_cfg};
use cairn_ir::program::{
    Block, Body, Function, Global, Linkage, Origin, Param, Program, RegInfo, Relocation, Signature, Slot, Symbol,
};
use cairn_ir::source::{FileId, Loc};
use cairn_ir::verify::verify;

/// A xorshift generator, with the same sequence on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }

    fn flag(&mut self) -> bool {
        self.below(2) == 0
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }

    fn many<T>(&mut self, most: u64, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.below(most + 1)).map(|_| make(self)).collect()
    }

    fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.flag().then(|| make(self))
    }

    /// Returns a small id most of the time, and occasionally `u32::MAX`.
    fn id(&mut self) -> u32 {
        if self.below(50) == 0 { u32::MAX } else { self.below(12) as u32 }
    }

    fn integer(&mut self) -> i64 {
        let bits = self.below(64);
        let value = (self.below(1 << 50) as i64).wrapping_mul(0x1_0001_0001) >> bits;
        self.pick(&[0, 1, -1, 8, i64::MIN, i64::MAX, value, value.wrapping_neg()])
    }

    fn size(&mut self) -> u64 {
        self.integer() as u64
    }

    fn text(&mut self) -> String {
        let letters = ['a', 'Z', '_', '.', '"', '\\', ' ', '\n', '\0', '\x7f', 'ä', '語', '/', '@'];
        self.many(8, |r| r.pick(&letters)).into_iter().collect()
    }

    fn loc(&mut self) -> Loc {
        let mut number = || if self.below(3) == 0 { 0 } else { self.id() };
        Loc { file: FileId(number()), line: number(), column: number() }
    }

    fn ty(&mut self) -> Ty {
        self.pick(&Ty::ALL)
    }

    fn reg(&mut self) -> Reg {
        Reg(self.id())
    }

    fn block(&mut self) -> ids::Block {
        ids::Block(self.id())
    }

    fn operand(&mut self) -> Operand {
        match self.below(9) {
            0 => Operand::Wide(WideId(self.id())),
            1 => Operand::Slot(ids::Slot(self.id())),
            2 => Operand::Global(GlobalId(self.id())),
            3 => Operand::Function(FuncId(self.id())),
            4 => Operand::Label(self.block()),
            5 | 6 => Operand::Int(self.integer()),
            _ => Operand::Reg(self.reg()),
        }
    }

    fn checks(&mut self) -> Checks {
        if self.flag() {
            return Checks::NONE;
        }
        let first = self.id();
        let count = self.pick(&[1, 2, 6]).min((u32::MAX - first).max(1));
        Checks { first: CheckId(first), count }
    }

    fn passing(&mut self) -> Passing {
        if self.below(4) == 0 {
            Passing::Memory { size: self.size(), align: self.size() }
        } else {
            Passing::Scalar(self.ty())
        }
    }

    fn local(&mut self) -> Local {
        if self.flag() { Local::Reg(self.reg()) } else { Local::Slot(ids::Slot(self.id())) }
    }

    fn bits(&mut self) -> BitRange {
        BitRange { start: self.below(256) as u8, width: self.below(256) as u8 }
    }

    fn call(&mut self) -> Call {
        let args = self.many(4, |r| Arg { value: r.operand(), passing: r.passing() });
        Call {
            dst: self.maybe(Self::reg),
            callee: if self.flag() { Callee::Function(FuncId(self.id())) } else { Callee::Pointer(self.operand()) },
            fixed: self.below(args.len() as u64 + 1) as u32,
            args,
            ret: self.maybe(Self::ty),
            prototyped: self.flag(),
            checks: self.checks(),
            ctype: None,
        }
    }

    fn intrinsic(&mut self) -> Intrinsic {
        if self.below(4) == 0 { Intrinsic::Math(self.pick(MathFn::ALL)) } else { self.pick(Intrinsic::PLAIN) }
    }

    fn inst(&mut self) -> Inst {
        let (ty, dst, addr, offset, src) = (self.ty(), self.reg(), self.operand(), self.integer(), self.operand());
        let (lhs, rhs, checks) = (addr, src, self.checks());
        match self.below(23) {
            0 => Inst::Move { dst, src },
            1 => Inst::Undef { dst },
            2 => Inst::Unary { op: self.pick(UnaryOp::ALL), ty, dst, src },
            3 => Inst::Binary { op: self.pick(BinaryOp::ALL), ty, dst, lhs, rhs },
            4 => Inst::Divide { op: self.pick(DivideOp::ALL), ty, dst, lhs, rhs, checks },
            5 => Inst::Compare { op: self.pick(CompareOp::ALL), ty, dst, lhs, rhs },
            6 => Inst::Convert { op: self.pick(ConvertOp::ALL), from: ty, to: self.ty(), dst, src },
            7 => Inst::PtrAdd { dst, base: lhs, index: rhs, scale: offset },
            8 => Inst::PtrSub { dst, lhs, rhs },
            9 => Inst::Load { dst, ty, addr, offset, checks },
            10 => Inst::Store { ty, addr, offset, src, checks },
            11 => Inst::LoadBits { dst, ty, addr, offset, bits: self.bits(), signed: self.flag(), checks },
            12 => Inst::StoreBits { ty, addr, offset, bits: self.bits(), src, checks },
            13 => Inst::Copy { dst: addr, src, size: self.size(), dst_checks: checks, src_checks: self.checks() },
            14 => Inst::Zero { dst: addr, offset, size: self.size() },
            15 => Inst::Enter(self.local()),
            16 => Inst::EnterVla { slot: ids::Slot(self.id()), size: src },
            17 => Inst::Leave(self.local()),
            18 => Inst::Call(Box::new(self.call())),
            19 => {
                let args = self.many(3, Self::operand).into();
                Inst::Intrinsic { op: self.intrinsic(), dst: self.maybe(Self::reg), args, checks }
            }
            20 => Inst::Use { ty, src, checks },
            21 => Inst::Fits { op: self.pick(FitsOp::ALL), ty, lhs, rhs, checks },
            _ => Inst::Unsupported { what: self.text().into(), checks },
        }
    }

    fn terminator(&mut self) -> Terminator {
        match self.below(7) {
            0 => Terminator::Jump(self.block()),
            1 => Terminator::Branch {
                cond: self.operand(),
                then: self.block(),
                other: self.block(),
                checks: self.checks(),
            },
            2 => Terminator::Switch {
                ty: self.ty(),
                signed: self.flag(),
                value: self.operand(),
                cases: self.many(5, |r| Case { low: r.integer(), high: r.integer(), target: r.block() }),
                default: self.block(),
                checks: self.checks(),
            },
            3 => Terminator::JumpTo { addr: self.operand(), targets: self.many(3, Self::block), checks: self.checks() },
            4 => Terminator::Return(None),
            5 => Terminator::Return(Some(self.operand())),
            _ => Terminator::Unreachable,
        }
    }

    fn body(&mut self) -> Body {
        let name = |r: &mut Self| r.maybe(|r| r.text().into());
        Body {
            regs: self.many(8, |r| RegInfo { ty: r.ty(), name: name(r) }),
            slots: self.many(4, |r| Slot { name: name(r), size: r.size(), align: r.size(), loc: r.loc() }),
            params: self.many(3, |r| if r.flag() { Param::Reg(r.reg()) } else { Param::Slot(ids::Slot(r.id())) }),
            blocks: self.many(4, |r| {
                let insts = r.many(8, Self::inst);
                // Locations repeat often in real programs, and the text form omits repeated locations.
                let mut loc = Loc::NONE;
                let mut place = || {
                    if r.flag() {
                        loc = r.loc();
                    }
                    loc
                };
                let locs = insts.iter().map(|_| place()).collect();
                let end_loc = place();
                Block { insts, locs, end: r.terminator(), end_loc }
            }),
            ..Body::default()
        }
    }

    fn global(&mut self) -> Global {
        Global {
            name: self.text(),
            size: self.size(),
            align: self.size(),
            bytes: self.many(12, |r| r.below(256) as u8),
            relocations: self.many(3, |r| Relocation {
                offset: r.size(),
                target: match r.below(3) {
                    0 => Symbol::Global(GlobalId(r.id())),
                    1 => Symbol::Function(FuncId(r.id())),
                    _ => Symbol::Label(FuncId(r.id()), r.block()),
                },
                addend: r.integer(),
            }),
            constant: self.flag(),
            linkage: self.pick(&[Linkage::External, Linkage::Internal]),
            defined: self.flag(),
            loc: self.loc(),
            ctype: None,
        }
    }

    fn function(&mut self) -> Function {
        Function {
            name: self.text(),
            linkage: self.pick(&[Linkage::External, Linkage::Internal]),
            signature: Signature {
                ret: self.maybe(Self::ty),
                params: self.many(3, Self::passing),
                variadic: self.flag(),
                prototyped: self.flag(),
                noreturn: self.flag(),
            },
            origin: self.pick(&[Origin::User, Origin::Dependency, Origin::Model]),
            loc: self.loc(),
            body: self.maybe(Self::body),
        }
    }

    fn program(&mut self) -> Program {
        Program {
            target: self.pick(&[Target::Lp64, Target::Ilp32]),
            files: self.many(3, Self::text),
            globals: self.many(3, Self::global),
            functions: self.many(4, Self::function),
            checks: self.many(9, |r| Check { kind: r.pick(CheckKind::ALL), function: FuncId(r.id()), loc: r.loc() }),
            wide: self.many(3, |r| (u128::from(r.size()) << 64 | u128::from(r.size())) >> r.below(128)),
            ..Program::default()
        }
    }
}

/// Asserts that two programs agree in everything that the text form represents.
fn assert_same(left: &Program, right: &Program) {
    assert_eq!(left.target, right.target);
    assert_eq!(left.files, right.files);
    assert_eq!(left.globals, right.globals);
    assert_eq!(left.checks, right.checks);
    assert_eq!(left.wide, right.wide);
    assert_eq!(left.functions.len(), right.functions.len());
    for (left, right) in left.functions.iter().zip(&right.functions) {
        assert_eq!(left.name, right.name);
        assert_eq!(left.linkage, right.linkage);
        assert_eq!(left.signature, right.signature);
        assert_eq!(left.origin, right.origin);
        assert_eq!(left.loc, right.loc);
        assert_eq!(left.body, right.body);
    }
}

#[test]
fn printed_programs_parse_to_the_same_program() {
    let mut random = Random(0x0123_4567_89ab_cdef);
    for _ in 0..2000 {
        let program = random.program();
        let text = print(&program);
        let read = match parse(&text) {
            Ok(read) => read,
            Err(error) => panic!("{error} in\n{text}"),
        };
        assert_same(&program, &read);
        assert_eq!(print(&read), text);
    }
}

#[test]
fn parser_and_verifier_never_panic() {
    let mut random = Random(0xfeed_beef_cafe_f00d);
    let mut accepted = 0;
    for _ in 0..300 {
        let text = print(&random.program()).into_bytes();
        for _ in 0..20 {
            let mut text = text.clone();
            for _ in 0..=random.below(3) {
                mutate(&mut random, &mut text);
            }
            let text = String::from_utf8_lossy(&text);
            if let Ok(program) = parse(&text) {
                accepted += 1;
                let printed = print(&program);
                assert_eq!(print(&parse(&printed).expect("what is printed is readable")), printed);
                verify(&program);
                print_cfg(&program);
            }
        }
    }
    assert!(accepted > 100, "some changes are harmless, or the test tests little");
}

fn mutate(random: &mut Random, text: &mut Vec<u8>) {
    let length = text.len() as u64;
    let at = random.below(length.max(1)) as usize;
    let until = (at + 1 + random.below(20) as usize).min(text.len());
    match random.below(6) {
        0 => text.truncate(at),
        1 => drop(text.drain(at..until)),
        2 => {
            let piece = text[at..until].to_vec();
            let to = random.below(length + 1) as usize;
            text.splice(to..to, piece);
        }
        3 => text.insert(at, random.below(256) as u8),
        _ => {
            let byte = random.pick(b"0123456789vsgfbcw@!+-.,:(){}[]\"\\\n \xff");
            if let Some(place) = text.get_mut(at) {
                *place = byte;
            }
        }
    }
}

/// Creates a program with one long function.
fn long_program(blocks: u32) -> Program {
    let mut random = Random(7);
    let mut body = Body::default();
    for index in 0..blocks {
        body.regs.push(RegInfo { ty: Ty::I32, name: None });
        let insts: Vec<Inst> = (0..10).map(|_| random.inst()).collect();
        let locs = insts.iter().map(|_| random.loc()).collect();
        body.blocks.push(Block { insts, locs, end: Terminator::Jump(ids::Block(index)), end_loc: random.loc() });
    }
    let signature = Signature { ret: None, params: Vec::new(), variadic: false, prototyped: true, noreturn: false };
    Program {
        functions: vec![Function {
            name: "long".into(),
            linkage: Linkage::External,
            signature,
            origin: Origin::User,
            loc: Loc::NONE,
            body: Some(body),
        }],
        ..Program::default()
    }
}

#[test]
fn long_programs_are_read_back() {
    // A parser that takes quadratic time needs minutes for these 200,000 instructions.
    let text = print(&long_program(20_000));
    let program = parse(&text).expect("printed programs are readable");
    assert_eq!(print(&program), text);
}
