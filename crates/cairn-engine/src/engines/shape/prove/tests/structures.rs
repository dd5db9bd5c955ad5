//! The laws on structures that are more than one list: levels of skip lists, and ways down in trees. What a law is
//! broken by here is not one list's folding but what holds the parts together.

use super::{PRELUDE, prove, proved_of_lists};

#[test]
fn levels_of_a_skip_list_cover_what_they_are_made_of() {
    proved_of_lists(
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
fn ways_down_in_trees_cover_what_they_are_made_of() {
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
    // Whether all of it is proved is for other tests.
    let (_, joins, folds) = prove(&format!("{PRELUDE}{text}"));
    assert!(joins > 0 && folds > 0, "{joins} joins, {folds} folds");
}
