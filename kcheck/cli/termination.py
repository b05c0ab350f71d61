"""SIGTERM while something is half done: it is cleared away first, and then the process ends by it."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from types import FrameType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")


class Terminated(BaseException):
    """Somebody ends this process: nothing is begun any more, what is half done is taken back."""


def heeded(call: Callable[[], T]) -> T:
    """What the call gives. On SIGTERM it ends with Terminated, and then the process with SIGTERM.

    A second one does not wait for anything. What other software makes of the exception on its way is
    no matter: the process ends by the signal.
    """
    own = threading.current_thread() is threading.main_thread()
    if not own or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        return call()
    came = False

    def ended(number: int, frame: FrameType | None) -> None:
        nonlocal came
        came = True
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        raise Terminated

    signal.signal(signal.SIGTERM, ended)
    try:
        return call()
    except BaseException:
        if came:
            os.kill(os.getpid(), signal.SIGTERM)
        raise
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
