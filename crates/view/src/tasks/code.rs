//! Lines of source files around a position. Which files may be looked into the workbench knows.

use crosscut_run::Source;
use crosscut_workbench::SourceRoots;
use crosscut_workbench::sheet::Code;

/// Lines before and after the one that is meant.
const AROUND: usize = 4;
/// Longer lines are cut.
const LONGEST: usize = 200;
/// The lines around a source position, if the file is there and is text.
pub fn code(source: &Source, roots: &SourceRoots) -> Option<Code> {
    let line = usize::try_from(source.line).ok().filter(|&line| line > 0)?;
    let text = roots.text(&source.file)?;
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
        let roots = SourceRoots::new(&folder.path().join("run.crosscut"), folder.path().to_str());
        let code_at = |line: i64| code(&source(name, line, ""), &roots);
        let found = code_at(2).unwrap();
        assert_eq!((found.first, found.mark, found.lines.len()), (1, 2, 6));
        assert_eq!(found.lines[1], "line 2");
        assert_eq!(code_at(20).unwrap().first, 16);
        assert!(code_at(21).is_none() && code_at(0).is_none());
    }
}
