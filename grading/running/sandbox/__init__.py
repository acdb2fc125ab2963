"""Kernels for code that nobody has read: confined, forked from a warm parent, gone without trace.

`available()` says whether this machine can confine; `kernel_manager(limits, files)` gives a
manager for nbclient or jupyter_client. Who enters: the grading engine and its tests. What student
code sees of this package is nothing.
"""

from .confine import available
from .provisioner import SandboxError, SharedParent, kernel_manager, warm_parent

__all__ = ["SandboxError", "SharedParent", "available", "kernel_manager", "warm_parent"]
