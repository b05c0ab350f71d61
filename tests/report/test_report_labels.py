"""Resources of a profile are called by it where people read, and nowhere else."""

from __future__ import annotations

import json

from made import Files, found, run

from kcheck import report
from kcheck.model import ERROR
from kcheck.report import labels


def made() -> object:
    files = Files(application_yml="spring.kafka.producer.acks: 2\n")
    producer = files.resource("producer", "checkout", "application.yml")
    producer.traits.profile = "prod"
    acks = files.set(producer, "acks", "2")
    message = "producer checkout-eu beside producer checkout: acks=2 is refused"
    return run(files, found(message, acks, severity=ERROR))


def test_text_names_the_profile_behind_the_resource_itself() -> None:
    first = report.render("text", made()).splitlines()[0]  # type: ignore[arg-type]
    assert first.endswith(
        "producer checkout-eu beside producer checkout (profile prod): acks=2 is refused"
    )


def test_json_and_fingerprints_do_not() -> None:
    text = report.render("json", made())  # type: ignore[arg-type]
    (one,) = json.loads(text)["findings"]
    assert one["resource"] == {"kind": "producer", "name": "checkout"}
    assert "(profile" not in text


def test_a_resource_of_no_profile_has_no_label() -> None:
    files = Files(application_yml="acks: 2\n")
    assert labels.suffix(files.resource("producer", "checkout", "application.yml")) == ""
