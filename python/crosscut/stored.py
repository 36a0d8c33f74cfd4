"""A page that needs nothing else: the bundle and the answers that it has asked for so far, in one file."""

from __future__ import annotations

import json
import threading
from base64 import b64encode
from collections import OrderedDict
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any

from . import bundle
from .address import Address
from .look import look, table

if TYPE_CHECKING:
    from .widget import View

#: Answers are kept up to so many bytes; the oldest go first.
_MOST = 32 << 20
#: The strip at the foot of the page: its height, and what is beside it.
_STRIP, _BESIDE = 71, 160
#: Bars above and below a picture.
_AROUND = 230
#: So many things on the screen can be pointed at and selected in the file.
_POINTED = 400

_HTML = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>body {{ margin: 0 }}</style>
<body>
<script type="application/json" id="stored">{stored}</script>
<script type="module">
import {{ show }} from "data:text/javascript;base64,{bundle}";
show(document.body, JSON.parse(document.getElementById("stored").textContent));
</script>
</body>
</html>
"""


class Stored:
    """Answers by their questions."""

    def __init__(self) -> None:
        self._answers: OrderedDict[str, bytes] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def keep(self, question: str, message: bytes) -> None:
        """Keeps the answer of a question: not how far it is, not a draft of it, not that it was given up."""
        head = json.loads(message[4 : 4 + int.from_bytes(message[:4], "little")])
        if "progress" in head or "error" in head:
            return
        key = _key(json.loads(question))
        with self._lock:
            self._bytes += len(message) - len(self._answers.pop(key, b""))
            self._answers[key] = message
            while self._bytes > _MOST and len(self._answers) > 1:
                self._bytes -= len(self._answers.popitem(last=False)[1])

    def html(self, view: View) -> str:
        """The file: what the page asks for first, what can be pointed at, and all that was asked so far."""
        for question in questions(view):
            # What the page has asked itself was drawn for the size that it has.
            if _key(question) not in self._answers:
                text = json.dumps({"id": 1, **question})
                view._asker.answer(text, partial(self.keep, text))
        with self._lock:
            answers = {question: b64encode(answer).decode() for question, answer in self._answers.items()}
        stored = {"address": view.address, "width": view._width, "height": view.height, "answers": answers}
        module = b64encode(bundle.text()).decode()
        # Nothing in it may look like the end of the element.
        text = json.dumps(stored).replace("<", "\\u003c")
        return _HTML.format(title=escape(repr(view).strip("<>")), stored=text, bundle=module)


def _key(question: dict[str, Any]) -> str:
    """A question without its number and without the size of the picture."""
    asked = {name: value for name, value in question.items() if name != "id"}
    if "look" in asked:
        asked["look"] = {name: value for name, value in asked["look"].items() if name != "size"}
    return json.dumps(asked, sort_keys=True)


def questions(view: View) -> list[dict[str, Any]]:
    """What the page asks when it opens, and when one points at what it shows."""
    address = Address(view.address)
    run = view.run._about()
    asked: list[dict[str, Any]] = [{"ask": "hello"}]
    made = view._looks((view._width, max(100, view.height - _AROUND)))
    tables = [view.run.declared(each["view"]) for each in made]
    asked += [table(address, run, each) for each in tables if each["pane"] == "table"]
    made = [each for each in made if view.run.declared(each["view"])["pane"] != "table"]
    asked += [{"ask": "scene", "look": each} for each in made]
    if run.get("strip"):
        strip = next(each for each in run["views"] if each["name"] == run["strip"])
        asked.append({"ask": "scene", "look": look(Address(), strip, (view._width - _BESIDE, _STRIP))})
    declared = {name for each in made for name in view.run.declared(each["view"])["trees"] if "*" not in name}
    shown = view._table(address)
    main = "" if shown is None else shown["tree"]
    for name in sorted(declared | {main} - {""}):
        state = address.tree(name)
        lens = [] if state.lens is None else [_lens(*state.lens)]
        asked.append({"ask": "tree", "run": 0, "tree": name, "with": state.options, "lenses": lens})
    chosen = [] if address.selection is None else [address.selection.asked()]
    chosen += [{"run": 0, "tree": main, "nodes": str(node)} for node in view._shown()[:_POINTED]]
    for one in chosen:
        state = address.tree(one["tree"])
        through = {} if state.lens is None else {"lens": _lens(*state.lens)}
        scope = address.scope().asked()
        asked.append({"ask": "about", "selection": one, "with": state.options, **through, "scope": scope})
        asked += [{"ask": "light", "look": {**each, "selected": one}} for each in made]
    return asked


def _lens(name: str, value: float | None) -> dict[str, Any]:
    return {"name": name} if value is None else {"name": name, "value": value}
