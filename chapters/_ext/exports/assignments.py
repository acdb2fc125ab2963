"""Each assignment as a download: what `nbgrader generate_assignment` releases, in one archive.

The archives are made when the book is built, from `exercises/`, with nbgrader's own steps, so that
an answer can never be published by forgetting a command.
"""

from __future__ import annotations

import zipfile
from pathlib import Path

import nbformat
from sphinx.application import Sphinx

EXERCISES = Path(__file__).parents[3] / "exercises"
STEPS = ("LockCells", "ClearSolutions", "ClearOutput", "ComputeChecksums", "ClearHiddenTests")
RELEASED = (".ipynb", ".py", ".gz")
ALWAYS = (2026, 1, 1, 0, 0, 0)  # the same files give the same archive


def student_version(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Return the notebook without its solutions, as a student receives it."""
    from nbgrader import preprocessors  # takes a second, which a build without changes saves

    for step in STEPS:
        notebook, _ = getattr(preprocessors, step)().preprocess(notebook, {})
    return notebook


def write_archive(assignment: Path, target: Path) -> None:
    """Write the released files of an assignment's folder to a zip archive."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(f for f in assignment.iterdir() if f.suffix in RELEASED):
            content = file.read_bytes()
            if file.suffix == ".ipynb":
                notebook = student_version(nbformat.reads(content.decode(), as_version=4))
                content = nbformat.writes(notebook).encode()
            name = zipfile.ZipInfo(f"{assignment.name}/{file.name}", ALWAYS)
            name.external_attr = 0o644 << 16
            archive.writestr(name, content, zipfile.ZIP_DEFLATED)


def write_archives(app: Sphinx, failure: Exception | None) -> None:
    """Put the archive of each assignment into `assignments/` of the built book."""
    if failure is not None or app.builder.format != "html":
        return
    folder = Path(app.outdir) / "assignments"
    folder.mkdir(exist_ok=True)
    for assignment in sorted(EXERCISES.glob("[0-9]*")):
        archive = folder / f"{assignment.name}.zip"
        sources = [Path(__file__), assignment, *assignment.iterdir()]
        changed = max(source.stat().st_mtime for source in sources)
        if not archive.exists() or archive.stat().st_mtime <= changed:
            write_archive(assignment, archive)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("build-finished", write_archives)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
