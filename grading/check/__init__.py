"""Run what a student wrote on prepared cases, compare what comes back, say in words what is wrong.

A student receives all of it as one file, ``check.py`` (:mod:`grading.release` makes it), which
needs nothing but torch, numpy and safetensors. The border of trust is a border between files:

- ``values``, ``call`` and ``harness`` run beside the student's code. When a submission is graded
  they are all that enters its kernel; they hold no answer, and nothing they say is believed before
  it was looked at.
- ``differences``, ``verdict`` and ``report`` compare, in another process that nothing in the
  notebook can reach.
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
from grading.check.notebook import CASES, CheckFailed, check, load_cases
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
from grading.check.verdict import (
    AND,
    ANY_ERROR,
    KEPT,
    OTHER_FORM,
    RAISED,
    Case,
    CaseVerdict,
    Exercise,
    Explanation,
    Predictions,
    Shown,
    Verdict,
    agree,
    brought,
    grade_outcomes,
    judged,
    steady,
)

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
    "Opaque",
    "Predictions",
    "Report",
    "Shown",
    "UnpackError",
    "Verdict",
    "agree",
    "as_sent",
    "brought",
    "calls_in_evaluation",
    "calls_in_training",
    "check",
    "copied",
    "describe",
    "difference",
    "digest",
    "grade_outcomes",
    "gradient_of_each",
    "judged",
    "load_cases",
    "loaded",
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
    "unpack",
    "weighted",
]
