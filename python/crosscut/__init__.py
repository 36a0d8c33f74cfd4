"""Crosscut: where a parallel program loses its time, in Python.

    >>> import crosscut as cc
    >>> run = cc.synth("fib", size=2000, workers=4)
    >>> run.domains
    ['tasks']
    >>> run.findings.columns[:3]
    ['number', 'id', 'severity']

The words are those of the command line and of the page: a *run* has *trees* and *views*; a *lens* says which nodes matter.
Tables speak Arrow: pandas, Polars, pyarrow and DuckDB take them without a copy.
"""

from ._crosscut import CrosscutError, __version__
from .calls import Ensemble, Profile, SuperGraph, ensemble
from .frame import Frame
from .hatchet import from_hatchet
from .make import read, record, synth
from .run import Domain, Run, open
from .tree import Cut, Lens, Metric, Tree

__all__ = [
    "CrosscutError",
    "Cut",
    "Domain",
    "Ensemble",
    "Frame",
    "Lens",
    "Metric",
    "Profile",
    "Run",
    "SuperGraph",
    "Tree",
    "__version__",
    "ensemble",
    "from_hatchet",
    "open",
    "read",
    "record",
    "synth",
]


def load_ipython_extension(shell: object) -> None:
    """`%load_ext crosscut`: the magics `%crosscut` and `%crosscut_selection`."""
    from .magic import register

    register(shell)
