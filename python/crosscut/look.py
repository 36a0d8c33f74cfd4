"""From an address to the looks of its panes: everything that decides a picture, as the page asks for it."""

from __future__ import annotations

from typing import Any

from .address import Address, unwritten, written

#: Rows that a table asks for at once.
ROWS = 200


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
        "scope": address.scope().asked(),
        "size": {"w": size[0], "h": size[1]},
    }
    if against:
        made["against"] = "rest" if against == ["rest"] else {"runs": [int(run) for run in against]}
    if view["follows"] and address.selection is not None:
        made["selected"] = address.selection.asked()
    return made


def main_tree(view: dict[str, Any], options: dict[str, str]) -> str:
    """The tree that a view is about: the first one that it declares, or the one that its map makes."""
    trees: list[str] = view["trees"]
    merged = next((tree for tree in trees if tree.endswith("/*")), None)
    by = next((option for option in view["options"] if option["name"] == "map"), None)
    if merged is not None and by is not None:
        return f"{merged.removesuffix('*')}{options.get('map', by['usual'])}"
    return trees[0] if trees else ""


def table(address: Address, run: dict[str, Any], view: dict[str, Any]) -> dict[str, Any]:
    """What a table asks for first, as the page asks it."""
    options = address.options(view["name"])
    usual = {option["name"]: option["usual"] for option in view["options"]}
    listed = [each for each in run["views"] if not each["hidden"]]
    known = [each["trees"][0] for each in run["views"] if each["pane"] != "sheet" and each["trees"]]
    tree = options.get("tree") or next(iter(view["trees"] or known), run["trees"][0]["name"])
    # Rows are folded as in the view that draws the tree.
    own = [each for each in listed if each["trees"][:1] == [tree] and not each["slow"]]
    owner = next((each for pane in ("graph", "plots") for each in own if each["pane"] == pane), view)
    made = look(address, owner, (1200, 640))
    if owner is view and tree in address.trees:
        made["trees"] = {tree: _tree(address, tree)}
    sort = options.get("sort", usual.get("sort", ""))
    return {
        "ask": "table",
        "look": made,
        "tree": tree,
        "sort": sort,
        "descending": sort != "" and options.get("down") != "false",
        "filter": options.get("filter", ""),
        "flat": options.get("flat") == "true" and address.tree(tree).lens is not None,
        "from": 0,
        "count": ROWS,
    }


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
