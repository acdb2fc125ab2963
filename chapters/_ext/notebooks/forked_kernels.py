"""Kernels for the notebooks of a build, forked from one process that has imported the libraries.

Each chapter would import PyTorch and Transformers for itself, which takes longer than most of what
it computes. `python forked_kernels.py` imports them once. For each line that it reads, a request in
JSON, it forks a kernel and answers with its process id. It computes nothing, for a forked process
could not go on with the threads of a computation. Where there is no `os.fork`, kernels start as
always.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import subprocess
import sys
import threading
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

USED_BY_CHAPTERS = """
    torch torch.utils.data torch.optim torch.onnx torch._dynamo safetensors.torch
    transformers.models.bert.modeling_bert transformers.models.bert.tokenization_bert
    transformers.models.auto.tokenization_auto transformers.models.gpt2.modeling_gpt2
    transformers.models.llama.modeling_llama tokenizers
    pandas sklearn.metrics sklearn.model_selection sklearn.linear_model
    sklearn.feature_extraction.text matplotlib.figure matplotlib.backends.backend_svg bertviz
"""
USED_BY_KERNELS = """
    ipykernel.kernelapp ipykernel.ipkernel ipykernel.zmqshell matplotlib_inline.backend_inline
"""


def serve() -> None:
    """Fork a kernel for each request, until there are no more."""
    with contextlib.redirect_stdout(sys.stderr):
        for name in (USED_BY_CHAPTERS + USED_BY_KERNELS).split():
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
    with contextlib.suppress(ImportError):
        import pandas

        # Outside of a kernel it takes itself to be in a terminal, and fits tables into it.
        pandas.set_option("display.max_columns", 20)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the system forgets kernels that have ended
    for line in iter(sys.stdin.readline, ""):
        request = json.loads(line)
        pid = os.fork()
        if pid == 0:
            become_kernel(**request)
        print(pid, flush=True)


def become_kernel(command: list[str], folder: str, environment: dict[str, str]) -> None:
    """In a forked process: be what ``python -m ipykernel_launcher …`` would be there."""
    from ipykernel.kernelapp import launch_new_instance

    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1):
        os.dup2(nothing, descriptor)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:] = ["", *(path for path in sys.path if path != str(Path(__file__).parent))]
    try:
        launch_new_instance(argv=command[command.index("-f") :])
    finally:
        os._exit(0)


class Kernel:
    """A forked kernel, in those words of :class:`subprocess.Popen` that a provisioner uses."""

    stdin = stdout = stderr = None

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def poll(self) -> int | None:
        """Return 0 if it has ended; with which status, nobody knows."""
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return 0
        return None

    def wait(self) -> int:
        """Return at once: the provisioner asks when it has ended."""
        return 0

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it."""
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)


class Forker:
    """The process that has the libraries, while kernels are wanted."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.process: subprocess.Popen[str] | None = None

    def fork(self, request: dict[str, Any]) -> Kernel:
        """Return a new kernel."""
        with self.lock:
            if self.process is None:
                self.process = subprocess.Popen(
                    [sys.executable, __file__],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                    env=os.environ | {"HF_HUB_OFFLINE": "1"},
                )
            print(json.dumps(request), file=self.process.stdin, flush=True)
            return Kernel(int(self.process.stdout.readline()))

    def stop(self) -> None:
        """End the process; its kernels have ended before."""
        with self.lock:
            if self.process is not None:
                self.process.communicate()
                self.process = None


forker = Forker()


@contextlib.contextmanager
def forked_kernels():
    """Let every kernel that this process starts in the block be a forked one."""
    if not hasattr(os, "fork"):
        yield
        return
    from jupyter_client.provisioning import KernelProvisionerFactory, LocalProvisioner

    class ForkingProvisioner(LocalProvisioner):
        """A kernel on this machine, forked."""

        async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> dict[str, Any]:
            request = {"command": cmd, "folder": kwargs["cwd"], "environment": kwargs["env"]}
            self.process = forker.fork(request)
            self.pid = self.process.pid
            return self.connection_info

    factory = KernelProvisionerFactory.instance()
    before = factory.default_provisioner_name
    place = f"{__name__}:provisioner"
    factory.provisioners["forked"] = EntryPoint("forked", place, factory.GROUP_NAME)
    globals()["provisioner"] = ForkingProvisioner
    factory.default_provisioner_name = "forked"
    try:
        yield
    finally:
        factory.default_provisioner_name = before
        forker.stop()


if __name__ == "__main__":
    serve()
