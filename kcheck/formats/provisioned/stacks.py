"""CloudFormation's templates that are called ``.template``, as AWS calls them: in YAML or in JSON."""

from __future__ import annotations

from importlib import import_module

from kcheck.formats.readers import read

__all__ = ["read", "recognise"]

#: What templates of CloudFormation hold that is Kafka's, by the readers of YAML and of JSON.
_FORMATS = ("cloudformation-msk", "ecs-template")


def recognise(path: str, data: bytes) -> str | None:
    if b"AWS::" not in data:
        return None
    syntax = "json" if data.lstrip()[:1] == b"{" else "yaml"
    others = import_module(f"kcheck.formats.{syntax}_others")
    found: str | None = others.recognise(f"{path}.{syntax}", data)
    return found if found in _FORMATS else None
