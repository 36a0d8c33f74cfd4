"""Trees of a run, with the metrics and lenses that they have."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Iterable, TypeVar

from ._crosscut import CrosscutError
from .address import Scope, Selection, checked, ranges
from .address import numbers as numbered
from .frame import Frame, html_of_rows

if TYPE_CHECKING:
    from .run import Run

V = TypeVar("V", "Metric", "Lens")


class Named(dict[str, V]):
    """Metrics or lenses by name; a notebook shows them as a table."""

    def _repr_html_(self) -> str:
        return html_of_rows([asdict(value) for value in self.values()])


@dataclass(frozen=True)
class Metric:
    """A column of numbers that nodes have."""

    name: str
    title: str
    unit: str
    about: str

    def _repr_html_(self) -> str:
        return html_of_rows([asdict(self)])


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

    def _repr_html_(self) -> str:
        return html_of_rows([asdict(self)])


class Cut(str):
    """What is open in a tree: a text that a view takes as `cut=` and that stands in the address of a page.

    >>> import crosscut as cc
    >>> tree = cc.synth("fib", size=2000, workers=4).tree("tasks")
    >>> cut = cc.Cut.of([0, 1, 40])
    >>> cut, str(cut)
    (<Cut: nodes 0, 1, 40 are open>, '0.0.1.13')
    >>> cut.closed(1).nodes
    [0, 40]
    >>> 0 in tree.cut
    True
    """

    @classmethod
    def of(cls, nodes: Iterable[int]) -> Cut:
        """The cut in which these nodes are open."""
        return cls("0" + _steps(nodes))

    @property
    def nodes(self) -> list[int]:
        """Numbers of the nodes that are open, ascending."""
        text = self.partition("!")[0].partition("~")[0]
        if not text:
            return []
        first, *steps = text.split(".")
        found, last = [], 0
        try:
            if first != "0" or not all(step.isalnum() for step in steps):
                raise ValueError
            for step in steps:
                last += int(step, 36)
                found.append(last)
        except ValueError:
            raise CrosscutError(f"{str(self)!r} is no cut: it is what `tree.cut` or the `cut` of a view says") from None
        return found

    def opened(self, *nodes: int) -> Cut:
        """The same, with these nodes open too."""
        return self._with({*self.nodes, *nodes})

    def closed(self, *nodes: int) -> Cut:
        """The same, with these nodes closed."""
        return self._with(set(self.nodes) - set(nodes))

    def _with(self, nodes: Iterable[int]) -> Cut:
        # Which children of wide nodes are shown, and which folds are spread out, stays.
        at = min((at for at in (self.find("~"), self.find("!")) if at >= 0), default=len(self))
        return Cut("0" + _steps(nodes) + self[at:])

    def __contains__(self, node: object) -> bool:
        return node in self.nodes if isinstance(node, int) else str.__contains__(self, node)  # type: ignore[operator]

    def __repr__(self) -> str:
        if not self:
            return "<Cut: as the tree opens>"
        nodes = self.nodes
        if not nodes:
            return "<Cut: nothing is open>"
        if len(nodes) == 1:
            return f"<Cut: node {nodes[0]} is open>"
        more = f" and {len(nodes) - 8:,} more" if len(nodes) > 8 else ""
        return f"<Cut: nodes {', '.join(map(str, nodes[:8]))}{more} are open>"

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self)[1:-1])} <code>{escape(str(self))}</code></p>"


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
    def lenses(self) -> Named[Lens]:
        """Its lenses by name, those that cost most first."""
        return Named({lens["name"]: _made(Lens, lens) for lens in self._about()["lenses"]})

    @property
    def metrics(self) -> Named[Metric]:
        """Its metrics by name."""
        return Named({metric["name"]: _made(Metric, metric) for metric in self._about()["metrics"]})

    @property
    def cut(self) -> Cut:
        """The cut that it opens with: which nodes are open."""
        return Cut(self._about()["cut"])

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


def _steps(nodes: Iterable[int]) -> str:
    """Nodes as an address has them: each as its difference from the one before, in base 36."""
    text, last = "", 0
    for node in sorted(set(nodes)):
        if isinstance(node, bool) or not isinstance(node, int) or node < 0:
            raise CrosscutError(f"nodes are numbers from 0 on, not {node!r}")
        text += "." + _base36(node - last)
        last = node
    return text


def _base36(value: int) -> str:
    digits = ""
    while True:
        value, digit = divmod(value, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
        if value == 0:
            return digits


def _made(kind: type[Any], said: dict[str, Any]) -> Any:
    """One of the classes above, of what was answered."""
    return kind(**{field: said.get(field) for field in kind.__dataclass_fields__})
