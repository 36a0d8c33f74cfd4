"""To and from Hatchet: a graph frame becomes a run, a profile becomes a graph frame."""

from __future__ import annotations

import json
import re
import tempfile
import warnings
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .frame import _library

if TYPE_CHECKING:
    from .calls import Profile
    from .run import Run

_PLACE = re.compile(r"rank (\d+)(?:, thread (\d+))?$")


def from_hatchet(graph_frame: Any, to: str | PathLike[str] | None = None) -> Run:
    """A run with the call profile of a GraphFrame: all its nodes, numeric metrics, ranks and threads.

    Hatchet names no units: values are kept to a millionth.
    """
    if not hasattr(graph_frame, "graph") or not hasattr(graph_frame, "dataframe"):
        raise TypeError(f"this takes a GraphFrame of Hatchet, not {type(graph_frame).__name__}")
    from .make import read

    nodes = list(graph_frame.graph.traverse())
    numbers = {id(node): number for number, node in enumerate(nodes)}
    graph = [
        {str(numbers[id(node)]): {"data": _plain(node.frame.attrs), "children": [numbers[id(below)] for below in node.children]}}
        for node in nodes
    ]
    table = graph_frame.dataframe.reset_index()
    values = [column for column in table.columns if column != "node" and table[column].dtype.kind in "biuf"]
    rows = [
        {"node": numbers[id(node)], **{name: value for name, value in zip(values, row) if value == value}}
        for node, row in zip(table["node"], table[values].astype(object).itertuples(index=False))
    ]
    whole = {
        "graph": graph,
        "dataframe": [{key: _number(value) for key, value in row.items()} for row in rows],
        "inclusive_metrics": [name for name in graph_frame.inc_metrics if name in values],
        "exclusive_metrics": [name for name in graph_frame.exc_metrics if name in values],
    }
    with tempfile.TemporaryDirectory(prefix="crosscut-") as folder:
        file = Path(folder, "graph_frame.json")
        file.write_text(json.dumps(whole))
        with warnings.catch_warnings():
            # That no units are named is said above.
            warnings.simplefilter("ignore")
            return read(file, to=to, format="hatchet")


def to_hatchet(profile: Profile) -> Any:
    """A GraphFrame: call paths below the program, with a row for each place where there are several."""
    hatchet, pandas = _library("hatchet", "llnl-hatchet"), _library("pandas")
    from hatchet.frame import Frame as HatchetFrame
    from hatchet.graph import Graph
    from hatchet.node import Node

    rows = list(profile.paths("parent", "name", "module", "file", "line", "kind").rows())
    nodes: list[Any] = [None] * len(rows)
    own = {metric: _own(profile, metric) for metric in profile.metrics}
    # The program itself is a node only where something was spent in it.
    has_root = any(values[0] for columns in own.values() for values in columns)
    roots = []
    for number, row in enumerate(rows):
        if number == 0 and not has_root:
            continue
        above = None if number == 0 else nodes[row["parent"]]
        attrs = {"name": row["name"] or "program", "type": row["kind"] or "function"}
        attrs.update({key: row[key] for key in ("module", "file", "line") if row[key]})
        nodes[number] = Node(HatchetFrame(attrs), above)
        if above is None:
            roots.append(nodes[number])
        else:
            above.add_child(nodes[number])
    graph = Graph(roots)
    graph.enumerate_traverse()
    kept = [number for number, node in enumerate(nodes) if node is not None]
    places = [_place(title, at) for at, title in enumerate(profile.place_names)]
    several = len(places) > 1
    frames = []
    for at, (rank, thread) in enumerate(places):
        columns: dict[str, Any] = {"node": [nodes[number] for number in kept]}
        if several:
            columns["rank"] = rank
            if any(thread for _, thread in places):
                columns["thread"] = thread
        columns["name"] = [rows[number]["name"] or "program" for number in kept]
        for metric in profile.metrics:
            one = 1e6 if profile._of.unit(metric) == "micro" else 1
            values = own[metric][at]
            sums = profile.subtree_sums(values)
            columns[metric] = [values[number] / one for number in kept]
            columns[f"{metric} (inc)"] = [sums[number] / one for number in kept]
        frames.append(pandas.DataFrame(columns))
    index = ["node", *(key for key in ("rank", "thread") if key in frames[0])]
    table = pandas.concat(frames).set_index(index)
    return hatchet.GraphFrame(
        graph, table, list(profile.metrics), [f"{metric} (inc)" for metric in profile.metrics],
        default_metric=profile.metrics[0] if profile.metrics else "time",
    )


def _own(profile: Profile, metric: str) -> list[list[int]]:
    """By place and node: itself."""
    wide = profile.by_place(metric).to_arrow()
    return [[value or 0 for value in wide.column(at + 1).to_pylist()] for at in range(len(profile.place_names))]


def _place(title: str, at: int) -> tuple[int, int]:
    found = _PLACE.match(title)
    return (int(found[1]), int(found[2] or 0)) if found else (at, 0)


def _plain(attrs: dict[str, Any]) -> dict[str, Any]:
    return {key: _number(value) for key, value in attrs.items()}


def _number(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value
