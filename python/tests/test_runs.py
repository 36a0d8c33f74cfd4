"""Runs are opened, asked and closed; what is wrong is said in a sentence."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import crosscut as cc
from crosscut import _crosscut


def test_what_is_inside(tasks, messages):
    assert tasks.domains == ["tasks"]
    assert messages.domains == ["messages"]
    assert tasks.info["tasks"]["workers"] == 4
    assert {"tasks", "grains", "places", "lines"} <= set(tasks.trees)
    assert "tasks.dag" in tasks.views
    assert [row["id"] for row in tasks.findings.rows()] == [found["id"] for found in tasks.report["findings"]]
    assert repr(tasks).startswith(f"<Run {tasks.path}: ")


def test_a_lens_leaves_what_it_chooses(tasks):
    grains = tasks.tree("grains")
    assert len(grains.lens("low-parallel-benefit").frame("node")) <= len(grains.frame("node"))
    assert "low-parallel-benefit" in grains.lenses
    assert [row["node"] for row in grains.nodes([2, 1], "node").rows()] == [2, 1]


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda run: run.frame("weather"), "no table `weather`; there are tasks, findings"),
        (lambda run: run.tasks.frame("colour"), "no column `colour`; there are parent"),
        (lambda run: run.tree("oaks").frame(), "no tree `oaks`; there are tasks"),
        (lambda run: run.messages, "has no messages: it has tasks"),
        (lambda run: run.tree("grains").nodes([10**9]), "no node 1000000000 in grains"),
        (lambda run: run.tree("grains").lens("rose").frame(), "rose"),
    ],
)
def test_what_is_not_there_is_said(tasks, ask, words):
    with pytest.raises(cc.CrosscutError, match=words):
        ask(tasks)


def test_files_that_are_no_runs(tmp_path):
    with pytest.raises(cc.CrosscutError, match="nowhere"):
        cc.open(tmp_path / "nowhere")
    with pytest.raises(TypeError):
        cc.open(12)
    empty = tmp_path / "empty.txt"
    empty.write_text("")
    with pytest.raises(cc.CrosscutError, match="empty.txt"):
        cc.read(empty)


def test_a_closed_run_says_so(tmp_path):
    run = cc.synth("fib", size=2000, workers=2, to=tmp_path / "x.crosscut")
    run.close()
    with pytest.raises(cc.CrosscutError, match="closed: open it again"):
        run.findings
    assert "closed" in repr(run)
    assert cc.open(tmp_path / "x.crosscut").domains == ["tasks"]


def test_foreign_files(tmp_path):
    file = tmp_path / "stacks.folded"
    file.write_text("main;work;inner 30\nmain;work 10\nmain;rest 60\n")
    run = cc.read(file)
    by_name = {row["name"]: row for row in run.calls.frame("name").rows() if row["name"]}
    assert set(by_name) == {"main", "work", "inner", "rest"}


def test_two_threads_use_one_run(tasks):
    failed = []

    def ask():
        try:
            for _ in range(20):
                assert len(tasks.tree("grains").frame("node", "name")) > 0
                assert len(tasks.findings) == len(tasks.report["findings"])
        except Exception as error:  # told in the thread that waits
            failed.append(error)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


def test_other_threads_run_during_long_calls(tasks):
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.monotonic())
            time.sleep(0)

    # So long that nobody is made to give way: another thread runs only where a call lets it.
    before = sys.getswitchinterval()
    ticker = threading.Thread(target=tick)
    ticker.start()
    sys.setswitchinterval(600)
    try:
        inside = False
        for _ in range(200):
            start = time.monotonic()
            tasks.bench.tree_frame(0, "grains", {})
            end = time.monotonic()
            inside = any(start < at < end for at in ticks)
            if inside:
                break
            time.sleep(0)
    finally:
        sys.setswitchinterval(before)
        stop.set()
        ticker.join()
    assert inside


def test_a_program_is_recorded(tmp_path, capfd):
    run = cc.record([sys.executable, "-c", "print('seen')"], "--calls", to=tmp_path / "x.crosscut")
    assert "seen" in capfd.readouterr().out
    assert run.domains == ["calls"]
    with pytest.raises(cc.CrosscutError, match="nothing was recorded of `nowhere`"):
        cc.record(["nowhere"])
    with pytest.raises(TypeError, match="list of words"):
        cc.record("ls -l")


MAKE = {
    "record": lambda **how: cc.record([sys.executable, "-c", "print('ran')"], "--calls", **how),
    "synth": lambda **how: cc.synth("calls", size=500, ranks=2, **how),
    "read": lambda **how: cc.read(how["to"].with_name("stacks.folded"), **how),
}


@pytest.mark.parametrize("make", MAKE.values(), ids=MAKE)
def test_what_is_there_already_stays(make, tmp_path, capfd):
    (tmp_path / "stacks.folded").write_text("main;work 10\n")
    to = tmp_path / "x.crosscut"
    old = cc.synth("fib", size=2000, workers=2, to=to)
    with pytest.raises(cc.CrosscutError, match="x.crosscut is there already: remove it, take another name, or pass replace=True"):
        make(to=to)
    assert "ran" not in capfd.readouterr().out, "nothing was started"
    assert cc.open(to).domains == ["tasks"]
    new = make(to=to, replace=True)
    assert new.domains == cc.open(to).domains == ["calls"]
    assert new.path == str(to)
    with pytest.raises(cc.CrosscutError, match="closed: open it again"):
        old.findings
    assert {path.name for path in tmp_path.iterdir()} == {"stacks.folded", "x.crosscut"}, "nothing is left beside it"


def test_only_a_whole_run_replaces_another(tmp_path):
    to = tmp_path / "x.crosscut"
    cc.synth("fib", size=2000, workers=2, to=to)
    with pytest.raises(cc.CrosscutError, match="nothing was recorded"):
        cc.record(["nowhere"], to=to, replace=True)
    assert cc.open(to).domains == ["tasks"]
    other = tmp_path / "papers"
    other.mkdir()
    with pytest.raises(cc.CrosscutError, match="papers is no run"):
        cc.synth("fib", size=2000, to=other, replace=True)
    assert {path.name for path in tmp_path.iterdir()} == {"papers", "x.crosscut"}


def test_a_bug_of_ours_is_an_error_like_others():
    with pytest.raises(cc.CrosscutError, match="a bug in crosscut; please report it"):
        _crosscut._panics()


# Cuts all columns of a run short, which are mapped.
CUT = """
import pathlib, sys
import crosscut as cc
run = cc.synth("fib", size=50_000, workers=4, to=sys.argv[1])
def cut():
    for file in pathlib.Path(run.path).rglob("*.arrow"):
        with file.open("r+b") as column:
            column.truncate(4096)
"""


def cut(words, path):
    """What becomes of a process that does this to a run."""
    command = [sys.executable, "-c", CUT + words, str(path / "cut.crosscut")]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_a_run_that_is_cut_is_an_error(tmp_path):
    done = cut(
        """
cut()
for ask in [lambda: run.report, lambda: run.info, lambda: cc.synth("fib", size=100)]:
    try:
        ask()
    except cc.CrosscutError as error:
        print(error)
run.close()
print(cc.synth("fib", size=100).domains)
""",
        tmp_path,
    )
    assert done.returncode == 0, done.stderr
    *said, other = done.stdout.splitlines()
    assert len(said) == 3, "the first question after the cut, and all until the run is closed"
    for line in said:
        assert "cut.crosscut" in line and ".arrow: cut short" in line and "close it, and open it again" in line
    assert other == "['tasks']"
    assert ".arrow: cut short" in done.stderr


def test_columns_that_are_cut_in_the_hands_of_others_are_named(tmp_path):
    done = cut(
        """
table = run.tasks.frame().to_arrow()
cut()
for column in table.columns:
    for part in column.chunks:
        [bytes(memoryview(buffer)) for buffer in part.buffers() if buffer]
print("all was read")
""",
        tmp_path,
    )
    # No library expects an error where it reads memory: it ends as ever, but not without a word.
    assert done.returncode == -signal.SIGBUS, done.stdout + done.stderr
    assert "cut.crosscut" in done.stderr and ".arrow: cut short" in done.stderr


def in_child(ask, answers):
    """What a child says to a question."""
    try:
        answers.put(ask())
    except cc.CrosscutError as error:
        answers.put(str(error))


@pytest.mark.parametrize("ask", ["tasks.report", "tasks.grains.frame()", "cc.synth('fib', size=100).info", "calls.flat()"])
def test_a_child_that_was_forked_says_so(tasks, calls, ask):
    def asked():
        return repr(eval(ask, {"cc": cc, "tasks": tasks, "calls": calls}))

    # Threads of the parent are not in the child: who waits for them waits forever.
    eval(ask, {"cc": cc, "tasks": tasks, "calls": calls})
    fork = multiprocessing.get_context("fork")
    answers = fork.Queue()
    child = fork.Process(target=in_child, args=(asked, answers), daemon=True)
    child.start()
    try:
        said = answers.get(timeout=60)
    finally:
        child.kill()
        child.join()
    assert said == 'forked after crosscut was used: take multiprocessing.get_context("spawn")'
    assert tasks.domains == ["tasks"], "the parent goes on"


def test_a_run_is_found_from_every_folder(tmp_path, monkeypatch):
    cc.synth("calls", size=500, ranks=2, to=tmp_path / "x.crosscut")
    monkeypatch.chdir(tmp_path)
    run, other = cc.open("x.crosscut"), cc.synth("calls", size=500, ranks=2, to="y.crosscut")
    monkeypatch.chdir("/")
    assert run.path == str(tmp_path / "x.crosscut") and other.path == str(tmp_path / "y.crosscut")
    assert len(run.calls.flat()) > 0
    assert len(run.calls.flame(against=other).picture()) > 0


def test_a_closed_run_has_no_call_paths(tmp_path):
    run = cc.synth("calls", size=500, ranks=2, to=tmp_path / "x.crosscut")
    calls = run.calls
    calls.flat()
    run.close()
    for ask in (calls.flat, calls.frame, calls.hot_path, run.tree("calls").frame, run.view):
        with pytest.raises(cc.CrosscutError, match="closed: open it again"):
            ask()


def test_wrong_words_are_said_by_the_program():
    with pytest.raises(cc.CrosscutError, match="weather"):
        cc.synth("fib", size=100, weather=3)
    with pytest.raises(TypeError):
        cc.synth(12)


def test_cuts_are_values(tasks):
    tree = tasks.tree("tasks")
    cut = tree.cut
    assert isinstance(cut, str) and 0 in cut and cut.nodes[0] == 0
    assert cc.Cut.of(cut.nodes) == cut, "as the program writes it"
    assert cc.Cut.of([]) == "0" and repr(cc.Cut("0")) == "<Cut: nothing is open>"
    wide = cc.Cut("0.0.5~5-100-20!0.a")
    assert wide.nodes == [0, 5] and wide.opened(1_000_000).closed(0) == "0.5.lfln~5-100-20!0.a"
    assert repr(cc.Cut("")) == "<Cut: as the tree opens>" and repr(cc.Cut("0.3")) == "<Cut: node 3 is open>"
    assert repr(cc.Cut.of(range(10))) == "<Cut: nodes 0, 1, 2, 3, 4, 5, 6, 7 and 2 more are open>"
    assert "<code>0.3</code>" in cc.Cut("0.3")._repr_html_()
    for wrong in ("x", "1.2", "0..", "0.!!"):
        with pytest.raises(cc.CrosscutError, match="is no cut"):
            cc.Cut(wrong).nodes
    with pytest.raises(cc.CrosscutError, match="nodes are numbers"):
        cut.opened(-1)


def test_runs_look_good(tasks):
    html = tasks._repr_html_()
    assert tasks.path in html and "<table>" in html
    assert ">node</th>" in tasks.grains._repr_html_()
    assert tasks.grains._repr_html_() == tasks.grains.frame()._repr_html_(), "though only ten rows are made"
    metric = tasks.grains.metrics["work"]
    for shown in (metric._repr_html_(), tasks.grains.metrics._repr_html_()):
        assert f">{metric.title}</td>" in shown and ">unit</th>" in shown
    assert tasks.grains.lenses._repr_html_().count("<tr>") == len(tasks.grains.lenses) + 1
    lens = tasks.grains.lenses["low-parallelism"]
    assert f">{lens.title}</td>" in lens._repr_html_()
    assert tasks.problems.columns[0] == "problem"
    assert set(tasks.grains.metrics) <= set(tasks.grains.frame().columns)
    with pytest.raises(cc.CrosscutError, match="has no phases: it has tasks"):
        tasks.phases
