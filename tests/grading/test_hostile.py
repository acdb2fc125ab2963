"""How many ways to cheat, to do harm or to reach out the tests try, of which none may succeed.

`python tests/grading/test_hostile.py` prints the numbers.
"""

import functools
import importlib
import math
import os
import sys
from pathlib import Path
from unittest import mock

HERE = Path(__file__).parent
LEAST = 200


def _module(name):
    there = mock.patch.object(sys, "path", [str(HERE), *sys.path])
    with there, mock.patch.dict(os.environ, {"COURSE_TOKEN": "none"}):
        return importlib.import_module(name)


def _parameters(test):
    """How many cases a test is made for, whatever kernel each runs in."""
    marks = [mark for mark in getattr(test, "pytestmark", []) if mark.name == "parametrize"]
    return math.prod(len(mark.args[1]) for mark in marks)


@functools.cache
def numbers() -> dict[str, int]:
    """The numbers, by what is tried."""
    submissions, mixed = _module("test_submissions"), _module("test_mixed")
    channels, returned = _module("test_channels"), _module("test_returned")
    labels, prose = _module("course.test_labels"), _module("course.test_sanitise")
    reading, archives = _module("course.test_reading"), _module("course.test_archives")
    attacks = _module("sandbox.test_sandbox_attacks")
    forging = sum(len(snippets.split("===")) for snippets in submissions.FORGING.values())
    reached = {
        name: _parameters(getattr(attacks, name)) for name in dir(attacks) if name[:5] == "test_"
    }
    return {
        "notebooks that tamper with the grader": len(submissions.TAMPERING) + forging + 1,
        "notebooks that tell of hidden cases": len(submissions.LEAKS),
        "files beside a notebook": len(submissions.BESIDE),
        "tests that find out the verdicts without mathematics": len(mixed.CHEATS) + 3,
        "objects that fight being looked at": len(returned.FIGHTING),
        "replies that no kernel would send": len(returned.FORGED) + len(returned.DTYPES),
        "floods": len(channels.FLOODS),
        "reaching out of a kernel": sum(reached.values()) + len(attacks.SECRET_READERS) - 1,
        "labels and prose that act on a page": len(labels.LABELS) + len(prose.HOSTILE),
        "folders, ids and archives": (
            _parameters(reading.test_an_id_that_is_no_name_is_refused)
            + _parameters(archives.test_nothing_is_written_outside)
            + _parameters(archives.test_a_long_head_is_refused_before_it_is_read)
        ),
    }


def test_enough_is_tried():
    assert all(numbers().values())
    assert sum(numbers().values()) >= LEAST


if __name__ == "__main__":
    for what, number in numbers().items():
        print(f"{number:4}  {what}")
    print(f"{sum(numbers().values()):4}  in all")
