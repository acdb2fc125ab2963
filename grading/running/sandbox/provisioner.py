"""Offer confined kernels to everything that speaks `jupyter_client`.

`SandboxProvisioner` is registered as the kernel provisioner `course-sandbox`: a kernel spec may
name it, or the environment variable JUPYTER_DEFAULT_PROVISIONER_NAME for every kernel that is
started. It asks this process's warm parent (`parent.py`) for a kernel and follows its life.
"""

import asyncio
import atexit
import contextlib
import dataclasses
import json
import os
import queue
import select
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Collection
from pathlib import Path
from typing import Any

from jupyter_client.asynchronous.client import AsyncKernelClient
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager, KernelManager
from jupyter_client.provisioning.provisioner_base import KernelProvisionerBase
from jupyter_core.utils import ensure_async, run_sync
from traitlets import Bool, Unicode

from grading.errors import ExplainedError
from grading.limits import PatienceLimits, SandboxLimits
from grading.running.settings import trait

from .confine import available

NAME = "course-sandbox"
PASSED_ON = """
    LANG TZ OMP_NUM_THREADS MKL_NUM_THREADS OPENBLAS_NUM_THREADS HOME MPLCONFIGDIR
    XDG_CACHE_HOME
"""
SECONDS_BETWEEN_LOOKS = 0.005


class SandboxError(ExplainedError, RuntimeError):
    """A kernel could not be confined or started; no student code has run."""


@dataclasses.dataclass
class SharedParent:
    """What another process needs to have kernels forked from this process's warm parent."""

    pid: int
    folder: str
    line: socket.socket


class WarmParent:
    """This process's connection to its warm parent, which is started on first use.

    Several processes may use one parent: its owner, which started it, and those that adopted it.
    """

    def __init__(self, namespaces: bool = True) -> None:
        self._namespaces = namespaces
        self._lock = threading.Lock()
        self._user = 0  # the process that this connection belongs to: it does not survive a fork
        self._pid = 0  # of the parent
        self._process: subprocess.Popen[bytes] | None = None  # None if it was adopted
        self._pidfd: int | None = None
        self._line: socket.socket | None = None
        self.folder: Path | None = None
        self._left_out: tuple[str, ...] = ()

    def begin(self, left_out: Collection[str] = ()) -> None:
        """Start the parent unless it runs, and do not wait until it is ready.

        Libraries may be left out, by a word that `parent.py` gives them: each kernel that imports
        one takes the time for it. A parent that lacks one that is not left out now is replaced.
        """
        with self._lock:
            if not set(self._left_out) <= set(left_out):
                self._discard()
            if not self._runs():
                self._left_out = tuple(left_out)
            self._begin()

    def start(self) -> int:
        """Start the parent unless it runs; return its process id."""
        with self._lock:
            return self._start()

    def share(self) -> SharedParent:
        """Return what a process started with :mod:`multiprocessing` gives to :meth:`adopt`.

        Its ``line`` is a copy, to be closed when the process has started.
        """
        with self._lock:
            pid = self._start()
            assert self._line is not None
            return SharedParent(pid, str(self.folder), self._line.dup())

    def adopt(self, parent: SharedParent) -> None:
        """Use the parent of another process until it ends; then start one's own."""
        with self._lock:
            self._discard()
            self._user, self._pid = os.getpid(), parent.pid
            self._line, self.folder = parent.line, Path(parent.folder)
            with contextlib.suppress(ProcessLookupError):  # it has ended: found out on first use
                self._pidfd = os.pidfd_open(parent.pid)

    def _begin(self) -> None:
        if self._user == os.getpid() and self._runs():
            return
        usable, reason = available()
        if not usable:
            raise SandboxError(reason)
        self._discard()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        environment = {name: os.environ[name] for name in PASSED_ON.split() if name in os.environ}
        environment |= {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
        self._process = subprocess.Popen(
            [
                sys.executable,
                "-I",
                str(Path(__file__).with_name("parent.py")),
                str(theirs.fileno()),
                "namespaces" if self._namespaces else "no-namespaces",
                ",".join(self._left_out) or "-",  # nothing
            ],
            pass_fds=[theirs.fileno()],
            env={"PATH": os.defpath, "MALLOC_ARENA_MAX": "2"} | environment,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        theirs.close()
        self._user, self._pid, self._line = os.getpid(), self._process.pid, ours
        self._pidfd = os.pidfd_open(self._pid)

    def _start(self) -> int:
        self._begin()
        if self.folder is None:
            assert self._line is not None
            answer, _ = receive(self._line, PatienceLimits.parent_start_seconds)
            self.folder = Path(answer["folder"])
        return self._pid

    def _runs(self) -> bool:
        if self._pidfd is None:
            return False
        ended = select.poll()
        ended.register(self._pidfd, select.POLLIN)
        return not ended.poll(0)

    def stop(self) -> None:
        """End the parent and with it every kernel; the next kernel starts a new one.

        A parent that was adopted, or that others use, lives on until the last of them has ended.
        """
        with self._lock:
            self._discard()

    def _discard(self) -> None:
        process, line, pidfd, folder = self._process, self._line, self._pidfd, self.folder
        self._process = self._line = self._pidfd = self.folder = None
        if line is not None:
            line.close()
        if pidfd is not None:
            os.close(pidfd)
        if process is not None and self._user == os.getpid():
            if folder is None:  # it imports still, and would notice later that nobody waits
                process.kill()
            process.wait()
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)  # it was killed before it could
        self._user = 0

    def ask(self, request: dict[str, Any], line: socket.socket) -> None:
        """Send one request; the kernel's life is told on the other end of `line`."""
        with self._lock:
            self._start()
            assert self._line is not None
            try:
                socket.send_fds(self._line, [json.dumps(request).encode()], [line.fileno()])
            except OSError as error:  # killed this very moment
                raise SandboxError(f"The sandbox cannot be reached ({error}).") from error


warm_parent = WarmParent()
_parent_without_namespaces = WarmParent(namespaces=False)
atexit.register(warm_parent.stop)
atexit.register(_parent_without_namespaces.stop)


def receive(line: socket.socket, seconds: float) -> tuple[dict[str, Any], list[int]]:
    """Wait for a message and descriptors; raise `SandboxError` if it tells of a failure."""
    line.settimeout(seconds)
    try:
        message, descriptors, _, _ = socket.recv_fds(line, 1 << 20, 1)
    except TimeoutError:
        raise SandboxError(f"The sandbox gave no answer within {seconds:g} seconds.") from None
    if not message:
        raise SandboxError("The sandbox ended without an answer: was its process killed?")
    answer = json.loads(message)
    if "error" in answer:
        raise SandboxError("The sandbox could not be set up:\n" + answer["error"])
    return answer, descriptors


class LimitedProvisioner(KernelProvisionerBase):
    """A kernel with limits, which may be set in the kernel spec or in a configuration file."""

    memory = trait(SandboxLimits, "memory")
    cpu_seconds = trait(SandboxLimits, "cpu_seconds")
    threads = trait(SandboxLimits, "threads")
    file_bytes = trait(SandboxLimits, "file_bytes")
    scratch_bytes = trait(SandboxLimits, "scratch_bytes")
    scratch_files = trait(SandboxLimits, "scratch_files")
    open_files = trait(SandboxLimits, "open_files")
    files = Unicode("", help="folder that is copied to where the kernel starts").tag(config=True)

    @property
    def limits(self) -> SandboxLimits:
        """What the kernel may use."""
        return SandboxLimits.of(self)

    def connection_as_text(self) -> dict[str, Any]:
        """What a kernel reads in its connection file."""
        found = self.connection_info.items()
        return {k: v.decode() if isinstance(v, bytes) else v for k, v in found}

    def get_shutdown_wait_time(self, recommended: float = 5.0) -> float:
        """Give a kernel that was asked to end a moment, then kill it."""
        return PatienceLimits.shutdown_seconds


class SandboxProvisioner(LimitedProvisioner):
    """One confined kernel."""

    namespaces = Bool(True, help="use them where allowed, beside landlock").tag(config=True)

    pid: int | None = None
    _pidfd: int | None = None
    _line: socket.socket | None = None
    _folder: Path | None = None
    _status: int | None = None

    @property
    def _warm_parent(self) -> WarmParent:
        return warm_parent if self.namespaces else _parent_without_namespaces

    @property
    def has_process(self) -> bool:
        """Say whether a kernel was started that has not been waited for."""
        return self._pidfd is not None

    async def pre_launch(self, **kwargs: Any) -> dict[str, Any]:
        """Make the kernel's folder; let the manager talk through sockets in it."""
        manager: Any = self.parent
        await asyncio.to_thread(self._warm_parent.start)
        if self._folder is None or not self._folder.parent.is_dir():
            assert self._warm_parent.folder is not None
            self._folder = self._warm_parent.folder / os.urandom(8).hex()
            self._folder.mkdir(mode=0o711 if os.geteuid() == 0 else 0o700)
            # The ports are only names here, "k-1" to "k-5".
            manager.transport, manager.ip = "ipc", str(self._folder / "sockets" / "k")
        for part in ("sockets", "root"):
            _remove(self._folder / part)  # left from before a restart
            (self._folder / part).mkdir(mode=0o700)
        manager.write_connection_file()
        self.connection_info = manager.get_connection_info()
        kwargs = await super().pre_launch(**kwargs)
        return {"cmd": []} | kwargs

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        """Have a kernel forked; `cmd` and the environment of this process play no part."""
        await asyncio.to_thread(self._launch)
        return self.connection_info

    def _launch(self) -> None:
        request = {
            "folder": str(self._folder),
            "files": os.path.abspath(self.files) if self.files else None,
            "limits": dataclasses.asdict(self.limits),
            "connection": self.connection_as_text(),
            "env": dict(self.kernel_spec.env),
        }
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._warm_parent.ask(request, theirs)
        self._status, ready = None, False
        try:
            while not (ready and self.has_process):  # told by two processes, in any order
                answer, descriptors = receive(ours, PatienceLimits.parent_start_seconds)
                if descriptors:
                    self._pidfd, self._line, self.pid = descriptors[0], ours, answer["pid"]
                ready = ready or "ready" in answer
        except BaseException:
            self._kill()
            self._forget()
            ours.close()
            raise
        ours.setblocking(False)

    async def poll(self) -> int | None:
        """Return None while the kernel runs, then its exit status (negative: the signal)."""
        if self._line is not None:
            with contextlib.suppress(BlockingIOError):
                message = self._line.recv(1 << 16)
                # No message: the parent itself was killed, and took its kernels along.
                self._status = json.loads(message)["exit"] if message else -signal.SIGKILL
                self._line.close()
                self._line = None
        return self._status if self.has_process else self._status or 0

    async def wait(self) -> int | None:
        """Wait for the kernel's end and return its exit status."""
        while (status := await self.poll()) is None:
            await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
        self._forget()
        return status

    async def send_signal(self, signum: int) -> None:
        """Send a signal to the kernel; to nobody if it has ended."""
        if self._pidfd is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signum)

    def _kill(self) -> None:
        if self._pidfd is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    async def kill(self, restart: bool = False) -> None:
        """End the kernel at once. It is a single process: nothing of it stays."""
        self._kill()
        for _ in range(200):  # the manager itself would look again only after 0.1 s
            if await self.poll() is not None:
                break
            await asyncio.sleep(SECONDS_BETWEEN_LOOKS)

    async def terminate(self, restart: bool = False) -> None:
        """Ask the kernel to end."""
        await self.send_signal(signal.SIGTERM)

    def _forget(self) -> None:
        if self._pidfd is not None:
            os.close(self._pidfd)
        if self._line is not None:
            self._line.close()
        self._pidfd = self._line = None

    async def cleanup(self, restart: bool = False) -> None:
        """Remove the kernel and everything that it wrote."""
        self._kill()
        if self.has_process:
            await self.wait()
        if not restart and self._folder is not None:
            _remove(self._folder)
            self._folder = None


def _remove(folder: Path) -> None:
    """Remove what student code may have left, folders without rights and deep ones included."""
    try:
        shutil.rmtree(folder)
    except FileNotFoundError:
        pass
    except (OSError, RecursionError):
        subprocess.run(["chmod", "-R", "u+rwX", folder], check=False, capture_output=True)
        subprocess.run(["rm", "-rf", "--one-file-system", folder], check=True)


class _PromptClient:
    """A client that is ready when the kernel is, instead of after a fixed pause of 0.2 s."""

    async def _async_wait_for_ready(self: Any, timeout: float | None = None) -> None:
        """Return when the kernel has answered on both channels, so that no output can be missed."""
        seconds = PatienceLimits.parent_start_seconds if timeout is None else timeout
        end = asyncio.get_running_loop().time() + seconds
        answered = connected = False
        while not (answered and connected):
            self.kernel_info()
            # Its output comes before its reply, but its channel may be connected later.
            with contextlib.suppress(queue.Empty):
                message = await ensure_async(self.shell_channel.get_msg(timeout=0.5))
                if message["msg_type"] == "kernel_info_reply":
                    self._handle_kernel_info_reply(message)
                    answered = True
                    await ensure_async(self.iopub_channel.get_msg(timeout=0.05))
                    connected = True
            if not await self._async_is_alive():
                status = await self.parent.provisioner.poll()
                raise RuntimeError(f"The kernel ended with status {status} before its first cell.")
            if asyncio.get_running_loop().time() > end:
                raise RuntimeError(f"The kernel did not answer within {seconds} seconds.")


class ConfinedClient(_PromptClient, AsyncKernelClient):
    """The client that `kernel_manager` gives, as nbclient wants it."""

    wait_for_ready = _PromptClient._async_wait_for_ready


class BlockingConfinedClient(_PromptClient, BlockingKernelClient):
    """The same for a `KernelManager` without asyncio."""

    wait_for_ready = run_sync(_PromptClient._async_wait_for_ready)


class _OneSpec(KernelSpecManager):
    """A manager of kernel specs that knows one more, made here, than those of the machine."""

    def __init__(self, name: str, spec: KernelSpec, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._name, self._spec = name, spec

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        return self._spec if kernel_name == self._name else super().get_kernel_spec(kernel_name)


def kernel_manager(
    limits: SandboxLimits | None = None,
    files: Path | None = None,
    *,
    env: dict[str, str] | None = None,
    namespaces: bool = True,
    manager_class: type[KernelManager] = AsyncKernelManager,
) -> KernelManager:
    """Return a manager whose kernels are confined.

    Without `limits` they are those that the manager's configuration sets for `SandboxProvisioner`.
    A kernel starts in a fresh folder that holds a copy of `files`; links in there are copied as
    links and lead nowhere. `env` is all that its environment contains beside HOME and the like.
    Without `namespaces` a kernel is confined by landlock and seccomp alone, as on a host that
    allows no other.
    Give it to nbclient as `NotebookClient(notebook, km=kernel_manager(...))`.
    """
    config = {} if namespaces else {"namespaces": False}
    return manager_of(NAME, config, limits, files, env, manager_class)


def manager_of(
    provisioner: str,
    config: dict[str, Any],
    limits: SandboxLimits | None,
    files: Path | None,
    env: dict[str, str] | None,
    manager_class: type[KernelManager],
) -> KernelManager:
    """Return a manager of kernels that a `LimitedProvisioner` of that name starts."""
    if limits is not None:  # else those of a configuration, which what stands here would outweigh
        config = config | dataclasses.asdict(limits)
    if files is not None:
        if not Path(files).is_dir():
            raise NotADirectoryError(f"files: found {files}, expected a folder to copy from.")
        config["files"] = str(files)
    spec = KernelSpec(
        argv=[f"{provisioner}-kernel"],  # never run: the provisioner knows what to start
        display_name="Python 3 (confined)",
        language="python",
        env=env or {},
        metadata={"kernel_provisioner": {"provisioner_name": provisioner, "config": config}},
    )
    asynchronous = issubclass(manager_class, AsyncKernelManager)
    return manager_class(
        kernel_name=provisioner,
        kernel_spec_manager=_OneSpec(provisioner, spec),
        client_factory=ConfinedClient if asynchronous else BlockingConfinedClient,
    )
