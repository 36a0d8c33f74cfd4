"""Tables of a run. A frame is Arrow columns: nothing is copied until somebody asks for it in another form."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from ._crosscut import Table

#: Rows that a notebook shows of a frame: the first and the last ones.
SHOWN = 10


class Frame:
    """Columns of equal length, with what a row of them is.

    Every library that knows Arrow's capsule interface takes it as it is:

        >>> import crosscut as cc
        >>> frame = cc.synth("fib", size=2000, workers=4).tasks.frame("start", "end")
        >>> frame.columns
        ['start', 'end']
        >>> len(frame) > 1000
        True
    """

    def __init__(self, table: Table | _Columns, about: str = "") -> None:
        self._table = table
        #: What a row is, in a sentence.
        self.about = about

    @classmethod
    def of(cls, columns: Any, about: str = "") -> Frame:
        """A frame of columns by name, or of what any library has as Arrow.

        >>> import crosscut as cc
        >>> cc.Frame.of({"rank": [0, 1], "time": [3.5, 4.0]})
        <Frame: 2 rows of rank, time>
        """
        return cls(_Columns(_library("pyarrow").table(columns)), about)

    @classmethod
    def of_rows(cls, rows: list[dict[str, Any]], about: str = "") -> Frame:
        """A frame of rows, each with its values by name."""
        return cls(_Columns(_library("pyarrow").Table.from_pylist(rows)), about)

    @property
    def columns(self) -> list[str]:
        """Names of the columns, in order."""
        return [name for name, _ in self._table.columns]

    @property
    def types(self) -> dict[str, str]:
        """Arrow types by column."""
        return dict(self._table.columns)

    def __len__(self) -> int:
        return len(self._table)

    def head(self, rows: int = 5) -> Frame:
        """The first rows."""
        return Frame(self._table.slice(0, rows), self.about)

    def slice(self, first: int, rows: int) -> Frame:
        """Rows from one on."""
        return Frame(self._table.slice(first, rows), self.about)

    def take(self, rows: Iterable[int]) -> Frame:
        """Some rows, by their numbers."""
        return Frame.of(self.to_arrow().take(list(rows)), self.about)

    def __arrow_c_schema__(self) -> Any:
        return self._table.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)

    def to_arrow(self) -> pyarrow.Table:
        """As a table of pyarrow, over the same memory."""
        return _library("pyarrow").table(self)

    def to_pandas(self) -> pandas.DataFrame:
        """As a data frame of pandas, over the same memory where pandas can do that."""
        _library("pandas")
        frame: pandas.DataFrame = self.to_arrow().to_pandas(split_blocks=True)
        return frame

    def to_polars(self) -> polars.DataFrame:
        """As a data frame of Polars, over the same memory."""
        frame: polars.DataFrame = _library("polars").from_arrow(self.to_arrow())
        return frame

    def rows(self, first: int = 0, count: int | None = None) -> Iterator[dict[str, Any]]:
        """Rows as dictionaries, for loops over few of them."""
        part = self.slice(first, len(self) if count is None else count)
        return iter(part.to_arrow().to_pylist())

    def __repr__(self) -> str:
        return f"<Frame: {len(self):,} rows of {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        return Frame.html_of(len(self), lambda rows: self.take(rows), self.about)

    @staticmethod
    def html_of(count: int, take: Callable[[list[int]], Frame], about: str) -> str:
        """The first and the last of so many rows, which are taken by their numbers."""
        half = SHOWN // 2
        shown = list(range(count)) if count <= SHOWN else [*range(half), *range(count - half, count)]
        taken = take(shown)
        rows = list(taken.rows())
        first, last = (rows, []) if count <= SHOWN else (rows[:half], rows[half:])
        said = f"{count:,} {'row' if count == 1 else 'rows'}."
        return html_of_rows(first, last, taken.columns) + f"<p>{escape(about)} {said}</p>"


def html_of_rows(first: list[dict[str, Any]], last: list[dict[str, Any]] = [], columns: list[str] | None = None) -> str:
    """A table of rows, with a gap before the last ones."""
    rows = [*first, *last]
    # Numbers end, words begin where those of other rows do.
    sides = {
        name: "right" if any(isinstance(row[name], (int, float)) for row in rows) else "left"
        for name in columns or list(dict.fromkeys(name for row in rows for name in row))
    }
    head = "".join(f'<th style="text-align:{side}">{escape(name)}</th>' for name, side in sides.items())
    body = "".join(_row(row, sides) for row in first)
    if last:
        body += f'<tr><td colspan="{len(sides)}" style="text-align:left">⋮</td></tr>' + "".join(_row(row, sides) for row in last)
    return f'<div style="overflow-x:auto"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


class _Columns:
    """A table of pyarrow that does what one of ours does."""

    def __init__(self, table: pyarrow.Table) -> None:
        self._of = table

    @property
    def columns(self) -> list[tuple[str, str]]:
        return [(field.name, str(field.type)) for field in self._of.schema]

    def __len__(self) -> int:
        return int(self._of.num_rows)

    def slice(self, first: int, rows: int) -> _Columns:
        return _Columns(self._of.slice(first, rows))

    def __arrow_c_schema__(self) -> Any:
        return self._of.schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._of.__arrow_c_stream__(requested_schema)


def _row(row: dict[str, Any], sides: dict[str, str]) -> str:
    cells = (f'<td style="text-align:{sides[name]}">{escape(_shown(value))}</td>' for name, value in row.items())
    return f"<tr>{''.join(cells)}</tr>"


def _shown(value: Any) -> str:
    """A value as a person reads it: no digits that say nothing, nothing where there is none."""
    if value is None or value != value:
        return ""
    if isinstance(value, float):
        return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value:.5g}"
    if isinstance(value, list):
        return ", ".join(map(_shown, value))
    return str(value)


def _library(name: str, package: str | None = None) -> Any:
    """A library that is needed for this and for nothing else."""
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError:
        raise ImportError(f"this needs {name}: pip install {package or name}") from None
