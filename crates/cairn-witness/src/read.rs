//! Reads witnesses in YAML.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::{Invariant, InvariantKind, Location, Segment, Waypoint, WaypointKind, Witness};

/// A witness with the description of its task.
#[derive(Clone, Debug)]
pub struct File {
    /// The content.
    pub witness: Witness,
    /// The SHA-256 of the program's files, in hexadecimal.
    pub hashes: Vec<String>,
    /// `ILP32` or `LP64`, if the witness says so.
    pub data_model: Option<String>,
}

/// Why a file is no witness that can be checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// The file is not in the format.
    Malformed {
        /// The line of the witness; 0 if it is not known.
        line: u64,
        /// The mistake.
        message: String,
    },
    /// The file is in the format, and uses a part of it that is not supported.
    Unsupported(String),
}

#[derive(Deserialize)]
struct Kind {
    entry_type: String,
    metadata: Metadata,
}

#[derive(Deserialize)]
struct Metadata {
    format_version: String,
    task: Option<Task>,
}

#[derive(Deserialize)]
struct Task {
    #[serde(default)]
    input_file_hashes: BTreeMap<String, String>,
    data_model: Option<String>,
}

#[derive(Deserialize)]
struct Sequence {
    content: Vec<SegmentItem>,
}

#[derive(Deserialize)]
struct SegmentItem {
    segment: Option<Vec<WaypointItem>>,
}

#[derive(Deserialize)]
struct WaypointItem {
    waypoint: RawWaypoint,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Action {
    Follow,
    Avoid,
    Cycle,
}

#[derive(Deserialize)]
struct RawWaypoint {
    #[serde(rename = "type")]
    kind: WaypointKind,
    action: Action,
    location: Location,
    constraint: Option<Constraint>,
}

#[derive(Deserialize)]
struct Constraint {
    value: String,
}

#[derive(Deserialize)]
struct Set {
    #[serde(default)]
    content: Vec<InvariantItem>,
}

#[derive(Deserialize)]
struct InvariantItem {
    invariant: Option<RawInvariant>,
}

#[derive(Deserialize)]
struct RawInvariant {
    #[serde(rename = "type")]
    kind: InvariantKind,
    location: Location,
    value: String,
}

/// Reads a witness.
///
/// # Errors
/// If the text is not in the format, or needs more than is supported.
pub fn read(text: &str) -> Result<File, Trouble> {
    let kinds: Vec<Kind> = parse(text)?;
    let [Kind { entry_type, metadata }] = &kinds[..] else {
        return Err(match kinds.iter().find(|kind| kind.entry_type == "ghost_instrumentation") {
            Some(_) => unsupported("ghost variables"),
            None if kinds.is_empty() => malformed("the witness has no entry"),
            None => unsupported("more than one entry"),
        });
    };
    if !matches!(metadata.format_version.as_str(), "2.0" | "2.1") {
        return Err(unsupported(&format!("format version {}", metadata.format_version)));
    }
    let witness = match entry_type.as_str() {
        "violation_sequence" => Witness::Violation(segments(parse::<Vec<Sequence>>(text)?)?),
        "invariant_set" => Witness::Correctness(invariants(parse::<Vec<Set>>(text)?)?),
        "ghost_instrumentation" => return Err(unsupported("ghost variables")),
        other => return Err(malformed(&format!("unknown entry type `{other}`"))),
    };
    let task = metadata.task.as_ref();
    let hashes = task.map_or_else(Vec::new, |task| task.input_file_hashes.values().cloned().collect());
    Ok(File { witness, hashes, data_model: task.and_then(|task| task.data_model.clone()) })
}

pub(crate) fn parse<'t, T: Deserialize<'t>>(text: &'t str) -> Result<T, Trouble> {
    serde_saphyr::from_str(text).map_err(|error| {
        let line = error.location().map_or(0, |location| location.line());
        // The location is told apart from the message.
        let message = error.without_snippet().to_string();
        let message = message.split(" at line ").next().unwrap_or_default().trim().to_owned();
        Trouble::Malformed { line, message }
    })
}

pub(crate) fn malformed(message: &str) -> Trouble {
    Trouble::Malformed { line: 0, message: message.to_owned() }
}

fn unsupported(what: &str) -> Trouble {
    Trouble::Unsupported(format!("the witness has {what}"))
}

fn segments(entries: Vec<Sequence>) -> Result<Vec<Segment>, Trouble> {
    let mut segments = Vec::new();
    for item in entries.into_iter().flat_map(|entry| entry.content) {
        let Some(waypoints) = item.segment else { return Err(unsupported("content other than segments")) };
        if waypoints.iter().any(|item| item.waypoint.action == Action::Cycle) {
            return Err(unsupported("a cycle"));
        }
        let (mut avoid, mut follow) = (Vec::new(), None);
        for WaypointItem { waypoint: RawWaypoint { kind, action, location, constraint } } in waypoints {
            let waypoint = Waypoint { kind, location, constraint: constraint.map(|constraint| constraint.value) };
            if follow.is_some() {
                return Err(malformed("a segment goes on after the waypoint that it follows"));
            }
            match action {
                Action::Avoid => avoid.push(waypoint),
                Action::Follow | Action::Cycle => follow = Some(waypoint),
            }
        }
        let follow = follow.ok_or_else(|| malformed("a segment has no waypoint to follow"))?;
        segments.push(Segment { avoid, follow });
    }
    let is_target = |segment: &Segment| segment.follow.kind == WaypointKind::Target;
    if !segments.last().is_some_and(is_target) || segments.iter().filter(|segment| is_target(segment)).count() != 1 {
        return Err(malformed("the last waypoint, and no other one, must be the target"));
    }
    if segments.iter().flat_map(|segment| &segment.avoid).any(|waypoint| waypoint.kind == WaypointKind::Target) {
        return Err(malformed("a target cannot be avoided"));
    }
    Ok(segments)
}

fn invariants(entries: Vec<Set>) -> Result<Vec<Invariant>, Trouble> {
    let mut invariants = Vec::new();
    for item in entries.into_iter().flat_map(|entry| entry.content) {
        let Some(RawInvariant { kind, location, value }) = item.invariant else {
            return Err(unsupported("content other than invariants"));
        };
        if matches!(kind, InvariantKind::LoopTransitionInvariant | InvariantKind::LocationTransitionInvariant) {
            return Err(unsupported("a transition invariant"));
        }
        invariants.push(Invariant { kind, location, value });
    }
    Ok(invariants)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "  metadata:\n    format_version: \"2.0\"\n    uuid: \"x\"\n    task:\n      input_files: [a.c]\n      \
                        input_file_hashes: { a.c: 12ab }\n      data_model: LP64\n";

    fn violation(segments: &str) -> Result<File, Trouble> {
        read(&format!("- entry_type: violation_sequence\n{HEAD}  content:\n{segments}"))
    }

    fn waypoint(kind: &str, action: &str) -> String {
        format!(
            "  - segment:\n    - waypoint:\n        type: {kind}\n        action: {action}\n        location:\n          \
             file_name: a.c\n          line: 3\n"
        )
    }

    fn line_of(trouble: Result<File, Trouble>) -> (u64, String) {
        match trouble {
            Err(Trouble::Malformed { line, message }) => (line, message),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn violations_are_read() {
        let file = violation(&(waypoint("branching", "follow") + &waypoint("target", "follow"))).expect("well-formed");
        assert_eq!((file.hashes, file.data_model.as_deref()), (vec!["12ab".to_owned()], Some("LP64")));
        let Witness::Violation(segments) = file.witness else { panic!("a violation") };
        assert_eq!(segments.len(), 2);
        assert_eq!(segments[1].follow.location.line, 3);
    }

    #[test]
    fn mistakes_have_a_line() {
        let (line, message) = line_of(violation(&waypoint("tarket", "follow")));
        assert_eq!(line, 12, "{message}");
        assert!(message.contains("tarket"), "{message}");
        let (line, _) = line_of(read("- entry_type: [\n"));
        assert!(line > 0);
        let (_, message) = line_of(violation(&waypoint("branching", "follow")));
        assert!(message.contains("target"), "{message}");
        let (_, message) = line_of(violation(&waypoint("target", "avoid")));
        assert!(message.contains("follow"), "{message}");
    }

    #[test]
    fn unsupported_parts_are_told_from_mistakes() {
        let of = |version: &str, kind: &str| {
            read(&format!("- entry_type: {kind}\n  metadata: {{ format_version: \"{version}\" }}\n  content: {{}}\n"))
        };
        assert!(matches!(of("2.1", "ghost_instrumentation"), Err(Trouble::Unsupported(_))));
        assert!(matches!(of("3.0", "invariant_set"), Err(Trouble::Unsupported(_))));
        assert!(matches!(of("2.0", "something"), Err(Trouble::Malformed { .. })));
        let invariant =
            "  - invariant: { type: loop_transition_invariant, location: { file_name: a.c, line: 1 }, value: \"1\" }\n";
        let set = format!("- entry_type: invariant_set\n{HEAD}  content:\n{invariant}");
        assert!(matches!(read(&set), Err(Trouble::Unsupported(_))));
    }

    #[test]
    fn hostile_files_are_refused() {
        let deep = "[".repeat(100_000);
        assert!(read(&deep).is_err());
        let bomb = "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n";
        assert!(read(bomb).is_err());
        assert!(read("").is_err());
    }
}
