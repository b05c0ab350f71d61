"""Placeholders of applications that are filled in from each other end, however they are nested."""

from __future__ import annotations

import time

from kcheck import formats

CIRCLE = "${A:-" * 60 + "x" + "}" * 60


def test_a_name_within_itself_is_unknown() -> None:
    text = f"A={CIRCLE}${{A}}{CIRCLE}\nkafka.bootstrap.servers=${{A}}\nmp.messaging.incoming.a.connector=smallrye-kafka\n"
    start = time.process_time()
    document = formats.read("application.properties", text.encode(), lambda _: None)
    assert time.process_time() - start < 1
    (consumer,) = document.resources
    assert consumer.settings["bootstrap.servers"].text is None


def test_an_encoding_of_nothing_is_unknown() -> None:
    text = 'resource "kafka_topic" "a" {\n  name = jsonencode()\n  partitions = 3\n}\n'
    document = formats.read("main.tf", text.encode(), lambda _: None)
    assert len(document.resources) == 1
