//! Prints syntax trees as short text for tests.
//!
//! Types read from left to right (`[3]*int` is an array of three pointers to int), and expressions are fully
//! parenthesised.

use cairn_ir::ctype::{Quals, TypeId};

use crate::ast::*;
use crate::symbol::{Interner, Symbol};

pub struct Dump<'a>(pub &'a Interner);

impl Dump<'_> {
    fn name(&self, symbol: Symbol) -> &str {
        self.0.name(symbol)
    }

    pub fn unit(&self, unit: &Unit) -> String {
        let mut out = String::new();
        for item in &unit.items {
            let text = match item {
                Item::Declaration(d) => self.declaration(d),
                Item::Function(f) => self.function(f),
                Item::Asm(a) => self.asm(a),
                Item::StaticAssert(s) => self.static_assert(s),
            };
            out += &text;
            out.push('\n');
        }
        out
    }

    fn static_assert(&self, s: &StaticAssert) -> String {
        let message = s.message.as_ref().map_or(String::new(), |m| format!(", {}", String::from_utf8_lossy(m)));
        format!("static_assert({}{message})", self.expr(&s.cond))
    }

    fn asm(&self, a: &Asm) -> String {
        let labels: Vec<&str> = a.labels.iter().map(|&l| self.name(l)).collect();
        format!(
            "asm({:?}{}; out {}; in {}; labels {})",
            String::from_utf8_lossy(&a.template),
            if a.empty { " empty" } else { "" },
            self.exprs(&a.outputs),
            self.exprs(&a.inputs),
            labels.join(" ")
        )
    }

    fn function(&self, f: &FunctionDef) -> String {
        let params: String = f.kr_params.iter().map(|d| self.declaration(d) + " ").collect();
        format!(
            "fn {}{} {params}{}",
            self.declared(&f.specs, &f.declarator),
            self.attributes(&f.attributes),
            self.compound(&f.body)
        )
    }

    fn declaration(&self, d: &Declaration) -> String {
        if d.declarators.is_empty() {
            return self.specs(&d.specs) + ";";
        }
        let parts: Vec<String> = d
            .declarators
            .iter()
            .map(|i| {
                let init = i.init.as_ref().map_or(String::new(), |init| format!(" = {}", self.init(init)));
                let label =
                    i.asm_label.as_ref().map_or(String::new(), |l| format!(" asm {}", String::from_utf8_lossy(l)));
                format!("{}{label}{}{init}", self.declared(&d.specs, &i.declarator), self.attributes(&i.attributes))
            })
            .collect();
        parts.join(", ") + ";"
    }

    fn declared(&self, specs: &DeclSpecs, declarator: &Declarator) -> String {
        let name = declarator.name.map_or("_", |n| self.name(n));
        format!("{name}: {}", self.full_type(specs, declarator))
    }

    fn full_type(&self, specs: &DeclSpecs, declarator: &Declarator) -> String {
        let steps: String = declarator.steps.iter().rev().map(|s| self.step(s)).collect();
        steps + &self.specs(specs) + &self.attributes(&declarator.attributes)
    }

    fn type_name(&self, t: &TypeName) -> String {
        self.full_type(&t.specs, &t.declarator)
    }

    fn attributes(&self, attributes: &[Attribute]) -> String {
        let one = |a: &Attribute| {
            let args = if a.args.is_empty() { String::new() } else { format!("({})", self.exprs(&a.args)) };
            format!(" @{}{args}", self.name(a.name))
        };
        attributes.iter().map(one).collect()
    }

    fn quals(quals: Quals) -> String {
        let all = [
            (Quals::CONST, "const "),
            (Quals::VOLATILE, "volatile "),
            (Quals::RESTRICT, "restrict "),
            (Quals::ATOMIC, "atomic "),
        ];
        all.iter().filter(|(q, _)| quals.has(*q)).map(|(_, text)| *text).collect()
    }

    fn step(&self, step: &DeclStep) -> String {
        match step {
            DeclStep::Pointer(quals) => Self::quals(*quals) + "*",
            DeclStep::Array { len, quals, .. } => {
                let len = match len {
                    ArraySize::Unknown => String::new(),
                    ArraySize::Star => "*".into(),
                    ArraySize::Expr(e) => self.expr(e),
                };
                format!("[{}{len}]", Self::quals(*quals))
            }
            DeclStep::Function(f) => {
                let mut params: Vec<String> = f
                    .params
                    .iter()
                    .map(|p| self.declared(&p.specs, &p.declarator) + &self.attributes(&p.attributes))
                    .collect();
                params.extend(f.identifiers.iter().map(|&(name, _)| self.name(name).to_owned()));
                if f.variadic {
                    params.push("...".into());
                }
                let mark = if f.prototyped { "" } else { "?" };
                format!("({}{mark})", params.join(", "))
            }
        }
    }

    fn specs(&self, s: &DeclSpecs) -> String {
        let mut out = String::new();
        if let Some(storage) = s.storage {
            out += &format!("{storage:?} ").to_lowercase();
        }
        for (flag, text) in [
            (s.thread_local, "thread_local "),
            (s.inline, "inline "),
            (s.noreturn, "noreturn "),
            (s.constexpr, "constexpr "),
            (s.unqualified, "unqualified "),
        ] {
            if flag {
                out += text;
            }
        }
        for align in &s.alignas {
            out += &match align {
                AlignAs::Type(t) => format!("alignas({}) ", self.type_name(t)),
                AlignAs::Expr(e) => format!("alignas({}) ", self.expr(e)),
            };
        }
        out + &Self::quals(s.quals) + &self.type_spec(&s.ty) + &self.attributes(&s.attributes)
    }

    fn type_spec(&self, ty: &TypeSpec) -> String {
        const BASIC: [&str; 21] = [
            "void", "<error>", "bool", "char", "schar", "uchar", "short", "ushort", "int", "uint", "long", "ulong",
            "llong", "ullong", "int128", "uint128", "float16", "float", "double", "ldouble", "float128",
        ];
        match ty {
            TypeSpec::Basic(TypeId(id)) => BASIC[*id as usize].into(),
            TypeSpec::Complex(TypeId(real)) => format!("complex {}", BASIC[*real as usize]),
            TypeSpec::BitInt { unsigned, width } => format!("bitint {unsigned} {}", self.expr(width)),
            TypeSpec::Decimal(kind) => format!("{kind:?}"),
            TypeSpec::Record(r) => {
                let mut out = String::from(if r.union { "union" } else { "struct" });
                out += &r.tag.map_or(String::new(), |t| format!(" {}", self.name(t)));
                if r.pragma_pack != 0 {
                    out += &format!(" pack {}", r.pragma_pack);
                }
                if let Some(members) = &r.members {
                    let members: Vec<String> = members.iter().map(|m| self.member(m)).collect();
                    out += &format!(" {{ {} }}", members.join("; "));
                }
                out + &self.attributes(&r.attributes)
            }
            TypeSpec::Enum(e) => {
                let mut out = String::from("enum");
                out += &e.tag.map_or(String::new(), |t| format!(" {}", self.name(t)));
                out += &e.underlying.as_ref().map_or(String::new(), |t| format!(" : {}", self.type_name(t)));
                if let Some(list) = &e.enumerators {
                    let one = |e: &Enumerator| match &e.value {
                        Some(value) => format!("{} = {}", self.name(e.name), self.expr(value)),
                        None => self.name(e.name).to_owned(),
                    };
                    let list: Vec<String> = list.iter().map(one).collect();
                    out += &format!(" {{ {} }}", list.join(", "));
                }
                out + &self.attributes(&e.attributes)
            }
            TypeSpec::Typedef(name, _) => self.name(*name).into(),
            TypeSpec::TypeofExpr(e) => format!("typeof({})", self.expr(e)),
            TypeSpec::TypeofType(t) => format!("typeof({})", self.type_name(t)),
            TypeSpec::Atomic(t) => format!("atomic({})", self.type_name(t)),
            TypeSpec::Auto => "auto".into(),
            TypeSpec::VaList => "va_list".into(),
            TypeSpec::Implicit => "<implicit>".into(),
        }
    }

    fn member(&self, member: &Member) -> String {
        match member {
            Member::StaticAssert(s) => self.static_assert(s),
            Member::Fields(specs, fields) if fields.is_empty() => self.specs(specs),
            Member::Fields(specs, fields) => {
                let one = |f: &FieldDeclarator| {
                    let width = f.width.as_ref().map_or(String::new(), |w| format!(" : {}", self.expr(w)));
                    self.declared(specs, &f.declarator) + &width + &self.attributes(&f.attributes)
                };
                fields.iter().map(one).collect::<Vec<_>>().join(", ")
            }
        }
    }

    fn init(&self, init: &Initializer) -> String {
        match init {
            Initializer::Expr(e) => self.expr(e),
            Initializer::List(list) => self.list(list),
        }
    }

    fn list(&self, list: &InitList) -> String {
        let one = |e: &InitEntry| {
            let path = self.designators(&e.designators);
            if path.is_empty() { self.init(&e.value) } else { format!("{path} = {}", self.init(&e.value)) }
        };
        format!("{{{}}}", list.entries.iter().map(one).collect::<Vec<_>>().join(", "))
    }

    fn designators(&self, designators: &[Designator]) -> String {
        let one = |d: &Designator| match d {
            Designator::Field(name, _) => format!(".{}", self.name(*name)),
            Designator::Index(e) => format!("[{}]", self.expr(e)),
            Designator::Range(a, b) => format!("[{} ... {}]", self.expr(a), self.expr(b)),
        };
        designators.iter().map(one).collect()
    }

    fn compound(&self, block: &Compound) -> String {
        let one = |item: &BlockItem| match item {
            BlockItem::Declaration(d) => self.declaration(d),
            BlockItem::Function(f) => self.function(f),
            BlockItem::Stmt(s) => self.stmt(s),
            BlockItem::StaticAssert(s) => self.static_assert(s),
            BlockItem::LocalLabels(labels) => {
                format!("labels {};", labels.iter().map(|l| self.name(l.0)).collect::<Vec<_>>().join(" "))
            }
        };
        if block.items.is_empty() {
            return "{}".into();
        }
        format!("{{ {} }}", block.items.iter().map(one).collect::<Vec<_>>().join(" "))
    }

    fn stmt(&self, stmt: &Stmt) -> String {
        let optional = |e: &Option<Expr>| e.as_ref().map_or(String::new(), |e| self.expr(e));
        match &stmt.kind {
            StmtKind::Expr(e) => self.expr(e) + ";",
            StmtKind::Empty => ";".into(),
            StmtKind::Compound(c) => self.compound(c),
            StmtKind::If(c, a, None) => format!("if {} {}", self.expr(c), self.stmt(a)),
            StmtKind::If(c, a, Some(b)) => format!("if {} {} else {}", self.expr(c), self.stmt(a), self.stmt(b)),
            StmtKind::While(c, s) => format!("while {} {}", self.expr(c), self.stmt(s)),
            StmtKind::DoWhile(s, c) => format!("do {} while {};", self.stmt(s), self.expr(c)),
            StmtKind::For(init, c, step, s) => {
                let init = match &**init {
                    ForInit::None => ";".into(),
                    ForInit::Expr(e) => self.expr(e) + ";",
                    ForInit::Declaration(d) => self.declaration(d),
                };
                format!("for ({init} {}; {}) {}", optional(c), optional(step), self.stmt(s))
            }
            StmtKind::Switch(e, s) => format!("switch {} {}", self.expr(e), self.stmt(s)),
            StmtKind::Case(a, None, s) => format!("case {}: {}", self.expr(a), self.stmt(s)),
            StmtKind::Case(a, Some(b), s) => {
                format!("case {} ... {}: {}", self.expr(a), self.expr(b), self.stmt(s))
            }
            StmtKind::Default(s) => format!("default: {}", self.stmt(s)),
            StmtKind::Label(name, s) => format!("{}: {}", self.name(*name), self.stmt(s)),
            StmtKind::Goto(name) => format!("goto {};", self.name(*name)),
            StmtKind::GotoComputed(e) => format!("goto *{};", self.expr(e)),
            StmtKind::Break => "break;".into(),
            StmtKind::Continue => "continue;".into(),
            StmtKind::Return(e) => format!("return {};", optional(e)),
            StmtKind::Asm(a) => self.asm(a) + ";",
            StmtKind::Error => "<error>;".into(),
        }
    }

    fn exprs(&self, list: &[Expr]) -> String {
        list.iter().map(|e| self.expr(e)).collect::<Vec<_>>().join(", ")
    }

    fn expr(&self, e: &Expr) -> String {
        match &e.kind {
            ExprKind::Ident(name) => self.name(*name).into(),
            ExprKind::Int(i) => {
                let suffix = ["", "l", "ll"][i.longs as usize];
                let (u, im) = (if i.unsigned { "u" } else { "" }, if i.imaginary { "i" } else { "" });
                let hex = if i.decimal { "" } else { "#" };
                format!("{hex}{}{u}{suffix}{im}", i.value)
            }
            ExprKind::Float(f) => format!("{}:{:?}{}", f.text, f.kind, if f.imaginary { "i" } else { "" }),
            ExprKind::Char(value, StringPrefix::None) => format!("'{value}'"),
            ExprKind::Char(value, prefix) => format!("'{value}:{prefix:?}'"),
            ExprKind::String(s) => {
                let text: String = s
                    .units
                    .iter()
                    .map(|&u| char::from_u32(u).unwrap_or('\u{fffd}').escape_default().to_string())
                    .collect();
                if s.prefix == StringPrefix::None { format!("\"{text}\"") } else { format!("{:?}\"{text}\"", s.prefix) }
            }
            ExprKind::Index(a, i) => format!("{}[{}]", self.expr(a), self.expr(i)),
            ExprKind::Call(f, args) => format!("{}({})", self.expr(f), self.exprs(args)),
            ExprKind::Member(a, name, _) => format!("{}.{}", self.expr(a), self.name(*name)),
            ExprKind::Arrow(a, name, _) => format!("{}->{}", self.expr(a), self.name(*name)),
            ExprKind::Unary(op, a) => format!("({op:?} {})", self.expr(a)),
            ExprKind::Binary(op, a, b) => format!("({} {op:?} {})", self.expr(a), self.expr(b)),
            ExprKind::LogicalAnd(a, b) => format!("({} && {})", self.expr(a), self.expr(b)),
            ExprKind::LogicalOr(a, b) => format!("({} || {})", self.expr(a), self.expr(b)),
            ExprKind::Assign(None, a, b) => format!("({} = {})", self.expr(a), self.expr(b)),
            ExprKind::Assign(Some(op), a, b) => format!("({} {op:?}= {})", self.expr(a), self.expr(b)),
            ExprKind::Conditional(c, None, b) => format!("({} ?: {})", self.expr(c), self.expr(b)),
            ExprKind::Conditional(c, Some(a), b) => {
                format!("({} ? {} : {})", self.expr(c), self.expr(a), self.expr(b))
            }
            ExprKind::Comma(a, b) => format!("({}, {})", self.expr(a), self.expr(b)),
            ExprKind::Cast(t, e) => format!("(({}) {})", self.type_name(t), self.expr(e)),
            ExprKind::CompoundLiteral(t, list) => format!("({}){}", self.type_name(t), self.list(list)),
            ExprKind::SizeofExpr(e) => format!("sizeof<{}>", self.expr(e)),
            ExprKind::SizeofType(t) => format!("sizeof({})", self.type_name(t)),
            ExprKind::AlignofExpr(e) => format!("alignof<{}>", self.expr(e)),
            ExprKind::AlignofType(t, _) => format!("alignof({})", self.type_name(t)),
            ExprKind::LabelAddress(name) => format!("&&{}", self.name(*name)),
            ExprKind::StmtExpr(block) => format!("({})", self.compound(block)),
            ExprKind::Generic(control, list) => {
                let one = |(ty, e): &(Option<TypeName>, Expr)| {
                    let ty = ty.as_ref().map_or("default".into(), |t| self.type_name(t));
                    format!("{ty}: {}", self.expr(e))
                };
                format!("generic({}; {})", self.expr(control), list.iter().map(one).collect::<Vec<_>>().join("; "))
            }
            ExprKind::VaArg(e, t) => format!("va_arg({}, {})", self.expr(e), self.type_name(t)),
            ExprKind::Offsetof(t, path) => format!("offsetof({}, {})", self.type_name(t), self.designators(path)),
            ExprKind::ConvertVector(v, ty) => format!("convertvector({}, {})", self.expr(v), self.type_name(ty)),
            ExprKind::TypesCompatible(a, b) => format!("compatible({}, {})", self.type_name(a), self.type_name(b)),
            ExprKind::ChooseExpr(c, a, b) => {
                format!("choose({}, {}, {})", self.expr(c), self.expr(a), self.expr(b))
            }
            ExprKind::Nullptr => "nullptr".into(),
            ExprKind::Bool(value) => value.to_string(),
            ExprKind::Error => "<error>".into(),
        }
    }
}
