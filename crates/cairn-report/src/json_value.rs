//! A JSON writer with the parts that reports need. Members keep the order in which they are added.

use std::fmt::Write;

/// A JSON value, as text.
pub(crate) struct Json(String);

impl Json {
    /// Returns a string.
    pub(crate) fn text(text: &str) -> Json {
        let mut out = String::with_capacity(text.len() + 2);
        out.push('"');
        for c in text.chars() {
            match c {
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\t' => out.push_str("\\t"),
                // The two separators end lines in JavaScript; escaped they are harmless everywhere.
                c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => {
                    let _ = write!(out, "\\u{:04x}", u32::from(c));
                }
                c => out.push(c),
            }
        }
        out.push('"');
        Json(out)
    }

    /// Returns a boolean.
    pub(crate) fn truth(truth: bool) -> Json {
        Json(truth.to_string())
    }

    /// Returns a number.
    pub(crate) fn number(number: u64) -> Json {
        Json(number.to_string())
    }

    /// Returns an array.
    pub(crate) fn list(items: impl IntoIterator<Item = Json>) -> Json {
        let items: Vec<String> = items.into_iter().map(|item| item.0).collect();
        Json(format!("[{}]", items.join(",")))
    }

    /// Returns an object.
    pub(crate) fn object<'k>(members: impl IntoIterator<Item = (&'k str, Json)>) -> Json {
        let members: Vec<String> =
            members.into_iter().map(|(key, value)| format!("{}:{}", Json::text(key).0, value.0)).collect();
        Json(format!("{{{}}}", members.join(",")))
    }

    /// Returns the text.
    pub(crate) fn into_string(self) -> String {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_well_formed() {
        let value = Json::object([
            ("a \"b\"\\", Json::list([Json::number(0), Json::number(u64::MAX)])),
            ("c", Json::text("é\n\t\u{1}\u{7f}\u{2028}\u{1f600}")),
            ("d", Json::list([])),
            ("e", Json::object([])),
        ]);
        assert_eq!(
            value.into_string(),
            "{\"a \\\"b\\\"\\\\\":[0,18446744073709551615],\"c\":\"é\\n\\t\\u0001\\u007f\\u2028😀\",\"d\":[],\"e\":{}}"
        );
    }
}
