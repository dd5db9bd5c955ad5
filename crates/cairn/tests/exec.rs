//! Programs without faults behave under `cairn run` as when the system's compiler has compiled them.

mod support;

use std::path::Path;
use std::process::{Command, Stdio};

use support::{cairn, check_all, finish, programs, scratch, skipped};

#[test]
fn programs_behave_as_when_compiled() {
    let dir = scratch("exec");
    check_all(&support::c_files(&programs("exec")), |file| compare(file, &dir, &[], &[]));
}

/// The same programs with 32-bit longs and pointers, if the system's compiler can link them. Programs that need 64 bits
/// contain the line `// lp64 only`.
#[test]
fn programs_behave_as_when_compiled_for_32_bits() {
    let dir = scratch("exec32");
    let probe = dir.join("probe.c");
    std::fs::write(&probe, "#include <stdio.h>\nint main(void) { return 0; }\n")
        .expect("the target folder is writable");
    let linked = finish(Command::new("cc").arg("-m32").arg(&probe).arg("-o").arg(dir.join("probe")));
    if linked.status != 0 {
        skipped("programs_behave_as_when_compiled_for_32_bits", "`cc -m32` cannot link here");
        return;
    }
    let mut files = support::c_files(&programs("exec"));
    files.retain(|file| {
        let text = std::fs::read_to_string(file).expect("the programs are readable");
        !text.lines().any(|line| line.trim() == "// lp64 only")
    });
    check_all(&files, |file| compare(file, &dir, &["-m32", "-msse2", "-mfpmath=sse"], &["--data-model", "ILP32"]));
}

/// C23 programs check themselves, because the system's compiler may not support C23.
#[test]
fn c23_programs_check_themselves() {
    check_all(&support::c_files(&programs("c23")), |file| {
        for model in ["LP64", "ILP32"] {
            let ours = finish(cairn().args(["run", "--data-model", model]).arg(file));
            if ours.status != 0 {
                return Err(format!("status {} in {model}\n{}", ours.status, ours.stderr));
            }
        }
        Ok(())
    });
}

fn compare(file: &Path, dir: &Path, compiler: &[&str], options: &[&str]) -> Result<(), String> {
    let binary = dir.join(file.file_stem().expect("programs have names"));
    let compiled = finish(
        Command::new("cc").args(["-std=gnu11", "-w"]).args(compiler).arg(file).arg("-o").arg(&binary).arg("-lm"),
    );
    if compiled.status != 0 {
        return Err(format!("the compiler refuses it: {}", compiled.stderr));
    }
    let native = finish(Command::new(&binary).stdin(Stdio::null()));
    let ours = finish(cairn().args(["run", "-w", "-std=gnu11", "--max-steps=500000000"]).args(options).arg(file));
    if native.status != ours.status {
        return Err(format!("status {} instead of {}\n{}", ours.status, native.status, ours.stderr));
    }
    if native.stdout != ours.stdout {
        let (expected, found) = first_difference(&native.stdout, &ours.stdout);
        return Err(format!("prints `{found}` instead of `{expected}`\n{}", ours.stderr));
    }
    if !ours.stderr.is_empty() && native.stderr != ours.stderr {
        return Err(format!("reports\n{}", ours.stderr));
    }
    Ok(())
}

/// The first lines that differ.
fn first_difference<'a>(expected: &'a str, found: &'a str) -> (&'a str, &'a str) {
    let (mut a, mut b) = (expected.lines(), found.lines());
    loop {
        match (a.next(), b.next()) {
            (Some(x), Some(y)) if x == y => {}
            (x, y) => return (x.unwrap_or("<end>"), y.unwrap_or("<end>")),
        }
    }
}
