"""Every command: its words, its options, and the function that does it."""

from __future__ import annotations

from kcheck.cli.options import (
    COLOR,
    FACTS,
    FILES,
    FLAG,
    IGNORES,
    INPUT,
    LINT,
    OUTPUT,
    SELECT,
    SETTINGS,
    VERBOSE,
    Option,
)

KINDS = (
    "topic",
    "broker",
    "controller",
    "producer",
    "consumer",
    "streams",
    "worker",
    "connector",
    "admin",
    "cluster",
)


class Word:
    """One positional argument."""

    __slots__ = ("help", "metavar", "name", "repeat", "required")

    def __init__(
        self, name: str, metavar: str, help: str, *, required: bool = False, repeat: bool = False
    ) -> None:
        self.name = name
        self.metavar = metavar
        self.help = help
        self.required = required
        self.repeat = repeat


class Command:
    """One command: ``target`` is the module of ``kcheck.cli`` and the function in it."""

    __slots__ = ("help", "name", "options", "target", "words")

    def __init__(
        self,
        name: str,
        target: str,
        help: str,
        words: tuple[Word, ...],
        options: tuple[Option, ...],
    ) -> None:
        self.name = name
        self.target = target
        self.help = help
        self.words = words
        self.options = options


def output(*formats: str) -> Option:
    """``--output`` of a command that prints one thing; the first format is the default."""
    return Option("--output", "How to print it.", choices=formats, default=formats[0], panel=OUTPUT)


PATHS = Word(
    "paths", "[PATH]...", "Files and folders; the current folder if none is given.", repeat=True
)

COMMANDS = (
    Command(
        "lint",
        "lint.lint",
        "Check files and folders as one project.\n\n"
        "Exit codes: 0 nothing at or above --fail-on, 1 something is, 2 kcheck could not do its "
        "job. A file named here is always read; - reads standard input. A file is checked against "
        "the others that are read in the same run: name the folder, or give --context, to have its "
        "surroundings.",
        (PATHS,),
        LINT,
    ),
    Command(
        "files",
        "files.files",
        "Tell what kcheck makes of every file: format, cluster and resources, or why not.",
        (PATHS,),
        (*FACTS, output("text", "json"), VERBOSE, *FILES, *SETTINGS),
    ),
    Command(
        "show",
        "show.show",
        "Print effective configuration, and where each value comes from.\n\n"
        "kcheck show topic orders conf/ prints one topic of the project in conf/; without a kind "
        "everything. NAME may hold * for any text. Keys at their default are left out unless "
        "--all is given.",
        (
            Word(
                "words",
                "[KIND [NAME]] [PATH]...",
                f"KIND is one of {', '.join(KINDS)}.",
                repeat=True,
            ),
        ),
        (
            Option("--cluster", "Only this cluster.", metavar="NAME", panel=INPUT),
            Option("--all", "Keys at their default too.", FLAG, panel=OUTPUT),
            output("text", "json"),
            COLOR,
            VERBOSE,
            *FACTS,
            *FILES,
            *SETTINGS,
        ),
    ),
    Command(
        "explain",
        "explain.explain",
        "Print what a rule finds, why it matters, examples, options and references.",
        (Word("rule", "RULE", "Code or name of a rule.", required=True),),
        (COLOR, VERBOSE),
    ),
    Command(
        "rules",
        "rules.rules",
        "List all rules, or those that are selected; --output markdown is the reference.",
        (),
        (
            *SELECT,
            output("table", "json", "markdown"),
            Option(
                "--coverage",
                "Count the invariants and claims that rules and their examples cover, "
                "and list the others.",
                FLAG,
                panel=OUTPUT,
            ),
            VERBOSE,
        ),
    ),
    Command(
        "config",
        "config.config",
        "Print the settings that apply to one file, and where each was said.",
        (Word("path", "[PATH]", "The file; the current folder if none is given."),),
        (*SELECT, *FACTS, output("text", "json"), VERBOSE, *SETTINGS),
    ),
)

_BASELINE = Option(
    "--baseline",
    "The baseline; that of the settings, else kcheck-baseline.jsonl.",
    metavar="FILE",
    panel=IGNORES,
)

#: ``kcheck baseline …``
BASELINE = (
    Command(
        "create",
        "baseline.create",
        "Write the findings of today into the baseline, in place of what it held.",
        (PATHS,),
        (_BASELINE, *SELECT, *FACTS, VERBOSE, *FILES, *SETTINGS),
    ),
    Command(
        "prune",
        "baseline.prune",
        "Take out of the baseline what is not found any more; it never grows.",
        (PATHS,),
        (
            _BASELINE,
            Option(
                "--check", "Change nothing; exit with 1 if there is something to take out.", FLAG
            ),
            *SELECT,
            *FACTS,
            VERBOSE,
            *FILES,
            *SETTINGS,
        ),
    ),
)
