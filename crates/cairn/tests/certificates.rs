//! Tests of certificates that one process writes and another one checks.

mod support;

use std::path::Path;

use support::tasks::{SMALL, property};
use support::{cairn, finish, scratch};

/// A loop that counts up to a limit, and a list that is built and freed. `LIMIT` and `FREED` make them wrong.
const COUNTER: &str = "extern int __VERIFIER_nondet_int(void);
int main(void) {
    int a[8], n = 0;
    while (__VERIFIER_nondet_int()) {
        if (n < LIMIT)
            n++;
        a[n] = 1;
    }
    return 0;
}
";
const LIST: &str = "#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; };
int main(void) {
    struct node *list = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        n->next = list;
        list = n;
    }
    while (list) {
        struct node *n = list->next;
        free(FREED);
        list = n;
    }
    return 0;
}
";

/// Writes a certificate with a command, and checks it for the right and for a wrong program.
fn round_trip(folder: &Path, command: &[&str], right: &str, wrong: &str) {
    let (good, bad, proof) = (folder.join("good.c"), folder.join("bad.c"), folder.join("proof.cert"));
    std::fs::write(&good, right).expect("the folder is writable");
    std::fs::write(&bad, wrong).expect("the folder is writable");
    let said = finish(cairn().args(command).args(["--work-limit", SMALL, "--certificate"]).arg(&proof).arg(&good));
    assert_eq!(said.status, 0, "{command:?}: {}{}", said.stdout, said.stderr);
    let verify = |file: &Path| finish(cairn().arg("verify-certificate").arg(&proof).arg(file));
    let said = verify(&good);
    assert!(said.status == 0 && said.stdout.starts_with("VERIFIED\n"), "{command:?}: {}{}", said.stdout, said.stderr);
    assert_eq!(said.stderr, "", "{command:?}: the certificate is about this program");
    let said = verify(&bad);
    assert!(said.status == 2 && said.stdout.starts_with("REJECTED("), "{command:?}: {}{}", said.stdout, said.stderr);
}

#[test]
fn certificates_are_checked_by_another_process() {
    let folder = scratch("certificates");
    let named = |name: &str| property("certificates", name).to_string_lossy().into_owned();
    let (memory, dereferences) = (named("memsafety"), named("deref"));
    let (counter, list) = (|limit: &str| COUNTER.replace("LIMIT", limit), |freed: &str| LIST.replace("FREED", freed));
    let svcomp = ["svcomp", "--data-model", "LP64", "--property"];
    for (engine, property, right, wrong) in [
        ("template", &dereferences, counter("7"), counter("8")),
        ("prove", &memory, list("list"), list("n")),
        ("all", &memory, list("list"), list("n")),
    ] {
        let command = [&svcomp[..], &[property.as_str(), "--engine", engine]].concat();
        round_trip(&folder, &command, &right, &wrong);
    }
    round_trip(&folder, &["check"], &list("list"), &list("n"));
}
