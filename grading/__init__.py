"""What turns a submission into a verdict.

``check`` is the half that students have: it runs a function on cases and explains differences.
Everything else is trusted and stays with the instructor: ``exercise`` says what an exercise is,
``content`` holds the exercises of each chapter with their reference code and known mistakes,
``kernel`` runs a notebook at arm's length, ``grade`` puts the two together, ``plugin`` hands the
result to nbgrader, ``batch`` grades a class, ``report`` shows how it did, and ``commands`` is what
``python -m grading`` does.
"""

import sys

# Imported by jsonschema, it takes a second to build a parser of international web addresses. No
# notebook needs one, and jsonschema does without it.
sys.modules.setdefault("rfc3987_syntax", None)
