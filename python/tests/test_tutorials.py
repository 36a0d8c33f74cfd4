"""The notebooks of the docs run from end to end, on runs that they record themselves."""

from pathlib import Path
from textwrap import dedent

import nbclient
import nbformat
import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"

#: What each of them teaches, as it is to be found in what it has recorded.
TAUGHT = {
    "tasks": """
        tasks = [run.info["tasks"]["tasks"] for run in (tiny, coarse)]
        assert tasks[0] > 100 * tasks[1], "larger grains are fewer tasks"
        small = [found["do"] for found in tiny.findings.rows() if found["id"] == "small-tasks"]
        cut_offs = ("Create no tasks below depth", "Create no tasks for less than", "Let each task do what")
        assert small and small[0].startswith(cut_offs), f"tasks are too small, and where to stop is said: {small}"
        assert grains.lens == (worst, None) and len(chosen) > 0
        work = chosen.to_pandas()["work"].median()
        assert work < 20_000, f"{work} ns in one of those that the worst problem has"
    """,
    "ranks": """
        late = [found for found in run.findings.rows() if found["ranks"] and found["ranks"][0] == 2]
        assert late, "rank 2 is named as the one that is late"
        assert any("compute" in str(found["where"]) or "ring.c" in str(found["where"]) for found in late)
        waits = calls[calls["function"].isin(["MPI_Sendrecv", "MPI_Allreduce"])].groupby("rank")["ms"].sum()
        assert waits.idxmin() == 2, f"the late one waits least: {waits.to_dict()}"
    """,
    "profiles": """
        names = [row["name"] for row in pruned.outliers.rows()]
        assert "mix" in names and "norm" not in names, names
        assert len(pruned.kept) < len(before.calls)
        # Where a sample lies in the function itself, its line is selected with it.
        relaxing = before.calls.nodes('name = "relax"')
        selected = list(tree.selection.rows())
        assert relaxing and [row["node"] for row in selected] == relaxing and selected[0]["name"] == "relax"
        assert list(eval(tree.query, {"run": before}).rows()) == selected
        *_, least = (after.calls - before.calls).flat().rows()
        assert least["name"] == "mix" and least["itself"] < 0, least
    """,
}


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_tutorial(path, tmp_path):
    notebook = nbformat.read(path, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "outputs are not kept in the repository"
    notebook.cells.append(nbformat.v4.new_code_cell(dedent(TAUGHT[path.stem])))
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": tmp_path}}).execute()
    shown = [[output.get("data", {}) for output in cell.get("outputs", ())] for cell in notebook.cells]
    left = [datas[at + 1] for datas in shown for at, data in enumerate(datas) if "crosscut-host" in data.get("text/html", "")]
    assert len(left) > 1 and any("image/png" in data for data in left)
    assert all("image/png" in data or "<p>" in data["text/html"] for data in left), "for those without a kernel"
    notebook.cells.pop()
    out = Path(__file__).parents[2] / "out" / "notebook"
    out.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, out / path.name)
