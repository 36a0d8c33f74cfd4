//! Small programs, compiled in every usual way, that print code addresses of their own with the lines and functions that
//! these belong to, and then their memory map.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crosscut_chance::Chance;
use crosscut_close::symbols::{AFTER, BARRIER, BEGIN, BODY, Position, called, main_of, resolve};
use tempfile::TempDir;

/// `mark(line, function)` prints where it was called from; `done()` prints the map.
const MARK_H: &str = r#"
#ifdef __cplusplus
extern "C" {
#endif
void mark(int line, const char *function);
void done(void);
#ifdef __cplusplus
}
#endif
"#;
const MARK_C: &str = r#"
#include <stdio.h>
void mark(int line, const char *function) {
    printf("%lx %d %s\n", (unsigned long)__builtin_return_address(0), line, function);
}
void done(void) {
    FILE *maps = fopen("/proc/self/maps", "r");
    int c;
    printf("--\n");
    while ((c = getc(maps)) != EOF) putchar(c);
}
"#;
const LAMBDA_CPP: &str = r#"
#include "mark.h"
__attribute__((noinline)) int outer(int n) {
    mark(__LINE__, "outer");
    auto body = [&](int k) {
        mark(__LINE__, "lambda");
        return n + k;
    };
    return body(1) + body(n);
}
int main(int argc, char **) {
    int sum = outer(argc);
    done();
    return sum == 0;
}
"#;
const TASKS_C: &str = r#"
#include "mark.h"
#include "crosscut.h"
__attribute__((noinline)) static int plain(int n) {
    mark(__LINE__, "plain");
    return n + 1;
}
__attribute__((noinline)) int tasks(int n) {
    int a = 0;
#pragma omp task shared(a) if(n > 100)
    {
        a = plain(n);
        mark(__LINE__, "tasks");
#pragma omp task shared(a) if(n > 100)
        {
            mark(__LINE__, "tasks");
            a++;
        }
    }
#pragma omp taskwait
    return a;
}
int main(int argc, char **argv) {
    int sum = 0;
#pragma omp parallel num_threads(1)
    {
        mark(__LINE__, "main");
        sum = tasks(argc);
    }
    crosscut_mark(__LINE__, "main");
    done();
    return sum == 0;
}
"#;
const INLINED_H: &str = r#"
static inline long inlined(long n, int steps) {
    for (int i = 0; i < steps; i++)
        n = (n ^ (n >> 29)) * 636413622384679L;
    return n;
}
"#;
/// libgomp's functions that say who runs a construct, and whose turn it is, say where they were called from.
const TURNS_C: &str = r#"
#include <stdio.h>
#include "inlined.h"
#include "mark.h"
_Bool GOMP_single_start(void) {
    printf("%lx 0 single\n", (unsigned long)__builtin_return_address(0));
    return 1;
}
void GOMP_ordered_start(void) {
    printf("%lx 0 turn\n", (unsigned long)__builtin_return_address(0));
}
void GOMP_ordered_end(void) {}
int main(int argc, char **argv) {
    long sum = 0, input = argc;
#pragma omp parallel num_threads(1) reduction(+ : sum)
    for (int step = 0; step < argc; step++) {
#pragma omp single
        input = inlined(input, 300); // single
#pragma omp for schedule(dynamic, 4)
        for (long i = 0; i < 16; i++)
            sum += inlined(input + i, 200);
    }
#pragma omp parallel for schedule(dynamic, 1) ordered num_threads(1)
    for (long i = 0; i < 1; i++) {
        long found = inlined(i, 30);
#pragma omp ordered
        sum += inlined(found, 150); // turn
    }
    done();
    return sum == 42;
}
"#;
/// Regions say where they were started from; functions that stand above and below are inlined behind them.
const REGIONS_C: &str = r#"
#include <stdio.h>
#include "mark.h"
void GOMP_parallel(void (*body)(void *), void *data, unsigned members, unsigned flags) {
    static const char *what[] = {"above", "below"};
    static int regions;
    printf("%lx 0 %s\n", (unsigned long)__builtin_return_address(0), what[regions++]);
    body(data);
}
static double cells[400];
static double relax(long n, double x) { for (long i = 0; i < n; i++) x = x * 0.99 + 1e-9; return x; }
static void above(void) { for (int i = 0; i < 400; i++) cells[i] = relax(60, i); }
static void below(void);
int main(int argc, char **argv) {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 400; i++) sum += relax(20, cells[i]);
    above(); // above
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 400; i++) sum += relax(20, cells[i]);
    below(); // below
    done();
    return sum + cells[3] == 42;
}
static void below(void) { for (int i = 0; i < 400; i++) cells[i] += relax(50, i); }
"#;
const BARRIERS_C: &str = r#"
#include <stdio.h>
#include "inlined.h"
#include "mark.h"
static int barriers;
void GOMP_taskgroup_start(void) {
    printf("%lx 0 group\n", (unsigned long)__builtin_return_address(0));
}
void GOMP_taskgroup_end(void) {}
void GOMP_barrier(void) {
    static const char *what[] = {"master", "loop"};
    printf("%lx 0 %s\n", (unsigned long)__builtin_return_address(0), what[barriers++]);
}
int main(int argc, char **argv) {
    long sum = 0, input = argc;
#pragma omp parallel num_threads(1) shared(sum, input)
    for (int step = 0; step < argc; step++) {
#pragma omp for reduction(+ : sum) // loop
        for (long i = 0; i < argc; i++) // loop
            sum += inlined(input + i, 200); // loop
#pragma omp master // master
        input = inlined(sum, 300); // master
#pragma omp barrier
    }
    for (long i = 0; i < argc; i++) {
#pragma omp taskgroup // group
        { // group
            input += inlined(sum, 400); // group
        }
    }
    done();
    return sum + input == 42;
}
"#;
const OWN_H: &str = r#"
static inline __attribute__((always_inline)) void crosscut_mark(int line, const char *function) {
    mark(line, function);
}
"#;
const CLASSES_CPP: &str = r#"
#include "mark.h"
namespace shapes {
struct Box {
    template <class T> __attribute__((noinline)) T area(T scale) {
        mark(__LINE__, "area<*");
        return scale;
    }
    static __attribute__((noinline)) int count(int n);
};
int Box::count(int n) {
#pragma omp task if(n > 100)
    {
#pragma omp task if(n > 100)
        mark(__LINE__, "shapes::Box::count");
    }
    mark(__LINE__, "shapes::Box::count");
    return n;
}
}
int main(int argc, char **argv) {
    double area = shapes::Box().area(1.5);
    int count = shapes::Box::count(argc);
    auto closure = [&] {
        mark(__LINE__, "main*");
        return count;
    };
    int (*volatile indirect)(decltype(closure) &) = [](decltype(closure) &f) { return f(); };
    count += indirect(closure);
    done();
    return area + count == 0;
}
"#;
/// Each mark says the line with which the program goes on.
const AFTER_C: &str = r#"
#include "mark.h"
static inline __attribute__((always_inline)) int prepare(int n) {
    return n * 3 + 1;
}
int main(void) {
    volatile int a = 1;
    mark(__LINE__ + 1, "main");
    a = prepare(a);
    mark(__LINE__ + 2, "main");

    a++;
    a += (mark(__LINE__ + 1, "main"), 1);
    a *= 2;
    done();
    return a == 0;
}
"#;
const RUST: &str = r#"
use std::ffi::{c_char, c_int};
#[path = "crosscut-rayon-0.1.0/own.rs"]
mod own;
unsafe extern "C" { fn mark(line: c_int, function: *const c_char); fn done(); }
mod inner {
    pub struct Thing;
    impl Thing {
        #[inline(never)]
        pub fn work<T: Copy>(&self, value: T) -> T {
            super::own::at(line!(), c"sample::inner::Thing*"); std::hint::black_box(value)
        }
    }
}
fn main() {
    let value = inner::Thing.work(7);
    unsafe { mark(line!() as c_int, c"sample::main".as_ptr()) };
    unsafe { done() };
    std::process::exit((value == 0) as i32);
}
"#;
const OWN_RS: &str = r#"
#[inline(always)]
pub fn at(line: u32, function: &std::ffi::CStr) { unsafe { super::mark(line as i32, function.as_ptr()) } }
"#;

/// What a program said.
struct Said {
    addresses: Vec<u64>,
    expected: Vec<(i64, String)>,
    maps: String,
}

struct Workshop(TempDir);

impl Workshop {
    fn new() -> Self {
        let workshop = Workshop(tempfile::tempdir().unwrap());
        fs::create_dir(workshop.path("crosscut-rayon-0.1.0")).unwrap();
        for (name, text) in [
            ("mark.h", MARK_H),
            ("mark.c", MARK_C),
            ("tasks.c", TASKS_C),
            ("after.c", AFTER_C),
            ("inlined.h", INLINED_H),
            ("turns.c", TURNS_C),
            ("barriers.c", BARRIERS_C),
            ("regions.c", REGIONS_C),
            ("crosscut.h", OWN_H),
            ("classes.cpp", CLASSES_CPP),
            ("sample.rs", RUST),
            ("crosscut-rayon-0.1.0/own.rs", OWN_RS),
        ] {
            fs::write(workshop.path(name), text).unwrap();
        }
        workshop
    }

    fn path(&self, name: &str) -> PathBuf {
        fs::canonicalize(self.0.path()).unwrap().join(name)
    }

    fn tool(&self, command: &str) {
        let mut words = command.split(' ').filter(|word| !word.is_empty());
        let output = Command::new(words.next().unwrap()).args(words).current_dir(self.path("")).output();
        let output =
            output.unwrap_or_else(|e| panic!("{command}: {e}; `cargo xtask doctor` says what is missing"));
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn run(&self, program: &str) -> Said {
        let output = Command::new(self.path(program)).env("LD_LIBRARY_PATH", self.path("")).output().unwrap();
        assert!(output.status.success(), "{program}: {output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        let (marks, maps) = text.split_once("--\n").unwrap();
        let mut said = Said { addresses: Vec::new(), expected: Vec::new(), maps: maps.to_owned() };
        for mark in marks.lines() {
            let mut words = mark.splitn(3, ' ');
            said.addresses.push(u64::from_str_radix(words.next().unwrap(), 16).unwrap());
            let line = words.next().unwrap().parse().unwrap();
            said.expected.push((line, words.next().unwrap().to_owned()));
        }
        assert!(!said.addresses.is_empty(), "{program}");
        said
    }

    /// Every position is what the program said it is.
    fn check(&self, program: &str, module: &str, file: &str) {
        self.check_marked(program, module, file, 0);
    }

    /// The same of addresses that are marked.
    fn check_marked(&self, program: &str, module: &str, file: &str, mark: u64) {
        let mut said = self.run(program);
        said.addresses.iter_mut().for_each(|address| *address |= mark);
        let found = resolve(&said.maps, &said.addresses);
        assert_eq!(found.notes, [""; 0], "{program}");
        for (Position { source, module: in_module }, (line, function)) in
            found.positions.iter().zip(&said.expected)
        {
            assert_eq!(
                (source.line, Path::new(&source.file)),
                (*line, &*self.path(file)),
                "{program}: {source}"
            );
            // A name with a star stands for all that contain it.
            let same = match function.strip_suffix('*') {
                Some(part) => source.function.contains(part),
                None => source.function == *function,
            };
            assert!(same, "{program}: {source}, but it is {function}");
            assert_eq!(Path::new(in_module), self.path(module), "{program}");
        }
    }
}

#[test]
fn programs_of_c() {
    let shop = Workshop::new();
    for compiler in ["gcc", "clang-19"] {
        for form in ["-pie -fPIE", "-no-pie -fno-pie"] {
            for level in ["-O0", "-O2"] {
                shop.tool(&format!("{compiler} -g -fopenmp {form} {level} tasks.c mark.c -o program"));
                shop.check("program", "program", "tasks.c");
            }
        }
    }
}

#[test]
fn statements_behind_calls() {
    let shop = Workshop::new();
    for compiler in ["gcc", "clang-19"] {
        for level in ["-O0", "-O2"] {
            shop.tool(&format!("{compiler} -g {level} after.c mark.c -o program"));
            shop.check_marked("program", "program", "after.c", AFTER);
            let maps = shop.run("program").maps;
            let main = resolve(&maps, &[main_of(&maps).unwrap()]).positions[0].source.clone();
            let line = AFTER_C.lines().position(|line| line.starts_with("int main")).unwrap() as i64 + 1;
            assert_eq!((main.line, &*main.function), (line, "main"), "{compiler} {level}");
        }
    }
}

/// GCC gives calls of its runtime no line of their own: with optimisation they have that of whatever stands before them.
#[test]
fn constructs_that_one_lane_runs_and_turns() {
    let shop = Workshop::new();
    let line = |mark: &str| {
        let is_marked = |text: &str| text.ends_with(&format!("// {mark}"));
        TURNS_C.lines().position(is_marked).unwrap() as i64 + 1
    };
    for level in ["-O0", "-O1", "-O2", "-O3"] {
        shop.tool(&format!("gcc -g -fopenmp {level} turns.c mark.c -o program"));
        let said = shop.run("program");
        for (&address, (_, what)) in said.addresses.iter().zip(&said.expected) {
            let mark = if what == "single" { BODY } else { 0 };
            let found = &resolve(&said.maps, &[address | mark]).positions[0].source;
            assert_eq!(found.file, shop.path("turns.c").to_str().unwrap(), "{level}: {found}");
            // Without optimisation nothing tells a turn from the statement before its directive.
            let above = if what == "turn" && level == "-O0" { 2 } else { 0 };
            assert_eq!(found.line, line(what) - above, "{level}: {what} at {found}");
            assert_eq!(found.function, "main");
        }
    }
}

/// Behind a region the next statement is the call, wherever what is called stands and is inlined.
#[test]
fn calls_that_are_inlined_behind_regions() {
    let shop = Workshop::new();
    let line = |what: &str| {
        REGIONS_C.lines().position(|text| text.ends_with(&format!("// {what}"))).unwrap() as i64 + 1
    };
    for level in ["-O0", "-O1", "-O2", "-O3"] {
        shop.tool(&format!("gcc -g -fopenmp {level} regions.c mark.c -o program"));
        let said = shop.run("program");
        assert_eq!(said.addresses.len(), 2);
        for (&address, (_, what)) in said.addresses.iter().zip(&said.expected) {
            let found = &resolve(&said.maps, &[address | AFTER]).positions[0].source;
            assert_eq!((found.line, &*found.function), (line(what), "main"), "{level}: {what} at {found}");
        }
    }
}

/// What follows a barrier is the next statement, and at the end of a loop its first one, whatever the compiler has inlined around it.
#[test]
fn statements_behind_barriers() {
    let shop = Workshop::new();
    let lines = |mark: &str| -> Vec<i64> {
        let marked = BARRIERS_C.lines().zip(1..).filter(|(text, _)| text.ends_with(&format!("// {mark}")));
        marked.map(|(_, line)| line).collect()
    };
    for level in ["-O1", "-O2", "-O3"] {
        shop.tool(&format!("gcc -g -fopenmp {level} barriers.c mark.c -o program"));
        let said = shop.run("program");
        let names: Vec<&str> = said.expected.iter().map(|(_, what)| &**what).collect();
        assert_eq!(names, ["master", "loop", "group"], "{level}");
        for (&address, what) in said.addresses.iter().zip(names) {
            let mark = if what == "group" { BEGIN } else { BARRIER | AFTER };
            let found = &resolve(&said.maps, &[address | mark]).positions[0].source;
            assert_eq!(found.file, shop.path("barriers.c").to_str().unwrap(), "{level}: {found}");
            assert!(lines(what).contains(&found.line), "{level}: {what} at {found}");
            assert_eq!(found.function, "main");
        }
    }
}

#[test]
fn programs_of_cpp() {
    let shop = Workshop::new();
    for (c, cpp) in [("gcc", "g++"), ("clang-19", "clang++-19")] {
        for level in ["-O0", "-O2"] {
            shop.tool(&format!("{c} -c mark.c -o mark.o"));
            shop.tool(&format!("{cpp} -g -fopenmp {level} classes.cpp mark.o -o program"));
            shop.check("program", "program", "classes.cpp");
        }
    }
}

/// What is called, as call profiles have it: the body of a lambda is no call of the function that it stands in, inlined or not.
#[test]
fn bodies_of_lambdas() {
    let shop = Workshop::new();
    fs::write(shop.path("lambda.cpp"), LAMBDA_CPP).unwrap();
    for (c, cpp) in [("gcc", "g++"), ("clang-19", "clang++-19")] {
        for level in ["-O0", "-O2"] {
            shop.tool(&format!("{c} -c mark.c -o mark.o"));
            shop.tool(&format!("{cpp} -g {level} lambda.cpp mark.o -o program"));
            let said = shop.run("program");
            let called = called(&said.maps, &said.addresses).called;
            for (path, (_, function)) in called.iter().zip(&said.expected) {
                let innermost = &path.last().unwrap().function;
                // Clang's own name for one is `$_0`.
                let is_lambda = innermost.contains("lambda") || innermost.contains("$_");
                assert_eq!(is_lambda, function == "lambda", "{cpp} {level}: {path:?}");
                assert!(innermost.contains("outer"), "{cpp} {level}: {path:?}");
            }
        }
    }
}

#[test]
fn programs_of_rust() {
    let shop = Workshop::new();
    shop.tool("gcc -c mark.c -o mark.o");
    for how in ["-g", "-g -O", "-g -C symbol-mangling-version=v0", "-C debuginfo=line-tables-only -O"] {
        let object = shop.path("mark.o");
        shop.tool(&format!(
            "rustc --edition 2024 {how} -C link-arg={} sample.rs -o program",
            object.display()
        ));
        shop.check("program", "program", "sample.rs");
    }
}

#[test]
fn shared_objects() {
    let shop = Workshop::new();
    for compiler in ["gcc", "clang-19"] {
        shop.tool(&format!("{compiler} -c -fPIC mark.c -o mark.o"));
        shop.tool(&format!(
            "{compiler} -g -fopenmp -fPIC -shared -Dmain=library tasks.c mark.o -o liblibrary.so"
        ));
        fs::write(
            shop.path("main.c"),
            "int library(int, char **); int main(int c, char **v) { return library(c, v); }",
        )
        .unwrap();
        shop.tool(&format!("{compiler} main.c -L. -llibrary -o program"));
        // The program's own functions tell their names by macro: `main` is `library` here.
        let said = shop.run("program");
        let found = resolve(&said.maps, &said.addresses);
        for (position, (line, function)) in found.positions.iter().zip(&said.expected) {
            let function = if function == "main" { "library" } else { function };
            assert_eq!(position.source.function, function);
            assert_eq!(position.source.line, *line);
            assert_eq!(Path::new(&position.module), shop.path("liblibrary.so"));
        }
    }
}

#[test]
fn debug_information_elsewhere() {
    let shop = Workshop::new();
    for compiler in ["gcc", "clang-19"] {
        // Packed.
        shop.tool(&format!("{compiler} -g -gz -fopenmp tasks.c mark.c -o packed"));
        shop.check("packed", "packed", "tasks.c");
        // In files beside the objects.
        shop.tool(&format!("{compiler} -g -gsplit-dwarf -fopenmp -c tasks.c -o tasks.o"));
        shop.tool(&format!("{compiler} -fopenmp tasks.o mark.c -o split"));
        shop.check("split", "split", "tasks.c");
        // In a file of its own.
        shop.tool(&format!("{compiler} -g -fopenmp -Wl,--build-id tasks.c mark.c -o linked"));
        shop.tool("objcopy --only-keep-debug linked linked.debug");
        shop.tool("objcopy --strip-all --add-gnu-debuglink=linked.debug linked");
        shop.check("linked", "linked", "tasks.c");
        // In a file of its own, which is of another build.
        shop.tool(&format!("{compiler} -g -O2 -fopenmp -Wl,--build-id tasks.c mark.c -o linked.debug"));
        let said = shop.run("linked");
        let found = resolve(&said.maps, &said.addresses);
        assert!(found.positions.iter().all(|position| position.source.line == 0));
    }
}

#[test]
fn without_debug_information() {
    let shop = Workshop::new();
    for compiler in ["gcc", "clang-19"] {
        for form in ["-pie -fPIE", "-no-pie -fno-pie"] {
            shop.tool(&format!("{compiler} -fopenmp {form} tasks.c mark.c -o symbols"));
            shop.tool(&format!("{compiler} -fopenmp {form} -rdynamic tasks.c mark.c -o dynamic"));
            shop.tool("strip -s dynamic");
            shop.tool(&format!("{compiler} -fopenmp {form} tasks.c mark.c -o nothing"));
            shop.tool("strip -s nothing");
            for (program, global, local) in
                [("symbols", true, true), ("dynamic", true, false), ("nothing", false, false)]
            {
                let said = shop.run(program);
                let found = resolve(&said.maps, &said.addresses);
                assert_eq!(found.notes, [""; 0]);
                for (position, (_, function)) in found.positions.iter().zip(&said.expected) {
                    let source = &position.source;
                    assert_eq!((source.file.as_str(), source.line), (program, 0));
                    let outlined = source.function.starts_with(".omp");
                    assert!(
                        [function, ""].contains(&source.function.as_str()) || (local && outlined),
                        "{source}"
                    );
                }
                let has = |name: &str| found.positions.iter().any(|p| p.source.function == name);
                assert_eq!((has("main"), has("plain")), (global, local), "{compiler} {form} {program}");
            }
        }
    }
}

#[test]
fn what_is_nowhere() {
    let shop = Workshop::new();
    shop.tool("gcc -g -fopenmp tasks.c mark.c -o program");
    let said = shop.run("program");
    let vdso = said.maps.lines().find(|line| line.ends_with("[vdso]")).unwrap();
    let vdso = u64::from_str_radix(vdso.split('-').next().unwrap(), 16).unwrap() + 0x100;
    let found = resolve(&said.maps, &[0, 1, u64::MAX, vdso]);
    let names: Vec<_> = found.positions.iter().map(|p| (p.source.file.as_str(), p.module.as_str())).collect();
    assert_eq!(names, [("unknown", ""), ("unknown", ""), ("unknown", ""), ("[vdso]", "[vdso]")]);

    // A file that was replaced while the program ran: what has its name now would give wrong lines.
    let program = shop.path("program").display().to_string();
    let deleted = said.maps.replace(&program, &format!("{program} (deleted)"));
    let found = resolve(&deleted, &said.addresses);
    assert!(found.positions.iter().all(|p| p.source.to_string() == "program" && p.module == program));
    assert!(found.notes.len() == 1 && found.notes[0].contains("replaced"), "{:?}", found.notes);

    fs::remove_file(&program).unwrap();
    let found = resolve(&said.maps, &said.addresses);
    assert!(found.positions.iter().all(|p| p.source.to_string() == "program"));
    assert!(found.notes.len() == 1 && found.notes[0].starts_with(&program), "{:?}", found.notes);
    assert!(resolve("", &said.addresses).positions.iter().all(|p| p.source.file == "unknown"));
    assert!(resolve("\0-\n--- x\n1-2", &[1]).positions.len() == 1);
}

#[test]
fn damaged_files_are_survived() {
    let shop = Workshop::new();
    shop.tool("gcc -g -O2 -fopenmp tasks.c mark.c -o program");
    let said = shop.run("program");
    let whole = fs::read(shop.path("program")).unwrap();
    let mut chance = Chance::new(1);
    let mut next = |below: usize| chance.index(below);
    for round in 0..400 {
        let mut bytes = whole.clone();
        match round % 4 {
            0 => bytes.truncate(next(whole.len())),
            1 => bytes[next(64)] ^= 1 << next(8), // the ELF header
            2 => (0..16).for_each(|_| bytes[next(whole.len())] = next(256) as u8),
            // The tables of sections are at the end.
            _ => (0..4).for_each(|_| bytes[whole.len() - 1 - next(2_400)] ^= 1 << next(8)),
        }
        fs::write(shop.path("program"), &bytes).unwrap();
        assert_eq!(resolve(&said.maps, &said.addresses).positions.len(), said.addresses.len());
    }
}
