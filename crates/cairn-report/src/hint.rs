//! Hints for fixes, where the fix is certain.

use cairn_interpret::trace::TraceKind;
use cairn_ir::CheckKind;
use cairn_portfolio::verdict::Violation;

/// Returns what can be done about a violation.
pub(crate) fn hint(violation: &Violation) -> Option<String> {
    match violation.fault.kind {
        CheckKind::UseAfterFree => read_after_free(violation),
        CheckKind::NullDeref => unchecked_allocation(violation),
        _ => None,
    }
}

/// A field of an object is read in the function that has freed the object before.
fn read_after_free(violation: &Violation) -> Option<String> {
    let fault = &violation.fault;
    let quoted: Vec<&str> = fault.message.split('`').skip(1).step_by(2).collect();
    let [place, object] = quoted[..] else { return None };
    let is_read = fault.message.starts_with("read of ") && place.starts_with(&format!("{object}->"));
    let freed = fault.history.iter().find(|event| event.what == "freed here")?;
    // The object is freed in the same call, not in a function that it calls: the callers are the same, and so is the function.
    let (first, callers) = fault.stack.split_first()?;
    let [outer] = freed.stack.strip_suffix(callers)? else { return None };
    let is_same_call = outer.function == first.function;
    // And it is freed through the variable that is read, which is not assigned in between.
    let steps = &violation.story.steps;
    let free = steps.iter().rposition(|step| step.what.starts_with(&format!("`{object}` is freed")))?;
    let is_assigned = steps[free..].iter().any(|step| step.what.starts_with(&format!("`{object}` becomes")));
    (is_read && is_same_call && !is_assigned)
        .then(|| format!("`{place}` is read after `{object}` was freed; save it in a variable before the free"))
}

/// A null pointer comes from an allocation that fails.
fn unchecked_allocation(violation: &Violation) -> Option<String> {
    let steps = &violation.story.steps;
    let failed = steps.iter().rposition(|step| step.kind == TraceKind::Allocation && step.what.ends_with(" fails"))?;
    let assigned = steps[failed..].iter().find(|step| step.kind == TraceKind::Assignment)?;
    let name = assigned.what.strip_suffix(" becomes null")?;
    let line = steps[failed].place.loc.line;
    Some(format!("the allocation in line {line} may fail; check {name} before it is used"))
}
