"""Have torch imported by the workers and by the warm parent while this process imports it itself.

This module imports nothing heavy, so that it comes first.
"""

import contextlib
import multiprocessing
from multiprocessing import forkserver

# Workers are forked from a server that has imported what they need; where there is no such thing
# (Windows), each imports it.
_kind = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
context = multiprocessing.get_context(_kind)
if _kind == "forkserver":
    context.set_forkserver_preload(["grading.batch.work", "solutions"])


def start(confined: bool) -> None:
    """Start the processes that :class:`grading.batch.local.LocalWorkers` will need, and go on."""
    if _kind == "forkserver":
        forkserver.ensure_running()
    if confined:
        from grading import sandbox

        with contextlib.suppress(sandbox.SandboxError):  # the command itself will say so
            sandbox.warm_parent.begin()
