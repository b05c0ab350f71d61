"""By which bytes and paths a file may hold maps of client keys: ``client_maps`` looks for them then.

Asked of many files that hold none, so the tree is never looked at.
"""

from __future__ import annotations

import re

from kcheck.formats.text import holds

FORMAT = "client-maps"

# Compiled by the first file that is asked: most runs meet none that these are for.
#: A key that only Kafka's clients have, flat or as nested maps end.
_SIGN = (
    rb"bootstrap\.servers|bootstrap[\"']?[\s:={]+[\"']?servers\b|metadata\.broker\.list"
    rb"|auto\.offset\.reset|(?:enable|interval\.ms|auto)\.(?:auto\.)?commit|max\.poll\.|linger\.ms"
    rb"|sasl\.jaas\.config|security\.protocol|(?:key|value)\.(?:de)?serializer|enable\.idempotence"
    rb"|delivery\.timeout\.ms|isolation\.level|max\.partition\.fetch\.bytes|fetch\.(?:min|max)\."
    rb"|session\.timeout\.ms|max\.in\.flight\.requests|num\.stream\.threads|sasl\.mechanisms"
    rb"|auto_offset_reset|security_protocol|max_poll_(?:records|interval_ms)|enable_(?:auto_commit|idem)"
    rb"|sasl_mechanism|(?:key|value)_(?:de)?serializer|session_timeout_ms|isolation_level|linger_ms"
    rb"|offset[\"']?[\s:={]+[\"']?reset\b|compression\.type|partition\.assignment\.strategy"
)
#: What stands in each of them: a search for words takes a fifth of the time.
_WORDS = (
    *(b"bootstrap", b".broker.", b"offset", b".commit", b".poll.", b"linger.", b"sasl."),
    *(b".protocol", b"serializer", b".idempotence", b".timeout.", b".level", b"fetch."),
    *(
        b".flight.",
        b".stream.",
        b"compression.",
        b".assignment.",
        b"_commit",
        b"_poll_",
        b"linger_",
    ),
    *(b"sasl_", b"_protocol", b"_idem", b"_timeout_", b"_level"),
)
#: The same in the spellings that frameworks take for one, and names of the brokers.
RELAXED = re.compile(
    rb"(?i)auto[-_.]?offset[-_.]?reset|max[-_.]?poll[-_.]?(?:records|interval)"
    rb"|bootstrap[-_.]?(?:servers?|address)|enable[-_.]?(?:auto[-_.]?commit|idempotence)"
    rb"|(?:key|value)[-_.]?(?:de)?serializer|linger[-_.]?ms|session[-_.]?timeout[-_.]?ms"
    rb"|security[-_.]?protocol|sasl[-_.]?(?:mechanism|jaas)|\bkafka[-_.]?brokers"
)
#: What such maps stand in that configure nothing: schemas, interfaces, dashboards.
_DESCRIBES = (
    rb"(?m)^(?:openapi|swagger|asyncapi|[\"']?\$schema[\"']?)[ \t]*:"
    rb"|^[ \t]*(?:\{[ \t]*)?\"(?:openapi|swagger|asyncapi|\$schema|panels|config_def)\"[ \t]*:"
    rb"|^[ \t]*kind:[ \t]*CustomResourceDefinition"
)
#: Folders of what programs are tested with, and of documents.
_ASIDE = frozenset(
    ("test", "tests", "testing", "testdata", "test-data", "__tests__", "fixtures", "mocks")
    + ("snapshots", "spec", "specs", "it", "docs", "doc", "schemas", "node_modules", "dashboards")
)
#: Other folders of tests: ``contractTest``, ``integration-tests``.
_TESTS = re.compile(r"(?:^|/)(?:[\w.]*[-_.])?tests?/|[a-z]Tests?/")


def may_hold(path: str, data: bytes) -> bool:
    """Whether the file may hold maps of client keys that configure a program."""
    if not holds(data, _WORDS):
        return False
    # Definitions are the largest of all: what they are is seen sooner than what they have not.
    if b"CustomResourceDefinition" in data and re.search(_DESCRIBES, data):
        return False
    if not re.search(_SIGN, data) or re.search(_DESCRIBES, data):
        return False
    return configures(path)


def configures(path: str) -> bool:
    """Whether a file in such a folder configures a program, and no test of one."""
    return _ASIDE.isdisjoint(path.lower().split("/")[:-1]) and not _TESTS.search(path)


#: Lines of properties, or an object of JSON, inside of a value.
_TEXT = (
    rb"(?m)^[ \t]+(?:bootstrap\.servers|[a-z]+(?:\.[a-z]+)+)[ \t]*=[^=]"
    rb"|\\n[a-z]+(?:\.[a-z]+)+[ \t]*=|['\"]\{ ?\\?\"[a-z]|[:|>][ \t]*\r?\n?[ \t]*['\"]?\{"
)


def names_keys(data: bytes) -> bool:
    """Whether values of the file may hold text with keys in it."""
    return bool(re.search(_TEXT, data))
