"""Views of a run in a notebook: the same page that `crosscut view` opens, over the kernel's own connection. What a person
does in it is in `selection`, `lens`, `cut` and `address` at once, and what a script sets there is what the page shows."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, SupportsIndex

import anywidget
import traitlets

from . import bundle
from ._crosscut import Bench, CrosscutError
from .address import Address, Note, Selection, TreeState, checked, number, numbers, ranges
from .frame import Frame
from .look import looks, main_tree, table
from .output import Output
from .stored import Stored
from .tree import Cut

if TYPE_CHECKING:
    from os import PathLike

    from .run import Run
    from .tree import Tree

#: What is said of a bug of ours, here as by the server.
BUG = "this question met a bug in crosscut; please report it with what you did"

#: Views that leave out what does not stand out, whatever is open in their tree.
_PRUNED = ("calls.tree",)

#: What every table keeps of how it is sorted and filtered.
_OF_TABLES = ("sort", "down", "filter", "flat")

#: Questions of one widget that are answered at the same time.
_AT_ONCE = 4

#: Cells and pages reach the kernel in two threads: one at a time changes an address. One for all, as linked views change
#: each other.
_writing = threading.RLock()


class View(anywidget.AnyWidget):
    """One or several views of a run, as a page in the cell.

    `selection`, `lens`, `cut`, `query` and `address` follow what is done in the page, and the page follows them; each is
    a trait, so `view.observe(function, "selection")` hears of it.

    >>> import crosscut as cc
    >>> view = cc.synth("fib", size=2000, workers=4).tasks.grains()
    >>> view.lens = "low-parallel-benefit"
    >>> view.select([1, 2])
    >>> view.query
    "run.tree('grains').nodes('1-2')"
    >>> len(view.selection)
    2
    """

    _esm = Path(__file__).parent / "loader.js"
    #: Everything that decides the picture, as in the address of the page.
    address = traitlets.Unicode("").tag(sync=True)
    #: In pixels.
    height = traitlets.Int(520).tag(sync=True)
    #: What its output is found by.
    key = traitlets.Unicode("").tag(sync=True)
    _build = traitlets.Unicode("").tag(sync=True)
    #: Which page's which change was heard last.
    _heard = traitlets.Unicode("").tag(sync=True)
    #: Of the page, which says it.
    _width = traitlets.Int(1092).tag(sync=True)

    #: What is selected, a row for each node; None where nothing is.
    selection = traitlets.Instance(Frame, allow_none=True, read_only=True)
    #: What the tree of the view is seen through: its name and, where it is not the usual one, its value.
    lens = traitlets.Any(None)
    #: What is open in the tree of the view; "" is what it opens with.
    cut = traitlets.Unicode("")
    #: What somebody wrote about nodes, in the page or by `annotate`.
    notes = traitlets.Tuple()
    #: Options of the view that are not as usual.
    options = traitlets.Dict()
    #: Places (ranks, threads) that count, such as "0-31,64"; "" for all.
    places = traitlets.Unicode("")
    #: The stretch of time that counts, in the unit of the run's clock; None for all of it.
    window = traitlets.Any(None)
    #: A Python expression in `run` (and `against`, the runs that it is compared with) that gives the selected nodes, or else
    #: those that pruning or the lens leaves.
    query = traitlets.Unicode("", read_only=True)

    def __init__(
        self,
        run: Run,
        *views: str,
        height: int = 520,
        against: Run | Iterable[Run] | None = None,
        address: str | None = None,
        name: str | None = None,
        **options: object,
    ) -> None:
        from .run import Run

        others = [] if against is None else [against] if isinstance(against, Run) else list(against)
        self.run = run
        self.view = views[0]
        self._runs = [run, *others]
        self._bench = Bench([each.path for each in self._runs]) if others else run.bench
        self._asker = self._bench.asker()
        #: What the frame of the selection was made of.
        self._followed: tuple[object, ...] | None = None
        self._closed = False
        self._mates: list[View] = []
        self._pool = ThreadPoolExecutor(max_workers=_AT_ONCE, thread_name_prefix="crosscut")
        self._stored = Stored()
        if address is None:
            address = _first(run, views, len(others), options)
        self._output = Output(self, name, address)
        super().__init__(
            address=self._output.address, height=height, key=self._output.key, _build=bundle.build()
        )
        self.on_msg(self._asked)

    # What the page asks.

    def _asked(self, _widget: Any, content: dict[str, Any], _buffers: list[Any]) -> None:
        if "question" in content:
            question = str(content["question"])
            if '"ask":"cancel"' in question:
                self._asker.answer(question, lambda _: None)
            else:
                self._pool.submit(self._answer, question)
        elif "changed" in content:
            self._hear(content)
        elif "picture" in content:
            self._pool.submit(self._draw, content)
        elif "here" in content:
            self.send({"here": True})
        elif "page" in content:
            self._pool.submit(self.send, {"page": True}, buffers=[bundle.packed()])

    def _answer(self, question: str) -> None:
        def tell(message: bytes) -> None:
            self._stored.keep(question, message)
            self.send({}, buffers=[message])

        try:
            self._asker.answer(question, tell)
        except BaseException as error:  # the page says it where the picture would be
            asked = json.loads(question)
            self.send({}, buffers=[Bench.failure(asked.get("id", 0), _why(error))])

    def _draw(self, content: dict[str, Any]) -> None:
        number = content["picture"]
        try:
            dark = content.get("theme") == "dark"
            picture = self._bench.picture(content["look"], content.get("format", "png"), dark, 2.0)
        except BaseException as error:  # as above
            self.send({"picture": number, "error": _why(error)})
        else:
            self.send({"picture": number}, buffers=[picture])

    def _ask(self, question: dict[str, Any]) -> Any:
        """Asks about all runs that are compared."""
        from .run import asked

        return asked(self._bench, question)

    # What a person or a script changes.

    @property
    def tree_name(self) -> str:
        """The tree that `lens` and `cut` are of: the first one of the view, of a flow the one that its map makes."""
        return main_tree(self.run.declared(self.view), Address(self.address).options(self.view))

    @property
    def against(self) -> list[Run]:
        """The runs that it is compared with."""
        return self._runs[1:]

    @property
    def selected(self) -> Selection | None:
        """What is selected, as numbers of nodes."""
        return Address(self.address).selection

    def _hear(self, content: dict[str, Any]) -> None:
        """Changes in the address what somebody changed in the page, and nothing else."""
        with _writing:
            with self._changing() as address:
                address.change(content["changed"])
            # After the address: a page that knows of it has what was heard.
            self._heard = f"{content['by']} {content['number']}"

    @traitlets.observe("address")
    def _follow(self, _change: Any) -> None:
        """Says in the other traits what the address says."""
        with _writing:
            for name, said in self._said().items():
                # Read anew each time: who hears of one trait may change the address.
                self.set_trait(name, said(Address(self.address)))
            if self._followed != (selected := self._of_selection(Address(self.address))):
                self._followed = selected
                self.set_trait("selection", self._frame(Address(self.address)))
            self.set_trait("query", self._query(Address(self.address)))
            for mate in self._mates:
                if not mate._closed:
                    mate._share(Address(self.address))
        self._output.changed()

    def _said(self) -> dict[str, Callable[[Address], Any]]:
        """What an address says of each trait that scripts may set."""
        return {
            "lens": lambda address: address.tree(self.tree_name).lens,
            "cut": lambda address: Cut(address.tree(self.tree_name).cut),
            "options": lambda address: address.options(self.view),
            "places": lambda address: address.places,
            "window": lambda address: address.window,
            "notes": lambda address: address.notes,
        }

    @traitlets.validate("lens")
    def _valid_lens(self, proposal: Any) -> Any:
        value = proposal["value"]
        # What the address says the page has from the run itself.
        if value is None or value == Address(self.address).tree(self.tree_name).lens:
            return value
        name, at = (value, None) if isinstance(value, str) else tuple(value)
        known = self.run.tree(self.tree_name).lenses
        if name not in known:
            raise CrosscutError(f"{self.tree_name} has no lens {name!r}; it has {', '.join(known) or 'none'}")
        return (name, None if at is None else float(at))

    @traitlets.validate("options")
    def _valid_options(self, proposal: Any) -> dict[str, str]:
        said = Address(self.address).options(self.view)
        given = {name: _text(value) for name, value in proposal["value"].items()}
        for name, value in given.items():
            if said.get(name) != value:
                _check_option(self.run.declared(self.view), name, value)
        return given

    @traitlets.validate("places")
    def _valid_places(self, proposal: Any) -> str:
        places = str(proposal["value"])
        if places != Address(self.address).places:
            there = int(self.run._about()["places"])
            wrong = next((place for place in numbers(places) if place >= there), None)
            if wrong is not None:
                raise CrosscutError(f"there is no place {wrong}: there are {there}, from 0 on")
        return places

    @traitlets.validate("window")
    def _valid_window(self, proposal: Any) -> tuple[float, float] | None:
        return None if proposal["value"] is None else checked(proposal["value"])

    @traitlets.observe("lens", "cut", "options", "places", "window", "notes")
    def _lead(self, change: Any) -> None:
        """Puts into the address what a script set in another trait."""
        name, value = change["name"], change["new"]
        with self._changing() as address:
            if self._said()[name](address) == value:
                return
            if name in ("lens", "cut"):
                state = address.tree(self.tree_name)
                setattr(state, name, value)
                address.set_tree(self.tree_name, state)
            elif name == "options":
                address.set_options(self.view, value)
            else:
                setattr(address, name, value)

    @contextmanager
    def _changing(self) -> Iterator[Address]:
        """The address, to be changed: nobody else changes it meanwhile."""
        with _writing:
            address = Address(self.address)
            yield address
            self.address = str(address)

    def select(self, nodes: Iterable[int] | Frame | str | None, tree: str | None = None) -> None:
        """Selects nodes, by their numbers: a list, "12-15,20", or a frame with a column `node`."""
        name = tree or self.tree_name
        chosen = None if nodes is None else Selection(0, name, _nodes(nodes))
        if chosen is not None:
            there = len(self.run.tree(name, **self.tree(name).options))
            wrong = next((node for node in chosen.numbers if node >= there), None)
            if wrong is not None:
                raise CrosscutError(f"there is no node {wrong} in {name}: it has {there}")
        with self._changing() as address:
            address.selection = chosen

    def annotate(self, nodes: Iterable[int] | Frame | str, text: str, tree: str | None = None) -> None:
        """Writes a note on nodes; an empty text takes it away."""
        of = (tree or self.tree_name, _nodes(nodes))
        with self._changing() as address:
            others = [note for note in address.notes if (note.tree, note.nodes) != of]
            address.notes = (*others, Note(*of, text)) if text else tuple(others)

    def tree(self, name: str) -> TreeState:
        """How a tree is seen: its cut, its lens, its options."""
        return Address(self.address).tree(name)

    def look(self, name: str, **state: Any) -> None:
        """Sees a tree otherwise: `cut=`, `lens=("name", value)`, `options={...}`."""
        with self._changing() as address:
            seen = address.tree(name)
            for key, value in state.items():
                if not hasattr(seen, key):
                    raise TypeError(f"a tree has cut, lens and options, not {key}")
                setattr(seen, key, value)
            address.set_tree(name, seen)

    @property
    def visible(self) -> Frame:
        """What is on the screen of its tree, a row for each node, with values of what counts there."""
        address = Address(self.address)
        asked = self._table(address)
        if asked is None:
            raise CrosscutError(f"{self.view} is a sheet of words and shows no tree")
        return self._part(self.run, 0, asked["tree"], address).nodes(self._shown())

    def _table(self, address: Address) -> dict[str, Any] | None:
        """The question for the rows that the first pane shows; None of a sheet, which has none."""
        declared = self.run.declared(self._looks((1200, 640))[0]["view"])
        if declared["pane"] == "table":
            return table(address, self.run._about(), declared)
        if not declared["trees"]:
            return None
        return {"ask": "table", "look": self._looks((1200, 640))[0], "tree": self.tree_name}

    def _shown(self) -> list[int]:
        """The nodes that the first pane shows."""
        asked = self._table(Address(self.address))
        if asked is None:
            return []
        if self.view in _PRUNED and asked["look"]["view"] == self.view:
            return self._bench.shown(json.dumps(asked["look"]))
        found: set[int] = set()
        first, total = 0, 1
        # As many rows at once as are given.
        while first < total:
            rows = self._ask({**asked, "from": first, "count": 1000})
            chosen = (row["selection"] for row in rows["rows"] if row["selection"])
            found.update(node for of in chosen for node in numbers(of["nodes"]))
            first, total = first + max(1, len(rows["rows"])), rows["total"]
        return sorted(found)

    def _part(self, run: Run, number: int, name: str, address: Address) -> Tree:
        """A tree with the values of what counts in an address."""
        scope = address.scope(number)
        inside = None if scope.inside is None else str(scope.inside)
        tree = run.tree(name, **address.tree(name, number).options)
        return tree.over(scope.places, scope.window, inside, scope.options)

    def _of_selection(self, address: Address) -> tuple[object, ...] | None:
        """Everything that decides the frame of the selection."""
        selected = address.selection
        if selected is None:
            return None
        options = address.tree(selected.tree, selected.run).options
        return (selected, str(address.scope(selected.run)), tuple(sorted(options.items())))

    def _frame(self, address: Address) -> Frame | None:
        selected = address.selection
        if selected is None or selected.run >= len(self._runs):
            return None
        try:
            part = self._part(self._runs[selected.run], selected.run, selected.tree, address)
            return part.nodes(selected.numbers)
        except CrosscutError:
            # Of other options or of a run that is closed: these nodes are not there any more.
            return None

    def _query(self, address: Address) -> str:
        selected = address.selection
        if selected is not None:
            state = address.tree(selected.tree, selected.run)
            run = f"against[{selected.run - 1}]" if selected.run else "run"
            scope = address.scope(selected.run)
            return f"{run}{_tree(selected.tree, state.options)}{scope}.nodes({selected.nodes!r})"
        name = self.tree_name
        if not name:
            return ""
        state, scope = address.tree(name), address.scope()
        k = address.options(self.view).get("k", "auto")
        if self.view in _PRUNED and k != "auto":
            metric = address.options(self.view).get("metric", "auto").removesuffix(", itself")
            by = "" if metric == "auto" else f", metric={metric!r}"
            if not state.options and scope.window is None and scope.inside is None:
                return f"run.calls{f'.over({scope.places!r})' if scope.places else ''}.prune(k={k}{by}).kept"
            try:
                return f"run{_tree(name, state.options)}{scope}.nodes({ranges(self._shown())!r})"
            except CrosscutError:
                # More than is drawn.
                return ""
        lens, value = state.lens or ("", None)
        through = f".lens({lens!r}" + ("" if value is None else f", {number(value)}") + ")" if lens else ""
        return f"run{_tree(name, state.options)}{through}{scope}.frame()"

    # Several together.

    def link(self, *others: View) -> View:
        """From now on all of them, and those that they are linked with, have the same selection, the same window, places,
        lenses and cuts."""
        group: list[View] = []
        for one in (self, *others):
            group += [each for each in (one, *one._mates) if each not in group and not each._closed]
        for other in group:
            same = zip(self._runs, other._runs)
            if any(mine.path != theirs.path for mine, theirs in same):
                raise CrosscutError(f"{self!r} and {other!r} are of different runs: nodes of one mean nothing in the other")
        with _writing:
            for one in group:
                one._mates = [other for other in group if other is not one]
            for other in self._mates:
                other._share(Address(self.address))
        return self

    def _replace(self, old: View) -> None:
        """Stands where another one stood that was linked."""
        with _writing:
            # One that is closed was made by the same cell, which may make it again.
            self._mates = [mate for mate in old._mates if mate._closed or mate.run.path == self.run.path]
            for mate in old._mates:
                mate._mates = [other for other in mate._mates if other is not old]
            for mate in self._mates:
                mate._mates.append(self)
            old._mates = []

    def _share(self, address: Address) -> None:
        with self._changing() as own:
            own.share(address.shared())

    # Pictures.

    def _looks(self, size: tuple[int, int]) -> list[dict[str, Any]]:
        return looks(Address(self.address), self.run._about(), size)

    @property
    def is_picture(self) -> bool:
        """Whether the first pane is a picture; it may be a sheet of words or a table."""
        return self.run.declared(self._looks((1200, 640))[0]["view"])["pane"] in ("graph", "plots")

    def picture(
        self, form: str = "png", *, width: int = 1200, height: int = 640, dark: bool = False, scale: float = 2.0
    ) -> bytes:
        """What the first pane shows, as the bytes of a picture: "png" or "svg"."""
        return self._bench.picture(json.dumps(self._looks((width, height))[0]), form, dark, scale)

    def save_png(self, path: str | PathLike[str], **how: Any) -> None:
        """Writes the picture for a paper: `width=`, `height=`, `scale=`, `dark=True`."""
        Path(path).write_bytes(self.picture("png", **how))

    def save_svg(self, path: str | PathLike[str], **how: Any) -> None:
        """Writes the picture for a paper, to be scaled: `width=`, `height=`, `dark=True`."""
        Path(path).write_bytes(self.picture("svg", **how))

    def save_html(self, path: str | PathLike[str]) -> None:
        """Writes a page that needs nothing else: no kernel, no server, no network."""
        Path(path).write_text(self._stored.html(self), encoding="utf-8")

    def _ipython_display_(self, **_: Any) -> None:
        self._output.display()

    def __repr__(self) -> str:
        return f"<View {self.view} of {self.run.path}>"

    def close(self) -> None:
        """Takes it away."""
        # One whose options were refused has none.
        if not hasattr(self, "_output"):
            return
        self._closed = True
        self._output.close()
        self._asker.cancel()
        self._pool.shutdown(wait=False, cancel_futures=True)
        super().close()


def _first(run: Run, views: tuple[str, ...], others: int, options: dict[str, object]) -> str:
    """The address of a view with options of its own and of its tree."""
    address = Address().show(*views)
    if others:
        against = "-".join(map(str, range(others + 1)))
        address.fields["p"] = address.fields["p"].replace(":0", f":{against}")
    address.fields["inspector"] = "0"
    declared = run.declared(views[0])
    state = TreeState()
    for name, value in options.items():
        if name in ("lens", "cut"):
            setattr(state, name, (value, None) if name == "lens" and isinstance(value, str) else value)
        else:
            _check_option(declared, name, _text(value))
            address.option(views[0], name, _text(value))
    tree = main_tree(declared, address.options(views[0]))
    return str(address.set_tree(tree, state) if tree else address)


def _check_option(view: dict[str, Any], name: str, value: str) -> None:
    """Refuses an option that a view does not have, and a value that it cannot have."""
    option = next((option for option in view["options"] if option["name"] == name), None)
    if option is None:
        if view["pane"] == "table" and name in _OF_TABLES:
            return
        known = ", ".join(sorted({option["name"] for option in view["options"]} | {"lens", "cut", "height", "against"}))
        raise TypeError(f"{view['name']} has no option {name!r}; it has {known}")
    kind = option["kind"]
    if value == option["usual"] or (option["auto"] and value == "auto"):
        return
    if kind["is"] == "choice" and kind["values"] and value not in (words := [word for word, _ in kind["values"]]):
        raise CrosscutError(f"{name}: {value!r} is none of {', '.join(words)}")
    if kind["is"] == "flag" and value not in ("true", "false"):
        raise CrosscutError(f"{name}: write True or False, not {value!r}")
    if kind["is"] == "number":
        try:
            fits = kind["least"] <= float(value) <= kind["most"]
        except ValueError:
            fits = False
        if not fits:
            raise CrosscutError(f"{name}: {value!r} is no number from {number(kind['least'])} to {number(kind['most'])}")


def _why(error: BaseException) -> str:
    """What the page says of an error. One that is no `Exception` is a bug of ours."""
    return str(error) if isinstance(error, Exception) else BUG


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return number(value) if isinstance(value, (int, float)) else str(value)


def _nodes(nodes: Iterable[int] | Frame | str) -> str:
    if isinstance(nodes, str):
        return ranges(numbers(nodes))
    if isinstance(nodes, Frame):
        if "node" not in nodes.columns:
            raise CrosscutError(f"this frame has no column `node`, which says what to select; it has {', '.join(nodes.columns)}")
        return ranges(row["node"] for row in nodes.rows())
    chosen = list(nodes)
    wrong = next((node for node in chosen if not isinstance(node, SupportsIndex) or node.__index__() < 0), None)
    if wrong is not None:
        raise CrosscutError(f"nodes are numbers from 0 on, not {wrong!r}")
    return ranges(chosen)


def _tree(name: str, options: dict[str, str]) -> str:
    return f".tree({', '.join([repr(name), *(f'{key}={value!r}' for key, value in options.items())])})"
