"""Run one notebook in a kernel, confined and within bounds, and judge its exercises from outside.

``grade_notebook`` is the whole of it: ``launch`` starts a kernel, in ``sandbox``, ``kernel``
speaks to it at arm's length, ``independence`` tells which answers need not be tried again alone,
``redaction`` says what a report may repeat of it. ``settings`` lets limits be set, ``time_limit``
bounds what this process itself does, ``temporary`` is where a run writes, and ``forks`` begins
processes. Nothing here knows of a class; :mod:`grading.course` calls it.
"""
