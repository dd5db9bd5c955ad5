//! The overview: counts, findings with filters, and the answers by file and function.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::{Site, document, escaped, grouped, prose, state_of};
use crate::Read;
use crate::report::{Counts, Place};

/// Renders the overview.
pub(super) fn render(site: &Site<'_>, read: Read<'_>, has_contracts: bool) -> String {
    let report = site.report;
    let mut out = String::from(
        "<a class=\"skip\" href=\"#findings\">to the findings</a>\n<header class=\"top\">\n<h1>cairn report</h1>\n",
    );
    let _ = writeln!(out, "<p class=\"place\">{}</p>", prose(&crate::format::summary(report).replace('\n', "; ")));
    counts(&mut out, report.checks);
    if has_contracts {
        out.push_str("<p><a href=\"contracts.html\">contracts of the functions</a></p>\n");
    }
    out.push_str("</header>\n<main>\n");
    filters(&mut out, site);
    findings(&mut out, site);
    tables(&mut out, site, read);
    reasons(&mut out, site);
    let _ = write!(out, "</main>\n<footer>written by cairn {}</footer>\n", escaped(site.version));
    document("cairn report", "overview", 0, &out)
}

fn counts(out: &mut String, counts: Counts) {
    let all = [("proved", counts.proved), ("violated", counts.violated), ("unknown", counts.unknown)];
    out.push_str("<ul class=\"counts\">");
    for (name, count) in all {
        let _ = write!(out, "<li class=\"{name}\"><b data-count=\"{name}\">{}</b> {name}</li>", grouped(count));
    }
    out.push_str("</ul>\n<svg class=\"bar\" viewBox=\"0 0 1000 8\" preserveAspectRatio=\"none\" aria-hidden=\"true\">");
    let total: usize = all.iter().map(|(_, count)| count).sum();
    let mut x = 0.0;
    for (name, count) in all.into_iter().filter(|(_, count)| *count > 0) {
        // A few violations among thousands of checks must be seen, too.
        let width = (1000.0 * count as f64 / total as f64).max(6.0);
        let _ = write!(out, "<rect class=\"{name}\" x=\"{x:.1}\" y=\"0\" width=\"{width:.1}\" height=\"8\"/>");
        x += width;
    }
    out.push_str("</svg>\n");
}

fn filters(out: &mut String, site: &Site<'_>) {
    let findings = &site.report.findings;
    let checks: BTreeSet<&str> = findings.iter().map(|finding| finding.check.as_str()).collect();
    let files: BTreeSet<&str> = findings.iter().filter_map(|finding| finding.place.as_ref()?.file.as_deref()).collect();
    let states: BTreeSet<&str> = findings.iter().map(state_of).collect();
    out.push_str("<div class=\"filters\" role=\"search\">");
    out.push_str("<input id=\"search\" type=\"search\" placeholder=\"search findings, files and functions\" aria-label=\"search\">");
    for (name, label, values) in
        [("check", "all checks", checks), ("file", "all files", files), ("state", "all states", states)]
    {
        let _ =
            write!(out, "<select id=\"filter-{name}\" aria-label=\"{name}\"><option value=\"all\">{label}</option>");
        for value in values {
            let value = escaped(value);
            let _ = write!(out, "<option value=\"{value}\">{value}</option>");
        }
        out.push_str("</select>");
    }
    let _ = writeln!(
        out,
        "<output id=\"shown\" aria-live=\"polite\">{} finding{}</output></div>",
        findings.len(),
        if findings.len() == 1 { "" } else { "s" }
    );
}

fn findings(out: &mut String, site: &Site<'_>) {
    out.push_str("<h2>Findings</h2>\n");
    if site.report.findings.is_empty() {
        out.push_str("<p class=\"quiet\">None.</p>\n<ul id=\"findings\"></ul>\n");
        return;
    }
    out.push_str("<ul id=\"findings\" class=\"panel\">\n");
    for (index, finding) in site.report.findings.iter().enumerate() {
        let place = finding.place.as_ref();
        let file = place.and_then(|place| place.file.as_deref()).unwrap_or("");
        let function = place.map_or("", |place| &place.function);
        let line = place.and_then(|place| place.line).map_or_else(String::new, |line| format!(":{line}"));
        let (check, file, function) = (escaped(&finding.check), escaped(file), escaped(function));
        let _ = writeln!(
            out,
            "<li class=\"finding\" data-check=\"{check}\" data-file=\"{file}\" data-function=\"{function}\" data-state=\"{}\">\
             <a href=\"finding/{}.html\"><span class=\"badge\">{check}</span> <span class=\"message\">{}</span>\
             <p class=\"place\">{file}{line} in <code>{function}</code></p></a></li>",
            state_of(finding),
            index + 1,
            prose(&finding.message)
        );
    }
    out.push_str("</ul>\n");
}

/// The counts of a file, and of each of its functions.
#[derive(Default)]
struct OfFile {
    counts: Counts,
    functions: BTreeMap<String, Counts>,
}

fn tables(out: &mut String, site: &Site<'_>, read: Read<'_>) {
    let mut files: BTreeMap<&str, OfFile> = BTreeMap::new();
    let mut add = |place: &'_ Place, count: fn(&mut Counts)| {
        let Some((file, _)) = place.file.as_deref().and_then(|file| site.files.get_key_value(file)) else { return };
        let of_file = files.entry(file).or_default();
        count(&mut of_file.counts);
        count(of_file.functions.entry(place.function.clone()).or_default());
    };
    site.report.proved_checks.iter().for_each(|check| add(&check.place, |counts| counts.proved += 1));
    site.report.unknown_checks.iter().for_each(|check| add(&check.place, |counts| counts.unknown += 1));
    for place in site.report.findings.iter().filter_map(|finding| finding.place.as_ref()) {
        add(place, |counts| counts.violated += 1);
    }
    let head = |name: &str| {
        format!(
            "<thead><tr><th>{name}</th><th class=\"number\">proved</th><th class=\"number\">violated</th>\
             <th class=\"number\">unknown</th></tr></thead>\n<tbody>\n"
        )
    };
    let _ = write!(out, "<h2>Files</h2>\n<div class=\"panel scroll\"><table id=\"files\">{}", head("file"));
    for (file, of_file) in &files {
        let name = match site.files.get(*file).filter(|_| read(file).is_some()) {
            Some(number) => format!("<a href=\"source/{number}.html\">{}</a>", escaped(file)),
            None => escaped(file),
        };
        let _ = writeln!(
            out,
            "<tr data-file=\"{}\"><td class=\"name\">{name}</td>{}</tr>",
            escaped(file),
            cells(of_file.counts)
        );
    }
    let _ = write!(
        out,
        "</tbody></table></div>\n<h2>Functions</h2>\n<div class=\"panel scroll\"><table id=\"functions\">{}",
        head("function")
    );
    for (file, of_file) in &files {
        for (function, counts) in &of_file.functions {
            let _ = writeln!(
                out,
                "<tr data-function=\"{0}\"><td class=\"name\"><code>{0}</code> <span class=\"quiet\">{1}</span></td>{2}</tr>",
                escaped(function),
                escaped(file),
                cells(*counts)
            );
        }
    }
    out.push_str("</tbody></table></div>\n<p class=\"quiet\">The tables count checks with a line of their own. Proved checks inside of library functions are only in the total.</p>\n");
}

fn cells(counts: Counts) -> String {
    [("proved", counts.proved), ("violated", counts.violated), ("unknown", counts.unknown)]
        .map(|(name, count)| {
            let none = if count == 0 { " none" } else { "" };
            format!("<td class=\"{name}{none}\">{}</td>", grouped(count))
        })
        .concat()
}

fn reasons(out: &mut String, site: &Site<'_>) {
    let report = site.report;
    if !report.assumptions.is_empty() {
        out.push_str("<h2>Assumptions</h2>\n<ul>\n");
        for assumption in &report.assumptions {
            let _ = writeln!(out, "<li>{}</li>", prose(assumption));
        }
        out.push_str("</ul>\n");
    }
    if !report.unknown_reasons.is_empty() {
        out.push_str("<h2>Why checks are unknown</h2>\n<ul>\n");
        for reason in &report.unknown_reasons {
            let remedy = reason.remedy.as_deref().map_or_else(String::new, |remedy| format!(" ({})", prose(remedy)));
            let _ = writeln!(out, "<li>{}{remedy}</li>", prose(&reason.message));
        }
        out.push_str("</ul>\n");
    }
}
