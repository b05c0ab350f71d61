"""How much a run of the tests asks, and how several processes share it.

``--thorough`` asks everything, and of Hypothesis tenfold. ``-n auto`` (pytest-xdist) spreads the
files over processes; without it all runs in one.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from functools import cache
from typing import Any

import pytest
import typer.main
from hypothesis import HealthCheck, settings

#: No deadlines: the machine may have other things to do.
settings.register_profile("brief", max_examples=30, deadline=None)
settings.register_profile(
    "thorough", max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--thorough", action="store_true", help="ten times the examples, and what takes long"
    )


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("thorough" if config.getoption("--thorough") else "brief")
    gc.disable()  # until all tests are collected: a fifth of the time that this takes


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if hasattr(config, "workerinput"):
        _longest_first(items)
    if config.getoption("--thorough"):
        return
    skip = pytest.mark.skip(reason="only with --thorough")
    for item in items:
        if item.get_closest_marker("thorough") is not None:
            item.add_marker(skip)


#: Files and folders of few tests that take seconds each. Begun last, one of them would keep one
#: process at work while the others have none.
_LONG = (
    "tests/fleet/",
    "tests/fuzz/test_fuzz_commands.py",
    "tests/pool/test_parity.py",
    "tests/secrecy/test_planted.py",
    "tests/test_bounded_cache.py",
    "tests/test_architecture.py",
    "tests/hostile/",
    "tests/pool/test_processes.py",
    "tests/report/test_orders.py",
)


def _longest_first(items: list[pytest.Item]) -> None:
    """Order the files by what they take, as far as their numbers of tests and ``_LONG`` tell."""
    files = [item.nodeid.partition("::")[0] for item in items]
    tests = Counter(files)
    place = {
        file: (-tests[file] if not file.startswith(_LONG) else -len(items), number)
        for number, file in enumerate(tests)
    }
    items.sort(key=lambda item: place[item.nodeid.partition("::")[0]])


#: Files that look at the trees of all modules, which take seconds to make.
_OF_CODE = (
    "tests/test_architecture.py",
    "tests/test_bounded_cache.py",
    "tests/test_libraries.py",
    "tests/rules/test_families.py",
)

#: More processes than that wait for the longest file.
_MOST_PROCESSES = 8


@pytest.hookimpl(optionalhook=True, wrapper=True)
def pytest_xdist_auto_num_workers() -> Generator[None, int, int]:
    return min((yield), _MOST_PROCESSES)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """A file stays in one process, which makes what its tests share once; so do all on Spark."""
    if config.getoption("dist") != "load":
        return None
    from xdist.scheduler import LoadFileScheduling

    config.option.loadscopereorder = False  # the order is that of ``_longest_first``

    class ByFile(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            path = super()._split_scope(nodeid)
            if path in _OF_CODE:
                return _OF_CODE[0]
            return "tests/fleet" if path.startswith("tests/fleet/") else path

    return ByFile(config, log)


#: Seconds from which on what prepares a test, or ends it, is worth telling by ``--durations``.
_TELLING = 0.05


@pytest.hookimpl(trylast=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Let processes tell the run of each test once, not six times: ten thousand take seconds."""
    config = session.config
    if not hasattr(config, "workerinput") or config.getoption("xmlpath", None):
        return
    for plugin in config.pluginmanager.get_plugins():
        if type(plugin).__name__ == "WorkerInteractor":
            plugin.sendevent = _terse(plugin.sendevent)


def _terse(send: Callable[..., None]) -> Callable[..., None]:
    """``send`` without the events of which nobody makes anything."""

    def some(name: str, **more: Any) -> None:
        data = more.get("data")
        smooth = (
            name == "testreport"
            and data["when"] != "call"
            and data["outcome"] == "passed"
            and data["duration"] < _TELLING
        )
        if name != "logstart" and not smooth:
            send(name, **more)

    return some


def pytest_collection_finish() -> None:
    """Thousands of tests live until the end: what can be thrown away is not looked for among them."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000)
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def commands_made_once() -> Iterator[None]:
    """A process runs one command line, the tests run thousands: Typer reads the commands once."""
    from kcheck.cli import app

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app, "built", cache(app.built))
        patch.setattr(typer.main, "get_command", cache(typer.main.get_command))
        yield


@pytest.fixture(scope="session")
def thorough(pytestconfig: pytest.Config) -> bool:
    """Whether a test may take its time."""
    return bool(pytestconfig.getoption("--thorough"))
