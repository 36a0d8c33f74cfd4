//! One virtual environment under the build folder holds what Python brings: the peers that tests compare with, libraries
//! that take our tables, the notebook. The package itself is laid out beside it.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::needs::{self, C_COMPILER, PYTHON, PYTHON_HEADERS};
use crate::process;
use crate::workspace::{self, Profile};

/// The library that Python loads, as cargo names it and as Python does.
const EXTENSION: (&str, &str) = ("lib_crosscut.so", "_crosscut.abi3.so");

/// What maturin calls in place of cargo: with all else beside it (`workspace::DEV`) the library has the features that the rest was
/// built with, and what it stands on is not built a second time.
const CARGO: &str = r#"#!/bin/sh
[ "$1" = rustc ] || exec cargo "$@"
shift
for word; do
    shift
    [ "$word" = --lib ] || set -- "$@" "$word"
done
exec cargo build DEV "$@"
"#;

/// A package that PyPI has ready for few versions of Python: for others it is compiled.
const COMPILED: &str = "llnl-hatchet";

/// The Python of the environment, with everything in a file of requirements installed.
pub fn with(requirements: &Path) -> Result<PathBuf> {
    // Installed once for each text of the file.
    let wanted = fs::read_to_string(requirements)
        .with_context(|| format!("could not read {}", requirements.display()))?;
    if wanted.contains(COMPILED) {
        needs::install(&[&C_COMPILER, &PYTHON_HEADERS])?;
    }
    let name = requirements.strip_prefix(workspace::root()).unwrap_or(requirements).to_string_lossy();
    installed(&name.replace('/', "-"), &wanted, &["--requirement".as_ref(), requirements.as_os_str()])
}

/// The environment with one package more.
pub fn with_package(package: &str) -> Result<()> {
    let name: String =
        package.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '-').collect();
    installed(&name, package, &[package.as_ref()]).map(drop)
}

/// A program of the environment, if it has it.
pub fn tool(name: &str) -> Option<PathBuf> {
    environment().ok().map(|folder| folder.join("bin").join(name)).filter(|path| path.exists())
}

/// The Python of the environment, after `pip install` of something that the stamp of this name does not have yet.
fn installed(stamp: &str, wanted: &str, args: &[&std::ffi::OsStr]) -> Result<PathBuf> {
    let folder = environment()?;
    let (python, version) = made(&folder)?;
    let stamp = folder.join(stamp);
    // What was installed for another Python is not found by this one.
    let wanted = format!("{version}\n{wanted}");
    if fs::read_to_string(&stamp).ok().as_ref() != Some(&wanted) {
        let mut pip = Command::new(&python);
        // What is imported is compiled then; most of what is installed never is.
        pip.args(["-m", "pip", "install", "--quiet", "--no-compile", "--disable-pip-version-check"]);
        process::run(pip.args(args))?;
        fs::write(&stamp, wanted)?;
    }
    Ok(python)
}

/// An environment with pip: its Python, and which version that is. One without pip was interrupted when it was made, or its Python
/// is another one by now; it is made anew.
fn made(folder: &Path) -> Result<(PathBuf, String)> {
    needs::install(&[&PYTHON])?;
    let python = folder.join("bin/python");
    if let Some(version) = with_pip(&python) {
        return Ok((python, version));
    }
    if folder.exists() {
        println!("{} is no whole environment: it is made anew", folder.display());
        fs::remove_dir_all(folder).with_context(|| format!("could not remove {}", folder.display()))?;
    }
    process::run(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
    let version = with_pip(&python).with_context(|| format!("{} has no pip", folder.display()))?;
    Ok((python, version))
}

/// The version of a Python whose pip works.
fn with_pip(python: &Path) -> Option<String> {
    let python = python.to_str()?;
    process::ask(python, &["-m", "pip", "--version"])?;
    process::ask(python, &["-c", "import platform; print(platform.python_version())"])
}

/// Builds the wheel as `pip install ./python` does, without optimisation, and installs it into an environment of its own, which has
/// of other packages what `python` has: that environment's Python.
pub fn wheel(python: &Path) -> Result<PathBuf> {
    let folder = workspace::built(Profile::Dev)?.join("wheel");
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("could not remove {}", folder.display()))?;
    }
    let mut build = Command::new(python);
    // The environment has what builds it, and the packages that it needs: nothing is fetched a second time.
    build.args(["-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"]);
    build.args(["--no-build-isolation", "--no-deps", "--config-settings", "profile=dev", "--wheel-dir"]);
    let cargo = folder.join("cargo");
    fs::create_dir_all(&folder)?;
    fs::write(&cargo, CARGO.replace("DEV", &workspace::DEV.join(" ")))?;
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755))?;
    build.env("CARGO", &cargo);
    // maturin is a program of the environment.
    let bin = python.parent().unwrap_or(python).display();
    build.env("PATH", format!("{bin}:{}", std::env::var("PATH").unwrap_or_default()));
    let wheels = folder.join("wheels");
    process::run(build.arg(&wheels).arg(workspace::root().join("python")))?;
    let wheel = fs::read_dir(&wheels)?.next().context("pip built no wheel")??.path();
    let fresh = folder.join("environment");
    process::run(Command::new(python).args(["-m", "venv", "--without-pip"]).arg(&fresh))?;
    let installed = fresh.join("bin/python");
    let mut install = Command::new(python);
    install.args(["-m", "pip", "--disable-pip-version-check", "--python"]).arg(&installed);
    process::run(install.args(["install", "--quiet", "--no-deps", "--no-compile"]).arg(wheel))?;
    let packages = "import sysconfig; print(sysconfig.get_path('purelib'))";
    let of = |python: &Path| process::ask(&python.to_string_lossy(), &["-c", packages]);
    let (own, others) = of(&installed).zip(of(python)).context("Python does not say where packages are")?;
    fs::write(Path::new(&own).join("others.pth"), others)?;
    Ok(installed)
}

/// Where the environment is.
fn environment() -> Result<PathBuf> {
    let built = workspace::built(Profile::Dev)?;
    Ok(built.parent().unwrap_or(&built).join("python"))
}

/// The package as it is when it is installed, by links: `PYTHONPATH` for whoever imports it. The page must have been built before.
pub fn package(profile: Profile) -> Result<PathBuf> {
    workspace::build(&["crosscut-python"], profile)?;
    let built = workspace::built(profile)?;
    let folder = built.join("python-package");
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("could not remove {}", folder.display()))?;
    }
    let package = folder.join("crosscut");
    fs::create_dir_all(&package)?;
    let sources = workspace::root().join("python/crosscut");
    for entry in fs::read_dir(&sources).with_context(|| format!("could not list {}", sources.display()))? {
        let entry = entry?;
        // What `cargo xtask python` and `pip install --editable` left there belongs to others.
        let name = entry.file_name();
        if entry.file_type()?.is_file() && name != EXTENSION.1 {
            symlink(entry.path(), package.join(name))?;
        }
    }
    symlink(built.join(EXTENSION.0), package.join(EXTENSION.1))?;
    symlink(workspace::ui().join("dist-notebook"), package.join("page"))?;
    fs::create_dir(package.join("bin"))?;
    for program in workspace::PROGRAMS {
        symlink(built.join(program), package.join("bin").join(program))?;
    }
    Ok(folder)
}

/// Copies what a wheel holds beside Python's files: the program with the libraries that it loads, and the page.
pub fn fill(profile: Profile) -> Result<()> {
    workspace::build(&[], profile)?;
    let built = workspace::built(profile)?;
    let package = workspace::root().join("python/crosscut");
    for program in workspace::PROGRAMS {
        copy(&built.join(program), &package.join("bin").join(program))?;
    }
    copy(&workspace::ui().join("dist-notebook/crosscut.js"), &package.join("page/crosscut.js"))
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::copy(from, to)
        .map(drop)
        .with_context(|| format!("could not copy {} to {}", from.display(), to.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_environment_that_was_interrupted_is_made_anew() {
        let work = tempfile::tempdir().unwrap();
        let folder = work.path().join("python");
        fs::create_dir_all(folder.join("bin")).unwrap();
        // As it is before pip is in it.
        let python = folder.join("bin/python");
        fs::write(&python, "#!/bin/sh\nexit 1\n").unwrap();
        fs::set_permissions(&python, fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(folder.join("requirements"), "what was installed there").unwrap();
        let (python, version) = made(&folder).unwrap();
        assert_eq!(with_pip(&python).as_ref(), Some(&version));
        assert!(version.starts_with("3."), "{version}");
        assert!(!folder.join("requirements").exists(), "it has nothing yet");
        // A whole one stays.
        fs::write(folder.join("requirements"), "").unwrap();
        made(&folder).unwrap();
        assert!(folder.join("requirements").exists());
    }
}
