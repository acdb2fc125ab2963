"""From start to end: statuses, interrupts, restarts, leaks, other programs' ways of starting."""

import asyncio
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import psutil
import pytest
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient

from grading.limits import SandboxLimits
from grading.running.launch import LARGE_LIBRARIES
from grading.running.sandbox import SandboxError, available, kernel_manager, warm_parent
from grading.running.sandbox.provisioner import WarmParent


def test_linux_can_confine():
    usable, sentence = available()
    assert usable or sys.platform != "linux"
    assert sentence.endswith(".")


def test_another_system_is_refused_with_a_way_out(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    usable, sentence = available.__wrapped__()
    assert not usable
    assert "darwin" in sentence
    assert "--insecure" in sentence


def test_a_linux_without_landlock_is_refused_with_a_way_out(monkeypatch):
    from grading.running.sandbox import confine

    monkeypatch.setattr(confine, "inspect_host", lambda: confine.HostFeatures(0, namespaces=True))
    usable, sentence = available.__wrapped__()
    assert not usable
    assert "landlock" in sentence
    assert "--insecure" in sentence


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("import os; os._exit(7)", 7),
        ("exit", 0),
        ("import ctypes; ctypes.string_at(0)", -signal.SIGSEGV),
        ("import os; os.abort()", -signal.SIGABRT),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL),
    ],
)
def test_a_kernel_that_ends_tells_how(start, code, status):
    kernel = start()
    kernel.run(code)
    assert kernel.ended() == status


def test_an_endless_loop_is_interrupted_and_the_kernel_lives(start):
    kernel = start()
    kernel.begin("print(1, flush=True)\nwhile True: pass")
    kernel.manager.interrupt_kernel()
    assert kernel.client.get_shell_msg(timeout=60)["content"]["ename"] == "KeyboardInterrupt"
    assert kernel.answers_again()


def test_a_kernel_that_ignores_everything_is_killed(start):
    kernel = start()
    kernel.begin(
        "import signal, threading\n"
        "for n in (signal.SIGINT, signal.SIGTERM): signal.signal(n, signal.SIG_IGN)\n"
        "print(1, flush=True)\n"
        "while True: threading.Thread(target=lambda: 1).start()"
    )
    pid = kernel.pid
    kernel.close(now=False)
    assert not psutil.pid_exists(pid)


def test_threads_that_outlive_their_cell_end_with_the_kernel(start):
    kernel = start()
    kernel.run(
        "import threading, time\n"
        "def work():\n    while True: time.sleep(0.01)\n"
        "for _ in range(20): threading.Thread(target=work).start()"
    )
    pid = kernel.pid
    kernel.close(now=False)
    assert not psutil.pid_exists(pid)


def test_a_restarted_kernel_is_fresh(start):
    kernel = start()
    kernel.run("x = 1; open('trace', 'w').write('x')")
    first = kernel.pid
    kernel.manager.restart_kernel(now=True)
    kernel.client.wait_for_ready(timeout=60)
    assert kernel.pid != first
    assert kernel.run("import os; print(os.listdir(), 'x' in globals())") == "[] False\n"


def test_a_killed_kernel_leaves_the_others_and_the_parent_alone(start):
    parent, one, other = warm_parent.start(), start(), start()
    os.kill(one.pid, signal.SIGKILL)
    assert one.ended() == -signal.SIGKILL
    assert other.run("1 + 1") == "2"
    assert warm_parent.start() == parent


def test_after_the_parent_was_killed_its_kernels_are_dead_and_new_ones_start(start):
    kernel = start()
    folder = warm_parent.folder
    os.kill(warm_parent.start(), signal.SIGKILL)
    assert kernel.ended() == -signal.SIGKILL
    assert start().run("1 + 1") == "2"
    assert not folder.exists()


def test_a_parent_that_lacks_what_is_needed_now_is_replaced():
    parent, pids = WarmParent(), []
    try:
        for left_out in (("pandas", "scipy"), ("scipy", "pandas", "optim"), ("pandas",), ()):
            parent.begin(left_out)
            pids.append(parent._pid)
    finally:
        parent.stop()
    assert pids[0] == pids[1]
    assert len(set(pids)) == 3


def _adopt_and_start(parent, told):
    warm_parent.adopt(parent)
    manager = kernel_manager(manager_class=KernelManager)
    manager.start_kernel()
    told.send((warm_parent.start(), manager.provisioner.pid))
    time.sleep(60)


def test_a_process_that_adopted_the_parent_takes_only_its_own_kernels_along(start):
    own, context = start(), multiprocessing.get_context("spawn")
    heard, told = context.Pipe(duplex=False)
    other = context.Process(target=_adopt_and_start, args=(warm_parent.share(), told))
    other.start()
    parent, kernel = heard.recv()
    assert parent == warm_parent.start()
    assert psutil.Process(kernel).ppid() == parent
    other.kill()
    other.join()
    end = time.monotonic() + 60
    while time.monotonic() < end and psutil.pid_exists(kernel):
        time.sleep(0.02)
    assert not psutil.pid_exists(kernel)
    assert own.run("1 + 1") == "2"
    assert warm_parent.start() == parent


def test_when_the_owner_is_killed_parent_kernels_and_folders_go(tmp_path):
    script = (
        "import os, time\n"
        "from jupyter_client.manager import KernelManager\n"
        "from grading.running.sandbox import kernel_manager, warm_parent\n"
        f"warm_parent.begin({LARGE_LIBRARIES})\n"
        "manager = kernel_manager(manager_class=KernelManager); manager.start_kernel()\n"
        "print(warm_parent.start(), manager.provisioner.pid, warm_parent.folder, flush=True)\n"
        "time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as owner:
        parent, kernel, folder = owner.stdout.readline().decode().split()
        assert psutil.pid_exists(int(kernel))
        owner.kill()

    def left() -> list[str]:
        alive = [pid for pid in (parent, kernel) if psutil.pid_exists(int(pid))]
        return [*alive, *([folder] if Path(folder).exists() else [])]

    end = time.monotonic() + 60
    while left() and time.monotonic() < end:
        time.sleep(0.05)
    assert not left()


def test_many_kernels_leak_neither_processes_nor_descriptors_nor_folders_nor_memory(start):
    for _ in range(5):
        start().close()
    parent = psutil.Process(warm_parent.start())
    own = psutil.Process()
    before = (parent.num_fds(), own.num_fds(), len(list(warm_parent.folder.iterdir())))
    memory = parent.memory_full_info().uss
    for _ in range(30):
        kernel = start()
        assert kernel.run("1 + 1") == "2"
        kernel.close()
    assert parent.children() == []
    after = (parent.num_fds(), own.num_fds(), len(list(warm_parent.folder.iterdir())))
    assert after[0] == before[0]
    assert after[1] <= before[1] + 2
    assert after[2] == before[2]
    assert parent.memory_full_info().uss - memory < 4 * 2**20


def test_the_folder_of_a_kernel_goes_with_it(start):
    kernel = start()
    folder = kernel.manager.provisioner._folder
    assert folder.exists()
    kernel.close()
    assert not folder.exists()


def test_files_that_do_not_fit_are_an_error_with_a_reason(tmp_path):
    (tmp_path / "large").write_bytes(bytes(2**22))
    manager = kernel_manager(SandboxLimits(scratch_bytes=2**20), tmp_path)
    with pytest.raises(SandboxError, match="No space left"):
        asyncio.run(manager.start_kernel())


def test_a_folder_that_does_not_exist_is_named(tmp_path):
    with pytest.raises(NotADirectoryError, match="nowhere"):
        kernel_manager(files=tmp_path / "nowhere")


def _notebook() -> nbformat.NotebookNode:
    cells = [
        nbformat.v4.new_code_cell("import torch; torch.ones(2).sum().item()"),
        nbformat.v4.new_code_cell("import os; os.path.exists('/etc/passwd'), 'HOME' in os.environ"),
    ]
    return nbformat.v4.new_notebook(cells=cells)


def test_nbclient_runs_notebooks_in_confined_kernels():
    notebook = _notebook()
    NotebookClient(notebook, km=kernel_manager(), timeout=60).execute()
    shown = [cell.outputs[0]["data"]["text/plain"] for cell in notebook.cells]
    assert shown == ["2.0", "(False, True)"]


def test_eight_notebooks_run_at_the_same_time():
    async def run_all():
        notebooks = [_notebook() for _ in range(8)]
        clients = [NotebookClient(n, km=kernel_manager(), timeout=600) for n in notebooks]
        await asyncio.gather(*(client.async_execute() for client in clients))
        return [n.cells[0].outputs[0]["data"]["text/plain"] for n in notebooks]

    assert asyncio.run(run_all()) == ["2.0"] * 8


def test_any_jupyter_program_can_be_told_to_use_the_sandbox(tmp_path):
    nbformat.write(_notebook(), tmp_path / "notebook.ipynb")
    environment = {**os.environ, "JUPYTER_DEFAULT_PROVISIONER_NAME": "course-sandbox"}
    command = "jupyter nbconvert --to notebook --execute notebook.ipynb --output done.ipynb"
    program = Path(sys.executable).with_name("jupyter")
    subprocess.run(
        [program, *command.split()[1:]], cwd=tmp_path, env=environment, check=True, timeout=600
    )
    done = nbformat.read(tmp_path / "done.ipynb", as_version=4)
    assert done.cells[1].outputs[0]["data"]["text/plain"] == "(False, True)"


ORDINARY_USER = """
import os, sys
os.environ["HOME"] = "/nonexistent"
from jupyter_client.manager import KernelManager
from grading.running.sandbox import kernel_manager, available, warm_parent
warm_parent.begin(LIBRARIES)
manager = kernel_manager(manager_class=KernelManager)
manager.start_kernel()
client = manager.client(); client.start_channels(); client.wait_for_ready(timeout=60)
code = '''
import os, threading
stop, n = threading.Event(), 0
try:
    while n < 10_000: threading.Thread(target=stop.wait).start(); n += 1
except RuntimeError: pass
stop.set()
print(os.getuid(), os.path.exists("/etc/passwd"), 100 < n < 300)
'''
client.execute_interactive(code, timeout=60)
client.stop_channels(); manager.shutdown_kernel(now=True)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="the other tests run as an ordinary user already")
def test_an_ordinary_user_gets_the_same(tmp_path):
    # Python may live in root's home: show that, and nothing else of it, in a namespace of ours.
    base = sys.base_prefix
    hidden = Path(*Path(base).parts[:2])
    show = (
        f"mount --bind {base} {tmp_path} && "
        f"mount -t tmpfs -o mode=755 x {hidden} && "
        f"mkdir -p {base} && mount --bind {tmp_path} {base} && "
        if hidden == Path("/root")
        else ""
    )
    command = f"{show} exec runuser -u nobody -- {sys.executable} -c '{{}}'"
    script = ORDINARY_USER.replace("LIBRARIES", str(LARGE_LIBRARIES)).replace("'", "'\\''")
    environment = {k: v for k, v in os.environ.items() if k not in ("HOME", "TMPDIR")}
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", command.format(script)],
        capture_output=True,
        text=True,
        env={
            **environment,
            "JUPYTER_RUNTIME_DIR": "/tmp/nobody-runtime",
            "IPYTHONDIR": "/tmp/nobody",
        },
        timeout=600,
    )
    assert done.stdout.split()[-3:] == ["65534", "False", "True"], done.stderr[-3000:]
