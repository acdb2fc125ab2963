"""What turns a submission into a verdict.

``check`` is the half that students have: it runs a function on cases and explains differences.
Everything else is trusted and stays with the instructor.

What is asked: ``exercise`` says what an exercise is, ``content`` holds the exercises of each
chapter with their reference code and known mistakes, ``release`` makes of them what students get,
``matrix`` puts every known mistake through the grader, ``appendix`` lists them in the book, and
``proof.mistakes`` gives them as data.

How one notebook is graded: ``grade`` runs its cells and judges its exercises, ``influence`` tells
which answers need not be tried again alone, ``kernel`` runs a notebook at arm's length, ``kernels``
starts one, in ``sandbox``, which confines it. ``disclosure`` says what a report may repeat of it.

How a class is graded: ``batch`` does, ``nbgrader_plugin`` hands the same results to nbgrader,
``feedback`` makes the page that a student gets back, ``export`` the tables, and ``report`` shows
how it went.

For all of them: ``limits`` says every limit, ``settings`` lets it be set, ``patience`` bounds what
this process does, ``secret`` is what hidden cases are drawn from, ``scratch`` is where a run works,
``fingerprint`` tells when something has changed, ``errors`` is what a person can do something
about, and ``commands`` is the command line, ``python -m grading``.
"""

import sys

# Imported by jsonschema, it takes a second to build a parser of international web addresses. No
# notebook needs one, and jsonschema does without it.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
