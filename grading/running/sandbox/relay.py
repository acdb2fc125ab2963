"""Carry a kernel's connections into a container through its standard input and output.

A container that has no network and shares no folder with its host can be reached in no other way.
The host's end (`container.py`) listens where clients connect; the other end, the program below, is
the container's first process: it starts the kernel, connects to it in turn, and when its input
ends, as it does when whoever grades is gone, it ends, and everything in the container with it.

A frame is the number of a connection, its channel, a length and so many bytes; no bytes mean that
the connection is closed. On channel 0 the host sends what is asked for and signals for the kernel,
and the container says once that the kernel is there. The program travels to the container as text,
so it imports nothing of the course.
"""

import asyncio
import contextlib
import ctypes
import io
import itertools
import json
import os
import signal
import struct
import sys
import tarfile

HEAD = struct.Struct("!IBI")
MAX_FRAME_BYTES = 1 << 16
CHANNELS = ("shell_port", "iopub_port", "stdin_port", "control_port", "hb_port")
PR_SET_DUMPABLE = 4


def frame(number: int, channel: int, data: bytes) -> bytes:
    """Return a frame."""
    return HEAD.pack(number, channel, len(data)) + data


async def read_frame(
    stream: asyncio.StreamReader, max_bytes: int = MAX_FRAME_BYTES
) -> tuple[int, int, bytes]:
    """Return a frame's number, channel and bytes; `IncompleteReadError` at the end."""
    number, channel, length = HEAD.unpack(await stream.readexactly(HEAD.size))
    if length > max_bytes:
        raise asyncio.IncompleteReadError(b"", length)
    return number, channel, await stream.readexactly(length)


class Relay:
    """One end: what comes in goes to the connection that it belongs to, and the other way round."""

    def __init__(self, incoming: asyncio.StreamReader, outgoing: asyncio.StreamWriter):
        self._incoming, self._outgoing = incoming, outgoing
        self._connections: dict[int, asyncio.StreamWriter] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._numbers = itertools.count()

    async def tell(self, number: int, channel: int, data: bytes) -> None:
        """Send a frame."""
        self._outgoing.write(frame(number, channel, data))
        await self._outgoing.drain()

    async def serve(self) -> None:
        """Pass frames on until there are no more."""
        with contextlib.suppress(asyncio.IncompleteReadError, OSError):
            while True:
                number, channel, data = await read_frame(self._incoming)
                if channel == 0:
                    self.signalled(number)
                    continue
                if number not in self._connections and data:
                    await self.opened(number, channel)
                if writer := self._connections.get(number):
                    with contextlib.suppress(OSError):
                        writer.write(data)
                        await writer.drain()
                    if not data:
                        self.close(number)

    def signalled(self, number: int) -> None:
        """Take a signal."""

    async def opened(self, number: int, channel: int) -> None:
        """Take a new connection."""

    def accept(
        self, channel: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Take a connection that a client has made."""
        self.add(next(self._numbers), channel, reader, writer)

    def add(
        self,
        number: int,
        channel: int,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        """Pass on what a connection says, until it is closed."""
        self._connections[number] = writer
        task = asyncio.create_task(self._listen(number, channel, reader))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _listen(self, number: int, channel: int, reader: asyncio.StreamReader) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(MAX_FRAME_BYTES):
                await self.tell(number, channel, data)
            await self.tell(number, channel, b"")
        self.close(number)

    def close(self, number: int) -> None:
        """Close a connection."""
        if writer := self._connections.pop(number, None):
            writer.close()

    def close_all(self) -> None:
        """Close all connections; clients will try again, for there may be a restart."""
        for number in list(self._connections):
            self.close(number)


class Inside(Relay):
    """The end in the container."""

    async def start(self) -> None:
        """Start the kernel as the host asks, and wait until it listens."""
        asked = json.loads((await read_frame(self._incoming, 1 << 32))[2])
        files = (await read_frame(self._incoming, 1 << 32))[2]
        ours, theirs = list(sys.version_info[:2]), asked["version"]
        if ours != theirs:
            sys.exit("the image has Python {}.{}, and grading runs {}.{}".format(*ours, *theirs))
        for name in ("home", "work"):
            os.mkdir(f"/tmp/{name}")
        with tarfile.open(fileobj=io.BytesIO(files)) as archive:
            archive.extraction_filter = lambda member, _: member  # links, too: to nothing of ours
            archive.extractall("/tmp/work")
        connection = asked["connection"] | {"ip": "/tmp/home/k"}
        with open("/tmp/home/connection.json", "w") as stream:
            json.dump(connection, stream)
        self._places = [f"/tmp/home/k-{connection[name]}" for name in CHANNELS]
        environment = {"HOME": "/tmp/home", "PATH": os.environ["PATH"]}
        command = "-I -m ipykernel_launcher -f /tmp/home/connection.json"
        nowhere = asyncio.subprocess.DEVNULL
        self.kernel = await asyncio.create_subprocess_exec(
            sys.executable, *command.split(), "--HistoryManager.enabled=False",
            cwd="/tmp/work", env=environment | asked["env"],
            stdin=nowhere, stdout=nowhere, stderr=nowhere,
        )  # fmt: skip
        while not all(map(os.path.exists, self._places)):
            if self.kernel.returncode is not None:
                sys.exit(f"the kernel ended with status {self.kernel.returncode}")
            await asyncio.sleep(0.005)
        await self.tell(0, 0, b"")

    def signalled(self, number: int) -> None:
        """Send a signal on to the kernel."""
        with contextlib.suppress(ProcessLookupError):
            self.kernel.send_signal(number)

    async def opened(self, number: int, channel: int) -> None:
        """Connect to the kernel."""
        with contextlib.suppress(OSError):
            place = self._places[channel - 1]
            self.add(number, channel, *await asyncio.open_unix_connection(place))


async def main() -> int:
    """Serve until the host is gone or the kernel has ended; return the container's status."""
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)  # student code has the same user: keep out
    incoming, loop = asyncio.StreamReader(), asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(incoming), sys.stdin)
    transport, protocol = await loop.connect_write_pipe(
        asyncio.streams.FlowControlMixin, os.fdopen(os.dup(1), "wb")
    )
    relay = Inside(incoming, asyncio.StreamWriter(transport, protocol, None, loop))
    await relay.start()
    serving = asyncio.create_task(relay.serve())
    ended = asyncio.create_task(relay.kernel.wait())
    await asyncio.wait([serving, ended], return_when=asyncio.FIRST_COMPLETED)
    status = relay.kernel.returncode
    return 128 + signal.SIGKILL if status is None else status if status >= 0 else 128 - status


if __name__ == "__main__":
    os._exit(asyncio.run(main()))  # sys.exit in `main` goes another way, with its sentence
