"""The program `crosscut` is found, and never the script that looks for it."""

import os
import shutil
from pathlib import Path

import pytest

import crosscut as cc
from crosscut import program


@pytest.fixture
def nothing_of_its_own(monkeypatch, tmp_path):
    """A package without the program."""
    real = program.program()
    monkeypatch.delenv("CROSSCUT", raising=False)
    monkeypatch.setattr(program, "_OWN", tmp_path / "nowhere")
    return real


def test_the_command_of_the_package_does_not_start_itself(nothing_of_its_own, monkeypatch, tmp_path):
    for name in ("scripts", "programs"):
        (tmp_path / name).mkdir()
    script = tmp_path / "scripts" / "crosscut"
    script.write_text("#!/usr/bin/python3\nfrom crosscut.program import main\nmain()\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "scripts"))
    with pytest.raises(cc.CrosscutError, match="not in this package nor in PATH"):
        program.program()
    shutil.copy(nothing_of_its_own, tmp_path / "programs" / "crosscut")
    monkeypatch.setenv("PATH", os.pathsep.join(str(tmp_path / name) for name in ("scripts", "programs")))
    assert program.program() == str(tmp_path / "programs" / "crosscut")


def test_what_the_variable_says_counts(monkeypatch):
    monkeypatch.setenv("CROSSCUT", "/somewhere/else")
    assert program.program() == "/somewhere/else"
    monkeypatch.delenv("CROSSCUT")
    assert Path(program.program()).name == "crosscut"
