"""The address of a page: everything that decides its pictures, as text. Both the page and a script read and write it."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import quote, unquote

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
        return _numbers(self.nodes)


class Address:
    """Fields by name, in the order in which they stand; what is not understood stays as it is."""

    def __init__(self, text: str = "") -> None:
        parts = [part.partition("=") for part in text.split("&") if part]
        self.fields = {key: value for key, _, value in parts}

    def __str__(self) -> str:
        fields = {"v": "1", **self.fields}
        return "&".join(f"{key}={value}" for key, value in fields.items()) if len(fields) > 1 else ""

    def show(self, view: str, run: int = 0) -> Address:
        """One pane with this view."""
        self.fields["p"] = f"{_written(view)}:{run}"
        return self

    def option(self, view: str, name: str, value: object) -> Address:
        """An option of a view."""
        self.fields[f"o.{_written(view)}.{_written(name)}"] = _written(str(value))
        return self

    @property
    def selection(self) -> Selection | None:
        """What is selected."""
        text = self.fields.get("s", "")
        run, _, rest = text.partition(":")
        tree, _, rest = rest.partition(":")
        if not run.isdigit() or not tree:
            return None
        rest, _, time = rest.partition("@")
        nodes, _, to = rest.partition(">")
        span = tuple(map(float, time.split("~"))) if time else None
        return Selection(int(run), unquote(tree), nodes, to or None, span)

    @selection.setter
    def selection(self, selected: Selection | None) -> None:
        if selected is None:
            self.fields.pop("s", None)
            return
        to = f">{selected.to}" if selected.to else ""
        time = f"@{selected.time[0]:g}~{selected.time[1]:g}" if selected.time else ""
        self.fields["s"] = f"{selected.run}:{quote(selected.tree, safe='/')}:{selected.nodes}{to}{time}"

    def tree(self, name: str, run: int = 0) -> TreeState:
        """How a tree is seen."""
        cut, *rest = self.fields.get(f"{run}/{_written(name)}", "").split(";")
        state = TreeState(unquote(cut))
        for part in rest:
            key, _, value = part.partition("=")
            if key == "lens":
                lens, _, at = value.partition("~")
                state.lens = (unquote(lens), float(at) if at else None)
            else:
                state.options[unquote(key)] = unquote(value)
        return state

    def set_tree(self, name: str, state: TreeState, run: int = 0) -> Address:
        """Sees a tree so."""
        parts = [_written(state.cut)]
        if state.lens:
            lens, value = state.lens
            parts.append(f"lens={_written(lens)}" + ("" if value is None else f"~{value:g}"))
        parts += [f"{_written(key)}={_written(value)}" for key, value in sorted(state.options.items())]
        key, text = f"{run}/{_written(name)}", ";".join(parts)
        if text:
            self.fields[key] = text
        else:
            self.fields.pop(key, None)
        return self


def _written(text: str) -> str:
    return quote(text, safe=PLAIN)


def _numbers(text: str) -> list[int]:
    """Numbers of ranges: "3,5-7" is 3, 5, 6, 7."""
    numbers: list[int] = []
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        numbers.extend(range(int(first), int(last or first) + 1))
    return numbers
