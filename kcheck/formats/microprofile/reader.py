"""Quarkus and MicroProfile: channels of Reactive Messaging, and Quarkus' Kafka Streams.

``mp.messaging.incoming.<channel>.<key>`` is a consumer, ``outgoing`` a producer, where the channel's
connector is Kafka's: said, or the only one that the file's keys allow. ``kafka.<key>`` holds for all
of them, ``kafka-streams.<key>`` for the Streams application. A leading ``%prod.`` is for one profile,
and so is the file ``application-prod.properties``, which goes over that.
"""

from __future__ import annotations

import re

from kcheck.formats import Lookup
from kcheck.formats.clients.application import Application
from kcheck.formats.microprofile.names import NOT_CLIENTS, is_own
from kcheck.formats.microprofile.sections import Reader
from kcheck.formats.pairs import Pair, of_file
from kcheck.formats.spring import profile_files
from kcheck.formats.text import unrendered
from kcheck.model import PASSED_OVER, SKIPPED, Document

_TLS = "tlsconfigurationname"


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    pairs, problem = of_file(document.path, data, quoting=True)
    if problem is not None and unrendered(data):
        document.status, document.reason = SKIPPED, "an unrendered template"
        return
    if problem is not None:
        document.problems.append(problem)
    folder, slash, _ = document.path.rpartition("/")
    owner = f"{folder}{slash}application"
    profiles = _profiles(pairs)
    base = profiles.pop("", [])
    named = profile_files.profile_of(document.path)
    if named:
        main = _profiles(profile_files.base_of(document.path, lookup, quoting=True))
        profiles = {named: base}
        base = [*main.get("", []), *main.get(named, [])]
    elif any(map(_ours, base)):
        Reader(Application(document, owner), [base]).read()
    for profile, own in profiles.items():
        if any(map(_ours, own)):
            Reader(Application(document, owner, profile), [base, own]).read()
    if any(pair.words[-1] == _TLS for pair in pairs):
        from kcheck.formats.clients import tls_names

        every = [one for own in (base, *profiles.values()) for one in own]
        tls_names.tell(document, every, (_TLS,), ("quarkus", "tls"))
    if not document.resources and not document.problems:
        document.status, document.reason = PASSED_OVER, "contains no Kafka client setting"


def _ours(pair: Pair) -> bool:
    name = pair.name.replace("[", ".")
    if name.startswith("kafka."):
        return not name.removeprefix("kafka.").startswith(NOT_CLIENTS)
    return is_own(pair) or name.startswith(
        ("mp.messaging.", "kafka-streams.", "quarkus.kafka", "camel.component.kafka.")
    )


def _profiles(pairs: list[Pair]) -> dict[str, list[Pair]]:
    """The pairs of each profile ("" for all), without the profile in their names."""
    found: dict[str, list[Pair]] = {}
    for pair in pairs:
        profile, dot, rest = pair.name.partition(".")
        if not (profile.startswith("%") and dot):
            profile, rest = "", pair.name
        for one in profile.strip("%{}").split(","):
            written = pair.name.replace("[", ".").replace("]", "")
            # A part in quotes is one part, whatever dots it holds.
            name = _QUOTED.sub(r"[\1]", rest)
            plain = Pair(name, pair.text, pair.path, pair.at, pair.key_at, written)
            found.setdefault(one.strip(), []).append(plain)
    return found


_QUOTED = re.compile(r'\.?"([^"]*)"')
