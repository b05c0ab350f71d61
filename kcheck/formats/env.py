"""Env files: ``.env`` and what ``env_file`` names. Alone they configure nothing.

Which image gets the variables, and so what they mean, only the compose file knows that reads them;
there they are judged, at their places here.
"""

from __future__ import annotations

import re

from kcheck.formats import Lookup
from kcheck.model import PASSED_OVER, Document

FORMAT = "env"

_OURS = re.compile(rb"kafka|confluent|bootstrap_servers", re.IGNORECASE)
_VARIABLE = re.compile(rb"^[ \t]*(export[ \t]+)?[A-Za-z_]\w*=", re.MULTILINE)


def recognise(path: str, data: bytes) -> str | None:
    return FORMAT if _OURS.search(data) and _VARIABLE.search(data) else None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    document.status = PASSED_OVER
    document.reason = "read only where a compose file uses it"
