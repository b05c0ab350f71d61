"""The house's promises about imports: data flows one way, and a clean run stays light."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import hops
import pytest
from trees import below, nodes, parsed

from kcheck.model import Document, Resource

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "kcheck"
#: The folders that ruff checks.
CHECKED = ("benchmarks", "ci", "kcheck", "schemas", "tests")

#: Rooms from the foundation upwards; a room imports only from rooms above it in this list, or from
#: itself. Rooms on one line are neighbours that do not know each other.
FLOORS: list[set[str]] = [
    {"bounded_cache", "libraries"},
    {
        "model",
        "version",
        "units",
        "configdef",
        "data",
        "expressions",
        "folder_names",
        "globs",
        "left_out",
        "paths",
        "partition",
        "regular",
        "share",
    },
    {"accepted", "claims", "musts", "services"},
    {
        "alignment",
        "catalogue",
        "drafts",
        "endpoints",
        "images",
        "jaas",
        "operators",
        "owners",
        "syntax",
    },
    {"dialects", "classes", "carriers", "connect_plugins"},
    {"lexicon", "secrets"},
    {"formats"},
    {"grouping"},
    {"graph", "wording", "evidence", "ends", "refusal", "files"},
    {"causes", "gravity", "rule", "limits"},
    {"rules", "spelling", "examples", "fingerprint", "likeness", "selection"},
    {"gates", "plugins", "matching", "git"},
    {"circumstances", "settings", "settings_keys", "require"},
    {"registry"},
    {"plan", "settings_tables"},
    {"suppress", "baseline", "fixes", "settings_file", "coverage", "editor", "runner"},
    {"engine", "explain"},
    {"report", "discover", "upgrade", "changes"},
    {"counterexamples", "fleet", "pool", "revision"},
    {"cli"},
]
ROOMS = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}

#: What costs more to import than a small file costs to lint.
HEAVY = {
    "rich",
    "typer",
    "click",
    "jsonschema",
    "pydantic",
    "pandas",
    "pyspark",
    "importlib.metadata",
    "dataclasses",
    "typing",
    "inspect",
    "json",
    "tomllib",
    "logging",
    "pathlib",
    "argparse",
}


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def statements(node: ast.AST) -> Iterator[ast.stmt]:
    """All statements below a node: a tenth of what ``ast.walk`` goes through."""
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.stmt):
            yield inner
        if not isinstance(inner, ast.expr):
            yield from statements(inner)


def imported(module: ast.Module) -> set[str]:
    """Our own rooms that a module imports, wherever in it the import stands."""
    found: set[str] = set()
    for node in statements(module):
        names: list[str] = []
        if isinstance(node, ast.ImportFrom) and node.module:
            if node.module == "kcheck":
                names = [f"kcheck.{alias.name}" for alias in node.names]
            else:
                names = [node.module]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            parts = name.split(".")
            if parts[0] == "kcheck" and len(parts) > 1 and not parts[1].isupper():
                found.add(parts[1])
    return found - {"__version__"}


def type_only(module: ast.Module) -> set[str]:
    """Rooms that are imported under ``if TYPE_CHECKING`` alone, which no program ever does."""
    found: set[str] = set()
    for node in statements(module):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name):
            for inner in statements(node):
                if isinstance(inner, ast.ImportFrom) and (inner.module or "").startswith("kcheck."):
                    found.add((inner.module or "").split(".")[1])
    return found


MODULES = [p for p in sorted(PACKAGE.rglob("*.py")) if p.name not in ("__init__.py", "__main__.py")]
MODULES += [p for p in PACKAGE.rglob("__init__.py") if p.parent != PACKAGE]


def test_imports_point_down() -> None:
    for path in MODULES:
        room = room_of(path)
        assert room in ROOMS, f"a new room needs a floor: {room}"
        module = parsed(path)
        for other in imported(module) - {room} - type_only(module):
            assert other in ROOMS, f"{path} imports the unknown room {other}"
            assert ROOMS[other] < ROOMS[room], f"{path} imports {other}, which lies above {room}"


def test_the_model_knows_nobody() -> None:
    # Not even for types: whoever wants to know what flows through kcheck reads one folder.
    for path in (PACKAGE / "model").glob("*.py"):
        assert imported(parsed(path)) <= {"model"}


def name_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def needed(module: ast.AST, known: set[str]) -> set[str]:
    """Our own modules that a module imports while it runs, late or at once; not for types alone."""
    found: set[str] = set()
    for node in ast.iter_child_nodes(module):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found.update(name if name in known else node.module for name in names)
        elif isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif not isinstance(node, ast.expr):
            found |= needed(node, known)
    return found & known


def test_no_module_needs_itself() -> None:
    """Rooms have an order, and so have the modules of a room: none leads back to itself."""
    modules = {name_of(path): path for path in PACKAGE.rglob("*.py")}
    needs = {name: needed(parsed(path), {*modules}) - {name} for name, path in modules.items()}
    # Whoever needs nothing that is left goes; what cannot go is a circle, or leads to one.
    left = dict(needs)
    while free := [name for name, others in left.items() if not others & left.keys()]:
        for name in free:
            del left[name]
    assert sorted(left) == []


@pytest.mark.parametrize("name", ["topics.yaml", "server.properties", "docker-compose.yml"])
def test_a_clean_run_imports_nothing_heavy(tmp_path: Path, name: str) -> None:
    texts = {
        "topics.yaml": "topics:\n  - {name: orders, partitions: 3, replication_factor: 3}\n",
        "server.properties": "broker.id=1\nlog.dirs=/data\nzookeeper.connect=zk:2181\n",
        "docker-compose.yml": "services:\n  kafka:\n    image: apache/kafka:4.1.0\n",
    }
    (tmp_path / name).write_text(texts[name])
    program = (
        "import sys\n"
        "from kcheck.__main__ import main\n"
        f"code = main(['lint', {name!r}])\n"
        "print(code, *sorted(sys.modules))\n"
    )
    ran = subprocess.run(
        # -S and -I keep what this machine's site directory imports out of the picture.
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{program}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    code, *modules = ran.stdout.split()
    assert code == "0"
    assert not HEAVY & set(modules)
    if not name.endswith((".yaml", ".yml")):
        assert "yaml" not in modules


def told(name: str) -> dict[str, str]:
    """The attributes of a class of the model and their types, as they are written."""
    (made,) = [
        node
        for path in (PACKAGE / "model").glob("*.py")
        for node in parsed(path).body
        if isinstance(node, ast.ClassDef) and node.name == name
    ]
    found: dict[str, str] = {}
    for node in made.body[1:]:  # the docstring comes first
        assert isinstance(node, ast.AnnAssign) and node.value is not None, ast.unparse(node)
        found[ast.unparse(node.target)] = ast.unparse(node.annotation)
    return found


def test_facts_between_rooms_are_typed_attributes() -> None:
    kinds = told("Traits") | told("Extent")
    untyped = {name: kind for name, kind in kinds.items() if "object" in kind or "Any" in kind}
    assert untyped == {}
    # What has keys that formats make up is a dictionary of settings, and nothing else.
    resource = Resource("topic", "orders", "a")
    held = {name for name in Resource.__slots__ if isinstance(getattr(resource, name), dict)}
    assert held == {"settings", "dynamic", "image", "facts"}
    for made in (resource.traits, Document("a").extent):
        defaults = [getattr(made, name) for name in told(type(made).__name__)]
        assert not [one for one in defaults if isinstance(one, dict | list | set)]
        assert vars(made) == {}


def _is_called(node: ast.expr, name: str) -> bool:
    """Whether it is ``resource.traits``, or a name for that."""
    return getattr(node, "attr", "") == name or getattr(node, "id", "") == name


@pytest.mark.parametrize("kind", ["Traits", "Extent"])
def test_every_trait_is_told_by_somebody_and_asked_for_by_somebody(kind: str) -> None:
    written: set[str] = set()
    read: set[str] = set()
    for path in MODULES:
        if path.parent.name == "model":
            continue
        for node in nodes(path):
            if isinstance(node, ast.Attribute) and _is_called(node.value, kind.lower()):
                (written if isinstance(node.ctx, ast.Store) else read).add(node.attr)
    assert told(kind).keys() - written == set()
    assert told(kind).keys() - read == set()


#: What a verdict would hang on besides the graph that a rule is given.
_WORLD = {
    "asyncio",
    "datetime",
    "io",
    "os",
    "pathlib",
    "random",
    "secrets",
    "shutil",
    "socket",
    "subprocess",
    "sys",
    "tempfile",
    "threading",
    "time",
    "urllib",
    "uuid",
}
_ACTS = {"open", "print", "input", "exec", "eval", "setattr", "delattr", "globals"}


def test_rules_are_pure() -> None:
    """A rule reads its argument alone: no file, no clock, no chance, and it writes nothing."""
    paths = sorted((PACKAGE / "rules").glob("*/*.py"))
    assert len(paths) > 100
    for path in paths:
        assert_pure(path)


def assert_pure(path: Path) -> None:
    for node in nodes(path):
        if isinstance(node, ast.Import):
            modules = {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            modules = {(node.module or "").split(".")[0]}
        else:
            modules = set()
        assert not modules & _WORLD, f"{path}:{node.lineno}"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in _ACTS, f"{path}:{node.lineno}: {node.func.id}"
        assert not isinstance(node, ast.Global), f"{path}:{node.lineno}"


def test_the_way_to_a_rule_never_turns_back() -> None:
    found = hops.ways(ROOT / "fixtures" / "payments")
    assert {"Topic", "Broker", "Client", "Produces"} <= found.keys()
    assert {scope: back for scope, way in found.items() if (back := hops.returns(way))} == {}
    assert max(map(len, found.values())) <= 9


def test_functions_above_the_limit_of_complexity_get_fewer() -> None:
    """``noqa: C901`` marks those that ruff would reject: the number here may only shrink."""
    mark = "# noqa: " + "C901"
    texts = [p.read_text("utf-8") for top in CHECKED for p in (ROOT / top).rglob("*.py")]
    assert sum(text.count(mark) for text in texts) == 18


#: What is called on modules that are imported by a name from a table.
_BY_NAME = {"formats": {"recognise", "read"}, "report": {"render", "render_lines"}}


def references(tree: ast.Module, module: str) -> set[tuple[str, str]]:
    """(module, name) of what a module looks up on the level of ours, itself included."""
    found: set[tuple[str, str]] = set()
    known: dict[str, str] = {}
    for node in below(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            found.update((node.module, alias.name) for alias in node.names)
            known.update({a.asname or a.name: f"{node.module}.{a.name}" for a in node.names})
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            # The functions of commands are named in a table.
            held, _, name = node.value.partition(".")
            found.add((f"kcheck.cli.{held}", name))
    return found | loads(tree, module, known)


def loads(tree: ast.Module, module: str, known: dict[str, str]) -> set[tuple[str, str]]:
    """(module, name) of the names that are read; ``known`` are the imported ones."""
    found: set[tuple[str, str]] = set()
    for top in tree.body:
        for node in below(top):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                if node.id != getattr(top, "name", None):  # whoever calls itself needs a caller
                    found.add((module, node.id))
            elif isinstance(node, ast.Attribute):
                base = ast.unparse(node.value)
                if isinstance(node.value, ast.Call) and base.startswith("import_module('"):
                    base = base.removeprefix("import_module('").removesuffix("')")
                found.add((known.get(base, base), node.attr))
    return found


def defined(tree: ast.Module) -> set[str]:
    """The functions, classes and constants of a module; rules register themselves."""
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            if not any(ast.unparse(one).startswith("rule(") for one in node.decorator_list):
                found.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            found.update(
                one.id
                for one in ast.walk(node)
                if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
            )
    return {name for name in found if not name.startswith("__")} - {"TYPE_CHECKING", "_"}


def test_everything_is_used_by_something_beside_tests() -> None:
    trees = {
        name_of(path): parsed(path)
        for top in CHECKED
        if top != "tests"
        for path in (ROOT / top).rglob("*.py")
    }
    used = {one for name, tree in trees.items() for one in references(tree, name)}
    unused = {
        f"{module}.{name}"
        for module, tree in trees.items()
        if module.startswith("kcheck.")
        for name in defined(tree) - _BY_NAME.get(module.split(".")[1], set())
        if (module, name) not in used
    }
    assert unused == set()
