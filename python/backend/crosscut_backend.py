"""Builds the wheel: the page and the programs that go into it are made first, by `cargo xtask python`; maturin does the rest."""

import subprocess
from pathlib import Path

import maturin
from maturin import (  # what pip asks a backend for
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_wheel",
]

ROOT = Path(__file__).parents[2]


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """A wheel with everything in it."""
    subprocess.run(["cargo", "xtask", "python"], cwd=ROOT, check=True)
    return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """The same, over the files of this checkout."""
    subprocess.run(["cargo", "xtask", "python"], cwd=ROOT, check=True)
    return maturin.build_editable(wheel_directory, config_settings, metadata_directory)
