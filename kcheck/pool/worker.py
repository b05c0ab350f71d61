"""One batch of files → its ``Part``: what a worker does, again and again until it is told to end."""

from __future__ import annotations

import gc
import signal
import time

from kcheck import engine, share
from kcheck.circumstances import Circumstances
from kcheck.files import Files, words
from kcheck.graph.formed import formed
from kcheck.grouping.gather import gathered, ids, names
from kcheck.grouping.outline import outline
from kcheck.pool.result import Part, membership, packed, reported
from kcheck.runner import Runner
from kcheck.settings import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from multiprocessing.connection import Connection

#: Messages that are no part: the worker is busy, or could not do the batch.
ALIVE, FAILED = b"", b"!"
#: Seconds between two signs of life.
_BEAT = 1.0


class Work:
    """All that workers share: which files there are, and how they are read and judged."""

    def __init__(
        self,
        paths: list[str],
        files: Files,
        settings: Settings,
        batches: list[list[int]],
        circumstances: Circumstances | None = None,
    ) -> None:
        self.paths = paths
        self.files = files
        self.settings = settings
        self.batches = batches
        self.circumstances = circumstances or Circumstances()


def serve(pipe: Connection, work: Work, others: Iterable[Connection]) -> None:
    """Take numbers of batches from the pipe and send parts, until it is closed.

    ``others`` are ends of pipes that a fork left open here: while they are, nobody else notices
    that the process which they belong to has died.
    """
    # Who interrupts means the run; that ends its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    unblocked()
    for other in others:
        other.close()
    # What is loaded stays; what little a batch leaves is looked for after it, not every few
    # thousand objects within.
    gc.disable()
    gc.freeze()
    try:
        with share.armed():
            _work(pipe, work)
    except (EOFError, OSError):
        return


def _work(pipe: Connection, work: Work) -> None:
    while True:
        batch = work.batches[pipe.recv()]
        try:
            message = packed(lint(work, batch, _beating(pipe)))
        except Exception:
            # The run does it itself, and says what there is to say.
            message = FAILED
        pipe.send_bytes(message)
        gc.collect()


def unblocked() -> None:
    """Let signals come that were held back while this process was made."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _beating(pipe: Connection) -> Callable[[], None]:
    last = time.monotonic()

    def beat() -> None:
        nonlocal last
        now = time.monotonic()
        if now - last > _BEAT:
            pipe.send_bytes(ALIVE)
            last = now

    return beat


def lint(work: Work, batch: list[int], beat: Callable[[], None] = lambda: None) -> Part:
    """Lint some files as a project of their own; ``beat`` is called between its steps."""
    part = Part()
    settings = work.settings
    documents = {}
    numbers: dict[str, int] = {}
    places: dict[int, tuple[int, int]] = {}
    for number in batch:
        beat()
        path = work.paths[number]
        try:
            data = work.files.read(path)
        except OSError as error:
            part.lost[number] = words(error)
            continue
        failures: list[str] = []
        document = engine.read_document(
            path, data, settings, work.files.lookup, engine.nobody, failures
        )
        if failures:
            part.failures[number] = failures
        documents[number] = document
        numbers[path] = number
        if (
            document.resources
            or document.services
            or document.references
            or document.extent.releases
            or document.extent.hosts
            or document.kustomize is not None
        ):
            part.outlines[number], traits = outline(document)
            for resource, trait in zip(document.resources, traits, strict=True):
                places[id(resource)] = number, trait
    everything = list(documents.values())
    groups = gathered(everything, settings).groups
    clusters = [
        (membership(one, key, numbers, places), formed(one, name, key, settings))
        for one, name, key in zip(groups, names(groups), ids(groups), strict=True)
    ]
    part.documents = {number: reported(document) for number, document in documents.items()}
    ignores = engine.ignores_in(everything, settings, work.circumstances)
    runner = Runner(settings)
    for number, document in documents.items():
        runner.document(engine.judged(document, ignores))
        told = runner.take()
        if told != ([], []):
            part.of_documents[number] = told
    for key, cluster in clusters:
        beat()
        engine.judge(cluster, runner)
        part.of_clusters[key] = runner.take()
        part.traits[key] = cluster.traits()
        cluster.dissolve()
    return part
