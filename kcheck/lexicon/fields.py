"""Closed lists of the names that formats have, and which of them another name was meant to be.

Fields of custom resources (``schemas/strimzi/fields.tsv``, ``schemas/operators/fields.tsv``), arguments of Terraform's resources,
options of plugins and attributes of channels (``schemas/names/names.tsv``).
"""

from __future__ import annotations

from kcheck import data
from kcheck.lexicon import suggest

STRIMZI, CFK, TERRAFORM, LOGSTASH = "strimzi", "cfk", "terraform", "logstash"
KOPERATOR, REDPANDA, ACCESS = "koperator", "redpanda", "strimzi-access"
#: The operators with definitions of their own beside Strimzi's.
OPERATORS = (CFK, KOPERATOR, REDPANDA, ACCESS)
SMALLRYE, PROGRAM, SPRING_STREAM, SPRING = "smallrye", "program", "spring-stream", "spring"

#: How many letters may be wrong, and in names of how many letters only one.
_SLIP, _SHORT = 2, 8
#: A name that goes on, or stops, is another form of one that has at least so many letters.
_STEM = 5


class Names:
    """The names that one object of a format has; ``instead`` has other words for some of them."""

    __slots__ = ("instead", "known")

    def __init__(self, known: tuple[str, ...], instead: dict[str, str]) -> None:
        self.known = known
        self.instead = instead


#: By format and holder.
_names: dict[tuple[str, str], Names] = {}
#: Which of the files were read: Strimzi's and Confluent's by their names, the common one as "".
_read: set[str] = set()

#: What people call the ``config`` of a resource of Strimzi's.
_CONFIG = ("configs", "configuration", "configurations", "properties", "configOverrides")


def of(form: str, holder: str) -> Names | None:
    """The names of that object; None where the tables do not have it."""
    if form != STRIMZI and "" not in _read:
        for other, held, names, instead, _ in data.rows("names/names.tsv"):
            pairs = (word.partition("=") for word in instead.split())
            _names[other, held] = Names(tuple(names.split()), {w: right for w, _, right in pairs})
        _read.add("")
    if form in OPERATORS and CFK not in _read:
        _read_operators()
        _read.add(CFK)
    elif form == STRIMZI and form not in _read:
        for kind, path, names in data.rows("strimzi/fields.tsv"):
            known = tuple(names.split())
            words = {word: "config" for word in _CONFIG if "config" in known and word not in known}
            if kind == "KafkaTopic" and path == "spec":
                words |= {"replicationFactor": "replicas", "partitionCount": "partitions"}
            _names[form, f"{kind} {path}"] = Names(known, words)
        _read.add(form)
    return _names.get((form, holder))


def _read_operators() -> None:
    """The fields of the operators' definitions; other words for them, and older fields, are names of
    the common file."""
    for form, kinds, path, names in data.rows("operators/fields.tsv"):
        for kind in kinds.split():
            told = _names.get((form, f"{kind} {path}"))
            known = (*names.split(), *(told.known if told else ()))
            instead = told.instead if told else {}
            _names[form, f"{kind} {path}"] = Names(tuple(dict.fromkeys(known)), instead)


_words: dict[tuple[str, str], tuple[str, ...]] = {}
#: What annotations of Strimzi's resources say, by kind (* for all) and name.
_annotations: dict[tuple[str, str], tuple[str, ...]] = {}
#: The kinds of Strimzi's that have a field with a closed list of words.
_worded: set[str] = set()


def words_of(form: str, holder: str) -> tuple[str, ...]:
    """What a field accepts that has a closed list of words; empty where it has none.

    ``holder`` is the kind and the path of the field.
    """
    if not _words:
        _read_words()
    return _words.get((form, holder), ())


def words_of_annotation(kind: str, name: str) -> tuple[str, ...]:
    """What Strimzi's operator knows for an annotation of a kind; the first is what any other counts as."""
    if not _annotations:
        for kinds, annotation, words, _ in data.rows("strimzi/annotations.tsv"):
            for one in kinds.split():
                _annotations[one, annotation] = tuple(words.split())
    return _annotations.get((kind, name)) or _annotations.get(("*", name), ())


def has_words(kind: str) -> bool:
    """Whether resources of a kind of Strimzi's have a field with a closed list of words."""
    if not _words:
        _read_words()
    return kind in _worded


def _read_words() -> None:
    for kind, path, words in data.rows("strimzi/words.tsv"):
        _words[STRIMZI, f"{kind} {path}"] = tuple(words.split())
        _worded.add(kind)
    for other, held, words, _ in data.rows("names/words.tsv"):
        _words[other, held] = tuple(words.split())


def meant(form: str, holder: str, name: str) -> str:
    """The name of an object that another, which it does not have, can only stand for; else ""."""
    names = of(form, holder)
    if names is None or name in names.known:
        return ""
    return names.instead.get(name) or near(name, names.known)


def holder_of(form: str, holder: str, name: str) -> str:
    """The one object within another that has a name which the other lacks; else "".

    A list of objects is none: nobody knows which of its members is meant.
    """
    names = of(form, holder)
    if names is None or name in names.known:
        return ""
    inner = ((one, of(form, f"{holder}.{one}")) for one in names.known)
    found = [one for one, held in inner if held is not None and name in held.known]
    return found[0] if len(found) == 1 else ""


def near(name: str, known: tuple[str, ...]) -> str:
    """The one of some names that a name which is none of them can only misspell; else ""."""
    lowered = name.lower()
    apart = [(suggest.distance(lowered, one.lower(), _SLIP), one) for one in known]
    found = sorted(one for one in apart if one[0] <= (_SLIP if len(one[1]) > _SHORT else 1))
    if found:
        return found[0][1] if len(found) == 1 or found[0][0] < found[1][0] else ""
    squeezed = _letters(name)
    same = [one for one in known if _letters(one) == squeezed]
    if len(same) == 1:
        return same[0]
    forms = [one for one in known if _form(name, one)]
    return forms[0] if len(forms) == 1 else ""


def _letters(name: str) -> str:
    """A name without what parts its words, which differs between formats."""
    return "".join(filter(str.isalnum, name)).lower()


def _form(name: str, known: str) -> bool:
    """Whether one of two names is the first word of the other: ``configuration``, ``bootstrap``."""
    short, long = sorted((name, known), key=len)
    if len(short) < _STEM or not long.lower().startswith(short.lower()):
        return False
    rest = long[len(short)]
    return rest in "_-." or rest.isupper()
