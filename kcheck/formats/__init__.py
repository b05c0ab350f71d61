"""Files → documents: which format a file is in, and what it declares.

A format is one module with ``recognise(path, data) -> str | None`` (cheap: byte tests only; gives
the format's name) and ``read(document, data, lookup)``, which fills the document. The first
format that recognises a file reads it; a file that none recognises is passed over.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from kcheck.formats import limits
from kcheck.formats.endings import YAML, ending_of, modules_for, modules_of
from kcheck.formats.text import defaults_of, holds
from kcheck.left_out import UNSUPPORTED, may_configure
from kcheck.model import (
    FAILED,
    MOST_JUDGED,
    PASSED_OVER,
    READ,
    SKIPPED,
    Document,
    Problem,
)
from kcheck.syntax import comments
from kcheck.syntax.comments import WORD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

#: Larger files are no configuration that people write; they are skipped and counted.
MAX_BYTES = 5 * 1024 * 1024

#: The parser of HCL cannot be stopped, and takes far more memory than others.
_MOST_HCL = 700_000
_LESS = dict.fromkeys((".tf", ".tofu", ".tfvars", ".hcl", ".nomad"), _MOST_HCL)

#: Files that may hold maps of client keys beside what their own formats read.
_SWEPT = frozenset(
    ("spring-yaml", "mp-yaml", "micronaut-yaml", "helm-values", "helm-release", "agent-yaml")
)

#: Why a file is passed over in which there is nothing at all.
EMPTY = "empty"

#: What KUTTL's tests wait for: resources of which only some fields are written.
ASSERTED = "an assertion of a test"
#: A dot before the name of a manifest is how people keep one that they no longer apply.
HIDDEN = "a hidden manifest"

#: What stands behind the name of a file that somebody has kept.
_BACKUPS = (".bak", ".orig", ".old", ".save", ".backup", "~")

#: What the paths of files with variables of Ansible, a chart or machines have in them.
_VARIABLES = ("vars/", "defaults/", "values", "Vagrantfile")
#: What the names of the operator's image, chart and bundle have in them.
_OPERATOR = (b"strimzi/operator", b"strimzi-kafka-operator", b"strimzi-cluster-operator")

#: What the places where Connect's plug-ins come from have in them.
_PLUGINS = (b"debezium-connector-", b"debezium/connect", b"kafka-connect-mongodb", b"mongo-kafka-")

#: Keys of logins by tokens.
_OAUTH = ("sasl.oauthbearer.", "https.ca.", "enable.sasl.oauthbearer.")
#: Kinds of resources whose library a build beside them may name.
_CLIENTS = ("producer", "consumer", "streams", "admin", "client")

#: Texts with none of these hold no keys of Kafka's.
_WORDS = (b"kafka", b"bootstrap", b"broker", b"insync", b".ms", b".bytes")

Lookup = Callable[[str], bytes | None]

_modules: dict[str, ModuleType] = {}


def read(path: str, data: bytes, lookup: Lookup) -> Document:
    """What the file at ``path`` declares. Never raises: what is wrong is in the document.

    The document knows what it was made of: ``looked_up`` are the paths that ``lookup`` was asked
    for, be there a file or not. While they and the file stay as they are, so does the document.
    """
    asked: set[str] = set()

    def recorded(other: str) -> bytes | None:
        asked.add(other)
        return lookup(other)

    document = _read(path, data, recorded)
    # A template in which each action is a value of its own is YAML all the same.
    if document.status in (SKIPPED, READ) and "templates/" in path and b"{{" in data:
        from kcheck.formats.helm import (
            templates as chart_templates,  # few files are templates of charts
        )

        document = chart_templates.read(document, data, recorded, _read)
    if document.processes and document.status == PASSED_OVER:
        document.status, document.reason = READ, ""
    deployed = b"strimzi" in data and holds(data, _OPERATOR)
    deployed = deployed or (b"operators.coreos.com" in data and b"amq-streams" in data)
    named = b"kafka" in data or b"KAFKA_" in data or b"confluent-" in data
    installed = b"connect" in data and any(name in data for name in _PLUGINS)
    fetched = path.endswith(".sh") and (b"/kafka_2." in data or b"dist/kafka" in data)
    fetched = fetched or (path.endswith(".properties") and b"/kafka_2." in data)
    varied = named and any(word in path for word in _VARIABLES)
    if deployed or installed or fetched or varied:
        from kcheck.formats.releases import add_releases  # few files tell a version of others

        add_releases(document, data)
    if any(one.kind in _CLIENTS for one in document.resources):
        from kcheck.formats.builds import tell

        tell(document, recorded)
        _judge_logins(document)
        if "bootstrap" in path and (document.format or "").startswith("spring"):
            from kcheck.formats.spring import bootstrap as spring_bootstrap

            spring_bootstrap.note(document, recorded)
    unread = document.status in (PASSED_OVER, SKIPPED)
    if unread and may_configure(path) and speaks(data):
        from kcheck.formats.unread import mention  # few files that are not Kafka's speak of it

        mention(document, data)
    if asked:
        document.looked_up = frozenset(asked)
    return document


def _judge_logins(document: Document) -> None:
    """Report what librdkafka refuses of clients' logins by tokens."""
    for one in document.resources:
        if one.dialect == "librdkafka" and any(key.startswith(_OAUTH) for key in one.settings):
            from kcheck.formats import demands  # few clients log in so

            kinds, effect = ("*",), "the client cannot be created"
            demands.tell(
                document, one.dialect, kinds, f"{one.kind} {one.name}", one.settings, one.at, effect
            )


def _read(path: str, data: bytes, lookup: Lookup) -> Document:  # noqa: C901
    document = Document(path)
    if len(data) > _MOST_HCL and modules_of(path, data) and _oversized(document, data):
        return document
    if _asserted(path, data):
        document.status, document.reason = PASSED_OVER, ASSERTED
        return document
    if (path.startswith(".") or "/." in path) and _hidden(path, data):
        document.status, document.reason = PASSED_OVER, HIDDEN
        return document
    for name in modules_of(path, data):
        module = _modules.get(name)
        if module is None:
            module = _modules[name] = import_module(f"kcheck.formats.{name}")
        found = module.recognise(path, data)
        if found is None:
            continue
        document.format = found
        if WORD in data:
            document.comments = comments.find(path, data)
        try:
            module.read(document, data, lookup)
        except RecursionError:
            document.resources.clear()
            document.problems.append(Problem("nested too deeply to read"))
        if found in _SWEPT:
            _sweep(document, data)
        if document.resources:
            _mark(document, lookup)
            if b"${" in data and (defaults := defaults_of(data)):
                for resource in document.resources:
                    resource.traits.defaults = defaults
        elif document.status not in (SKIPPED, PASSED_OVER):
            _settle(document)
        if not data and document.status == PASSED_OVER:
            document.reason = EMPTY
        return document
    _pass_over(document, data)
    return document


def speaks(data: bytes) -> bool:
    """Whether a text may have keys of Kafka's: nearly all of them have one of these words in them."""
    return holds(data.lower(), _WORDS)


def _sweep(document: Document, data: bytes) -> None:
    """Take the maps of client keys that the reader of the file's own format has left."""
    from kcheck.formats.clients.map_signs import may_hold

    if may_hold(document.path, data):
        import_module("kcheck.formats.clients.files").sweep(document, data)


def _oversized(document: Document, data: bytes) -> bool:
    """Whether the file is too large to be read, which its document then says."""
    most = _LESS.get(ending_of(document.path), MAX_BYTES)
    if len(data) <= most:
        return False
    document.status = SKIPPED
    document.reason = f"larger than {most:,} bytes"
    # A dump of a database mentions anything.
    if b"kafka" in data.lower() and not document.path.endswith(".sql"):
        document.problems.append(limits.too_large(most))
    return True


def _pass_over(document: Document, data: bytes) -> None:
    """Say of a file that no format recognises what it is."""
    document.status, document.reason = PASSED_OVER, "no Kafka configuration"
    if not data:
        document.reason = EMPTY
    elif document.path.endswith(_BACKUPS):
        document.reason = "a backup of another file"
    elif not modules_of(document.path, data) and "." not in document.path.rpartition("/")[2]:
        document.reason = UNSUPPORTED
    elif b"\0" in data:
        document.status, document.reason = SKIPPED, "binary"


def _mark(document: Document, lookup: Lookup) -> None:
    """Mark resources that are parts of others, and report those with too many settings."""
    if document.format not in _MERGED and is_fragment(document.path, lookup):
        for resource in document.resources:
            resource.traits.fragment = resource.traits.partial = True
    if document.path.endswith(".properties"):
        from kcheck.formats import edited  # few files are of properties

        edited.forget(document, lookup)
    idle = _idle(document, lookup) if document.resources else ""
    for resource in document.resources:
        resource.traits.idle = idle or resource.traits.idle
        if len(resource.settings) > MOST_JUDGED:
            document.problems.append(limits.too_many(resource))


def _idle(document: Document, lookup: Lookup) -> str:
    from kcheck.formats import idle  # few files have resources

    return idle.condition(document, lookup)


def _settle(document: Document) -> None:
    """Say of a document without resources why it has none."""
    codes = {problem.code for problem in document.problems}
    if "KC0001" in codes:
        document.status, document.reason = FAILED, document.problems[0].message
    elif "KC0005" in codes:
        document.status, document.reason = SKIPPED, document.problems[0].message
    elif not codes and not document.extent.called:
        document.status = PASSED_OVER
        document.reason = document.reason or "no Kafka configuration"


#: Formats that know themselves which files go over which, and pipelines, each whole by itself.
_MERGED = ("compose", "client-other", "kcheck-yaml")
#: Words of the name of a file that is laid over another.
_OVER = frozenset(
    ("delta", "patch", "override", "overrides", "overlay", "part", "partial", "fragment", "snippet")
)


def is_fragment(path: str, lookup: Lookup) -> bool:
    """Whether a file is by its name a part of another: ``server.properties.delta``, ``conf.d/``.

    Properties in ``overlays/`` are where the base has a file of that name; of resources there,
    grouping knows which their kustomization patches with.
    """
    folder, _, name = path.rpartition("/")
    before, overlays, _ = f"/{folder}/".partition("/overlays/")
    if overlays and name.endswith(".properties"):
        return lookup(f"{before}/base/{name}".lstrip("/")) is not None
    words = name.lower().replace("-", ".").replace("_", ".").split(".")
    return not _OVER.isdisjoint(words) or ".d/" in f"{folder}/".lower()


def insist(document: Document, data: bytes) -> None:
    """Tell of a file that no format recognised whether it could be read at all.

    For files that somebody asked for: where the text is broken, no format could know it.
    """
    if b"{{" in data or b"{%" in data:
        document.status, document.reason = SKIPPED, "an unrendered template"
        return
    if modules_for(document.path) != YAML or document.status != PASSED_OVER:
        return
    from kcheck.syntax import yaml

    problem = yaml.documents(data)[1]
    if problem is not None:
        document.problems.append(problem)
        document.status, document.reason = FAILED, problem.message


def _asserted(path: str, data: bytes) -> bool:
    """Whether the file says what a test waits for: by the test's kind, or as KUTTL numbers files."""
    number, _, rest = path[path.rfind("/") + 1 :].partition("-")
    step = number.isdecimal() and rest.startswith(("assert.", "assert-", "errors.", "errors-"))
    return step or b"kind: TestAssert" in data


def _hidden(path: str, data: bytes) -> bool:
    name = path[path.rfind("/") + 1 :]
    manifest = name.startswith(".") and name.endswith((".yaml", ".yml"))
    return manifest and b"apiVersion:" in data and b"kind:" in data
