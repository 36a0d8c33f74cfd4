"""Runs that are made here: of foreign files, of programs, of nothing."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import warnings
from os import PathLike, fspath
from pathlib import Path
from typing import Iterable

from ._crosscut import CrosscutError, import_files
from .program import program, run
from .run import Run, close_all


def read(
    *files: str | PathLike[str],
    to: str | PathLike[str] | None = None,
    replace: bool = False,
    format: str | None = None,
    clock_hz: float | None = None,
) -> Run:
    """Reads foreign files (traces, profiles) into a run. All files of one trace make one run.

    Without `to`, the run lies in a private folder that goes when the run does. What is at `to` already stays, unless
    `replace=True`.
    """
    if not files:
        raise CrosscutError("which file? crosscut.read takes at least one")
    target = _Target(to, replace)
    with target:
        notes = import_files([fspath(file) for file in files], target.path, format, clock_hz)
    for note in notes:
        warnings.warn(note, stacklevel=2)
    return target.run()


def record(
    command: Iterable[str | PathLike[str]],
    *flags: str,
    to: str | PathLike[str] | None = None,
    replace: bool = False,
) -> Run:
    """Records a program: `crosscut record FLAGS -- COMMAND`. What the program prints is printed.

    A program that fails is recorded too; a warning says how it ended. What is at `to` already stays, unless `replace=True`:
    then it is closed and goes when the program was recorded.

        run = cc.record(["./solve", "--size", "1000"], "--calls")
    """
    if isinstance(command, (str, bytes)):
        raise TypeError(f"a command is a list of words: crosscut.record([{command!r}, ...])")
    words = [fspath(word) for word in command]
    target = _Target(to, replace)
    with target:
        done = subprocess.run([program(), "record", *flags, "-o", fspath(target.path), "--", *words], check=False)
        if not target.path.exists():
            raise CrosscutError(f"nothing was recorded of `{' '.join(words)}`: what went wrong is printed above")
    if done.returncode != 0:
        warnings.warn(f"`{' '.join(words)}` ended with {done.returncode}", stacklevel=2)
    return target.run()


def synth(
    what: str, *words: str, to: str | PathLike[str] | None = None, replace: bool = False, **options: object
) -> Run:
    """A run of any size, made up: `crosscut synth`, with its words and flags.

    >>> import crosscut as cc
    >>> cc.synth("messages", "halo", ranks=8, steps=2).domains
    ['messages']
    """
    if not isinstance(what, str):
        raise TypeError(f"what to make is a word such as \"fib\", not {type(what).__name__}")
    flags = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    target = _Target(to, replace)
    with target:
        run("synth", what, *words, *flags, "-o", fspath(target.path))
    return target.run()


class _Target:
    """Where a run is made: in a private folder, or beside where it is to lie, so that what lies there goes only when the new
    one is whole."""

    def __init__(self, to: str | PathLike[str] | None, replace: bool) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._to: Path | None = None
        if to is None:
            self._folder = tempfile.TemporaryDirectory(prefix="crosscut-")
            self.path = Path(self._folder.name, "run.crosscut")
            return
        self.path = Path(to).absolute()
        if not self.path.exists():
            return
        if not replace:
            raise CrosscutError(f"{fspath(to)} is there already: remove it, take another name, or pass replace=True")
        if not (self.path / "manifest.json").is_file():
            raise CrosscutError(f"{fspath(to)} is no run: replace=True replaces runs only")
        self._to = self.path
        self._folder = tempfile.TemporaryDirectory(prefix=f".{self.path.stem}-", dir=self.path.parent)
        self.path = Path(self._folder.name, self.path.name)

    def __enter__(self) -> _Target:
        return self

    def __exit__(self, failed: object, *_: object) -> None:
        if self._to is None or self._folder is None:
            return
        if failed is None:
            # Parts are read when somebody asks for them: who has the old one open would read those of the new one.
            close_all(fspath(self._to))
            old = Path(self._folder.name, "replaced")
            self._to.rename(old)
            self.path.rename(self._to)
            self.path = self._to
            shutil.rmtree(old)
        self._folder.cleanup()

    def run(self) -> Run:
        """What was made; a private folder goes with it."""
        return Run(self.path, None if self._to is not None else self._folder)
