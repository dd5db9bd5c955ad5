//! The page of a finding: a timeline of the heap, with the code of each step.

use std::fmt::Write;

use super::{Site, document, escaped, prose};
use crate::Read;
use crate::draw;
use crate::limits::CODE_LINES;
use crate::report::heap::Heap;
use crate::report::{Finding, Place, Step};

/// A step of the timeline.
struct Scene<'r> {
    what: &'r str,
    place: Option<&'r Place>,
    heap: Option<&'r Heap>,
    /// What is omitted before the step.
    gap: Option<String>,
}

/// Renders the page of a finding.
pub(super) fn render(site: &Site<'_>, index: usize, read: Read<'_>) -> String {
    let finding = &site.report.findings[index];
    let scenes = scenes(finding);
    let count = site.report.findings.len();
    let mut out = String::from(
        "<a class=\"skip\" href=\"#steps\">to the steps</a>\n<header class=\"top\">\n<nav class=\"crumbs\" aria-label=\"findings\"><a href=\"../index.html\">all findings</a><span class=\"right\">",
    );
    if index > 0 {
        let _ = write!(out, "<a rel=\"prev\" href=\"{index}.html\">previous finding</a>");
    }
    let _ = write!(out, "<span>{} of {count}</span>", index + 1);
    if index + 1 < count {
        let _ = write!(out, "<a rel=\"next\" href=\"{}.html\">next finding</a>", index + 2);
    }
    let _ = writeln!(
        out,
        "</span></nav>\n<h1><span class=\"badge\">{}</span> {}</h1>\n<p class=\"place\">{}</p>\n</header>",
        escaped(&finding.check),
        prose(&finding.message),
        finding.place.as_ref().map_or_else(String::new, |place| linked(site, place))
    );
    let _ = writeln!(
        out,
        "<main id=\"timeline\" data-steps=\"{0}\" data-step=\"{0}\">\n<div class=\"main\">\n<section class=\"panel\" aria-label=\"memory\">\n<div id=\"stage\">",
        scenes.len()
    );
    stage(&mut out, &scenes);
    controls(&mut out, scenes.len());
    out.push_str("</section>\n");
    code(&mut out, site, &scenes, read);
    out.push_str("</div>\n<div class=\"side\">\n");
    steps(&mut out, &scenes);
    if let Some(hint) = &finding.hint {
        let _ = writeln!(out, "<p class=\"panel hint\">{}</p>", prose(hint));
    }
    notes(&mut out, site, finding);
    out.push_str("</div>\n</main>\n");
    let _ = writeln!(
        out,
        "<footer>written by cairn {}; arrow keys step through the timeline</footer>",
        escaped(site.version)
    );
    document(&format!("{}: {}", finding.check, finding.message), "finding", 1, &out)
}

/// Returns the steps with their pictures, the fault last.
fn scenes(finding: &Finding) -> Vec<Scene<'_>> {
    let mut scenes = Vec::new();
    let mut gap = None;
    for step in &finding.trace {
        match step {
            Step::Iterations { iterations: 1 } => gap = Some("… 1 more iteration".to_owned()),
            Step::Iterations { iterations } => gap = Some(format!("… {iterations} more iterations")),
            Step::Omitted { left_out } => gap = Some(format!("… {left_out} steps omitted")),
            Step::Event { what, place, heap, .. } => {
                scenes.push(Scene { what, place: Some(place), heap: heap.as_ref(), gap: gap.take() });
            }
        }
    }
    let place = finding.place.as_ref();
    scenes.push(Scene { what: &finding.message, place, heap: finding.heap.as_ref(), gap });
    scenes
}

fn stage(out: &mut String, scenes: &[Scene<'_>]) {
    let empty = Heap::default();
    let has_heap = scenes.iter().any(|scene| scene.heap.is_some_and(|heap| !heap.nodes.is_empty()));
    // A step without a picture shows the memory of the step before.
    let mut last = &empty;
    let mut pictures = Vec::with_capacity(scenes.len());
    for scene in scenes {
        last = scene.heap.unwrap_or(last);
        pictures.push((last, scene.what.to_owned()));
    }
    let drawings = if has_heap { draw::film(&pictures) } else { vec![String::new(); scenes.len()] };
    for (index, (scene, drawing)) in scenes.iter().zip(drawings).enumerate() {
        let drawing = match drawing.is_empty() {
            true => drawing,
            false => format!(
                "<div class=\"canvas\" tabindex=\"0\" role=\"group\" aria-label=\"drawing of the memory\">{drawing}</div>"
            ),
        };
        let note = if drawing.is_empty() { "<p class=\"quiet\">This step has no picture.</p>" } else { "" };
        let cut = if pictures[index].0.is_cut { "<p class=\"quiet\">Some objects are not shown.</p>" } else { "" };
        let _ = writeln!(
            out,
            "<figure class=\"frame\" data-step=\"{}\"><figcaption>{}. {}</figcaption>{drawing}{note}{cut}</figure>",
            index + 1,
            index + 1,
            prose(scene.what)
        );
    }
    out.push_str("</div>\n");
}

fn controls(out: &mut String, count: usize) {
    let _ = writeln!(
        out,
        "<div class=\"controls\" role=\"group\" aria-label=\"timeline\">\
         <button id=\"first\" type=\"button\" aria-label=\"first step\">«</button>\
         <button id=\"previous\" type=\"button\" aria-label=\"previous step\">‹</button>\
         <input id=\"slider\" type=\"range\" min=\"1\" max=\"{count}\" value=\"{count}\" aria-label=\"step\">\
         <button id=\"next\" type=\"button\" aria-label=\"next step\">›</button>\
         <button id=\"last\" type=\"button\" aria-label=\"last step\">»</button>\
         <output id=\"position\" aria-live=\"polite\">step {count} of {count}</output></div>"
    );
}

fn steps(out: &mut String, scenes: &[Scene<'_>]) {
    out.push_str("<nav class=\"panel\" aria-label=\"steps\"><ol id=\"steps\">\n");
    for (index, scene) in scenes.iter().enumerate() {
        if let Some(gap) = &scene.gap {
            let _ = writeln!(out, "<li class=\"gap\">{}</li>", escaped(gap));
        }
        let number = index + 1;
        let fault = if number == scenes.len() { " fault" } else { "" };
        let position = scene.place.and_then(Place::position);
        let place = match (position, scene.place) {
            (Some((_, line, _)), Some(place)) => format!("line {line} in <code>{}</code>", escaped(&place.function)),
            _ => String::new(),
        };
        let _ = writeln!(
            out,
            "<li class=\"step{fault}\" data-step=\"{number}\"><a href=\"#step-{number}\"><span class=\"number\">{number}</span>\
             <span class=\"what\">{}<span class=\"where\">{place}</span></span></a></li>",
            prose(scene.what)
        );
    }
    out.push_str("</ol></nav>\n");
}

/// The code around each step.
fn code(out: &mut String, site: &Site<'_>, scenes: &[Scene<'_>], read: Read<'_>) {
    out.push_str("<section id=\"code\" aria-label=\"code\">\n");
    for (index, scene) in scenes.iter().enumerate() {
        let Some((file, line, _)) = scene.place.and_then(Place::position) else { continue };
        let Some(text) = read(file) else { continue };
        let name = match site.link(file, line) {
            Some(link) => format!("<a href=\"{link}\">{}:{line}</a>", escaped(file)),
            None => format!("{}:{line}", escaped(file)),
        };
        let _ = write!(
            out,
            "<div class=\"excerpt panel\" data-step=\"{}\"><div class=\"file-name\">{name}</div><ol class=\"code\">",
            index + 1
        );
        let first = line.saturating_sub(CODE_LINES).max(1);
        for (number, text) in (first..=line.saturating_add(CODE_LINES)).zip(text.lines().skip(first as usize - 1)) {
            let current = if number == line { " current\" aria-current=\"true" } else { "" };
            let _ = write!(
                out,
                "<li class=\"line{current}\" data-line=\"{number}\"><span class=\"number\">{number}</span><span>{}</span></li>",
                escaped(&text.replace('\t', "    "))
            );
        }
        out.push_str("</ol></div>\n");
    }
    out.push_str("</section>\n");
}

/// What is known about the object, the calls, and the finding as text.
fn notes(out: &mut String, site: &Site<'_>, finding: &Finding) {
    out.push_str("<details class=\"panel notes\"><summary>object, calls and text</summary>\n<ul>\n");
    for event in &finding.history {
        let place = event.place.as_ref().map_or_else(String::new, |place| linked(site, place));
        let _ = writeln!(out, "<li>{} {place}</li>", escaped(&event.what));
    }
    for place in finding.stack.iter().skip(1) {
        let _ = writeln!(out, "<li>called {}</li>", linked(site, place));
    }
    if let Some(suppression) = &finding.suppressed {
        let _ = writeln!(out, "<li>accepted: {}</li>", escaped(&suppression.reason));
    }
    let _ = writeln!(out, "</ul>\n<pre>{}</pre></details>", escaped(&crate::format::plain(&finding.rendered)));
}

/// Returns a place as text with a link to its source.
fn linked(site: &Site<'_>, place: &Place) -> String {
    let function = escaped(&place.function);
    match place.position() {
        Some((file, line, column)) => {
            let text = format!("{}:{line}:{column}", escaped(file));
            let text = match site.link(file, line) {
                Some(link) => format!("<a href=\"{link}\">{text}</a>"),
                None => text,
            };
            format!("at {text} in <code>{function}</code>")
        }
        None => format!("in <code>{function}</code>"),
    }
}
