"""A class: what was handed in, each graded once, with a record for every one of them.

What comes in: ``submissions`` reads what students handed in, ``identities`` knows who they are on
a platform, ``repair`` puts a damaged notebook in order, ``sanitise`` makes it harmless to look at.

What is graded: ``assignment`` knows what was released, ``assigned_variants`` who works on which
variant, and ``handout`` gives these out. Hidden cases are drawn from ``secret``; ``fingerprint``
tells when something has changed.

How: ``grade_submission`` is a function from bytes to bytes, which ``local`` runs in processes of
this machine and ``cluster`` on a Dask cluster. ``gradebook`` is the only one that writes:
nbgrader's gradebook and the files in ``autograded/``. ``grade_class`` is the whole of it,
``autograde`` what the command shows, and ``nbgrader_plugin`` hands the same results to nbgrader's
own commands.

What counts: ``deadlines`` (due dates, penalties), ``attempts``, ``syllabus`` (ten weeks), and
``spreadsheets``.
"""
