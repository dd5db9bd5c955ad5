//! The command line itself: exit codes, bad arguments, bad files, options.

mod support;

use std::io::Write;
use std::path::PathBuf;
use std::process::Stdio;

use support::{Said, cairn, finish, said, scratch};

/// Writes a C file of its own for a test and runs `cairn` with the arguments, in which `FILE` stands for it.
fn with_file(name: &str, text: impl AsRef<[u8]>, arguments: &[&str]) -> (Said, PathBuf) {
    let file = scratch(&format!("cli-{}", name.replace('.', "-"))).join(name);
    std::fs::write(&file, text).expect("the target folder is writable");
    let path = file.display().to_string();
    let arguments = arguments.iter().map(|word| word.replace("FILE", &path));
    (finish(cairn().args(arguments)), file)
}

fn run(name: &str, text: &str, options: &[&str]) -> Said {
    let mut arguments = vec!["run", "FILE"];
    arguments.extend(options);
    with_file(name, text, &arguments).0
}

#[test]
fn help_and_version_exit_with_0() {
    for arguments in [["--help"].as_slice(), &["run", "--help"], &["help", "dump"]] {
        let said = finish(cairn().args(arguments));
        assert_eq!(said.status, 0);
        assert!(said.stdout.contains("Usage: cairn"), "{}", said.stdout);
    }
    let said = finish(cairn().arg("--version"));
    assert_eq!((said.status, said.stdout), (0, format!("cairn {}\n", env!("CARGO_PKG_VERSION"))));
}

#[test]
fn bad_arguments_exit_with_3() {
    for arguments in [
        [].as_slice(),
        &["frobnicate"],
        &["run"],
        &["run", "--no-such-option", "x.c"],
        &["run", "--max-memory", "many", "x.c"],
        &["run", "--malloc-fails", "0", "x.c"],
        &["run", "--data-model", "LLP64", "x.c"],
        &["run", "--seed", "1", "--inputs", "i", "x.c"],
        &["dump", "x.c"],
        &["dump", "--ir", "--cfg", "x.c"],
        &["svcomp", "x.c"],
        &["check", "--longest-path", "4", "x.c"],
        &["check", "--engine", "integrity", "--malloc-fails", "x.c"],
        &["check", "--engine", "prove", "x.c"],
    ] {
        let said = finish(cairn().args(arguments));
        assert_eq!(said.status, 3, "{arguments:?}\n{}", said.stderr);
        assert!(said.stderr.contains("Usage") || said.stderr.contains("error:"), "{arguments:?}\n{}", said.stderr);
    }
}

#[test]
fn a_language_server_without_a_client_exits_with_3() {
    let said = finish(cairn().arg("lsp"));
    assert_eq!((said.status, said.stdout.as_str()), (3, ""), "{}", said.stderr);
}

#[test]
fn unreadable_files_are_named() {
    let said = finish(cairn().args(["run", "no/such/file.c"]));
    assert_eq!(said.status, 3);
    assert!(said.stderr.contains("cannot read 'no/such/file.c': no such file"), "{}", said.stderr);
    let said = finish(cairn().args(["dump", "--ir", "no/such/file.i"]));
    assert_eq!(said.status, 3);
    assert!(said.stderr.contains("cannot read 'no/such/file.i': no such file"), "{}", said.stderr);
    let said = finish(cairn().args(["run", "README.md"]));
    assert_eq!(said.status, 3);
    assert!(said.stderr.contains("unknown file type 'README.md': expected .c, .i or .ir"), "{}", said.stderr);
    let said = finish(cairn().args(["run", "crates"]));
    assert_eq!(said.status, 3, "{}", said.stderr);
}

#[test]
fn a_missing_preprocessor_is_explained() {
    let (said, _) = with_file("none.c", "int main(void) { return 0; }\n", &["run", "--cc", "no-such-compiler", "FILE"]);
    assert_eq!(said.status, 3);
    assert!(said.stderr.contains("`no-such-compiler` not found"), "{}", said.stderr);
    assert!(said.stderr.contains("--cc"), "{}", said.stderr);
}

#[test]
fn preprocessor_errors_are_passed_on() {
    let (said, _) = with_file("missing.c", "#include \"no_such.h\"\n", &["run", "FILE"]);
    assert_eq!(said.status, 3);
    assert!(said.stderr.contains("no_such.h"), "{}", said.stderr);
}

#[test]
fn errors_of_all_files_are_reported() {
    let dir = scratch("cli-several");
    let (bad, worse, good) = (dir.join("bad.c"), dir.join("worse.c"), dir.join("good.c"));
    std::fs::write(&bad, "int f(void) { return missing; }\nint g(void) { int x = ; return x; }\n").expect("writable");
    std::fs::write(&worse, "int h(void) { return 1 }\n").expect("writable");
    std::fs::write(&good, "int main(void) { return 0; }\n").expect("writable");
    let said = finish(cairn().arg("run").args([&bad, &good, &dir.join("absent.c"), &worse]));
    assert_eq!(said.status, 3);
    for place in ["bad.c:1:22", "bad.c:2:23", "absent.c': no such file", "worse.c:1:2"] {
        assert!(said.stderr.contains(place), "{place} is missing in\n{}", said.stderr);
    }
    assert!(said.stderr.contains("return missing;"), "{}", said.stderr);
}

#[test]
fn warnings_can_be_hidden() {
    let text = "int main(void) { return undeclared_function(1) * 0; }\nint undeclared_function(int n) { return n; }\n";
    let said = run("warn.c", text, &[]);
    assert_eq!(said.status, 0, "{}", said.stderr);
    assert!(said.stderr.contains("warning: "), "{}", said.stderr);
    let said = run("hidden.c", text, &["-w"]);
    assert_eq!((said.status, said.stderr.as_str()), (0, ""));
}

#[test]
fn exit_codes_distinguish_outcomes() {
    assert_eq!(run("status.c", "int main(void) { return 300; }\n", &[]).status, 44);
    assert_eq!(run("fault.c", "int main(void) { return *(volatile int *)0; }\n", &[]).status, 1);
    assert_eq!(run("endless.c", "int main(void) { for (;;) ; }\n", &["--max-steps", "1000"]).status, 2);
    assert_eq!(run("abort.c", "#include <stdlib.h>\nint main(void) { abort(); }\n", &[]).status, 134);
    assert_eq!(run("invalid.c", "int main(void) { return 0 }\n", &[]).status, 3);
    assert_eq!(run("nomain.c", "int f(void) { return 0; }\n", &[]).status, 3);
    let said = run("thread.c", "int system(const char *); int main(void) { return system(\"true\"); }\n", &[]);
    assert_eq!(said.status, 2);
    assert!(said.stderr.contains("error[unsupported]"), "{}", said.stderr);
}

#[test]
fn memory_can_be_limited() {
    let text = "#include <stdlib.h>\nint main(void) { for (;;) if (!malloc(1 << 20)) return 1; }\n";
    let said = run("memory.c", text, &["--max-memory", "16M"]);
    assert_eq!(said.status, 2, "{}", said.stderr);
}

#[test]
fn chosen_allocations_fail() {
    let text = "#include <stdio.h>\n#include <stdlib.h>\nint main(void) {\n  for (int i = 1; i <= 4; i++) {\n    char *p = malloc(i);\n    \
                printf(\"%d\", p != NULL);\n    free(p);\n  }\n}\n";
    assert_eq!(run("fails.c", text, &["--malloc-fails", "2", "--malloc-fails", "4"]).stdout, "1010");
    assert_eq!(run("works.c", text, &[]).stdout, "1111");
}

#[test]
fn values_come_from_a_seed_or_a_file() {
    let text = "extern int __VERIFIER_nondet_int(void);\nextern double __VERIFIER_nondet_double(void);\nint printf(const char *, ...);\n\
                int main(void) { for (int i = 0; i < 3; i++) printf(\"%d \", __VERIFIER_nondet_int());\n\
                printf(\"%g\", __VERIFIER_nondet_double()); return 0; }\n";
    let first = run("seed0.c", text, &[]);
    assert_eq!(first.status, 0, "{}", first.stderr);
    assert_eq!(first.stdout, run("seed0b.c", text, &["--seed", "0"]).stdout);
    assert_ne!(first.stdout, run("seed1.c", text, &["--seed", "1"]).stdout);
    let dir = scratch("cli-inputs");
    let inputs = dir.join("values");
    std::fs::write(&inputs, "7 # first\n-1\n0x10\n2.5\n").expect("writable");
    let path = inputs.display().to_string();
    assert_eq!(run("listed.c", text, &["--inputs", &path]).stdout, "7 -1 16 2.5");
    std::fs::write(&inputs, "7\n").expect("writable");
    let said = run("few.c", text, &["--inputs", &path]);
    assert_eq!(said.status, 2, "{}", said.stderr);
    assert!(said.stderr.contains("inputs"), "{}", said.stderr);
    std::fs::write(&inputs, "7\nseven\n").expect("writable");
    let said = run("wrong.c", text, &["--inputs", &path]);
    assert_eq!(said.status, 3);
    assert!(said.stderr.contains("values: line 2: expected a number"), "{}", said.stderr);
}

#[test]
fn arguments_and_input_reach_the_program() {
    let text = "#include <stdio.h>\nint main(int argc, char **argv) { int c; while ((c = getchar()) != EOF) putchar(c); \
                for (int i = 1; i < argc; i++) printf(\"[%s]\", argv[i]); return argc; }\n";
    let file = scratch("cli-arguments").join("echo.c");
    std::fs::write(&file, text).expect("writable");
    let mut child = cairn()
        .arg("run")
        .arg(&file)
        .args(["--", "-x", "two words"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("cairn can be started");
    child.stdin.take().expect("piped").write_all(b"in\n").expect("the program reads");
    let said = said(child.wait_with_output().expect("the program ends"));
    assert_eq!((said.status, said.stdout.as_str()), (3, "in\n[-x][two words]"), "{}", said.stderr);
}

#[test]
fn a_program_can_come_from_standard_input() {
    let mut child = cairn()
        .args(["run", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("cairn can be started");
    child.stdin.take().expect("piped").write_all(b"int main(void) { return 5; }\n").expect("cairn reads");
    let said = said(child.wait_with_output().expect("cairn ends"));
    assert_eq!(said.status, 5, "{}", said.stderr);
}

#[test]
fn output_and_report_are_in_order() {
    let text = "#include <stdio.h>\nint main(void) { printf(\"out\"); fprintf(stderr, \"err\"); printf(\"more\"); return *(int *)0; }\n";
    let file = scratch("cli-order").join("order.c");
    std::fs::write(&file, text).expect("writable");
    // Both streams go to one file.
    let both = std::fs::File::create(file.with_extension("txt")).expect("writable");
    let status = cairn()
        .args(["run", "-w"])
        .arg(&file)
        .stdout(both.try_clone().expect("a file can be shared"))
        .stderr(both)
        .status()
        .expect("cairn can be started");
    assert_eq!(status.code(), Some(1));
    let text = std::fs::read_to_string(file.with_extension("txt")).expect("readable");
    assert!(text.starts_with("outerrmoreerror[null-deref]: "), "{text}");
}

#[test]
fn a_closed_pipe_ends_the_program_quietly() {
    let text = "#include <stdio.h>\nint main(void) { for (int i = 0; i < 200000; i++) puts(\"a line of output\"); return 0; }\n";
    let file = scratch("cli-pipe").join("pipe.c");
    std::fs::write(&file, text).expect("writable");
    let mut child = cairn()
        .arg("run")
        .arg(&file)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("cairn can be started");
    drop(child.stdout.take());
    let said = said(child.wait_with_output().expect("cairn ends"));
    assert_eq!((said.status, said.stderr.as_str()), (141, ""));
}

#[test]
fn bytes_that_are_not_utf8_are_accepted() {
    let text =
        b"int main(void) { /* caf\xe9 */ return sizeof \"\xe9\xff\" == 3 && \"\xe9\"[0] == (char)0xe9 ? 0 : 1; }\n";
    for name in ["latin.c", "latin.i"] {
        let (said, _) = with_file(name, text, &["run", "FILE"]);
        assert_eq!((said.status, said.stderr.as_str()), (0, ""), "{name}");
    }
}

#[test]
fn malformed_files_are_errors() {
    for (name, text) in [("empty.c", &b""[..]), ("zero.i", b"\0\0\0"), ("noise.i", b"\xff\xfe\x00\x01 }}} ((( ''' \"")]
    {
        let (said, _) = with_file(name, text, &["run", "FILE"]);
        assert_eq!(said.status, 3, "{name}\n{}", said.stderr);
        assert!(!said.stderr.contains("internal error"), "{name}\n{}", said.stderr);
    }
}

#[test]
fn textual_ir_is_read_back_and_run() {
    let text = "#include <stdio.h>\nstruct pair { char a; long b; };\nint main(void) { struct pair p = {1, 2}, q = p; \
                printf(\"%ld\\n\", q.b + p.a); return 7; }\n";
    let (said, file) = with_file("ir.c", text, &["dump", "--ir", "FILE"]);
    assert_eq!(said.status, 0, "{}", said.stderr);
    let ir = file.with_extension("ir");
    std::fs::write(&ir, &said.stdout).expect("writable");
    let again = finish(cairn().args(["dump", "--ir"]).arg(&ir));
    assert_eq!(again.stdout, said.stdout, "{}", again.stderr);
    let ran = finish(cairn().arg("run").arg(&ir));
    assert_eq!((ran.status, ran.stdout.as_str()), (7, "3\n"), "{}", ran.stderr);
    let mixed = finish(cairn().arg("run").args([&ir, &file]));
    assert_eq!(mixed.status, 3);
    assert!(mixed.stderr.contains("must be the only input"), "{}", mixed.stderr);
    std::fs::write(&ir, "this is no program\n").expect("writable");
    let wrong = finish(cairn().arg("run").arg(&ir));
    assert_eq!(wrong.status, 3);
    assert!(wrong.stderr.contains("ir.ir:1:"), "{}", wrong.stderr);
}

#[test]
fn graphs_are_dot() {
    let (said, _) = with_file("cfg.c", "int main(void) { return 0; }\n", &["dump", "--cfg", "FILE"]);
    assert_eq!(said.status, 0, "{}", said.stderr);
    assert!(said.stdout.starts_with("digraph"), "{}", said.stdout);
}

#[test]
fn preprocessor_options_are_passed_on() {
    let dir = scratch("cli-options");
    std::fs::create_dir(dir.join("include")).expect("writable");
    std::fs::write(dir.join("include/value.h"), "#define VALUE 40\n").expect("writable");
    std::fs::write(dir.join("first.h"), "#define FIRST 1\n").expect("writable");
    let file = dir.join("options.c");
    let text = "#include <value.h>\n#if __STDC_VERSION__ != 199901L || defined linux\n#error options\n#endif\n\
                int main(void) { return VALUE + FIRST + MORE; }\n";
    std::fs::write(&file, text).expect("writable");
    let said = finish(
        cairn()
            .arg("run")
            .arg("-I")
            .arg(dir.join("include"))
            .args(["-DMORE=1", "-std=c99", "-U", "linux", "-include"])
            .arg(dir.join("first.h"))
            .arg(&file),
    );
    assert_eq!(said.status, 42, "{}", said.stderr);
}

#[test]
fn the_data_model_decides_sizes() {
    let text = "#include <stdio.h>\n#include <stdlib.h>\nint main(void) { char *p = malloc(3); sprintf(p, \"%ld\", 7L); free(p); \
                printf(\"%d\", (int)(sizeof(long) * 10 + sizeof(void *))); return 0; }\n";
    for (options, expected) in [(["-m64"].as_slice(), "88"), (&["-m32"], "44"), (&["--data-model", "ILP32"], "44")] {
        let said = run("model.c", text, options);
        assert_eq!((said.status, said.stdout.as_str()), (0, expected), "{options:?}\n{}", said.stderr);
    }
}

/// The compiler knows `-m32` but lacks the headers for it, as on many machines.
#[cfg(unix)]
#[test]
fn headers_of_the_other_word_size_are_used() {
    use std::os::unix::fs::PermissionsExt;
    let dir = scratch("cli-headers");
    let compiler = dir.join("cc32");
    let script = "#!/bin/sh\ncase \"$*\" in\n*-print-multiarch*|*-idirafter*) exec cc \"$@\" ;;\nesac\n\
                  echo '/usr/include/x.h:7:11: fatal error: gnu/stubs-32.h: No such file or directory' >&2\nexit 1\n";
    std::fs::write(&compiler, script).expect("writable");
    std::fs::set_permissions(&compiler, std::fs::Permissions::from_mode(0o755)).expect("writable");
    let file = dir.join("small.c");
    std::fs::write(&file, "#include <stdio.h>\nint main(void) { return sizeof(long); }\n").expect("writable");
    let said = finish(cairn().args(["run", "-m32", "--cc"]).args([&compiler, &file]));
    assert_eq!((said.status, said.stderr.as_str()), (4, ""));
    let said = finish(cairn().args(["run", "--cc"]).args([&compiler, &file]));
    assert_eq!(said.status, 3);
    assert!(said.stderr.contains("gnu/stubs-32.h"), "{}", said.stderr);
}

#[test]
fn colour_follows_the_option() {
    let text = "int main(void) { return *(volatile int *)0; }\n";
    assert!(!run("plain.c", text, &[]).stderr.contains('\u{1b}'));
    assert!(run("colour.c", text, &["--color", "always"]).stderr.contains('\u{1b}'));
    assert!(!run("never.c", text, &["--colour=never"]).stderr.contains('\u{1b}'));
}

#[test]
fn checks_are_explained() {
    let list = finish(cairn().arg("explain"));
    assert_eq!(list.status, 0);
    let page = finish(cairn().args(["explain", "use-after-free"]));
    assert_eq!(page.status, 0);
    assert!(list.stdout.contains("use-after-free") && page.stdout.starts_with("# use-after-free\n"));
    let unknown = finish(cairn().args(["explain", "use-before-free"]));
    assert_eq!((unknown.status, unknown.stdout.as_str()), (3, ""));
    assert!(unknown.stderr.contains("no check `use-before-free`"), "{}", unknown.stderr);
}
