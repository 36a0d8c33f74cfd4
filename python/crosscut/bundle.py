"""The page for notebooks, which is built from `ui/`: one module of JavaScript."""

from __future__ import annotations

import gzip
import hashlib
from functools import cache
from pathlib import Path

from ._crosscut import CrosscutError

_PAGE = Path(__file__).parent / "page" / "crosscut.js"


def text() -> bytes:
    """The module itself."""
    try:
        return _PAGE.read_bytes()
    except FileNotFoundError:
        raise CrosscutError("the page was not built: run `cargo xtask python` in the checkout, then install again") from None


@cache
def packed() -> bytes:
    """The module as it is sent."""
    return gzip.compress(text(), mtime=0)


@cache
def build() -> str:
    """What tells one build of it from another."""
    return hashlib.sha256(text()).hexdigest()[:16]
