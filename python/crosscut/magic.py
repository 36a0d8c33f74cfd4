"""Magics for notebooks: `%crosscut` shows a run, a frame or a view, `%crosscut_selection` fetches what is selected."""

from __future__ import annotations

from typing import Any

from .run import Run
from .run import open as open_run


def register(shell: Any) -> None:
    """Makes the magics known."""

    def crosscut(line: str) -> Any:
        """`%crosscut run calls.tree`, `%crosscut frame`, `%crosscut x.crosscut`: shows it; what is shown is returned too."""
        what, *views = line.split()
        value = shell.user_ns.get(what)
        if value is None:
            value = open_run(what)
        if isinstance(value, Run):
            return value.view(*(views or value.views[:1]))
        return value

    def crosscut_selection(line: str) -> Any:
        """`frame = %crosscut_selection view`: what is selected in a view, as a frame."""
        view = shell.user_ns.get(line.strip())
        if view is None or not hasattr(view, "selection"):
            raise NameError(f"{line.strip() or 'nothing'} is no view: write %crosscut_selection VIEW")
        return view.selection

    shell.register_magic_function(crosscut, "line", "crosscut")
    shell.register_magic_function(crosscut_selection, "line", "crosscut_selection")
