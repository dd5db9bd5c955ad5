//! The short trace of a finding, its drawing, and the HTML report.

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use support::{Said, cairn, cairn_check, finish, scratch};

/// Checks a program in a folder of its own.
fn check(name: &str, file: &str, text: &str, options: &[&str]) -> (Said, PathBuf) {
    let folder = scratch(&format!("stories-{name}"));
    fs::write(folder.join(file), text).expect("the folder is writable");
    let said = finish(cairn_check().current_dir(&folder).args(options).arg(file));
    (said, folder)
}

/// Returns the lines of the steps without their source lines.
fn steps(output: &str) -> Vec<String> {
    let number = |line: &str| line.trim_start().split_once(". ").is_some_and(|(n, _)| n.parse::<u32>().is_ok());
    let step = |line: &&str| line.starts_with("  ") && (number(line) || line.contains("more iteration"));
    output
        .lines()
        .take_while(|line| !line.starts_with("error"))
        .filter(step)
        .map(|line| line.trim().to_owned())
        .collect()
}

const LIST: &str = "#include <stdlib.h>
struct node { int value; struct node *next; };
static struct node *push(struct node *list, int value) {
    struct node *node = malloc(sizeof *node);
    node->value = value;
    node->next = list;
    return node;
}
int main(void) {
    struct node *list = NULL;
    for (int i = 0; i < 5; i++)
        list = push(list, i);
    struct node *second = list->next;
    int unused = 5;
    unused += list->value;
    free(second);
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
";

#[test]
fn a_story_names_objects_by_how_the_program_reaches_them() {
    let (said, _) = check("names", "a.c", LIST, &[]);
    assert_eq!(said.status, 1, "{}", said.stderr);
    let steps = steps(&said.stdout);
    assert!((4..=11).contains(&steps.len()), "{steps:#?}");
    let text = steps.join("\n");
    assert!(text.contains("`second` is freed; `list->next` still points to it"), "{text}");
    assert!(!text.contains("heap object #") && !text.contains("unused"), "{text}");
    assert!(text.contains("more iteration"), "{text}");
    assert!(said.stdout.contains("after `"), "{}", said.stdout);
}

#[test]
fn the_full_trace_has_every_step() {
    let short = steps(&check("short", "a.c", LIST, &[]).0.stdout).len();
    let full = steps(&check("full", "a.c", LIST, &["--trace", "full"]).0.stdout).len();
    assert!(full > short, "{full} and {short}");
    let said = finish(cairn_check().args(["--engine", "integrity", "--trace", "full", "examples/list.c"]));
    assert_eq!(said.status, 3, "an option without effect is an error");
}

#[test]
fn the_memory_at_the_fault_is_drawn() {
    let (said, _) = check("drawing", "a.c", LIST, &[]);
    let drawing = said.stdout.split("memory at the").nth(1).and_then(|rest| rest.split("error[").next());
    let drawing = drawing.expect("a small heap is drawn");
    assert!(drawing.contains("freed") && drawing.contains("next") && drawing.is_ascii(), "{drawing}");
}

#[test]
fn the_control_that_leads_to_a_fault_is_told() {
    let text = "#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int main(void) {
    int mode = __VERIFIER_nondet_int();
    int noise = __VERIFIER_nondet_int();
    char *p = malloc(8);
    if (noise > 3)
        noise = 1;
    if (mode == 42)
        free(p);
    p[0] = 1;
    if (mode != 42)
        free(p);
    return 0;
}
";
    let (said, _) = check("control", "a.c", text, &[]);
    let text = steps(&said.stdout).join("\n");
    assert!(text.contains("`mode == 42` is true") && text.contains("`mode` becomes 42"), "{text}");
    assert!(!text.contains("noise"), "{text}");
}

#[test]
fn a_hint_is_given_where_the_fix_is_certain() {
    let said = finish(cairn_check().arg("examples/use_after_free.c"));
    assert!(said.stdout.contains("help: `task->next` is read after `task` was freed; save it"), "{}", said.stdout);
    // The object is freed by another function, which need not be wrong.
    let text = "#include <stdlib.h>
struct node { struct node *next; };
static void drop(struct node *node) { free(node); }
int main(void) {
    struct node *list = malloc(sizeof *list);
    list->next = 0;
    drop(list);
    return list->next != 0;
}
";
    let (said, _) = check("no-hint", "a.c", text, &[]);
    assert!(said.status == 1 && said.stdout.contains("use-after-free"), "{}", said.stdout);
    let (said, _) = check(
        "hint-null",
        "a.c",
        "#include <stdlib.h>\nint main(void) {\n    int *p = malloc(4);\n    *p = 1;\n    free(p);\n    return 0;\n}\n",
        &["--malloc-fails"],
    );
    assert!(
        said.stdout.contains("help: the allocation in line 3 may fail; check `p` before it is used"),
        "{}",
        said.stdout
    );
}

/// Every page of a report.
fn pages(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("the report was written") {
            let path = entry.expect("the report was written").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "html") {
                let text = fs::read_to_string(&path).expect("pages are text");
                found.push((path.display().to_string(), text));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn the_report_has_a_timeline_for_each_finding() {
    let (said, folder) = check("html", "a.c", LIST, &["--html", "report"]);
    assert_eq!(said.status, 1, "{}", said.stderr);
    let report = folder.join("report");
    for file in ["index.html", "finding/1.html", "source/1.html", "assets/cairn.css", "assets/cairn.js"] {
        assert!(report.join(file).is_file(), "{file}");
    }
    let page = fs::read_to_string(report.join("finding/1.html")).expect("the page is there");
    let frames = page.matches("<figure class=\"frame\"").count();
    assert!(frames >= 4 && page.matches("<svg class=\"heap ").count() == frames, "{frames}");
    assert!(page.contains("class=\"node freed"), "the freed object is marked");
    // An object stays where it is.
    for node in page.split("data-node=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
        let places: std::collections::BTreeSet<&str> = page
            .split(&format!("data-node=\"{node}\">"))
            .skip(1)
            .filter_map(|rest| rest.split("class=\"box\" ").nth(1)?.split(" rx=").next())
            .collect();
        assert_eq!(places.len(), 1, "{node}: {places:?}");
    }
    for (path, text) in pages(&report) {
        for link in text.split("href=\"").skip(1).filter_map(|rest| rest.split(['"', '#']).next()) {
            let target = Path::new(&path).parent().expect("a page is in a folder").join(link);
            assert!(link.is_empty() || link == "data:," || target.is_file(), "{path}: {link}");
            assert!(!link.starts_with("http"), "{path}: {link}");
        }
    }
}

#[test]
fn the_report_of_two_runs_is_the_same() {
    let read = |name| {
        pages(&check(name, "a.c", LIST, &["--html", "report"]).1.join("report"))
            .into_iter()
            .map(|page| page.1)
            .collect::<Vec<_>>()
    };
    assert_eq!(read("same-1"), read("same-2"));
}

#[test]
fn names_and_texts_of_the_user_cannot_become_markup() {
    let hostile = "<img src=x onerror=alert(1)>&\"'.c";
    let text = "#include <stdlib.h>
/* <script>alert(1)</script> */
int main(void) {
    char *s = malloc(40); /* \" onload=\"x */
    const char *t = \"</title><script>alert(2)</script>\";
    for (int i = 0; t[i]; i++)
        s[i] = t[i];
    free(s);
    return s[0] == '<';
}
";
    let (said, folder) = check("hostile", hostile, text, &["--html", "report"]);
    assert_eq!(said.status, 1, "{}", said.stderr);
    for (path, page) in pages(&folder.join("report")) {
        assert!(
            !page.contains("<script>") && !page.contains("<img") && !page.contains("onerror=alert(1)>&\""),
            "{path}"
        );
        assert_eq!(page.matches("<script ").count(), 1, "{path}");
    }
}

#[test]
fn libraries_and_projects_have_reports() {
    let folder = scratch("stories-project");
    let library = "#include <stdlib.h>\nint twice(int fail) {\n    char *p = malloc(10);\n    if (fail)\n        return -1;\n    free(p);\n    return 0;\n}\n";
    fs::write(folder.join("a.c"), LIST).expect("the folder is writable");
    fs::write(folder.join("library.c"), library).expect("the folder is writable");
    let said = finish(cairn_check().current_dir(&folder).args(["--no-cache", "--html", "report", "."]));
    assert_eq!(said.status, 1, "{}{}", said.stdout, said.stderr);
    let index = fs::read_to_string(folder.join("report/index.html")).expect("the report was written");
    assert_eq!(index.matches("<li class=\"finding\"").count(), 2, "{index}");
    let page = fs::read_to_string(folder.join("report/finding/2.html")).expect("the report was written");
    assert!(page.contains("<svg class=\"heap "), "a finding of a library has pictures");
}

#[test]
fn symbolic_states_are_a_page() {
    let folder = scratch("stories-states");
    let text = "#include <stdlib.h>
struct node { struct node *next; };
int __VERIFIER_nondet_int(void);
int main(void) {
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        node->next = list;
        list = node;
    }
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
";
    fs::write(folder.join("a.c"), text).expect("the folder is writable");
    let file = folder.join("a.c");
    let said = finish(cairn().args(["dump", "--states", "--malloc-succeeds", "--html"]).arg(&folder).arg(file));
    assert_eq!((said.status, said.stdout.as_str()), (0, ""), "{}", said.stderr);
    let page = fs::read_to_string(folder.join("index.html")).expect("the page was written");
    assert!(page.contains("<section class=\"state panel\"") && page.contains("node segment"), "segments are drawn");
}

#[test]
fn a_leak_is_told_where_the_last_pointer_ends() {
    let text = "#include <stdlib.h>
static int known(const char *text) {
    return text[0] == 'x';
}
static void keep(int mode) {
    char *copy = malloc(4);
    copy[0] = mode ? 'x' : 'y';
    if (known(copy))
        return;
    free(copy);
}
int main(void) {
    keep(0);
    keep(1);
    return 0;
}
";
    let (said, _) = check("lost", "a.c", text, &[]);
    let text = steps(&said.stdout).join("\n");
    assert!(text.contains("`keep` returns, and `copy` goes out of scope"), "{text}");
    assert!(text.contains("`known(copy)` is true"), "{text}");
}

#[test]
fn contracts_of_a_library_are_drawn() {
    let text = "#include <stdlib.h>
struct node { struct node *next; int value; };
struct list { struct node *head; };
void clear(struct list *list) {
    struct node *node = list->head;
    while (node) {
        struct node *next = node->next;
        free(node);
        node = next;
    }
    list->head = NULL;
}
struct node *make(int value) {
    struct node *node = malloc(sizeof *node);
    node->next = NULL;
    node->value = value;
    return node;
}
";
    let (said, folder) = check("contracts", "list.c", text, &["--html", "report"]);
    let page = fs::read_to_string(folder.join("report/contracts.html")).expect("the page was written");
    assert!(page.contains("frees the nodes of <code>list-&gt;head</code>"), "{}\n{page}", said.stdout);
    for drawn in ["class=\"node segment\"", "class=\"node freed changed segment\"", "data-variable=\"result\""] {
        assert!(page.contains(drawn), "{drawn}\n{page}");
    }
}
