"""Kernels in containers of Podman or Docker, which need an image (see `Containerfile`)."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest

from grading.content.release import EXERCISES_FOLDER
from grading.limits import MIB, SandboxLimits
from grading.running.kernel import Bounds
from grading.running.sandbox import SandboxError
from grading.running.sandbox.container import IMAGE, container_manager, engine, image_available

from .conftest import SECRET

ROOT = EXERCISES_FOLDER.parent


@pytest.fixture(scope="session")
def image() -> str:
    usable, reason = image_available(IMAGE)
    if usable:  # by this machine, as it is set up, and for this Python?
        version = "import sys; print(sys.version_info[:2])"
        command = [engine(), "run", "--rm", "--network=none", IMAGE, "python3", "-c", version]
        tried = subprocess.run(command, capture_output=True, text=True, check=False)
        reason = tried.stderr.strip() or f"{IMAGE} has Python {tried.stdout.strip()}"
        usable = tried.stdout.strip() == str(sys.version_info[:2])
    if not usable:
        pytest.skip(f"NOT TESTED, containers: {reason}")
    return IMAGE


@pytest.fixture
def contained(start, image):
    """Start kernels in containers; afterwards nothing of them is left."""
    before = set(Path("/tmp").glob("course-container-*"))
    kernels = []

    def run(*args, **options):
        kernels.append(start(*args, image=image, **options))
        return kernels[-1]

    yield run
    names = [kernel.manager.provisioner._name for kernel in kernels]
    for kernel in kernels:
        kernel.close()
    assert not set(names) & set(containers())
    assert set(Path("/tmp").glob("course-container-*")) <= before


def containers() -> list[str]:
    """The names of all containers, also of those that have ended."""
    command = [engine(), "ps", "--all", "--format", "{{.Names}}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def wait_until(condition, seconds: float = 60) -> bool:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.1)
    return condition()


# ---- What an instructor sees -------------------------------------------------------------------


def test_a_right_notebook_gets_its_points_and_an_endless_loop_costs_its_own_exercise(
    image, grade, notebook_with
):
    loop = "def weights_time_first(query, key):\n    while True:\n        pass\n"
    bounds = Bounds(cell_seconds=20, call_seconds=2, notebook_seconds=90, container=image)
    verdicts = grade(notebook_with(weights_time_first=loop), bounds)
    assert verdicts.pop("weights_time_first").points == 0
    assert [v.points for v in verdicts.values()] == [v.max_points for v in verdicts.values()]


def test_without_an_engine_it_says_what_to_install(monkeypatch):
    monkeypatch.setenv("COURSE_CONTAINER_ENGINE", "no-such-engine")
    usable, sentence = image_available(IMAGE)
    assert not usable
    assert "no-such-engine" in sentence


def test_without_the_image_the_command_says_so_and_ends(image, tmp_path, solved):
    nbformat.write(solved, tmp_path / "notebook.ipynb")
    command = "-m grading try 01_simple_attention --container no-such-image"
    done = subprocess.run(
        [sys.executable, *command.split(), tmp_path / "notebook.ipynb"],
        cwd=ROOT, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == 2
    assert "no-such-image" in done.stderr


# ---- What student code finds -------------------------------------------------------------------


def test_neither_the_host_nor_the_course_nor_a_network_is_there(contained, outside, tmp_path):
    (tmp_path / "data.txt").write_text("beside the notebook")
    kernel = contained(files=tmp_path, env={"OMP_NUM_THREADS": "1"})
    code = f"""
import os, socket, importlib.util
print(open("data.txt").read())
print([os.path.exists(p) for p in ({str(outside)!r}, {str(ROOT)!r}, {str(Path.home() / ".ssh")!r})])
print([importlib.util.find_spec(name) for name in ("solutions", "grading")])
print({SECRET!r} in str(os.environ), os.environ["OMP_NUM_THREADS"], os.getuid() > 1000)
print(sorted(os.listdir("/sys/class/net")))
try: socket.create_connection(("127.0.0.1", 22), timeout=2)
except OSError as error: print("no connection")
try: socket.create_connection(("192.0.2.1", 80), timeout=2)
except OSError as error: print("no way out")
"""
    assert kernel.run(code).splitlines() == [
        "beside the notebook",
        "[False, False, False]",
        "[None, None]",
        "False 1 True",
        "['lo']",
        "no connection",
        "no way out",
    ]


def test_only_the_scratch_folder_can_be_written_and_it_has_a_size(contained):
    kernel = contained(SandboxLimits(scratch_bytes=32 * MIB))
    code = """
for place in ("/", "/usr", "/etc", "/home", "/root", "/opt"):
    try: open(place + "/x", "w"); print(place)
    except OSError: pass
try:
    for n in range(64): open(f"/tmp/{n}", "wb").write(bytes(2**20))
except OSError as error: print(error.strerror, n < 33)
"""
    assert kernel.run(code) == "No space left on device True\n"


def test_the_first_process_of_the_container_is_out_of_reach(contained):
    kernel = contained()
    code = """
import os, signal
for number in (signal.SIGKILL, signal.SIGSTOP): os.kill(1, number)
for name in ("mem", "environ", "fd/0", "fd/1"):
    try: open(f"/proc/1/{name}", "r+b"); print(name)
    except OSError as error: pass
"""
    assert kernel.run(code) == ""
    assert kernel.run("1 + 1") == "2"


def test_memory_is_bounded_for_one_process_and_for_all_together(contained, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    kernel = contained(SandboxLimits(memory=256 * MIB, scratch_bytes=16 * MIB))
    assert kernel.run("x = bytearray(3 * 2**30)").startswith("MemoryError")
    code = """
import os, time
for _ in range(12):
    if not os.fork():
        x = bytearray(b"x") * (500 * 2**20)
        time.sleep(1000)
time.sleep(8)
status = [os.waitpid(-1, os.WNOHANG) for _ in range(12)]
print(sum(pid > 0 for pid, _ in status) >= 8)
"""
    # Twelve times 500 MB do not fit into 1.3 GB: Linux ends most of them, or the kernel itself.
    assert kernel.run(code) in ("True\n", "DIED")
    assert not list(tmp_path.iterdir())  # Podman would leave a file where it was started


def test_processes_are_bounded_and_end_with_the_kernel(contained):
    kernel = contained(SandboxLimits(threads=100))
    code = """
import subprocess, sys
count = 0
try:
    while count < 500: subprocess.Popen(["sleep", "1000"]); count += 1
except OSError: pass
print(10 < count < 100)
"""
    assert kernel.run(code) == "True\n"


# ---- Its life ----------------------------------------------------------------------------------


def test_an_endless_loop_is_interrupted_and_the_kernel_lives(contained):
    kernel = contained()
    kernel.begin("print(1, flush=True)\nwhile True: pass")
    kernel.manager.interrupt_kernel()
    assert kernel.client.get_shell_msg(timeout=60)["content"]["ename"] == "KeyboardInterrupt"
    assert kernel.answers_again()


def test_a_kernel_that_ends_is_noticed_and_can_be_restarted(contained):
    kernel = contained()
    kernel.run("import os; os._exit(7)")
    assert wait_until(lambda: not kernel.manager.is_alive())
    kernel.manager.restart_kernel(now=True)
    kernel.client.wait_for_ready(timeout=60)
    assert kernel.run("import os; os.listdir()") == "[]"


def test_much_output_arrives_whole(contained):
    kernel = contained()
    assert len(kernel.run("for _ in range(2_000): print('x' * 9_999)")) == 20_000_000


def test_files_that_do_not_fit_are_an_error_with_a_reason(image, tmp_path):
    (tmp_path / "large").write_bytes(bytes(2**22))
    from jupyter_client.manager import KernelManager

    limits = SandboxLimits(scratch_bytes=2**20)
    manager = container_manager(image, limits, tmp_path, manager_class=KernelManager)
    with pytest.raises(SandboxError, match="No space left"):
        manager.start_kernel()


GRADER = """
import sys
from jupyter_client.manager import KernelManager
from grading.running.sandbox.container import container_manager
manager = container_manager(sys.argv[1], manager_class=KernelManager)
manager.start_kernel()
client = manager.client(); client.start_channels(); client.wait_for_ready(timeout=60)
client.execute("import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\\nwhile True: pass")
unit = manager.provisioner
print(unit._name, unit._running.process.pid, unit._folder, flush=True)
input()
"""


@pytest.mark.parametrize("victims", ["grader", "grader and engine"])
def test_when_the_grader_is_killed_its_containers_end(image, victims):
    with subprocess.Popen(
        [sys.executable, "-c", GRADER, image],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as grader:  # fmt: skip
        name, engine_pid, folder = grader.stdout.readline().split()
        assert name in containers()
        if "engine" in victims:
            os.kill(int(engine_pid), signal.SIGKILL)
        grader.kill()
    shutil.rmtree(folder)
    assert wait_until(lambda: name not in containers())
