//! Operations that C has no operator for: what lowering binds library calls to, and what models of the library are made of.

use super::Ty;

/// Math functions of one or two floating arguments, computed in the type of the result register (`f32`, `f64`, `f80`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names are those of math.h")]
pub enum MathFn {
    Sqrt,
    Cbrt,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Exp,
    Exp2,
    Expm1,
    Log,
    Log2,
    Log10,
    Log1p,
    Floor,
    Ceil,
    Trunc,
    Round,
    Rint,
    Fabs,
    Pow,
    Fmod,
    Atan2,
    Hypot,
    Fmin,
    Fmax,
    Fdim,
    Copysign,
    Remainder,
}

/// Operations that C has no operator for. The pass `bind_library` turns calls of undefined functions with a known name into
/// them; models of the C library call them as `__cairn_NAME`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Intrinsic {
    /// `ptr heap_alloc(size)`: malloc. Checks `leak` and `unfreed` of what it allocates.
    HeapAlloc,
    /// `ptr heap_alloc_zeroed(count, size)`: calloc. Checks as `HeapAlloc`.
    HeapAllocZeroed,
    /// `ptr heap_alloc_aligned(align, size)`. Checks as `HeapAlloc`.
    HeapAllocAligned,
    /// `ptr heap_realloc(ptr, size)`. Checks as `HeapAlloc` and `HeapFree`.
    HeapRealloc,
    /// `heap_free(ptr)`: null is fine. Checks `double-free`, `invalid-free`, `uninitialised`.
    HeapFree,
    /// `ptr stack_alloc(size)`: alloca; dies when the function that called it returns.
    StackAlloc,
    /// `copy_bytes(dst, src, size)`: memcpy. Checks both regions and `overlap`.
    CopyBytes,
    /// `move_bytes(dst, src, size)`: memmove. Checks both regions.
    MoveBytes,
    /// `fill_bytes(dst, byte: i32, size)`: memset. Checks the region.
    FillBytes,
    /// `i32 compare_bytes(a, b, size)`: memcmp. Checks both regions, up to `size`, and `uninitialised`.
    CompareBytes,
    /// `size string_length(s)`: strlen. Checks that it ends inside its object.
    StringLength,
    /// `size object_size(ptr)`: bytes from the pointer to the end of its object, 0 when there is none.
    ObjectSize,
    /// `T nondet()`: any value of the result's type.
    Nondet,
    /// `nondet_bytes(ptr, size)`: fills memory with any values. Checks the region.
    NondetBytes,
    /// `assume(cond: i32)`: paths where it is 0 are not considered.
    Assume,
    /// `assert_fail()`: an assertion failed. Check `assertion`. Does not return.
    AssertFail,
    /// `reach_error()`: the error function of a verification task is called. Check `assertion`. Does not return.
    ReachError,
    /// `exit(status: i32)`: ends the program normally. Does not return.
    Exit,
    /// `abort()`: ends the program abnormally. Does not return.
    Abort,
    /// `ptr va_start()`: the variable arguments of this call, each at the next multiple of 16 bytes from the pointer.
    VaStart,
    /// `va_arg(at, class: i32, size: size)`: the variable argument at `at` is about to be taken as one of that
    /// [`VariableClass`](super::VariableClass) and size. Check `invalid-call` when it is another.
    VaArg,
    /// `i32 setjmp(buf)`: returns 0, and again what longjmp says.
    Setjmp,
    /// `longjmp(buf, value: i32)`. Check `invalid-call` when the buffer is not of a live frame. Does not return.
    Longjmp,
    /// `i32 write(fd: i32, data, size: size)`. Checks the region and `uninitialised`.
    Write,
    /// `i32 read_char(fd: i32)`: the next byte of standard input or -1.
    ReadChar,
    /// `i32 format_file(fd: i32, format, args)`: printf; `args` as from `va_start`. Checks everything it touches.
    FormatFile,
    /// `i32 format_buffer(buffer, capacity: size, format, args)`: snprintf. Checks everything it touches.
    FormatBuffer,
    /// `T parse_float(text, endptr)`: strtod, strtof and strtold; `endptr` may be null. Checks everything it touches.
    ParseFloat,
    /// `T math(T…)`.
    Math(MathFn),
    /// `i64 time()`: seconds since 1970 (an input in replay).
    Time,
    /// `i64 clock()`: processor time used, in microseconds.
    Clock,
    /// `one_answer()`: what a model of the library answers from here on is one of several answers that the world may give (the
    /// environment is empty, there are no files). A run is right with it; a proof is not.
    OneAnswer,
    /// `ptr closure(function, capture…)`: a function pointer that calls a nested function with the addresses of what it
    /// captures as additional last arguments, until the function that made it returns.
    Closure,
}

/// The type of a parameter or of the result of an [`Intrinsic`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Shape {
    /// This type.
    Is(Ty),
    /// The integer of pointer width.
    Size,
    /// The type of the result register, whichever it is: [`Intrinsic::Nondet`] gives any type, and [`Intrinsic::Math`]
    /// computes in any floating one. Without a result register there is nothing that says which; all arguments of that
    /// shape have one type nevertheless.
    Result,
}

impl Shape {
    /// The type on a target, in an instruction whose result register has type `result`; `None` where that is not known.
    pub const fn ty(self, target: crate::layout::Target, result: Option<Ty>) -> Option<Ty> {
        match self {
            Shape::Is(ty) => Some(ty),
            Shape::Size => Ty::int(target.pointer_bits()),
            Shape::Result => result,
        }
    }
}

macro_rules! math_names {
    ($($variant:ident = $name:literal $count:literal,)*) => {
        impl MathFn {
            /// Every function, in the order of declaration.
            pub const ALL: &'static [MathFn] = &[$(MathFn::$variant,)*];

            /// The name in `math.h`, of the variant for `double`.
            pub const fn name(self) -> &'static str {
                match self { $(MathFn::$variant => $name,)* }
            }

            /// How many arguments it takes.
            pub const fn arity(self) -> usize {
                match self { $(MathFn::$variant => $count,)* }
            }

            /// The name as an intrinsic.
            const fn intrinsic_name(self) -> &'static str {
                match self { $(MathFn::$variant => concat!("math_", $name),)* }
            }
        }
    };
}

math_names! {
    Sqrt = "sqrt" 1,
    Cbrt = "cbrt" 1,
    Sin = "sin" 1,
    Cos = "cos" 1,
    Tan = "tan" 1,
    Asin = "asin" 1,
    Acos = "acos" 1,
    Atan = "atan" 1,
    Sinh = "sinh" 1,
    Cosh = "cosh" 1,
    Tanh = "tanh" 1,
    Exp = "exp" 1,
    Exp2 = "exp2" 1,
    Expm1 = "expm1" 1,
    Log = "log" 1,
    Log2 = "log2" 1,
    Log10 = "log10" 1,
    Log1p = "log1p" 1,
    Floor = "floor" 1,
    Ceil = "ceil" 1,
    Trunc = "trunc" 1,
    Round = "round" 1,
    Rint = "rint" 1,
    Fabs = "fabs" 1,
    Pow = "pow" 2,
    Fmod = "fmod" 2,
    Atan2 = "atan2" 2,
    Hypot = "hypot" 2,
    Fmin = "fmin" 2,
    Fmax = "fmax" 2,
    Fdim = "fdim" 2,
    Copysign = "copysign" 2,
    Remainder = "remainder" 2,
}

impl MathFn {
    /// Whether the result is the rounded exact one in every format, `long double` among them. The others are as good as the
    /// machine's library for `float` and `double` makes them.
    pub const fn is_exact(self) -> bool {
        matches!(
            self,
            MathFn::Sqrt
                | MathFn::Floor
                | MathFn::Ceil
                | MathFn::Trunc
                | MathFn::Round
                | MathFn::Rint
                | MathFn::Fabs
                | MathFn::Fmod
                | MathFn::Fmin
                | MathFn::Fmax
                | MathFn::Fdim
                | MathFn::Copysign
                | MathFn::Remainder
        )
    }

    /// The function with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|f| f.name() == name)
    }
}

macro_rules! intrinsic_names {
    ($($variant:ident = $name:literal ($($param:expr),*) $(-> $result:expr)?,)*) => {
        impl Intrinsic {
            /// Every intrinsic but the [`Intrinsic::Math`] ones, in the order of declaration.
            pub const PLAIN: &'static [Intrinsic] = &[$(Intrinsic::$variant,)*];

            /// The name in the text form; C models call it as `__cairn_NAME`. Math functions have a prefix: `math_sqrt`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Intrinsic::$variant => $name,)*
                    Intrinsic::Math(function) => function.intrinsic_name(),
                }
            }

            /// The parameters. [`Intrinsic::Closure`] takes more: any number of further pointers.
            pub const fn params(self) -> &'static [Shape] {
                match self {
                    $(Intrinsic::$variant => &[$($param),*],)*
                    Intrinsic::Math(function) => match function.arity() {
                        1 => &[Shape::Result],
                        _ => &[Shape::Result, Shape::Result],
                    },
                }
            }

            /// The result; `None` where there is none.
            pub const fn result(self) -> Option<Shape> {
                match self {
                    $(Intrinsic::$variant => intrinsic_names!(@result $($result)?),)*
                    Intrinsic::Math(_) => Some(Shape::Result),
                }
            }
        }
    };
    (@result) => { None };
    (@result $result:expr) => { Some($result) };
}

const PTR: Shape = Shape::Is(Ty::Ptr);
const I32: Shape = Shape::Is(Ty::I32);
const I64: Shape = Shape::Is(Ty::I64);
const SIZE: Shape = Shape::Size;

intrinsic_names! {
    HeapAlloc = "heap_alloc" (SIZE) -> PTR,
    HeapAllocZeroed = "heap_alloc_zeroed" (SIZE, SIZE) -> PTR,
    HeapAllocAligned = "heap_alloc_aligned" (SIZE, SIZE) -> PTR,
    HeapRealloc = "heap_realloc" (PTR, SIZE) -> PTR,
    HeapFree = "heap_free" (PTR),
    StackAlloc = "stack_alloc" (SIZE) -> PTR,
    CopyBytes = "copy_bytes" (PTR, PTR, SIZE),
    MoveBytes = "move_bytes" (PTR, PTR, SIZE),
    FillBytes = "fill_bytes" (PTR, I32, SIZE),
    CompareBytes = "compare_bytes" (PTR, PTR, SIZE) -> I32,
    StringLength = "string_length" (PTR) -> SIZE,
    ObjectSize = "object_size" (PTR) -> SIZE,
    Nondet = "nondet" () -> Shape::Result,
    NondetBytes = "nondet_bytes" (PTR, SIZE),
    Assume = "assume" (I32),
    AssertFail = "assert_fail" (),
    ReachError = "reach_error" (),
    Exit = "exit" (I32),
    Abort = "abort" (),
    VaStart = "va_start" () -> PTR,
    VaArg = "va_arg" (PTR, I32, SIZE),
    Setjmp = "setjmp" (PTR) -> I32,
    Longjmp = "longjmp" (PTR, I32),
    Write = "write" (I32, PTR, SIZE) -> I32,
    ReadChar = "read_char" (I32) -> I32,
    FormatFile = "format_file" (I32, PTR, PTR) -> I32,
    FormatBuffer = "format_buffer" (PTR, SIZE, PTR, PTR) -> I32,
    ParseFloat = "parse_float" (PTR, PTR) -> Shape::Result,
    Time = "time" () -> I64,
    Clock = "clock" () -> I64,
    OneAnswer = "one_answer" (),
    Closure = "closure" (PTR) -> PTR,
}

impl Intrinsic {
    /// The intrinsic with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        match name.strip_prefix("math_") {
            Some(function) => MathFn::from_name(function).map(Intrinsic::Math),
            None => Self::PLAIN.iter().copied().find(|i| i.name() == name),
        }
    }

    /// Whether control goes on after it.
    pub const fn returns(self) -> bool {
        !matches!(
            self,
            Intrinsic::AssertFail | Intrinsic::ReachError | Intrinsic::Exit | Intrinsic::Abort | Intrinsic::Longjmp
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_the_intrinsic() {
        let math = MathFn::ALL.iter().map(|&f| Intrinsic::Math(f));
        for intrinsic in Intrinsic::PLAIN.iter().copied().chain(math) {
            assert_eq!(Intrinsic::from_name(intrinsic.name()), Some(intrinsic));
        }
        assert_eq!(Intrinsic::from_name("math_"), None);
        assert_eq!(Intrinsic::from_name("malloc"), None);
    }

    #[test]
    fn shapes_follow_the_target() {
        use crate::layout::Target;
        assert_eq!(Shape::Size.ty(Target::Ilp32, None), Some(Ty::I32));
        assert_eq!(Shape::Size.ty(Target::Lp64, None), Some(Ty::I64));
        assert_eq!(Shape::Result.ty(Target::Lp64, Some(Ty::F80)), Some(Ty::F80));
        assert_eq!(Intrinsic::Math(MathFn::Pow).params(), [Shape::Result, Shape::Result]);
    }
}
