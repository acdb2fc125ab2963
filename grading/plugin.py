"""Hand verdicts to nbgrader: the preprocessor that `nbgrader autograde` runs instead of `Execute`.

Configured in ``nbgrader_config.py`` at the root of the course. Everything else of nbgrader stays as
it is: it sanitises the submission before, and reads the points from the outputs afterwards.
"""

from __future__ import annotations

import os
from pathlib import Path

from nbconvert.exporters.exporter import ResourcesDict
from nbformat import NotebookNode
from nbgrader.preprocessors import Execute
from traitlets import Bool

from grading.content import assignments
from grading.grade import grade_notebook
from grading.kernel import Bounds

MAX_FILE_BYTES = 20_000_000


class GradeFromOutside(Execute):
    """Grade the exercises of a known assignment; execute any other notebook as nbgrader does."""

    insecure = Bool(
        False,
        help="Grade without the sandbox, where a submission can do all that you can do.",
    ).tag(config=True)

    def preprocess(
        self, nb: NotebookNode, resources: ResourcesDict, km: object = None
    ) -> tuple[NotebookNode, ResourcesDict]:
        """Run the notebook and write points and reports into its check cells."""
        assignment = resources["nbgrader"]["assignment"]
        if assignment not in assignments():
            return super().preprocess(nb, resources, km)
        student = resources["nbgrader"]["student"]
        files = _plain_files(Path(resources["metadata"]["path"]))
        bounds = Bounds(confined=not self.insecure)
        for verdict in grade_notebook(nb, assignment, student, files, bounds):
            self.log.info(
                "%s: %g of %g points (%s)",
                verdict.exercise,
                verdict.points,
                verdict.max_points,
                ", ".join([verdict.status, *verdict.mistakes]),
            )
        return nb, resources


def _plain_files(folder: Path) -> list[Path]:
    """What lies beside the notebook: no links, no folders, nothing huge."""
    files = [Path(e.path) for e in os.scandir(folder) if e.is_file(follow_symlinks=False)]
    return [f for f in files if f.suffix != ".ipynb" and f.stat().st_size <= MAX_FILE_BYTES]
