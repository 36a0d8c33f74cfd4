"""The examples in docs/notebook.md run."""

import re
from pathlib import Path

import crosscut as cc

DOC = Path(__file__).parents[2] / "docs" / "notebook.md"


def blocks(word: str) -> list[str]:
    """Python blocks with a word in them."""
    found = re.findall(r"```python\n(.*?)```", DOC.read_text(), re.DOTALL)
    chosen = [block for block in found if word in block]
    assert chosen, f"no example has {word}"
    return chosen


def test_duckdb(messages):
    for block in blocks("duckdb.sql"):
        names = {"cc": cc, "run": messages}
        exec(block.replace("duckdb.sql(", "answer = duckdb.sql("), names)
        assert len(names["answer"].fetchall()) > 0


def test_call_paths(calls):
    runs = [cc.synth("calls", size=1000, ranks=ranks) for ranks in (2, 4, 8)]
    for block in blocks("prune("):
        names = {"cc": cc, "run": calls.run, "before": runs[0], "runs": runs}
        exec(block, names)
        assert len(names["heavy"]) > 1
