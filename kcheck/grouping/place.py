"""What a path says of the place that a file is for: its environment and its region."""

from __future__ import annotations

import re
from collections.abc import Sequence

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

_words: dict[str, frozenset[str]] = {"": frozenset()}
_regions: dict[str, frozenset[str]] = {"": frozenset()}


def environments(path: str) -> frozenset[str]:
    """The environments that a path names: ``clusters/prod-eu/a.yaml`` → {"prod"}."""
    folder, _, name = path.rpartition("/")
    found = _words.get(folder)
    if found is None:
        found = _words[folder] = environments(folder)
    mine = _environments(name)
    return found | mine if mine else found


def _environments(name: str) -> set[str]:
    name = name.lower()
    for hint in _HINTS:
        if hint in name:
            parts = name.replace(".", "-").replace("_", "-").split("-")
            return {_ENVIRONMENTS[part] for part in parts if part in _ENVIRONMENTS}
    return set()


def environment(word: str) -> str:
    """The environment that a word names, "" if none."""
    return _ENVIRONMENTS.get(word.lower(), "")


def regions(path: str) -> frozenset[str]:
    """The regions that the folders and the name of a path name: ``clusters/eu/a.yaml`` → {"eu"}."""
    folder, _, name = path.rpartition("/")
    found = _regions.get(folder)
    if found is None:
        found = _regions[folder] = regions(folder)
    mine = _regions_in(name.lower().replace("_", "-"))
    return found | set(mine) if mine else found


#: Every region's name has one of these in it.
_REGION_HINTS = (
    *("us", "eu", "uk", "ap-", "apac", "emea", "latam", "amer", "dc", "site", "region", "europe"),
    *("asia", "india", "america", "australia", "sa-", "ca-", "me-", "af-", "cn-", "il-"),
)


def _regions_in(name: str) -> list[str]:
    """The regions that a file's or folder's name has, its ending aside."""
    # Compiled for the first name that may have one: most projects have none.
    if not any(hint in name for hint in _REGION_HINTS):
        return []
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


def words(path: str) -> frozenset[str]:
    """The words of a path, environments under their common name."""
    found = _parted.get(path)
    if found is None:
        if len(_parted) > 50_000:
            _parted.clear()
        parts = re.split(r"[^a-z0-9]+", path.lower())
        found = _parted[path] = frozenset(_ENVIRONMENTS.get(part, part) for part in parts if part)
    return found


_parted: dict[str, frozenset[str]] = {}


def nearest(path: str, places: Sequence[str]) -> list[int]:
    """The numbers of the places that a path belongs to: one where that is plain.

    First the places with the most folders in common, if those are more than all places have in
    common with each other; then those that alone have a word of the path: of ``infra/eu/kafka.yaml``
    and ``infra/us/kafka.yaml`` the first is that of ``apps/eu/cart.yaml``.
    """
    left = list(range(len(places)))
    depths = [shared(path, place) for place in places]
    deepest = max(depths, default=0)
    if depths.count(deepest) < len(depths):
        left = [number for number, depth in enumerate(depths) if depth == deepest]
    if len(left) < 2:
        return left
    mine = words(path)
    known = [words(places[number]) for number in left]
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


def strangers(path: str, other: str) -> bool:
    """Whether a file lies outside of the example that a cluster's path is a part of."""
    theirs = collection(other)
    return bool(theirs) and collection(path) != theirs
