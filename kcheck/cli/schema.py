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
    "report": ("report.schema.json", "what lint --output json prints"),
    "finding": ("finding.schema.json", "one finding, as a line of jsonl is"),
    "files": ("files.schema.json", "what kcheck files --output json prints"),
    "limits": ("limits.schema.json", "what kcheck limits --output json prints"),
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


def _list() -> str:
    lines = ["Keys of Kafka, by --kafka-version:", *(f"  {name}" for name in planes.PLANES)]
    lines += ["Keys of client libraries, by --client-version:"]
    lines += [f"  {name}" for name in libraries.LIBRARIES]
    lines += ["Formats of kcheck's own:", *(f"  {n:12} {about}" for n, (_, about) in _OWN.items())]
    return "\n".join(lines) + "\n"


def _plane(name: str, options: Options) -> dict[str, object]:
    if name not in planes.PLANES:
        near = nearest(name, [*planes.PLANES, *libraries.LIBRARIES, *_OWN])
        hint = f"; did you mean {near}?" if near else "; kcheck schema lists those that there are"
        raise Stop(f"there is no schema of {name}{hint}")
    version = _version("--kafka-version", options.kafka_version) or Version(catalogue.newest())
    if version.below(catalogue.oldest()) or catalogue.clamp(version) != version.minor:
        raise Stop(
            f"kcheck knows Kafka {catalogue.oldest()} to {catalogue.newest()}, not {version}"
        )
    try:
        return planes.schema(name, version, rules.load())
    except planes.NoSuchPlane:
        raise Stop(f"Kafka {version.minor} has nothing of {name}") from None


def _library(name: str, options: Options) -> dict[str, object]:
    version = _version("--client-version", options.client_version) or Version()
    return libraries.schema(name, version)


def _version(option: str, text: str) -> Version | None:
    if not text:
        return None
    version = Version(text)
    if not version.known:
        raise Stop(f"{option}: {text} is no version")
    return version
