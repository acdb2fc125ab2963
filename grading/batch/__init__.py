"""Grade a class: many submissions, side by side, each once, with a record for every one of them.

``released`` knows what an assignment consists of, ``submissions`` reads what students handed in,
``archives`` unpacks it, ``repair`` puts a damaged notebook in order, ``sanitise`` makes it harmless
to look at. ``grade_one`` combines them into one function from bytes to bytes, which ``local`` runs
in processes of this machine and ``cluster`` on a Dask cluster. ``gradebook`` is the only one that
writes: nbgrader's gradebook and the files in ``autograded/``. ``grade_class`` is the whole of it,
and ``autograde`` what the command shows and prints.
"""
