"""Sheets of words and tables as plain HTML: what a saved notebook shows of them without a kernel."""

from __future__ import annotations

import json
from base64 import b64encode
from html import escape
from typing import TYPE_CHECKING, Any

from ._crosscut import CrosscutError

if TYPE_CHECKING:
    from .widget import View

#: Rows that are kept of a table; how many there are is said.
_ROWS = 40
#: Pictures that are kept of a sheet: a saved notebook should stay small.
_PICTURES = 6


def html(view: View, width: int) -> str:
    """What the first pane shows, where that is a sheet or a table."""
    look = view._looks((width, view.height))[0]
    declared = view.run.declared(look["view"])
    if declared["pane"] == "table":
        tree = look["options"].get("tree") or next(iter(declared["trees"]), view.run.trees[0])
        return _table(view._ask({"ask": "table", "look": look, "tree": tree, "from": 0, "count": _ROWS}))
    sheet = view._ask({"ask": "scene", "look": look})["shown"]["sheet"]
    pictures = _Pictures(view, width)
    title = f"<h2>{escape(sheet['title'])}</h2>" if sheet["title"] else ""
    return title + "".join(_block(block, pictures) for block in sheet["blocks"])


class _Pictures:
    """Draws pictures of a sheet, as many as are kept."""

    def __init__(self, view: View, width: int) -> None:
        self._view = view
        self._width = width
        self._left = _PICTURES

    def draw(self, look: dict[str, Any], height: int) -> str:
        """A picture as an element; nothing where there is none or where there are too many."""
        if self._left == 0:
            return ""
        self._left -= 1
        sized = {**look, "size": {"w": min(self._width, 640), "h": height}}
        try:
            picture = self._view._bench.picture(json.dumps(sized), "png", False, 1.0)
        except CrosscutError:
            return ""
        return f'<p><img alt="" src="data:image/png;base64,{b64encode(picture).decode()}"></p>'


def _block(block: dict[str, Any], pictures: _Pictures) -> str:
    """One part of a sheet."""
    kind = block["is"]
    if kind == "head":
        return f"<h3>{escape(block['text'])}</h3>"
    if kind == "text":
        words = escape(block["text"])
        return f"<p><strong>{words}</strong></p>" if block["tone"] in ("headline", "warning") else f"<p>{words}</p>"
    if kind == "facts":
        rows = "".join(f"<tr><th>{escape(fact['name'])}</th>{_cell(fact['value'])}</tr>" for fact in block["rows"])
        return f"<table><tbody>{rows}</tbody></table>"
    if kind == "finding":
        return _finding(block, pictures)
    if kind == "table":
        return _table(block["table"])
    if kind == "show":
        drawn = "" if block["slow"] else pictures.draw(block["look"], block["height"])
        return f"<p>{escape(block['title'])}</p>{drawn}" if drawn else ""
    lines = "\n".join(f"{block['first'] + at:>5}  {line}" for at, line in enumerate(block["lines"]))
    return f"<p>{escape(block['file'])}</p><pre>{escape(lines)}</pre>"


def _finding(finding: dict[str, Any], pictures: _Pictures) -> str:
    line = f" <code>{escape(_text(finding['line']))}</code>" if finding["line"] else ""
    parts = [
        f"<p><strong>{finding['number']}. {escape(_sentence(finding['what']))}</strong>{line}"
        f" {escape(_text(finding['cost']))} lost</p>",
        f"<p>{escape(finding['evidence'])}</p>" if finding["evidence"] else "",
        f"<p>→ {escape(_sentence(finding['advice']))}</p>" if finding["advice"] else "",
    ]
    return "".join(parts) + (pictures.draw(finding["picture"], 96) if finding["picture"] else "")


def _table(table: dict[str, Any]) -> str:
    head = "".join(f"<th>{escape(column['title'])}</th>" for column in table["columns"])
    rows = table["rows"][:_ROWS]
    body = "".join("<tr>" + "".join(map(_cell, row["cells"])) + "</tr>" for row in rows)
    more = "at least " if table["more"] else ""
    rest = f"<p>{len(rows)} of {more}{table['total']:,} rows</p>" if len(rows) < table["total"] else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"


def _cell(cell: dict[str, Any]) -> str:
    return f"<td>{escape(_text(cell))}</td>"


def _text(cell: dict[str, Any]) -> str:
    """What a cell says."""
    if cell["is"] == "shares":
        return ", ".join(f"{part['name']} {part['text']}" for part in cell["parts"])
    return str(cell.get("text", ""))


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
