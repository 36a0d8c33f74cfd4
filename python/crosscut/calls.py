"""Call profiles: filter, squash, prune, merge and compare call paths. Every operation gives a new profile or a frame."""

from __future__ import annotations

import re
from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping, Sequence

from ._crosscut import CrosscutError, Profile as _Profile
from .address import numbers
from .frame import Frame

if TYPE_CHECKING:
    from .run import Run

#: What says which call paths are meant: a function of a row, a test of fields, a path query, or a true or false for each.
Predicate = Callable[[dict[str, Any]], Any] | str | Iterable[Any]

#: Words of a test that are no fields.
_WORDS = {"and", "or", "xor", "not", "has"}
_TOKEN = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|[A-Za-z_][\w.]*|\d[\w.+-]*|\s+|==|.", re.DOTALL)


@dataclass(frozen=True)
class Fit:
    """The line of least squares through values of places: y = slope · x + start."""

    places: int
    slope: float
    start: float
    r: float
    r2: float
    error: float


@dataclass(frozen=True)
class Pruned:
    """What pruning leaves."""

    #: The call paths that are kept, as a profile; what is not kept stays in its callers.
    profile: Profile
    #: The same, by node of the profile that was pruned.
    kept: Frame
    #: What stands out, by node of the profile that was pruned.
    outliers: Frame
    #: One row for each node whose other children are folded into one: how many, and what they took.
    surrogates: Frame
    #: Nothing stands out: the hot path is kept.
    by_hot_path: bool


class SuperGraph:
    """Call paths merged by a map: super nodes, and the calls between them.

    >>> import crosscut as cc
    >>> calls = cc.synth("calls", size=2000, ranks=4).calls
    >>> graph = calls.graph("module")
    >>> graph.nodes.columns[:3]
    ['node', 'name', 'label']
    >>> name = next(row["name"] for row in graph.nodes.rows(1, 1))
    >>> len(graph.split(name).nodes) >= len(graph.nodes)
    True
    """

    def __init__(self, profile: Profile, **making: Any) -> None:
        self.profile = profile
        self._making = making
        nodes, edges = profile._of.graph(**making)
        #: One row for each super node: itself and with callees.
        self.nodes = Frame(nodes, "Super nodes: call paths that a map merges. Node 0 is the program.")
        #: One row for each pair of super nodes of which one calls the other, with what was spent in these calls.
        self.edges = Frame(edges, "Calls from one super node to another, with what was spent in them.")

    def split(self, name: str, by: str = "entry", function: str | None = None) -> SuperGraph:
        """One super node as several: by its entry functions (or by one of them), or by its callers (`by="caller"`)."""
        if by not in ("entry", "caller"):
            raise CrosscutError(f"a super node is split by entry or by caller, not by {by!r}")
        names = [row["name"] for row in self.nodes.rows()]
        if name not in names:
            raise CrosscutError(f"there is no super node {name!r}; there are {', '.join(names)}")
        split = f"{by} {_escaped(name)}" + (f" > {_escaped(function)}" if function else "")
        before = self._making["split"]
        return SuperGraph(self.profile, **{**self._making, "split": f"{before}|{split}" if before else split})

    def __repr__(self) -> str:
        return f"<SuperGraph by {self._making['map']}: {len(self.nodes):,} super nodes, {len(self.edges):,} edges>"

    def _repr_html_(self) -> str:
        return self.nodes._repr_html_()


class Profile:
    """Call paths with values, by place of a run or by run of an ensemble.

    >>> import crosscut as cc
    >>> calls = cc.synth("calls", size=2000, ranks=4).calls
    >>> calls.metrics
    ['time']
    >>> heavy = calls.filter('time > 1e6')
    >>> len(heavy) <= len(calls) and heavy.total() == calls.total()
    True
    >>> (calls - calls).total()
    0
    """

    def __init__(self, of: _Profile, title: str = "") -> None:
        self._of = of
        self._title = title

    @classmethod
    def open(cls, path: str | PathLike[str]) -> Profile:
        """The call profile of a run on disk."""
        return cls(_Profile(fspath(path)), fspath(path))

    @property
    def metrics(self) -> list[str]:
        """Names of the metrics."""
        return self._of.metrics

    @property
    def place_names(self) -> list[str]:
        """Names of what values are by: places of a run, or runs of an ensemble."""
        return self._of.columns

    def __len__(self) -> int:
        return len(self._of)

    def frame(self, *columns: str) -> Frame:
        """Every call path in pre-order: the subtree of row i is the rows i .. i + len. `time` is itself, `time (inc)` with callees."""
        return self.paths(*columns)

    def paths(self, *columns: str) -> Frame:
        """The same: every call path with its depth, file and line."""
        return Frame(self._of.frame(list(columns) or None), "Call paths in pre-order; the first is the program.")

    def by_place(self, metric: str | None = None, inclusive: bool = False) -> Frame:
        """Every call path, with a column for each place (or run)."""
        return Frame(self._of.spread(self._metric(metric), inclusive), "Call paths by place.")

    def total(self, metric: str | None = None) -> int:
        """What was spent in all call paths together."""
        column = f"{self._metric(metric)} (inc)"
        return int(next(self.paths(column).rows(0, 1))[column])

    # Which call paths are meant.

    def mask(self, which: Predicate) -> bytes:
        """Which call paths are meant, a byte for each: by a function of a row, a test of fields (`time > 1e6 and module = "mpi"`),
        a path query (`("*", p) -> (q) where …`), or a true or false for each."""
        if isinstance(which, str):
            return self._of.query(_as_query(which))
        if type(which).__module__.startswith("polars") and hasattr(which, "meta"):
            chosen_by: Any = which
            which = self.paths().to_polars().select(chosen_by).to_series()
        if callable(which):
            return bytes(bool(which(row)) for row in self.paths().rows())
        chosen = bytes(bool(value) for value in which)
        if len(chosen) != len(self):
            raise CrosscutError(f"there are {len(self)} call paths, and {len(chosen)} were said to be in or out")
        return chosen

    def nodes(self, which: Predicate) -> list[int]:
        """Numbers of the call paths that are meant."""
        return [node for node, chosen in enumerate(self.mask(which)) if chosen]

    # Operations that give a profile.

    def over(self, places: Iterable[int] | str) -> Profile:
        """The same call paths, with values at some places alone, by their numbers: "0-3,8". Of an ensemble these are its runs.

        >>> import crosscut as cc
        >>> calls = cc.synth("calls", size=2000, ranks=4).calls
        >>> calls.over("0-1").total() + calls.over([2, 3]).total() == calls.total()
        True
        """
        chosen = numbers(places) if isinstance(places, str) else [int(place) for place in places]
        return self._at(self._of.at(sorted(set(chosen))), chosen)

    def _at(self, of: _Profile, places: list[int]) -> Profile:
        return self._made(of)

    def filter(self, which: Predicate, left_out: str = "stays") -> Profile:
        """Only these call paths, each below its nearest caller that is kept.

        What was spent in others stays in that caller, so that totals are kept; with `left_out="goes"` it is gone.
        """
        if left_out not in ("stays", "goes"):
            raise CrosscutError(f"what is left out stays or goes, not {left_out!r}")
        return self._made(self._of.squash(self.mask(which), left_out == "stays"))

    def squash(self, which: Predicate) -> Profile:
        """Only these call paths, and of what was spent only what was spent in them: `filter(..., left_out="goes")`."""
        return self.filter(which, left_out="goes")

    def query(self, text: str) -> Profile:
        """The call paths that a path query finds, and what was spent in them."""
        return self._made(self._of.squash(self._of.query(text), False))

    def prune(self, k: float = 1.5, metric: str | None = None) -> Pruned:
        """What stands out with its callers: v ≥ Q3 + k·IQR or v ≤ Q1 − k·IQR of what was spent in each call path itself."""
        outliers, kept, by_hot_path, surrogates = self._of.prune(self._metric(metric), k)
        paths = self.paths()

        def rows(of: bytes) -> Frame:
            return paths.take([node for node, chosen in enumerate(of) if chosen])

        about = "One row for each node of which children are folded."
        profile = self._made(self._of.squash(kept, True))
        return Pruned(profile, rows(kept), rows(outliers), Frame(surrogates, about), by_hot_path)

    def __sub__(self, other: Profile) -> Profile:
        return self._made(self._of.join(_profile(other), True))

    def __add__(self, other: Profile) -> Profile:
        return self._made(self._of.join(_profile(other), False))

    def __mul__(self, other: Profile) -> Frame:
        return Frame(self._of.combine(_profile(other), False), "Products, call path by call path.")

    def __truediv__(self, other: Profile) -> Frame:
        return Frame(self._of.combine(_profile(other), True), "Quotients, call path by call path; not a number where the second is 0.")

    # Operations that give a frame.

    def flat(self, metric: str | None = None) -> Frame:
        """Functions, whoever called them, the largest first."""
        return Frame(self._of.flat(self._metric(metric)), "One row for each function, the largest itself first.")

    def callers(self) -> Frame:
        """Functions, and below each those that called it, up to the program."""
        return Frame(self._of.callers(), "Functions, and below each those that called it; `cut` where there are more.")

    def hot_path(self, metric: str | None = None) -> Frame:
        """From the program down while one call has at least half of what its caller has."""
        return self.paths().take(self._of.hot_path(self._metric(metric)))

    def group_by(self, map: str = "module", metric: str | None = None, rules: str = "") -> Frame:
        """What was spent itself, by module, library, file or function, or by rules `PATTERN => LABEL`."""
        return self.graph(map, metric, rules=rules, filter=0.0).nodes

    def graph(
        self,
        map: str = "module",
        metric: str | None = None,
        *,
        rules: str = "",
        filter: float = 0.1,
        back: Sequence[str] = (),
        split: str = "",
    ) -> SuperGraph:
        """The super graph by a map, without functions that have less than `filter` percent of the program."""
        metric = self._metric(metric)
        return SuperGraph(self, metric=metric, map=map, rules=rules, filter=filter / 100, back=list(back), split=split)

    def subtree_sums(self, values: Iterable[int]) -> list[int]:
        """The sum over the subtree of each call path, of any whole numbers."""
        from array import array

        sums = array("q")
        sums.frombytes(self._of.subtree_sums(array("q", values).tobytes()))
        return sums.tolist()

    def imbalance(self, metric: str | None = None, inclusive: bool = True) -> Frame:
        """How uneven each call path is: mean and most over places, where the most is, and most ÷ mean."""
        return Frame(self._of.imbalance(self._metric(metric), inclusive), "Most ÷ mean over places, by call path.")

    def correlation(self, x: Predicate, y: Predicate, metric: str | None = None, other: str | None = None) -> Fit | None:
        """What was spent in some call paths beside others, place by place: the line of least squares. None with one place."""
        metrics = (self._metric(metric), self._metric(other or metric))
        found = self._of.correlation(metrics, self.mask(x), self.mask(y))
        return None if found is None else Fit(*found)

    def to_hatchet(self) -> Any:
        """As a GraphFrame of Hatchet."""
        from .hatchet import to_hatchet

        return to_hatchet(self)

    def _metric(self, name: str | None) -> str:
        if name is not None:
            return name
        if not self.metrics:
            raise CrosscutError("this profile has no metric")
        return self.metrics[0]

    def _made(self, of: _Profile) -> Profile:
        return Profile(of, self._title)

    def __repr__(self) -> str:
        of = f" of {self._title}" if self._title else ""
        return f"<Profile{of}: {len(self):,} call paths, {len(self.place_names):,} places, {', '.join(self.metrics)}>"

    def _repr_html_(self) -> str:
        return self.paths()._repr_html_()


class Ensemble(Profile):
    """Several runs over one tree of call paths, with a column for each run and what is known about each.

    >>> import crosscut as cc
    >>> runs = [cc.synth("calls", size=2000, ranks=ranks) for ranks in (2, 4)]
    >>> both = cc.ensemble(runs, ranks=[2, 4])
    >>> both.place_names
    ['0', '1']
    >>> [row["ranks"] for row in both.metadata.rows()]
    [2, 4]
    >>> both.long().columns
    ['node', 'name', 'run', 'path', 'ranks', 'time']
    """

    def __init__(self, of: _Profile, metadata: Mapping[str, Sequence[Any]]) -> None:
        super().__init__(of, "several runs")
        self._metadata = metadata

    @property
    def metadata(self) -> Frame:
        """One row for each run: its path, and what was said about it."""
        return Frame.of(self._metadata, "One row for each run.")

    def _made(self, of: _Profile) -> Ensemble:
        return Ensemble(of, self._metadata)

    def _at(self, of: _Profile, places: list[int]) -> Ensemble:
        known = {key: [values[place] for place in sorted(set(places))] for key, values in self._metadata.items()}
        return Ensemble(of, known)

    def long(self, metric: str | None = None, inclusive: bool = False) -> Frame:
        """One row for each call path and run, with what is known about the run: what `groupby` of other libraries takes."""
        import pyarrow

        metric = self._metric(metric)
        wide = self.by_place(metric, inclusive).to_arrow()
        names = self.paths("name").to_arrow()["name"].cast(pyarrow.string())
        parts = []
        for at, run in enumerate(self.place_names):
            columns = {"node": wide["node"], "name": names}
            for key, values in self._metadata.items():
                columns[key] = pyarrow.repeat(pyarrow.scalar(values[at]), len(self))
            columns[metric] = wide[run]
            parts.append(pyarrow.table(columns))
        return Frame.of(pyarrow.concat_tables(parts), "One row for each call path and run.")

    def statistics(self, metric: str | None = None, inclusive: bool = True) -> Frame:
        """Mean and most over runs, by call path."""
        return self.imbalance(metric, inclusive)


def ensemble(runs: Iterable[Run | Profile], **metadata: Sequence[Any]) -> Ensemble:
    """Several runs as one profile, with columns of what is known about each: `cc.ensemble(runs, ranks=[2, 4])`."""
    profiles = [run if isinstance(run, Profile) else run.calls for run in runs]
    if not profiles:
        raise CrosscutError("an ensemble needs at least one run")
    for key, values in metadata.items():
        if len(values) != len(profiles):
            raise CrosscutError(f"{key} has {len(values)} values for {len(profiles)} runs")
    names = [str(number) for number in range(len(profiles))]
    made = _Profile.ensemble([profile._of for profile in profiles], names)
    return Ensemble(made, {"run": names, "path": [profile._title for profile in profiles], **metadata})


def _profile(other: object) -> _Profile:
    if not isinstance(other, Profile):
        raise TypeError(f"a profile goes with another profile, not with {type(other).__name__}: take `run.calls`")
    return other._of


def _escaped(name: str) -> str:
    return re.sub(r"([\\|>])", r"\\\1", name)


def _as_query(text: str) -> str:
    """A path query as it is; a test of fields as the query for single call paths that pass it."""
    wrong = _Profile.wrong_with(text)
    if wrong is None:
        return text
    words = []
    for word in _TOKEN.findall(text):
        if word == "==":
            word = "="
        elif (word[0].isalpha() or word[0] == "_") and word.lower() not in _WORDS:
            word = f"q.{word}"
        words.append(word)
    test = "(q) where " + "".join(words)
    wrong_test = _Profile.wrong_with(test)
    if wrong_test is None:
        return test
    is_path = "->" in text or text.lstrip().startswith(('("', "{"))
    why = wrong if is_path else wrong_test.replace("column", "near column", 1)
    raise CrosscutError(f"{text!r} is neither a test of fields nor a path query: {why}")
