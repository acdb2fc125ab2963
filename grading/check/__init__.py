"""Run what a student wrote on prepared cases, compare what comes back, say in words what is wrong.

A student receives all of it as one file, ``check.py``, which :mod:`grading.content.release` makes
and which needs nothing but torch, numpy and safetensors. The border of trust is a border between
files:

- ``values``, ``call`` and ``harness`` run beside the student's code. When a submission is graded
  they are all that enters its kernel; they hold no answer, and nothing they say is believed before
  it was looked at.
- All others compare, in another process that nothing in the notebook can reach: ``verdict`` is the
  whole of it, ``record`` what it compares, ``judging`` concludes what a harness saw, ``problems``
  and ``differences`` say what is wrong, ``recognition`` which mistake it was, ``explanations`` why;
  ``report`` shows it.
- ``notebook`` joins both for the student's own ``check("name")``.
"""

from grading.check.call import Call, CallResult, Finding, run_call
from grading.check.differences import difference
from grading.check.harness import (
    calls_in_evaluation,
    calls_in_training,
    copied,
    gradient_of_each,
    loaded,
    packed_call,
    run_module,
    run_modules,
    run_test,
    train_module,
    weighted,
)
from grading.check.judging import (
    NotJudged,
    asked_first,
    brought,
    form_of,
    judged,
    of_any_form,
    steady,
    unless,
)
from grading.check.notebook import CASES, CheckFailed, check, load_cases
from grading.check.recognition import ANY_ERROR, RAISED, agree
from grading.check.record import (
    AND,
    KEPT,
    OTHER_FORM,
    Case,
    CaseVerdict,
    Exercise,
    Explanation,
    Predictions,
    Shown,
    Verdict,
)
from grading.check.report import Report
from grading.check.values import (
    PLAIN_DTYPES,
    Opaque,
    UnpackError,
    as_sent,
    describe,
    digest,
    pack,
    printable,
    quoted,
    unpack,
)
from grading.check.verdict import grade_outcomes

__all__ = [
    "AND",
    "ANY_ERROR",
    "CASES",
    "KEPT",
    "OTHER_FORM",
    "PLAIN_DTYPES",
    "RAISED",
    "Call",
    "CallResult",
    "Case",
    "CaseVerdict",
    "CheckFailed",
    "Exercise",
    "Explanation",
    "Finding",
    "NotJudged",
    "Opaque",
    "Predictions",
    "Report",
    "Shown",
    "UnpackError",
    "Verdict",
    "agree",
    "as_sent",
    "asked_first",
    "brought",
    "calls_in_evaluation",
    "calls_in_training",
    "check",
    "copied",
    "describe",
    "difference",
    "digest",
    "form_of",
    "grade_outcomes",
    "gradient_of_each",
    "judged",
    "load_cases",
    "loaded",
    "of_any_form",
    "pack",
    "packed_call",
    "printable",
    "quoted",
    "run_call",
    "run_module",
    "run_modules",
    "run_test",
    "steady",
    "train_module",
    "unless",
    "unpack",
    "weighted",
]
