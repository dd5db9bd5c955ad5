//! Everything outside the process: files, the terminal, other processes, and limits on time and memory.

pub(crate) mod child;
pub(crate) mod external;
pub(crate) mod files;
pub(crate) mod host;
pub(crate) mod originals;
pub(crate) mod preprocess;
pub(crate) mod supervise;
pub(crate) mod temporary;
pub(crate) mod terminal;
