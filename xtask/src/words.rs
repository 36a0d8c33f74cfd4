//! Words of one domain in the page. The page draws what it is given; only a pane that was written for a domain knows what
//! that domain talks about. A word counts wherever it stands: in a name (`aboutGrains`), in a text, in a comment.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// A domain: its folder in `ui/src/panes`, and the words that nobody else needs. Words that the page has a use for of its
/// own (message, phase, rank, section, interval, worker) are not in the list.
struct Domain {
    name: &'static str,
    /// In small letters and the singular; a space stands for any gap between two words.
    words: &'static [&'static str],
}

const DOMAINS: &[Domain] = &[
    Domain {
        name: "tasks",
        words: &["task", "grain", "dag", "fork join", "critical path", "parallel benefit", "taskwait"],
    },
    Domain {
        name: "messages",
        words: &["community", "collective", "commgram", "communicator", "mpi", "bipartite"],
    },
    Domain {
        name: "calls",
        words: &[
            "sankey",
            "super graph",
            "supergraph",
            "super node",
            "call site",
            "callsite",
            "callee",
            "call path",
            "calling context",
            "icicle",
            "flame graph",
        ],
    },
];

/// Folders below `ui/src` in which any word may stand: types that are generated from what the domains send.
const GENERATED: &[&str] = &["protocol"];

/// Where a domain's own panes are, below `ui/src`.
const PANES: &str = "panes";

/// Endings of the files that are looked at. Tests are not: their samples come from a domain.
const ENDINGS: &[&str] = &["ts", "tsx", "css"];
const TESTS: &[&str] = &[".test.ts", ".test.tsx", "draw/made.ts"];

/// Every word of a domain that stands outside its panes, as `path:line: text`.
pub fn check(src: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for file in files(src)? {
        let path = file.strip_prefix(src).unwrap_or(&file);
        if is_exempt(path) {
            continue;
        }
        let text = fs::read_to_string(&file).with_context(|| format!("could not read {}", file.display()))?;
        found.extend(in_text(path, &text));
    }
    Ok(found)
}

/// All files below a folder, in order.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).with_context(|| format!("could not list {}", folder.display()))? {
            let path = entry?.path();
            if path.is_dir() { open.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    Ok(found)
}

fn is_exempt(path: &Path) -> bool {
    let text = path.to_string_lossy();
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
    GENERATED.iter().any(|folder| path.starts_with(folder))
        || TESTS.iter().any(|test| text.ends_with(test))
        || !ENDINGS.contains(&ending)
}

/// The domain whose pane a file belongs to.
fn owner(path: &Path) -> Option<&str> {
    path.strip_prefix(PANES).ok()?.components().next()?.as_os_str().to_str()
}

fn in_text(path: &Path, text: &str) -> Vec<String> {
    let own = owner(path);
    let others = || DOMAINS.iter().filter(|domain| Some(domain.name) != own);
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let words = words_of(line);
        for domain in others() {
            for word in domain.words.iter().filter(|word| has(&words, word)) {
                found.push(format!(
                    "ui/src/{}:{number}: \"{word}\" belongs to ui/src/{PANES}/{}",
                    path.display(),
                    domain.name
                ));
            }
        }
    }
    found
}

/// The words of a line in small letters and the singular; `aboutGrains` and `about_grains` are two. An empty one stands for
/// what parts its neighbours: `call(site)` is no call site.
fn words_of(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for letter in line.chars() {
        if letter.is_alphabetic() {
            if letter.is_uppercase() && !before.is_uppercase() || !before.is_alphabetic() {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut() {
                word.extend(letter.to_lowercase());
            }
        } else if !matches!(letter, ' ' | '-' | '_') {
            words.push(String::new());
        }
        before = letter;
    }
    words.iter_mut().for_each(make_singular);
    words
}

fn make_singular(word: &mut String) {
    if let Some(stem) = word.strip_suffix("ies") {
        *word = format!("{stem}y");
    } else if let Some(stem) = word.strip_suffix('s').filter(|stem| stem.len() > 1 && !stem.ends_with('s')) {
        *word = stem.to_owned();
    }
}

fn has(words: &[String], wanted: &str) -> bool {
    let wanted: Vec<&str> = wanted.split(' ').collect();
    words.windows(wanted.len()).any(|some| some.iter().zip(&wanted).all(|(word, wanted)| word == wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        in_text(Path::new(path), text)
    }

    #[test]
    fn a_word_of_a_domain_is_found_in_names_texts_and_comments() {
        for text in [
            "export function aboutGrains() {}",
            "const GRAIN_LIMIT = 3;",
            "const text = \"12 tasks\";",
            "// the critical path is red",
            "type TaskDAG = Tree;",
            ".communities { color: red }",
            "import { superGraph } from './x';",
            "const callSites = 1;",
        ] {
            let found = found("view/inspector.tsx", text);
            assert!(!found.is_empty(), "{text}");
        }
        assert_eq!(
            found("view/inspector.tsx", "a\nconst community = 1;"),
            ["ui/src/view/inspector.tsx:2: \"community\" belongs to ui/src/panes/messages"]
        );
    }

    #[test]
    fn words_that_only_look_like_one_are_left_alone() {
        for text in [
            "const frankly = multitasking;",
            "queueMicrotask(next);",
            "socket.onmessage = (message: MessageEvent) => {};",
            "call(site)",
            "const dagger = grainy + rank;",
            "a fork, and then a join",
        ] {
            assert_eq!(found("socket.ts", text), [""; 0], "{text}");
        }
    }

    #[test]
    fn a_domain_may_use_its_own_words_in_its_panes_and_nobody_elses() {
        let text = "const grains = 1; const communities = 2;";
        let tasks = found("panes/tasks/code.tsx", text);
        assert!(tasks.len() == 1 && tasks[0].contains("\"community\""), "{tasks:?}");
        let messages = found("panes/messages/gram.tsx", text);
        assert!(messages.len() == 1 && messages[0].contains("\"grain\""), "{messages:?}");
        assert_eq!(found("panes/graph.tsx", text).len(), 2);
    }

    #[test]
    fn generated_files_tests_and_pictures_are_not_looked_at() {
        for path in
            ["protocol/Grain.ts", "protocol/tasks/Row.ts", "draw/marks.test.ts", "a.test.tsx", "x.svg"]
        {
            assert!(is_exempt(Path::new(path)), "{path}");
        }
        for path in ["app.tsx", "theme.css", "protocols.ts", "panes/tasks/code.tsx"] {
            assert!(!is_exempt(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn files_of_a_folder_are_read() {
        let folder = std::env::temp_dir().join(format!("crosscut-words-{}", std::process::id()));
        fs::create_dir_all(folder.join("panes/tasks")).unwrap();
        fs::create_dir_all(folder.join("protocol")).unwrap();
        fs::write(folder.join("app.tsx"), "// nothing\nconst tasks = 1;\n").unwrap();
        fs::write(folder.join("panes/tasks/code.tsx"), "const tasks = 1;\n").unwrap();
        fs::write(folder.join("protocol/Task.ts"), "export type Task = 1;\n").unwrap();
        let found = check(&folder);
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(found.unwrap(), ["ui/src/app.tsx:2: \"task\" belongs to ui/src/panes/tasks"]);
    }
}
