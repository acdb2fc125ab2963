"""The warm parent: has imported the libraries once, forks a confined kernel on request.

A program of its own (`python -I parent.py DESCRIPTOR OPTION LEFT-OUT`), so that nothing of the
course, of its owner's memory or environment can be found in a kernel. It *imports* and never
*computes*: after one parallel operation in torch, forked children would hang in OpenMP.

Its owner speaks to it over the socket whose descriptor it is given. One request is a message in
JSON together with one end of a socket pair, and on that pair the kernel's life is told:
`{"pid"}` with a pidfd from the parent, `{"ready"}` or `{"error"}` from the child, and at the end
`{"exit"}` from the parent. When the owner is gone, the kernels and the parent end, too.
"""

import contextlib
import dataclasses
import gc
import importlib
import itertools
import json
import os
import selectors
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
import traceback
import types
from pathlib import Path
from typing import Any, ClassVar

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import confine

del sys.path[0]

# Everything that an assignment uses, and what those import only when they are used first: by the
# word that stands in the code that needs it.
LIBRARIES = {
    "": """
        numpy numpy.random numpy.testing torch torch.testing torch.utils.data torch.optim
        torch.fx.experimental.symbolic_shapes safetensors.torch
        matplotlib.pyplot matplotlib.backends.backend_agg matplotlib_inline.backend_inline
        ipykernel.kernelapp ipykernel.ipkernel ipykernel.zmqshell ipykernel.debugger jedi sqlite3
        IPython.core.debugger IPython.core.oinspect IPython.extensions.storemagic
        IPython.utils.wildcard tornado.platform.asyncio tornado.queues
    """,
    "pandas": "pandas",
    "scipy": "scipy.optimize scipy.linalg scipy.stats",
    "sklearn": "sklearn.metrics",
    "optim": """
        torch._dynamo torch.onnx torch._functorch torch.distributed.tensor torch.export
        torch._inductor.config torch._numpy
    """,
    "transformers": """
        tokenizers transformers transformers.generation
        transformers.models.auto.tokenization_auto transformers.models.auto.modeling_auto
        transformers.models.bert.modeling_bert transformers.models.distilbert.modeling_distilbert
        transformers.models.gpt2.modeling_gpt2 transformers.models.bart.modeling_bart
    """,
}
SECONDS_BETWEEN_SIZE_CHECKS = 0.2
PLOTS_INTO_NOTEBOOK = "module://matplotlib_inline.backend_inline"
SKIPPED = "Skipped: shell commands are switched off while a notebook is graded."


def import_libraries(left_out: list[str]) -> None:
    """Import what is installed of `LIBRARIES`; the debugger must not start."""
    sys.modules["debugpy"] = None  # type: ignore[assignment]
    os.environ["MPLBACKEND"] = PLOTS_INTO_NOTEBOOK
    for word, names in LIBRARIES.items():
        for name in names.split() if word not in left_out else ():
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
    import ipykernel.ipkernel
    import matplotlib.font_manager

    vars(ipykernel.ipkernel)["sys"] = NoModules()
    matplotlib.font_manager.findfont("DejaVu Sans")  # read or write the cache of fonts


class NoModules:
    """`sys` for ipykernel, which lists the files of all modules for the debugger that is off here.

    To look at 5,000 modules is to copy 15 MB of the parent's pages, a sixth of a kernel's start.
    """

    modules: ClassVar[dict[str, Any]] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(sys, name)


def make_shell() -> None:
    """Make the shell that IPython looks for when a kernel starts: a quarter of its work is done.

    A process has one shell, and IPython takes the one there is.
    """
    from ipykernel.compiler import XCachingCompiler
    from ipykernel.zmqshell import ZMQInteractiveShell
    from IPython.core.profiledir import ProfileDir

    own_main = sys.modules["__main__"]
    ZMQInteractiveShell.instance(
        config=without_history(), profile_dir=ProfileDir(), compiler_class=XCachingCompiler
    )
    sys.modules["__main__"] = own_main


def adopt_shell(app: Any) -> None:
    """In a child: make the shell the one of this kernel and of its folder."""
    shell = app.shell
    shell.parent = shell.kernel = app.kernel
    shell.profile_dir, shell.ipython_dir = app.profile_dir, app.ipython_dir
    shell.home_dir = shell.starting_dir = os.environ["HOME"]
    shell.init_environment()
    sys.modules["__main__"] = shell.user_module


def without_history() -> Any:
    """Return the settings of a shell that keeps no history."""
    from traitlets.config import Config

    config = Config()
    config.HistoryManager.enabled = False
    return config


def forget_the_course() -> None:
    """Remove what would lead an `import` to the course: the finders of editable installs."""
    sys.meta_path[:] = [
        finder
        for finder in sys.meta_path
        if not getattr(finder, "__module__", "").startswith("__editable__")
    ]
    for name in [n for n in sys.modules if n.startswith("__editable__") or n == "confine"]:
        del sys.modules[name]
    listed = [str(path) for path in confine.readable_paths()]
    sys.path[:] = [p for p in sys.path if any(Path(p).is_relative_to(above) for above in listed)]


class Parent:
    """Waits for requests and for the end of kernels."""

    def __init__(self, owner: socket.socket, folder: Path, host: confine.HostFeatures) -> None:
        self.owner = owner
        self.folder = folder
        self.host = host
        self.calls = confine.SystemCalls()
        self.numbers = itertools.count(os.getpid())  # user ids that another parent does not use now
        self.selector = selectors.DefaultSelector()
        self.selector.register(owner, selectors.EVENT_READ)
        self.kernels: dict[int, dict[str, Any]] = {}  # by pidfd

    def serve(self) -> dict[str, Any] | None:
        """Answer until the owner closes the socket. In a forked child: return what it is to do."""
        self.owner.send(json.dumps({"folder": str(self.folder)}).encode())
        while True:
            watch = self.kernels and not self.host.namespaces
            for key, _ in self.selector.select(SECONDS_BETWEEN_SIZE_CHECKS if watch else None):
                if key.fileobj is not self.owner:
                    if key.data is None:
                        self.reap(key.fd)
                    else:
                        self.on_client_gone(key.data)
                    continue
                message, descriptors, _, _ = socket.recv_fds(self.owner, 1 << 20, 1)
                if not message:
                    return None
                if job := self.fork(json.loads(message), socket.socket(fileno=descriptors[0])):
                    return job
            if watch:
                self.stop_over_quota()

    def fork(self, request: dict[str, Any], line: socket.socket) -> dict[str, Any] | None:
        """Fork a kernel. In the child: return its job."""
        limits = types.SimpleNamespace(**request["limits"])
        folder = Path(request["folder"])
        user = confine.NOBODY + next(self.numbers) % 4000
        jail: dict[str, Any] = {"folder": folder, "limits": limits, "host": self.host}
        jail["user"] = user
        jail["parent"] = os.getpid()
        pid = os.fork()
        if pid == 0:
            self.close_inherited(keep=line.fileno())
            return {"request": request, "line": line, "calls": self.calls, "jail": jail}
        pidfd = os.pidfd_open(pid)
        kernel = {
            "pid": pid,
            "pidfd": pidfd,
            "line": line,
            "scratch": folder / "root",
            "limits": limits,
        }
        self.kernels[pidfd] = kernel
        self.selector.register(pidfd, selectors.EVENT_READ)
        self.selector.register(line, selectors.EVENT_READ, data=kernel)
        with contextlib.suppress(OSError):  # the requester may have given up already
            socket.send_fds(line, [json.dumps({"pid": pid}).encode()], [pidfd])
        return None

    def reap(self, pidfd: int) -> None:
        """Collect a dead kernel and report how it ended."""
        kernel = self.kernels.pop(pidfd)
        self.selector.unregister(pidfd)
        if kernel["line"] in self.selector.get_map():
            self.selector.unregister(kernel["line"])
        os.close(pidfd)
        status = os.waitstatus_to_exitcode(os.waitpid(kernel["pid"], 0)[1])
        with contextlib.suppress(OSError):
            kernel["line"].send(json.dumps({"exit": status}).encode())
        kernel["line"].close()

    def on_client_gone(self, kernel: dict[str, Any]) -> None:
        """End a kernel whose line was closed: whoever asked for it is gone."""
        if self.kernels.get(kernel["pidfd"]) is kernel:
            self.selector.unregister(kernel["line"])
            signal.pidfd_send_signal(kernel["pidfd"], signal.SIGKILL)

    def stop_over_quota(self) -> None:
        """Where the scratch folder has no size of its own, end kernels that fill it."""
        for pidfd, kernel in self.kernels.items():
            limits = kernel["limits"]
            try:
                size, count = occupied(kernel["scratch"])
            except OSError:  # nested too deep, or locked: nobody honest does that
                size = count = sys.maxsize
            if size > limits.scratch_bytes or count > limits.scratch_files:
                signal.pidfd_send_signal(pidfd, signal.SIGKILL)

    def close_inherited(self, keep: int) -> None:
        """In a child: close everything but the standard streams (which lead nowhere) and `keep`."""
        os.setsid()
        self.selector.close()
        self.owner.detach()
        for kernel in self.kernels.values():
            kernel["line"].detach()
        os.closerange(3, keep)
        os.closerange(keep + 1, os.sysconf("SC_OPEN_MAX"))
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)


def occupied(folder: Path) -> tuple[int, int]:
    """Return bytes and number of the files in `folder`, which somebody may be changing."""
    size = count = 0
    waiting = [os.fspath(folder)]
    while waiting:
        with contextlib.suppress(FileNotFoundError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                count += 1
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                else:
                    with contextlib.suppress(FileNotFoundError):
                        size += entry.stat(follow_symlinks=False).st_blocks * 512
    return size, count


def run_kernel(
    request: dict[str, Any],
    line: socket.socket,
    calls: confine.SystemCalls,
    jail: dict[str, Any],
) -> None:
    """In a child: confine it, start IPython's kernel, serve it and exit."""
    status = 1
    try:
        files = request["files"] and Path(request["files"])
        app = start_ipython(request, confine.confine(files=files, calls=calls, **jail))
        calls.load_seccomp_filter()
        line.send(b'{"ready": true}')
        line.close()
    except BaseException:
        line.send(json.dumps({"error": traceback.format_exc()[-20_000:]}).encode())
        os._exit(1)
    try:
        del request, line, calls, jail, files  # student code can look into this frame
        app.start()
        app.close()
        status = 0
    finally:
        os._exit(status)


def start_ipython(request: dict[str, Any], jail: confine.Jail) -> Any:
    """Open the kernel's sockets and return the application, ready to be served."""
    import numpy
    from ipykernel.kernelapp import IPKernelApp
    from IPython.core.pylabtools import activate_matplotlib
    from matplotlib_inline.backend_inline import configure_inline_support

    home, work = jail.scratch / "home", jail.scratch / "work"
    os.environ.clear()
    os.environ.update(
        {"HOME": str(home), "TMPDIR": str(jail.scratch), "USER": "student", "LOGNAME": "student"},
        PATH="/usr/bin:/bin",
        LANG="C.UTF-8",
        TERM="xterm-color",
        HF_HUB_OFFLINE="1",
        TRANSFORMERS_OFFLINE="1",
        MPLBACKEND=PLOTS_INTO_NOTEBOOK,
        JOBLIB_MULTIPROCESSING="0",  # it would try, and warn that it cannot share memory here
        **request["env"],
    )
    tempfile.tempdir = None
    numpy.random.seed()  # else all kernels would share one "random" state; torch's is fixed anyway
    os.chdir(home)  # not among the files that came with the notebook: they may hold settings
    connection = request["connection"] | {"ip": str(jail.sockets / "k")}
    (home / "connection.json").write_text(json.dumps(connection))

    class Application(IPKernelApp):
        """Without what a fresh home does not hold: options and files of settings."""

        def parse_command_line(self, argv: Any = None) -> None:
            self.connection_file = str(home / "connection.json")

        def load_config_file(self, *arguments: Any, **named: Any) -> None:
            pass

    app: Any = Application.instance(config=without_history())
    app.initialize([])
    adopt_shell(app)
    app.debug_shell_socket.close(linger=0)  # it would go on trying to connect
    heartbeat = Path(f"{connection['ip']}-{connection['hb_port']}")
    while not heartbeat.exists():  # opened by a thread; afterwards there are no new sockets
        time.sleep(0.001)
    activate_matplotlib(PLOTS_INTO_NOTEBOOK)  # what its import does where IPython runs already
    configure_inline_support(app.shell, PLOTS_INTO_NOTEBOOK)
    for name in ("system", "system_piped", "system_raw"):
        setattr(app.shell, name, lambda command: print(SKIPPED))
    app.shell.getoutput = lambda *args, **kwargs: [SKIPPED]
    os.chdir(work)
    sys.path.insert(0, "")  # modules beside the notebook come first, as in any kernel
    return app


def main(descriptor: int, option: str, left_out: str) -> dict[str, Any] | None:
    """Import, forget, serve. Returns None at the end, and in every child its job."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in the owner's terminal is the owner's
    owner = socket.socket(fileno=descriptor)
    gc.disable()  # it finds nothing among modules, and takes a third of the time to import them
    try:
        # in a thread, because frames that imports leave behind keep those that called them
        importing = threading.Thread(target=import_libraries, args=(left_out.split(","),))
        importing.start()
        importing.join()
        short = "/tmp" if len(tempfile.gettempdir()) > 40 else None  # a socket's path has 108 bytes
        folder = tempfile.mkdtemp(prefix="course-sandbox-", dir=short)
        if os.geteuid() == 0:
            os.chmod(folder, 0o711)  # a kernel's user passes through and sees nothing
        host = confine.inspect_host()
        if option == "no-namespaces":
            host = dataclasses.replace(host, namespaces=False)
        parent = Parent(owner, Path(folder), host)
        forget_the_course()
        make_shell()
        gc.freeze()  # the collector would write to, and so copy, every page it looks at
        gc.enable()
        if job := parent.serve():
            return job
        for pidfd in parent.kernels:
            signal.pidfd_send_signal(pidfd, signal.SIGKILL)
        shutil.rmtree(folder, ignore_errors=True)
    except Exception:
        with contextlib.suppress(OSError):
            owner.send(json.dumps({"error": traceback.format_exc()[-20_000:]}).encode())
    return None


if __name__ == "__main__":
    if job := main(int(sys.argv[1]), *sys.argv[2:]):  # here, so that nothing of `main` is left
        run_kernel(**job)
    os._exit(0)  # nothing is left to do, and the libraries' farewells take a second
