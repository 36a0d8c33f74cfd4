"""The notebooks of the docs run from end to end, on runs that they record themselves."""

from pathlib import Path

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_tutorial(path, tmp_path):
    notebook = nbformat.read(path, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "outputs are not kept in the repository"
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": tmp_path}}).execute()
    shown = [[output.get("data", {}) for output in cell.get("outputs", ())] for cell in notebook.cells]
    left = [datas[at + 1] for datas in shown for at, data in enumerate(datas) if "crosscut-host" in data.get("text/html", "")]
    assert len(left) > 1 and any("image/png" in data for data in left)
    assert all("image/png" in data or "<p>" in data["text/html"] for data in left), "for those without a kernel"
    out = Path(__file__).parents[2] / "out" / "notebook"
    out.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, out / path.name)
