"""What a kernel may use up, and what the next one sees of it."""

import os
import signal
import textwrap
from pathlib import Path

import pytest

from grading.limits import SandboxLimits

REPOSITORY = Path(__file__).parents[3]
MIB = 2**20


def test_not_even_the_existence_of_a_file_outside_shows(start, outside):
    paths = [str(outside / "gradebook.db"), str(REPOSITORY / "pyproject.toml"), "/etc/passwd"]
    shown = start().run(f"import os; print([os.path.exists(path) for path in {paths}])")
    assert shown.strip() == "[False, False, False]"


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the other ABIs of x86_64")
def test_calls_in_the_32_bit_manner_end_the_process(start):
    kernel = start()
    kernel.run("import ctypes; ctypes.CDLL(None).syscall(0x40000000 + 57)")  # x32 fork
    assert kernel.ended() in (-signal.SIGSYS, -signal.SIGKILL)


def test_ten_thousand_threads_do_not_start(start):
    kernel = start(SandboxLimits(threads=100))
    shown = kernel.run(
        "import threading; stop, n = threading.Event(), 0\n"
        "try:\n"
        "    while n < 10_000: threading.Thread(target=stop.wait).start(); n += 1\n"
        "except RuntimeError as error: print(error)\n"
        "stop.set(); print(n < 100 or n)"
    )
    assert shown == "can't start new thread\nTrue\n"
    assert kernel.run("1 + 1") == "2"


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("import torch; torch.empty(10 * 2**30, dtype=torch.uint8).fill_(1)", "RuntimeError"),
        ("import numpy; numpy.ones(10 * 2**30, 'u1')", "MemoryError"),
        ("bytearray(10 * 2**30)", "MemoryError"),
        ("import mmap; mmap.mmap(-1, 2**20)", "PermissionError"),  # memory nobody counts
        ("import mmap; mmap.mmap(-1, 10 * 2**30, mmap.MAP_PRIVATE)", "OSError"),
    ],
)
def test_memory_is_bounded(start, code, error):
    kernel = start(SandboxLimits(memory=512 * MIB))
    assert error in kernel.run(code)
    assert kernel.run("x = None; 1 + 1") == "2"


def test_memory_taken_to_the_last_piece_is_bounded(start):
    kernel = start(SandboxLimits(memory=512 * MIB))
    shown = kernel.run(
        "x = []\nfor _ in range(1024): x.append(bytearray(2**20))\n'it had them all'"
    )
    # a thread of the kernel's own may have been the next to ask, and have ended it
    assert "MemoryError" in shown or shown == "DIED"
    assert kernel.run("x = None; 1 + 1") in ("2", "DIED")


def test_the_buffers_of_sockets_stay_as_they_are(start):
    """They are memory of the system's, which no limit of a process counts."""
    code = """
        import socket
        one, other = socket.socketpair()
        sizes = [one.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)]
        one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 64 * sizes[0])
        sizes.append(one.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF))
        one.sendall(b"x"), other.recv(1), sizes[0] == sizes[1]
    """
    assert start().run(textwrap.dedent(code)) == "(None, b'x', True)"


def test_many_small_allocations_never_exceed_the_bound(start):
    kernel = start(SandboxLimits(memory=256 * MIB))
    before = _private_bytes(kernel.pid)
    kernel.run("x = []\nwhile True: x.append([None] * 10)")
    if kernel.manager.is_alive():
        assert _private_bytes(kernel.pid) - before < 400 * MIB  # its own, and pages it shared


def _private_bytes(pid: int) -> int:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    sizes = {line.split(":")[0]: int(line.split()[1]) * 1024 for line in lines}
    return sizes["Private_Dirty"]


def test_the_disk_cannot_be_filled(start):
    kernel = start(SandboxLimits(scratch_bytes=32 * MIB, file_bytes=8 * MIB, scratch_files=500))
    shown = kernel.run(
        "import os\n"
        "def fill(name, size):\n"
        "    try:\n"
        "        with open(name, 'wb', buffering=0) as f:\n"
        "            while size: size -= f.write(bytes(min(size, 2**20)))\n"
        "    except OSError as error: return error.errno\n"
        "print(fill('one', 9 * 2**20), os.path.getsize('one'))\n"
        "print([fill(str(i), 8 * 2**20) for i in range(6)][-1])\n"
        "print(sum(os.path.getsize(n) for n in os.listdir()) <= 32 * 2**20)\n"
        "[os.remove(n) for n in os.listdir()]\n"
        "try:\n"
        "    for i in range(1000): open(str(i), 'w').close()\n"
        "except OSError as error: print(error.errno, i < 500)"
    )
    assert shown == f"27 {8 * MIB}\n28\nTrue\n28 True\n"  # file too large; no space left, twice


def test_processor_time_is_bounded(start):
    kernel = start(SandboxLimits(cpu_seconds=1))
    kernel.run("while True: pass")
    assert kernel.ended() == -signal.SIGXCPU


def test_code_that_ignores_the_processor_limit_is_killed(start):
    kernel = start(SandboxLimits(cpu_seconds=1))
    kernel.run("import signal; signal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass")
    assert kernel.ended() == -signal.SIGKILL


def test_nothing_of_one_kernel_is_visible_in_the_next(start):
    first = start()
    shown = first.run(
        "import os, tempfile, pathlib, sys, builtins, torch, numpy\n"
        "for folder in (os.getcwd(), os.path.expanduser('~'), tempfile.gettempdir(), '/tmp'):\n"
        "    pathlib.Path(folder, 'trace').write_text('x')\n"
        "start = pathlib.Path.home() / '.ipython/profile_default/startup'\n"
        "start.mkdir(parents=True, exist_ok=True); (start / 'a.py').write_text('TRACE = 1')\n"
        "os.environ['TRACE'] = '1'; builtins.TRACE = 1; torch.allclose = max\n"
        "sys.path.insert(0, '/tmp'); numpy.random.seed(1); torch.manual_seed(1); print('done')"
    )
    assert shown == "done\n"
    look = (
        "import os, tempfile, builtins, torch, pathlib\n"
        "places = [os.getcwd(), os.path.expanduser('~'), tempfile.gettempdir(), '/tmp']\n"
        "print([p for p in places if os.path.exists(p + '/trace')], 'TRACE' in os.environ,\n"
        "      hasattr(builtins, 'TRACE'), 'TRACE' in globals(), torch.allclose is max)"
    )
    beside = start()
    assert beside.run(look) == "[] False False False False\n"
    first.close()
    assert start().run(look) == "[] False False False False\n"


def test_kernels_draw_different_random_numbers_but_torch_starts_as_in_a_fresh_process(start):
    draw = "import numpy, random, torch; print(numpy.random.rand(), random.random())"
    assert start().run(draw) != start().run(draw)
    draw = "import torch; print(torch.initial_seed())"
    assert start().run(draw) == start().run(draw)


def test_files_of_the_assignment_are_there_and_links_in_them_lead_nowhere(start, tmp_path, outside):
    files = tmp_path / "public"
    (files / "data").mkdir(parents=True)
    (files / "data/cases.txt").write_text("public")
    (files / "link").symlink_to(outside / "gradebook.db")
    (files / "torch.py").write_text("raise SystemExit")
    (files / "ipython_config.py").write_text("raise SystemExit")
    kernel = start(files=files)
    assert kernel.run("print(open('data/cases.txt').read())") == "public\n"
    assert kernel.run("open('link')").startswith("FileNotFoundError")
    assert kernel.run("import torch; print(torch.ones(1).item())") == "1.0\n"
    kernel.run("open('data/cases.txt', 'w').write('changed')")
    assert (files / "data/cases.txt").read_text() == "public"


def test_without_namespaces_filling_the_disk_ends_the_kernel(start):
    kernel = start(SandboxLimits(scratch_bytes=16 * MIB, file_bytes=8 * MIB), namespaces=False)
    kernel.run(
        "import time\nfor i in range(100): open(str(i), 'wb').write(bytes(2**20)); time.sleep(0.05)"
    )
    assert kernel.ended() == -signal.SIGKILL


def test_without_namespaces_a_tree_too_deep_to_measure_ends_the_kernel_and_is_removed(start):
    kernel, honest = start(namespaces=False), start(namespaces=False)
    folder = kernel.manager.provisioner._folder
    kernel.run(
        "import os, time\n"
        "for i in range(3000): os.mkdir('a', 0o700); os.chdir('a')\n"
        "os.mkdir('locked', 0); time.sleep(20)"
    )
    assert kernel.ended() == -signal.SIGKILL
    assert folder.exists()
    kernel.close()
    assert not folder.exists()
    assert honest.run("1 + 1") == "2"
