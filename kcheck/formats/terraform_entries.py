"""Entries of Terraform's blocks as settings and facts of a resource."""

from __future__ import annotations

from kcheck.formats.scalars import take
from kcheck.formats.text import written
from kcheck.model import Position, Resource, Setting
from kcheck.syntax.hcl import Entry, Scalar, Value
from kcheck.units import whole


def fact(resource: Resource, name: str, entry: Entry) -> None:
    """Make an entry a fact of a resource, a number where it is one."""
    made = setting(name, entry, resource.path)
    made.amount = whole(made.text)
    resource.facts[name] = made


def put_all(resource: Resource, value: Value) -> None:
    """Make all entries of a map settings of a resource."""
    if isinstance(value, list):
        for entry in value:
            put(resource, entry.key, entry)


def put(resource: Resource, key: str, entry: Entry) -> None:
    """Make an entry the setting of that key."""
    take(resource, setting(key, entry, resource.path))


def setting(key: str, entry: Entry, path: str) -> Setting:
    """An entry of the file at ``path`` as a setting, which is unknown where it is no scalar."""
    value = entry.value
    if isinstance(value, Scalar):
        at = _key_at(value, entry, path)
        return written(key, value.text, value.path, value.at, at, entry.key)
    return Setting(key, None, path, entry.at, entry.key_at, entry.key)


def _key_at(value: Scalar, entry: Entry, path: str) -> Position:
    """Where the key stands; the value itself, if that is in another file."""
    return entry.key_at if value.path == path else value.at
