"""Views without a browser: traits and addresses follow each other, several are linked, pictures and pages are written."""

import json
import re
import threading
from pathlib import Path

import pytest

import crosscut as cc

pytest.importorskip("anywidget")


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
    pytest.importorskip("IPython")
    from IPython.core.interactiveshell import InteractiveShell

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
