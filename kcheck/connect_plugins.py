"""The keys of public Connect plug-ins, as ``schemas/connectors`` read them from their released jars."""

from __future__ import annotations

from kcheck import configdef, data
from kcheck.version import Version

_NUMBERS = ("short", "int", "long")


class PluginKey:
    """A key of a connector in some releases: its type, the words that a text must be one of ("" for any
    text) and the least number (None for no bound)."""

    __slots__ = ("any_case", "least", "releases", "type", "words")

    def __init__(self, releases: tuple[str, ...], type_: str, words: str, least: str) -> None:
        self.releases = releases
        self.type = type_
        self.any_case = words.startswith("any-case:")
        self.words = tuple(words.removeprefix("any-case:").split("|")) if words else ()
        self.least = int(least) if least else None

    def refusal(self, text: str) -> str:
        """Why the connector's own validation refuses the text; "" where it does not."""
        if self.words:
            alike = (
                text.lower() in map(str.lower, self.words) if self.any_case else text in self.words
            )
            return "" if alike else f"is not one of {', '.join(self.words)}"
        if self.type != "boolean" and self.type not in _NUMBERS:
            return ""
        number, wrong = configdef.convert(self.type, text)
        if not wrong and self.least is not None and isinstance(number, int) and number < self.least:
            return f"is below the minimum {self.least}"
        return wrong


class Plugin:
    """A connector: its class, the plug-in it comes in, the releases that were asked, and its keys."""

    __slots__ = ("keys", "name", "package", "releases")

    def __init__(self, name: str, package: str, releases: tuple[str, ...]) -> None:
        self.name = name
        self.package = package
        self.releases = releases
        self.keys: dict[str, list[PluginKey]] = {}

    def possible(self, version: Version) -> tuple[str, ...]:
        """The releases of those asked that a version is like: itself, or its neighbours; all if unknown."""
        if version.numbers is None:
            return self.releases
        mine = version.numbers[:2]
        older = [one for one in self.releases if _order(one) <= mine][-1:]
        if older and _order(older[0]) == mine:
            return tuple(older)
        return (*older, *[one for one in self.releases if _order(one) > mine][:1])


_plugins: dict[str, Plugin] = {}


def plugin(name: str) -> Plugin | None:
    """The connector of that class; None where its jars were not read."""
    if not _plugins:
        _read()
    return _plugins.get(name)


def _read() -> None:
    for name, package, releases in data.rows("connectors/releases.tsv"):
        _plugins[name] = Plugin(name, package, tuple(releases.split()))
    for both, versions, type_, words, least in data.rows("connectors/keys.tsv"):
        name, _, key = both.partition(" ")
        asked = _plugins[name].releases
        first, dash, last = versions.partition("-")
        # The columns of a release that the class is not in belong to other classes of the plug-in.
        start = next((i for i, one in enumerate(asked) if _order(one) >= _order(first)), len(asked))
        end = len(asked) if dash and not last else _after(asked, last or first)
        _plugins[name].keys.setdefault(key, []).append(
            PluginKey(asked[start:end], type_, words, least)
        )


def _after(releases: tuple[str, ...], last: str) -> int:
    return sum(_order(one) <= _order(last) for one in releases)


def _order(release: str) -> tuple[int, ...]:
    return tuple(map(int, release.split(".")))
