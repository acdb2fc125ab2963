"""The course as nbgrader sees it: this folder, with `exercises/` as its source."""

from nbconvert.preprocessors import ClearMetadataPreprocessor
from nbgrader.preprocessors import (
    CheckCellMetadata,
    IgnorePattern,
    LimitOutput,
    SaveAutoGrades,
)

from grading.course.deadlines import LatePenalty, PenaltiesByDate
from grading.course.nbgrader_plugin import GradeFromOutside, ReadRepaired
from grading.course.spreadsheets import HarmlessExport
from grading.platforms.archives import BoundedExtractor, CheckedCollector
from grading.reporting.feedback import (
    FILTERS,
    TEMPLATES,
    FeedbackPage,
    FormgraderPage,
    GradesWithTitles,
    ReleaseToThoseWithASecret,
)

c = get_config()

c.CourseDirectory.course_id = "transformer"
c.CourseDirectory.source_directory = "exercises"

# What is released beside a notebook is made when it is released.
c.GenerateAssignment.pre_convert_hook = "grading.content.release.before_generating"

# nbgrader's log names files as students name them, in a terminal that obeys some characters.
c.Application.logging_config = {
    "filters": {"printable": {"()": "grading.course.nbgrader_plugin.PrintableLog"}},
    "handlers": {"console": {"filters": ["printable"]}},
}

# Before anybody is graded: does the notebook promise the points that the grader gives?
c.Autograde.pre_convert_hook = "grading.course.nbgrader_plugin.before_grading"

# A submission is read by what can repair it: missing, doubled and moved cells, half a file.
c.Autograde.exporter_class = ReadRepaired

# nbgrader's own list with two changes: verdicts come from outside the kernel
# (grading/course/nbgrader_plugin.py), and due dates from the course's file (deadlines.py there).
c.Autograde.autograde_preprocessors = [
    GradeFromOutside,
    IgnorePattern,
    ClearMetadataPreprocessor,
    LimitOutput,
    SaveAutoGrades,
    PenaltiesByDate,
    CheckCellMetadata,
]

# Due dates are those of due_dates.toml; what being late costs is c.LatePenalty.percent_a_day.
c.AssignLatePenalties.plugin_class = LatePenalty

# Pages of feedback run nothing and load nothing; what waits for a person is not called 0 points.
c.GenerateFeedback.exporter_class = FeedbackPage
c.GenerateFeedback.preprocessors = [GradesWithTitles]
c.FeedbackPage.template_name = "course_feedback"
c.FeedbackPage.extra_template_basedirs = [str(TEMPLATES)]

# One submission that came by mail does not keep feedback from those who use the exchange.
c.ExchangeFactory.release_feedback = ReleaseToThoseWithASecret

# Whoever grades a written answer in formgrader has the model answer and the rubric beside it, and
# formulas without a network.
c.HTMLExporter.preprocessors = [FormgraderPage]
c.HTMLExporter.filters = FILTERS

# Archives from a learning platform are looked at before `nbgrader zip_collect` unpacks them.
c.ZipCollectApp.extractor_plugin = BoundedExtractor
c.ZipCollectApp.collector_plugin = CheckedCollector

# A spreadsheet does not take what a student is called for a formula.
c.ExportApp.plugin_class = HarmlessExport
