"""What turns a submission into a verdict.

``check`` is the half that students have: it runs a function on cases and explains differences.
Everything else is trusted and stays with the instructor:

- ``exercise``: what an exercise is; ``content``: the exercises of each chapter, with reference code
  and known mistakes, and what of them is released to students;
- ``running``: one notebook, run in a sandbox and judged from outside;
- ``course``: a class, graded side by side, each submission once; ``reporting``: how it went, for
  teachers and for each student; ``platforms``: in from Canvas and Moodle, and back;
- ``proof``: the grader graded; ``commands``: the command line, ``python -m grading``.

For all of them ``limits`` says every limit, and ``errors`` is what a person can do something about.
"""

import sys

# Imported by jsonschema, it takes a second to build a parser of international web addresses. No
# notebook needs one, and jsonschema does without it.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
