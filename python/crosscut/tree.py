"""Trees of a run, with the metrics and lenses that they have."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterable

from ._crosscut import CrosscutError
from .address import Scope, Selection, checked, ranges
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

    def __init__(
        self,
        run: Run,
        name: str,
        options: dict[str, str],
        lens: tuple[str, float | None] | None = None,
        scope: Scope = Scope(),
    ):
        self.run = run
        self.name = name
        self.options = options
        self._lens = lens
        self._scope = scope

    def lens(self, name: str, value: float | None = None) -> Tree:
        """The same tree, seen through a lens: only nodes that it chooses stay in its frame."""
        return Tree(self.run, self.name, self.options, (name, value), self._scope)

    def over(
        self,
        places: Iterable[int] | str = "",
        window: tuple[float, float] | None = None,
        inside: str | None = None,
        inside_options: dict[str, str] | None = None,
    ) -> Tree:
        """The same tree, with values of a part of the run: places such as "0-3,8", a stretch of time, or what is inside of
        nodes of a tree such as "0:tasks:17" (the number of the run, the tree, the nodes).

        >>> import crosscut as cc
        >>> calls = cc.synth("calls", size=2000, ranks=4).tree("calls")
        >>> some, all = (next(tree.nodes([0]).rows())["time"] for tree in (calls.over(places="0-1"), calls))
        >>> 0 < some < all
        True
        """
        selected = None if inside is None else Selection.read(inside)
        if inside is not None and selected is None:
            raise CrosscutError(f"inside is the number of a run, a tree and nodes, such as \"0:tasks:17\", not {inside!r}")
        counting = ranges(numbered(places) if isinstance(places, str) else places)
        window = None if window is None else checked(window)
        scope = Scope(counting, window, selected, inside_options or {})
        return Tree(self.run, self.name, self.options, self._lens, scope)

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
        over = None
        if self._scope != Scope():
            inside = self._scope.inside
            trees = {} if inside is None else {inside.tree: {"with": self._scope.options}}
            over = json.dumps({"scope": self._scope.asked(), "trees": trees})
        wanted = list(columns) or None
        table = self.run.bench.tree_frame(0, self.name, self.options, self._lens, numbers, wanted, over)
        return Frame(table, self.about)

    def _about(self) -> dict[str, Any]:
        about: dict[str, Any] = self.run.ask({"ask": "tree", "run": 0, "tree": self.name, "with": self.options})
        return about

    def __repr__(self) -> str:
        through = f" through {self._lens[0]}" if self._lens else ""
        return f"<Tree {self.name} of {self.run.path}{through}{self._scope}>"

    def _repr_html_(self) -> str:
        if self._lens is None:
            # Only rows that are shown are made.
            return Frame.html_of(len(self), lambda rows: self.nodes(rows), self.about)
        return self.frame()._repr_html_()

    @property
    def about(self) -> str:
        """What a row of its frame is."""
        return f"Nodes of the tree {self.name}."


def _made(kind: type[Any], said: dict[str, Any]) -> Any:
    """One of the classes above, of what was answered."""
    return kind(**{field: said.get(field) for field in kind.__dataclass_fields__})
