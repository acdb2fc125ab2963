"""Bound how long this process itself works on something that came from a submission."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType


class TooLongError(Exception):
    """It took more processor time than it may."""


@contextlib.contextmanager
def processor_seconds(seconds: float) -> Iterator[None]:
    """Stop what is done inside after so many seconds of processor time.

    Only the main thread can be stopped, only between steps of Python, and only where there are such
    timers, as on Linux and macOS. What comes from a submission is bounded in size before, and
    nothing that is done with it takes more than proportional time, so this is a second wall.

    Raises:
        TooLongError: if it has taken longer.
    """
    stoppable = threading.current_thread() is threading.main_thread()
    if not stoppable or not hasattr(signal, "setitimer"):
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooLongError(f"It takes more than {seconds:g} seconds.")

    before = signal.signal(signal.SIGVTALRM, stop)
    # and again after as many, should something inside have caught the error and gone on
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
