//! Files that no reader takes, though it is known what they are: they are refused by name, with what to do instead.

use crate::error::ImportError;
use crate::input::Input;
use crate::inputs::Inputs;
use crate::profiles::unpacked_head;

/// How a text begins, what it is, what to do instead.
const TEXTS: [(&str, &str, &str); 6] = [
    ("heap profile:", "a heap profile as text, of gperftools or Go", AS_PPROF),
    ("--- contention:", "a profile of contention as text, of Go", AS_PPROF),
    ("--- mutex:", "a profile of mutexes as text, of Go", AS_PPROF),
    ("goroutine profile:", "a profile of goroutines as text, of Go", AS_PPROF),
    ("threadcreate profile:", "a profile of threads as text, of Go", AS_PPROF),
    ("call graph profile:", "what `gprof -T` prints", "print it without -T"),
];
const AS_PPROF: &str = "write it as a profile of pprof (`go tool pprof -proto`, or `debug=0` in Go)";

/// How binary files begin that are read as they are, and not packed.
const BINARIES: [&[u8]; 4] = [
    b"PERFILE2",
    b"2ELIFREP",
    b"gmon",
    // gperftools: a word of 0, then 3 words of header.
    &[0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0],
];
const GZIP: &[u8] = b"\x1f\x8b";

/// What is known of content that no reader takes.
pub fn by_name(inputs: &Inputs<'_>) -> Result<Option<ImportError>, ImportError> {
    let known = match inputs.files() {
        [file] => of_file(&inputs.open(file)?)?,
        _ => of_folder(inputs)?,
    };
    Ok(known.map(|(what, advice)| ImportError::NotRead { path: inputs.path().to_owned(), what, advice }))
}

/// What it is, and what to do instead.
type Known = Option<(&'static str, &'static str)>;

fn of_file(input: &Input<'_>) -> Result<Known, ImportError> {
    let (head, _) = unpacked_head(input)?;
    let is_packed = input.head()?.starts_with(GZIP);
    if is_packed && (BINARIES.iter().any(|begin| head.starts_with(begin)) || is_archive(&head)) {
        return Ok(Some(("a profile that is packed by gzip", "unpack it first (`gunzip`)")));
    }
    let text = String::from_utf8_lossy(head.get(..256).unwrap_or(&head)).into_owned();
    let known = TEXTS.iter().find(|(begin, _, _)| text.trim_start().starts_with(begin));
    Ok(known.map(|&(_, what, advice)| (what, advice)))
}

/// A `.cubex` is an archive of tar.
fn is_archive(head: &[u8]) -> bool {
    head.get(257..262) == Some(b"ustar")
}

/// `perf record --threads` leaves a folder: `data` says what was measured, `data.0` and so on have the samples.
fn of_folder(inputs: &Inputs<'_>) -> Result<Known, ImportError> {
    let Some(folder) = inputs.folder() else { return Ok(None) };
    let Some(file) = inputs.files().iter().find(|file| file.path == folder.join("data")) else {
        return Ok(None);
    };
    let is_perf = inputs.open(file)?.head()?.starts_with(b"PERFILE2");
    let what = "a folder of `perf record --threads`";
    Ok(is_perf.then_some((what, "record without --threads, or print it with `perf script` and import that")))
}
