"""What Kafka accepts, and nobody can have meant: numbers in another unit, comments, misspelt names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kcheck import data
from kcheck.catalogue import Fact
from kcheck.lexicon import quantities
from kcheck.lexicon.value_faults import COMMENT, MAGNITUDE, NULL, RANGE, WORD, Fault, before_comment
from kcheck.model import Setting
from kcheck.units import whole

#: Keys that are no classes by type, yet fail on the word null.
_NO_NULL = ("ssl.endpoint.identification.algorithm", "authorizer.class.name")
#: Empty lists that pass every validator of every version and leave nothing to be done.
_POLICIES = ("cleanup.policy", "log.cleanup.policy")

_least: dict[tuple[str, str], tuple[int, int, str, str, str]] = {}
#: From here on a number of hours or minutes is more than a century, or was counted in ms.
_AN_HOUR, _A_MINUTE = 3_600_000, 60_000


def doubtful(table: str, fact: Fact, text: str) -> Fault | None:
    """What is wrong with a text that Kafka accepts; None where nothing is."""
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
        before = before_comment(text)
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
