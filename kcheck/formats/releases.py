"""Versions that a file tells of others: of Strimzi's operator where it is deployed, of Kafka where
Ansible, a chart or Vagrant keeps its variables, and of Connect's plug-ins where they are installed.

The lines are looked at, never the tree: charts, plays and Terraform write the same in many ways.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck import catalogue, images
from kcheck.model import ANSIBLE, KAFKA, OPERATOR, PASSED_OVER, STRIMZI, Document, Release, Setting
from kcheck.version import Version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats import Lookup

_NUMBER = r"(\d+\.\d+(?:\.\d+)?)"
#: The operator's image, its bundle, and its installation files.
_OPERATOR = re.compile(
    r"(?:strimzi/operator:v?|strimzi-cluster-operator\.v"
    r"|strimzi-kafka-operator/releases/download/|strimzi-cluster-operator-)(\d+\.\d+\.\d+)(?![\w.-])"
)
#: Its chart or image, whose version stands beside its name.
_NAMED = re.compile(
    r"(?P<before>[ \t]*(?:-[ \t]+)?)[\"']?(?:name|chart|chartName|repository)[\"']?[ \t]*[:=][ \t]*"
    r"[\"']?(?:\S*/)?(?:strimzi-kafka-operator|strimzi/operator)[\"']?,?[ \t]*(?:#.*)?\Z"
)
_VERSIONED = re.compile(
    r"(?P<before>[ \t]*(?:-[ \t]+)?)[\"']?(?:version|targetRevision|newTag|tag)[\"']?[ \t]*[:=][ \t]*"
    r"[\"']?v?(\d+\.\d+\.\d+)[\"']?,?[ \t]*(?:#.*)?\Z"
)
#: A subscription of the operator, or of Red Hat's build of it.
_SUBSCRIBED = re.compile(rb"^ *name: *[\"']?(?:amq-streams|strimzi-kafka-operator)\b", re.MULTILINE)
#: Its release, where the subscription names it.
_STARTS = b"startingCSV:"
#: Words by which scripts are called that put another release in the place of one.
_CHANGES = re.compile(r"upgrad|downgrad|migrat|roll-?_?back", re.IGNORECASE)
_REMOVES = re.compile(r"\b(?:kubectl|oc) delete\b|\bhelm (?:uninstall|delete)\b")
#: Variables by which people say which Kafka is installed.
_KAFKA = re.compile(
    r"[ \t]*(?:-[ \t]+)?[\"':]?(?:\w+_)?kafka_?(?:broker_|server_|package_|release_|install_|binary_"
    r"|download_|dist_)?(?:version|ver)[\"']?[ \t]*(?:[:=]|=>)[ \t]*[\"']?"
    r"(\d+\.\d+(?:\.\d+){0,2})[\"']?,?[ \t]*(?:#.*)?\Z",
    re.IGNORECASE,
)
_CONFLUENT = re.compile(
    r"[ \t]*confluent_package_version[ \t]*:[ \t]*[\"']?" + _NUMBER + r"[\"']?[ \t]*(?:#.*)?\Z"
)
#: Words of such a variable for another Kafka than the one in use: that of an upgrade, a bound.
_ELSEWHERE = re.compile(
    r"(?:up|down)grad|migrat|roll_?back|(?:\A|_)(?:old|new|next|prev(?:ious)?|target|future|min(?:imum)?"
    r"|max(?:imum)?|from|to|before|after|supported|required|test)_",
    re.IGNORECASE,
)
#: ``kafka:`` with its ``version:`` below.
_BLOCK = re.compile(r"([ \t]*)kafka:[ \t]*(?:#.*)?\Z")
_INNER = re.compile(r"([ \t]+)version:[ \t]*[\"']?" + _NUMBER + r"[\"']?[ \t]*(?:#.*)?\Z")
#: The archive that Kafka comes in.
_ARCHIVE = re.compile(r"kafka_2\.\d+-(\d+\.\d+\.\d+)(?![\w-])")

#: A variable of a shell, and where one is set to a plain text.
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_ASSIGNED = re.compile(
    r"[ \t]*(?:(?:export|readonly|local)[ \t]+)?(\w+)=[\"']?([\w./:${}-]+)[\"']?[ \t]*(?:#.*)?\Z"
)
_LONGEST = 1_000
#: So long a variable's text may be: longer ones, which name others over and over, stay unknown.
_MOST_FILLED = 200
#: Folders of scripts for what lies beside them.
_OF_SCRIPTS = ("scripts", "script", "bin", "provision", "provisioning", "shell")

#: The archive of Confluent's packages, with Scala's version behind its own or without.
_PACKAGES = re.compile(
    r"confluent-(?:community-|oss-|enterprise-)?"
    + _NUMBER
    + r"(?:-2\.\d+(?:\.\d+)?)?\.(?:tar\.gz|tgz|zip)(?![\w-])"
)

#: What installs Connect's plug-ins: their image, Confluent's hub, Maven's archives.
_PLUGINS = {
    "debezium": re.compile(
        r"debezium/connect(?:-base)?:v?(\d+\.\d+(?:\.\d+)?)"
        r"|debezium-connector-[a-z0-9]+[:/-]v?(\d+\.\d+(?:\.\d+)?)(?!\d)"
    ),
    "mongodb": re.compile(
        r"(?:kafka-connect-mongodb|mongo-kafka-connect)[:/-]v?(\d+\.\d+(?:\.\d+)?)"
    ),
}

#: The defaults of Chef's cookbooks and Puppet's modules, beside the folder of their templates.
_DEFAULTS = (
    "attributes/default.rb",
    "attributes/kafka.rb",
    "manifests/params.pp",
    "manifests/init.pp",
)
#: Which release they install: ``default['kafka']['version'] = '2.8.1'``, ``$version = '2.8.1'``.
_INSTALLED = re.compile(
    r"[ \t]*(?:(?:node\.)?(?:default|normal|override)\W{1,3}(?:\w+\W{1,6}){0,2}?\w*kafka\w*\W{1,6}|"
    r"(?:\w+[ \t]+)?\$)(?:kafka_)?version\W{0,3}[ \t]*=[ \t]*[\"'](\d+\.\d+(?:\.\d+){0,2})[\"']"
)

#: By the last folder of variables: how much Ansible lets it count.
_WEIGHTS = {"defaults": 1, "group_vars": 2, "host_vars": 2, "vars": 3}
_INVENTORIES = ("inventories", "inventory", "environments", "group_vars", "host_vars")


def add_releases(document: Document, data: bytes) -> None:
    """Add what the file tells to the document, which is read already."""
    found: list[Release] = []
    subscribed = b"operators.coreos.com" in data and _SUBSCRIBED.search(
        data, max(data.rfind(_STARTS), 0)
    )
    if subscribed:
        # Its channel decides of the release, which nothing tells here.
        line = data[: subscribed.start()].count(b"\n") + 1
        told = Setting("strimzi", None, document.path, (line, 1, line, 1))
        found.append(Release(OPERATOR, told, deployer=STRIMZI))
    if b"strimzi" in data and not subscribed:
        found += [
            Release(OPERATOR, told, deployer=STRIMZI)
            for told in _operators(document.path, _lines(data))
        ]
    found += [Release(name, told) for name, told in _plugins(document.path, data)]
    scope = _scope(document.path)
    if scope is not None and (b"kafka" in data.lower() or b"confluent-" in data):
        place, deployer, weight = scope
        versions = [*_kafkas(document.path, _lines(data))]
        if len({one.text for one in versions}) == 1:
            found.append(Release(KAFKA, versions[0], place, deployer, weight))
    folder = document.path.rpartition("/")[0]
    if folder and document.path.endswith(".sh"):
        # A script that fetches Kafka, for the files in its folder and below; one that changes the
        # release says what they have afterwards.
        archives = [*_archives(document.path, _lines(data))]
        if len({one.text for one in archives}) == 1:
            changes = _CHANGES.search(document.path, len(folder))
            above, _, last = folder.rpartition("/")
            reach = above if last in _OF_SCRIPTS else folder
            found.append(Release(KAFKA, archives[0], document.path if changes else reach))
    if not found:
        return
    document.extent.releases = (*document.extent.releases, *found)
    if document.status == PASSED_OVER and not document.resources:
        document.reason = "tells a version alone, and no setting of Kafka's"


def _lines(data: bytes) -> list[str]:
    return data.decode("utf-8", "replace").splitlines()


def _archives(path: str, lines: list[str]) -> Iterator[Setting]:
    """The versions of Kafka whose archives a script fetches."""
    variables: dict[str, tuple[str, int]] = {}
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("#"):
            continue
        assigned = _ASSIGNED.match(line)
        if assigned is not None and len(line) < _LONGEST:
            told = _filled(assigned[2], variables)
            if len(told) <= _MOST_FILLED:
                variables[assigned[1]] = told, number
            continue
        filled = _filled(line, variables) if "$" in line and len(line) < _LONGEST else line
        found = _ARCHIVE.search(filled)
        if found is None or "/kafka_2." not in filled:
            continue
        if filled is line:
            yield _setting("kafka_version", found, path, number)
            continue
        # What a variable tells stands where that is set.
        at = next((one for text, one in variables.values() if text.startswith(found[1])), number)
        yield Setting("kafka_version", found[1], path, (at, 1, at, 1))


def _filled(text: str, variables: dict[str, tuple[str, int]]) -> str:
    """A text of a shell with the variables that the lines above it set; others stay."""
    return _VARIABLE.sub(lambda one: variables.get(one[1] or one[2], (one[0], 0))[0], text)


def _removes(lines: list[str], number: int) -> bool:
    """Whether the command of a line, which may go on below, takes away what it names."""
    at = number - 1
    while at < len(lines) - 1 and lines[at].endswith("\\"):
        at += 1
    return _REMOVES.search(" ".join(lines[number - 1 : at + 1])) is not None


def _operators(path: str, lines: list[str]) -> Iterator[Setting]:
    """The versions of the operator, each where it stands."""
    for number, line in enumerate(lines, 1):
        if "strimzi" not in line or line.lstrip().startswith(("#", "//")):
            continue
        if _removes(lines, number):
            continue
        found = _OPERATOR.search(line)
        if found is not None:
            yield _setting("strimzi", found, path, number)
            continue
        named = _NAMED.match(line)
        if named is not None:
            yield from _beside(lines, number, len(named.group("before")), path)


def _plugins(path: str, data: bytes) -> Iterator[tuple[str, Setting]]:
    """The plug-ins of Connect with their versions, each where it stands outside of comments."""
    for name, pattern in _PLUGINS.items():
        if name[:5].encode() not in data:
            continue
        for number, line in enumerate(_lines(data), 1):
            found = None if line.lstrip().startswith(("#", "//")) else pattern.search(line)
            if found is not None:
                yield name, _setting(f"plugin.{name}", found, path, number, found.lastindex or 1)


def _beside(lines: list[str], number: int, column: int, path: str) -> Iterator[Setting]:
    """The version in the mapping whose name stands in a line: above or below, at its column."""
    for step in (1, -1):
        at = number + step
        while 0 < at <= len(lines) and lines[at - 1].strip():
            line = lines[at - 1]
            if "strimzi" in line and _NAMED.match(line):
                break  # whose own version stands beside it
            found = _VERSIONED.match(line)
            if found is not None and len(found.group("before")) == column:
                yield _setting("strimzi", found, path, at, 2)
                return
            starts = step > 0 and line[:column].lstrip().startswith("-")
            if starts or len(line) - len(line.lstrip(" \t-")) < column:
                break
            if step < 0 and line[:column].lstrip().startswith("-"):
                break
            at += step


def _scope(path: str) -> tuple[str, str, int] | None:
    """(folder, deployer, weight) of what the variables in a file are for; None where it has none."""
    parts = path.split("/")
    name = parts.pop()
    if name == "Vagrantfile":
        return "/".join(parts), "", 1
    # Files of variables for a group or a host may have no ending: ``group_vars/all``.
    bare = "." not in name and parts[-1:] in (["group_vars"], ["host_vars"])
    if not (bare or name.endswith((".yml", ".yaml"))):
        return None
    for at in range(len(parts) - 1, -1, -1):
        weight = _WEIGHTS.get(parts[at], 0)
        if not weight:
            continue
        if parts[at] in ("defaults", "vars"):
            role = at > 1 and parts[at - 2] == "roles"
            # Variables of a whole play stand beside it.
            return "/".join(parts[:at]), ANSIBLE, weight if role or parts[at] == "defaults" else 2
        first = next(i for i, part in enumerate(parts) if part in _INVENTORIES)
        return "/".join(parts[:first]), ANSIBLE, weight
    if name.startswith("values"):
        return "/".join([*parts, "templates"]), "", 1
    return None


def _kafkas(path: str, lines: list[str]) -> Iterator[Setting]:
    """The versions of Kafka that variables name, each where it stands."""
    block: int | None = None
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        indent = len(line) - len(line.lstrip())
        if block is not None and indent <= block:
            block = None
        opened = _BLOCK.match(line)
        if opened is not None:
            block = len(opened.group(1))
            continue
        found = _KAFKA.match(line) or (_INNER.match(line) if block is not None else None)
        if found is not None:
            if _ELSEWHERE.search(found[0].strip(" \t-\"':")):
                continue
            made = _setting("kafka_version", found, path, number, found.lastindex or 1)
            made.text = kafka_release(made.text or "")
            if made.text:
                yield made
            continue
        confluent = _CONFLUENT.match(line) or _PACKAGES.search(line)
        version = _of_confluent(confluent.group(1)) if confluent else ""
        if confluent is not None and version:
            made = _setting("kafka_version", confluent, path, number)
            made.text = version
            yield made
            continue
        archive = _ARCHIVE.search(line)
        if archive is not None:
            yield _setting("kafka_version", archive, path, number)


def installed_beside(path: str, lookup: Lookup) -> Release | None:
    """What the cookbook or module of a template installs, where its defaults tell one release."""
    root, templates, _ = f"/{path}".rpartition("/templates/")
    found: dict[str, Setting] = {}
    for name in _DEFAULTS if templates else ():
        place = f"{root}/{name}".lstrip("/")
        data = lookup(place) or b""
        if b"kafka" not in data:
            continue
        for number, line in enumerate(_lines(data), 1):
            told = _INSTALLED.match(line) or _ARCHIVE.search(line)
            release = kafka_release(told[1]) if told and len(line) < _LONGEST else ""
            if told and release and not line.lstrip().startswith("#"):
                one = found.setdefault(release, _setting("kafka_version", told, place, number))
                one.text = release
    if len(found) != 1:
        return None
    (only,) = found.values()
    return Release(KAFKA, only, path)


def kafka_release(text: str) -> str:
    """Kafka's release by the value of a variable for its version, which may be Confluent Platform's:
    Kafka itself has no 5.4. "" where neither has it, or the text is no version."""
    version = Version(text)
    if version.numbers is None:
        return ""
    own = version.numbers[0] <= Version(catalogue.newest()).numbers[0]  # type: ignore[index]
    return text if own else _of_confluent(text)


def _of_confluent(text: str) -> str:
    """The Kafka in a release of Confluent Platform; "" of one that is unknown."""
    family = images.family_of("confluentinc/cp-kafka")
    return family.version(text) if family is not None else ""


def archived(text: str) -> str:
    """The version in the name of Kafka's archive, wherever it stands in a text; "" without one."""
    found = _ARCHIVE.search(text)
    return found.group(1) if found is not None and Version(found.group(1)).known else ""


def _setting(key: str, found: re.Match[str], path: str, line: int, group: int = 1) -> Setting:
    at = (line, found.start(group) + 1, line, found.end(group) + 1)
    return Setting(key, found.group(group), path, at)
