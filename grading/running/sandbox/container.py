"""Kernels in containers of Podman or Docker, for hosts that cannot confine, behind the same door.

`ContainerProvisioner` is registered as the kernel provisioner `course-container`. Each kernel gets
a fresh container of an image that holds Python and the libraries (`Containerfile`): no network, no
folder of the host, no rights, a file system that is read-only except for a bounded scratch folder
in memory. It is reached through the container's standard input and output alone (`relay.py`).
"""

import asyncio
import concurrent.futures
import contextlib
import functools
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.manager import AsyncKernelManager, KernelManager
from traitlets import Unicode

from grading.limits import MachineLimits, PatienceLimits, SandboxLimits

from .confine import NOBODY
from .provisioner import (
    LimitedProvisioner,
    SandboxError,
    manager_of,
)
from .relay import CHANNELS, Relay, frame, read_frame

NAME = "course-container"
IMAGE = "transformer-course"
ENVIRONMENT = {
    "USER": "student",
    "LOGNAME": "student",
    "LANG": "C.UTF-8",
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
}


def engine() -> str:
    """Return the command of Podman or Docker; COURSE_CONTAINER_ENGINE may name one."""
    named = os.environ.get("COURSE_CONTAINER_ENGINE")
    for name in [named] if named else ["podman", "docker"]:
        if found := shutil.which(name):
            return found
    raise SandboxError(f"Containers need {named or 'Podman or Docker'}, which is not installed.")


def image_available(image: str) -> tuple[bool, str]:
    """Say whether containers of an image can be started here, and why (not), in one sentence."""
    try:
        command = [engine(), "image", "inspect", "--format", "{{.Id}}", image]
    except SandboxError as error:
        return False, str(error)
    seconds = PatienceLimits.engine_seconds
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=seconds)
    if done.returncode == 0:
        return True, f"{Path(command[0]).name} has the image {image}."
    said = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
    return False, (
        f"{Path(command[0]).name} cannot use the image {image} ({said}): make it as the chapter "
        "for instructors says."
    )


def command_line(name: str, image: str, limits: SandboxLimits) -> list[str]:
    """Return the command that runs the relay as the first process of a new container.

    Podman knows no bound for the number of files: they count as memory, which has one.
    """
    data = limits.memory + MachineLimits.container_libraries_bytes
    memory = data + limits.scratch_bytes
    bounds = {
        "data": data,  # first a MemoryError, and only then the end
        "cpu": limits.cpu_seconds,
        "fsize": limits.file_bytes,
        "nofile": limits.open_files,
        "core": 0,
        "nproc": MachineLimits.container_threads,
    }
    return [
        engine(), "run", "--rm", "--interactive", f"--name={name}",
        "--pull=never", "--log-driver=none",
        "--network=none", "--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges",
        f"--user={NOBODY}:{NOBODY}", f"--pids-limit={limits.threads}",
        f"--memory={memory}", f"--memory-swap={memory}",
        *(f"--ulimit={kind}={bound}:{bound}" for kind, bound in bounds.items()),
        f"--tmpfs=/tmp:size={limits.scratch_bytes},mode=1777",
        "--workdir=/tmp", "--entrypoint=python3", image, "-I", "-c", _relay_program(),
    ]  # fmt: skip


@functools.cache
def _relay_program() -> str:
    return Path(__file__).with_name("relay.py").read_text()


def _packed(folder: str) -> bytes:
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        for path in Path(folder).iterdir() if folder else ():
            tar.add(path, path.name)
    return archive.getvalue()


@dataclass
class _Running:
    """A container that was started, and the thread that follows its life."""

    process: asyncio.subprocess.Process  # `podman run`
    stdin: asyncio.StreamWriter
    stdout: asyncio.StreamReader
    stderr: asyncio.StreamReader
    thread: threading.Thread
    loop: asyncio.AbstractEventLoop  # the thread's
    stop: asyncio.Event

    def do(self, work: Callable[..., Any], *arguments: Any) -> None:
        """Have something done in the container's thread, if that lives."""
        with contextlib.suppress(RuntimeError):
            self.loop.call_soon_threadsafe(work, *arguments)


async def _run(command: list[str], folder: Path | None) -> _Running:
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=folder,  # where Podman leaves a file if Linux ends a container for its memory
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C in the terminal is not for it
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    return _Running(
        process,
        process.stdin,
        process.stdout,
        process.stderr,
        threading.current_thread(),
        asyncio.get_running_loop(),
        asyncio.Event(),
    )


class ContainerProvisioner(LimitedProvisioner):
    """One kernel in a container of its own."""

    image = Unicode(IMAGE, help="image of the container").tag(config=True)

    _folder: Path | None = None  # where the sockets are that clients connect to
    _running: _Running | None = None
    _name = ""

    @property
    def has_process(self) -> bool:
        """Say whether a container was started that has not been waited for."""
        return self._running is not None

    async def pre_launch(self, **kwargs: Any) -> dict[str, Any]:
        """Choose where clients connect."""
        manager: Any = self.parent
        if self._folder is None:  # in /tmp, because a socket's path has 108 bytes at most
            self._folder = Path(tempfile.mkdtemp(prefix="course-container-", dir="/tmp"))
            manager.transport, manager.ip = "ipc", str(self._folder / "k")
        manager.write_connection_file()
        self.connection_info = manager.get_connection_info()
        return {"cmd": []} | await super().pre_launch(**kwargs)

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        """Start a container; `cmd` and the environment of this process play no part."""
        self._name = f"course-{os.urandom(8).hex()}"
        started: concurrent.futures.Future[None] = concurrent.futures.Future()
        threading.Thread(
            target=asyncio.run, args=(self._live(started),), name=self._name, daemon=True
        ).start()
        try:
            await asyncio.wrap_future(started)
        except BaseException:
            await self.cleanup()
            raise
        return self.connection_info

    async def _live(self, started: concurrent.futures.Future[None]) -> None:
        """Follow a container from its start to its end, in a thread of its own."""
        async with contextlib.AsyncExitStack() as stack:
            try:
                command = command_line(self._name, self.image, self.limits)
                running = self._running = await _run(command, self._folder)
                stack.push_async_callback(self._end, running)
                async with asyncio.timeout(PatienceLimits.parent_start_seconds):
                    await self._begin(running)
                relay = Relay(running.stdout, running.stdin)
                connection = self.connection_as_text()
                for channel, name in enumerate(CHANNELS, 1):
                    place = f"{connection['ip']}-{connection[name]}"
                    accept = functools.partial(relay.accept, channel)
                    stack.callback((await asyncio.start_unix_server(accept, place)).close)
            except TimeoutError:
                started.set_exception(SandboxError("The container did not start in time."))
            except Exception as error:
                started.set_exception(error)
            else:
                started.set_result(None)
                waiting: list[asyncio.Task[Any]] = [
                    asyncio.create_task(relay.serve()),
                    asyncio.create_task(running.stop.wait()),
                ]
                await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                waiting[0].cancel()
                relay.close_all()

    async def _begin(self, running: _Running) -> None:
        """Tell the relay what to start, and wait until it has."""
        asked = {
            "version": sys.version_info[:2],
            "connection": self.connection_as_text(),
            "env": ENVIRONMENT | self.kernel_spec.env,
        }
        try:
            running.stdin.write(frame(0, 0, json.dumps(asked).encode()))
            running.stdin.write(frame(0, 0, _packed(self.files)))
            await running.stdin.drain()
            await read_frame(running.stdout)
        except (OSError, asyncio.IncompleteReadError):
            said = (await running.stderr.read()).decode(errors="replace").strip()
            raise SandboxError(f"The container did not start: {said[-2000:]}") from None

    async def _end(self, running: _Running) -> None:
        """End the container, which ends by itself if its input does, and wait until it is gone."""
        process = running.process
        running.stdin.close()
        over = asyncio.gather(_drain(running.stdout), _drain(running.stderr), process.wait())
        await asyncio.wait([over], timeout=PatienceLimits.container_end_seconds)
        if process.returncode is None or process.returncode < 0:  # killed: the container may live
            kill = await asyncio.create_subprocess_exec(
                engine(), "kill", self._name, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            await kill.wait()
        await over

    async def poll(self) -> int | None:
        """Return None while the container runs, then its exit status."""
        return self._running.process.returncode if self._running is not None else 0

    async def wait(self) -> int | None:
        """Wait until nothing is left of the container and return its exit status."""
        if self._running is not None:
            await asyncio.to_thread(self._running.thread.join)
        status = await self.poll()
        self._running = None
        return status

    async def send_signal(self, signum: int) -> None:
        """Send a signal to the kernel."""
        if self._running is not None:
            self._running.do(self._running.stdin.write, frame(signum, 0, b""))

    async def kill(self, restart: bool = False) -> None:
        """End the container at once."""
        if self._running is not None:
            self._running.do(self._running.stop.set)
            await asyncio.to_thread(self._running.thread.join)

    async def terminate(self, restart: bool = False) -> None:
        """Ask the kernel to end; the container ends with it."""
        await self.send_signal(signal.SIGTERM)

    async def cleanup(self, restart: bool = False) -> None:
        """Remove the container and what was made for it."""
        if self.has_process:
            await self.kill()
            await self.wait()
        if not restart and self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None


async def _drain(stream: asyncio.StreamReader) -> None:
    while await stream.read(1 << 16):
        pass


def container_manager(
    image: str = IMAGE,
    limits: SandboxLimits | None = None,
    files: Path | None = None,
    *,
    env: dict[str, str] | None = None,
    manager_class: type[KernelManager] = AsyncKernelManager,
) -> KernelManager:
    """Return a manager whose kernels run in containers; otherwise as `kernel_manager`."""
    return manager_of(NAME, {"image": image}, limits, files, env, manager_class)
