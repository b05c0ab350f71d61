"""``sasl.jaas.config``: as Kafka reads it, and what is left of it around placeholders."""

from __future__ import annotations

import json

import pytest
from record import RECORDING, texts

from kcheck import jaas
from kcheck.model import START, Framed, Setting

_PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule"
_KEY = "sasl.jaas.config"


def _framed(text: str) -> jaas.Login:
    return jaas.of(Framed(_KEY, text, "client.properties", START))


def test_it_is_read_as_kafka_reads_it() -> None:
    answers = [json.loads(line) for line in RECORDING.read_text("ascii").splitlines()]
    assert sum(module is None for _, module, _ in answers) > 300
    assert sum(module is not None for _, module, _ in answers) > 300
    for text, module, options in answers:
        found = jaas.read(text)
        assert bool(found.fault) is (module is None), text
        if module is not None:
            assert (found.module, found.options, found.whole) == (module, options, True), text


def test_a_placeholder_in_quotes_changes_nothing_but_the_option() -> None:
    for text in texts(3, 400):
        if text.count('"') != 2 or "\\" in text:
            continue
        start, inside, end = text.split('"')
        plain, framed = jaas.read(text), _framed(f'{start}"{inside}${{SECRET}}"{end}')
        if framed.whole and not plain.fault:
            assert (framed.module, framed.fault) == (plain.module, "")
            assert framed.options.keys() == plain.options.keys()


@pytest.mark.parametrize(
    "secret",
    [
        "${PW}",
        "${file:/run/secrets:pw}",
        "${A:${B:c}}",
        "{{ pw }}",
        "<%= @pw %>",
        "$(PW)",
        "__PW__",
        "%PASSWORD%",
        "<pw>",
        "CHANGEME",
    ],
)
@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (f'{_PLAIN} required username="a" password="?";', ""),
        (f"{_PLAIN} required username=a password=?;", ""),
        (f'{_PLAIN} required username="a" password="?"', "does not end with a semicolon"),
        (f'{_PLAIN} username="a" password="?";', "lacks the control flag"),
        (f'{_PLAIN} required username="a" password="?"; {_PLAIN} required;', "has 2"),
        (f'{_PLAIN} required username= password="?";', "has an option without a name"),
    ],
)
def test_what_stands_around_a_secret_is_read(text: str, fault: str, secret: str) -> None:
    found = _framed(text.replace("?", secret))
    assert found.module == _PLAIN
    assert found.fault.startswith(fault)
    assert bool(found.fault) is bool(fault)
    if not fault:
        assert found.options == {"username": "a", "password": None}


@pytest.mark.parametrize(
    "text",
    [
        "{% if a %}A required;{% endif %}",
        "A required <% if a %>b=c<% end %>;",
        "A required b=${C;",
        "your-jaas-config",
    ],
)
def test_nothing_is_known_of_what_is_filled_in(text: str) -> None:
    found = _framed(text)
    assert (found.module, found.options, found.fault, found.whole) == ("", {}, "", False)


@pytest.mark.parametrize(
    ("text", "module"),
    [
        ("{{ jaas }};", ""),
        ("< JAAS CONFIG >", ""),
        ("{jaas_config}", ""),
        ("${JAAS}", ""),
        ("${MODULE} required;", ""),
        ("org.${MODULE} required;", ""),
        ("A ${FLAG};", "A"),
        ("A required ${OPTIONS}", "A"),
        ("A required ${NAME}=b", "A"),
        ("A required b=${C}", "A"),
        ('A required b="${C}', "A"),
        ("A required b=${C}d e", "A"),
        ('A required b="c"${MORE}', "A"),
    ],
)
def test_no_fault_is_told_where_the_filling_may_mend_it(text: str, module: str) -> None:
    found = _framed(text)
    assert (found.module, found.fault, found.whole) == (module, "", False)


def test_a_setting_without_text_or_frame_has_no_login() -> None:
    for setting in (None, Setting(_KEY, None, "client.properties", START)):
        found = jaas.of(setting)
        assert (found.module, found.fault, found.whole) == ("", "", False)
