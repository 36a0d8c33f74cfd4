"""Views without a browser: traits and addresses follow each other, several are linked, pictures and pages are written."""

import json
import re
import sys
import threading
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell

import crosscut as cc
from crosscut import output
from crosscut.address import Address, written


@pytest.fixture(scope="module")
def profile(calls):
    return calls.run


@pytest.fixture
def grains(tasks):
    return tasks.tasks.grains()


def test_views_by_name_end_title_and_word(tasks, profile, messages):
    assert tasks.tasks.timeline().view == "tasks.timeline"
    assert tasks.tasks.graph().view == "tasks.grains", "a word of its title"
    assert profile.calls.flame().view == "calls.icicle", "its title"
    assert profile.view("scatter").view == "calls.scatter"
    assert messages.messages.gram().view == "messages.gram"
    for run, domain in ((tasks, tasks.tasks), (profile, profile.calls), (messages, messages.messages)):
        names = [view for view in run.views if view.startswith(f"{domain.name}.")]
        assert len(names) >= 5
        for name in names:
            end = name.partition(".")[2]
            assert getattr(domain, end)().view == name and end in dir(domain)
    with pytest.raises(AttributeError, match="there is no view 'sunset'; there are tasks.dag"):
        tasks.tasks.sunset()
    with pytest.raises(AttributeError, match="there is no view 'sunset'; there are calls.flow, .*calls.places"):
        profile.calls.sunset()
    with pytest.raises(cc.CrosscutError, match="there is no view 'sunset'; there are overview, .*tasks.dag"):
        tasks.view("sunset")
    with pytest.raises(TypeError, match="calls.tree has no option 'colour'; it has .*metric"):
        profile.calls.tree(colour="red")


def test_what_is_set_is_in_the_address_and_back(grains):
    heard = []
    grains.observe(lambda change: heard.append((change.name, change.new)), ["lens", "cut", "query", "places", "window"])
    grains.lens = ("sibling-scatter", 2)
    assert "0/grains=;lens=sibling-scatter~2" in grains.address
    assert grains.query == "run.tree('grains').lens('sibling-scatter', 2).frame()"
    assert len(eval(grains.query, {"run": grains.run})) == len(grains.run.grains.lens("sibling-scatter", 2).frame("node"))
    grains.cut, grains.places, grains.window = "0.1", "0-1", (5.0, 10.5)
    assert "0/grains=0.1;lens=" in grains.address and "w0=5~10.5" in grains.address and "r0=0-1" in grains.address
    grains.address = "v=1&p=tasks.grains:0"
    assert (grains.lens, grains.cut, grains.places, grains.window) == (None, "", "", None)
    assert [name for name, _ in heard].count("lens") == 2
    with pytest.raises(cc.CrosscutError, match="no lens 'rose'; it has .*sibling-scatter"):
        grains.lens = "rose"


def test_a_selection_is_a_frame_and_a_text(grains):
    heard = []
    grains.observe(lambda change: heard.append(change.new), "selection")
    assert grains.selection is None
    grains.select([5, 3, 4])
    assert [row["node"] for row in grains.selection.rows()] == [3, 4, 5]
    assert grains.query == "run.tree('grains').nodes('3-5')"
    again = eval(grains.query, {"run": grains.run})
    assert str(list(again.rows())) == str(list(grains.selection.rows()))
    grains.select(grains.run.grains.nodes([7]))
    assert grains.query == "run.tree('grains').nodes('7')"
    grains.address = grains.address.replace("s=0:grains:7", "s=0:grains:999999")
    assert grains.selection is None, "no such node any more"
    grains.select(None)
    assert [frame and len(frame) for frame in heard] == [3, 1, None]


def values(frame, *names):
    """Rows as text: a value that is not a number is not equal to itself."""
    return [str([row[name] for name in names or frame.columns]) for row in frame.rows()]


def again(view):
    """What the text that reproduces it gives."""
    return eval(view.query, {"run": view.run, "against": view.against})


def test_frames_are_of_what_the_picture_counts(profile):
    flame = profile.calls.flame()
    heard = []
    flame.observe(lambda change: heard.append(change.new), "selection")
    flame.select([1])
    everywhere = next(flame.selection.rows())["time"]
    flame.places = "2-3"
    assert len(heard) == 2, "the selection has other values now"
    some = next(flame.selection.rows())["time"]
    by_place = next(profile.calls.by_place(inclusive=True).rows(1, 1))
    in_picture = sum(value for name, value in by_place.items() if name.startswith(("rank 2", "rank 3")))
    assert some == pytest.approx(in_picture) and some < everywhere
    assert flame.query == "run.tree('calls').over(places='2-3').nodes('1')"
    assert values(again(flame)) == values(flame.selection)
    table = flame._ask({"ask": "table", "look": flame._looks((1200, 640))[0], "tree": "calls", "from": 0, "count": 1000})
    at = [column["name"] for column in table["columns"]].index("time")
    # A row for several siblings has what they take together.
    alone = [row for row in table["rows"] if "×" not in row["cells"][0]["text"]]
    shown = {row["selection"]["nodes"]: row["cells"][at]["value"] for row in alone}
    seen = {str(row["node"]): row["time"] for row in flame.visible.rows()}
    assert len(shown) > 5 and {node: seen[node] for node in shown} == pytest.approx(shown)


def test_a_window_of_time_counts_in_frames():
    busy = "import time\nwhile time.process_time() < 0.4: pass"
    run = cc.record([sys.executable, "-c", busy], "--calls", "--quiet")
    flame = run.calls.flame()
    flame.select([0])
    metric = run.calls.metrics[0]
    whole = next(flame.selection.rows())[metric]
    end, part = 1e12, whole
    while part == whole:
        end /= 2
        flame.window = (0, end)
        part = next(flame.selection.rows())[metric]
    assert 0 < part < whole
    assert ".over(window=(" in flame.query and values(again(flame)) == values(flame.selection)
    assert next(flame.visible.rows())[metric] == part


def test_everything_that_is_visible_has_a_row(tasks):
    # The first 4000 nodes are open, each the next one.
    opened = "0.0" + 4000 * ".1"
    view = tasks.view("table", address=f"v=1&p=table:0&o.table.tree=tasks&0/tasks={opened}")
    total = view._ask(view._table(Address(view.address)))["total"]
    assert total > 1000, "more than are given at once"
    assert len(view.visible) == total


def test_the_text_of_a_view_gives_what_it_shows(profile):
    tree = profile.calls.tree()
    by_hand(tree, {"o.calls.tree.k": "3"})
    assert tree.query == "run.calls.prune(k=3).kept"
    kept = again(tree)
    assert values(kept, "node") == values(tree.visible, "node") and len(kept) < len(profile.calls) / 2
    by_hand(tree, {"o.calls.tree.k": "1", "o.calls.tree.metric": "time%2C%20itself"})
    assert tree.query == "run.calls.prune(k=1, metric='time').kept"
    assert len(again(tree)) > len(kept)
    # Places are brushed: what stands out there.
    by_hand(tree, {"r0": "2-3", "o.calls.tree.k": "3"})
    assert tree.query == "run.calls.over('2-3').prune(k=3, metric='time').kept"
    assert values(again(tree), "node") == values(tree.visible, "node") != values(kept, "node")
    # What a query finds is listed.
    by_hand(tree, {"r0": None, "0/calls;query": '("*") -> (q) where q.depth %3D 3'.replace(" ", "%20")})
    assert ".nodes('0" in tree.query and values(again(tree), "node") == values(tree.visible, "node")


def test_the_text_of_a_flow_has_its_splits(profile):
    flow = profile.calls.flow()
    assert flow.tree_name == "super/module" and flow.query == "run.tree('super/module').frame()"
    before = again(flow)
    look = flow._looks((1200, 640))[0]
    # What the page does for E on a bar.
    for row in before.rows():
        call = {"name": "split", "on": {"run": 0, "tree": "super/module", "nodes": str(row["node"])}, "numbers": []}
        try:
            done = flow._ask({"ask": "scene", "look": look, "act": call})["look"]["trees"]["super/module"]["with"]
            break
        except cc.CrosscutError as error:
            assert "nothing to split" in str(error)
    by_hand(flow, {"0/super/module;split": written(done["split"])})
    assert flow.query == f"run.tree('super/module', split={done['split']!r}).frame()"
    assert len(again(flow)) > len(before)
    flow.options = {"map": "file"}
    assert flow.query == "run.tree('super/file').frame()"


def test_the_text_of_a_selection_in_another_run(profile):
    other = cc.synth("calls", size=3000, ranks=8, slow="5")
    flame = profile.calls.flame(against=other)
    by_hand(flame, {"s": "1:calls:2", "r1": "0"})
    assert flame.query == "against[0].tree('calls').over(places='0').nodes('2')"
    assert values(again(flame)) == values(flame.selection) == values(other.tree("calls").over("0").nodes([2]))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda view: setattr(view, "options", {"colour": "red"}), "calls.tree has no option 'colour'"),
        (lambda view: setattr(view, "options", {"k": "many"}), "k: 'many' is no number from 0.5 to 100000"),
        (lambda view: setattr(view, "options", {"each": "core"}), "each: 'core' is none of rank, place"),
        (lambda view: setattr(view, "places", "all"), "'all' are no numbers: write ranges"),
        (lambda view: setattr(view, "places", "0-8"), "there is no place 8: there are 8, from 0 on"),
        (lambda view: setattr(view, "window", 5), "a window is from when to when"),
        (lambda view: setattr(view, "window", (5, 1)), "a window is from when to when"),
        (lambda view: setattr(view, "window", ("a", "b")), "a window is from when to when"),
        (lambda view: view.select([10**6]), "there is no node 1000000 in calls: it has"),
        (lambda view: view.select("first"), "'first' are no numbers"),
        (lambda view: view.select([-1]), "nodes are numbers from 0 on, not -1"),
        (lambda view: view.select(["main"]), "nodes are numbers from 0 on, not 'main'"),
        (lambda view: view.select([1], tree="oaks"), "no tree `oaks`"),
        (lambda view: view.select(view.run.calls.flat()), "no column `node`, which says what to select; it has name"),
        (lambda view: view.run.calls.tree(k="many"), "k: 'many' is no number"),
    ],
)
def test_what_cannot_be_is_refused(profile, change, words):
    view = profile.calls.tree()
    before = view.address
    with pytest.raises((cc.CrosscutError, TypeError), match=re.escape(words)):
        change(view)
    assert view.address == before
    # What may be is taken.
    view.options, view.places, view.window = {"k": 3}, "0-7", [0, 5]
    assert (view.options, view.window) == ({"k": "3"}, (0.0, 5.0))


def test_notes(grains):
    heard = []
    grains.observe(lambda change: heard.append([note.text for note in change.new]), "notes")
    grains.annotate([3, 4], "too small; why?")
    assert grains.address.endswith("&n0=0:grains:3-4;too%20small%3B%20why%3F&inspector=0")
    grains.address = grains.address.replace("&inspector", "&n1=0:tasks:7;x&inspector")
    assert [(note.tree, note.nodes) for note in grains.notes] == [("grains", "3-4"), ("tasks", "7")]
    grains.annotate("3-4", "")
    assert heard == [["too small; why?"], ["too small; why?", "x"], ["x"]]


def by_hand(view, change, number=1):
    """What the page sends when somebody changes something in it."""
    view._asked(None, {"changed": change, "by": "page", "number": number}, [])


def test_a_hand_changes_only_what_it_touched(grains):
    grains.lens = "sibling-scatter"
    # The page did not know of the lens when this was done.
    by_hand(grains, {"0/grains": "0.1", "s": "0:grains:3"}, 7)
    assert grains.lens == ("sibling-scatter", None) and grains.cut == "0.1"
    assert grains.query == "run.tree('grains').nodes('3')"
    assert grains._heard == "page 7"
    by_hand(grains, {"s": None, "0/grains;lens": None}, 8)
    assert grains.lens is None and grains.cut == "0.1" and grains.selection is None


def test_who_hears_of_a_trait_may_set_another(grains):
    grains.observe(lambda _: setattr(grains, "places", "0-1"), "selection")
    grains.observe(lambda _: setattr(grains, "cut", "0.1"), "lens")
    by_hand(grains, {"s": "0:grains:3", "0/grains;lens": "sibling-scatter"})
    assert (grains.places, grains.cut, grains.selected.nodes) == ("0-1", "0.1", "3")
    assert "r0=0-1" in grains.address and "0/grains=0.1;lens=sibling-scatter" in grains.address


def test_cells_and_pages_at_the_same_time(tasks):
    first, second = tasks.tasks.grains(), tasks.tasks.timeline()
    first.link(second)
    times = 200

    def page(view, field):
        for number in range(1, times + 1):
            by_hand(view, {field: f"0~{number}" if field == "w0" else f"0:grains:{number}"}, number)

    hands = [threading.Thread(target=page, args=args) for args in ((first, "s"), (second, "w0"))]
    for hand in hands:
        hand.start()
    for number in range(times):
        first.places = f"0-{number % 4}"
        second.look("grains", cut=f"0.{number}")
    for hand in hands:
        hand.join()
    for view in (first, second):
        assert view.selected.nodes == str(times)
        assert (view.window, view.places, view.tree("grains").cut) == ((0.0, times), "0-3", f"0.{times - 1}")


def test_linked_views_share_what_they_can(tasks):
    first, second = tasks.tasks.grains(), tasks.tasks.timeline()
    first.link(second)
    first.select([2])
    second.window = (100.0, 200.0)
    assert second.selected == first.selected
    assert first.window == (100.0, 200.0)
    assert first.view == "tasks.grains" and "p=tasks.timeline" in second.address


def test_links_join_groups_of_one_run(tasks, profile):
    first, second, third, fourth = (tasks.tasks.grains() for _ in range(4))
    first.link(second)
    third.link(fourth)
    second.link(third)
    fourth.select([2])
    assert [view.selected and view.selected.nodes for view in (first, second, third)] == ["2", "2", "2"]
    with pytest.raises(cc.CrosscutError, match="different runs"):
        first.link(profile.calls.tree())
    third.close()
    first.select([3])
    assert fourth.selected.nodes == "3" and third.selected.nodes == "2"


class Kernel:
    """A notebook in which cells are run."""

    def __init__(self, monkeypatch):
        self.cell, self.number = None, 0
        monkeypatch.setattr(output, "_cell", lambda: self.cell)
        monkeypatch.setattr(output, "_execution", lambda: self.number)

    def run(self, cell, code):
        """What a cell shows."""
        self.cell, self.number = cell, self.number + 1
        return code()


def test_a_cell_that_makes_its_run_shows_what_was_left(monkeypatch):
    kernel = Kernel(monkeypatch)

    def cell():
        run = cc.synth("calls", size=1000, ranks=2)
        return [run.calls.flame(), run.calls.flame(metric="time"), run.calls.tree()]

    before = kernel.run("a", cell)
    before[0].select([3])
    before[1].select([5])
    after = kernel.run("a", cell)
    assert [view.selected and view.selected.nodes for view in after] == ["3", "5", None]
    assert [view._closed for view in (*before, *after)] == [True] * 3 + [False] * 3
    # Fewer are made now: the others are closed as well.
    (last,) = kernel.run("a", lambda: cell()[:1])
    assert last.selected.nodes == "3" and after[2]._closed
    # Another cell is another matter.
    assert kernel.run("b", cell)[0].selected is None and not last._closed


def test_links_outlive_a_cell_that_is_run_again(tasks, monkeypatch):
    kernel = Kernel(monkeypatch)
    first = kernel.run("a", tasks.tasks.grains)
    second = kernel.run("b", tasks.tasks.timeline)
    first.link(second)
    again = kernel.run("a", tasks.tasks.grains)
    second.select([4], tree="grains")
    assert again.selected.nodes == "4" and first._closed
    again.select([2])
    assert second.selected.nodes == "2"
    # Both in one cell, linked there each time.
    both = lambda: [tasks.tasks.grains(), tasks.tasks.timeline()]  # noqa: E731
    one, two = kernel.run("c", both)
    one.link(two).select([7])
    three, four = kernel.run("c", both)
    assert four.selected.nodes == "7"
    four.select([8], tree="grains")
    assert three.selected.nodes == "8" and one.selected.nodes == "7"


def test_a_name_is_found_in_every_cell(tasks, monkeypatch):
    kernel = Kernel(monkeypatch)
    kernel.run("a", lambda: tasks.tasks.grains(name="mine")).select([2])
    other = kernel.run("b", lambda: tasks.tasks.timeline(name="mine"))
    assert kernel.run("c", lambda: tasks.tasks.grains(name="mine")).selected.nodes == "2" and not other._closed


def test_a_bug_is_said_in_the_page(grains):
    class Panic(BaseException):
        """What Rust raises where it must not."""

    class Broken:
        def answer(self, *_):
            raise Panic("index out of bounds")

        def picture(self, *_):
            raise Panic("index out of bounds")

        def cancel(self):
            pass

    sent = []
    grains.send = lambda content, buffers=None: sent.append((content, buffers))
    grains._asker = grains._bench = Broken()
    grains._asked(None, {"question": json.dumps({"id": 7, "ask": "hello"})}, [])
    grains._asked(None, {"picture": 3, "look": "{}"}, [])
    grains._pool.shutdown(wait=True)
    words = "this question met a bug in crosscut; please report it with what you did"
    answer = next(buffers[0] for content, buffers in sent if content == {})
    assert json.loads(answer[4:]) == {"id": 7, "error": words}
    assert ({"picture": 3, "error": words}, None) in sent


def test_the_page_is_answered(grains):
    sent = []
    grains.send = lambda content, buffers=None: sent.append((content, buffers))
    grains._asked(None, {"question": json.dumps({"id": 7, "ask": "hello"})}, [])
    grains._asked(None, {"question": json.dumps({"id": 8, "ask": "overview", "run": 9})}, [])
    grains._asked(None, {"picture": 3, "format": "svg", "theme": "dark", "look": '{"view": "tasks.grains", "run": 0}'}, [])
    grains._asked(None, {"picture": 4, "look": '{"view": "overview", "run": 0}'}, [])
    grains._asked(None, {"here": True}, [])
    grains._asked(None, {"page": True}, [])
    grains._pool.shutdown(wait=True)
    heads = [json.loads(b[0][4 : 4 + int.from_bytes(b[0][:4], "little")]) for c, b in sent if c == {}]
    assert {head["id"]: sorted(head)[0] for head in heads} == {7: "id", 8: "error"}
    rest = {key: (value, buffers) for content, buffers in sent for key, value in content.items()}
    assert rest["here"] == (True, None)
    assert rest["page"][1][0][:2] == b"\x1f\x8b"
    assert "no picture" in rest["error"][0]
    assert [b[0][:4] for c, b in sent if c.get("picture") == 3] == [b"<svg"]


def test_pictures_and_a_page(grains, tmp_path):
    grains.lens = "sibling-scatter"
    grains.save_svg(tmp_path / "x.svg", width=600)
    grains.save_png(tmp_path / "x.png", dark=True)
    grains.save_html(tmp_path / "x.html")
    assert (tmp_path / "x.svg").read_text().startswith("<svg")
    assert (tmp_path / "x.png").read_bytes()[:4] == b"\x89PNG"
    html = (tmp_path / "x.html").read_text()
    assert "http://" not in html.partition('base64,')[0] and '"ask\\": \\"hello\\"' in html
    with pytest.raises(cc.CrosscutError, match="no picture"):
        grains.run.view("overview").picture()


def message(**head):
    """An answer as it is sent."""
    text = json.dumps(head).encode()
    return len(text).to_bytes(4, "little") + text


def test_a_file_has_answers_and_no_drafts(grains):
    question = json.dumps({"id": 1, "ask": "overview", "run": 0})
    for rest in ({"ok": "a draft", "progress": {"done": 0.5, "what": ""}}, {"error": "cancelled"}):
        grains._stored.keep(question, message(id=1, **rest))
        assert "overview" not in "".join(grains._stored._answers)
    grains._stored.keep(question, message(id=1, ok="whole"))
    grains._stored.keep(question, message(id=1, ok="a draft", progress={"done": 0.5, "what": ""}))
    assert [b"whole" in kept for kept in grains._stored._answers.values()] == [True]


@pytest.mark.parametrize("name", ["table", "lines", "overview"])
def test_every_kind_of_pane_is_a_file(tasks, tmp_path, name):
    view = tasks.view(name)
    view.save_html(tmp_path / "x.html")
    stored = json.loads(re.search(r'id="stored">(.*?)</script>', (tmp_path / "x.html").read_text()).group(1))
    asked = [json.loads(question) for question in stored["answers"]]
    if name != "overview":
        (rows,) = [question for question in asked if question["ask"] == "table"]
        assert rows["tree"] == "lines" and len(view.visible) > 0


def test_every_view_leaves_something_in_a_saved_notebook(tasks, profile, messages):
    for run in (tasks, profile, messages):
        for name in run.views:
            view = run.view(name)
            (kind, left), = view._output._picture().items()
            assert kind == ("image/png" if view.is_picture else "text/html"), name
            assert len(left) < 400_000 and (kind == "image/png" or "<t" in left or "<p>" in left), name
            view.close()
    words = tasks.view("overview")._output._picture()["text/html"]
    first = next(tasks.findings.rows())
    assert "<td>fib.c:5 fib</td><td>line</td>" in tasks.view("lines")._output._picture()["text/html"]
    assert f"<strong>1. {first['what'][:1].upper()}" in words and "data:image/png;base64," in words
    assert "<h" in tasks.view("overview", address="")._output._picture()["text/html"], "the first view without a name"


def test_runs_are_compared(profile):
    other = cc.synth("calls", size=3000, ranks=8, slow="5")
    flame = profile.calls.flame(against=other)
    assert "p=calls.icicle:0-1" in flame.address
    assert flame.picture() != profile.calls.flame().picture()


def test_the_examples_of_the_docs(tasks, profile, messages):
    text = (Path(__file__).parents[2] / "docs" / "notebook.md").read_text()
    (block,) = [block for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "run.view(" in block]
    for line in re.sub("#.*", "", block).replace(";", "\n").splitlines():
        run = tasks if "tasks" in line else messages if "messages" in line else profile
        exec(line.strip(), {"run": run, "other_run": profile})


def test_magics(tasks):
    shell = InteractiveShell()
    shell.run_line_magic("load_ext", "crosscut")
    shell.user_ns["run"] = tasks
    view = shell.run_line_magic("crosscut", "run grains")
    assert view.view == "tasks.grains"
    view.select([1])
    shell.user_ns["view"] = view
    assert len(shell.run_line_magic("crosscut_selection", "view")) == 1
    with pytest.raises(NameError, match="nothing is no view"):
        shell.run_line_magic("crosscut_selection", "")
