"""Start the kernel that a submission runs in: confined, in a container, or an ordinary one."""

from __future__ import annotations

import contextlib
import glob
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import zmq
from jupyter_client.manager import KernelManager

from grading.limits import PatienceLimits, ReturnedLimits, SandboxLimits
from grading.running import sandbox, temporary

# One thread each: submissions are graded side by side, and small tensors gain nothing from more.
ENVIRONMENT = {"OMP_NUM_THREADS": "1"}
# By words that stand in the code that needs them; each takes a second or two to import.
LARGE_LIBRARIES = ("optim", "pandas", "scipy", "sklearn", "transformers")


def begin_parent(assignment: str) -> None:
    """Start the process that kernels are forked from, without what an assignment does not need.

    Where kernels cannot be confined nothing is started: whoever starts one is told.
    """
    with contextlib.suppress(sandbox.SandboxError):
        sandbox.warm_parent.begin(left_out=_unused(assignment))


def _unused(assignment: str) -> list[str]:
    """The large libraries that an assignment's files do not name."""
    exercises = Path(__file__).parents[2] / "exercises"
    files = exercises.glob(f"*{glob.escape(assignment)}/*")
    text = "".join(file.read_text() for file in files if file.suffix in (".ipynb", ".py"))
    return [word for word in LARGE_LIBRARIES if word not in text]


@dataclass
class StartedKernel:
    """A running kernel with its manager, its client, and the folder that it got its files from."""

    manager: KernelManager
    client: Any
    folder: str

    def close(self) -> None:
        """End the kernel at once and remove its folder; may be called again."""
        self.client.stop_channels()
        if self.manager.has_kernel:
            self.manager.shutdown_kernel(now=True)
        shutil.rmtree(self.folder, ignore_errors=True)


def start_kernel(
    files: list[Path],
    limits: SandboxLimits | None = None,
    confined: bool = True,
    container: str = "",
) -> StartedKernel:
    """Start a Python kernel in a fresh folder that holds copies of ``files``.

    A kernel that ends before it has answered, as one in thousands may on a crowded machine, is
    replaced: no code of the submission has run in it.

    Args:
        files: what lies beside the notebook.
        limits: what the kernel may use if it is confined.
        confined: in the sandbox, where the code can reach nothing but its own folder. Without it,
            the code can do whatever the person who grades can do.
        container: name of an image, to confine it in a container of that instead.

    Raises:
        SandboxError: if this machine cannot confine a kernel.
        RuntimeError: if three kernels in a row did not answer.
    """
    attempts_left = ReturnedLimits.kernel_attempts
    while True:
        attempts_left -= 1
        try:
            return _start_kernel(files, limits, confined, container)
        except sandbox.SandboxError:
            raise
        except RuntimeError:
            if not attempts_left:
                raise


def _start_kernel(
    files: list[Path], limits: SandboxLimits | None, confined: bool, container: str
) -> StartedKernel:
    folder = tempfile.mkdtemp(prefix="submission-", dir=temporary.folder())
    try:
        for file in files:
            shutil.copyfile(file, Path(folder, file.name))  # its name and content, not its mode
        manager, client = _start_in(Path(folder), limits, confined, container)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    # before the channels are opened, or it has no effect
    client.context.setsockopt(zmq.MAXMSGSIZE, ReturnedLimits.message_bytes)
    client.context.setsockopt(zmq.RCVHWM, ReturnedLimits.messages)
    # what is not read is not opened: it would be kept until the end
    client.start_channels(stdin=False, hb=False, control=False)
    try:
        client.wait_for_ready(timeout=PatienceLimits.kernel_start_seconds)
    except RuntimeError:
        StartedKernel(manager, client, folder).close()
        raise
    return StartedKernel(manager, client, folder)


def _start_in(
    folder: Path, limits: SandboxLimits | None, confined: bool, container: str
) -> tuple[KernelManager, Any]:
    if confined:
        if container:
            from grading.running.sandbox.container import container_manager  # most do without

            manager = container_manager(
                container, limits, folder, env=ENVIRONMENT, manager_class=KernelManager
            )
        else:
            manager = sandbox.kernel_manager(
                limits, folder, env=ENVIRONMENT, manager_class=KernelManager
            )
        manager.start_kernel()
        return manager, manager.client()
    manager = KernelManager(kernel_name="python3")
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    environment = {**kept, **ENVIRONMENT, "HOME": str(folder)}
    nowhere = subprocess.DEVNULL  # not the terminal of the person who grades
    manager.start_kernel(cwd=str(folder), env=environment, stdout=nowhere, stderr=nowhere)
    return manager, manager.blocking_client()
