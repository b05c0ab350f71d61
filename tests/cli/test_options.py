"""The quick reader of ``lint`` and the Typer command agree on every option."""

from __future__ import annotations

import re

import pytest

from kcheck.__main__ import main
from kcheck.cli import app, argv, run
from kcheck.cli.commands import BASELINE, COMMANDS
from kcheck.cli.fleet_commands import FLEET
from kcheck.cli.options import COUNT, FLAG, LINT, PANELS, Option, Options
from kcheck.report import FORMATS


def quick(args: list[str]) -> dict[str, object] | None:
    parsed = argv.parse(args, LINT)
    return None if parsed is None else vars(parsed)


def typed(args: list[str], monkeypatch: pytest.MonkeyPatch) -> dict[str, object] | None:
    """What the Typer command makes of the same words; None where it refuses them."""
    seen: list[dict[str, object]] = []

    def record(command: object, options: Options) -> int:
        seen.append(vars(options))
        return 0

    monkeypatch.setattr(run, "guarded", record)
    code = app.main(["lint", *args])
    assert bool(seen) == (code == 0)
    return seen[0] if seen else None


def spellings(option: Option) -> list[list[str]]:
    if option.kind in (FLAG, COUNT):
        found = [[name] for name in option.names]
        return [*found, [option.names[0]] * 2]
    values = option.choices or ("KC03,topics", "a=b", "ünï")
    found = [[name, value] for name in option.names for value in values]
    found += [[f"{option.names[0]}={value}"] for value in values]
    # Twice: the last one counts, or both do.
    return [*found, [option.names[0], values[0], f"{option.names[0]}={values[-1]}"]]


CASES = [pytest.param(args, id=" ".join(args)) for option in LINT for args in spellings(option)] + [
    pytest.param(args, id=" ".join(args) or "nothing")
    for args in (
        [],
        ["a.yaml", "b.properties"],
        ["-"],
        ["a.yaml", "-q", "b.yaml", "--fail-on", "never", "c.yaml"],
        ["--", "-odd", "--fail-on"],
        ["-q", "--", "x"],
        ["--select", "KC03", "--select=KC04", "--ignore", "KC0301", "p"],
    )
]


@pytest.mark.parametrize("args", CASES)
def test_both_readers_agree(args: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert quick(args) is not None
    assert quick(args) == typed(args, monkeypatch)


@pytest.mark.parametrize(
    "args",
    [
        ["--help"],
        ["-h"],
        ["--bogus"],
        ["--fail-on"],
        ["--config"],
        ["--select", "-q"],
        ["--fail-on", "bogus"],
        ["--fail-on=Error"],
        ["--exit-zero=yes"],
        ["-qv"],
        ["--sel", "KC03"],
        ["-o", "json"],
    ],
    ids=" ".join,
)
def test_what_the_quick_reader_leaves_to_typer(args: list[str]) -> None:
    assert quick(args) is None


@pytest.mark.parametrize("args", [["--bogus"], ["--fail-on", "x"], ["--config"], ["--exit-zero=1"]])
def test_a_bad_option_is_exit_2(args: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", *args]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert args[0].partition("=")[0] in err


def test_every_option_has_a_panel_and_a_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", "--help"]) == 0
    text = capsys.readouterr().out
    for option in LINT:
        assert option.names[0] in text
    at = [
        text.index(panel) for panel in ("─ Rules", "─ Failing", "─ Output", "─ Ignores", "─ Input")
    ]
    assert at == sorted(at)


@pytest.mark.parametrize("command", [*COMMANDS, *BASELINE], ids=lambda c: c.name)
def test_every_command_has_a_target(command: object) -> None:
    from importlib import import_module

    module, function = command.target.split(".")
    assert callable(getattr(import_module(f"kcheck.cli.{module}"), function))
    names = [option.name for option in command.options] + [word.name for word in command.words]
    assert len(names) == len(set(names))


def test_the_parts_of_the_help_come_in_one_order() -> None:
    known = {
        option.panel for command in (*COMMANDS, *FLEET, *BASELINE) for option in command.options
    }
    assert known <= {"", *PANELS}


def test_help_names_every_format() -> None:
    shown = next(option for option in LINT if option.name == "output").help
    assert all(format in shown for format in FORMATS)


@pytest.mark.parametrize("name", [command.name for command in (*COMMANDS, *BASELINE, *FLEET)])
def test_help_shows_what_stands_in_brackets(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """rich takes ``kcheck[spark]`` for text in a style of that name."""
    monkeypatch.setenv("COLUMNS", "300")
    every = {command.name: command for command in (*COMMANDS, *BASELINE, *FLEET)}
    words = ("baseline", name) if name in {command.name for command in BASELINE} else (name,)
    app.main([*words, "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    texts = [every[name].help.split("\n\n")[0]]
    texts += [option.help for option in (*every[name].options, *every[name].words)]
    bracketed = [found for text in texts for found in re.findall(r"\S*\[[^\]\s]+\]", text)]
    for found in bracketed:
        assert found in shown
