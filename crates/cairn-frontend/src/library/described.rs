//! Models of functions that the user describes in a few words: allocators, deallocators, and functions that do not return.
//!
//! A description becomes C text with the types of the user's declaration, such as
//!
//! ```c
//! void *pool_alloc(void *p1, unsigned long p2) {
//!     size_t size = 0;
//!     …
//!     return malloc(size);
//! }
//! ```
//!
//! All engines follow the text as they follow the models of the C library.

use std::fmt::Write;
use std::str::FromStr;

use cairn_ir::ctype::{FloatKind, FunctionType, IntKind, Type, TypeId, TypeTable};
use cairn_ir::layout::{self, Target};

/// The largest number of a parameter, as the C standard asks compilers to support.
pub const MAX_PARAMETER: usize = 127;

/// The name of the model file of a function.
pub(crate) fn file(name: &str) -> String {
    format!("<cairn/functions/{name}.c>")
}

/// A function with a known effect on memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Described {
    /// The name.
    pub name: String,
    /// The result.
    pub result: Outcome,
    /// The parameters that are freed, numbered from 1. Null pointers are not freed.
    pub frees: Vec<usize>,
    /// Whether the description also stands for a function that the user defines.
    pub replaces: bool,
}

/// What a call returns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Any value of its type.
    Any,
    /// The call does not return.
    Never,
    /// New memory that the caller has to free.
    Owned {
        /// The number of bytes. Without it, the result is as large as the type that it points to.
        size: Option<Size>,
        /// Whether the result may be null.
        failure: Failure,
        /// The bytes of the memory.
        contents: Contents,
    },
}

/// A number of bytes: a sum of products.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Size(pub Vec<Vec<Factor>>);

impl FromStr for Size {
    type Err = ();

    /// Reads a text such as `$1 * $2 + 16`.
    fn from_str(text: &str) -> Result<Self, ()> {
        let factor = |text: &str| match text.trim().strip_prefix('$') {
            _ if !text.trim().ends_with(|c: char| c.is_ascii_digit()) || text.contains(['+', '-']) => Err(()),
            Some(number) => match number.parse() {
                Ok(number @ 1..=MAX_PARAMETER) => Ok(Factor::Parameter(number)),
                _ => Err(()),
            },
            None => text.trim().parse().map(Factor::Number).map_err(|_| ()),
        };
        let product = |text: &str| text.split('*').map(factor).collect();
        text.split('+').map(product).collect::<Result<_, ()>>().map(Size)
    }
}

/// A factor of a size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Factor {
    /// The value of a parameter, numbered from 1.
    Parameter(usize),
    /// A number.
    Number(u32),
}

/// Whether an allocation may fail.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Failure {
    /// As `malloc`.
    #[default]
    AsMalloc,
    /// It may return null.
    Possible,
    /// It does not return null; the program ends instead.
    Impossible,
}

/// The bytes of new memory.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Contents {
    /// They have no value.
    #[default]
    Uninitialised,
    /// They are zero.
    Zero,
    /// They have any value.
    Any,
}

impl Described {
    /// Returns the numbers of all parameters that the description names.
    fn parameters(&self) -> impl Iterator<Item = usize> + '_ {
        let size = match &self.result {
            Outcome::Owned { size: Some(Size(sum)), .. } => sum.as_slice(),
            _ => &[],
        };
        let of_size = size.iter().flatten().filter_map(|factor| match factor {
            Factor::Parameter(number) => Some(*number),
            Factor::Number(_) => None,
        });
        of_size.chain(self.frees.iter().copied())
    }

    /// Returns the C text of the model for a function of this type. The error says why the description does not fit.
    pub(crate) fn text(&self, types: &TypeTable, target: Target, function: &FunctionType) -> Result<String, String> {
        let name = &self.name;
        self.check(types, function)?;
        let unknown =
            || format!("`{name}` has a parameter or result that a description cannot express; write a model in C");
        let spelled = |ty: &TypeId| spelling(types, *ty).ok_or_else(unknown);
        let mut parameters: Vec<String> = Vec::new();
        for (index, ty) in function.params.iter().enumerate() {
            parameters.push(format!("{} p{}", spelled(ty)?, index + 1));
        }
        if function.variadic {
            parameters.push("...".to_owned());
        }
        if parameters.is_empty() && function.prototyped {
            parameters.push("void".to_owned());
        }
        let result = spelled(&function.ret.ty)?;
        let specifier = if self.result == Outcome::Never { "_Noreturn " } else { "" };
        let mut text = String::from(DECLARATIONS);
        let _ = writeln!(text, "{result} __cairn_any_result(void);");
        let _ = writeln!(text, "{specifier}{result} {name}({})\n{{", parameters.join(", "));
        for parameter in &self.frees {
            let _ = writeln!(text, "    free(p{parameter});");
        }
        match &self.result {
            Outcome::Any if result == "void" => {}
            Outcome::Any => text.push_str("    return __cairn_any_result();\n"),
            Outcome::Never => text.push_str("    abort();\n"),
            Outcome::Owned { size, failure, contents } => {
                let bytes = match size {
                    Some(_) => None,
                    None => Some(self.size_of_result(types, target, function.ret.ty)?),
                };
                allocate(&mut text, (size.as_ref(), bytes.unwrap_or(0)), *failure, *contents);
            }
        }
        text.push_str("}\n");
        Ok(text)
    }

    /// Checks the parameters and the result against the type of the function.
    fn check(&self, types: &TypeTable, function: &FunctionType) -> Result<(), String> {
        let name = &self.name;
        for number in self.parameters() {
            let Some(&ty) = function.params.get(number - 1) else {
                let count = function.params.len();
                let s = if count == 1 { "" } else { "s" };
                return Err(format!("`{name}` has {count} parameter{s}, but its description names `${number}`"));
            };
            let is_pointer = matches!(types.get(ty), Type::Pointer(_));
            if self.frees.contains(&number) != is_pointer {
                let kind = if is_pointer { "a pointer, not a number" } else { "no pointer that can be freed" };
                return Err(format!("`${number}` of `{name}` is {kind}"));
            }
        }
        let returns_pointer = matches!(types.get(function.ret.ty), Type::Pointer(_));
        match self.result {
            Outcome::Owned { .. } if !returns_pointer => Err(format!("`{name}` returns no pointer")),
            Outcome::Any if returns_pointer => Err(format!(
                "`{name}` returns a pointer; write a model in C, or `returns = \"owned\"` if it is new memory"
            )),
            _ => Ok(()),
        }
    }

    /// Returns the size of what the result points to.
    fn size_of_result(&self, types: &TypeTable, target: Target, result: TypeId) -> Result<u64, String> {
        let Type::Pointer(to) = types.get(result) else { return Ok(0) };
        match types.get(to.ty) {
            // Nothing is accessed through a pointer to an unknown struct.
            Type::Record(_) => Ok(layout::size_of(types, target, to.ty).unwrap_or(1)),
            _ => Err(format!("the result of `{}` has no known size; add `size`", self.name)),
        }
    }
}

const DECLARATIONS: &str = "typedef __typeof__(sizeof 0) size_t;
void *malloc(size_t size);
void free(void *data);
void abort(void);
void *memset(void *to, int byte, size_t size);
void __cairn_nondet_bytes(void *to, size_t size);
int __cairn_any_int(void);
";

/// Writes the statements that allocate. A size that does not fit makes the allocation fail.
fn allocate(text: &mut String, (size, bytes): (Option<&Size>, u64), failure: Failure, contents: Contents) {
    let fail = if failure == Failure::Impossible { "abort()" } else { "return 0" };
    let _ = writeln!(text, "    size_t size = {bytes};");
    for product in size.iter().flat_map(|size| &size.0) {
        text.push_str("    {\n        size_t product = 1;\n");
        for factor in product {
            let factor = match factor {
                Factor::Parameter(number) => format!("p{number}"),
                Factor::Number(number) => format!("{number}u"),
            };
            let _ =
                writeln!(text, "        if (__builtin_mul_overflow(product, {factor}, &product))\n            {fail};");
        }
        let _ =
            writeln!(text, "        if (__builtin_add_overflow(size, product, &size))\n            {fail};\n    }}");
    }
    if failure == Failure::Possible {
        text.push_str("    if (__cairn_any_int())\n        return 0;\n");
    }
    text.push_str("    void *made = malloc(size);\n");
    let _ = writeln!(text, "    if (!made)\n        {fail};");
    match contents {
        Contents::Uninitialised => {}
        Contents::Zero => text.push_str("    memset(made, 0, size);\n"),
        Contents::Any => text.push_str("    __cairn_nondet_bytes(made, size);\n"),
    }
    text.push_str("    return made;\n");
}

/// Returns the C type of a parameter or result. Pointers of all types are passed alike.
fn spelling(types: &TypeTable, ty: TypeId) -> Option<&'static str> {
    Some(match types.get(ty) {
        Type::Void => "void",
        Type::Pointer(_) => "void *",
        Type::Enum(_) => "unsigned int",
        Type::Int(kind) => match kind {
            IntKind::Bool => "_Bool",
            IntKind::Char => "char",
            IntKind::SChar => "signed char",
            IntKind::UChar => "unsigned char",
            IntKind::Short => "short",
            IntKind::UShort => "unsigned short",
            IntKind::Int => "int",
            IntKind::UInt => "unsigned int",
            IntKind::Long => "long",
            IntKind::ULong => "unsigned long",
            IntKind::LongLong => "long long",
            IntKind::ULongLong => "unsigned long long",
            IntKind::Int128 => "__int128",
            IntKind::UInt128 => "unsigned __int128",
            IntKind::BitInt { .. } | IntKind::Field { .. } => return None,
        },
        Type::Float(FloatKind::Float) => "float",
        Type::Float(FloatKind::Double) => "double",
        Type::Float(FloatKind::LongDouble) => "long double",
        _ => return None,
    })
}
