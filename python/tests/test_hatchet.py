"""A graph frame of Hatchet becomes a run, and a profile a graph frame, without losing anything."""

import hatchet
import pytest

import crosscut as cc

LITERAL = [
    {
        "frame": {"name": "main", "type": "function"},
        "metrics": {"time": 1.5, "time (inc)": 10.0},
        "children": [
            {"frame": {"name": "solve", "type": "function"}, "metrics": {"time": 6.25, "time (inc)": 6.25}},
            {
                "frame": {"name": "read", "type": "function"},
                "metrics": {"time": 2.0, "time (inc)": 2.25},
                "children": [{"frame": {"name": "open", "type": "function"}, "metrics": {"time": 0.25, "time (inc)": 0.25}}],
            },
        ],
    }
]


def values(graph_frame, metric):
    """By path of names: the value."""
    out = {}
    for node, value in graph_frame.dataframe[metric].items():
        place = ()
        if isinstance(node, tuple):
            node, *place = node
        path = tuple(frame.frame.get("name") for frame in node.path())
        out[path, tuple(place)] = value
    return out


def test_there_and_back():
    before = hatchet.GraphFrame.from_literal(LITERAL)
    run = cc.from_hatchet(before)
    assert run.domains == ["calls"]
    assert run.calls.metrics == ["time"]
    after = run.calls.to_hatchet()
    for metric in ("time", "time (inc)"):
        assert values(after, metric) == pytest.approx(values(before, metric))
    # Hatchet works with it.
    assert len(after.filter(lambda row: row["time"] > 1.9).dataframe) == 2
    again = cc.from_hatchet(after)
    assert again.calls.total() == run.calls.total()


def test_ranks_are_kept(calls):
    after = calls.to_hatchet()
    assert after.dataframe.index.names == ["node", "rank"]
    assert after.dataframe["time"].sum() == calls.total()
    again = cc.from_hatchet(after).calls
    assert again.place_names == calls.place_names
    assert again.total() == calls.total() * 10**6, "in millionths: Hatchet names no units"


def test_only_graph_frames():
    with pytest.raises(TypeError, match="takes a GraphFrame of Hatchet, not list"):
        cc.from_hatchet(LITERAL)
