"""The fields that Strimzi's resources have: ``schemas/strimzi/fields.tsv``."""

from __future__ import annotations

from kcheck import data
from kcheck.lexicon import suggest

#: How many letters may be wrong, and in names of how many letters only one.
_SLIP, _SHORT = 2, 8

_fields: dict[tuple[str, str], tuple[str, ...]] = {}


def meant(kind: str, path: str, field: str) -> str:
    """The field of that object of a resource that a name which it does not have can only misspell;
    "" where it has it, or nothing is near.
    """
    if not _fields:
        for resource, held, names in data.rows("strimzi/fields.tsv"):
            _fields[resource, held] = tuple(names.split())
    known = _fields.get((kind, path), ())
    if not known or field in known:
        return ""
    lowered = field.lower()
    apart = [(suggest.distance(lowered, name.lower(), _SLIP), name) for name in known]
    near = sorted(one for one in apart if one[0] <= (_SLIP if len(one[1]) > _SHORT else 1))
    return near[0][1] if near and (len(near) == 1 or near[0][0] < near[1][0]) else ""
