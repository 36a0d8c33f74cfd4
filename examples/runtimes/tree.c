/* A complete binary tree of tasks, in the generic task model of crosscut.h: one source for six runtimes.
 *
 * tree [DEPTH [WORKERS]] prints the number of leaves and of tasks that were created; `tree nested [DEPTH [WORKERS]]` does
 * it with a section inside a section and one after it. How to compile it: crates/record/tests/runtimes/README.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crosscut.h"

struct node {
    int depth;
    long leaves;
    long tasks; /* created below this node */
};

static void tree(void *argument) {
    struct node *const node = (struct node *)argument;
    if (node->depth == 0) {
        node->leaves = 1;
        node->tasks = 0;
        return;
    }
    struct node left = {node->depth - 1, 0, 0};
    struct node right = {node->depth - 1, 0, 0};
    crosscut_section section;
    crosscut_open(&section);
    crosscut_create(&section, tree, &left);
    crosscut_create(&section, tree, &right);
    crosscut_wait(&section);
    node->leaves = left.leaves + right.leaves;
    node->tasks = left.tasks + right.tasks + 2;
}

enum { MANY = 40 };

/* One tree in an outer section, two in an inner one, and forty in a section after both. */
static void nested(void *argument) {
    struct node *const node = (struct node *)argument;
    struct node parts[MANY];
    long leaves = 0, tasks = 0;
    for (int i = 0; i < MANY; i++) {
        const struct node part = {node->depth, 0, 0};
        parts[i] = part;
    }

    crosscut_section outer;
    crosscut_open(&outer);
    crosscut_create(&outer, tree, &parts[0]);
    {
        crosscut_section inner;
        crosscut_open(&inner);
        crosscut_create(&inner, tree, &parts[1]);
        crosscut_create(&inner, tree, &parts[2]);
        crosscut_wait(&inner);
    }
    crosscut_wait(&outer);
    for (int i = 0; i < 3; i++) {
        leaves += parts[i].leaves;
        tasks += parts[i].tasks + 1;
        parts[i].leaves = 0;
    }

    crosscut_open(&outer);
    for (int i = 0; i < MANY; i++) {
        crosscut_create(&outer, tree, &parts[i]);
    }
    crosscut_wait(&outer);
    for (int i = 0; i < MANY; i++) {
        leaves += parts[i].leaves;
        tasks += parts[i].tasks + 1;
    }
    node->leaves = leaves;
    node->tasks = tasks;
}

/* A whole number from 0 to `most`; anything else ends the program. */
static int number(const char *text, long most) {
    char *end;
    const long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || value < 0 || value > most) {
        fprintf(stderr, "tree: not a number from 0 to %ld: %s\nusage: tree [nested] [DEPTH [WORKERS]]\n", most, text);
        exit(2);
    }
    return (int)value;
}

int main(int count, char **arguments) {
    const int is_nested = count > 1 && strcmp(arguments[1], "nested") == 0;
    char **const rest = arguments + 1 + is_nested;
    const int given = count - 1 - is_nested;
    if (given > 2) {
        fputs("usage: tree [nested] [DEPTH [WORKERS]]\n", stderr);
        return 2;
    }
    struct node root = {given > 0 ? number(rest[0], 24) : 8, 0, 0};
    const int workers = given > 1 ? number(rest[1], 1024) : 0;
    crosscut_run_on(workers, is_nested ? nested : tree, &root);
    printf("result %ld\ntasks %ld\n", root.leaves, root.tasks);
    return 0;
}
