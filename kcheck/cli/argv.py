"""The quick reader of a command line: knows the tables of ``options.py`` and nothing else.

It reads what it plainly understands. Whatever else there is (help, a misspelt option, a missing
value) it leaves to Typer, whose messages are better and whose import costs more than a lint run.
"""

from __future__ import annotations

from kcheck.cli.options import COUNT, FLAG, Option, Options


def parse(args: list[str], declared: tuple[Option, ...]) -> Options | None:  # noqa: C901
    """The options and ``paths`` of a command, or None where Typer has to look at it."""
    by_name = {name: option for option in declared for name in option.names}
    values: dict[str, object] = {option.name: option.default for option in declared}
    paths: list[str] = []
    rest = iter(args)
    for arg in rest:
        if arg == "--":
            paths.extend(rest)
            break
        if not arg.startswith("-") or arg == "-":
            paths.append(arg)
            continue
        name, equals, value = arg.partition("=")
        option = by_name.get(name)
        if option is None:
            return None
        if option.kind in (FLAG, COUNT):
            if equals:
                return None
            before = values[option.name]
            values[option.name] = (
                before + 1 if isinstance(before, int) and option.kind == COUNT else True
            )
            continue
        if not equals:
            if not name.startswith("--"):
                return None
            value = next(rest, "-")
            if value.startswith("-"):
                return None
        if option.choices and value not in option.choices:
            return None
        before = values[option.name]
        values[option.name] = (*before, value) if isinstance(before, tuple) else value
    values["paths"] = tuple(paths)
    return Options(values)
