"""Whether Kafka takes a text for a key, and what its writer meant if it does not."""

from __future__ import annotations

from kcheck import catalogue, configdef, data
from kcheck.catalogue import Fact
from kcheck.lexicon import quantities, shapes
from kcheck.lexicon.implausible import doubtful
from kcheck.lexicon.name_faults import STRICT
from kcheck.lexicon.planes import FAMILIES, Place
from kcheck.lexicon.suggest import distance
from kcheck.lexicon.value_faults import COMMENT, ELEMENT, RANGE, TYPE, UNIT, Fault, before_comment
from kcheck.version import Version

#: What other planes call the value, or old clients called it.
_SYNONYMS = {
    "none": "uncompressed",
    "uncompressed": "none",
    "smallest": "earliest",
    "largest": "latest",
    "error": "none",
    "exactly_once": "exactly_once_v2",
    "exactly_once_beta": "exactly_once_v2",
}
_YES, _NO = ("yes", "y", "1", "on", "t"), ("no", "n", "0", "off", "f")
#: offsets.topic.compression.codec takes the id, where all other keys take the name.
_CODEC_IDS = {"none": "0", "gzip": "1", "snappy": "2", "lz4": "3", "zstd": "4"}


def verdict(where: Place, version: Version, text: str) -> Fault | None:
    """What is wrong with the text for the key at that place; None where nothing is.

    The text is the trimmed one that Kafka sees. A key that the version does not know is not
    judged.
    """
    found: Fault | None = None
    for table in where.tables:
        history = catalogue.plane(table).history(where.key)
        # Another client inside may have known the key before its owner did.
        if not history or not catalogue.possible(table, where.key, version):
            continue
        fault = _in_table(table, history, version, text)
        if fault is None:
            return None
        if fault.gone and FAMILIES[where.plane] in STRICT and not where.prefix:
            # Versions without the key refuse it, whatever its value is.
            fault.certain, fault.gone = True, ""
        fault.place = where
        found = found or fault
        if where.plane == "streams":
            break
    return found


def _in_table(table: str, history: tuple[Fact, ...], version: Version, text: str) -> Fault | None:
    minor = catalogue.clamp(version)
    older = version.below(catalogue.oldest())
    facts = history if older else catalogue.possible(table, history[0].key, version)
    if not facts:
        return None
    refusals = [refusal(table, fact, minor, text) for fact in facts]
    if not refusals[-1]:
        return doubtful(table, facts[-1], text)
    order = catalogue.minors()
    _, last = catalogue.stretch(version)
    gone = order.index(facts[-1].until) + 1
    if all(refusals):
        fault = _explained(table, facts[-1], text, refusals[-1])
        fault.parsed = bool(configdef.refusal(facts[-1], text))
        if gone <= last and not older:
            # Those of the possible versions that lack the key take any value of it.
            fault.certain, fault.gone = False, order[gone]
        return fault
    if older or gone <= last:
        return None
    # Refused from some version on: said of the newest ones, as an upgrade meets them.
    start = len(refusals)
    while refusals[start - 1]:
        start -= 1
    fault = _explained(table, facts[-1], text, refusals[-1])
    fault.certain, fault.since = False, facts[start].since
    fault.parsed = bool(configdef.refusal(facts[-1], text))
    return fault


# -- refused -----------------------------------------------------------------------------------

_beyond: dict[tuple[str, str], list[Fact]] = {}
#: Elsewhere Kafka leaves out what stands twice in such a list, and says so in its log.
_STRICT = ("mirror-source", "mirror-checkpoint", "mirror-heartbeat", "transforms")


def refusal(table: str, fact: Fact, minor: str | None, text: str) -> str:
    """Why Kafka does not take the text in the versions of that fact; "" where it does."""
    if table == "quota":
        if _boundless(fact, text):
            return _infinite(fact, minor)
        text = quantities.as_quota(fact.type, text)
    reason = configdef.refusal(fact, text)
    if reason:
        return reason
    if table in _STRICT and _doubled(fact, text):
        return "contains an element twice"
    if not _beyond:
        for plane, key, versions, valid in data.rows("keys/refused.tsv"):
            rule = Fact([key, versions, "", "", valid, "", ""])
            _beyond.setdefault((plane, key), []).append(rule)
    for rule in _beyond.get((table, fact.key), ()):
        if rule.covers(minor if minor and fact.covers(minor) else fact.until):
            rule.type = fact.type
            reason = configdef.refusal(rule, text)
            if reason:
                return reason
    return shapes.refusal(fact, minor, text)


def _doubled(fact: Fact, text: str) -> bool:
    """Whether a list that takes each element once has one twice."""
    if "unique" not in fact.valid.split(" ") or "filter" in fact.flags:
        return False
    items, _ = configdef.convert(fact.type, text)
    return isinstance(items, list) and len(set(items)) < len(items)


def _boundless(fact: Fact, text: str) -> bool:
    """Whether the number of a quota lies neither above a bound nor below."""
    number, _ = configdef.convert("double", text)
    if number != number:
        return True
    return fact.type == "double" and number in (float("inf"), float("-inf"))


def _infinite(fact: Fact, minor: str | None) -> str:
    """Why a quota that is no finite number is refused: from 4.4 on."""
    order = catalogue.minors()
    last = minor if minor and fact.covers(minor) else fact.until
    return "is not a finite number" if order.index(last) >= order.index("4.4") else ""


def _explained(table: str, fact: Fact, text: str, reason: str) -> Fault:
    """A refusal, and what the writer of the text most likely meant."""
    before = before_comment(text)
    if before is not None and not refusal(table, fact, None, before):
        return Fault(COMMENT, reason, fact, better=before)
    if len(text) > 2 and text[0] == text[-1] and text[0] in "\"'":
        bare = text[1:-1]
        if not refusal(table, fact, None, bare):
            return Fault(
                RANGE, "has quotes, which Kafka reads as part of the value", fact, better=bare
            )
    if not configdef.convert(fact.type, text)[1]:
        if reason == "has an empty element":
            better = ",".join(item for item in map(str.strip, text.split(",")) if item)
            return Fault(ELEMENT, reason, fact, better=better)
        return Fault(RANGE, _with_unit(fact, reason), fact, better=_meant(fact, text))
    if fact.type in ("int", "long", "short", "double"):
        if fact.key.endswith(".compression.codec") and text.lower() in _CODEC_IDS:
            better = _CODEC_IDS[text.lower()]
            return Fault(TYPE, f"{reason}: the key requires the codec ID", fact, better=better)
        meant = quantities.plain(fact.key, text)
        if meant is not None:
            return Fault(UNIT, meant.words, fact, better=meant.text)
    if fact.type == "boolean":
        meant_flag = "true" if text.lower() in _YES else "false" if text.lower() in _NO else ""
        return Fault(TYPE, reason, fact, better=meant_flag or _closest(text, ("true", "false")))
    return Fault(TYPE, reason, fact)


def _with_unit(fact: Fact, reason: str) -> str:
    """The bound at the end of the reason with its round form: ``the minimum 1048576 (1 MiB)``."""
    words, _, bound = reason.rpartition(" ")
    if not words.endswith(("minimum", "maximum")) or not bound.lstrip("-").isdecimal():
        return reason
    return f"{words} {quantities.with_round(int(bound), quantities.unit_of(fact.key))}"


def _meant(fact: Fact, text: str) -> str:
    """The permitted words that were meant, as far as one can tell."""
    allowed: tuple[str, ...] = shapes.RESETS if fact.key == "auto.offset.reset" else ()
    for word in fact.valid.split(" "):
        name, colon, rest = word.partition(":")
        if colon and name in ("enum", "enum-ci", "list"):
            allowed = tuple(rest.split("|"))
    items = text.split(",") if fact.type == "list" else [text]
    words = [_word(item.strip(), allowed) for item in items]
    return ",".join(words) if all(words) else ""


def _word(text: str, allowed: tuple[str, ...]) -> str:
    other = _SYNONYMS.get(text.lower(), "")
    return other if other in allowed else _closest(text, allowed)


def _closest(text: str, allowed: tuple[str, ...]) -> str:
    """The one word that differs in case, in separators or by two letters."""
    bare = text.lower().replace("-", "_").replace(" ", "")
    for word in allowed:
        if word.lower().replace("-", "_") == bare:
            return word
    near = [word for word in allowed if len(word) > 3 and distance(bare, word.lower(), 2) <= 2]
    return near[0] if len(near) == 1 else ""
