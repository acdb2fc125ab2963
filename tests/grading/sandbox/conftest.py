"""A kernel to talk to, and things outside that it must not see."""

import functools
import os
import time
from pathlib import Path
from queue import Empty

import pytest
from jupyter_client.manager import KernelManager

from grading.limits import SandboxLimits
from grading.running.sandbox import available, kernel_manager
from grading.running.sandbox.container import container_manager

SECRET = "sesame-of-the-instructor"
os.environ["COURSE_TOKEN"] = SECRET  # before the warm parent starts


def pytest_collection_modifyitems(items):
    usable, reason = available()
    for item in items:
        here = Path(__file__).parent in item.path.parents and item.path.stem != "test_container"
        if here and not usable:
            item.add_marker(pytest.mark.skip(reason=reason))


class Kernel:
    """A running confined kernel and what its cells print."""

    def __init__(
        self,
        limits: SandboxLimits | None = None,
        files: Path | None = None,
        image: str = "",
        **options,
    ):
        make = functools.partial(container_manager, image) if image else kernel_manager
        self.manager = make(limits, files, manager_class=KernelManager, **options)
        started = time.perf_counter()
        self.manager.start_kernel()
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)
        self.seconds_to_start = time.perf_counter() - started

    @property
    def pid(self) -> int:
        return self.manager.provisioner.pid

    def run(self, code: str, timeout: float = 60) -> str:
        """Run a cell; return what it printed and showed, and its error as `Name: text`."""
        identity = self.client.execute(code)
        shown, end = [], time.monotonic() + timeout
        while time.monotonic() < end:
            try:
                message = self.client.get_iopub_msg(timeout=0.5)
            except Empty:
                if not self.manager.is_alive():
                    return "".join(shown) + "DIED"
                continue
            if message["parent_header"].get("msg_id") != identity:
                continue
            content = message["content"]
            match message["msg_type"]:
                case "stream":
                    shown.append(content["text"])
                case "execute_result" | "display_data":
                    shown += [f"<{kind}>" for kind in content["data"] if kind != "text/plain"]
                    shown.append(content["data"].get("text/plain", ""))
                case "error":
                    shown.append(f"{content['ename']}: {content['evalue']}")
                case "status" if content["execution_state"] == "idle":
                    return "".join(shown)
        return "".join(shown) + "TIMEOUT"

    def begin(self, code: str) -> None:
        """Start a cell that does not end, and wait until it has printed something."""
        identity, begun = self.client.execute(code), False
        while not begun:  # a kernel may print something of its own while it starts
            message = self.client.get_iopub_msg(timeout=60)
            of_the_cell = message["parent_header"].get("msg_id") == identity
            begun = of_the_cell and message["msg_type"] == "stream"

    def answers_again(self) -> bool:
        """Whether it does: IPython drops for a moment what is queued behind an interrupted cell."""
        for _ in range(100):
            if self.run("1 + 1") == "2":
                return True
            time.sleep(0.1)
        return False

    def ended(self, seconds: float = 60) -> int | None:
        """Wait for the kernel's end; return its exit status."""
        end = time.monotonic() + seconds
        while self.manager.is_alive() and time.monotonic() < end:
            time.sleep(0.02)
        assert not self.manager.is_alive()
        return self.manager.provisioner._status

    def close(self, now: bool = True) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=now)


@pytest.fixture
def start():
    """Start kernels that are gone after the test."""
    kernels = []

    def start(*args, **options) -> Kernel:
        kernels.append(Kernel(*args, **options))
        return kernels[-1]

    yield start
    for kernel in kernels:
        kernel.close()


@pytest.fixture(scope="module", params=["namespaces", "no namespaces"])
def any_kernel(request):
    """A kernel of each kind: on a host that allows namespaces, and on one that does not."""
    kernel = Kernel(namespaces=request.param == "namespaces")
    yield kernel
    kernel.close()


@pytest.fixture(scope="session")
def outside(tmp_path_factory) -> Path:
    """A folder with a gradebook and another student's work, readable by everybody."""
    folder = tmp_path_factory.mktemp("course")
    (folder / "gradebook.db").write_text(SECRET)
    (folder / "submitted/ada/01").mkdir(parents=True)
    (folder / "submitted/ada/01/work.ipynb").write_text(SECRET)
    for path in (folder, *folder.parents[:2], *folder.rglob("*")):
        path.chmod(0o755)
    return folder
