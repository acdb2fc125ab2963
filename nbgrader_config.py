"""The course as nbgrader sees it: this folder, with `exercises/` as its source."""

from nbconvert.preprocessors import ClearMetadataPreprocessor
from nbgrader.preprocessors import (
    AssignLatePenalties,
    CheckCellMetadata,
    IgnorePattern,
    LimitOutput,
    SaveAutoGrades,
)

from grading.batch.archives import BoundedExtractor, CheckedCollector
from grading.export import HarmlessExport
from grading.feedback import FeedbackPage
from grading.nbgrader_plugin import GradeFromOutside, ReadRepaired

c = get_config()

c.CourseDirectory.course_id = "transformer"
c.CourseDirectory.source_directory = "exercises"

# What is released beside a notebook is made when it is released.
c.GenerateAssignment.pre_convert_hook = "grading.release.before_generating"

# A submission is read by what can repair it: missing, doubled and moved cells, half a file.
c.Autograde.exporter_class = ReadRepaired

# nbgrader's own list with one change: verdicts come from outside the kernel
# (grading/nbgrader_plugin.py).
c.Autograde.autograde_preprocessors = [
    GradeFromOutside,
    IgnorePattern,
    ClearMetadataPreprocessor,
    LimitOutput,
    SaveAutoGrades,
    AssignLatePenalties,
    CheckCellMetadata,
]

# Pages of feedback run nothing and load nothing.
c.GenerateFeedback.exporter_class = FeedbackPage

# Archives from a learning platform are looked at before `nbgrader zip_collect` unpacks them.
c.ZipCollectApp.extractor_plugin = BoundedExtractor
c.ZipCollectApp.collector_plugin = CheckedCollector

# A spreadsheet does not take what a student is called for a formula.
c.ExportApp.plugin_class = HarmlessExport
