"""The schema that editors use for ``kcheck.toml`` says what kcheck itself takes."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator, FormatChecker

from kcheck import rules, settings_file, settings_keys
from kcheck.settings import SettingsError

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = json.loads((ROOT / "schemas" / "settings.schema.json").read_text(encoding="utf-8"))

GOOD = [
    "",
    'required-version = ">=0.1"',
    'kafka-version = "3.9"\nenvironment = "production"\nservice = "msk"\nfail-on = "never"',
    'select = ["default", "KC06"]\nextend-select = ["advice"]\nignore = ["KC0301"]',
    'exclude = ["old/**"]\nbaseline = "known.jsonl"\nrequire-reason = true',
    '[rules.min-isr-eq-rf]\nseverity = "error"\nignorable = false',
    '[[clusters]]\nname = "a"\npaths = ["a/**"]\nkafka-version = "4.1"',
    '[[overrides]]\npaths = ["dev/**"]\nignore = ["KC03"]\nseverity = {KC0303 = "info"}',
    '[[require]]\ncode = "ORG001"\non = "topic"\nkey = "retention.ms"\nmax = 2592000000\nmin = "1d"\n'
    'names = ["orders-*"]\nseverity = "error"\nmessage = "a month"\nenvironment = "production"',
    '[[require]]\ncode = "KC9001"\non = "topic"\nkey = "name"\nmatches = "^[a-z.]+$"',
    '[[require]]\ncode = "ORG1"\non = "producer"\nkey = "acks"\none-of = ["all", -1]\nname = "acks"',
    '[[require]]\ncode = "ORG1"\non = "producer"\nkey = "client.id"\npresent = true',
    '[[ignore]]\nrule = "KC0303"\npath = "a.yaml"\nresource = "topic a"\nuntil = "2027-01-31"\n'
    'reason = "why"',
    'gate = "mine"\n[gates.mine]\nextends = "default"\nrules = ["KC04"]\nexcept = ["KC0303"]\n'
    'fail-on = "never"',
]
BAD = [
    "kafka-version = 3",
    'kafka-version = "three"',
    'kafka_version = "3.9"',
    'environment = "prod"',
    'fail-on = "fatal"',
    'select = "KC03"',
    "require-reason = 1",
    "rules = 1",
    "gate = 1",
    '[gates.mine]\nrules = "KC04"',
    '[gates.mine]\nfail-on = "fatal"',
    '[gates.mine]\nlike = "default"',
    '[rules.min-isr-eq-rf]\nseverity = "fatal"',
    '[rules.min-isr-eq-rf]\nignorable = "no"',
    '[[clusters]]\nname = "a"',
    '[[clusters]]\npaths = ["a"]',
    '[[overrides]]\nignore = ["KC03"]',
    '[[overrides]]\npaths = ["a"]\nseverity = {KC0303 = "fatal"}',
    '[[require]]\ncode = "ORG001"\non = "topic"\nkey = "retention.ms"',
    '[[require]]\ncode = "KC0301"\non = "topic"\nkey = "retention.ms"\nmax = 1',
    '[[require]]\ncode = "org1"\non = "topic"\nkey = "retention.ms"\nmax = 1',
    '[[require]]\ncode = "ORG1"\non = "queue"\nkey = "retention.ms"\nmax = 1',
    '[[require]]\ncode = "ORG1"\non = "topic"\nkey = "retention.ms"\nmax = true',
    '[[require]]\ncode = "ORG1"\non = "topic"\nmax = 1',
    '[[ignore]]\nrule = "KC0303"',
    '[[ignore]]\nrule = "KC0303"\npath = "a"\nuntil = "tomorrow"',
    '[[ignore]]\nrule = "KC0303"\npath = "a"\nwhy = "x"',
]


def accepted(text: str, folder: Path) -> bool:
    path = folder / "kcheck.toml"
    path.write_text(text, encoding="utf-8")
    try:
        settings_file.load(str(path), rules.load())
    except SettingsError:
        return False
    return True


@pytest.mark.parametrize("text", [*GOOD, *BAD])
def test_schema_and_reader_agree(text: str, tmp_path: Path) -> None:
    validator = Draft202012Validator(SCHEMA, format_checker=FormatChecker())
    good = text in GOOD
    assert accepted(text, tmp_path) is good
    assert validator.is_valid(tomllib.loads(text)) is good


def test_the_schema_lists_every_key() -> None:
    properties = SCHEMA["properties"]
    assert set(properties) == set(settings_keys.TOP)
    assert set(properties["clusters"]["items"]["properties"]) == set(settings_keys.CLUSTER)
    assert set(properties["overrides"]["items"]["properties"]) == set(settings_keys.OVERRIDE)
    assert set(properties["require"]["items"]["properties"]) == set(settings_keys.REQUIRE)
    assert set(SCHEMA["$defs"]["ignore"]["properties"]) == set(settings_keys.IGNORE)
    rule = properties["rules"]["additionalProperties"]["properties"]
    assert set(rule) == set(settings_keys.RULE)


@pytest.mark.parametrize("path", sorted(ROOT.glob("fixtures/*/kcheck.toml")), ids=str)
def test_the_settings_of_fixtures(path: Path) -> None:
    Draft202012Validator(SCHEMA).validate(tomllib.loads(path.read_text(encoding="utf-8")))
