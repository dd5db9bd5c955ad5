//! The laws on structures that are more than one list: skip lists, and paths down trees.
//!
//! These tests exercise the connection between the parts of a structure rather than the folding of a single list.

use super::{PRELUDE, assert_proved_with_folds, prove};

#[test]
fn folded_skip_lists_cover_their_nodes() {
    assert_proved_with_folds(
        "struct node { struct node *next, *far; };
         int main(void) {
             struct node *head = malloc(sizeof *head), *tail = malloc(sizeof *tail);
             head->next = head->far = tail; tail->next = tail->far = 0;
             while (__VERIFIER_nondet_int()) {
                 struct node *at = head;
                 while (at->far != tail && __VERIFIER_nondet_int()) at = at->far;
                 struct node *before = at;
                 while (before->next != at->far && __VERIFIER_nondet_int()) before = before->next;
                 struct node *node = malloc(sizeof *node);
                 node->next = before->next; before->next = node;
                 if (__VERIFIER_nondet_int()) { node->far = at->far; at->far = node; } else node->far = 0;
             }
             while (head) { struct node *next = head->next; free(head); head = next; }
             return 0; }",
        &[("head = next; }", "head = head->far; }"), ("before->next = node;", "")],
    );
}

#[test]
fn folded_tree_paths_cover_their_nodes() {
    let text = "struct node { struct node *left, *right; };
         void free_all(struct node *node) { if (node) { free_all(node->left); free_all(node->right); free(node); } }
         int main(void) {
             struct node *root = 0;
             while (__VERIFIER_nondet_int()) {
                 struct node *node = malloc(sizeof *node);
                 node->left = node->right = 0;
                 if (!root) { root = node; continue; }
                 struct node *at = root;
                 for (;;) {
                     if (__VERIFIER_nondet_int()) {
                         if (!at->left) { at->left = node; break; }
                         at = at->left;
                     } else {
                         if (!at->right) { at->right = node; break; }
                         at = at->right;
                     }
                 }
             }
             free_all(root);
             return 0; }";
    // Other tests decide whether the program is proved.
    let (_, joins, folds) = prove(&format!("{PRELUDE}{text}"));
    assert!(joins > 0 && folds > 0, "{joins} joins, {folds} folds");
}
