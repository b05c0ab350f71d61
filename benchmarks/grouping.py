"""What grouping costs: how the files of a project find their clusters, as a share of the whole lint.

    python benchmarks/grouping.py [--runs N] [--smoke]

Two projects, each read once and grouped in this process, in turn with a lint of the same documents:

odd files
    Every example of every rule, 1,824 files of all formats in eight folders: clusters of all kinds
    beside each other, of which hardly any belong together.
services
    200 clusters and 10,000 services that name the bootstrap servers of one. It is linted in turn
    with a twin without addresses, in which each service lies beside its brokers.

Exits 1 where a figure is over its limit.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import sys
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from kcheck import engine, rules  # noqa: E402
from kcheck.examples import examples  # noqa: E402
from kcheck.grouping.gather import gathered  # noqa: E402
from kcheck.settings import Settings  # noqa: E402

#: Grouping the odd files may take this share of linting them.
ODD_SHARE = 0.15
#: Services with addresses may take this much of the time of those without.
ADDRESSES = 1.3

Files = list[tuple[str, bytes]]

_BROKER = """\
node.id={node}
process.roles=broker,controller
controller.quorum.voters=1@b1.c{cluster}.example.com:9093
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://:9092,CONTROLLER://:9093
advertised.listeners=PLAINTEXT://b{node}.c{cluster}.example.com:9092
"""
_SERVICE = """\
spring:
  kafka:
    {servers}
    consumer: {{group-id: service-{number}}}
    producer: {{acks: all}}
"""


def odd(count: int) -> Files:
    """Files of all formats in eight folders."""
    every = (
        (name.replace("/", "-"), text)
        for rule in rules.load().values()
        for example in examples(rule)
        for name, text in example.files.items()
    )
    found = islice(every, count)
    return [(f"f{at % 8}/{at:04}-{name}", text.encode()) for at, (name, text) in enumerate(found)]


def services(clusters: int, count: int, addresses: bool) -> Files:
    """Brokers, and services that name theirs or lie beside them."""
    files = [
        (f"kafka/c{n:03}/server.properties", _BROKER.format(node=1, cluster=n).encode())
        for n in range(clusters)
    ]
    for at in range(count):
        cluster = at % clusters
        servers = f"bootstrap-servers: b1.c{cluster}.example.com:9092" if addresses else "{}"
        text = _SERVICE.format(servers=servers, number=at)
        if not addresses:
            text = text.replace("    {}\n", "")
        folder = f"apps/s{at:05}" if addresses else f"kafka/c{cluster:03}/s{at:05}"
        files.append((f"{folder}/application.yml", text.encode()))
    return files


def seconds(work: Callable[[], object]) -> float:
    """The CPU time of one call."""
    gc.collect()
    before = time.process_time()
    work()
    return time.process_time() - before


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--smoke", action="store_true", help="once, on small projects")
    given = parser.parse_args()
    runs = 1 if given.smoke else given.runs
    good = [_odd(100 if given.smoke else 1_824, runs)]
    good.append(_services(*((5, 50) if given.smoke else (200, 10_000)), runs))
    return 0 if given.smoke or all(good) else 1


def _odd(count: int, runs: int) -> bool:
    settings = Settings()
    documents, _ = engine.read_documents(odd(count), settings)
    grouping: list[float] = []
    whole: list[float] = []
    for _ in range(runs):
        grouping.append(seconds(lambda: gathered(documents, settings)))
        whole.append(seconds(lambda: engine.lint_project(odd(count), settings)))
    share = statistics.median(grouping) / statistics.median(whole)
    return _report(f"{count:,} odd files: grouping / lint", share, ODD_SHARE, grouping)


def _services(clusters: int, count: int, runs: int) -> bool:
    settings = Settings()
    projects = {told: services(clusters, count, told) for told in (True, False)}
    times: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(runs):
        for told, files in projects.items():
            times[told].append(seconds(lambda: engine.lint_project(files, settings)))  # noqa: B023
    ratio = statistics.median(times[True]) / statistics.median(times[False])
    title = f"{count:,} services, {clusters:,} clusters: with / without addresses"
    return _report(title, ratio, ADDRESSES, times[True])


def _report(title: str, ratio: float, limit: float, times: list[float]) -> bool:
    good = ratio <= limit
    verdict = "ok" if good else "OVER"
    print(f"{title}: {ratio:.3f}x (at most {limit}: {verdict}; {statistics.median(times):.2f} s)")
    return good


if __name__ == "__main__":
    sys.exit(main())
