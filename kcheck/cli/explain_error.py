"""How ``kcheck explain`` prints an error: what it means, what leads there, which rules find it."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import fill

from kcheck import catalogue
from kcheck.explain.errors import Cause, Error, Match, Named, Thrown
from kcheck.report.printable import printable
from kcheck.report.shown import safe
from kcheck.rule import Rule

_COLUMNS = 80
#: A blank at which no line ends.
_TIED = "\xa0"
#: Whether a client tries again is said of these alone; others are nobody's answer.
_OF_THE_PROTOCOL = "kafka.common.errors."
#: So many other errors of one text are named below the first.
_MOST = 4


def text(
    matches: list[Match], known: dict[str, Rule], keys: list[str], heading: Callable[[str], str]
) -> str:
    """The first match in full, the others by name; ``keys`` are those that the text speaks of."""
    first, *others = matches
    parts = [_head(first, heading)]
    error = first.error
    if first.line:
        parts.insert(0, wrapped(f"> {first.line.strip()}"))
    if error is not None:
        parts.append(wrapped(error.means))
        if error.causes:
            lines = [cause(one, known) for one in error.causes]
            parts.append(f"{heading('Likely causes')}:\n" + "".join(lines))
        if error.look:
            parts.append(
                f"{heading('Where to look')}:\n" + "".join(item(line) for line in error.look)
            )
        parts += find_it(error.rules, known, heading)
    if keys:
        parts.append(
            f"{heading('Keys in this text')}:\n"
            + "".join(f"    kcheck explain {key}\n" for key in keys)
        )
    named = [match for match in others if match.error is not None][:_MOST]
    if named:
        parts.append(
            f"{heading('Also in this text')}:\n"
            + "".join(item(f"{m.name}: {_first(m.error.means)}") for m in named if m.error)
        )
    return "\n".join(parts)


def find_it(codes: list[str], known: dict[str, Rule], heading: Callable[[str], str]) -> list[str]:
    """The command that looks for the causes, where rules do."""
    rules = [code for code in codes if code in known]
    # In one piece, however long: it is there to be copied.
    command = f"kcheck lint --select {','.join(rules)}"
    return [f"{heading('Find them with')}:\n    {command}\n"] if rules else []


def _head(match: Match, heading: Callable[[str], str]) -> str:
    error, named = match.error, match.named
    asked = named.asked if named else ""
    words = [thrown.error.lower() for thrown in _classes(match) if thrown.name == match.name]
    name = asked if named and (named.parent or not _same(asked, error, words)) else match.name
    lines = [heading(name)]
    if named and named.parent and error:
        lines.append(f"a {named.parent}, which is explained here:")
    elif name != match.name:
        lines.append(f"explained with {match.name}")
    by_class: dict[str, list[Thrown]] = {}
    for thrown in _classes(match):
        by_class.setdefault(thrown.path, []).append(thrown)
    lines += [_fact(rows) for rows in by_class.values()]
    if error is not None:
        lines.append(f"from: {error.source}")
    return "\n".join(line.rstrip() for line in lines if line) + "\n"


def _same(asked: str, error: Error | None, words: list[str]) -> bool:
    """Whether a name is the row's first one, or the protocol's word for it."""
    return error is None or asked.lower() in (error.name.lower(), *words)


def _classes(match: Match) -> list[Thrown]:
    if match.named is not None:
        return match.named.classes
    if match.error is None:
        return []
    from kcheck.explain.errors import thrown

    return thrown().get(match.error.name, [])


def _fact(rows: list[Thrown]) -> str:
    """A class by its newest row: ``NOT_ENOUGH_REPLICAS (19), clients try again``, and its versions."""
    thrown = rows[-1]
    told = [f"{thrown.error} ({thrown.code})"] if thrown.error else []
    if thrown.retriable:
        told.append("clients retry")
    elif _OF_THE_PROTOCOL in thrown.path:
        told.append("clients do not retry")
    since = rows[0].versions.partition("-")[0]
    last, dash, until = thrown.versions.partition("-")
    if since != catalogue.oldest():
        told.append(f"since Kafka {since}")
    if until or not dash:
        told.append(f"up to Kafka {until or last}")
    about = f": {', '.join(told)}" if told else ""
    return wrapped(f"{thrown.path}{about}").rstrip("\n")


def cause(found: Cause, known: dict[str, Rule]) -> str:
    rules = [f"{code}{_TIED}{known[code].name}" for code in found.rules if code in known]
    told = item(found.text)
    return told + (wrapped(", ".join(rules), "    ", "    ") if rules else "")


def item(text: str) -> str:
    return wrapped(text, "  - ", "    ")


def _first(text: str) -> str:
    """The first sentence."""
    sentence, dot, _ = text.partition(". ")
    return sentence + "." if dot else text


def wrapped(text: str, first: str = "", rest: str = "") -> str:
    return (
        fill(
            printable(text),
            _COLUMNS,
            initial_indent=first,
            subsequent_indent=rest,
            break_long_words=False,
            break_on_hyphens=False,
        ).replace(_TIED, " ")
        + "\n"
    )


def record(match: Match, known: dict[str, Rule]) -> dict[str, object]:
    """The match as JSON has it."""
    error = match.error
    found: dict[str, object] = {
        "name": match.name,
        "parent": (match.named.parent if isinstance(match.named, Named) else "") or None,
        "line": safe(match.line.strip()) or None,
        "classes": [
            {
                "class": thrown.path,
                "versions": thrown.versions,
                "retriable": thrown.retriable,
                "error": thrown.error or None,
                "code": int(thrown.code) if thrown.code else None,
            }
            for thrown in _classes(match)
        ],
    }
    if error is not None:
        found |= {
            "also": list(error.also),
            "from": error.source,
            "means": error.means,
            "causes": [
                {
                    "text": one.text,
                    "rules": [
                        {"code": code, "name": known[code].name}
                        for code in one.rules
                        if code in known
                    ],
                }
                for one in error.causes
            ],
            "look": list(error.look),
            "covers": list(error.covers),
        }
    return found
