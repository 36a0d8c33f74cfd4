"""Trees of a run, with the metrics and lenses that they have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterable

from .address import numbers as numbered
from .frame import Frame

if TYPE_CHECKING:
    from .run import Run


@dataclass(frozen=True)
class Metric:
    """A column of numbers that nodes have."""

    name: str
    title: str
    unit: str
    about: str


@dataclass(frozen=True)
class Lens:
    """Which nodes matter: those whose value is beyond a threshold."""

    name: str
    title: str
    #: What decides.
    metric: str
    #: The threshold when nobody says otherwise.
    usual: float
    #: Small values are chosen.
    below: bool
    #: How many nodes it chooses.
    count: int
    #: Why it is not available in this run, and what to do.
    missing: str | None
    about: str


class Tree:
    """One tree of a run, with the options that make its nodes and perhaps a lens.

    >>> import crosscut as cc
    >>> grains = cc.synth("fib", size=2000, workers=4).grains
    >>> grains.lenses["low-parallel-benefit"].usual
    1.0
    >>> chosen = grains.lens("low-parallelism", 2)
    >>> len(chosen.frame("node")) <= len(grains)
    True
    """

    def __init__(self, run: Run, name: str, options: dict[str, str], lens: tuple[str, float | None] | None = None):
        self.run = run
        self.name = name
        self.options = options
        self._lens = lens

    def lens(self, name: str, value: float | None = None) -> Tree:
        """The same tree, seen through a lens: only nodes that it chooses stay in its frame."""
        return Tree(self.run, self.name, self.options, (name, value))

    @property
    def lenses(self) -> dict[str, Lens]:
        """Its lenses by name, those that cost most first."""
        return {lens["name"]: _made(Lens, lens) for lens in self._about()["lenses"]}

    @property
    def metrics(self) -> dict[str, Metric]:
        """Its metrics by name."""
        return {metric["name"]: _made(Metric, metric) for metric in self._about()["metrics"]}

    @property
    def cut(self) -> str:
        """The cut that it opens with: which nodes are open, as text."""
        return str(self._about()["cut"])

    def __len__(self) -> int:
        return int(self._about()["nodes"])

    def frame(self, *columns: str) -> Frame:
        """Its nodes in pre-order, with all their metrics."""
        return self._frame(None, columns)

    def nodes(self, numbers: Iterable[int] | str, *columns: str) -> Frame:
        """Some of its nodes, by their numbers: a list, or ranges such as "12-15,20"."""
        return self._frame(numbered(numbers) if isinstance(numbers, str) else list(numbers), columns)

    def _frame(self, numbers: list[int] | None, columns: tuple[str, ...]) -> Frame:
        table = self.run.bench.tree_frame(0, self.name, self.options, self._lens, numbers, list(columns) or None)
        return Frame(table, f"Nodes of the tree {self.name}.")

    def _about(self) -> dict[str, Any]:
        about: dict[str, Any] = self.run.ask({"ask": "tree", "run": 0, "tree": self.name, "with": self.options})
        return about

    def __repr__(self) -> str:
        through = f" through {self._lens[0]}" if self._lens else ""
        return f"<Tree {self.name} of {self.run.path}{through}>"

    def _repr_html_(self) -> str:
        return self.frame()._repr_html_()


def _made(kind: type[Any], said: dict[str, Any]) -> Any:
    """One of the classes above, of what was answered."""
    return kind(**{field: said.get(field) for field in kind.__dataclass_fields__})
