"""What a path says of the place that a file is for: its environment and its region."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from kcheck.bounded_cache import BoundedCache

_ENVIRONMENTS = {
    "dev": "dev",
    "devel": "dev",
    "development": "dev",
    "test": "test",
    "tests": "test",
    "testing": "test",
    "int": "int",
    "qa": "qa",
    "uat": "uat",
    "stg": "stage",
    "stage": "stage",
    "staging": "stage",
    "sandbox": "sandbox",
    "prod": "prod",
    "prd": "prod",
    "production": "prod",
    "real": "prod",
    "local": "local",
}
#: Every environment's word has one of these in it, few other names have.
_HINTS = (
    "dev",
    "test",
    "int",
    "qa",
    "uat",
    "stg",
    "stag",
    "sandbox",
    "prod",
    "prd",
    "real",
    "local",
)

#: Regions as clouds and people name them: eu-west-1, us-east1, westeurope, eu, emea; dc1, site-b.
_REGION = (
    r"(?<![a-z0-9])(?:"
    r"(?:us|eu|ap|sa|ca|me|af|cn|il|us-gov|asia|europe|northamerica|southamerica|australia)"
    r"-(?:(?:north|south)?(?:east|west)|north|south|central)-?\d?"
    r"|(?:north|south|east|west|central)?(?:us|europe|asia|uk|india)\d?(?=[-_./]|$)"
    r"|eu|us|uk|apac|emea|latam|amer|dc-?[0-9a-z]|site-?[0-9a-z]|region-?[0-9a-z]"
    r")(?![a-z0-9])"
)

#: What paths and their folders say, for a file is compared with many others.
_environments: dict[str, frozenset[str]] = BoundedCache(50_000)
_regions: dict[str, frozenset[str]] = BoundedCache(50_000)
_NOTHING: frozenset[str] = frozenset()


def environments(path: str) -> frozenset[str]:
    """The environments that a path names: ``clusters/prod-eu/a.yaml`` → {"prod"}."""
    return _words(path, _environments, _environments_in)


#: Words by which files are told apart that set up the same twice: with TLS, with a login, without.
_SETUPS = frozenset(
    [
        *("tls", "mtls", "ssl", "sasl", "scram", "plaintext", "plain", "secure", "secured"),
        *("insecure", "nonsecure", "auth", "noauth", "kerberos", "gssapi", "oauth", "acl"),
    ]
)


def setups(path: str) -> frozenset[str]:
    """The set-ups that a path names beside the environments: ``prod/consumer-tls.properties`` → {"prod", "tls"}."""
    return environments(path) | _SETUPS.intersection(re.split(r"[^a-z0-9]+", path.lower()))


def regions(path: str) -> frozenset[str]:
    """The regions that the folders and the name of a path name: ``clusters/eu/a.yaml`` → {"eu"}."""
    return _words(path, _regions, _regions_in)


def _words(
    path: str, known: dict[str, frozenset[str]], told: Callable[[str], Iterable[str]]
) -> frozenset[str]:
    """What the folders and the name of a path tell together."""
    if not path:
        return _NOTHING
    found = known.get(path)
    if found is None:
        folder, _, name = path.rpartition("/")
        above, mine = _words(folder, known, told), frozenset(told(name.lower()))
        found = known[path] = above | mine if mine else above
    return found


def _environments_in(name: str) -> Iterable[str]:
    for hint in _HINTS:
        if hint in name:
            parts = name.replace(".", "-").replace("_", "-").split("-")
            return [_ENVIRONMENTS[part] for part in parts if part in _ENVIRONMENTS]
    return ()


#: Every region's name has one of these in it.
_REGION_HINTS = (
    *("us", "eu", "uk", "ap-", "apac", "emea", "latam", "amer", "dc", "site", "region", "europe"),
    *("asia", "india", "america", "australia", "sa-", "ca-", "me-", "af-", "cn-", "il-"),
)


def _regions_in(name: str) -> Iterable[str]:
    """The regions that a file's or folder's name has, its ending aside."""
    name = name.replace("_", "-")
    # Compiled for the first name that may have one: most projects have none.
    if not any(hint in name for hint in _REGION_HINTS):
        return ()
    return re.findall(_REGION, name.rpartition(".")[0] or name)


def compatible(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two sets of environments or regions can mean the same: equal, or one is empty."""
    return not one or not other or one == other


def overlapping(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two sets of regions have one in common, or one says nothing.

    ``eu`` and ``eu-west-1`` are no contradiction.
    """
    return (
        not one or not other or any(a.startswith(b) or b.startswith(a) for a in one for b in other)
    )


def shared(one: str, other: str) -> int:
    """How many folders two paths have in common from the root on."""
    count = 0
    for a, b in zip(one.split("/")[:-1], other.split("/")[:-1], strict=False):
        if a != b:
            break
        count += 1
    return count


def _below(path: str, folders: int) -> str:
    """What of a path lies below its first so many folders."""
    return "/".join(path.split("/")[folders:])


def closest(path: str, places: Sequence[str]) -> list[int]:
    """The numbers of the places with the most folders in common with a path from the root on."""
    depths = [shared(path, place) for place in places]
    deepest = max(depths, default=0)
    return [number for number, depth in enumerate(depths) if depth == deepest]


def words(path: str) -> frozenset[str]:
    """The words of a path that tell one place from another, environments under their common name.

    Its extension and the names of a layout's parts are none: ``configs`` and ``resources`` are in
    every project.
    """
    found = _parted.get(path)
    if found is None:
        folder, slash, name = path.lower().rpartition("/")
        bare = f"{folder}{slash}{name.rpartition('.')[0] or name}"
        parts = frozenset(re.split(r"[^a-z0-9]+", bare)) - _LAYOUT
        found = _parted[path] = frozenset(_ENVIRONMENTS.get(part, part) for part in parts)
    return found


_parted: dict[str, frozenset[str]] = BoundedCache(50_000)
#: Words of paths that say what is there, and not whose it is.
_LAYOUT = frozenset(
    [
        "",
        *(
            "app",
            "application",
            "apps",
            "appsettings",
            "src",
            "main",
            "java",
            "kotlin",
            "resources",
        ),
        *("conf", "config", "configs", "configuration", "etc", "files", "properties", "settings"),
        *("docs", "includes", "scripts", "templates", "values", "deploy", "deployment"),
        *("docker", "compose", "container", "k8s", "kubernetes", "manifests", "helm", "chart"),
        *("charts", "base", "infra", "terraform", "tf", "yaml", "yml", "json", "xml"),
        *("kafka", "broker", "brokers", "server", "cluster", "clusters", "topic", "topics"),
        *("client", "clients", "producer", "consumer", "service", "services", "connect"),
    ]
)


def nearest(path: str, places: Sequence[str]) -> list[int]:
    """The numbers of the places that a path belongs to: one where that is plain.

    First the places with the most folders in common, if those are more than all places have in
    common with each other; then those that alone have a word of the path: of ``infra/eu/kafka.yaml``
    and ``infra/us/kafka.yaml`` the first is that of ``apps/eu/cart.yaml``.
    """
    left = closest(path, places)
    if len(left) < 2:
        return left
    # What the path shares with all of them tells nothing of which one it is.
    above = shared(path, places[left[0]])
    mine = words(_below(path, above))
    known = [words(_below(places[number], above)) for number in left]
    common = frozenset.intersection(*known)
    matches = [len((theirs - common) & mine) for theirs in known]
    most = max(matches)
    if most:
        return [number for number, match in zip(left, matches, strict=True) if match == most]
    return left


#: Folders whose subfolders have nothing to do with each other.
_COLLECTIONS = frozenset(
    [
        "examples",
        "example",
        "samples",
        "sample",
        "demos",
        "demo",
        "tutorials",
        "tutorial",
        "labs",
        "exercises",
        "chapters",
        "playground",
        "quickstarts",
        "cookbook",
        "recipes",
    ]
)


def collection(path: str) -> str:
    """The folder of the one example that a path lies in; "" where it lies in none."""
    parts = path.split("/")[:-1]
    for at, part in enumerate(parts):
        if part.lower() in _COLLECTIONS and at + 1 < len(parts):
            return "/".join(parts[: at + 2])
    return ""


#: Words of folders whose files are there to learn from or to try, and run no business.
_LESSONS = frozenset(
    [
        *("example", "examples", "sample", "samples", "demo", "demos", "tutorial", "tutorials"),
        *("lab", "labs", "lesson", "lessons", "exercise", "exercises", "chapter", "chapters"),
        *("workshop", "workshops", "course", "playground", "quickstart", "quickstarts"),
        *("cookbook", "recipes", "sandbox", "poc"),
    ]
)


#: Endings of templates and scripts, which make a file where they are used.
_MAKING = (".j2", ".jinja2", ".erb", ".epp", ".tpl", ".tmpl", ".template", ".sh", ".bash")
#: Words of folders in which what installs Kafka has its files.
_INSTALLING = frozenset(
    [
        *(
            "templates",
            "files",
            "roles",
            "cookbooks",
            "modules",
            "ansible",
            "puppet",
            "chef",
            "salt",
        ),
        *("vagrant", "packer", "install", "installer", "installation", "provision", "provisioning"),
        *("provisioner", "setup", "bootstrap", "image", "images", "docker"),
    ]
)
#: Folders of a course, which count: ``module-1-intro``, ``week02``, ``day_3``.
_NUMBERED = re.compile(
    r"(?:^|/)(?:module|week|day|lesson|lab|chapter|session|unit|lecture|exercise)[-_ ]?\d"
)


def lesson(path: str) -> bool:
    """Whether a file lies in a folder of lessons or trials: ``lab-12/oauth/kafka.yaml``."""
    folder = path.lower().rpartition("/")[0]
    if _NUMBERED.search(folder):
        return True
    return not _LESSONS.isdisjoint(re.split(r"[^a-z0-9]+", folder))


def made_elsewhere(path: str) -> bool:
    """Whether a file is a template or a script: what release it is for, who uses it decides."""
    bare = "." not in path[path.rfind("/") + 1 :]  # begins with a shell's ``#!``
    return bare or path.endswith(_MAKING) or "/templates/" in path


def installed(path: str) -> bool:
    """Whether a file is a template, a script or what one installs: which release it is for, they decide."""
    folder = path.lower().rpartition("/")[0]
    return made_elsewhere(path) or not _INSTALLING.isdisjoint(re.split(r"[^a-z0-9]+", folder))


def named_after(path: str, *words: str) -> bool:
    """Whether a file or a folder of its is named after what it shows: ``sasl-plaintext/server.properties``."""
    plain = re.sub(r"[^a-z0-9/]+", "", path.lower())
    return any(word in plain for word in words)


def strangers(path: str, other: str) -> bool:
    """Whether a file lies outside of the example that a cluster's path is a part of."""
    theirs = collection(other)
    return bool(theirs) and collection(path) != theirs


def apart(one: str, other: str) -> bool:
    """Whether two files are of two examples, each of which is set up by itself."""
    return strangers(one, other) or strangers(other, one)


def of_module(path: str, other: str) -> bool:
    """Whether a file is an example of a Terraform module, but not the one that a cluster's path is in.

    It calls what it needs: a cluster beside it that it does not call is none of its own.
    """
    return path.endswith(".tf") and other.endswith(".tf") and strangers(other, path)
