"""Views of a run in a notebook: the same page that `crosscut view` opens, over the kernel's own connection. What a person
does in it is in `selection`, `lens`, `cut` and `address` at once, and what a script sets there is what the page shows."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anywidget
import traitlets

from ._crosscut import Bench
from .address import Address, Selection, TreeState
from .frame import Frame

if TYPE_CHECKING:
    from .run import Run

#: Questions of all widgets that are answered at the same time.
_POOL = ThreadPoolExecutor(max_workers=4, thread_name_prefix="crosscut")
_PAGE = Path(__file__).parent / "page" / "crosscut.js"


class View(anywidget.AnyWidget):
    """A view of a run; several may look at the same."""

    _esm = _PAGE
    #: Everything that decides the picture, as in the address of the page.
    address = traitlets.Unicode("").tag(sync=True)
    #: In pixels.
    height = traitlets.Int(520).tag(sync=True)

    def __init__(self, run: Run, view: str, height: int = 520, **options: object) -> None:
        address = Address().show(view)
        for name, value in options.items():
            address.option(view, name, value)
        self.run = run
        self.view = view
        super().__init__(address=str(address), height=height)
        self.on_msg(self._asked)

    def _asked(self, _widget: Any, content: dict[str, Any], _buffers: list[Any]) -> None:
        question = content.get("question")
        if isinstance(question, str):
            _POOL.submit(self._answer, question)

    def _answer(self, question: str) -> None:
        try:
            self.run.bench.answer(question, self._tell)
        except Exception as error:  # the page says it where the picture would be
            number = json.loads(question).get("id", 0)
            self._tell(Bench.failure(number, str(error)))

    def _tell(self, message: bytes) -> None:
        self.send({}, buffers=[message])

    @property
    def selected(self) -> Selection | None:
        """What is selected, as numbers of nodes."""
        return Address(self.address).selection

    @property
    def selection(self) -> Frame | None:
        """What is selected, as a frame with a row for each node; none where nothing is."""
        selected = self.selected
        if selected is None:
            return None
        state = Address(self.address).tree(selected.tree)
        return self.run.tree(selected.tree, **state.options).nodes(selected.numbers)

    def select(self, tree: str, nodes: str) -> None:
        """Selects nodes of a tree: "12-15,20"."""
        address = Address(self.address)
        address.selection = Selection(0, tree, nodes)
        self.address = str(address)

    def tree(self, name: str) -> TreeState:
        """How a tree is seen: its cut, its lens, its options."""
        return Address(self.address).tree(name)

    def look(self, name: str, **state: Any) -> None:
        """Sees a tree otherwise: `cut=`, `lens=("name", value)`, `options={...}`."""
        address = Address(self.address)
        seen = address.tree(name)
        for key, value in state.items():
            if not hasattr(seen, key):
                raise TypeError(f"a tree has cut, lens and options, not {key}")
            setattr(seen, key, value)
        self.address = str(address.set_tree(name, seen))
