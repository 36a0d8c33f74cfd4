"""Runs that are made here: of foreign files, of programs, of nothing."""

from __future__ import annotations

import subprocess
import tempfile
import warnings
from os import PathLike, fspath
from pathlib import Path
from typing import Iterable

from ._crosscut import CrosscutError, import_files
from .program import program, run
from .run import Run


def read(
    *files: str | PathLike[str],
    to: str | PathLike[str] | None = None,
    format: str | None = None,
    clock_hz: float | None = None,
) -> Run:
    """Reads foreign files (traces, profiles) into a run. All files of one trace make one run.

    Without `to`, the run lies in a private folder that goes when the run does.
    """
    if not files:
        raise CrosscutError("which file? crosscut.read takes at least one")
    target, kept = _target(to)
    for note in import_files([fspath(file) for file in files], target, format, clock_hz):
        warnings.warn(note, stacklevel=2)
    return Run(target, kept)


def record(
    command: Iterable[str | PathLike[str]], *flags: str, to: str | PathLike[str] | None = None
) -> Run:
    """Records a program: `crosscut record FLAGS -- COMMAND`. What the program prints is printed.

    A program that fails is recorded too; a warning says how it ended.

        run = cc.record(["./solve", "--size", "1000"], "--calls")
    """
    if isinstance(command, (str, bytes)):
        raise TypeError(f"a command is a list of words: crosscut.record([{command!r}, ...])")
    words = [fspath(word) for word in command]
    target, kept = _target(to)
    done = subprocess.run([program(), "record", *flags, "-o", fspath(target), "--", *words], check=False)
    if not target.exists():
        raise CrosscutError(f"nothing was recorded of `{' '.join(words)}`: what went wrong is printed above")
    if done.returncode != 0:
        warnings.warn(f"`{' '.join(words)}` ended with {done.returncode}", stacklevel=2)
    return Run(target, kept)


def synth(what: str, *words: str, to: str | PathLike[str] | None = None, **options: object) -> Run:
    """A run of any size, made up: `crosscut synth`, with its words and flags.

    >>> import crosscut as cc
    >>> cc.synth("messages", "halo", ranks=8, steps=2).domains
    ['messages']
    """
    if not isinstance(what, str):
        raise TypeError(f"what to make is a word such as \"fib\", not {type(what).__name__}")
    target, kept = _target(to)
    flags = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    run("synth", what, *words, *flags, "-o", fspath(target))
    return Run(target, kept)


def _target(to: str | PathLike[str] | None) -> tuple[Path, object]:
    if to is not None:
        return Path(to), None
    folder = tempfile.TemporaryDirectory(prefix="crosscut-")
    return Path(folder.name, "run.crosscut"), folder
