//! Programs that cannot be recorded as they are get a sentence that helps: sanitizer builds, and Rayon's own iterators.

use crate::common;

use std::path::{Path, PathBuf};
use std::process::Command;

use common::{crosscut, with_threads};

/// A program with OpenMP that ends with 3, built with a sanitizer.
fn sanitized(folder: &Path, sanitizer: &str) -> PathBuf {
    let source = folder.join("sum.c");
    let text = "#include <omp.h>
                int main(void) {
                    int sum = 0;
                    #pragma omp parallel num_threads(2) reduction(+ : sum)
                    sum += 1 + omp_get_thread_num();
                    return sum;
                }";
    std::fs::write(&source, text).unwrap();
    let program = folder.join(sanitizer);
    let mut gcc = Command::new("gcc");
    gcc.args(["-g", "-fopenmp"]).arg(format!("-fsanitize={sanitizer}")).arg(source).arg("-o").arg(&program);
    assert!(gcc.status().unwrap().success());
    program
}

/// What is said, and how it ends.
fn recorded(folder: &Path, program: &Path, arguments: &[&str]) -> (String, Option<i32>) {
    let mut command = crosscut(folder);
    command.args(["record", "-o", "run.crosscut", "--"]).arg(program).args(arguments);
    // Whatever it finds in a runtime that it does not know, the program's code stays.
    command.env("TSAN_OPTIONS", "exitcode=0 report_bugs=0");
    let output = with_threads(&mut command, 2).output().unwrap();
    (String::from_utf8_lossy(&output.stderr).into_owned(), output.status.code())
}

/// This one refuses to run behind any library.
#[test]
fn a_build_with_the_address_sanitizer() {
    let folder = tempfile::tempdir().unwrap();
    let (said, _) = recorded(folder.path(), &sanitized(folder.path(), "address"), &[]);
    assert!(said.contains("nothing was recorded"), "{said}");
    assert!(
        said.contains("it is built with a sanitizer, which may refuse to run behind the recorder"),
        "{said}"
    );
    assert!(said.contains("record a build without -fsanitize"), "{said}");
}

/// This one runs, and is recorded.
#[test]
fn a_build_with_the_thread_sanitizer() {
    let folder = tempfile::tempdir().unwrap();
    let (said, code) = recorded(folder.path(), &sanitized(folder.path(), "thread"), &[]);
    assert_eq!(code, Some(3), "{said}");
    let run = common::info(&folder.path().join("run.crosscut"));
    assert!(!run.is_partial() && run.number("tasks") >= 0, "{}", run.text());
}

/// The command itself is a program with parallel iterators.
#[test]
fn a_program_with_iterators_of_rayon() {
    let folder = tempfile::tempdir().unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_crosscut"));
    let (said, code) = recorded(folder.path(), program, &["--version"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains("the program uses Rayon, whose own join, scope and par_iter cannot be recorded"),
        "{said}"
    );
    assert!(said.contains("use crosscut_rayon::join and scope in their place"), "{said}");
}
