"""The address of a page: everything that decides its pictures, as text. Both the page and a script read and write it."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Iterable
from urllib.parse import quote, unquote

from ._crosscut import CrosscutError

#: What an address can hold as it is, though it is not a letter.
PLAIN = ",/:|()!*'~-._"


@dataclass
class TreeState:
    """How a tree is seen: what is open, through which lens, with which options."""

    cut: str = ""
    lens: tuple[str, float | None] | None = None
    options: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Selection:
    """Nodes of a tree, as ranges of their numbers: "12-15,20"."""

    run: int
    tree: str
    nodes: str
    to: str | None = None
    time: tuple[float, float] | None = None

    @property
    def numbers(self) -> list[int]:
        """The nodes one by one."""
        return numbers(self.nodes)

    @staticmethod
    def read(text: str) -> Selection | None:
        """One as it stands in an address; none where it is broken."""
        run, _, rest = text.partition(":")
        tree, _, rest = rest.partition(":")
        if not run.isdigit() or not tree:
            return None
        rest, _, time = rest.partition("@")
        nodes, _, to = rest.partition(">")
        return Selection(int(run), unquote(tree), nodes, to or None, span(time))

    def asked(self) -> dict[str, Any]:
        """As it is asked about."""
        made: dict[str, Any] = {"run": self.run, "tree": self.tree, "nodes": self.nodes}
        if self.to is not None:
            made["to"] = self.to
        if self.time is not None:
            made["time"] = list(self.time)
        return made

    def __str__(self) -> str:
        to = f">{self.to}" if self.to else ""
        time = f"@{spanned(self.time)}" if self.time else ""
        return f"{self.run}:{quote(self.tree, safe='/')}:{self.nodes}{to}{time}"


@dataclass(frozen=True)
class Scope:
    """Which data counts: places, a stretch of time, what is inside of a selection (whose tree has options)."""

    places: str = ""
    window: tuple[float, float] | None = None
    inside: Selection | None = None
    options: dict[str, str] = field(default_factory=dict)

    def asked(self) -> dict[str, Any]:
        """As it is asked about."""
        made: dict[str, Any] = {}
        if self.window is not None:
            made["time"] = list(self.window)
        if self.places:
            made["places"] = self.places
        if self.inside is not None:
            made["inside"] = self.inside.asked()
        return made

    def __str__(self) -> str:
        """The call that says the same; nothing where everything counts."""
        said = [f"places={self.places!r}"] if self.places else []
        if self.window is not None:
            said.append(f"window=({number(self.window[0])}, {number(self.window[1])})")
        if self.inside is not None:
            said.append(f"inside={str(self.inside)!r}")
            said += [f"inside_options={self.options!r}"] if self.options else []
        return f".over({', '.join(said)})" if said else ""


@dataclass(frozen=True)
class Note:
    """What somebody wrote about nodes of a tree."""

    tree: str
    nodes: str
    text: str


class Address:
    """Fields by name; what is not understood stays as it is. Written in the order of the page, which then has nothing to
    write anew."""

    def __init__(self, text: str = "") -> None:
        parts = [part.partition("=") for part in text.split("&") if part]
        self.fields = {key: value for key, _, value in parts}

    def __str__(self) -> str:
        fields = {"v": "1", **self.fields}
        ordered = sorted(fields.items(), key=lambda field: _rank(field[0]))
        return "&".join(f"{key}={value}" for key, value in ordered) if len(fields) > 1 else ""

    def put(self, key: str, value: object | None) -> Address:
        """Sets a field; nothing takes it away."""
        if value is None or value == "":
            self.fields.pop(key, None)
        else:
            self.fields[key] = str(value)
        return self

    def show(self, *views: str) -> Address:
        """A pane for each view, beside each other."""
        return self.put("p", ",".join(f"{written(view)}:0" for view in views))

    def option(self, view: str, name: str, value: object) -> Address:
        """An option of a view."""
        self.fields[f"o.{written(view)}.{written(name)}"] = written(str(value))
        return self

    def options(self, view: str) -> dict[str, str]:
        """The options of a view that are not as usual."""
        start = f"o.{written(view)}."
        own = {key.removeprefix(start): value for key, value in self.fields.items() if key.startswith(start)}
        return {unwritten(key): unwritten(value) for key, value in own.items()}

    def set_options(self, view: str, options: dict[str, str]) -> Address:
        """All options of a view that are not as usual."""
        for name in self.options(view):
            self.fields.pop(f"o.{written(view)}.{written(name)}")
        for name, value in options.items():
            self.option(view, name, value)
        return self

    @property
    def selection(self) -> Selection | None:
        """What is selected."""
        return Selection.read(self.fields.get("s", ""))

    @selection.setter
    def selection(self, selected: Selection | None) -> None:
        self.put("s", selected)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What somebody wrote about selections of this run."""
        found = []
        for key, value in self.fields.items():
            of, _, text = value.partition(";")
            selected = Selection.read(of) if _is_note(key) else None
            if selected is not None and text:
                found.append(Note(selected.tree, selected.nodes, unwritten(text)))
        return tuple(found)

    @notes.setter
    def notes(self, notes: Iterable[Note]) -> None:
        for key in [key for key in self.fields if _is_note(key)]:
            self.fields.pop(key)
        for number, note in enumerate(notes):
            self.fields[f"n{number}"] = f"{Selection(0, note.tree, note.nodes)};{written(note.text)}"

    @property
    def window(self) -> tuple[float, float] | None:
        """The stretch of time that counts; none for all of it."""
        return span(self.fields.get("w0", ""))

    @window.setter
    def window(self, window: tuple[float, float] | None) -> None:
        self.put("w0", None if window is None else spanned(window))

    @property
    def places(self) -> str:
        """The places that count, such as "0-31,64"; "" for all."""
        return self.fields.get("r0", "")

    @places.setter
    def places(self, places: str) -> None:
        self.put("r0", places)

    def scope(self, run: int = 0) -> Scope:
        """Which data of a run counts."""
        window, places = span(self.fields.get(f"w{run}", "")), self.fields.get(f"r{run}", "")
        inside = Selection.read(self.fields.get(f"i{run}", ""))
        return Scope(places, window, inside, self.tree(inside.tree, run).options if inside else {})

    @property
    def trees(self) -> list[str]:
        """The trees of which it says something."""
        return [unwritten(key[2:]) for key in self.fields if key.startswith("0/")]

    def tree(self, name: str, run: int = 0) -> TreeState:
        """How a tree is seen."""
        cut, *rest = self.fields.get(f"{run}/{written(name)}", "").split(";")
        state = TreeState(unwritten(cut))
        for part in rest:
            key, _, value = part.partition("=")
            if key == "lens":
                lens, _, at = value.partition("~")
                state.lens = (unwritten(lens), float(at) if at else None)
            else:
                state.options[unwritten(key)] = unwritten(value)
        return state

    def set_tree(self, name: str, state: TreeState) -> Address:
        """Sees a tree so."""
        parts = [written(state.cut)]
        if state.lens:
            lens, value = state.lens
            parts.append(f"lens={written(lens)}" + ("" if value is None else f"~{number(value)}"))
        parts += [f"{written(key)}={written(value)}" for key, value in sorted(state.options.items())]
        return self.put(f"0/{written(name)}", ";".join(parts))

    def shared(self) -> dict[str, str]:
        """What linked pages have in common: the selection, notes, what counts, how trees are seen."""
        return {key: value for key, value in self.fields.items() if _rank(key)[0] in (2, 3)}

    @property
    def parts(self) -> dict[str, str]:
        """What can be changed apart: fields, of trees the cut, the lens and each option, notes by what they are about."""
        parts: dict[str, str] = {}
        for key, value in self.fields.items():
            first, *rest = value.split(";")
            if _is_note(key):
                parts[_NOTE + first] = ";".join(rest)
            elif _is_tree(key):
                parts.update({key: first} if first else {})
                parts.update({f"{key};{name}": of for name, _, of in (part.partition("=") for part in rest)})
            elif key != "v":
                parts[key] = value
        return parts

    @parts.setter
    def parts(self, parts: dict[str, str]) -> None:
        self.fields = {}
        trees: dict[str, list[str]] = {}
        notes = 0
        for key, value in parts.items():
            field_name, _, name = key.partition(";")
            if key.startswith(_NOTE):
                self.fields[f"n{notes}"] = f"{key.removeprefix(_NOTE)};{value}"
                notes += 1
            elif _is_tree(field_name):
                tree = trees.setdefault(field_name, [""])
                if name:
                    tree.append(f"{name}={value}")
                else:
                    tree[0] = value
            else:
                self.fields[key] = value
        for key, (cut, *rest) in trees.items():
            # The lens stands first, as the page writes it.
            self.fields[key] = ";".join([cut, *sorted(rest, key=lambda part: (not part.startswith("lens="), part))])

    def change(self, change: dict[str, str | None]) -> Address:
        """Changes parts; those that are None go."""
        parts = self.parts
        for key, value in change.items():
            if value is None:
                parts.pop(key, None)
            else:
                parts[key] = value
        self.parts = parts
        return self

    def share(self, fields: dict[str, str]) -> Address:
        """Takes over what linked pages have in common."""
        for key in self.shared().keys() - fields.keys():
            self.fields.pop(key)
        self.fields.update(fields)
        return self


#: Fields of the whole page, before and after those of panes, runs and views.
_FIRST = ("v", "p", "g", "a", "full")
_LAST = ("link", "inspector", "theme")


#: A note among the parts is known by what it is about: its number depends on the others.
_NOTE = "n;"


def _is_note(key: str) -> bool:
    return key[:1] == "n" and key[1:].isdigit()


def _is_tree(key: str) -> bool:
    head, slash, _ = key.partition("/")
    return bool(slash) and head.isdigit()


def _rank(key: str) -> tuple[int, int, str]:
    """Where a field stands."""
    if key in _FIRST:
        return (0, _FIRST.index(key), "")
    if key in _LAST:
        return (5, _LAST.index(key), "")
    if key == "s":
        return (2, 0, "")
    if _is_note(key):
        return (2, int(key[1:]) + 1, "")
    if key.startswith("o."):
        return (4, 0, unquote(key))
    head, _, tree = key.partition("/")
    if _is_tree(key):
        return (3, int(head) * 4 + 3, unquote(tree))
    kind, run = key[:1], key[1:]
    if run.isdigit() and kind in ("c", "w", "r", "i"):
        return (1, int(run), "") if kind == "c" else (3, int(run) * 4 + "wri".index(kind), "")
    return (6, 0, "")


def written(text: str) -> str:
    """A text as an address holds it."""
    return quote(text, safe=PLAIN)


def unwritten(text: str) -> str:
    """A text that an address holds."""
    return unquote(text)


def number(value: float) -> str:
    """A number as the page writes it: exactly, and without a point where there is nothing behind it."""
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))


def span(text: str) -> tuple[float, float] | None:
    """A stretch of time; none where it is broken."""
    first, _, last = text.partition("~")
    try:
        return (float(first), float(last))
    except ValueError:
        return None


def checked(window: Any) -> tuple[float, float]:
    """A stretch of time that somebody gave."""
    try:
        first, last = (float(end) for end in window)
    except (TypeError, ValueError):
        raise CrosscutError(f"a window is from when to when, such as (0, 5e6), not {window!r}") from None
    if not (isfinite(first) and isfinite(last) and first <= last):
        raise CrosscutError(f"a window is from when to when, such as (0, 5e6), not {window!r}")
    return (first, last)


def spanned(time: tuple[float, float]) -> str:
    """A stretch of time as an address holds it."""
    return f"{number(time[0])}~{number(time[1])}"


def numbers(text: str) -> list[int]:
    """Numbers of ranges: "3,5-7" is 3, 5, 6, 7."""
    found: list[int] = []
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        if not first.isdecimal() or not (last or first).isdecimal():
            raise CrosscutError(f"{text!r} are no numbers: write ranges such as \"12-15,20\"")
        found.extend(range(int(first), int(last or first) + 1))
    return found


def ranges(nodes: Iterable[int]) -> str:
    """Numbers as ranges: 3, 5, 6, 7 is "3,5-7"."""
    joined: list[list[int]] = []
    for node in sorted({int(node) for node in nodes}):
        if joined and node == joined[-1][1] + 1:
            joined[-1][1] = node
        else:
            joined.append([node, node])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in joined)
