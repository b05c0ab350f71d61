"""Values that some releases of a chart read and others do not."""

from __future__ import annotations

from kcheck import data
from kcheck.formats.scalars import known, setting
from kcheck.model import Note, Resource, Setting
from kcheck.syntax import yaml

CODE = "KC0192"
_POOLS, _KEY = "*", "="
_FORMS = {"mapping": yaml.MappingNode, "list": yaml.SequenceNode, "scalar": yaml.ScalarNode}
#: What takes lines of Kafka's configuration, by the first release of the chart that has it.
_LINES = ((32, "overrideConfiguration"), (24, "extraConfig"))

Minor = tuple[int, int]
#: Above every release there is.
_LAST: Minor = (1_000_000, 0)


class Releases:
    """The releases of a chart that a version or a range of versions may be: from ``low`` on, and not
    from ``high`` on; ``told`` names them."""

    __slots__ = ("high", "low", "told")

    def __init__(self, told: str, low: Minor, high: Minor = _LAST) -> None:
        self.told = told
        self.low = low
        self.high = high


def releases(chart: str, version: str) -> Releases | None:
    """What a version or a simple range is; None for one that may be anything."""
    text = version.strip().removeprefix("v")
    mark = text.rstrip("0123456789.xX*")
    numbers = text[len(mark) :].split(".")
    if mark.strip() not in ("", "~", "^", "=", ">=", ">") or not numbers[0].isdecimal():
        return None
    major = int(numbers[0][:6])
    exact = len(numbers) > 1 and numbers[1].isdecimal()
    minor = int(numbers[1][:6]) if exact else 0
    if mark.strip() in (">=", ">"):
        high = _LAST
    elif not exact or mark.strip() == "^":
        high = (major + 1, 0)
    else:
        high = (major, minor + 1)
    return Releases(f"{chart} {version}", (major, minor), high)


_rows: dict[str, list[_Row]] = {}


class _Row:
    __slots__ = ("before", "form", "instead", "since", "unless", "until", "value")

    def __init__(self, cells: list[str]) -> None:
        self.value, since, until, self.instead, self.before, self.form, self.unless = cells
        self.since, self.until = _minor(since), _minor(until)


def _minor(text: str) -> Minor | None:
    first, _, second = text.partition(".")
    return (int(first), int(second)) if text else None


def _of(chart: str) -> list[_Row]:
    if not _rows:
        for name, *cells in data.rows("charts/values.tsv"):
            _rows.setdefault(name, []).append(_Row(cells))
    return _rows.get(chart, [])


def note(resource: Resource, node: yaml.Node, chart: str, told: Releases | None) -> set[str]:
    """Note the values that the release of the chart does not read; gives their routes."""
    if told is None:
        return set()
    found: set[str] = set()
    moved: dict[Minor, list[Setting]] = {}
    for row in _of(chart):
        pair = _pair(node, row.value)
        if pair is None or not _holds(row, pair[1]):
            continue
        made = setting(row.value, *pair, resource.path)
        if row.until is not None and told.low >= row.until:
            if row.instead != _POOLS:
                if _pair(node, row.instead.partition(" ")[0]) is not None:
                    continue  # for whoever has another release
                resource.notes.append(_removed(chart, told, row, made, pair[1]))
            elif not any(_pair(node, f"{pool}.{row.value}") for pool in ("controller", "broker")):
                moved.setdefault(row.until, []).append(made)
        elif row.since is not None and told.high <= row.since:
            resource.notes.append(_unborn(told, row, made))
        else:
            continue
        found.add(row.value)
    for until, settings in moved.items():
        resource.notes.append(_pooled(told, until, settings))
    return found


def _pair(node: yaml.Node, route: str) -> tuple[yaml.Node, yaml.Node] | None:
    """The key and the value at a route; None where there is none, or an empty one."""
    *outer, last = route.split(".")
    holder = yaml.child(node, *outer) if outer else node
    for key, key_node, value in yaml.pairs(holder):
        if key == last:
            filled = yaml.text(value) or yaml.items(value) or yaml.pairs(value)
            return (key_node, value) if filled and not yaml.is_null(value) else None
    return None


def _holds(row: _Row, value: yaml.Node) -> bool:
    if row.form and not isinstance(value, _FORMS[row.form]):
        return False
    if row.instead != _POOLS and _off(value):
        return False  # what this release does not have
    member, equals, text = row.unless.rpartition("=")
    told = yaml.child(value, member) if equals else value
    return not row.unless or (told is not None and known(told) not in (text, ""))


def _off(value: yaml.Node) -> bool:
    """Whether a value does no more than to switch off what it is about."""
    return [(name, known(one)) for name, _, one in yaml.pairs(value)] == [("enabled", "false")]


def _removed(chart: str, told: Releases, row: _Row, made: Setting, value: yaml.Node) -> Note:
    instead = _lasting(chart, told, row.instead)
    if instead.startswith(_KEY):
        holder = next(name for since, name in _LINES if told.low[0] >= since)
        instead = f"{holder} with {instead[1:]}={known(value) or '…'}"
    name, until = row.value, _text(row.until)
    if row.form:
        return Note(
            CODE,
            made,
            f"{told.told} expects another form of {name}, which {until} changed",
            "Helm fails, or renders something else",
            f"set {instead}",
        )
    return Note(
        CODE,
        made,
        f"{told.told} does not read {name}, which {until} removed",
        "Helm ignores it: the chart's or Kafka's default takes effect",
        f"set {instead}" if instead else f"remove {name}",
    )


def _lasting(chart: str, told: Releases, instead: str) -> str:
    """What took the place of what took the place, where that did not stay either."""
    later = [row for row in _of(chart) if row.value == instead and row.instead != _POOLS]
    gone = [row for row in later if row.until is not None and told.low >= row.until]
    return gone[0].instead if gone else instead


def _unborn(told: Releases, row: _Row, made: Setting) -> Note:
    name, since = row.value, _text(row.since)
    before = row.before if row.before != _KEY else "the parameters of the chart, or config"
    if row.form == "mapping" and before.startswith("a list"):
        return Note(
            CODE,
            made,
            f"{told.told} expects {before} in {name}; the mapping came with {since}",
            "the chart renders the mapping as one text, which Kafka rejects",
            f"write {before}, or use chart {since} or newer",
        )
    return Note(
        CODE,
        made,
        f"{told.told} does not read {name}, which came with {since}",
        "Helm ignores it: the chart's or Kafka's default takes effect",
        (f"use {before}, or " if before else "use ") + f"chart {since} or newer",
    )


def _pooled(told: Releases, until: Minor, settings: list[Setting]) -> Note:
    """One note for all that moved below the pools."""
    names = [one.key for one in settings]
    listed = ", ".join(names[:-1]) + (" and " if names[1:] else "") + names[-1]
    return Note(
        CODE,
        settings[0],
        f"{told.told} does not read {listed}, which {_text(until)} moved below controller and broker",
        "Helm ignores values at the top level: the chart's defaults take effect",
        f"move {listed} below controller and broker",
        others=tuple(settings[1:]),
    )


def _text(minor: Minor | None) -> str:
    return ".".join(map(str, minor or ()))
