//! Intrinsics: operations for which C has no operator.
//!
//! Library calls are bound to intrinsics, and the library models are built from them.

use super::Ty;
use crate::check::{self, CheckKind};

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

/// An operation for which C has no operator.
///
/// The front-end turns calls to undefined library functions into intrinsics. Models of the C
/// library call them as `__cairn_NAME`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Intrinsic {
    /// `ptr heap_alloc(size)`: malloc. Carries the checks `leak` and `unfreed` of the allocated object.
    HeapAlloc,
    /// `ptr heap_alloc_zeroed(count, size)`: calloc. Has the checks of `HeapAlloc`.
    HeapAllocZeroed,
    /// `ptr heap_alloc_aligned(align, size)`. Has the checks of `HeapAlloc`.
    HeapAllocAligned,
    /// `ptr heap_realloc(ptr, size, any: i32)`: realloc. Has the checks of `HeapAlloc` and `HeapFree`.
    ///
    /// Size 0 frees the object and returns null. If the constant `any` is 1, a new object of size 0 is also permitted: an
    /// input like the success of an allocation decides whether the object is allocated.
    HeapRealloc,
    /// `heap_free(ptr)`: free; null is permitted. Checks `double-free`, `invalid-free`, `uninitialised`.
    HeapFree,
    /// `ptr stack_alloc(size)`: alloca. The object dies when the calling function returns.
    StackAlloc,
    /// `ptr map_memory(size)`: a new mapping of zeroed pages.
    MapMemory,
    /// `i32 unmap_memory(ptr, size)`: ends a mapping that starts at `ptr` and has this size; the result is 0 where there is none.
    UnmapMemory,
    /// `ptr open_resource(size)`: a new stream or folder of the system, as zeroed memory. Carries the check `file-leak`.
    OpenResource,
    /// `close_resource(ptr)`: closes a stream or folder. Checks `double-free`, `invalid-free`, `uninitialised`.
    CloseResource,
    /// `copy_bytes(dst, src, size)`: memcpy. Checks both regions and `overlap`.
    CopyBytes,
    /// `move_bytes(dst, src, size)`: memmove. Checks both regions.
    MoveBytes,
    /// `fill_bytes(dst, byte: i32, size)`: memset. Checks the region.
    FillBytes,
    /// `i32 compare_bytes(a, b, size)`: memcmp. Checks both regions, up to `size`, and `uninitialised`.
    CompareBytes,
    /// `size string_length(s)`: strlen. Checks that the string ends inside its object.
    StringLength,
    /// `size object_size(ptr)`: the number of bytes from the pointer to the end of its object; 0 without an object.
    ObjectSize,
    /// `T nondet()`: any value of the result type.
    Nondet,
    /// `nondet_bytes(ptr, size)`: fills memory with arbitrary bytes. Checks the region.
    NondetBytes,
    /// `assume(cond: i32)`: discards executions in which the condition is 0.
    Assume,
    /// `assert_fail()`: a failed assertion. Checks `assertion`. Does not return.
    AssertFail,
    /// `reach_error()`: a call to the error function of a verification task. Checks `assertion`. Does not return.
    ReachError,
    /// `exit(status: i32)`: terminates the program normally. Does not return.
    Exit,
    /// `abort()`: terminates the program abnormally. Does not return.
    Abort,
    /// `ptr va_start()`: the variable arguments of this call, each at the next multiple of 16 bytes from the pointer.
    VaStart,
    /// `va_arg(at, class: i32, size: size)`: announces a read of the variable argument at `at`.
    ///
    /// The read is by a [`VariableClass`](super::VariableClass) and size. Checks `invalid-call`, which is violated if
    /// the argument has another class or size.
    VaArg,
    /// `i32 setjmp(buf)`: returns 0, and returns again with the value passed to longjmp.
    Setjmp,
    /// `longjmp(buf, value: i32)`. Checks `invalid-call`: the buffer must belong to a live frame. Does not return.
    Longjmp,
    /// `i32 write(fd: i32, data, size: size)`. Checks the region and `uninitialised`.
    Write,
    /// `i32 read_char(fd: i32)`: the next byte of standard input, or -1.
    ReadChar,
    /// `i32 format_file(fd: i32, format, args)`: printf, with `args` from `va_start`. Checks all accessed memory.
    FormatFile,
    /// `i32 format_buffer(buffer, capacity: size, format, args)`: snprintf. Checks all accessed memory.
    FormatBuffer,
    /// `T parse_float(text, endptr)`: strtod and the like; `endptr` may be null. Checks all accessed memory.
    ParseFloat,
    /// `T math(T…)`: a function of `math.h`.
    Math(MathFn),
    /// `i64 time()`: seconds since 1970. Replay treats the result as an input.
    Time,
    /// `i64 clock()`: processor time used, in microseconds.
    Clock,
    /// `one_answer()`: from here on, the model assumes one of several possible behaviours of the environment.
    ///
    /// For example, no environment variable is set and no file exists. A concrete execution under the assumption is
    /// real, but a proof does not cover the other behaviours.
    OneAnswer,
    /// `i32 vary(value: i32)`: the value in an execution, any value in a proof, because the environment may have changed it.
    ///
    /// For example, output may fail. A candidate that needs another value does not replay.
    Vary,
    /// `i32 order(difference: i32)`: any number with the sign of the difference; in an execution the difference itself.
    ///
    /// C fixes only the sign of the results of `memcmp` and `strcmp`.
    Order,
    /// `ptr closure(function, capture…)`: a function pointer that calls a nested function.
    ///
    /// The call passes the addresses of the captured variables as additional last arguments. The pointer is valid until
    /// the function that created it returns.
    Closure,
}

/// The type of a parameter or of the result of an [`Intrinsic`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Shape {
    /// A fixed type.
    Is(Ty),
    /// The integer of pointer width.
    Size,
    /// The type of the result register.
    ///
    /// [`Intrinsic::Nondet`] returns any type, and [`Intrinsic::Math`] computes in any floating type. Without a result
    /// register the type is unknown, but all arguments of this shape still share one type.
    Result,
}

impl Shape {
    /// Returns the type on a target if the result register has type `result`, or `None` if the type is unknown.
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
            /// All functions, in declaration order.
            pub const ALL: &'static [MathFn] = &[$(MathFn::$variant,)*];

            /// Returns the name of the `double` variant in `math.h`.
            pub const fn name(self) -> &'static str {
                match self { $(MathFn::$variant => $name,)* }
            }

            /// Returns the number of arguments.
            pub const fn arity(self) -> usize {
                match self { $(MathFn::$variant => $count,)* }
            }

            /// Returns the name of the corresponding intrinsic.
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
    /// Returns whether the result is correctly rounded in every format, including `long double`.
    ///
    /// The results of the other functions are as accurate as the host's library for `float` and `double`.
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

    /// Returns the function with the given name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|f| f.name() == name)
    }
}

macro_rules! intrinsic_names {
    ($($variant:ident = $name:literal ($($param:expr),*) $(-> $result:expr)?,)*) => {
        impl Intrinsic {
            /// All intrinsics except [`Intrinsic::Math`], in declaration order.
            pub const PLAIN: &'static [Intrinsic] = &[$(Intrinsic::$variant,)*];

            /// Returns the name in the text form, which C models prefix with `__cairn_`.
            ///
            /// The names of math functions have a further prefix: `math_sqrt`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Intrinsic::$variant => $name,)*
                    Intrinsic::Math(function) => function.intrinsic_name(),
                }
            }

            /// Returns the parameters. [`Intrinsic::Closure`] takes any number of further pointers.
            pub const fn params(self) -> &'static [Shape] {
                match self {
                    $(Intrinsic::$variant => &[$($param),*],)*
                    Intrinsic::Math(function) => match function.arity() {
                        1 => &[Shape::Result],
                        _ => &[Shape::Result, Shape::Result],
                    },
                }
            }

            /// Returns the shape of the result, if there is one.
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
    HeapRealloc = "heap_realloc" (PTR, SIZE, I32) -> PTR,
    HeapFree = "heap_free" (PTR),
    StackAlloc = "stack_alloc" (SIZE) -> PTR,
    MapMemory = "map_memory" (SIZE) -> PTR,
    UnmapMemory = "unmap_memory" (PTR, SIZE) -> I32,
    OpenResource = "open_resource" (SIZE) -> PTR,
    CloseResource = "close_resource" (PTR),
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
    Vary = "vary" (I32) -> I32,
    Order = "order" (I32) -> I32,
    Closure = "closure" (PTR) -> PTR,
}

impl Intrinsic {
    /// Returns the intrinsic with the given name.
    pub fn from_name(name: &str) -> Option<Self> {
        match name.strip_prefix("math_") {
            Some(function) => MathFn::from_name(function).map(Intrinsic::Math),
            None => Self::PLAIN.iter().copied().find(|i| i.name() == name),
        }
    }

    /// Returns the checks that an instruction with this intrinsic carries.
    pub const fn checks(self) -> &'static [CheckKind] {
        use CheckKind::*;
        match self {
            Intrinsic::HeapAlloc | Intrinsic::HeapAllocZeroed | Intrinsic::HeapAllocAligned => &[Leak, Unfreed],
            Intrinsic::HeapRealloc => &[Leak, Unfreed, DoubleFree, InvalidFree, Uninitialised],
            Intrinsic::OpenResource => &[FileLeak],
            Intrinsic::HeapFree | Intrinsic::CloseResource => &[DoubleFree, InvalidFree, Uninitialised],
            Intrinsic::CopyBytes | Intrinsic::FormatBuffer => {
                &[NullDeref, UseAfterFree, UseAfterScope, OutOfBounds, InvalidDeref, Overlap, Uninitialised]
            }
            Intrinsic::MoveBytes
            | Intrinsic::FillBytes
            | Intrinsic::CompareBytes
            | Intrinsic::StringLength
            | Intrinsic::NondetBytes
            | Intrinsic::Setjmp
            | Intrinsic::Write
            | Intrinsic::FormatFile
            | Intrinsic::ParseFloat => check::DEREF,
            Intrinsic::Longjmp => {
                &[NullDeref, UseAfterFree, UseAfterScope, OutOfBounds, InvalidDeref, InvalidCall, Uninitialised]
            }
            Intrinsic::VaArg => &[InvalidCall],
            Intrinsic::AssertFail | Intrinsic::ReachError => &[Assertion],
            Intrinsic::Assume | Intrinsic::Exit | Intrinsic::UnmapMemory => &[Uninitialised],
            Intrinsic::StackAlloc
            | Intrinsic::MapMemory
            | Intrinsic::ObjectSize
            | Intrinsic::Nondet
            | Intrinsic::Abort
            | Intrinsic::VaStart
            | Intrinsic::ReadChar
            | Intrinsic::Math(_)
            | Intrinsic::Time
            | Intrinsic::Clock
            | Intrinsic::OneAnswer
            | Intrinsic::Vary
            | Intrinsic::Order
            | Intrinsic::Closure => &[],
        }
    }

    /// Returns whether control continues after the intrinsic.
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
    fn intrinsic_names_round_trip() {
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
