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
    pictures = [output for cell in notebook.cells for output in cell.get("outputs", ()) if "image/png" in output.get("data", ())]
    views = [cell for cell in notebook.cells if "crosscut-host" in str(cell.get("outputs"))]
    assert len(pictures) == len(views) > 0, "a picture beside each view, for those without a kernel"
    out = Path(__file__).parents[2] / "out" / "notebook"
    out.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, out / path.name)
