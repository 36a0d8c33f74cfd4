"""The program `crosscut`, which the package brings along with the libraries that it loads into other programs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from ._crosscut import CrosscutError

_OWN = Path(__file__).parent / "bin" / "crosscut"


def program() -> str:
    """Where it is: what the variable CROSSCUT says, else that of this package, else the one in PATH."""
    found = os.environ.get("CROSSCUT") or (str(_OWN) if _OWN.exists() else _in_path())
    if found is None:
        raise CrosscutError(
            "the program `crosscut` is not in this package nor in PATH: install the package with `pip install ./python`,"
            " or say where it is in the variable CROSSCUT"
        )
    return found


def _in_path() -> str | None:
    """The first one in PATH that is a program. The command of this package is a script that would start itself forever."""
    for folder in os.get_exec_path():
        found = shutil.which("crosscut", path=folder)
        if found is not None and not _is_script(found):
            return found
    return None


def _is_script(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(2) == b"#!"


def run(*words: str) -> None:
    """Runs it; what it complains about is raised."""
    done = subprocess.run([program(), *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CrosscutError(done.stderr.strip().removeprefix("crosscut: ") or f"crosscut {words[0]} failed")


def main() -> None:
    """The command `crosscut` of an environment with this package."""
    os.execv(program(), [program(), *sys.argv[1:]])
