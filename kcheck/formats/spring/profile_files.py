"""The files of an application for one environment or profile: ``application-prod.yml``.

They go over the application's main files beside them, as Micronaut and Quarkus read them; Spring
Boot's documents have conditions of their own (``spring_profiles``).
"""

from __future__ import annotations

import re

from kcheck.formats import Lookup
from kcheck.formats.pairs import Pair, of_file

_NAME = re.compile(r"(.*/|)application-([\w.-]+?)\.(?:ya?ml|properties)")
#: In this order: the last wins.
_ENDINGS = (".yaml", ".yml", ".properties")


def profile_of(path: str) -> str:
    """The environment or profile that the file at a path is for; "" for a main file."""
    found = _NAME.fullmatch(path)
    return found[2] if found is not None else ""


def base_of(path: str, lookup: Lookup, quoting: bool = False) -> list[Pair]:
    """What the main files beside the file of a profile say; ``quoting`` as ``of_file`` has it."""
    found = _NAME.fullmatch(path)
    pairs: list[Pair] = []
    for ending in _ENDINGS if found is not None else ():
        main = f"{found[1]}application{ending}" if found is not None else ""
        data = lookup(main)
        if data is not None:
            pairs += of_file(main, data, quoting)[0]
    return pairs
