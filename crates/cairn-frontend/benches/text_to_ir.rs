//! Measures how many preprocessed lines per second are compiled to IR on one core.
//!
//! `cargo bench -p cairn-frontend -- [--data-model ILP32|LP64] PATH…` measures the given `.i` and `.c` files and those
//! below the given folders. Files that do not compile as they are, such as a `.c` file that needs preprocessing, are
//! left out and counted. Each file is compiled repeatedly for half a second and the fastest round counts, so that other
//! load has little influence. The last line is the total of lines divided by the total of those times. The time
//! includes linking and the library models.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cairn_frontend::{Input, compile};
use cairn_ir::layout::Target;

fn main() {
    let mut target = Target::Ilp32;
    let mut files = Vec::new();
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--bench" => {}
            "--data-model" => {
                target = match args.next().as_deref() {
                    Some("LP64") => Target::Lp64,
                    _ => Target::Ilp32,
                };
            }
            // Cargo runs benchmarks in the crate's folder, but paths are relative to the workspace.
            path => collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path), &mut files),
        }
    }
    if files.is_empty() {
        eprintln!("usage: cargo bench -p cairn-frontend -- [--data-model ILP32|LP64] PATH…");
        return;
    }
    files.sort();
    // The recursive parts of the front-end need a large stack, like the one that the command line provides.
    let work = std::thread::Builder::new().stack_size(1 << 30).spawn(move || measure(&files, target));
    work.expect("a thread can be started").join().expect("the front-end does not panic");
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
            collect(&entry.path(), files);
        }
    } else if path.extension().is_some_and(|e| e == "i" || e == "c") {
        files.push(path.to_owned());
    }
}

fn measure(files: &[PathBuf], target: Target) {
    let (mut lines, mut seconds, mut left_out) = (0, 0.0, 0);
    for file in files {
        let Ok(text) = std::fs::read_to_string(file) else {
            left_out += 1;
            continue;
        };
        let name = file.display().to_string();
        let mut best = Duration::MAX;
        let begin = Instant::now();
        let mut ok = true;
        while ok && (best == Duration::MAX || begin.elapsed() < Duration::from_millis(500)) {
            let inputs = vec![Input { name: name.clone(), text: text.clone() }];
            let round = Instant::now();
            let compilation = compile(inputs, target);
            best = best.min(round.elapsed());
            ok = compilation.program.is_some();
        }
        if !ok {
            left_out += 1;
            continue;
        }
        let count = text.lines().count();
        println!("{:>9.0} lines/s {count:>7} lines  {name}", count as f64 / best.as_secs_f64());
        lines += count;
        seconds += best.as_secs_f64();
    }
    println!("{:>9.0} lines/s over {lines} lines in all; {left_out} files left out", lines as f64 / seconds);
}
