"""A process that reads a hundred thousand clusters does not grow with them: every cache of a module is
bounded, or its keys come from the fact tables and the code alone.
"""

from __future__ import annotations

import ast
import gc
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest
from trees import below, nodes, parsed

from kcheck import engine
from kcheck.bounded_cache import BoundedCache
from kcheck.settings import Settings

PACKAGE = Path(__file__).resolve().parents[1] / "kcheck"

#: Caches of modules that are plain: where their keys come from, of which there is an end.
FINITE = {
    # Read whole from a fact table, or by the name of one.
    "accepted._rows": "rows",
    "catalogue._planes": "tables",
    "catalogue._minors": "rows",
    "catalogue._patches": "rows",
    "configdef._ranges": "rows",
    "catalogue._fallbacks": "rows",
    "catalogue._fallbacks_in": "minors of the catalogue",
    "catalogue._constants": "rows",
    "classes._classes": "rows",
    "classes._folded": "rows",
    "classes._with_nested": "rows",
    "dialects._libraries": "names of libraries",
    "explain.errors._errors": "rows",
    "explain.errors._thrown": "rows",
    "explain.metrics._metrics": "rows",
    "explain.metrics._by_name": "rows",
    "formats.agents.options._tables": "rows",
    "formats.commands.arguments._rows": "rows",
    "formats.demands._rows": "rows",
    "formats.demands._texts": "rows",
    "formats.observers.clients._tables": "rows",
    "formats.requirements._rows": "rows",
    "formats.clients.maps._keys": "rows",
    "formats.containers.programs._rows": "rows",
    "formats.helm.chart_values._rows": "rows",
    "formats.provisioned.table.rows": "rows",
    "formats.provisioned.table.of_pulumi": "rows",
    "formats.provisioned.table.types": "kinds of rows",
    "musts._rows": "rows",
    "operators._supported": "rows",
    "rule._packed": "rules of kcheck",
    "formats.strimzi.refusals._types": "rows",
    "formats.strimzi.required._required": "rows",
    "formats.unread._keys": "rows",
    "explain.errors._by_name": "rows",
    "explain.errors._ancestors": "rows",
    "fleet.quiet._logs": "sessions that run",
    "formats.operator_musts._fields": "rows",
    "formats.spring.names._properties": "rows",
    "formats.spring.names._heads": "rows",
    "formats.clients.own_maps._keys": "rows",
    "formats.camel.names._keys": "rows",
    "formats.microprofile.variables._forms": "rows",
    "formats.spring.variables._squeezed": "rows",
    "images._known": "rows",
    "classes._names": "rows",
    "claims._claims": "rows",
    "classes._complete": "rows",
    "spelling._options": "rows",
    "images._by_repository": "rows",
    "images._guessed": "rows",
    "images._telling": "rows",
    "images._versions": "rows",
    "images._base_rows": "rows",
    "lexicon.fields._annotations": "rows",
    "lexicon.fields._names": "rows",
    "lexicon.fields._read": "names of tables",
    "lexicon.fields._worded": "kinds",
    "lexicon.fields._words": "rows",
    "lexicon.words._rows": "rows",
    "connect_plugins._plugins": "rows",
    "limits.service._plans": "rows",
    "lexicon.names._firsts": "rows",
    "lexicon.name_faults._renames": "rows",
    "lexicon.unknown_names._counterparts": "rows",
    "lexicon.unknown_names._known": "tables of a plane",
    "lexicon.names._prefixes": "rows",
    "lexicon.name_faults._kept": "rows",
    "lexicon.protocols._known": "rows",
    "lexicon.undeclared._by_plane": "rows",
    "lexicon.suggest._known": "keys of the catalogue",
    "lexicon.planes._open": "families",
    "lexicon.upgrades._rows": "names of tables",
    "lexicon.values._beyond": "rows",
    "secrets.names._pieces": "names of secrets in the code",
    "lexicon.implausible._least": "rows",
    "limits.assumptions._table": "rows",
    "limits.entry._entries": "rows",
    "operators._resources": "rows",
    "operators._instead": "rows",
    "operators._oldest": "rows",
    "operators._defaults": "rows",
    "editor.values._rules": "rows",
    # What the code names.
    "editor.numbers._patterns": "bounds of the catalogue's numbers",
    "editor.weighing._texts_of": "codes of rules",
    "formats._modules": "names of formats",
    "plugins._loaded": "plug-ins that the settings name",
    "plugins._refused": "plug-ins that the settings name",
    "rule._rules": "codes of rules",
    "rules._loaded": "names of modules",
    "rules._looking": "scopes of rules",
    "rules.versions.classes._removed": "no key",
    "rules.versions.plugins._removed": "no key",
    "upgrade.compare._of_upgrades": "codes of rules",
    "version._parsed": "versions that the code and the fact tables name",
}

_FILLS = ("add", "append", "extend", "insert", "setdefault", "update")


def module_of(path: Path) -> str:
    name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
    return name.removesuffix(".__init__")


def filled(path: Path) -> Iterator[str]:
    """The names of a module that functions of it put something into."""
    for function in nodes(path):
        if not isinstance(function, (ast.FunctionDef, ast.Lambda)):
            continue
        inside = below(function)
        own = {arg.arg for arg in inside if isinstance(arg, ast.arg)}
        if isinstance(function, ast.FunctionDef):
            stored = (n for n in inside if isinstance(n, ast.Name))
            own |= {n.id for n in stored if isinstance(n.ctx, ast.Store)}
        for node in inside:
            held: ast.expr | None = None
            if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
                held = node.value
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                held = node.func.value if node.func.attr in _FILLS else None
            if isinstance(held, ast.Name) and held.id not in own:
                yield held.id


def caches(path: Path) -> Iterator[tuple[str, bool]]:
    """The caches on the level of a module, and whether each bounds itself."""
    into = set(filled(path))
    for node in parsed(path).body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            targets = [node.target]
        for target in targets:
            if isinstance(target, ast.Name) and target.id in into:
                yield target.id, "BoundedCache(" in ast.unparse(node)
    for node in nodes(path):
        for decorator in getattr(node, "decorator_list", ()):
            said = ast.unparse(decorator).removeprefix("functools.")
            if said.startswith(("cache", "lru_cache", "cached_property")):
                yield node.name, said.startswith("lru_cache(") and "None" not in said


def test_every_cache_of_a_module_is_bounded() -> None:
    plain = set()
    for path in sorted(PACKAGE.rglob("*.py")):
        plain |= {f"{module_of(path)}.{name}" for name, bounded in caches(path) if not bounded}
    assert plain == set(FINITE)


def test_what_is_full_is_emptied_and_long_keys_are_not_kept() -> None:
    held = BoundedCache(3)
    for n in range(10):
        held[n] = n
        assert len(held) <= 3
    held["x" * 5000] = held["plane", "x" * 5000] = 1
    assert all(isinstance(key, int) for key in held)


# -- what a process holds --------------------------------------------------------------------


def project(number: int) -> list[engine.Source]:
    """A project of every plane in which all names, texts and versions are its own."""
    n = f"n{number}"
    version = f"{2 + number % 3}.{number}.{number}"
    return [
        (
            f"{n}/prod-{n}/kcheck.yaml",
            f'kcheck: 1\ncluster: {{name: {n}, kafka_version: "{version}", brokers: 3}}\n'.encode(),
        ),
        (
            f"{n}/prod-{n}/server.properties",
            f"broker.id={number}\nlog.dirs=/{n}\nmy.{n}.key={n}\nlog.retention.ms={number}\n"
            f"{n}.ssl.keystore.pasword=x\nadvertised.listeners=PLAINTEXT://{n}:9092\n".encode(),
        ),
        (
            f"{n}/eu-west-{number}/docker-compose.yml",
            f"services:\n  {n}:\n    image: confluentinc/cp-kafka:7.{number}.{n}\n"
            f"    environment:\n      KAFKA_BROKER_ID: {number}\n      KAFKA_{n.upper()}: {n}\n"
            f"      {n}_PASSWORD: x\n".encode(),
        ),
        (
            f"{n}/{n}.json",
            f'{{"name": "{n}", "config": {{"connector.class": "org.{n}.Source",'
            f' "{n}.key": "{n}", "tasks.max": "{number}"}}}}'.encode(),
        ),
        (
            f"{n}/rdkafka-{n}.properties",
            f"bootstrap.servers={n}:9092\nqueue.buffering.max.{n}=1\ngroup.id={n}\n"
            f"enable.auto.commit=true\nsocket.timeout.ms={number}\n".encode(),
        ),
        (
            f"{n}/application-{n}.yaml",
            f"spring:\n  kafka:\n    bootstrap-servers: {n}:9092\n    consumer:\n"
            f"      group-id: {n}\n      properties:\n        {n}.key: {n}\n".encode(),
        ),
    ]


def holdings() -> Iterator[object]:
    """All that the modules of the package hold, however deep."""
    seen: set[int] = set()
    stack: list[object] = [
        vars(module)
        for name, module in sys.modules.items()
        if name.partition(".")[0] == "kcheck" and isinstance(module, ModuleType)
    ]
    while stack:
        thing = stack.pop()
        if id(thing) in seen or isinstance(thing, ModuleType):
            continue
        seen.add(id(thing))
        yield thing
        for other in gc.get_referents(thing):
            own = type(other).__module__.partition(".")[0] in ("kcheck", "builtins")
            if own and not isinstance(other, (str, int, float, bytes)):
                stack.append(other)


def held() -> int:
    """How much there is in all containers together."""
    return sum(len(thing) for thing in holdings() if isinstance(thing, (dict, list, set)))


def test_a_process_does_not_grow_with_what_it_reads(
    monkeypatch: pytest.MonkeyPatch, thorough: bool
) -> None:
    from kcheck.lexicon import check

    monkeypatch.setattr(check, "_MOST_REMEMBERED", 100)
    # All modules that it takes are there, and each cache of theirs.
    for number in range(3):
        engine.lint_project(project(number), Settings())
    full = [thing for thing in holdings() if isinstance(thing, BoundedCache)]
    before = [thing.most for thing in full]
    try:
        for thing in full:
            thing.most = 20
        sizes = []
        for first, last in pairwise((0, 1, 3, 7) if thorough else (0, 1, 2, 4)):
            for number in range(40 * first, 40 * last):
                engine.lint_project(project(number), Settings())
            sizes.append(held())
        # Several times the projects, and no more than what bounded caches hold now and then.
        assert max(sizes[1:]) - sizes[0] < 500, sizes
    finally:
        for thing, most in zip(full, before, strict=True):
            thing.most = most
