//! Models of the C library, written in C. A model is linked when the program uses a name that it defines.

/// One file of models.
#[derive(Debug)]
pub struct Model {
    /// `<cairn/string.c>`.
    pub name: &'static str,
    /// C text that needs no preprocessing.
    pub text: &'static str,
    /// The external names it defines.
    pub defines: &'static [&'static str],
}

/// The next model that defines one of the names and is not in `added` (which it is put into).
pub fn missing_model(_undefined: &[String], _added: &mut Vec<&'static str>) -> Option<&'static Model> {
    None
}
