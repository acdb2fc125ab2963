"""Grade a class: many submissions, side by side, each once, with a record for every one of them.

``source`` knows what an assignment consists of, ``submissions`` reads what students handed in,
``repair`` puts a damaged notebook in order, ``sanitise`` makes it harmless to look at. ``work``
combines them into one function from bytes to bytes, which ``local`` runs in processes of this
machine and ``cluster`` on a Dask cluster. ``record`` is the only one that writes: nbgrader's
gradebook and the files in ``autograded/``. ``run`` is the whole of it, and ``command`` what is
typed and printed.
"""
