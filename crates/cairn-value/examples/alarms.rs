//! Prints the checks that the value analysis leaves open in a program of textual IR: `alarms FILE.ir [--list] [--values]
//! [--contexts | --summaries]`.

use std::collections::BTreeMap;
use std::sync::Arc;

use cairn_ir::program::Origin;
use cairn_value::analysis::{Options, Precision};
use cairn_value::engine::analyse;

fn main() {
    let mut args = std::env::args().skip(1);
    let file = args.next().unwrap_or_default();
    let options: Vec<String> = args.collect();
    let has = |option: &str| options.iter().any(|given| given == option);
    let lists = has("--list");
    let only =
        if has("--contexts") { Some(Precision::Contexts) } else { has("--summaries").then_some(Precision::Summaries) };
    let choices = Options { malloc_fails: false, only };
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let program = match cairn_ir::parse::parse(&text) {
        Ok(program) => program,
        Err(error) => {
            eprintln!("{file}:{}: {}", error.line, error.message);
            return;
        }
    };
    if has("--values")
        && let Ok((observed, _)) = cairn_value::engine::observe(&program, "main", choices)
    {
        let mut all: Vec<_> = observed.into_iter().collect();
        all.sort_by_key(|(point, _)| *point);
        for ((function, block, inst), value) in all {
            println!("{function} b{block} {inst}: {value:?}");
        }
    }
    let start = std::time::Instant::now();
    match analyse(&program, "main", choices, &Arc::default()) {
        Ok(result) => {
            let proved: std::collections::BTreeSet<_> = result.findings.proved.iter().copied().collect();
            let mut kinds: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
            for (index, check) in program.checks.iter().enumerate() {
                let function = &program.functions[check.function.index()];
                if check.kind.is_of_the_end() || function.origin != Origin::User {
                    continue;
                }
                let is_proved = proved.contains(&cairn_ir::CheckId::new(index));
                let entry = kinds.entry(check.kind.name()).or_default();
                entry.0 += usize::from(is_proved);
                entry.1 += 1;
                if !is_proved && lists {
                    let place = program.file_name(check.loc);
                    println!("{place}:{}:{}: {} in {}", check.loc.line, check.loc.column, check.kind, function.name);
                }
            }
            let (open, all) = kinds.values().fold((0, 0), |(a, b), (p, n)| (a + n - p, b + n));
            println!("{file}: {open} of {all} open, {} visits, {:?}", result.visits, start.elapsed());
            for (kind, (proved, all)) in kinds {
                if proved < all {
                    println!("  {kind}: {} of {all}", all - proved);
                }
            }
            for assumption in &result.assumptions {
                println!("  assuming that {assumption}");
            }
        }
        Err(reason) => println!("{file}: {reason} after {:?}", start.elapsed()),
    }
}
