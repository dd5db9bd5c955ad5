//! Holds the JSON schema of `cairn.toml`, which editors use, against the types that read the file.

use cairn_ir::CheckKind;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::file::{FailOnName, LevelName, Override, Settings};
use super::functions::{ContentsName, Function, Returns};

const SCHEMA: &str = include_str!("../../../../docs/cairn.schema.json");

/// The value of every enumeration below.
#[derive(serde::Deserialize)]
struct Only<T> {
    #[serde(rename = "value")]
    _value: T,
}

/// Returns the names that a type accepts, which the message about a wrong one lists.
fn accepted<T: DeserializeOwned>(toml: &str) -> Vec<String> {
    let Err(error) = toml::from_str::<T>(toml) else { panic!("`{toml}` is no mistake") };
    let quoted = error.message().split('`').skip(1).step_by(2).skip(1);
    let mut names: Vec<String> = quoted.map(str::to_owned).collect();
    // Names with an underscore are other spellings, for people who are used to them.
    names.retain(|name| !name.contains('_'));
    names.sort();
    names
}

fn keys<T: DeserializeOwned>() -> Vec<String> {
    accepted::<T>("no-such-key = 1")
}

fn values<T: DeserializeOwned>() -> Vec<String> {
    accepted::<Only<T>>("value = 'no-such-value'")
}

/// Returns the sorted names in a part of the schema: the keys of an object, or the values of an enumeration.
fn listed(schema: &Value, pointer: &str) -> Vec<String> {
    let part = schema.pointer(pointer).unwrap_or_else(|| panic!("the schema has no {pointer}"));
    let mut names: Vec<String> = match part {
        Value::Object(properties) => properties.keys().cloned().collect(),
        Value::Array(values) => values.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    names.sort();
    names
}

#[test]
fn schema_has_the_keys_and_values_of_the_types() {
    let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    assert_eq!(listed(&schema, "/properties"), keys::<Settings>());
    assert_eq!(listed(&schema, "/definitions/override/properties"), keys::<Override>());
    assert_eq!(listed(&schema, "/definitions/function/properties"), keys::<Function>());
    assert_eq!(listed(&schema, "/definitions/function/properties/returns/enum"), values::<Returns>());
    assert_eq!(listed(&schema, "/definitions/function/properties/contents/enum"), values::<ContentsName>());
    assert_eq!(listed(&schema, "/definitions/level/enum"), values::<LevelName>());
    assert_eq!(listed(&schema, "/properties/fail-on/enum"), values::<FailOnName>());
    let mut checks: Vec<String> = CheckKind::ALL.iter().map(|kind| kind.name().to_owned()).collect();
    checks.sort();
    assert_eq!(listed(&schema, "/definitions/checks/properties"), checks);
}

/// Each key has a value of the type that the schema names, and is described.
#[test]
fn schema_has_the_types_of_the_keys() {
    let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    let properties = schema["properties"].as_object().expect("there are properties");
    for (key, property) in properties {
        assert!(property["description"].is_string(), "{key}");
        let value = match property["type"].as_str() {
            Some("boolean") => "true",
            Some("integer") => "1",
            Some("array") => "[]",
            Some("object") => "{}",
            Some("string") => "'text'",
            _ if key == "checks" => "{}",
            _ => "'new'",
        };
        let text = format!("{key} = {value}");
        assert!(Settings::parse(&text).is_ok(), "{text}: {:?}", Settings::parse(&text));
    }
}
