"""Whether Kafka takes a text for a key, and whether the number it reads can be what was meant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kcheck import catalogue, configdef, data
from kcheck.catalogue import Fact
from kcheck.lexicon import quantities, shapes
from kcheck.lexicon.names import STRICT
from kcheck.lexicon.planes import FAMILIES, Place
from kcheck.lexicon.suggest import distance
from kcheck.model import Setting
from kcheck.units import whole
from kcheck.version import Version

#: What is wrong with a text: its type; bounds and enumerations; a unit or other number syntax; a
#: comment inside it; an empty element; the word null; a number that reads like another unit; a name
#: that Java will not find.
TYPE, RANGE, UNIT, COMMENT, ELEMENT, NULL, MAGNITUDE, WORD = (
    "type",
    "range",
    "unit",
    "comment",
    "element",
    "null",
    "magnitude",
    "word",
)

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
#: Keys that are no classes by type, yet fail on the word null.
_NO_NULL = ("ssl.endpoint.identification.algorithm", "authorizer.class.name")
#: Empty lists that pass every validator of every version and leave nothing to be done.
_POLICIES = ("cleanup.policy", "log.cleanup.policy")


class Fault:
    """What is wrong with a text.

    ``reason`` goes on from ``key=text``: "is below the minimum 1". ``certain`` says that each
    version in question refuses it; ``since`` is the first that does where only newer ones do, and
    ``gone`` the first that ignores the key where only older ones refuse the value.
    ``better`` is the text to set where there is one; ``why`` what happens if Kafka does not refuse
    the text at once. ``parsed`` says that ConfigDef itself refuses it, whether or not anything asks
    for the value.
    """

    __slots__ = (
        *("better", "certain", "fact", "gone", "kind", "parsed", "place", "reason", "since"),
        "why",
    )

    #: Where the key was looked up; ``verdict`` fills it in.
    place: Place

    def __init__(
        self,
        kind: str,
        reason: str,
        fact: Fact,
        certain: bool = True,
        since: str = "",
        better: str = "",
        why: str = "",
    ) -> None:
        self.kind = kind
        self.reason = reason
        self.fact = fact
        self.certain = certain
        self.since = since
        self.gone = ""
        self.parsed = False
        self.better = better
        self.why = why

    def __repr__(self) -> str:
        return f"Fault({self.kind} {self.reason} certain={self.certain} since={self.since})"


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
        return _doubtful(table, facts[-1], text)
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
    before = _before_comment(text)
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


def _before_comment(text: str) -> str | None:
    """The text before ``#`` behind a blank; None where there is no such sign."""
    for at, char in enumerate(text):
        if char == "#" and at and text[at - 1] in " \t":
            return text[:at].strip()
    return None


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


# -- accepted, but implausible -------------------------------------------------------------------

_least: dict[tuple[str, str], tuple[int, int, str, str, str]] = {}
#: From here on a number of hours or minutes is more than a century, or was counted in ms.
_AN_HOUR, _A_MINUTE = 3_600_000, 60_000


def _doubtful(table: str, fact: Fact, text: str) -> Fault | None:
    """What is wrong with a text that Kafka accepts."""
    loaded = fact.type == "class" or fact.key in _NO_NULL or fact.key.endswith(".classes")
    if text == "null" and loaded:
        return Fault(NULL, "is the literal text null, not an unset value", fact)
    if fact.type in ("string", "list", "class"):
        if fact.key in _POLICIES and not text:
            return Fault(
                RANGE,
                "contains no policy",
                fact,
                certain=False,
                better="delete",
                why="nothing is ever deleted or compacted, and the disks fill up",
            )
        before = _before_comment(text)
        if before is not None and before and text[text.index("#") + 1 :][:1] in (" ", "\t"):
            return Fault(
                COMMENT, "is read as a whole", fact, certain=fact.type == "class", better=before
            )
        return _misspelt(fact, text) if fact.key.startswith(("sasl.", "ssl.")) else None
    if fact.type not in ("int", "long", "short"):
        return None
    return _implausible(table, fact, int(text)) if text.lstrip("+-").isdecimal() else None


def _misspelt(fact: Fact, text: str) -> Fault | None:
    """A name that is looked up once Kafka has accepted it, and nearly is one that is found."""
    from kcheck.lexicon import words

    found = words.wrong(fact.key, text)
    if found is None:
        return None
    word, right, whole, row = found
    reason = f"contains {word}, which is no {row.what}" if word != text else f"is no {row.what}"
    return Fault(WORD, f"{reason}; did you mean {right}?", fact, better=whole, why=row.why)


def _implausible(table: str, fact: Fact, number: int) -> Fault | None:
    small = _below_plausible(table, fact, number)
    if small is not None:
        return small
    if _reads_like_seconds(fact, number):
        return Fault(
            MAGNITUDE,
            f"is {number} ms, while the default is {fact.default_text}; did you mean seconds, "
            f"which are {number * 1000}?",
            fact,
            certain=False,
            better=str(number * 1000),
        )
    days = _in_seconds(fact.key, number)
    if days:
        return Fault(
            MAGNITUDE,
            f"is {number / 1000:,.1f} s; did you mean {days}, which is {number} in seconds?",
            fact,
            certain=False,
            better=str(number * 1000),
            why=f"Kafka accepts the number: the period is {number / 1000:,.1f} s",
        )
    for ending, factor, words in (
        (".hours", _AN_HOUR, "hours"),
        (".minutes", _A_MINUTE, "minutes"),
    ):
        # People write Int.MAX for ever; a round number of ms is no round number of hours.
        if fact.key.endswith(ending) and number >= _AN_HOUR and number % factor == 0:
            return Fault(
                MAGNITUDE,
                f"is {number:,} {words}, more than four centuries; did you mean ms?"
                if words == "hours"
                else f"is {number:,} {words}; did you mean ms?",
                fact,
                certain=False,
                better=str(number // factor),
            )
    count = _whole_days(number)
    if count > 0 and (
        fact.key.endswith(".hours") or (fact.key.endswith(".minutes") and count in _OFTEN)
    ):
        return Fault(
            MAGNITUDE,
            f"is {number:,} {fact.key.rpartition('.')[2]}; did you mean {count} days, which are {number:,} "
            "in seconds?",
            fact,
            certain=False,
            better=str(number // (3600 if fact.key.endswith(".hours") else 60)),
        )
    if fact.key.endswith(".seconds") and _reads_like_ms(number):
        return Fault(
            MAGNITUDE,
            f"is {number:,} seconds, {number / 86_400:,.1f} days; did you mean ms?",
            fact,
            certain=False,
            better=str(number // 1000),
        )
    return None


#: Periods that people write in seconds, in days: as minutes they are more than a year, and no round number.
_OFTEN = (7, 14, 30, 90)


def _whole_days(seconds: int) -> int:
    """How many days a number of seconds is, if they are whole ones; 0 otherwise."""
    return 0 if seconds % 86_400 else seconds // 86_400


#: Whose rows of the table count for the keys that plug-ins of a plane bring along.
_PLUGINS = {"sink-connector": "connector", "source-connector": "connector"}
_ACCEPTING = ("connector", "framework")


def of_plugin(plane: str, key: str, text: str) -> Fault | None:
    """The implausible number of a key that Kafka's own tables of the plane do not have."""
    number, table = whole(text), _PLUGINS.get(plane, plane)
    fault = _below_plausible(table, _plain(key), number) if number else None
    if fault is not None and table in _ACCEPTING:
        fault.why = f"the {table} accepts the number: it takes effect as written"
    return fault


def _plain(key: str) -> Fact:
    """What is known of a key of a program around Kafka: that it takes a number."""
    return Fact([key, "2.8-", "int", "null", "", "low", ""])


def _below_plausible(table: str, fact: Fact, number: int) -> Fault | None:
    """A number far below what people mean by the key, as the table of plausible ones says."""
    if not _least:
        for plane, key, low, unit, meant, fails in data.rows("keys/plausible.tsv"):
            start, _, end = low.rpartition("..")
            _least[plane, key] = (int(start or 1), int(end), unit, meant, fails)
    first, least, unit, meant, fails = _least.get((table, fact.key), (0, 0, "", "", ""))
    if number == 0 and fails:
        return Fault(
            MAGNITUDE,
            f"is below the plausible minimum of {quantities.in_unit(least, unit)}",
            fact,
            certain=False,
            why=f"Kafka accepts the number: {fails}",
        )
    if 0 < first <= number < least:
        return Fault(
            MAGNITUDE,
            f"is {quantities.in_unit(number, unit)}, but plausible values are at least "
            f"{quantities.in_unit(least, unit)}; did you mean {meant}?",
            fact,
            certain=False,
        )
    return None


def of_library(
    tables: tuple[str, ...], settings: Mapping[str, Setting]
) -> Iterator[tuple[Setting, Fault]]:
    """The implausible numbers of a client of another library, by the tables that count for it."""
    for key, setting in settings.items():
        number = whole(setting.text)
        for table in tables if number else ():
            fault = _below_plausible(table, _plain(key), number or 0)
            if fault is not None:
                fault.why = fault.why or f"the client accepts the number: {_TOO_SMALL}"
                yield setting, fault
                break


_TOO_SMALL = "it expires or overflows before anything can complete"


def _reads_like_ms(number: int) -> bool:
    """Whether a number of seconds is a round one of ms, and neither of hours nor below a week."""
    return number >= 60_000 and not number % 1000 and (number % 3600 != 0 or number >= 604_800)


#: Numbers that people write for seconds and for minutes in seconds; as ms they prefer round ones.
_SECONDS = (5, 10, 15, 20, 30, 40, 45, 60, 90, 120, 180, 240, 300, 600, 900)
#: Timeouts from a few seconds to an hour, which are never set to some ms on purpose …
_SHORTEST, _LONGEST, _AROUND = 3_000, 3_600_000, 4
#: … but for these: Streams commits as often as one likes, the brokers bound a member's session.
_ANY_PERIOD = ("commit.interval.ms", "session.timeout.ms")


def _reads_like_seconds(fact: Fact, number: int) -> bool:
    """Whether a number of ms is far below the key's default, and about it in seconds."""
    default = fact.default_text or ""
    if not fact.key.endswith(".ms") or number not in _SECONDS or not default.isdecimal():
        return False
    if fact.key.endswith(_ANY_PERIOD) or not _SHORTEST <= int(default) <= _LONGEST:
        return False
    return int(default) <= number * 1000 * _AROUND and number * 1000 <= int(default) * _AROUND


#: Keys in ms whose values are mostly hours and days.
_LONG_PERIODS = (
    *("retention.ms", "segment.ms", "log.roll.ms", "compaction.lag.ms"),
    *("transactional.id.expiration.ms", "delegation.token.max.lifetime.ms"),
    *("delegation.token.expiry.time.ms", "state.cleanup.delay.ms"),
)
#: Seconds of a day and of an hour; more days than these are no period that people set.
_DAY, _HOUR, _MOST_DAYS = 86_400, 3_600, 3_650


def _in_seconds(key: str, number: int) -> str:
    """``7 d`` where a number of ms is round only in seconds; "" where it is meant as it stands."""
    if not key.endswith(_LONG_PERIODS) or number <= 0:
        return ""
    days, rest = divmod(number, _DAY)
    if not rest and days <= _MOST_DAYS and number % 60_000:
        return f"{days} d"
    hours, rest = divmod(number, _HOUR)
    return f"{hours} h" if not rest and hours <= 24 and number % 1_000 else ""
