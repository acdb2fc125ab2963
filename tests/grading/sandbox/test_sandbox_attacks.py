"""What hostile cells try to reach, with namespaces and without, and that it leads nowhere."""

import os
import resource
import sys
from pathlib import Path

import pyseccomp
import pytest

from grading.course.secret import course_secret
from grading.limits import SandboxLimits

REPOSITORY = Path(__file__).parents[3]
SECRET = os.environ["COURSE_TOKEN"]
MIB = 2**20
REFUSED = ("PermissionError", "FileNotFoundError", "OSError", "NotADirectoryError")

READERS = {
    "open": "print(open({path!r}, 'rb').read())",
    "os.open": "import os; print(os.read(os.open({path!r}, 0), 99))",
    "mmap": "import mmap, os; print(mmap.mmap(os.open({path!r}, 0), 0, prot=1)[:99])",
    "numpy": "import numpy; print(numpy.fromfile({path!r}, 'u1'))",
    "sqlite": "import sqlite3; print(sqlite3.connect('file:' + {path!r} + '?mode=ro', uri=True)"
    ".execute('select * from sqlite_master').fetchall(), 'LEAK')",
    "a link": "import os; os.symlink({path!r}, 'link'); os.chdir('.'); print(open('link').read())",
    "a hard link": "import os; os.link({path!r}, 'hard'); print(open('hard').read())",
    "renaming": "import os; os.rename({path!r}, 'mine'); print(open('mine').read())",
    "the root of the process": "print(open('/proc/self/root' + {path!r}).read())",
    "the root of the parent": "import os; print(open(f'/proc/{{os.getppid()}}/root' + "
    "{path!r}).read())",
    "the working folder of the parent": "import os; print(open(f'/proc/{{os.getppid()}}/cwd' + "
    "{path!r}).read())",
    "sendfile": "import os; f = os.open({path!r}, 0); print(os.sendfile(1, f, 0, 99), 'LEAK')",
    "libc": "import ctypes, os; c = ctypes.CDLL(None, use_errno=True)\n"
    "f = c.open({path!r}.encode(), 0)\n"
    "if f < 0: raise OSError(ctypes.get_errno(), 'refused')\nprint(os.read(f, 99))",
    "a chroot": "import os; os.chroot({path!r}.rsplit('/', 1)[0]); print('LEAK')",
}


@pytest.mark.parametrize("reader", READERS)
def test_no_way_of_reading_reaches_a_gradebook(any_kernel, outside, reader):
    shown = any_kernel.run(READERS[reader].format(path=str(outside / "gradebook.db")))
    any_kernel.run("import os; [os.remove(n) for n in ('link', 'hard') if os.path.lexists(n)]")
    assert SECRET not in shown
    assert "LEAK" not in shown
    assert shown.startswith((*REFUSED, "OperationalError"))
    assert (outside / "gradebook.db").read_text() == SECRET


@pytest.mark.parametrize(
    "path",
    [
        REPOSITORY / "pyproject.toml",
        REPOSITORY / "solutions/simple_attention.py",
        REPOSITORY / "grading/running/sandbox/parent.py",
        Path.home() / ".bashrc",
        Path("/etc/passwd"),
        Path("/etc/shadow"),
        Path("/proc/1/environ"),
        Path("/proc/self/environ"),
        Path("/proc/self/maps"),
        Path("/proc/self/mem"),
        Path("/proc/GRADER/environ"),
        Path("/proc/GRADER/mem"),
        Path("/proc/GRADER/cmdline"),
        Path("/dev/mem"),
        Path("/dev/kmsg"),
    ],
    ids=str,
)
def test_files_of_the_host_cannot_be_read(any_kernel, path):
    path = str(path).replace("GRADER", str(os.getpid()))
    shown = any_kernel.run(f"print(len(open({path!r}, 'rb').read(1000)), 'LEAK')")
    assert shown.startswith(REFUSED)


def test_the_repository_cannot_be_listed(any_kernel):
    shown = any_kernel.run(f"import os; print(os.listdir({str(REPOSITORY)!r}))")
    # Where Python is installed in it and it lies below /tmp, the way to Python is to be seen.
    assert shown.startswith(REFUSED) or shown.strip() == str([Path(sys.prefix).name])


@pytest.mark.parametrize("folder", [Path.home(), Path("/"), Path("/proc"), Path("/dev")])
def test_folders_of_the_host_cannot_be_listed(any_kernel, folder):
    assert any_kernel.run(f"import os; os.listdir({str(folder)!r})").startswith(REFUSED)


@pytest.mark.parametrize(
    "name", ["solutions", "grading", "grading.running.sandbox", "confine", "parent"]
)
def test_the_course_cannot_be_imported(any_kernel, name):
    assert any_kernel.run(f"import {name}; print('LEAK')").startswith("ModuleNotFoundError")
    shown = any_kernel.run(
        f"import sys; sys.path.insert(0, {str(REPOSITORY)!r}); import {name}; print('LEAK')"
    )
    assert shown.startswith(("ModuleNotFoundError", "PermissionError"))
    any_kernel.run(f"sys.path.remove({str(REPOSITORY)!r})")


def test_nothing_of_the_course_is_loaded(any_kernel):
    shown = any_kernel.run(
        "import sys\n"
        "print([n for n in sys.modules if n.split('.')[0] in "
        "('solutions', 'grading', 'confine', 'nbgrader') or n.startswith('__editable__')])"
    )
    assert shown.strip() == "[]"


def test_the_environment_holds_no_secret(any_kernel):
    shown = any_kernel.run(
        "import os, ctypes\n"
        "e = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), 'environ')\n"
        "i = 0\n"
        "while e[i]: print(e[i]); i += 1\n"
        "print(sorted(os.environ))"
    )
    assert "HOME" in shown
    assert SECRET not in shown
    assert "COURSE_TOKEN" not in shown
    assert str(REPOSITORY) not in shown


def test_the_memory_of_the_warm_parent_held_no_secret(any_kernel):
    shown = any_kernel.run(  # its arguments and environment, as Linux put them on the stack
        "import ctypes\n"
        "at = ctypes.c_void_p.in_dll(ctypes.CDLL(None), 'program_invocation_name').value\n"
        "while text := ctypes.string_at(at): print(text); at += len(text) + 1"
    )
    assert "PATH=" in shown
    assert SECRET not in shown
    assert "COURSE_TOKEN" not in shown


SCAN = """
import ctypes, gc, sys
gc.unfreeze()
libc = ctypes.CDLL(None, use_errno=True)
libc.sbrk.restype = ctypes.c_void_p
kept = (ctypes.c_ubyte * 1)()
def is_there(page): return libc.mincore(ctypes.c_void_p(page), ctypes.c_size_t(4096), kept) == 0
top = libc.sbrk(ctypes.c_long(0)) & ~4095
bottom = top
while is_there(bottom - 4096): bottom -= 4096
pages = {id(o) & ~4095 for o in gc.get_objects()}
pages |= {id(o) & ~4095 for d in gc.get_objects() if type(d) is dict for o in d.values()}
pages -= set(range(bottom, top, 4096))
found, seen = set(), 0
# what is looked for stands nowhere but where it was: all is looked at with each byte one larger
wanted, larger = [bytes(word) for word in WORDS], bytes((n + 1) % 256 for n in range(256))
def look(start, size):
    global seen
    text = ctypes.string_at(start, size).translate(larger)
    seen += size
    found.update(number for number, word in enumerate(wanted) if word in text)
for start in range(bottom, top, 2**20): look(start, min(2**20, top - start))
for page in pages:
    if is_there(page): look(page, 4096)
print(sorted(found), seen > 10_000_000)
"""


def test_no_memory_of_a_kernel_holds_what_the_grader_knows(start, tmp_path):
    """Whoever grades holds the secret and the reference; a kernel is no copy of such a process."""
    held = course_secret(tmp_path, lambda text: None).hex()
    words = [SECRET, held, "def attention_weights(query", "grading_ledger", "EXERCISE = Exercise("]
    words.append("a word that the kernel itself has: " + SECRET[::-1])
    coded = [[byte + 1 for byte in word.encode()] for word in words]
    kernel = start()
    # many of them, for one that crosses the end of a page is not found; the collector knows only
    # dictionaries with something in them that it can collect
    own = f"bytes(number - 1 for number in {coded[-1]})"
    kernel.run(f"own = {{n: {own} for n in range(50)}}; own['list'] = []")
    shown = kernel.run(SCAN.replace("WORDS", str(coded)), timeout=240)
    assert shown.strip() == f"[{len(words) - 1}] True"


def test_nothing_is_open_that_is_a_file_or_a_folder(any_kernel):
    shown = any_kernel.run(
        "import os, stat\n"
        "found, nothing = [], os.stat('/dev/null').st_rdev\n"
        "for number in range(3, 512):\n"
        "    try: there = os.fstat(number)\n"
        "    except OSError: continue\n"
        "    kind = stat.S_IFMT(there.st_mode)\n"
        "    own = kind in (stat.S_IFSOCK, stat.S_IFIFO, 0)  # 0: its timers and events\n"
        "    if not own and there.st_rdev != nothing: found.append((number, oct(there.st_mode)))\n"
        "print(found)"
    )
    assert shown.strip() == "[]"


SECRET_READERS = {
    "its own path": "open({path!r})",
    "a link in the folder of the notebook": "os.symlink({path!r}, 'l'); open('l')",
    "a link to its folder": "os.mkdir('d'); os.symlink({folder!r}, 'd/l'); open('d/l/secret')",
    "a way up": "open('../' * 40 + {path!r})",
    "the folder of another process": "open('/proc/1/cwd/.grading/secret')",
    "the folder of who grades": "open('/proc/GRADER/cwd/.grading/secret')",
    "the root of who grades": "open('/proc/GRADER/root' + {path!r})",
    "the descriptors of who grades": "os.listdir('/proc/GRADER/fd')",
    "the memory of who grades": "open('/proc/GRADER/mem', 'rb')",
    "the memory of all": "open('/dev/mem', 'rb')",
    "the mapped files of who grades": "os.listdir('/proc/GRADER/map_files')",
    "the folder's name": "os.listdir({folder!r})",
    "the library's own reading": "numpy.fromfile({path!r}, 'u1')",
    "a module": "importlib.machinery.SourceFileLoader('s', {path!r}).load_module()",
    "a traceback's line": "exec(compile('1/0', {path!r}, 'exec'))",
    "an archive": "zipfile.ZipFile({path!r})",
    "a copy": "shutil.copy({path!r}, 'mine')",
    "weights": "torch.load({path!r})",
    "weights that are mapped": "torch.UntypedStorage.from_file({path!r}, False, 64)",
}


def test_the_secret_of_a_course_is_out_of_reach(any_kernel, outside):
    """A link to it that was handed in is not followed: see the class of broken submissions."""
    secret = course_secret(outside, lambda text: None).hex()
    path, folder = outside / ".grading" / "secret", outside / ".grading"
    for file in (path, folder):
        file.chmod(0o755)
    any_kernel.run("import importlib, numpy, os, shutil, torch, zipfile")
    for way, code in SECRET_READERS.items():
        code = code.format(path=str(path), folder=str(folder)).replace("GRADER", str(os.getpid()))
        shown = any_kernel.run(f"found = None\n{code}\nprint('LEAK')")
        assert "LEAK" not in shown, way
        assert secret not in shown, way
        any_kernel.run("shutil.rmtree('d', True); os.path.lexists('l') and os.remove('l')")


def test_the_frames_that_a_cell_can_reach_say_nothing_about_the_host(any_kernel):
    shown = any_kernel.run(
        "import sys, gc, types; gc.unfreeze()\n"
        "names, held, seen = [], [], set()\n"
        "found = lambda: [o for o in gc.get_objects() if isinstance(o, types.FrameType)]\n"
        # in one statement: IPython runs each by itself, and a frame that has ended leads nowhere
        "for frame in [*found(), *sys._current_frames().values()]:\n"
        "    while frame and frame not in seen:\n"
        "        seen.add(frame)\n"
        "        names.append(frame.f_code.co_name)\n"
        # not its own names, nor those of the parent's module
        "        if not {'held', 'confine'} & set(frame.f_locals):\n"
        "            held += map(repr, frame.f_locals.values())\n"
        "        frame = frame.f_back\n"
        "print(names, held)",
        timeout=240,  # it looks at every object there is: seconds, minutes on a busy machine
    )
    assert "'run_code'" in shown
    assert "'run_kernel'" in shown
    assert "'main'" not in shown  # the parent's own
    assert str(REPOSITORY / "grading") not in shown


@pytest.mark.parametrize("folder", [".", "~", "$TMPDIR"])
def test_own_folders_can_be_written(any_kernel, folder):
    shown = any_kernel.run(
        "from pathlib import Path; import os\n"
        f"p = Path(os.path.expandvars(os.path.expanduser({folder!r})), 'mine.txt')\n"
        "p.write_text('x'); print(p.read_text()); p.unlink()"
    )
    assert shown.strip() == "x"


@pytest.mark.parametrize(
    "code",
    [
        "import torch; open(torch.__file__, 'a')",
        "import os, torch; os.remove(torch.__file__)",
        "import os, torch; os.truncate(torch.__file__, 0)",
        "import os, torch; os.rename(torch.__file__, 'torch.py')",
        "import os, torch; os.open(torch.__file__, os.O_TRUNC)",
        "import site, os; open(os.path.join(site.getsitepackages()[0], 'evil.pth'), 'w')",
        "open('/evil', 'w')",
        "open('/var/tmp/evil', 'w')",
        "open('/dev/shm/evil', 'w')",
        "open('/dev/sda', 'w')",
        "import os; os.mkdir('/evil')",
        "import os; os.mkfifo('fifo')",
        "import os; os.mknod('device', 0o60644, 0x800)",
    ],
)
def test_nothing_outside_can_be_changed(any_kernel, code):
    shown = any_kernel.run(code)
    assert shown.startswith(REFUSED)
    assert any_kernel.run("import importlib, torch; print(torch.ones(2).sum().item())") == "2.0\n"


def test_the_repository_cannot_be_written(any_kernel):
    # Where it lies below /tmp, a kernel may make such a file in the /tmp of its own.
    any_kernel.run(f"open({str(REPOSITORY / 'evil')!r}, 'w')")
    assert not (REPOSITORY / "evil").exists()


def test_modes_and_times_of_libraries_stay(any_kernel):
    import torch

    before = os.stat(torch.__file__)
    any_kernel.run(
        "import os, torch; os.chmod(torch.__file__, 0); os.utime(torch.__file__, (0, 0))\n"
        "os.fchmod(os.open(torch.__file__, 0), 0)"
    )
    after = os.stat(torch.__file__)
    assert (before.st_mode, before.st_mtime) == (after.st_mode, after.st_mtime)


@pytest.mark.parametrize(
    "code",
    [
        "import socket; socket.create_connection(('127.0.0.1', 22), 2)",
        "import socket; socket.socket(socket.AF_INET6)",
        "import socket; socket.socket(socket.AF_UNIX).connect('/var/run/docker.sock')",
        "import socket; socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)",
        "import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)",
        "import socket; socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)",
        "import urllib.request; urllib.request.urlopen('https://example.org', timeout=2)",
        "import multiprocessing.shared_memory as m; m.SharedMemory(create=True, size=9)",
    ],
)
def test_the_network_is_out_of_reach(any_kernel, code):
    assert any_kernel.run(code).startswith(("PermissionError", "URLError", "FileNotFoundError"))


@pytest.mark.parametrize(
    "code",
    [
        # Since Python 3.12 it warns first: a kernel has threads, which a fork would not.
        "import os, warnings; warnings.simplefilter('ignore', DeprecationWarning); os.fork()",
        "import os; os.posix_spawn('/bin/sh', ['sh'], {})",
        "import os; os.execv('/bin/sh', ['sh'])",
        "import os; os.system('true') == 0 or 1/0",
        "import subprocess; subprocess.run(['true'])",
        "import multiprocessing as m; m.get_context('fork').Process(target=print).start()",
        "import multiprocessing as m; m.get_context('spawn').Process(target=print).start()",
        "import pty; pty.fork()",
        "import os; os.memfd_create('x')",
    ],
)
def test_no_process_can_be_started(any_kernel, code):
    shown = any_kernel.run(code)
    assert shown.startswith((*REFUSED, "ZeroDivisionError"))
    assert any_kernel.run("1 + 1") == "2"


@pytest.mark.parametrize(
    "code",
    [
        "import os, signal; os.kill(os.getppid(), signal.SIGKILL)",
        "import os, signal; os.kill(GRADER, signal.SIGTERM)",
        "import os, signal; os.kill(-1, signal.SIGKILL)",
        "import os, signal; os.kill(1, 0)",
        "import os, signal; os.killpg(0, signal.SIGKILL)",
        "import os, signal; os.pidfd_open(os.getppid())",
        "import os; os.sched_setaffinity(os.getppid(), {0})",
        "import os; os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)",
        "import os; os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))",
        "import os, resource; resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (1, 1))",
        "import fcntl, os, socket; fcntl.fcntl(socket.socketpair()[0], fcntl.F_SETOWN, 1)",
        "import resource; resource.setrlimit(resource.RLIMIT_NPROC, (10**6, 10**6))",
        "import os; os.setuid(0); os.setuid(1)",
    ],
)
def test_other_processes_are_out_of_reach(any_kernel, code):
    code = code.replace("GRADER", str(os.getpid()))
    assert any_kernel.run(code).startswith((*REFUSED, "ValueError", "ProcessLookupError"))
    assert any_kernel.run("1 + 1") == "2"


FORBIDDEN_CALLS = """
    mount umount2 pivot_root chroot unshare setns ptrace process_vm_readv process_vm_writev keyctl
    add_key request_key bpf userfaultfd perf_event_open io_uring_setup memfd_create memfd_secret
    open_by_handle_at name_to_handle_at pidfd_open pidfd_getfd pidfd_send_signal personality
    init_module finit_module delete_module kexec_load reboot swapon sethostname settimeofday
    clock_settime adjtimex acct quotactl syslog vhangup shmget shmat semget msgget mq_open
    inotify_init1 fanotify_init setuid setresuid capset seccomp mount_setattr fsopen move_mount
    open_tree kcmp rt_sigqueueinfo rt_tgsigqueueinfo tkill sched_setattr setpriority ioprio_set
    migrate_pages move_pages socket connect bind fork vfork execve execveat setsid setpgid splice
    vmsplice
"""


def test_system_calls_beyond_computing_are_refused(any_kernel):
    numbers = {
        name: pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name)
        for name in FORBIDDEN_CALLS.split()
    }
    numbers = {name: number for name, number in numbers.items() if number >= 0}
    assert len(numbers) > 60
    shown = any_kernel.run(
        "import ctypes, errno\n"
        "c, open_ones = ctypes.CDLL(None, use_errno=True), []\n"
        f"for name, number in {numbers}.items():\n"
        "    result = c.syscall(number, 0, 0, 0, 0, 0, 0)\n"
        "    if result != -1 or ctypes.get_errno() != errno.EPERM: open_ones.append(name)\n"
        "print(open_ones)"
    )
    assert shown.strip() == "[]"


def test_rules_hold_for_threads_that_were_there_before(any_kernel, outside):
    shown = any_kernel.run(
        "from threading import Event\n"
        "done, seen = Event(), []\n"
        "def read():\n"
        f"    for path in ({str(outside / 'gradebook.db')!r}, '/etc/passwd'):\n"
        "        try: seen.append(open(path).read())\n"
        "        except OSError as error: seen.append(type(error).__name__)\n"
        "    try:\n"
        "        import socket; socket.socket(); seen.append('a socket')\n"
        "    except OSError as error: seen.append(type(error).__name__)\n"
        "    done.set()\n"
        "get_ipython().kernel.control_thread.io_loop.add_callback(read)\n"
        "done.wait(10); print(seen)"
    )
    assert shown.count("PermissionError") + shown.count("FileNotFoundError") == 3


def test_limits_are_in_force_and_cannot_be_raised(any_kernel):
    shown = any_kernel.run(
        "import resource as r; print([r.getrlimit(k)[1] for k in "
        "(r.RLIMIT_FSIZE, r.RLIMIT_CORE, r.RLIMIT_MEMLOCK, r.RLIMIT_NOFILE)])"
    )
    assert shown.strip() == str([SandboxLimits().file_bytes, 0, 0, 512])
    assert resource.getrlimit(resource.RLIMIT_CORE)[1] != 0 or sys.platform != "linux"
