//! What becomes of calls: the engines that prove have the same choice.

/// What becomes of calls.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Calls {
    /// They are followed where that is cheap. Functions that call themselves have summaries, and so have those that would be
    /// followed too often.
    #[default]
    Auto,
    /// They are followed, and no function may call itself.
    Inline,
    /// Every function has a summary.
    Summaries,
}
