"""The Spark session: an embedded quiet one, a named master, Spark Connect, or the one that is there.

Whoever launched this process decides: under ``spark-submit``, ``SPARK_REMOTE`` or Databricks
nothing of the session is set here but what holds for one session and its queries.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress

from kcheck.fleet.package import zipped
from kcheck.fleet.quiet import JAVA_OPTIONS, Unavailable, keep, quiet, remove

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pyspark.sql import SparkSession

INSTALL = "kcheck audit requires Spark: pip install '.[spark]' in a clone of kcheck (and Java 17)"
CONNECT = "pip install '.[connect]' in a clone of kcheck"

#: Holds for every session, whoever made it.
_QUERIES = {
    # Rows that bring the files of a whole cluster: 10,000 of them would be one batch.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "256",
    # A path that stands twice in a table is no reason to end the run.
    "spark.sql.mapKeyDedupPolicy": "LAST_WIN",
}

_BAR = "spark.ui.showConsoleProgress"
#: Says in a session which package of kcheck was sent to its executors.
_HAS = "spark.kcheck.package"

#: An embedded session: nothing listens, nothing is kept, and it starts as fast as it can.
_EMBEDDED = {
    "spark.ui.enabled": "false",
    _BAR: "false",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "2g",
    # The queries of one audit make some two hundred classes: none is compiled a second time.
    "spark.sql.codegen.cache.maxEntries": "1000",
}
#: How often a task is tried that ends with its Python process. Spark's own answer is once in
#: local mode; from the second time on each unit is linted apart.
_TRIES = 3
#: The quick compiler alone has room for 48 MB of code, which Spark fills: it would be swept out and
#: compiled again and again.
_JAVA = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m"


class Session:
    """A session and what it takes to end it. ``log`` is where an embedded one's noise goes."""

    def __init__(self, spark: SparkSession, ours: bool, log: str = "") -> None:
        self.spark = spark
        self.log = log
        self._ours = ours
        self._shipped = ""
        self._last: list[Callable[[], None]] = []

    def at_end(self, call: Callable[[], None]) -> None:
        """Call something when the session is stopped and none of its tasks writes any more."""
        self._last.append(call)

    def ship(self) -> None:
        """Send the kcheck package, facts included, to wherever tasks run."""
        # The driver serves the file for as long as the session lives, which may be longer than we.
        self._shipped = tempfile.mkdtemp(prefix="kcheck-")
        if not self._ours:
            atexit.register(shutil.rmtree, self._shipped, ignore_errors=True)
        package = zipped(self._shipped)
        name = os.path.basename(package)
        if self.spark.conf.get(_HAS, "") == name:
            return
        try:
            self.spark.addArtifacts(package, pyfile=True)
        except Exception as error:
            # A session that somebody else's process used may have it, other pyc files in it.
            if not _is_there(error, name):
                raise Unavailable(f"cannot send kcheck to the executors: {error}") from error
        # Serverless platforms keep most settings to themselves.
        with suppress(Exception):
            self.spark.conf.set(_HAS, name)

    @property
    def classic(self) -> bool:
        """Whether there is a SparkContext to ask, which Spark Connect has not."""
        return not self.spark.__class__.__module__.startswith("pyspark.sql.connect")

    def slots(self) -> int:
        """How many tasks run at a time, about."""
        if self.classic:
            with suppress(Exception):
                return max(1, int(self.spark.sparkContext.defaultParallelism))
        with suppress(Exception):
            return max(1, int(self.spark.conf.get("spark.default.parallelism", None) or ""))
        return os.cpu_count() or 8

    def kept_log(self) -> str:
        """The log of an embedded session, which stays; "" where Spark logs elsewhere."""
        log, self.log = self.log, ""
        if log:
            keep(log)
        return log

    def _kill(self) -> None:
        """End the JVM that this process started, if it did."""
        if self.classic:
            from pyspark import SparkContext

            proc = getattr(SparkContext._gateway, "proc", None)
            if proc is not None:
                proc.kill()
                proc.wait()
                # Whoever starts a session after this one needs a JVM of its own.
                SparkContext._gateway = SparkContext._jvm = None

    def stop(self) -> None:
        """End a session that was made here; others stay."""
        if self._ours:
            try:
                self.spark.stop()
            except Exception:
                # An interrupt cut the way to the JVM: its tasks would go on.
                self._kill()
            if self._last:
                # Nor does Spark wait for tasks that write when it is stopped.
                self._kill()
            if self._shipped:
                shutil.rmtree(self._shipped, ignore_errors=True)
        for call in self._last:
            with suppress(Exception):
                call()
        if self.log:
            remove(self.log)


def started(
    master: str = "",
    remote: str = "",
    verbose: bool = False,
    conf: dict[str, str] | None = None,
    delta: bool = False,
) -> Session:
    """The session to work in, with the settings that ``conf`` asks for, and Delta if wanted.

    Raises Unavailable where Spark or Java are missing or refuse. A session that others have set up
    is left without Delta if it has none.
    """
    conf = conf or {}
    try:
        import pandas  # noqa: F401  (pyspark asks for it where Arrow batches come in)
        import pyarrow  # noqa: F401
        from pyspark.sql import SparkSession
    except ImportError:
        raise Unavailable(INSTALL) from None
    if remote or os.environ.get("SPARK_REMOTE"):
        session = _connected(remote, verbose, _wanted(conf, delta and remote.startswith("local")))
        session.ship()
    elif launched() or SparkSession.getActiveSession() is not None:
        session = Session(_made(_with(SparkSession.builder, conf)), ours=launched())
        session.ship()
    elif master and not master.startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        builder = SparkSession.builder.appName("kcheck audit").master(master)
        with quiet(verbose) as (log, java):
            made = _made(_with(builder, _joined(java, _wanted(conf, delta))))
            session = Session(made, ours=True, log=log)
        session.ship()
    else:
        session = _embedded(master or "local[*]", verbose, _wanted(conf, delta))
    for key, value in _QUERIES.items():
        # Serverless platforms keep most settings to themselves.
        with suppress(Exception):
            session.spark.conf.set(key, value)
    return session


def launched() -> bool:
    """Whether somebody else set the session up: spark-submit, a notebook, a platform."""
    return any(
        name in os.environ for name in ("PYSPARK_GATEWAY_PORT", "DATABRICKS_RUNTIME_VERSION")
    )


def _wanted(conf: dict[str, str], delta: bool) -> dict[str, str]:
    """The settings of a session that is made here."""
    if not delta:
        return conf
    from kcheck.fleet.delta import Missing, settings

    try:
        return settings(conf)
    except Missing as missing:
        raise Unavailable(str(missing)) from None


def _connected(remote: str, verbose: bool, conf: dict[str, str]) -> Session:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder
    if not remote.startswith("local"):
        # Without a URL the builder asks SPARK_REMOTE itself.
        made = _made(_with(builder.remote(remote) if remote else builder, conf))
        return Session(made, ours=bool(remote))
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    settings = {name: _EMBEDDED[name] for name in ("spark.ui.enabled", _BAR)}
    with quiet(verbose) as (log, java):
        made = _made(_with(builder.remote(retrying(remote)), _joined(settings, java, conf)))
        return Session(made, ours=True, log=log)


def _embedded(master: str, verbose: bool, conf: dict[str, str]) -> Session:
    from pyspark.sql import SparkSession

    if not _java():
        raise Unavailable("kcheck audit requires Java 17: no java in JAVA_HOME or PATH")
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    # Workers are children of the JVM: they find kcheck where this process found it.
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    path = os.environ.get("PYTHONPATH", "")
    if package not in path.split(os.pathsep):
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (package, path)))
    builder = SparkSession.builder.appName("kcheck audit").master(retrying(master))
    slots = os.cpu_count() or 2
    settings = {**_EMBEDDED, "spark.sql.shuffle.partitions": str(max(4, slots))}
    with quiet(verbose) as (log, java):
        made = _made(_with(builder, _joined(settings, {JAVA_OPTIONS: _JAVA}, java, conf)))
        return Session(made, ours=True, log=log)


def _joined(*settings: dict[str, str]) -> dict[str, str]:
    """Settings of which later ones win; options of the JVM add up."""
    made: dict[str, str] = {}
    for each in settings:
        options = " ".join(filter(None, (made.get(JAVA_OPTIONS), each.get(JAVA_OPTIONS))))
        made |= each
        if options:
            made[JAVA_OPTIONS] = options
    return made


def retrying(master: str) -> str:
    """A local master that tries its tasks again; one that says how often stays as it is."""
    if master == "local":
        master = "local[1]"
    if master.startswith("local[") and master.endswith("]") and "," not in master:
        return f"{master[:-1]},{_TRIES}]"
    return master


def _with(builder: SparkSession.Builder, settings: dict[str, str]) -> SparkSession.Builder:
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder


def _made(builder: SparkSession.Builder) -> SparkSession:
    try:
        return builder.getOrCreate()
    except Exception as error:
        raise Unavailable(f"Spark does not start: {_cause(error)}") from error


def _cause(error: Exception) -> str:
    """What went wrong in one line."""
    lines = [line.strip() for line in str(error).splitlines()]
    # From the JVM come two lines before its stack: that a call failed, and with what.
    if len(lines) > 1 and lines[1].startswith(": "):
        return lines[1][2:].removeprefix("java.lang.").removeprefix("org.apache.spark.")
    if "grpcio" in str(error):
        return f"Spark Connect requires an extra: {CONNECT}"
    return next(filter(None, lines), type(error).__name__)


def _java() -> bool:
    home = os.environ.get("JAVA_HOME", "")
    return os.path.exists(os.path.join(home, "bin", "java")) if home else bool(shutil.which("java"))


def _is_there(error: Exception, name: str) -> bool:
    """Whether the session refuses a file because it has one of that name."""
    said = str(error)
    return "ALREADY_EXISTS" in said.upper() or (
        name in said and "exists and does not match contents" in said
    )
