"""From an address to the looks of its panes: everything that decides a picture, as the page asks for it."""

from __future__ import annotations

from typing import Any

from .address import Address, Selection, unwritten, written


def looks(address: Address, run: dict[str, Any], size: tuple[int, int]) -> list[dict[str, Any]]:
    """The look of each pane whose view the run has."""
    views = {view["name"]: view for view in run["views"]}
    made = []
    # An address that names no pane shows the first view.
    panes = address.fields.get("p") or f"{written(run['views'][0]['name'])}:0"
    for pane in panes.split(","):
        name, _, runs = pane.rpartition(":")
        if unwritten(name) in views:
            made.append(look(address, views[unwritten(name)], size, runs.split("-")[1:]))
    return made


def look(
    address: Address, view: dict[str, Any], size: tuple[int, int], against: list[str] | None = None
) -> dict[str, Any]:
    """The look of a view with what the address says of its trees, its options and what counts."""
    made: dict[str, Any] = {
        "v": 1,
        "view": view["name"],
        "run": 0,
        "trees": {key: _tree(address, key) for key in _keys(address, view)},
        "options": _options(address, view),
        "scope": scope(address),
        "size": {"w": size[0], "h": size[1]},
    }
    if against:
        made["against"] = "rest" if against == ["rest"] else {"runs": [int(run) for run in against]}
    if view["follows"] and address.selection is not None:
        made["selected"] = selected(address.selection)
    return made


def scope(address: Address) -> dict[str, Any]:
    """Which data counts."""
    made: dict[str, Any] = {}
    if address.window is not None:
        made["time"] = list(address.window)
    if address.places:
        made["places"] = address.places
    inside = Selection.read(address.fields.get("i0", ""))
    if inside is not None:
        made["inside"] = selected(inside)
    return made


def selected(selection: Selection) -> dict[str, Any]:
    """A selection as it is asked about."""
    made: dict[str, Any] = {"run": selection.run, "tree": selection.tree, "nodes": selection.nodes}
    if selection.to is not None:
        made["to"] = selection.to
    if selection.time is not None:
        made["time"] = list(selection.time)
    return made


def _keys(address: Address, view: dict[str, Any]) -> list[str]:
    """Trees of the view that the address knows; of "NAME/*" all of them."""
    known = sorted(address.trees)

    def of(tree: str) -> list[str]:
        if not tree.endswith("/*"):
            return [tree] if tree in known else []
        return [key for key in known if "/" in key and key.partition("/")[0] == tree.partition("/")[0]]

    return [key for tree in view["trees"] for key in of(tree)]


def _tree(address: Address, key: str) -> dict[str, Any]:
    state = address.tree(key)
    made: dict[str, Any] = {"with": state.options, "cut": state.cut}
    if state.lens:
        name, value = state.lens
        made["lens"] = {"name": name} if value is None else {"name": name, "value": value}
    return made


def _options(address: Address, view: dict[str, Any]) -> dict[str, str]:
    given = address.options(view["name"])
    return {option["name"]: given[option["name"]] for option in view["options"] if option["name"] in given}
