"""Keys that an operator keeps for itself: what Strimzi does not pass on to Kafka.

From ``schemas/strimzi``, which is made from the operator's own API.
"""

from __future__ import annotations

from kcheck import data


class Dropped:
    """Why a key is not passed on: it begins with ``prefix``, or is ``prefix`` where ``exact``.

    ``since`` is the first version of the operator that drops it, "" where all in the table do;
    ``instead`` the field that has its task, "" where there is none.
    """

    __slots__ = ("exact", "instead", "prefix", "since")

    def __init__(self, prefix: str, exact: bool, since: str, instead: str) -> None:
        self.prefix = prefix
        self.exact = exact
        self.since = since
        self.instead = instead


class _Resource:
    """What is forbidden in one resource's config."""

    __slots__ = ("exact", "excepted", "prefixes")

    def __init__(self) -> None:
        self.prefixes: dict[str, str] = {}
        self.exact: dict[str, str] = {}
        self.excepted: set[str] = set()


_resources: dict[str, _Resource] = {}
_instead: list[tuple[str, str, str]] = []


def dropped(resource: str, key: str) -> Dropped | None:
    """Why Strimzi's newest version drops the key of ``spec.kafka.config`` (``Kafka``) and the like.

    None where it passes the key on, or where one of its versions does by way of exception: which
    version runs, no file says.
    """
    if not _resources:
        _load()
    found = _resources.get(resource)
    if found is None or key in found.excepted:
        return None
    if key in found.exact:
        return Dropped(key, True, found.exact[key], "")
    lowered = key.lower()
    for prefix, since in found.prefixes.items():
        # As the operator does: the key in lower case, the prefix as it stands.
        if lowered.startswith(prefix):
            field = next((f for r, p, f in _instead if r == resource and lowered.startswith(p)), "")
            return Dropped(prefix, False, since, field)
    return None


def _load() -> None:
    rows = data.rows("strimzi/forbidden.tsv")
    oldest = min((versions.partition("-")[0] for _, versions, *_ in rows), key=_number)
    for name, versions, rule, key, _constant in rows:
        found = _resources.setdefault(name, _Resource())
        since, _, until = versions.partition("-")
        if rule == "except":
            found.excepted.add(key)
        elif not until and versions.endswith("-"):
            kept = found.exact if rule == "exact" else found.prefixes
            kept[key] = "" if since == oldest else since
    _instead.extend(
        (resource, prefix, field) for resource, prefix, field in data.rows("strimzi/instead.tsv")
    )


def _number(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))
