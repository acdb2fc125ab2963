"""Shut the current process in a jail that holds Python and its libraries and nothing else.

`confine` is called by a freshly forked process that has one thread and has run no student code;
`SystemCalls.load_seccomp_filter` is called once more when the kernel has opened its sockets. After
both, the process cannot read, write, start, signal or talk to anything outside, whatever it
executes. Four mechanisms of Linux do the work; each would hold most attacks alone:

1. its own root directory, network and IPC namespaces, where the host allows them (`new_root`);
2. landlock: a list of folders that may be read, one that may be written (`restrict_files`);
3. resource limits: memory, CPU seconds, threads, file sizes (`limit_resources`);
4. seccomp: a list of the system calls that a single process needs to compute (`SystemCalls`).

The kernel is one process and stays one: fork, exec and sockets are refused, so that killing one
process id ends everything. This module is loaded by its path, without the package around it,
because the process that it runs in must not import the course.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import functools
import os
import shutil
import signal
import struct
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # not when it runs: see above
    from grading.limits import SandboxLimits

if sys.platform.startswith("linux"):  # elsewhere `available` says no
    import resource

    _libc = ctypes.CDLL(None, use_errno=True)

COURSE_PACKAGES = ("solutions", "grading", "exercises", "tests")
NOBODY = 61184  # the first user id that systemd sets aside for services without an account
LANDLOCK_ENOUGH_ALONE = 3  # the first version that also protects files from truncate()


@dataclass(frozen=True)
class HostFeatures:
    """What this machine offers, as `inspect_host` found it."""

    landlock: int  # version of landlock, 0 without
    namespaces: bool


@dataclass(frozen=True)
class Jail:
    """Where things are for the confined process."""

    scratch: Path  # the one folder that can be written
    sockets: Path  # where it may open its sockets before the filter of system calls is loaded


def system_call(function: str | int, *arguments: Any) -> int:
    """Call libc's `function`, or a system call by number; an error raises `OSError`."""
    name = function if isinstance(function, str) else f"system call {function}"
    result: int
    if isinstance(function, str):
        result = getattr(_libc, function)(*arguments)
    else:
        result = _libc.syscall(ctypes.c_long(function), *map(_as_register, arguments))
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result


def _as_register(value: Any) -> Any:
    return ctypes.c_long(value) if isinstance(value, int) else value


# --- what may be read -------------------------------------------------------------------------


@functools.cache
def readable_paths() -> tuple[Path, ...]:
    """Return the files and folders that Python, its packages and the C library need.

    `sys.path` names the packages; a place outside the installation that somebody added is left
    out. A course that is installed as a copy (not editable) would be among the packages: then
    every entry of their folder is listed, except the course's.
    """
    system = """/lib /lib64 /usr/lib /usr/lib64 /usr/local/lib /etc/ld.so.cache /etc/alternatives
        /etc/localtime /usr/share/zoneinfo /usr/share/fonts /usr/local/share/fonts /etc/fonts
        /proc/cpuinfo /proc/meminfo /proc/stat /sys/devices/system/cpu /sys/devices/system/node
        /dev/null /dev/zero /dev/random /dev/urandom"""
    paths = [Path(name) for name in system.split()]
    packages = {Path(sysconfig.get_path(kind)) for kind in ("purelib", "platlib")}
    paths += [Path(sys.base_prefix, "lib"), Path(sys.prefix, "pyvenv.cfg")]
    installed = {Path(name) for name in sys.path if name.startswith((sys.prefix, sys.base_prefix))}
    for folder in sorted(packages | installed):
        course = [name for name in COURSE_PACKAGES if (folder / name).is_dir()]
        if not course:
            paths.append(folder)
        elif folder in packages:
            paths += [entry for entry in folder.iterdir() if entry.name not in course]
    kept: list[Path] = []
    for path in sorted((p for p in paths if p.exists()), key=lambda p: len(p.parts)):
        if path.is_symlink() or not any(path.is_relative_to(above) for above in kept):
            kept.append(path)
    return tuple(kept)


# --- 1. namespaces ----------------------------------------------------------------------------

CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWNET = 0x20000, 0x8000000, 0x10000000, 0x40000000
MS_NOSUID, MS_NODEV, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 4096, 16384, 1 << 18
MNT_DETACH = 2
SYS_MOUNT_SETATTR, MOUNT_ATTR_RDONLY, MOUNT_ATTR_NOSUID = 442, 1, 2
AT_FDCWD, AT_RECURSIVE = -100, 0x8000


def new_namespaces() -> None:
    """Leave the host's mounts, network and System V objects behind.

    Root may do this by right. Anybody else becomes the owner of a user namespace first, in which
    only the own user and group exist.
    """
    user, group = os.geteuid(), os.getegid()
    system_call("unshare", CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWNET | (user and CLONE_NEWUSER))
    if user:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    mount(None, "/", MS_REC | MS_PRIVATE)  # nothing that is mounted from here on shows outside


def mount(
    source: Path | str | None,
    target: Path | str,
    flags: int,
    kind: str | None = None,
    options: str | None = None,
) -> None:
    """Call mount(2) with paths and text as Python has them."""
    encoded = [None if text is None else os.fsencode(text) for text in (source, target, kind)]
    data = None if options is None else options.encode()
    system_call("mount", *encoded, ctypes.c_ulong(flags), data)


def _set_mount_attributes(path: Path, flags: int, *, on: int = 0, off: int = 0) -> None:
    attributes = struct.pack("QQQQ", on, off, 0, 0)
    system_call(SYS_MOUNT_SETATTR, AT_FDCWD, os.fsencode(path), flags, attributes, len(attributes))


def build_root(root: Path, sockets: Path, size: int, files: int) -> None:
    """Make at `root` a small file system in memory that shows the readable paths, read-only.

    It has room for so many bytes and files.
    """
    options = f"size={size},nr_inodes={files},mode=755"
    mount("tmpfs", root, MS_NOSUID | MS_NODEV, "tmpfs", options)
    for path in readable_paths():
        real = Path(os.path.realpath(path))
        for place in {path, real}:  # a link such as /lib -> usr/lib is shown as a link
            target = root / place.relative_to("/")
            if target.exists():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            if place != real:
                target.symlink_to(real)
            else:
                target.mkdir() if real.is_dir() else target.touch()
                mount(real, target, MS_BIND | MS_REC)
    _set_mount_attributes(root, AT_RECURSIVE, on=MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID)
    _set_mount_attributes(root, 0, off=MOUNT_ATTR_RDONLY)
    (root / "sockets").mkdir()
    mount(sockets, root / "sockets", MS_BIND)
    (root / "tmp").mkdir(exist_ok=True)


def change_root(root: Path, pivot_root: int) -> None:
    """Make `root` this process's /, and let go of the host's file system."""
    os.chdir(root)
    system_call(pivot_root, b".", b".")
    system_call("umount2", b".", MNT_DETACH)
    os.chdir("/")


# --- 2. landlock ------------------------------------------------------------------------------

SYS_LANDLOCK_CREATE, SYS_LANDLOCK_ADD, SYS_LANDLOCK_ENFORCE = 444, 445, 446  # on every machine
LANDLOCK_VERSION, LANDLOCK_RULE_PATH = 1, 1
WRITE_FILE, READ_FILE, READ_DIR, MAKE_SOCK, TRUNCATE = 1 << 1, 1 << 2, 1 << 3, 1 << 9, 1 << 14
# Bits 1-5 write, read, list and remove; 7, 8, 10, 12 make folders, files, pipes and links; 13 moves
# between folders. Left out everywhere: 0 execute, 6 and 11 devices, 9 sockets, 15 device controls.
SCRATCH_RIGHTS = sum(1 << bit for bit in (1, 2, 3, 4, 5, 7, 8, 10, 12, 13, 14))


def landlock_version() -> int:
    """Return the kernel's version of landlock, 0 where there is none."""
    try:
        return system_call(SYS_LANDLOCK_CREATE, None, 0, LANDLOCK_VERSION)
    except OSError:
        return 0


def restrict_files(version: int, jail: Jail) -> None:
    """Allow reading what `readable_paths` lists and writing in the scratch folder, for good."""
    files = (1 << {1: 13, 2: 14}.get(version, 15 if version < 5 else 16)) - 1
    tcp = 0b11 if version >= 4 else 0  # bind and connect
    scopes = 0b11 if version >= 6 else 0  # abstract sockets of, and signals to, anybody outside
    rules = struct.pack("QQQ", files, tcp, scopes)
    ruleset = system_call(SYS_LANDLOCK_CREATE, rules, len(rules), 0)
    allowed = [(path, READ_FILE | READ_DIR) for path in readable_paths()]
    allowed += [(Path("/dev/null"), READ_FILE | WRITE_FILE | TRUNCATE)]
    allowed += [(jail.scratch, SCRATCH_RIGHTS), (jail.sockets, MAKE_SOCK)]
    for path, rights in allowed:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
        if not path.is_dir():
            rights &= READ_FILE | WRITE_FILE | TRUNCATE
        rule = struct.pack("=Qi", rights & files, descriptor)
        system_call(SYS_LANDLOCK_ADD, ruleset, LANDLOCK_RULE_PATH, rule, 0)
        os.close(descriptor)
    system_call(SYS_LANDLOCK_ENFORCE, ruleset, 0)
    os.close(ruleset)


# --- 3. resource limits and rights --------------------------------------------------------------

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS = 1, 4, 38
CAPABILITY_VERSION_3 = 0x20080522


def limit_resources(limits: SandboxLimits, *, threads: int) -> None:
    """Set limits that the process cannot raise again."""
    pages = [int(word) for word in Path("/proc/self/statm").read_text().split()]
    mapped, data = (pages[field] * resource.getpagesize() for field in (0, 5))
    for kind, soft, hard in (
        # Private memory, the one that counts; shared memory without a file is refused by seccomp.
        (resource.RLIMIT_DATA, data + limits.memory, None),
        # Address space that is only reserved costs page tables: generous, but not endless.
        (resource.RLIMIT_AS, mapped + 4 * limits.memory, None),
        # SIGXCPU first, which tells the reason; SIGKILL for code that ignores it.
        (resource.RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + 2),
        (resource.RLIMIT_NPROC, threads, None),
        (resource.RLIMIT_FSIZE, limits.file_bytes, None),
        (resource.RLIMIT_NOFILE, limits.open_files, None),
        (resource.RLIMIT_CORE, 0, None),
        (resource.RLIMIT_MEMLOCK, 0, None),
        (resource.RLIMIT_MSGQUEUE, 0, None),
    ):
        ceiling = resource.getrlimit(kind)[1]
        hard = hard or soft
        if ceiling != resource.RLIM_INFINITY:
            soft, hard = min(soft, ceiling), min(hard, ceiling)
        resource.setrlimit(kind, (soft, hard))
    Path("/proc/self/oom_score_adj").write_text("1000")  # if memory runs out, this one goes first


def running_tasks(user: int) -> int:
    """Count the threads that `user` runs on this machine."""
    count = 0
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if entry.stat().st_uid == user:
                count += len(os.listdir(entry / "task"))
    return count


def change_user(user: int, *folders: Path) -> None:
    """Become `user` for good, who owns `folders` from now on."""
    for folder in folders:
        os.chown(folder, user, user)
        device = os.stat(folder).st_dev
        for parent, names, files in os.walk(folder):
            for name in names + files:
                path = os.path.join(parent, name)
                if os.lstat(path).st_dev == device:  # else mounted here: Python lies below /tmp
                    os.lchown(path, user, user)
            names[:] = [n for n in names if os.lstat(os.path.join(parent, n)).st_dev == device]
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def readable_by(user: int) -> bool:
    """Say whether `user` could read Python's own library."""
    os.seteuid(user)
    try:
        return all(os.access(path, os.R_OK, effective_ids=True) for path in readable_paths())
    finally:
        os.seteuid(0)


def drop_rights(parent: int) -> None:
    """Give up every capability and every way to gain one; die when `parent` dies."""
    header, none = struct.pack("=Ii", CAPABILITY_VERSION_3, 0), bytes(24)
    system_call("capset", header, none)
    system_call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    system_call("prctl", PR_SET_DUMPABLE, 0, 0, 0, 0)  # no core, no attaching from outside
    system_call("prctl", PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it died just before
        os._exit(1)


# --- 4. system calls --------------------------------------------------------------------------

ALLOWED_CALLS = {
    "files, within what landlock allows": """
        open openat openat2 creat read write pread64 pwrite64 readv writev preadv pwritev preadv2
        pwritev2 lseek close close_range dup dup2 dup3 stat fstat lstat newfstatat statx statfs
        fstatfs access faccessat faccessat2 getdents getdents64 getcwd chdir fchdir mkdir mkdirat
        rmdir rename renameat renameat2 link linkat symlink symlinkat unlink unlinkat readlink
        readlinkat truncate ftruncate fallocate fsync fdatasync fadvise64 readahead flock umask
        sendfile copy_file_range getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr""",
    "waiting for events of its own": """
        pipe pipe2 eventfd eventfd2 timerfd_create timerfd_settime timerfd_gettime poll ppoll
        select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2""",
    "memory": """
        munmap mprotect mremap brk madvise mincore msync get_mempolicy set_mempolicy mbind""",
    "threads": """
        futex futex_waitv set_robust_list set_tid_address rseq membarrier arch_prctl getcpu
        sched_yield sched_getaffinity sched_getparam sched_getscheduler sched_get_priority_max
        sched_get_priority_min exit exit_group wait4 waitid""",
    "receiving signals": """
        rt_sigaction rt_sigprocmask rt_sigreturn rt_sigsuspend rt_sigpending rt_sigtimedwait
        sigaltstack restart_syscall pause alarm getitimer setitimer timer_create timer_settime
        timer_gettime timer_delete""",
    "time": "clock_gettime clock_getres clock_nanosleep nanosleep gettimeofday time times",
    "questions about itself and the machine": """
        getpid getppid gettid getuid geteuid getgid getegid getresuid getresgid getgroups getpgrp
        getpgid getsid getpriority getrlimit setrlimit getrusage uname sysinfo getrandom capget""",
    "sockets that are open already": """
        sendto recvfrom sendmsg recvmsg sendmmsg recvmmsg shutdown accept accept4 listen
        getsockname getpeername getsockopt""",
}
# These succeed and do nothing. Landlock does not guard the first: shutil.copy works, and the mode
# or the time of a library that the next kernel needs cannot be touched. The last would make the
# buffers of sockets larger, memory of the system that no limit of a process counts.
PRETENDED_CALLS = """
    chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime utimes futimesat
    utimensat setsockopt
"""
# "No such call" makes the C library fall back to an older call, whose arguments can be examined
# (clone3 -> clone). For everything else the answer is "not permitted".
ABSENT_CALLS = "clone3"

CLONE_THREAD, CLONE_NEW_ANYTHING = 0x10000, 0x7E020080
MAP_SHARED_BIT, MAP_ANONYMOUS = 0x01, 0x20
AF_UNIX, SOCK_STREAM, SOCK_CLOEXEC, SOCK_NONBLOCK = 1, 1, 0o2000000, 0o4000
SCHED_OTHER = 0
HARMLESS_PRCTL = (15, 16, 0x53564D41)  # set and get the thread's name, name a mapping
HARMLESS_FCNTL = (0, 1, 2, 3, 4, 5, 6, 7, 1030, 1032, 36, 37, 38)  # flags, locks; no F_SETOWN
# TCGETS (isatty), FIONREAD, FIONBIO, FIOCLEX, FIONCLEX, TIOCGWINSZ
HARMLESS_IOCTL = (0x5401, 0x541B, 0x5421, 0x5451, 0x5450, 0x5413)


class SystemCalls:
    """The filter: prepared once, loaded by each kernel for all of its threads."""

    def __init__(self) -> None:
        import pyseccomp  # needs libseccomp, hence not at the top

        self._lib = pyseccomp
        self._filter = pyseccomp.SyscallFilter(pyseccomp.ERRNO(errno.EPERM))
        self._filter.set_attr(pyseccomp.Attr.CTL_TSYNC, 1)  # for threads that exist already, too
        # The numbers of the 32-bit interfaces mean other calls: whoever uses them is up to no good.
        self._filter.set_attr(pyseccomp.Attr.ACT_BADARCH, pyseccomp.KILL_PROCESS)
        for names, action in (
            (" ".join(ALLOWED_CALLS.values()), pyseccomp.ALLOW),
            (PRETENDED_CALLS, pyseccomp.ERRNO(0)),
            (ABSENT_CALLS, pyseccomp.ERRNO(errno.ENOSYS)),
        ):
            for name in names.split():
                number = pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name)
                if number >= 0:  # else unknown to this machine, or to an older libseccomp
                    self._filter.add_rule(action, number)
        threads_only = CLONE_THREAD | CLONE_NEW_ANYTHING
        self._allow("clone", 0, [CLONE_THREAD], mask=threads_only)  # a thread, not a process
        shared = MAP_SHARED_BIT | MAP_ANONYMOUS  # memory that RLIMIT_DATA would not count
        self._allow("mmap", 3, [0, MAP_SHARED_BIT, MAP_ANONYMOUS], mask=shared)
        self._allow("prctl", 0, HARMLESS_PRCTL)
        self._allow("fcntl", 1, HARMLESS_FCNTL)
        self._allow("ioctl", 1, HARMLESS_IOCTL)
        self._allow("prlimit64", 0, [0])
        self._allow("sched_setaffinity", 0, [0])
        # ZeroMQ sets the ordinary policy in each thread that it starts, and aborts if it must not.
        self._allow("sched_setscheduler", 1, [SCHED_OTHER])
        # A connected pair inside the process (asyncio needs it); datagrams could be sent away.
        kind = pyseccomp.Arg(
            1, pyseccomp.MASKED_EQ, 2**64 - 1 & ~(SOCK_CLOEXEC | SOCK_NONBLOCK), SOCK_STREAM
        )
        family = pyseccomp.Arg(0, pyseccomp.EQ, AF_UNIX)
        self._filter.add_rule(pyseccomp.ALLOW, "socketpair", family, kind)

    def number(self, name: str) -> int:
        """Return this machine's number of the system call `name`."""
        number: int = self._lib.resolve_syscall(self._lib.Arch.NATIVE, name)
        return number

    def _allow(
        self, name: str, argument: int, values: Iterable[int], mask: int = 2**64 - 1
    ) -> None:
        for value in values:
            condition = self._lib.Arg(argument, self._lib.MASKED_EQ, mask, value)
            self._filter.add_rule(self._lib.ALLOW, name, condition)

    def load_seccomp_filter(self) -> None:
        """Allow from now on, in every thread, only what is listed; signals only to oneself."""
        for name in ("kill", "tgkill"):
            self._allow(name, 0, [os.getpid()])
        self._filter.load()


# --- all together -----------------------------------------------------------------------------


def confine(
    folder: Path,
    files: Path | None,
    limits: SandboxLimits,
    host: HostFeatures,
    calls: SystemCalls,
    *,
    user: int,
    parent: int,
) -> Jail:
    """Confine this process, which must have one thread; return where it may work.

    `folder` is the kernel's own on the host, with an empty `root` and `sockets` inside. A copy of
    what lies in `files` is put into `work` in the scratch folder. `user` is the id to become, for
    root only; `parent` the process whose end is this one's. Raises `OSError` when a step fails:
    then no student code may run.
    """
    original_user = os.geteuid()
    threads = limits.threads
    if host.namespaces:
        new_namespaces()
        size, number = limits.scratch_bytes, limits.scratch_files
        build_root(folder / "root", folder / "sockets", size, number)
        inside = Jail(folder / "root/tmp", folder / "root/sockets")
        jail = Jail(Path("/tmp"), Path("/sockets"))
    else:
        inside = jail = Jail(folder / "root", folder / "sockets")
        if original_user:
            threads += running_tasks(original_user)  # the limit counts all that the user runs
    for name in ("work", "home"):
        (inside.scratch / name).mkdir()
    if files is not None:
        shutil.copytree(files, inside.scratch / "work", symlinks=True, dirs_exist_ok=True)
    limit_resources(limits, threads=threads)
    if host.namespaces:
        change_root(folder / "root", calls.number("pivot_root"))
    if original_user == 0 and (host.namespaces or readable_by(user)):
        change_user(user, jail.scratch, jail.sockets)
    drop_rights(parent)
    restrict_files(host.landlock, jail)
    os.umask(0o077)
    return jail


@functools.cache
def inspect_host() -> HostFeatures:
    """Find out what this machine offers, in a process of its own."""
    version = landlock_version()
    probe = [sys.executable, "-I", __file__]
    done = subprocess.run(probe, capture_output=True, check=False, timeout=60) if version else None
    return HostFeatures(version, namespaces=done is not None and done.returncode == 0)


@functools.cache
def available() -> tuple[bool, str]:
    """Say whether kernels can be confined here, and why (not), in one sentence."""
    otherwise = (
        "grade in containers of Podman or Docker with --container IMAGE (see the chapter for "
        "instructors), or without protection with --insecure"
    )
    if not sys.platform.startswith("linux"):
        return False, f"The sandbox needs Linux, and this is {sys.platform}: {otherwise}."
    try:
        SystemCalls()
    except (ImportError, RuntimeError, OSError) as error:
        return (
            False,
            f"The sandbox needs libseccomp ({error}): install libseccomp2, or {otherwise}.",
        )
    host = inspect_host()
    if not host.landlock:
        return False, f"This Linux kernel ({os.uname().release}) has no landlock: {otherwise}."
    if host.landlock < LANDLOCK_ENOUGH_ALONE and not host.namespaces:
        return False, (
            f"This Linux kernel ({os.uname().release}) has an early landlock and allows no user "
            f"namespaces beside it: use Linux 6.2 or later, or {otherwise}."
        )
    spaces = "namespaces" if host.namespaces else "no namespaces (files are confined by landlock)"
    return True, f"Kernels are confined by landlock {host.landlock}, seccomp and {spaces}."


def _namespaces_work() -> bool:
    """Try the namespaces for real, in a process of its own."""
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in ("root", "sockets"):
            (folder / part).mkdir()
        child = os.fork()
        if not child:
            with contextlib.suppress(BaseException):
                new_namespaces()
                build_root(folder / "root", folder / "sockets", 2**20, 10_000)
                change_root(folder / "root", SystemCalls().number("pivot_root"))
                os._exit(0)
            os._exit(1)
        return os.waitpid(child, 0)[1] == 0


if __name__ == "__main__":
    sys.exit(0 if _namespaces_work() else 1)
