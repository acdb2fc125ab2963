"""Processes that begin as forks of this one, so that what is imported already stays so."""

from __future__ import annotations

import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor

# Elsewhere a fork may end in system libraries that do not bear it.
AS_A_FORK = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")


def forked_pool(jobs: int | None = None) -> ProcessPoolExecutor:
    """Return a pool of processes, by default one a core, in each of which PyTorch has one thread.

    With more of them sums would depend on the number of cores.
    """
    import torch

    return ProcessPoolExecutor(jobs, AS_A_FORK, torch.set_num_threads, (1,))
