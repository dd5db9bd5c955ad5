//! `cairn bench growth`: measures how the cost of a proof grows with the size of the program.
//!
//! The programs are generated: they grow in the number of loops, the nesting of lists, or the number of functions. Each is
//! proved in a process of its own.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::arguments::GrowthArguments;
use crate::exit::Exit;
use crate::limits::{REPEATED_BELOW_SECONDS, REPETITIONS, SHORTEST_PROOF_SECONDS};
use crate::solver::STATISTICS;
use crate::system::files;
use crate::system::temporary;
use crate::system::terminal::{self, Terminal};

const MEMSAFETY: &str = "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n\
                         CHECK( init(main()), LTL(G valid-memtrack) )\n";

const HEAD: &str = "extern void *malloc(unsigned long);\nextern void free(void *);\nextern void abort(void);\n\
                    extern int __VERIFIER_nondet_int(void);\n";

/// A family of programs.
struct Family {
    name: &'static str,
    sizes: &'static [u32],
    program: fn(u32) -> String,
}

const FAMILIES: [Family; 6] = [
    Family { name: "phases", sizes: &[1, 2, 4, 8, 16, 32, 64], program: phases },
    Family { name: "nesting", sizes: &[1, 2, 3, 4, 5, 6], program: nesting },
    Family { name: "walks", sizes: &[1, 2, 3, 4, 5, 6], program: walks },
    Family { name: "helpers", sizes: &[1, 2, 4, 8, 16, 32, 64], program: helpers },
    Family { name: "calls", sizes: &[1, 2, 4, 8, 16, 32, 64], program: calls },
    Family { name: "towers", sizes: &[1, 2, 4, 8, 16, 32, 64], program: towers },
];

/// The cost of one proof.
#[derive(Clone, PartialEq, Debug)]
struct Cost {
    size: u32,
    /// Processor time, if the system tells; otherwise wall time.
    seconds: f64,
    states: u64,
    queries: u64,
    answer: String,
}

/// Builds and frees lists one after the other.
fn phases(count: u32) -> String {
    let mut text = format!("{HEAD}struct node {{ struct node *next; }};\nint main(void) {{\n");
    for phase in 0..count {
        let _ = write!(
            text,
            "  struct node *list{phase} = 0;\n  while (__VERIFIER_nondet_int()) {{\n    struct node *node = malloc(sizeof *node);\n    \
             if (!node) abort();\n    node->next = list{phase};\n    list{phase} = node;\n  }}\n  while (list{phase}) {{\n    \
             struct node *next = list{phase}->next;\n    free(list{phase});\n    list{phase} = next;\n  }}\n"
        );
    }
    text.push_str("  return 0;\n}\n");
    text
}

/// Builds and frees a list of lists of lists, to a depth.
fn nesting(depth: u32) -> String {
    nested(depth, false)
}

/// Builds such a list, walks it with nested loops, and frees it.
fn walks(depth: u32) -> String {
    nested(depth, true)
}

fn nested(depth: u32, walked: bool) -> String {
    let mut text = HEAD.to_owned();
    for level in 1..=depth {
        let below = if level > 1 { format!(" struct level{} *below;", level - 1) } else { String::new() };
        let _ = writeln!(text, "struct level{level} {{ struct level{level} *next;{below} }};");
    }
    text.push_str("int main(void) {\n");
    let _ = writeln!(text, "  struct level{depth} *list{depth} = 0;");
    let list = |level: u32| match level {
        level if level == depth => format!("list{depth}"),
        level => format!("node{}->below", level + 1),
    };
    for level in (1..=depth).rev() {
        let clear = if level > 1 { format!(" node{level}->below = 0;") } else { String::new() };
        let _ = writeln!(
            text,
            "  while (__VERIFIER_nondet_int()) {{ struct level{level} *node{level} = malloc(sizeof *node{level}); \
             if (!node{level}) abort(); node{level}->next = {0}; {0} = node{level};{clear}",
            list(level)
        );
    }
    text.push_str(&"  }\n".repeat(depth as usize));
    if walked {
        for level in (1..=depth).rev() {
            let list = if level == depth { format!("list{depth}") } else { format!("at{}->below", level + 1) };
            let _ = writeln!(
                text,
                "  for (struct level{level} *at{level} = {list}; at{level}; at{level} = at{level}->next) {{"
            );
        }
        text.push_str(&"  }\n".repeat(depth as usize));
    }
    for level in (1..=depth).rev() {
        let _ = writeln!(
            text,
            "  while ({0}) {{ struct level{level} *node{level} = {0}; {0} = node{level}->next;",
            list(level)
        );
    }
    for level in 1..=depth {
        let _ = writeln!(text, "  free(node{level}); }}");
    }
    text.push_str("  return 0;\n}\n");
    text
}

/// Calls functions that each walk a list and add to it.
fn helpers(count: u32) -> String {
    chain(count, |call| call, count)
}

/// Calls one such function many times.
fn calls(count: u32) -> String {
    chain(1, |_| 0, count)
}

/// Generates functions that walk a list and add to it, and calls of them.
fn chain(functions: u32, callee: fn(u32) -> u32, calls: u32) -> String {
    let mut text = format!("{HEAD}struct node {{ struct node *next; int data; }};\n");
    for helper in 0..functions {
        let _ = write!(
            text,
            "static struct node *helper{helper}(struct node *list) {{\n  for (struct node *at = list; at; at = at->next)\n    \
             at->data = 1;\n  struct node *node = malloc(sizeof *node);\n  if (!node) abort();\n  node->next = list;\n  \
             node->data = 1;\n  return node;\n}}\n"
        );
    }
    text.push_str("int main(void) {\n  struct node *list = 0;\n");
    for call in 0..calls {
        let _ = writeln!(text, "  list = helper{}(list);", callee(call));
    }
    text.push_str(
        "  while (list) {\n    struct node *next = list->next;\n    free(list);\n    list = next;\n  }\n  return 0;\n}\n",
    );
    text
}

/// Calls functions that each call the next one twice; the last one walks the list.
fn towers(height: u32) -> String {
    let mut text = format!(
        "{HEAD}struct node {{ struct node *next; int data; }};\nstatic void level0(struct node *list) {{\n  \
         for (; list; list = list->next)\n    list->data = 1;\n}}\n"
    );
    for level in 1..=height {
        let below = level - 1;
        let _ = writeln!(
            text,
            "static void level{level}(struct node *list) {{\n  level{below}(list);\n  level{below}(list);\n}}"
        );
    }
    let _ = write!(
        text,
        "int main(void) {{\n  struct node *list = 0;\n  while (__VERIFIER_nondet_int()) {{\n    \
         struct node *node = malloc(sizeof *node);\n    if (!node) abort();\n    node->next = list;\n    list = node;\n  }}\n  \
         level{height}(list);\n  while (list) {{\n    struct node *next = list->next;\n    free(list);\n    list = next;\n  }}\n  \
         return 0;\n}}\n"
    );
    text
}

/// Measures all families.
pub(crate) fn growth(arguments: &GrowthArguments, terminal: &Terminal) -> Exit {
    let mut measured = Vec::new();
    let mut proved = true;
    for family in &FAMILIES {
        terminal::print(
            format!("{}\n{:>6} {:>9} {:>9} {:>9}\n", family.name, "size", "time/s", "states", "queries").as_bytes(),
        );
        let mut costs = Vec::new();
        for &size in family.sizes {
            let program = (family.program)(size);
            let measure = || run(size, &program, arguments.time_limit);
            let again = |cost: Cost| match cost.seconds < REPEATED_BELOW_SECONDS {
                true => (1..REPETITIONS).try_fold(cost, |least, _| {
                    let cost = measure()?;
                    Ok(if cost.seconds < least.seconds { cost } else { least })
                }),
                false => Ok(cost),
            };
            let cost = match measure().and_then(again) {
                Ok(cost) => cost,
                Err(message) => {
                    terminal.error(&message);
                    return Exit::Failure;
                }
            };
            let longest = 40.0 * cost.seconds / arguments.time_limit.max(1) as f64;
            let bar = "#".repeat((longest.ceil() as usize).clamp(1, 40));
            let note = if cost.answer == "TRUE" { String::new() } else { format!("  {}", cost.answer) };
            let Cost { seconds, states, queries, .. } = cost;
            terminal::print(format!("{size:>6} {seconds:>9.3} {states:>9} {queries:>9}  {bar}{note}\n").as_bytes());
            costs.push(cost);
        }
        let power = |value: fn(&Cost) -> f64| {
            exponent(&costs, value).map_or_else(|| "unknown".to_owned(), |power| format!("{power:.2}"))
        };
        let (states, time) = (power(states), power(time));
        terminal::print(format!("growth as a power of the size: states {states}, time {time}\n\n").as_bytes());
        costs.retain(|cost| cost.answer == "TRUE");
        proved &= costs.len() == family.sizes.len();
        measured.push((family.name, costs));
    }
    if let Some(file) = &arguments.svg
        && let Err(message) = files::write(file, &svg(&measured))
    {
        terminal.error(&message);
        return Exit::Failure;
    }
    if proved { Exit::Fine } else { Exit::Undecided }
}

fn states(cost: &Cost) -> f64 {
    cost.states as f64
}

fn time(cost: &Cost) -> f64 {
    cost.seconds.max(SHORTEST_PROOF_SECONDS)
}

/// Returns the power of the size with which a value grows over the larger half of the sizes: the slope of the regression line
/// through the logarithms.
fn exponent(costs: &[Cost], value: fn(&Cost) -> f64) -> Option<f64> {
    let proved: Vec<&Cost> = costs.iter().filter(|cost| cost.answer == "TRUE").collect();
    let larger = &proved[proved.len() / 2..];
    let points: Vec<(f64, f64)> =
        larger.iter().map(|cost| (f64::from(cost.size).ln(), value(cost).max(f64::MIN_POSITIVE).ln())).collect();
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let spread: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    let together: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    (spread > 0.0).then(|| together / spread)
}

fn run(size: u32, text: &str, seconds: u64) -> Result<Cost, String> {
    let folder = temporary::create_folder("cairn-growth")
        .map_err(|error| format!("cannot create a temporary folder: {}", files::describe(&error)))?;
    let file = folder.join("program.c");
    files::write(&file, text)?;
    let cost = prove(size, &file, seconds);
    // At worst one small file stays behind.
    let _ = std::fs::remove_dir_all(&folder);
    cost
}

fn prove(size: u32, file: &Path, seconds: u64) -> Result<Cost, String> {
    let program: PathBuf = std::env::current_exe().map_err(|error| error.to_string())?;
    let started = Instant::now();
    let mut child = Command::new(program)
        .args(["svcomp", "--stats", "--engine", "prove", "--property", "-", "--data-model", "LP64"])
        .args(["--time-limit", &seconds.to_string()])
        .arg(file)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(MEMSAFETY.as_bytes()).map_err(|error| error.to_string())?;
    }
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    let elapsed = started.elapsed().as_secs_f64();
    let said = String::from_utf8_lossy(&output.stderr);
    let number = |name: &str| {
        let line = said.lines().filter_map(|line| line.strip_prefix(STATISTICS)).find(|line| line.starts_with(name));
        line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok()).unwrap_or(0)
    };
    let answer = String::from_utf8_lossy(&output.stdout).lines().last().unwrap_or("no answer").to_owned();
    let seconds = match number("processor-microseconds ") {
        0 => elapsed,
        microseconds => microseconds as f64 / 1e6,
    };
    Ok(Cost { size, seconds, states: number("states "), queries: number("queries "), answer })
}

const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 360.0;
const MARGIN: f64 = 50.0;

/// Draws the proofs, states on the left and time on the right.
fn svg(measured: &[(&str, Vec<Cost>)]) -> String {
    let whole = 2.0 * WIDTH;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {whole} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{whole}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
    );
    draw(&mut out, measured, "explored states", states);
    let _ = writeln!(out, "<g transform=\"translate({WIDTH} 0)\">");
    draw(&mut out, measured, "processor time in seconds", time);
    out.push_str("</g>\n</svg>\n");
    out
}

/// Draws one value on logarithmic axes: a line for each family, and a line of quadratic growth.
fn draw(out: &mut String, measured: &[(&str, Vec<Cost>)], title: &str, value: fn(&Cost) -> f64) {
    let values = || measured.iter().flat_map(|(_, costs)| costs).map(value);
    let bottom = values().fold(f64::INFINITY, f64::min).clamp(1e-3, 10.0).log10().floor();
    let top = values().fold(0.0, f64::max).max(10f64.powf(bottom + 1.0)).log10();
    let x = |size: f64| MARGIN + (WIDTH - 2.0 * MARGIN) * size.log2() / 6.0;
    let y = |value: f64| HEIGHT - MARGIN - (HEIGHT - 2.0 * MARGIN) * (value.log10() - bottom).max(0.0) / (top - bottom);
    for size in [1.0f64, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0] {
        let (at, below) = (x(size), HEIGHT - MARGIN + 18.0);
        let _ = writeln!(out, "<text x=\"{at:.0}\" y=\"{below:.0}\" text-anchor=\"middle\">{size}</text>");
    }
    for power in bottom as i32..=top.floor() as i32 {
        let value = 10f64.powi(power);
        let level = y(value);
        let _ = writeln!(
            out,
            "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">{value}</text>\n<line x1=\"{MARGIN}\" x2=\"{:.0}\" y1=\"{level:.0}\" \
             y2=\"{level:.0}\" stroke=\"#ddd\"/>",
            MARGIN - 6.0,
            level + 4.0,
            WIDTH - MARGIN
        );
    }
    let start = measured.iter().filter_map(|(_, costs)| costs.first()).map(value).fold(10f64.powf(bottom), f64::max);
    let end = (10f64.powf(top) / start).sqrt().clamp(1.0, 64.0);
    let _ = writeln!(
        out,
        "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"gray\" stroke-dasharray=\"4\"/>\n\
         <text x=\"{:.0}\" y=\"{:.0}\" fill=\"gray\">quadratic</text>",
        x(1.0),
        y(start),
        x(end),
        y(start * end * end),
        x(end) + 4.0,
        y(start * end * end) + 4.0
    );
    for ((name, costs), colour) in
        measured.iter().zip(["#1b6ca8", "#c0392b", "#27ae60", "#8e44ad", "#d68910", "#16a085"])
    {
        let points: Vec<String> =
            costs.iter().map(|cost| format!("{:.1},{:.1}", x(f64::from(cost.size)), y(value(cost)))).collect();
        let _ = writeln!(
            out,
            "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" points=\"{}\"/>",
            points.join(" ")
        );
        if let Some(last) = costs.last() {
            let _ = writeln!(
                out,
                "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\" fill=\"{colour}\">{name}</text>",
                x(f64::from(last.size)) - 2.0,
                y(value(last)) - 6.0
            );
        }
    }
    let _ = writeln!(
        out,
        "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"middle\">size of the program</text>\n<text x=\"{MARGIN}\" \
         y=\"24\">{title}</text>",
        WIDTH / 2.0,
        HEIGHT - 10.0
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(size: u32, states: u64) -> Cost {
        Cost { size, seconds: 0.0, states, queries: 0, answer: "TRUE".to_owned() }
    }

    #[test]
    fn exponents_are_those_of_powers() {
        let square: Vec<Cost> = [1, 2, 4, 8, 16].map(|n| cost(n, u64::from(n * n))).to_vec();
        assert_eq!(exponent(&square, states).map(|e| format!("{e:.2}")), Some("2.00".to_owned()));
        // A proof that takes no time does not grow.
        assert_eq!(exponent(&square, time), Some(0.0));
        assert_eq!(exponent(&[], states), None);
        assert_eq!(exponent(&[cost(1, 5)], states), None);
    }

    #[test]
    fn drawings_have_a_line_for_each_family() {
        let text = svg(&[("a", vec![cost(1, 10), cost(64, 1000)]), ("b", vec![cost(1, 20)])]);
        assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"), "{text}");
        assert_eq!(text.matches("<polyline").count(), 4, "{text}");
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    }

    #[test]
    fn programs_grow() {
        assert_eq!(phases(3).matches("while (__VERIFIER").count(), 3);
        assert_eq!(nesting(4).matches("while (__VERIFIER").count(), 4);
        assert_eq!(walks(4).matches("for (struct level").count(), 4);
        assert_eq!(helpers(5).matches("static struct node *helper").count(), 5);
        assert_eq!(calls(5).matches("static struct node *helper").count(), 1);
        assert_eq!(calls(5).matches("list = helper0(list);").count(), 5);
        assert_eq!(towers(5).matches("static void level").count(), 6);
    }
}
