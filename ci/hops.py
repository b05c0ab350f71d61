"""The way from the command to a rule: each function that is entered between the two.

    python ci/hops.py [FOLDER]

Lints the folder (fixtures/payments if none is named) in one process. For each scope it prints the
functions on the stack when the first of its rules is called, and how often the way comes back to a
module that it has left.
"""

from __future__ import annotations

import contextlib
import io
import sys
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

Hop = tuple[str, str]


def ways(folder: Path) -> dict[str, list[Hop]]:
    """Modules and functions from ``lint`` to the first rule of each scope, both included."""
    from kcheck import rules
    from kcheck.__main__ import main

    scopes = {rule.check.__code__: rule.scopes[0] for rule in rules.load().values() if rule.scopes}
    found: dict[str, list[Hop]] = {}

    def watch(frame: FrameType, event: str, _: object) -> None:
        scope = scopes.get(frame.f_code, "") if event == "call" else ""
        if not scope or scope in found:
            return
        hops: list[Hop] = []
        at: FrameType | None = frame
        while at is not None:
            name = str(at.f_globals.get("__name__", ""))
            if name.startswith("kcheck") and not at.f_code.co_name.startswith("<"):
                hops.append((name, at.f_code.co_qualname))
                if hops[-1] == ("kcheck.cli.lint", "lint"):
                    break
            at = at.f_back
        found[scope] = hops[::-1]

    sys.setprofile(watch)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            main(["lint", "--exit-zero", str(folder)])
    finally:
        sys.setprofile(None)
    return found


def returns(hops: list[Hop]) -> list[str]:
    """The modules that the way comes back to."""
    modules = [module for module, _ in hops]
    turns = [one for at, one in enumerate(modules) if not at or modules[at - 1] != one]
    return [one for at, one in enumerate(turns) if one in turns[:at]]


def main() -> int:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "fixtures" / "payments"
    found = ways(folder)
    for scope, hops in sorted(found.items()):
        print(f"{scope}: {len(hops) - 1} hops, {len(returns(hops))} back")
        for module, function in hops:
            print(f"  {module.removeprefix('kcheck.')}: {function}")
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())
