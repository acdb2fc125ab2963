"""The course as nbgrader sees it: this folder, with `exercises/` as its source."""

from nbconvert.preprocessors import ClearMetadataPreprocessor
from nbgrader.preprocessors import (
    AssignLatePenalties,
    CheckCellMetadata,
    IgnorePattern,
    LimitOutput,
    SaveAutoGrades,
)

from grading.plugin import GradeFromOutside

c = get_config()

c.CourseDirectory.course_id = "transformer"
c.CourseDirectory.source_directory = "exercises"

# nbgrader's own list with one change: verdicts come from outside the kernel (grading/plugin.py).
c.Autograde.autograde_preprocessors = [
    GradeFromOutside,
    IgnorePattern,
    ClearMetadataPreprocessor,
    LimitOutput,
    SaveAutoGrades,
    AssignLatePenalties,
    CheckCellMetadata,
]

# A deleted check cell is put back, so that its exercise is graded all the same.
c.OverwriteCells.add_missing_cells = True
