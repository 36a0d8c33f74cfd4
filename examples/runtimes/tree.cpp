// A complete binary tree of tasks, in the generic task model of crosscut.hpp: one source for six runtimes.
//
// tree [DEPTH [WORKERS]] prints the number of leaves and of tasks that were created; `tree nested [DEPTH [WORKERS]]` does it
// with a section inside a section and one after it. With -DMEMBERS it uses the members create and wait, which all runtimes
// but OpenCilk have, in place of the macros. How to compile it: crates/record/tests/runtimes/README.md.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "crosscut.hpp"

#ifdef MEMBERS
#undef CROSSCUT_CREATE
#undef CROSSCUT_WAIT
#define CROSSCUT_CREATE(section, ...) (section).create(__VA_ARGS__)
#define CROSSCUT_WAIT(section) (section).wait()
#endif

namespace {

struct totals {
    long leaves = 0;
    long tasks = 0; // created below

    /// Adds what a created task found.
    void add(const totals &other) {
        leaves += other.leaves;
        tasks += other.tasks + 1;
    }
};

totals tree(int depth) {
    if (depth == 0) {
        return {1, 0};
    }
    totals left, right, sum;
    crosscut::section section;
    CROSSCUT_CREATE(section, [depth, &left] { left = tree(depth - 1); });
    CROSSCUT_CREATE(section, [depth, &right] { right = tree(depth - 1); });
    CROSSCUT_WAIT(section);
    sum.add(left);
    sum.add(right);
    return sum;
}

/// One tree in an outer section, two in an inner one, and forty in the outer one again, from closures that own memory.
totals nested(int depth) {
    totals first, second, third, sum;
    crosscut::section outer;
    CROSSCUT_CREATE(outer, [depth, &first] { first = tree(depth); });
    {
        crosscut::section inner;
        CROSSCUT_CREATE(inner, [depth, &second] { second = tree(depth); });
        CROSSCUT_CREATE(inner, [depth, &third] { third = tree(depth); });
        CROSSCUT_WAIT(inner);
    }
    CROSSCUT_WAIT(outer);
    sum.add(first);
    sum.add(second);
    sum.add(third);

    std::vector<totals> many(40);
    for (totals &each : many) {
        const auto owned = std::make_shared<int>(depth);
        CROSSCUT_CREATE(outer, [owned, &each] { each = tree(*owned); });
    }
    CROSSCUT_WAIT(outer);
    for (const totals &each : many) {
        sum.add(each);
    }
    return sum;
}

/// A whole number from 0 to `most`; anything else ends the program.
int number(const char *text, long most) {
    char *end;
    const long value = std::strtol(text, &end, 10);
    if (end == text || *end != '\0' || value < 0 || value > most) {
        std::fprintf(stderr, "tree: not a number from 0 to %ld: %s\nusage: tree [nested] [DEPTH [WORKERS]]\n", most, text);
        std::exit(2);
    }
    return static_cast<int>(value);
}

} // namespace

int main(int count, char **arguments) {
    const bool is_nested = count > 1 && std::strcmp(arguments[1], "nested") == 0;
    char **const rest = arguments + 1 + is_nested;
    const int given = count - 1 - is_nested;
    if (given > 2) {
        std::fputs("usage: tree [nested] [DEPTH [WORKERS]]\n", stderr);
        return 2;
    }
    const int depth = given > 0 ? number(rest[0], 24) : 8;
    const int workers = given > 1 ? number(rest[1], 1024) : 0;
    totals root;
    crosscut::run_on(workers, [&] { root = is_nested ? nested(depth) : tree(depth); });
    std::printf("result %ld\ntasks %ld\n", root.leaves, root.tasks);
    return 0;
}
