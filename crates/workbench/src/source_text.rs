//! Source text, for sheets that show the lines around a position. A run names its source files, and a run may come from a
//! stranger: so only plain files are read that lie, behind all links, below a folder that the user named or below the one
//! that the run lies in; never files of the kernel or devices; and of each no more than its beginning.

use std::fs::OpenOptions;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// What is read of a file, in bytes.
pub const MOST: u64 = 4 << 20;

/// Folders that hold no source, whatever the user named.
const NO_SOURCE: [&str; 3] = ["/proc", "/sys", "/dev"];

/// Opening does not wait for who writes to a pipe, and does not follow a link that came in the last moment (Linux).
const PLAIN: i32 = 0o4000 | 0o400_000;

/// The folders below which source text is shown.
#[derive(Clone, Debug, Default)]
pub struct SourceRoots(Vec<PathBuf>);

impl SourceRoots {
    /// Those that the user named, one in a line, and the folder that the run lies in.
    pub fn new(run: &Path, named: Option<&str>) -> Self {
        let beside = run.canonicalize().ok().and_then(|run| run.parent().map(Path::to_owned));
        let named = named.unwrap_or_default().lines().map(PathBuf::from);
        let roots = named.chain(beside).filter_map(|root| root.canonicalize().ok());
        SourceRoots(roots.collect())
    }

    /// The text of a source file, as a run names it, if it may be shown; a path that is not absolute begins at each root.
    pub fn text(&self, file: &str) -> Option<String> {
        let file = Some(Path::new(file)).filter(|file| !file.as_os_str().is_empty())?;
        let path = self.0.iter().find_map(|root| {
            let path = root.join(file).canonicalize().ok()?;
            let inside = self.0.iter().any(|root| path.starts_with(root));
            let is_source = NO_SOURCE.iter().all(|folder| !path.starts_with(folder));
            (inside && is_source).then_some(path)
        })?;
        let file = OpenOptions::new().read(true).custom_flags(PLAIN).open(path).ok()?;
        file.metadata().ok().filter(|about| about.is_file())?;
        let mut bytes = Vec::new();
        file.take(MOST).read_to_end(&mut bytes).ok()?;
        // Where it was cut, a character may be.
        (!bytes.contains(&0)).then(|| String::from_utf8_lossy(&bytes).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    /// A run with a source beside it, one elsewhere that the user may name, and one that nobody named.
    struct Case {
        folder: tempfile::TempDir,
    }

    impl Case {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            for name in ["work/run.crosscut", "work/src", "named", "secret"] {
                fs::create_dir_all(folder.path().join(name)).unwrap();
            }
            for name in ["work/src/sort.c", "named/fib.c", "secret/key.c"] {
                fs::write(folder.path().join(name), format!("// {name}\n")).unwrap();
            }
            Case { folder }
        }

        fn path(&self, name: &str) -> String {
            self.folder.path().join(name).display().to_string()
        }

        fn roots(&self, named: Option<&str>) -> SourceRoots {
            let named = named.map(|name| self.path(name));
            SourceRoots::new(&self.folder.path().join("work/run.crosscut"), named.as_deref())
        }
    }

    #[test]
    fn beside_the_run_or_where_the_user_said() {
        let case = Case::new();
        let beside = case.roots(None);
        assert_eq!(beside.text(&case.path("work/src/sort.c")).unwrap(), "// work/src/sort.c\n");
        assert_eq!(beside.text("src/sort.c").unwrap(), "// work/src/sort.c\n");
        assert!(beside.text(&case.path("named/fib.c")).is_none());
        let named = case.roots(Some("named"));
        assert!(named.text(&case.path("named/fib.c")).is_some() && named.text("fib.c").is_some());
        assert!(named.text(&case.path("secret/key.c")).is_none());
        let two =
            SourceRoots::new(Path::new("none"), Some(&[case.path("named"), case.path("secret")].join("\n")));
        assert!(two.text("fib.c").is_some() && two.text("key.c").is_some());
    }

    #[test]
    fn nothing_leads_out() {
        let case = Case::new();
        let roots = case.roots(Some("named"));
        symlink(case.path("secret/key.c"), case.path("work/src/link.c")).unwrap();
        symlink(case.path("secret"), case.path("work/src/folder")).unwrap();
        let tries =
            ["src/link.c", "src/folder/key.c", "../secret/key.c", "src/../../secret/key.c", "", "/", "src"];
        for file in tries {
            assert!(roots.text(file).is_none(), "{file}");
        }
        assert!(roots.text(&case.path("work/src/../../secret/key.c")).is_none());
        // A link that stays below a root is fine.
        symlink(case.path("named/fib.c"), case.path("work/src/inside.c")).unwrap();
        assert!(roots.text("src/inside.c").is_some());
    }

    #[test]
    fn no_files_of_the_kernel_no_devices_no_pipes() {
        let case = Case::new();
        let everything = SourceRoots::new(Path::new("none"), Some("/"));
        assert!(everything.text(&case.path("secret/key.c")).is_some());
        symlink("/proc/self/pagemap", case.path("work/src/pagemap.c")).unwrap();
        for file in ["/proc/self/status", "/proc/self/pagemap", "/sys/kernel/mm", "/dev/zero", "/dev/null"] {
            assert!(everything.text(file).is_none(), "{file}");
        }
        assert!(everything.text(&case.path("work/src/pagemap.c")).is_none());
        let pipe = case.path("work/src/pipe.c");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert!(everything.text(&pipe).is_none());
    }

    #[test]
    fn of_a_large_file_the_beginning() {
        let case = Case::new();
        fs::write(case.path("work/src/large.c"), "line\n".repeat(2_000_000)).unwrap();
        let text = case.roots(None).text("src/large.c").unwrap();
        assert_eq!(text.len() as u64, MOST);
        fs::write(case.path("work/src/binary.c"), b"\x7fELF\0\0").unwrap();
        assert!(case.roots(None).text("src/binary.c").is_none());
    }
}
