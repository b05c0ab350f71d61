"""What is asked of every file first, in a search for words, says no only where the whole question would."""

from __future__ import annotations

import ast
import inspect
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kcheck.formats.clients import map_signs
from kcheck.formats.properties import kinds, reader, signs

#: Every text in the code that tells files apart, the tables' keys among them.
_TEXTS = sorted(
    {
        node.value
        for module in (kinds, signs)
        for node in ast.walk(ast.parse(inspect.getsource(module)))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and 1 < len(node.value) < 50
        and " " not in node.value
    }
)
_VALUES = (
    "",
    "x",
    "PLAINTEXT://:9092",
    "http://a:1",
    "SASL_SSL",
    "a->b",
    "${A}",
    "org.apache.kafka.A",
)
_NAMES = ("a.properties", "server.properties", "producer.properties", "kafka-rest.properties")
_NAMES += ("src/application.properties", "bootstrap-dev.properties", "a.conf")


@given(st.from_regex(map_signs._SIGN))
@settings(max_examples=300, deadline=None)
def test_each_sign_of_client_keys_has_one_of_the_words(text: bytes) -> None:
    assert map_signs.holds(text, map_signs._WORDS)


def _classified(path: str, data: bytes) -> str | None:
    return kinds.classify(path, data, reader._File(data).entries)


@pytest.mark.parametrize("name", _NAMES)
def test_no_file_is_left_out_that_its_keys_tell(name: str) -> None:
    chance, known = random.Random(name), 0
    for _ in range(4_000):
        keys = [chance.choice(_TEXTS) for _ in range(chance.randint(1, 4))]
        ends = [chance.choice(("", "", ".x", "x")) for _ in keys]
        lines = [
            f"{key}{end}{chance.choice('=: ')}{chance.choice(_VALUES)}"
            for key, end in zip(keys, ends, strict=True)
        ]
        data = chance.choice(("\n", "\r\n", "\r")).join(lines).encode()
        if _classified(name, data) is not None:
            known += 1
            assert kinds.may_classify(name, data), data
    assert known > 500


def test_every_key_of_the_tables_is_asked_for() -> None:
    tables = (kinds.BROKER_SIGNS, kinds.WORKER_SIGNS, kinds.STREAMS_KEYS, kinds.LIBRDKAFKA_KEYS)
    for key in sorted(set().union(*tables)):
        assert kinds.may_classify("a.properties", f"# a\n {key} : 1\n".encode()), key


@pytest.mark.parametrize(
    "data",
    [
        b"boot\\\n  strap.servers=a:9092\n",
        b"\\u0062ootstrap.servers=a:9092\n",
        b"\xef\xbb\xbfbroker.id=1\n",
        "broker.id=1\n".encode("utf-16"),
        "broker.id=1\n".encode("utf-16-be"),
        b"# a\rbroker.id=1\rlog.dirs=/a\r",
        b"broker.id\x0c=1\n",
    ],
)
def test_keys_written_otherwise_are_seen(data: bytes) -> None:
    assert _classified("a.properties", data) is not None
    assert kinds.may_classify("a.properties", data)


def test_files_of_others_are_not_parsed() -> None:
    for text in (b"service.port=8080\n", b"log4j.rootLogger: INFO\n", b"title = A\nname: b c\n"):
        assert not kinds.may_classify("a.properties", text)
        assert _classified("a.properties", text) is None
