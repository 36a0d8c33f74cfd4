"""The output of a cell that shows a view: an empty element, which the page fills while the kernel lives, and a picture of
the same, which stays in the saved notebook. Where a cell is run again it shows what was left there."""

from __future__ import annotations

import os
import sys
import threading
import uuid
from base64 import b64encode
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable

from . import sheet
from ._crosscut import CrosscutError

if TYPE_CHECKING:
    from .widget import View

#: So long after the last change the picture of the saved notebook is drawn anew, in seconds.
_IDLE = 1.0
#: The width of that picture, in pixels.
_WIDTH = 1000

#: What was left in a cell, or under a name: by the view in it and how many of these come before it. A run that a cell makes is
#: another one each time, so it is no part of this.
_Left = dict[tuple[str, int], tuple[str, "View"]]


@dataclass
class _Cell:
    """What a cell shows since it was run, and what it showed before that."""

    run: object
    now: _Left = field(default_factory=dict)
    before: _Left = field(default_factory=dict)


_cells: dict[str, _Cell] = {}


class Output:
    """Where a view is shown."""

    def __init__(self, view: View, name: str | None, address: str) -> None:
        self.view = view
        self.key = uuid.uuid4().hex
        self.address = address
        self._handle: Any = None
        self._timer: threading.Timer | None = None
        self._restore(name, address)

    def _restore(self, name: str | None, first: str) -> None:
        """Takes over what the same call in the same cell showed before, and its links."""
        if name is not None:
            # One with a name is there once, whatever is run.
            cell, place = _cells.setdefault(name, _Cell(None)), (self.view.view, 0)
            before = cell.now.pop(place, None)
        elif (of := _cell()) is not None:
            cell = _run_again(of)
            place = (self.view.view, sum(view == self.view.view for view, _ in cell.now))
            before = cell.before.pop(place, None)
        else:
            return
        cell.now[place] = (first, self.view)
        if before is not None:
            started, old = before
            old.close()
            if started == first:
                self.address = old.address
            self.view._replace(old)

    def display(self) -> None:
        """Shows it in the cell that is running."""
        import IPython.display

        show: Callable[..., Any] = IPython.display.display
        if _wants_view():
            bundle = {
                "application/vnd.jupyter.widget-view+json": {
                    "version_major": 2,
                    "version_minor": 0,
                    "model_id": self.view.model_id,
                },
                "text/plain": repr(self.view),
                **self._picture(),
            }
            show(bundle, raw=True)
            return
        host = f'<div class="crosscut-host" data-key="{self.key}"></div>'
        show({"text/html": host, "text/plain": repr(self.view)}, raw=True)
        # After the page has begun to load, which takes longer.
        self._handle = show(self._saved(), raw=True, display_id=True)

    def changed(self) -> None:
        """Draws the picture of the saved notebook anew, when nothing else changes."""
        if self._timer is not None:
            self._timer.cancel()
        if self._handle is not None:
            self._timer = threading.Timer(_IDLE, self._update)
            self._timer.daemon = True
            self._timer.start()

    def close(self) -> None:
        """Draws nothing any more."""
        if self._timer is not None:
            self._timer.cancel()
        self._handle = None

    def _update(self) -> None:
        handle = self._handle
        if handle is not None:
            handle.update(self._saved(), raw=True)

    def _saved(self) -> dict[str, str]:
        return {"text/plain": repr(self.view), **self._picture()}

    def _picture(self) -> dict[str, str]:
        """What stays in a saved notebook: a picture, or the words and tables of a sheet."""
        try:
            if self.view.is_picture:
                picture = self.view.picture("png", width=_WIDTH, height=self.view.height, scale=1.0)
                return {"image/png": b64encode(picture).decode()}
            return {"text/html": sheet.html(self.view, _WIDTH)}
        except CrosscutError:
            # Of a run that is closed by now.
            return {}


def _run_again(of: str) -> _Cell:
    """A cell as it is in this run of it: what it showed before is closed, whether it is made again or not."""
    run = _execution()
    cell = _cells.get(of)
    if cell is None or cell.run != run:
        before = {} if cell is None else cell.now
        for _, widget in before.values():
            widget.close()
        cell = _cells[of] = _Cell(run, before=before)
    return cell


def _shell() -> Any:
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython else None


def _parent() -> dict[str, Any]:
    """The message that a cell is run by."""
    kernel = getattr(_shell(), "kernel", None)
    return kernel.get_parent() if kernel is not None else {}


def _cell() -> str | None:
    cell = _parent().get("metadata", {}).get("cellId")
    return None if cell is None else str(cell)


def _execution() -> object:
    return _parent().get("header", {}).get("msg_id")


def _wants_view() -> bool:
    """Whether the front end starts widgets only where they are shown as such: all but JupyterLab and Notebook."""
    wanted = os.environ.get("CROSSCUT_OUTPUT")
    if wanted:
        return wanted == "view"
    return "VSCODE_PID" in os.environ or "google.colab" in sys.modules
