"""Spring Boot's ``application*.yml`` and ``.properties``: ``spring.kafka.`` and Cloud Stream's binders.

A file holds one document or several, each for all profiles or for one
(``spring.config.activate.on-profile``); ``application-prod.yml`` is for one, and goes over the
``application.yml`` beside it. Clients are what the base and each profile that speaks of Kafka make
of them. What Spring does not bind is noted and not set.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.formats import Lookup
from kcheck.formats.clients.application import Application
from kcheck.formats.clients.map_signs import configures
from kcheck.formats.pairs import Pair
from kcheck.formats.spring.clients import Reader
from kcheck.formats.spring.profiles import Family, World
from kcheck.formats.spring.sections import Section, importer, is_own, of_file
from kcheck.formats.text import unrendered
from kcheck.model import PASSED_OVER, SKIPPED, Document

_PROFILE_FILE = re.compile(r"(application|bootstrap)(?:-(.+))?\.(ya?ml|properties)$")

#: What an application's own names say of TLS or a login, which its program then gives to its clients.
_SECURING = ("truststore", "keystore", "securityprotocol", "sasl", "jaas")
#: Trees that no program fills in for its Kafka clients.
_FRAMEWORKS = ("spring.", "server.", "management.", "logging.")

#: Where Spring reads what is Kafka's.
_TREES = ("spring.kafka.", "spring.cloud.stream.bindings.", "spring.cloud.stream.kafka.")


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    sections, problem = of_file(document.path, data)
    if problem is not None and unrendered(data):
        document.status, document.reason = SKIPPED, "an unrendered template"
        return
    if problem is not None:
        document.problems.append(problem)
    folder, slash, name = document.path.rpartition("/")
    found = _PROFILE_FILE.search(name)
    owner = f"{folder}{slash}{found.group(1) if found else name}"
    stem = owner if found is not None and not found.start() else ""
    profile = (found.group(2) or "") if found else ""
    elsewhere = "" if found else importer(document.path, lookup)
    family = Family(stem, profile, document.path, sections, lookup)
    for world in family.worlds() if not elsewhere else ():
        home = world.told[-1].home
        if home == document.path:
            _made(Application(document, owner, world.label), world, lookup)
        else:
            elsewhere = home
    suspects = [pair for pair in _pairs(sections) if _is_suspect(pair)]
    if suspects and document.resources:
        from kcheck.formats.spring import tree_names  # few applications misspell a tree

        tree_names.tell(document, suspects)
    if family.left:
        document.reason = f"{len(family.left):,} of its profiles not read: {family.left[0]} …"
    if not document.resources and not document.problems:
        document.status, document.reason = PASSED_OVER, "contains no Kafka client setting"
        if not configures(document.path) and any(map(is_own, _pairs(sections))):
            document.reason = "Kafka's keys under names of a test's own"
        if elsewhere:
            document.reason = f"read together with {elsewhere}"


def _is_suspect(pair: Pair) -> bool:
    """Whether a name is in none of Spring's trees for Kafka, and may be meant for one."""
    words, form = pair.words, pair.form
    if form[:1] != "s" or len(words) < 3 or form.startswith(_TREES):
        return False
    return words[0] != "spring" or words[1][:1] in "cks"


def _secures(pair: Pair) -> bool:
    """Whether a name of the application's own is of Kafka's TLS or login: its program completes the clients."""
    form = pair.form
    return (
        "kafka" in form
        and not form.startswith(_FRAMEWORKS)
        and any(word in form for word in _SECURING)
    )


def _pairs(sections: list[Section]) -> Iterator[Pair]:
    return (pair for section in sections for pair in section.pairs)


def _made(application: Application, world: World, lookup: Lookup) -> None:
    """Make the clients of a world; what it imports from elsewhere may set more."""
    document = application.document
    before = len(document.resources)
    Reader(application, [section.pairs for section in world.layers], document.path, lookup).read()
    unread = [place for section in world.layers for place in section.unread]
    made = document.resources[before:]
    secured = bool(made) and any(_secures(pair) for one in world.layers for pair in one.pairs)
    for resource in made if unread or secured else ():
        resource.traits.partial = True
    if unread and not document.reason:
        document.reason = f"imports {', '.join(dict.fromkeys(unread))}, not read"
