"""Runs, their domains and trees."""

from __future__ import annotations

import json
from functools import cached_property, partial
from html import escape
from os import PathLike, fspath
from os.path import abspath
from typing import TYPE_CHECKING, Any, Callable, TypeVar
from weakref import WeakSet

from ._crosscut import Bench, CrosscutError, Profile as _Profile
from .calls import Profile
from .frame import Frame
from .tree import Tree

if TYPE_CHECKING:
    from .widget import View


D = TypeVar("D", bound="Domain")


def open(path: str | PathLike[str]) -> Run:
    """Opens a run, a folder that ends in `.crosscut`.

    >>> import crosscut as cc
    >>> cc.open("nowhere.crosscut")
    Traceback (most recent call last):
    crosscut.CrosscutError: ...nowhere.crosscut: ...
    """
    return Run(path)


#: Runs that somebody has.
_RUNS: WeakSet[Run] = WeakSet()


def close_all(path: str) -> None:
    """Closes all runs of this path."""
    for run in list(_RUNS):
        if run.path == path:
            run.close()


class Run:
    """One execution: tasks, messages and calls on one clock.

    >>> import crosscut as cc
    >>> run = cc.synth("fib", size=2000, workers=4)
    >>> run.info["tasks"]["workers"]
    4
    >>> run.tree("grains").frame().columns[:4]
    ['node', 'parent', 'depth', 'kind']
    """

    def __init__(self, path: str | PathLike[str], kept: Any = None) -> None:
        # Whole: who goes to another folder does not lose it.
        self._path = abspath(fspath(path))
        self._bench: Bench | None = Bench([self._path])
        # What must live as long as the run: the temporary folder of one that was read, recorded or made.
        self._kept = kept
        self._hello: dict[str, Any] | None = None
        self._opened: dict[str, Any] = {}
        _RUNS.add(self)

    @property
    def path(self) -> str:
        """Where it lies."""
        return self._path

    @property
    def bench(self) -> Bench:
        """What answers questions about it."""
        if self._bench is None:
            raise CrosscutError(f"{self._path} is closed: open it again with crosscut.open")
        return self._bench

    def close(self) -> None:
        """Lets it go. Frames that were taken from it stay."""
        self._bench = None

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def info(self) -> dict[str, Any]:
        """What is inside, as `crosscut info --json` says it."""
        info: dict[str, Any] = json.loads(self.bench.info(0))
        return info

    @property
    def report(self) -> dict[str, Any]:
        """What costs time, as `crosscut report --json` says it."""
        report: dict[str, Any] = json.loads(self.bench.report(0))
        return report

    @property
    def findings(self) -> Frame:
        """What costs time, worst first."""
        return self.frame("findings")

    @property
    def domains(self) -> list[str]:
        """What it has of tasks, messages and calls."""
        frames = dict(self.bench.frames(0))
        return [name for name in ("tasks", "messages", "calls") if name in frames]

    @property
    def frames(self) -> dict[str, str]:
        """Tables by name, with what a row of each is."""
        return dict(self.bench.frames(0))

    def frame(self, name: str, *columns: str) -> Frame:
        """A table by its name, with some columns or with all."""
        return Frame(self.bench.frame(0, name, list(columns) or None), self.frames.get(name, ""))

    @property
    def tasks(self) -> Domain:
        """Its tasks."""
        return self._domain("tasks", Domain)

    @property
    def messages(self) -> Domain:
        """Its messages."""
        return self._domain("messages", Domain)

    @property
    def calls(self) -> Calls:
        """Its call profile."""
        return self._domain("calls", Calls)

    def _domain(self, name: str, kind: type[D]) -> D:
        if name not in self.domains:
            raise CrosscutError(f"{self._path} has no {name}: it has {', '.join(self.domains) or 'nothing'}")
        found: D = self._opened.setdefault(name, kind(self, name))
        return found

    @property
    def trees(self) -> list[str]:
        """Names of its trees."""
        return [tree["name"] for tree in self._about()["trees"]]

    @property
    def views(self) -> list[str]:
        """Names of its views."""
        return [view["name"] for view in self._about()["views"] if not view.get("hidden")]

    @property
    def time(self) -> tuple[float, float] | None:
        """From when to when, in the unit of its clock; None of a profile, which has no time."""
        span = self._about().get("time")
        return None if span is None else (span[0], span[1])

    @property
    def grains(self) -> Tree:
        """Its grain graph, as a tree of groups."""
        return self.tree("grains")

    @property
    def places(self) -> Tree:
        """Processes, threads and workers, with what each domain knows of them."""
        return self.tree("places")

    @property
    def lines(self) -> Tree:
        """Source lines, with what each domain knows of them."""
        return self.tree("lines")

    @property
    def phases(self) -> Frame:
        """Phases of its messages: when, how much, in which pattern."""
        return Frame.of_rows(self._reported("messages", "phases"), "Phases of the messages, in time.")

    @property
    def problems(self) -> Frame:
        """Problems of its grains: how many grains have each, and what they cost."""
        found = self._reported("grain", "problems")
        rows = [{"problem": name, **values} for name, values in found.items()]
        return Frame.of_rows(rows, "Problems of grains; `run.grains.lens(problem).frame()` has the grains.")

    def _reported(self, part: str, key: str) -> Any:
        report = self.report
        if part not in report:
            raise CrosscutError(f"{self._path} has no {key}: it has {', '.join(self.domains) or 'nothing'}")
        return report[part][key]

    def tree(self, name: str, **options: object) -> Tree:
        """A tree by its name, such as "grains" or "super/module", with its options."""
        return Tree(self, name, {key: str(value) for key, value in options.items()})

    def view(self, *names: str, **how: Any) -> View:
        """Views in a notebook, by their names ("tasks.dag") or the ends of them ("dag"); several are panes of one page.

        `how` are options of the first view (`lens=`, `metric=` …), `height=` in pixels, `against=` other runs, `address=`
        what another view has as its `address`, and `name=` to find what was left when the cell is run again.
        """
        try:
            from .widget import View
        except ModuleNotFoundError as error:
            if error.name not in ("anywidget", "traitlets"):
                raise
            raise ImportError("views in a notebook need anywidget: pip install 'crosscut[notebook]'") from None
        return View(self, *map(self._view, names or self.views[:1]), **how)

    def declared(self, view: str) -> dict[str, Any]:
        """What a view declares: its title, trees, options and acts."""
        return next(each for each in self._about()["views"] if each["name"] == view)

    def _view(self, name: str, domain: str = "") -> str:
        """The whole name of a view, by it, by its end, its title or a word of that."""
        known = [each for each in self._about()["views"] if not each["hidden"] and each["name"].startswith(domain)]
        word = name.lower().replace("_", " ")
        ways = (
            lambda each: each["name"] == name,
            lambda each: each["name"].rpartition(".")[2] == name,
            lambda each: each["title"].lower() == word,
            lambda each: word in each["title"].lower().split(),
        )
        for way in ways:
            found = [str(each["name"]) for each in known if way(each)]
            if len(found) == 1:
                return found[0]
        names = ", ".join(each["name"] for each in known)
        raise CrosscutError(f"there is no view {name!r}; there are {names}")

    def _about(self) -> dict[str, Any]:
        if self._hello is None:
            self._hello = self.ask({"ask": "hello"})["runs"][0]
        return self._hello

    def ask(self, question: dict[str, Any]) -> Any:
        """Asks what the page asks, and waits for the last answer: see docs/api.md."""
        return asked(self.bench, question)

    def __repr__(self) -> str:
        if self._bench is None:
            return f"<Run {self._path}, closed>"
        return f"<Run {self.bench.line(0)}>"

    def _repr_html_(self) -> str:
        if self._bench is None:
            return f"<p>{escape(repr(self))}</p>"
        line = f"<p>{escape(self.bench.line(0))}</p>"
        return line + self.frame("findings", "number", "severity", "where", "what", "do")._repr_html_()


def asked(bench: Bench, question: dict[str, Any]) -> Any:
    """The last answer of a bench to a question."""
    messages: list[bytes] = []
    bench.answer(json.dumps({"id": 1, **question}), messages.append)
    head = json.loads(messages[-1][4 : 4 + int.from_bytes(messages[-1][:4], "little")])
    if "error" in head:
        raise CrosscutError(head["error"])
    return head["ok"]


class Domain:
    """Tasks, messages or calls of a run."""

    def __init__(self, run: Run, name: str) -> None:
        self.run = run
        self.name = name

    def frame(self, *columns: str) -> Frame:
        """All of them as a table, with some columns or with all."""
        return self.run.frame(self.name, *columns)

    def view(self, name: str, **how: Any) -> View:
        """One of its views in a notebook."""
        return self.run.view(self.run._view(name, f"{self.name}."), **how)

    def __getattr__(self, name: str) -> Callable[..., View]:
        # Every view that is declared is a method: run.tasks.timeline().
        if not name.startswith("_"):
            try:
                found = self.run._view(name, f"{self.name}.")
            except CrosscutError as error:
                raise AttributeError(str(error)) from None
            return partial(self.run.view, found)
        raise AttributeError(name)

    def __dir__(self) -> list[str]:
        views = [view.removeprefix(f"{self.name}.") for view in self.run.views if view.startswith(f"{self.name}.")]
        return [*super().__dir__(), *views]

    def __repr__(self) -> str:
        return f"<{self.name} of {self.run.path}>"


class Calls(Domain, Profile):
    """The call profile of a run: everything that can be done with call paths (see `Profile`).

    >>> import crosscut as cc
    >>> calls = cc.synth("calls", size=2000, ranks=4).calls
    >>> calls.filter('time > 1e6').prune(k=1.5).profile.flat().columns
    ['name', 'module', 'file', 'itself', 'inclusive', 'paths']
    """

    def __init__(self, run: Run, name: str) -> None:
        Domain.__init__(self, run, name)
        self._title = run.path

    @property
    def _of(self) -> _Profile:  # type: ignore[override]
        # Of a closed run this says so.
        self.run.bench
        return self._opened

    @cached_property
    def _opened(self) -> _Profile:
        return _Profile(self.run.path)

    @property
    def profile(self) -> Profile:
        """The same, without the run."""
        return Profile(self._of, self._title)

    def __repr__(self) -> str:
        return Profile.__repr__(self)
