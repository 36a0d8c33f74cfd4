"""Tables reach other libraries, without a copy where they can do that."""

import re
from pathlib import Path

import duckdb
import pyarrow
import pytest

import crosscut as cc


def address(column) -> int:
    """Where the values of a column are."""
    values = column.chunk(0) if isinstance(column, pyarrow.ChunkedArray) else column
    return values.buffers()[1].address


def test_columns_are_those_of_the_tree(tasks):
    frame = tasks.tasks.frame()
    assert frame.columns == ["parent", "len", "kind", "place", "start", "end", "span", "line"]
    assert len(frame) == len(tasks.tree("tasks").frame("node"))
    assert "pre-order" in frame.about
    assert repr(frame).startswith(f"<Frame: {len(frame):,} rows of parent, len")


def mapped(address: int) -> str:
    """The file that is mapped there."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        span, *_, name = line.split(maxsplit=5)
        first, last = (int(end, 16) for end in span.split("-"))
        if first <= address < last:
            return name
    return ""


def test_ten_million_rows_go_without_a_copy():
    run = cc.synth("fib", size=10_000_000, workers=8)
    frame = run.tasks.frame("start", "end", "place")
    assert len(frame) > 9_000_000
    arrow = pyarrow.table(frame)
    there = {name: address(arrow[name]) for name in arrow.column_names}
    for name in arrow.column_names:
        assert mapped(there[name]).startswith(run.path), "values lie in the file of the run"
    in_polars = frame.to_polars()
    assert {name: address(in_polars[name].to_arrow()) for name in there} == there
    in_pandas = frame.to_pandas()
    for name in ("start", "end"):
        values = in_pandas[name].to_numpy()
        assert values.__array_interface__["data"][0] == there[name]
        assert not values.flags.writeable, "over the mapped file, which nobody may change"
    count = duckdb.sql("select count(*), max(\"end\") from frame").fetchall()
    assert count == [(len(frame), in_polars["end"].max())]


TABLES = {
    "tasks": ["tasks", "findings"],
    "messages": ["messages", "mpi", "findings"],
    "calls": ["calls", "calls_by_place", "findings"],
}


@pytest.mark.parametrize("domain", TABLES)
def test_every_table_is_whole_for_every_library(domain, request):
    run = request.getfixturevalue(domain)
    run = getattr(run, "run", run)
    frames = {name: run.frame(name) for name in run.frames}
    assert list(frames) == TABLES[domain]
    whole = [tree["name"] for tree in run._about()["trees"] if not tree["parameter"]]
    frames |= {name: run.tree(name).frame() for name in whole}
    if domain == "tasks":
        frames["problems"] = run.problems
    if domain == "messages":
        frames["phases"] = run.phases
    for name, frame in frames.items():
        arrow = frame.to_arrow()
        arrow.validate(full=True)
        assert arrow.num_rows == len(frame) and arrow.column_names == frame.columns, name
        assert frame.to_polars().shape == frame.to_pandas().shape == arrow.shape, name
        # A part of it is the same part of every column, with what is missing.
        part = frame.slice(3, 7).to_arrow()
        part.validate(full=True)
        # As text: a value that is not a number is not equal to itself.
        assert str(part.to_pylist()) == str(arrow.to_pylist()[3:10]), name


def test_a_stream_is_taken_or_let_go(tasks):
    # Nobody takes these: they are freed with the capsule.
    for _ in range(100):
        tasks.tasks.frame().__arrow_c_stream__()
        tasks.tasks.frame().__arrow_c_schema__()
    schema = pyarrow.schema(tasks.tasks.frame())
    assert schema.names == tasks.tasks.frame().columns


def test_a_frame_outlives_its_run():
    run = cc.synth("fib", size=2000, workers=2)
    frame = run.tasks.frame("end")
    longest = max(row["end"] for row in frame.rows())
    run.close()
    del run
    assert max(row["end"] for row in frame.rows()) == longest


def test_duckdb_reads_a_frame(messages):
    sent = messages.messages.frame("source", "bytes")
    rows = duckdb.sql("select source, sum(bytes) from sent group by source order by source").fetchall()
    assert [row[0] for row in rows] == list(range(16))
    assert sum(row[1] for row in rows) == sum(row["bytes"] for row in messages.messages.frame("bytes").rows())


def test_html_shows_both_ends(tasks):
    html = tasks.tasks.frame("start", "kind")._repr_html_()
    assert html.count("<tr>") == 12, "a head, five rows, dots, five rows"
    assert f"{len(tasks.tasks.frame('start')):,} rows" in html


def test_a_frame_as_html():
    rows = [{"name": "a<b", "time": 2.0, "share": 1 / 3, "ranks": [0, 3]}, {"name": None, "time": float("nan"), "share": 0.5, "ranks": []}]
    shown = cc.Frame.of_rows(rows, "Two of them.")._repr_html_()
    assert re.findall(r"<td[^>]*>(.*?)</td>", shown) == ["a&lt;b", "2", "0.33333", "0, 3", "", "", "0.5", ""]
    assert re.findall(r'<th style="text-align:(\w+)">', shown) == ["left", "right", "right", "left"]
    assert shown.endswith("<p>Two of them. 2 rows.</p>")
    many = cc.Frame.of({"n": list(range(100))})._repr_html_()
    assert [cell for cell in re.findall(r"<td[^>]*>(.*?)</td>", many)] == [*"01234", "⋮", "95", "96", "97", "98", "99"]
    assert "100 rows." in many
