"""Views of a run in a notebook: the same page that `crosscut view` opens, over the kernel's own connection. What a person
does in it is in `selection`, `lens`, `cut` and `address` at once, and what a script sets there is what the page shows."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator

import anywidget
import traitlets

from . import bundle
from ._crosscut import Bench, CrosscutError
from .address import Address, Note, Selection, TreeState, number, ranges
from .frame import Frame
from .look import looks
from .output import Output
from .stored import Stored

if TYPE_CHECKING:
    from os import PathLike

    from .run import Run

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
    #: A Python expression in `run` that gives the selected nodes, or else those that are on the screen.
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
        self._followed: Selection | None = None
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
        except Exception as error:  # the page says it where the picture would be
            asked = json.loads(question)
            self.send({}, buffers=[Bench.failure(asked.get("id", 0), str(error))])

    def _draw(self, content: dict[str, Any]) -> None:
        number = content["picture"]
        try:
            dark = content.get("theme") == "dark"
            picture = self._bench.picture(content["look"], content.get("format", "png"), dark, 2.0)
        except CrosscutError as error:
            self.send({"picture": number, "error": str(error)})
        else:
            self.send({"picture": number}, buffers=[picture])

    def _ask(self, question: dict[str, Any]) -> Any:
        """Asks about all runs that are compared."""
        from .run import asked

        return asked(self._bench, question)

    # What a person or a script changes.

    @property
    def tree_name(self) -> str:
        """The tree that `lens` and `cut` are of: the first one of the view."""
        declared = self.run.declared(self.view)["trees"]
        return declared[0] if declared else ""

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
            if self._followed != (selected := Address(self.address).selection):
                self._followed = selected
                self.set_trait("selection", self._frame(Address(self.address)))
            self.set_trait("query", self._query(Address(self.address)))
            for mate in self._mates:
                mate._share(Address(self.address))
        self._output.changed()

    def _said(self) -> dict[str, Callable[[Address], Any]]:
        """What an address says of each trait that scripts may set."""
        return {
            "lens": lambda address: address.tree(self.tree_name).lens,
            "cut": lambda address: address.tree(self.tree_name).cut,
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
                address.set_options(self.view, {key: _text(of) for key, of in value.items()})
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
        with self._changing() as address:
            address.selection = None if nodes is None else Selection(0, tree or self.tree_name, _nodes(nodes))

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
        """What is on the screen of its tree, a row for each node."""
        state = self.tree(self.tree_name)
        return self.run.tree(self.tree_name, **state.options).nodes(self._shown())

    def _shown(self) -> list[int]:
        look = self._looks((1200, 640))[0]
        table = {"look": look, "tree": self.tree_name, "from": 0, "count": 10_000}
        rows = self._ask({"ask": "table", **table})["rows"]
        chosen = (row["selection"] for row in rows if row["selection"])
        return sorted({node for of in chosen for node in Selection(0, "", of["nodes"]).numbers})

    def _frame(self, address: Address) -> Frame | None:
        selected = address.selection
        if selected is None or selected.run >= len(self._runs):
            return None
        run = self._runs[selected.run]
        try:
            return run.tree(selected.tree, **address.tree(selected.tree).options).nodes(selected.numbers)
        except CrosscutError:
            # Of other options or of a run that is closed: these nodes are not there any more.
            return None

    def _query(self, address: Address) -> str:
        selected = address.selection
        if selected is not None:
            state = address.tree(selected.tree)
            return f"{_tree(selected.tree, state.options)}.nodes({selected.nodes!r})"
        name = self.tree_name
        if not name:
            return ""
        state = address.tree(name)
        lens, value = state.lens or ("", None)
        through = f".lens({lens!r}" + ("" if value is None else f", {number(value)}") + ")" if lens else ""
        return _tree(name, state.options) + through + ".frame()"

    # Several together.

    def link(self, *others: View) -> View:
        """From now on all of them have the same selection, the same window, places, lenses and cuts."""
        group = [self, *self._mates, *others]
        with _writing:
            for one in group:
                one._mates = [other for other in group if other is not one]
            for other in self._mates:
                other._share(Address(self.address))
        return self

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
    own = {option["name"] for option in declared["options"]}
    tree = declared["trees"][0] if declared["trees"] else ""
    state = TreeState()
    for name, value in options.items():
        if name in ("lens", "cut"):
            setattr(state, name, (value, None) if name == "lens" and isinstance(value, str) else value)
        elif name in own:
            address.option(views[0], name, _text(value))
        else:
            known = ", ".join(sorted(own | {"lens", "cut", "height", "against"}))
            raise TypeError(f"{views[0]} has no option {name!r}; it has {known}")
    return str(address.set_tree(tree, state) if tree else address)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return number(value) if isinstance(value, (int, float)) else str(value)


def _nodes(nodes: Iterable[int] | Frame | str) -> str:
    if isinstance(nodes, str):
        return nodes
    if isinstance(nodes, Frame):
        return ranges(row["node"] for row in nodes.rows())
    return ranges(nodes)


def _tree(name: str, options: dict[str, str]) -> str:
    return f"run.tree({', '.join([repr(name), *(f'{key}={value!r}' for key, value in options.items())])})"
