"""How much a run of the tests asks: ``--thorough`` asks everything, and of Hypothesis tenfold."""

from __future__ import annotations

import pytest
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


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--thorough"):
        return
    skip = pytest.mark.skip(reason="only with --thorough")
    for item in items:
        if item.get_closest_marker("thorough") is not None:
            item.add_marker(skip)


@pytest.fixture(scope="session")
def thorough(pytestconfig: pytest.Config) -> bool:
    """Whether a test may take its time."""
    return bool(pytestconfig.getoption("--thorough"))
