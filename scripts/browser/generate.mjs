// Prints a C program with the given number of functions, each of which has one fault that no caller can avoid.

const count = Number(process.argv[2] ?? 1000);
const lines = ["#include <stdlib.h>", "struct node { int value; struct node *next; };"];
for (let i = 0; i < count; i++) {
  lines.push(
    `int fault_${i}(void)`,
    "{",
    "    struct node *node = malloc(sizeof *node);",
    "    if (!node)",
    "        return 0;",
    `    node->value = ${i};`,
    "    free(node);",
    "    return node->value;",
    "}",
  );
}
console.log(lines.join("\n"));
