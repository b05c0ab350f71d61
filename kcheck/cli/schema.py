"""``kcheck schema``: JSON Schemas of Kafka's planes, of client libraries, of kcheck's own formats."""

from __future__ import annotations

from json import dumps

from kcheck import catalogue, data, rules
from kcheck.cli import run
from kcheck.cli.options import Options
from kcheck.cli.run import Stop
from kcheck.editor import libraries, planes
from kcheck.selection import nearest
from kcheck.version import Version

#: kcheck's own formats, and the files in ``schemas`` that hold their schemas.
_OWN = {
    "settings": ("settings.schema.json", "kcheck.toml"),
    "declaration": ("kcheck.schema.json", "kcheck.yaml"),
    "report": ("report.schema.json", "output of lint --output json"),
    "finding": ("finding.schema.json", "one finding, a line of lint --output jsonl"),
    "files": ("files.schema.json", "output of kcheck files --output json"),
    "limits": ("limits.schema.json", "output of kcheck limits --output json"),
}


def schema(options: Options) -> int:
    """Print the schema of one name, or the list of names; gives the exit code."""
    name = options.name
    if not name:
        run.write(_list())
    elif name in _OWN:
        run.write(data.read(_OWN[name][0]))
    else:
        found = _library(name, options) if name in libraries.LIBRARIES else _plane(name, options)
        run.write(dumps(found, indent=2, ensure_ascii=False) + "\n")
    return run.CLEAN


def names() -> list[str]:
    """All names of schemas."""
    return [*planes.PLANES, *libraries.LIBRARIES, *_OWN]


def _list() -> str:
    lines = ["Kafka keys, by --kafka-version:", *(f"  {name}" for name in planes.PLANES)]
    lines += ["Client library keys, by --client-version:"]
    lines += [f"  {name}" for name in libraries.LIBRARIES]
    lines += ["kcheck's own formats:", *(f"  {n:12} {about}" for n, (_, about) in _OWN.items())]
    return "\n".join(lines) + "\n"


def _plane(name: str, options: Options) -> dict[str, object]:
    if name not in planes.PLANES:
        near = nearest(name, names())
        hint = f"; did you mean {near}?" if near else "; list them with kcheck schema"
        raise Stop(f"no schema is named {name}{hint}")
    version = _version("--kafka-version", options.kafka_version) or Version(catalogue.newest())
    if version.below(catalogue.oldest()) or catalogue.clamp(version) != version.minor:
        raise Stop(
            f"kcheck covers Kafka {catalogue.oldest()} to {catalogue.newest()}, not {version}"
        )
    try:
        return planes.schema(name, version, rules.load())
    except planes.NoSuchPlane:
        raise Stop(f"Kafka {version.minor} has no config type {name}") from None


def _library(name: str, options: Options) -> dict[str, object]:
    version = _version("--client-version", options.client_version) or Version()
    return libraries.schema(name, version)


def _version(option: str, text: str) -> Version | None:
    if not text:
        return None
    version = Version(text)
    if not version.known:
        raise Stop(f"{option}: {text} is not a version")
    return version
