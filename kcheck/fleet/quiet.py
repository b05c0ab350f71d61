"""The quiet start of a JVM: what it and Spark print goes into a log file of the session."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress

#: The setting with the options of the driver's JVM.
JAVA_OPTIONS = "spark.driver.extraJavaOptions"

_LOGGING = """\
rootLogger.level = warn
rootLogger.appenderRef.file.ref = file
appender.file.type = Console
appender.file.name = file
appender.file.target = SYSTEM_ERR
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n%ex
"""


#: The logs of embedded sessions that nobody has been told of.
_logs: set[str] = set()


def clear() -> None:
    """Remove the logs that nobody has been told of: an interrupt may have come before ``stop``."""
    for log in [*_logs]:
        remove(log)


def keep(log: str) -> None:
    """Leave a log to whoever is told of it."""
    _logs.discard(log)
    with suppress(OSError):
        os.unlink(f"{log}.properties")


def remove(log: str) -> None:
    for path in (log, f"{log}.properties"):
        with suppress(OSError):
            os.unlink(path)
    _logs.discard(log)


class Unavailable(Exception):
    """Spark cannot be had; the text says what is missing."""


@contextmanager
def quiet(verbose: bool) -> Iterator[tuple[str, dict[str, str]]]:
    """While the JVM starts its streams are a log file's, which it keeps for good.

    Gives the file and the settings that keep log lines short.
    """
    if verbose:
        yield "", {}
        return
    import logging

    # py4j logs a lost JVM to the root, with a traceback; the run itself says how it ended.
    logging.getLogger().addHandler(logging.NullHandler())
    descriptor, log = tempfile.mkstemp(prefix="kcheck-spark-", suffix=".log")
    _logs.add(log)
    with open(log + ".properties", "w", encoding="utf-8") as file:
        file.write(_LOGGING)
    java = {JAVA_OPTIONS: f"-Dlog4j2.configurationFile=file:{log}.properties"}
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [os.dup(1), os.dup(2)]
    try:
        os.dup2(descriptor, 1)
        os.dup2(descriptor, 2)
        yield log, java
    except Unavailable as failed:
        # A JVM that ends before it can be asked says why into its log.
        raise Unavailable(_last_words(log) or str(failed)) from failed
    except BaseException as ended:
        # Whoever interrupts asks for no log.
        _kill_started(ended)
        remove(log)
        raise
    finally:
        for number, before in enumerate(kept, 1):
            os.dup2(before, number)
            os.close(before)
        os.close(descriptor)


def _kill_started(ended: BaseException) -> None:
    """End the JVM that was being started when the interrupt came.

    Nobody but the interrupted function of PySpark holds it, and it does not notice on its own that it
    is asked for no more.
    """
    import subprocess

    at = ended.__traceback__
    while at is not None:
        process = at.tb_frame.f_locals.get("proc")
        if isinstance(process, subprocess.Popen):
            process.kill()
            process.wait()
        at = at.tb_next


def _last_words(log: str) -> str:
    """Why Spark did not start, by its log, which is not needed any more; "" if it does not say."""
    said = ""
    with suppress(OSError), open(log, encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.startswith('Exception in thread "main" '):
                said = line.partition(" java.lang.")[2].partition(": ")[2].strip()
    remove(log)
    return f"Spark does not start: {said}" if said else ""
