// Tasks that get copies of objects: ones that know where they are, aligned ones, large ones, arrays of any length.
#include <cstdint>
#include <cstdio>

static int alive, ran, wrong;

static void count(int &number, int by)
{
#pragma omp atomic
    number += by;
}

struct Thing {
    const Thing *self;
    int value;
    explicit Thing(int value) : self(this), value(value) { count(alive, 1); }
    Thing(const Thing &other) : self(this), value(other.value) { count(alive, 1); }
    ~Thing() { count(alive, -1); }
    bool well(int expected) const { return self == this && value == expected; }
};

struct alignas(128) Wide : Thing {
    explicit Wide(int value) : Thing(value) {}
    bool well(int expected) const { return Thing::well(expected) && (uintptr_t)this % 128 == 0; }
};

struct Large {
    int words[500];
};

static void check(bool right)
{
    count(ran, 1);
    count(wrong, !right);
}

static void some(int n)
{
    int array[n];
    for (int i = 0; i < n; i++)
        array[i] = i;
    for (int i = 0; i < 10; i++) {
        Thing thing(i);
        Wide wide(i + 1);
        Large large;
        for (int k = 0; k < 500; k++)
            large.words[k] = i * k;
#pragma omp task firstprivate(thing)
        check(thing.well(i));
#pragma omp task firstprivate(wide)
        check(wide.well(i + 1));
#pragma omp task firstprivate(large)
        check(large.words[499] == i * 499 && large.words[1] == i);
#pragma omp task firstprivate(array, n)
        check(array[n - 1] == n - 1);
#pragma omp task firstprivate(thing, large) if (i % 2)
        check(thing.well(i) && large.words[2] == 2 * i);
#pragma omp taskloop num_tasks(3) firstprivate(thing)
        for (int k = 0; k < 3; k++)
            check(thing.well(i));
#pragma omp taskwait
    }
}

int main()
{
#pragma omp parallel num_threads(2)
#pragma omp single
    some(50);
    some(30);
    std::printf("alive %d, wrong %d, tasks %d\n", alive, wrong, ran);
    return alive == 0 && wrong == 0 && ran == 2 * 10 * 8 ? 0 : 1;
}
