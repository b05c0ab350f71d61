"""Errors of Kafka and its clients: by name, or by the lines of a log that tell of them.

What they mean is written by hand in ``schemas/errors/errors.yaml``; which exceptions there are, in
which versions, and whether clients try again comes from the releases themselves.
"""

from __future__ import annotations

import re

from kcheck import data

_RULES = re.compile(r"\s*\[((?:KC\d{4} ?)+)\]$")
#: Numbers of any form, with the dots of versions and addresses.
_NUMBER = re.compile(r"(?<![a-z\d])-?\d[\d.,_]*")
_QUOTES = str.maketrans("", "", "'\"`’‘“”")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WORD = re.compile(r"[A-Za-z_][\w.$]*")
#: ``*`` in a pattern stands for so many characters at most.
_REACH = 200
#: Long logs have more lines than reasons.
_LINES = 5000


class Cause:
    """Something in a configuration that leads to an error, and the codes of rules that find it."""

    __slots__ = ("rules", "text")

    def __init__(self, written: str) -> None:
        found = _RULES.search(written)
        self.text = written[: found.start()] if found else written
        self.rules = tuple(found.group(1).split()) if found else ()


class Thrown:
    """One exception class in a range of versions. ``error`` and ``code`` are of the protocol."""

    __slots__ = ("code", "error", "name", "parent", "path", "retriable", "versions")

    def __init__(self, cells: list[str]) -> None:
        self.path, self.versions, self.parent, retriable, self.error, self.code = cells
        self.name = self.path.rpartition(".")[2]
        self.retriable = bool(retriable)


class Error:
    """A row of errors.yaml. ``covers`` are ids of invariants that it tells."""

    __slots__ = ("also", "causes", "covers", "look", "means", "name", "patterns", "says", "source")

    def __init__(self, row: dict[str, object]) -> None:
        self.name = str(row["name"])
        self.also = tuple(_list(row.get("also")))
        self.says = tuple(_list(row.get("says")))
        self.source = str(row["from"])
        self.means = " ".join(str(row["means"]).split())
        self.causes = [Cause(text) for text in _list(row.get("causes"))]
        self.look = tuple(_list(row.get("look")))
        self.covers = tuple(_list(row.get("covers")))
        self.patterns = [(_pattern(text), len(text)) for text in self.says]

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.also)

    @property
    def rules(self) -> list[str]:
        """The codes of all causes, each once."""
        return list(dict.fromkeys(code for cause in self.causes for code in cause.rules))

    def __repr__(self) -> str:
        return f"Error({self.name})"


def _list(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else []


_errors: list[Error] = []
_thrown: dict[str, list[Thrown]] = {}
_by_name: dict[str, Error] = {}


def errors() -> list[Error]:
    """All rows, in the order of the file."""
    if not _errors:
        import yaml

        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        rows = yaml.load(data.read("errors/errors.yaml"), Loader=loader)
        _errors.extend(map(Error, rows))
    return _errors


def thrown() -> dict[str, list[Thrown]]:
    """The exceptions of every release by simple name; classes may share one."""
    if not _thrown:
        for cells in data.rows("errors/exceptions.tsv"):
            made = Thrown(cells)
            _thrown.setdefault(made.name, []).append(made)
    return _thrown


def _names() -> dict[str, Error]:
    """Every name of every row in lower letters, the protocol's names of its classes among them."""
    if not _by_name:
        for error in errors():
            for name in error.names:
                _by_name.setdefault(name.lower(), error)
        for name, classes in thrown().items():
            found = _by_name.get(name.lower())
            for one in classes if found else ():
                if one.error and found:
                    _by_name.setdefault(one.error.lower(), found)
    return _by_name


class Named:
    """A name that was asked for: the row that explains it, or its nearest parent's."""

    __slots__ = ("asked", "classes", "error", "parent")

    def __init__(self, asked: str, error: Error | None, classes: list[Thrown], parent: str) -> None:
        self.asked = asked
        self.error = error
        self.classes = classes
        #: The ancestor that the row is about; "" where it is about the name itself.
        self.parent = parent


def named(word: str) -> Named | None:
    """The error of that name: an exception with or without its package, the protocol's name or
    number, librdkafka's or kafka-python's name; None for any other word.
    """
    simple = word.rpartition(".")[2].rpartition("$")[2]
    simple = simple.removeprefix("RD_KAFKA_RESP_ERR_") or simple
    classes = _classes(simple)
    error = _names().get(simple.lower())
    if error is None and not classes and simple.endswith("Error"):
        # What Java calls Exception, the Python clients call Error; some of their names are the
        # protocol's: GroupAuthorizationFailedError.
        stem = simple.removesuffix("Error")
        return named(stem + "Exception") or named(_HUMP.sub("_", stem).upper())
    if error is not None:
        if not classes and not simple.startswith("_"):
            classes = _classes(error.name)
        return Named(simple, error, classes, "")
    if not classes:
        return None
    error = _names().get(classes[-1].name.lower())
    if error is not None:
        return Named(classes[-1].name, error, classes, "")
    parent = classes[-1].parent
    seen: set[str] = set()
    while parent not in seen:
        seen.add(parent)
        error = _names().get(parent.lower())
        if error is not None:
            return Named(classes[-1].name, error, classes, parent)
        parent = next((c.parent for c in thrown().get(parent, ())), "")
    return Named(classes[-1].name, None, classes, "")


def _classes(word: str) -> list[Thrown]:
    """The classes of a simple name, of a name of the protocol, or of its number."""
    lowered = word.lower()
    for name, classes in thrown().items():
        if lowered == name.lower() or any(lowered == c.error.lower() for c in classes if c.error):
            return classes
    number = word.removeprefix("-")
    if number.isascii() and number.isdigit():
        return [c for classes in thrown().values() for c in classes if c.code == word]
    return []


# -- lines of logs ------------------------------------------------------------------------------


def normal(text: str) -> str:
    """A line as patterns have it: small letters, no quotes, one blank, ``#`` for each number.

    ``30000 ms`` and ``30000ms`` are the same.
    """
    return _NUMBER.sub("#", " ".join(text.translate(_QUOTES).lower().split())).replace("# ", "#")


def _pattern(text: str) -> re.Pattern[str]:
    parts = (re.escape(part.strip()) for part in normal(text).split("*"))
    return re.compile(f".{{0,{_REACH}}}?".join(parts))


class Match:
    """An error that a text tells of; ``line`` is where, ``weight`` how much of it says so."""

    __slots__ = ("error", "line", "named", "weight")

    def __init__(self, error: Error | None, named: Named | None, line: str, weight: float) -> None:
        self.error = error
        self.named = named
        self.line = line
        self.weight = weight

    @property
    def name(self) -> str:
        return self.error.name if self.error else self.named.asked if self.named else ""


#: What a cause further down in a trace counts more than what it became.
_DEEPER = 40
#: A class from which others come says little by itself.
_GENERIC = 0.1


def matches(text: str) -> list[Match]:
    """The errors that the lines tell of, the most telling first, each once."""
    best: dict[str, Match] = {}
    depth = 0
    for line in text.splitlines()[:_LINES]:
        if line.lstrip().startswith("Caused by:"):
            depth += _DEEPER
        for match in _in_line(line):
            match.weight += depth if match.weight > _DEEPER / 4 else 0
            known = best.get(match.name)
            if known is None or known.weight < match.weight:
                best[match.name] = match
    return sorted(best.values(), key=lambda match: -match.weight)


def _in_line(line: str) -> list[Match]:
    found: list[Match] = []
    named_at: list[tuple[int, Match]] = []
    plain = normal(line)
    parents = _parents()
    for word in dict.fromkeys(word.rstrip(".$") for word in _WORD.findall(line)):
        simple = word.rpartition(".")[2]
        if not _like_a_name(simple):
            continue
        hit = named(word)
        if hit is not None:
            generic = simple in parents or bool(hit.parent)
            weight = len(simple) * (_GENERIC if generic else 1)
            match = Match(hit.error, hit, line, weight)
            found.append(match)
            if (at := plain.find(f"{simple.lower()}: ")) >= 0:
                named_at.append((at, match))
    for error in errors():
        hits = [(m.start(), length) for p, length in error.patterns if (m := p.search(plain))]
        if hits:
            start, longest = max(hits, key=lambda hit: hit[1])
            # ``Class: message``: the message says more exactly what the class says.
            before = [match for at, match in named_at if at < start]
            same = next((match for match in before if match.error is error), None)
            weight = longest + max((match.weight for match in before), default=0)
            found.append(Match(error, same.named if same else None, line, weight))
    return found


def _like_a_name(word: str) -> bool:
    """Whether a word of a sentence may be the name of an error: no plain word is."""
    return (
        word.endswith(("Exception", "Error"))
        or ("_" in word and word.upper() == word)
        or word in thrown()
    )


_ancestors: set[str] = set()


def _parents() -> set[str]:
    if not _ancestors:
        _ancestors.update(c.parent for classes in thrown().values() for c in classes)
    return _ancestors


def alike(text: str, most: int = 3) -> list[Error]:
    """The rows whose lines have most words in common with a text that none of them matches."""
    words = _words(text)
    counted: list[tuple[float, int, Error]] = []
    for at, error in enumerate(errors()):
        theirs = [_words(says) for says in error.says]
        shared = max((len(words & other) / len(other) for other in theirs if other), default=0.0)
        if shared >= 0.5:
            counted.append((-shared, at, error))
    return [error for *_, error in sorted(counted)[:most]]


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z.]{3,}", normal(text)))


def shown_by(code: str) -> list[str]:
    """The names of the errors that what a rule finds may lead to."""
    return [error.name for error in errors() if code in error.rules]


def all_names() -> list[str]:
    """Every name that ``named`` knows, for suggestions."""
    names = [name for error in errors() for name in error.names]
    for classes in thrown().values():
        names += [c.name for c in classes[-1:]] + [c.error for c in classes[-1:] if c.error]
    return list(dict.fromkeys(names))
