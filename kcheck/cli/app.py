"""The Typer commands, built from the tables of ``options.py``; they also make the help."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from typing import Any, Literal, Optional

import typer

from kcheck import __version__
from kcheck.cli import run
from kcheck.cli.command import Command, Word
from kcheck.cli.commands import BASELINE, COMMANDS
from kcheck.cli.completion import completer
from kcheck.cli.fleet_commands import FLEET
from kcheck.cli.options import COUNT, FLAG, PANELS, Option, Options

#: The commands as the help of the program groups them.
_PARTS = {
    "Check": ("lint", "upgrade", "limits"),
    "Look": ("files", "show", "explain", "rules", "partition"),
    "Set up": ("init", "baseline", "config", "schema"),
    "Fleet": ("audit", "pack"),
}


def _part(name: str) -> str | None:
    return next((part for part, names in _PARTS.items() if name in names), None)


def main(args: list[str]) -> int:
    """Run one command line through Typer; gives the exit code."""
    try:
        built()(args, prog_name="kcheck")
    except SystemExit as exit:
        return exit.code if isinstance(exit.code, int) else run.BROKEN
    return run.CLEAN


def built() -> typer.Typer:
    """The whole program."""
    app = typer.Typer(
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        help="Lint Kafka configuration: check brokers, topics, producers and consumers against each "
        "other.",
    )
    app.callback()(_program)
    parts = [*_PARTS, None]
    # The help shows the groups in the order in which they first come up.
    for declared in sorted((*COMMANDS, *FLEET), key=lambda one: parts.index(_part(one.name))):
        app.command(
            declared.name, help=_plain(declared.help), rich_help_panel=_part(declared.name)
        )(_function(declared))
    baseline = typer.Typer(no_args_is_help=True, help="Adopt kcheck in an existing repository.")
    for declared in BASELINE:
        baseline.command(declared.name, help=_plain(declared.help))(_function(declared))
    app.add_typer(baseline, name="baseline", rich_help_panel=_part("baseline"))
    return app


def _version(asked: bool) -> None:
    if asked:
        run.write(f"kcheck {__version__}\n")
        raise typer.Exit(run.CLEAN)


def _program(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version."
    ),
) -> None:
    return


def _function(declared: Command) -> Any:
    """A function with the command's options as parameters, which is what Typer reads."""

    def call(**given: Any) -> None:
        values: dict[str, object] = {}
        for option in declared.options:
            value = given[option.name]
            if option.repeat:
                value = tuple(value or ())
            values[option.name] = option.default if value is None else value
        for word in declared.words:
            value = given[word.name]
            values[word.name] = tuple(value or ()) if word.repeat else value or ""
        module, function = declared.target.split(".")
        command = getattr(import_module(f"kcheck.cli.{module}"), function)
        raise typer.Exit(run.guarded(command, Options(values)))

    ordered = sorted(declared.options, key=lambda o: PANELS.index(o.panel) if o.panel else -1)
    parameters = [_word(word, declared.name) for word in declared.words]
    parameters += [_option(option, declared.name) for option in ordered]
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {p.name: p.annotation for p in parameters}
    call.__name__ = declared.name
    return call


def _plain(help: str) -> str:
    """The text with its brackets: rich takes ``[spark]`` for a style."""
    return re.sub(r"(\[[a-z#/@][^\[]*?\])", r"\\\1", help)


def _word(word: Word, command: str) -> inspect.Parameter:
    annotation: Any = list[str] if word.repeat else str
    default = typer.Argument(
        ... if word.required else None,
        metavar=word.metavar,
        help=_plain(word.help),
        show_default=False,
        autocompletion=completer(command, word.name),
    )
    if not word.required:
        annotation = Optional[annotation]  # noqa: UP045 - made at run time
    return inspect.Parameter(
        word.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
    )


def _option(option: Option, command: str) -> inspect.Parameter:
    annotation: Any = str
    first: object = None
    if option.kind == FLAG:
        annotation, first = bool, False
    elif option.kind == COUNT:
        annotation, first = int, 0
    elif option.choices:
        annotation = Optional[Literal[option.choices]]  # noqa: UP045
    elif option.repeat:
        annotation = Optional[list[str]]  # noqa: UP045
    else:
        annotation = Optional[str]  # noqa: UP045
    default = typer.Option(
        first,
        *option.names,
        metavar=option.metavar or None,
        help=_plain(option.help),
        count=option.kind == COUNT,
        show_default=False,
        rich_help_panel=option.panel or None,
        autocompletion=None if option.choices else completer(command, option.name),
    )
    return inspect.Parameter(
        option.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
    )
