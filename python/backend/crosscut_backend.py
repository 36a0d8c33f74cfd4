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
    return maturin.build_wheel(wheel_directory, _filled(config_settings), metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """The same, over the files of this checkout."""
    return maturin.build_editable(wheel_directory, _filled(config_settings), metadata_directory)


def _filled(config_settings):
    """Puts the page and the programs into the package; `pip install -C profile=dev ./python` skips optimisation."""
    settings = dict(config_settings or {})
    dev = settings.pop("profile", "release") == "dev"
    subprocess.run(["cargo", "xtask", "python", *(["--dev"] if dev else [])], cwd=ROOT, check=True)
    if dev:
        settings["build-args"] = "--profile dev"
    return settings
