//! Lines of source files around a position. Only plain files are looked into: a run may name any path, and a device or a
//! file of the kernel would answer with something else than source, or never.

use std::path::{Path, PathBuf};

use crosscut_run::Source;
use crosscut_workbench::sheet::Code;

/// Lines before and after the one that is meant.
const AROUND: usize = 4;
/// Files larger than this are not looked into.
const LARGEST: u64 = 4 << 20;
/// Longer lines are cut.
const LONGEST: usize = 200;
/// Folders that hold no source.
const NO_SOURCE: [&str; 3] = ["/proc", "/sys", "/dev"];

/// The lines around a source position, if the file is there and is text.
pub fn code(source: &Source) -> Option<Code> {
    let line = usize::try_from(source.line).ok().filter(|&line| line > 0)?;
    let text = std::fs::read_to_string(readable(Path::new(&source.file))?).ok()?;
    let first = line.saturating_sub(AROUND).max(1);
    let whole = |line: &str| line.trim_end().chars().take(LONGEST).collect::<String>();
    let lines: Vec<String> =
        text.lines().skip(first - 1).take(line + AROUND + 1 - first).map(whole).collect();
    // The file changed since: the line is past its end.
    (first + lines.len() > line).then(|| Code {
        file: source.file.clone(),
        first: first as u32,
        lines,
        mark: line as u32,
        beside: Vec::new(),
        scale: String::new(),
    })
}

/// The file itself, behind all links, if it may be read.
fn readable(path: &Path) -> Option<PathBuf> {
    let path = path.canonicalize().ok()?;
    let outside = NO_SOURCE.iter().all(|folder| !path.starts_with(folder));
    let about = std::fs::metadata(&path).ok()?;
    (outside && about.is_file() && about.len() <= LARGEST).then_some(path)
}

/// "src/sort.c:120"; the function, or the file, where the line is not known.
pub fn long_source(source: &Source) -> String {
    if source.file.is_empty() || source.line == 0 {
        return source.short();
    }
    format!("{}:{}", source.file, source.line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(file: &str, line: i64, function: &str) -> Source {
        Source { file: file.to_owned(), line, function: function.to_owned() }
    }

    #[test]
    fn a_source_without_a_line_is_its_function() {
        assert_eq!(long_source(&source("/a/sort.c", 12, "sort")), "/a/sort.c:12");
        assert_eq!(long_source(&source("", 0, "sort")), "sort");
        assert_eq!(long_source(&source("/a/sort.c", 0, "sort")), "sort");
        assert_eq!(long_source(&source("/a/sort.c", 0, "")), "sort.c");
    }

    #[test]
    fn lines_around_a_position() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("sort.c");
        let text: Vec<String> = (1..=20).map(|line| format!("line {line}  ")).collect();
        std::fs::write(&file, text.join("\n")).unwrap();
        let name = file.to_str().unwrap();
        let code_at = |line: i64| code(&source(name, line, ""));
        let found = code_at(2).unwrap();
        assert_eq!((found.first, found.mark, found.lines.len()), (1, 2, 6));
        assert_eq!(found.lines[1], "line 2");
        assert_eq!(code_at(20).unwrap().first, 16);
        assert!(code_at(21).is_none() && code_at(0).is_none());
    }

    #[test]
    fn files_of_the_kernel_and_folders_are_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("status.c");
        std::os::unix::fs::symlink("/proc/self/status", &link).unwrap();
        for name in ["/proc/self/status", "/dev/null", "/", "", link.to_str().unwrap()] {
            assert!(code(&source(name, 1, "")).is_none(), "{name}");
        }
    }
}
