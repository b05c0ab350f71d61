"""How rules put values into sentences: key, value, unit, and where it comes from."""

from __future__ import annotations

from collections.abc import Iterable

from kcheck import libraries, units
from kcheck.model import ABSENT, DEFAULT, FACT, Torn, Value


def origin(value: Value) -> str:
    """``" (default)"``, ``" (default of Kafka 3.9)"`` … or nothing for what a file sets."""
    return _bracketed(_origin(value))


def _origin(value: Value) -> str:
    if value.origin == DEFAULT:
        library = libraries.of(value.resource.dialect).default_of
        if library:
            return f"default of {library}"
        version = value.kafka_version or ""
        return f"default of Kafka {version}" if version and "-" not in version else "default"
    return "not set" if value.origin == ABSENT else ""


def _bracketed(*parts: str) -> str:
    said = ", ".join(filter(None, parts))
    return f" ({said})" if said else ""


def repeated(names: Iterable[str]) -> list[str]:
    """The names that stand there more than once, each once and in their order."""
    seen: dict[str, bool] = {}
    for name in names:
        seen[name] = name in seen
    return [name for name, again in seen.items() if again]


def plain(value: Value) -> str:
    """``key=value`` with its origin where no file sets it."""
    if value.origin == FACT:
        return f"{value.key} {value.text}{origin(value)}"
    return f"{value.key}={value.text or ''}{origin(value)}"


def in_bytes(value: Value) -> str:
    """``key=5242880 (5 MiB)``, which can be pasted, with its origin."""
    return f"{value.key}={int(value.number)}{_bracketed(units.round_size(value.number), _origin(value))}"


def in_ms(value: Value) -> str:
    """``key=30000 (30 s)``, which can be pasted, with its origin; in the file's own key and unit."""
    rounded = units.round_duration(value.number)
    if value.written and value.text and value.text.isdigit() and int(value.text) != value.number:
        # log.retention.hours and its like.
        return f"{value.from_key}={value.text}{_bracketed(rounded or units.in_ms(value.number))}"
    return f"{value.key}={int(value.number)}{_bracketed(rounded, _origin(value))}"


def count(number: float, noun: str) -> str:
    """``1 broker``, ``3 brokers``."""
    whole = int(number)
    return f"{whole:,} {noun}" if whole == 1 else f"{whole:,} {noun}s"


#: How to mend what ``torn`` says.
CONTINUE = "end each line of the value but the last with a backslash"


def torn(setting: Torn) -> str:
    """What became of a value that was meant to span lines, in words that follow its key."""
    keys = [*dict.fromkeys(setting.keys)]
    names = ", ".join(keys[:-1]) + f" and {keys[-1]}" if keys[1:] else keys[0]
    lines = "next line" if len(setting.keys) == 1 else "next lines"
    noun = "key" if len(keys) == 1 else "keys"
    return f"ends with its line, which has no backslash: the {lines} became the {noun} {names}"


def article(noun: str) -> str:
    """``a Converter``, ``an Authorizer``."""
    return f"{'an' if noun[:1] in 'AEIOU' else 'a'} {noun}"
