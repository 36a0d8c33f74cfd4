"""What a type checker must know of the package: read by mypy, never run. A wrong use that it would let pass is an error here, too,
as its remark would then be superfluous."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable

from typing_extensions import assert_type

import crosscut as cc
from crosscut.run import Calls
from crosscut.widget import View


def typed() -> None:
    """Never called."""
    run = cc.open(Path("x.crosscut"))
    assert_type(run, cc.Run)
    assert_type(cc.read("a.cali", "b.cali", to="x.crosscut"), cc.Run)
    assert_type(cc.record(["./solve", Path("input")], "--calls"), cc.Run)
    assert_type(cc.synth("fib", size=2000, workers=4), cc.Run)
    cc.open(3)  # type: ignore[arg-type]
    cc.record(["./solve", 3])  # type: ignore[list-item]
    run.sunset  # type: ignore[attr-defined]

    assert_type(run.tasks, cc.Domain)
    assert_type(run.calls, Calls)
    assert_type(run.findings, cc.Frame)
    assert_type(run.tasks.frame("start", "end"), cc.Frame)
    assert_type(run.tree("super/module", split="eos"), cc.Tree)
    assert_type(run.grains.lenses["low-parallel-benefit"].usual, float)
    assert_type(run.time, "tuple[float, float] | None")
    run.tasks.frame(3)  # type: ignore[arg-type]

    heavy = run.calls.filter('time > 1e6').prune(k=1.5).profile
    assert_type(heavy, cc.Profile)
    assert_type(run.calls.filter(lambda row: row["time"] > 3), cc.Profile)
    assert_type(heavy - run.calls, cc.Profile)
    assert_type(heavy / run.calls, cc.Frame)
    assert_type(heavy.graph("module").split("eos").nodes, cc.Frame)
    assert_type(cc.ensemble([run, heavy], ranks=[2, 4]).metadata, cc.Frame)
    assert_type(heavy.total(), int)
    heavy.prune("much")  # type: ignore[arg-type]
    heavy - 3  # type: ignore[operator]

    view = run.view("tasks.whatif", height=600)
    assert_type(view, View)
    assert_type(run.tasks.timeline, Callable[..., View])
    assert_type(run.calls.flame(against=run), View)
    assert_type(view.selection, "cc.Frame | None")
    assert_type(view.address, str)
    assert_type(view.link(view), View)
    view.select([1, 2])
    view.select(4)  # type: ignore[arg-type]

    rows: list[dict[str, Any]] = list(run.findings.rows())
