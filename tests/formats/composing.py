"""Compose projects held in memory, for the tests of their reader."""

from __future__ import annotations

import textwrap

from kcheck import formats
from kcheck.engine import Project, lint_project
from kcheck.model import Document, Resource, Setting
from kcheck.settings import Settings

NAME = "docker-compose.yml"


def project(main: str, files: dict[str, str] | None = None, name: str = NAME) -> dict[str, bytes]:
    """The files of a project by path, the compose file under ``name`` among them."""
    texts = {name: main, **(files or {})}
    return {path: textwrap.dedent(text).encode() for path, text in texts.items()}


def document(main: str, files: dict[str, str] | None = None, name: str = NAME) -> Document:
    sources = project(main, files, name)
    return formats.read(name, sources[name], sources.get)


def resource(main: str, files: dict[str, str] | None = None, name: str = NAME) -> Resource:
    """The only resource of a compose file."""
    (found,) = document(main, files, name).resources
    return found


def service(image: str, *environment: str) -> str:
    """A file with one service ``kafka`` that has these ``NAME=value`` variables."""
    lines = ["services:", "  kafka:", f"    image: {image}"]
    lines += ["    environment:"] * bool(environment)
    lines += [f"      - '{variable}'" for variable in environment]
    return "\n".join(lines) + "\n"


def lint(main: str, files: dict[str, str] | None = None) -> Project:
    sources = project(main, files)
    made = lint_project(sorted(sources.items()), Settings(), sources.get)
    assert not made.failures
    return made


def codes(main: str, files: dict[str, str] | None = None) -> list[str]:
    """The codes of the findings on the reading of the environment, in their order."""
    return [f.code for f in lint(main, files).findings if f.code.startswith("KC012")]


def written(setting: Setting, sources: dict[str, bytes]) -> str:
    """The text that stands at the place of a setting's value."""
    line, start, last, end = setting.at
    assert line == last
    return sources[setting.path].decode().split("\n")[line - 1][start - 1 : end - 1]
