"""Types say what is true: the stubs of what is written in Rust, the package itself, and what a user of it writes."""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def checked(tmp_path, *words):
    """What a checker of types says; nothing where all is well."""
    env = {**os.environ, "MYPY_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-m", *words], cwd=HERE, env=env, capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_stubs_are_of_what_is_written_in_rust(tmp_path):
    assert checked(tmp_path, "mypy.stubtest", "crosscut._crosscut", "--mypy-config-file", "../pyproject.toml") == ""


def test_the_package_and_a_user_of_it(tmp_path):
    # What is installed beside it is not looked into: libraries of others have errors of their own.
    assert checked(tmp_path, "mypy", "--config-file", "../pyproject.toml", "-p", "crosscut") == ""
    assert checked(tmp_path, "mypy", "--config-file", "../pyproject.toml", "typed.py") == ""
