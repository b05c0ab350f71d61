"""Every option of every command, declared once.

Both readers of a command line are built from these tables: the quick one for ``lint``
(``argv.py``) and the Typer commands (``app.py``), which also make the help.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: What an option takes: nothing, a count of itself, or a text.
FLAG, COUNT, TEXT = "flag", "count", "text"

SEVERITIES = ("error", "warning", "info")


class Option:
    """One option: its names, what it takes, its default, and what the help says."""

    __slots__ = (
        "choices",
        "default",
        "help",
        "kind",
        "metavar",
        "name",
        "names",
        "panel",
        "repeat",
    )

    def __init__(
        self,
        names: str,
        help: str,
        kind: str = TEXT,
        *,
        default: object = None,
        choices: tuple[str, ...] = (),
        metavar: str = "",
        repeat: bool = False,
        panel: str = "",
        name: str = "",
    ) -> None:
        self.names = tuple(names.split())
        #: The name in the parsed options: that of the first spelling, unless Python has that word.
        self.name = name or self.names[0].lstrip("-").replace("-", "_")
        self.help = help
        self.kind = kind
        self.repeat = repeat
        if default is None:
            default = {FLAG: False, COUNT: 0}.get(kind, () if repeat else "")
        self.default = default
        self.choices = choices
        self.metavar = metavar
        self.panel = panel


class Options:
    """The parsed options of one command, as attributes named like the options."""

    #: Only commands that take paths have them.
    paths: tuple[str, ...]

    def __init__(self, values: dict[str, object]) -> None:
        self.__dict__.update(values)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"no option {name}")


RULES, FAILING, OUTPUT, IGNORES, INPUT = "Rules", "Failing", "Output", "Ignores", "Input"
FIXING = "Fixing"
SPARK, WAY = "Spark", "Way"
PLACES, KEYS = "Places", "Keys"

PLUGIN = Option(
    "--plugin",
    "Load the rules of an installed package: the name of an entry point of kcheck.rules.",
    metavar="NAME",
    repeat=True,
    panel=RULES,
)
SELECT = (
    Option(
        "--select",
        "Run only these rules: codes, prefixes (KC03), names, families, or the sets default, "
        "advice, preview, all. Comma-separated or repeated.",
        metavar="RULE,…",
        repeat=True,
        panel=RULES,
    ),
    Option(
        "--extend-select",
        "Run these rules as well.",
        metavar="RULE,…",
        repeat=True,
        panel=RULES,
    ),
    Option("--ignore", "Leave these rules out.", metavar="RULE,…", repeat=True, panel=RULES),
    Option("--preview", "Run the new rules too that are still on trial.", FLAG, panel=RULES),
    PLUGIN,
)
FACTS = (
    Option(
        "--kafka-version",
        "The brokers' version, over what the files say.",
        metavar="VERSION",
        panel=RULES,
    ),
    Option(
        "--client-version",
        "The version of Java clients that say nothing themselves.",
        metavar="VERSION",
        panel=RULES,
    ),
    Option(
        "--environment",
        "What the clusters are for, over what the files say.",
        choices=("production", "development"),
        panel=RULES,
    ),
)
SETTINGS = (
    Option(
        "--config",
        "Read the settings from this file instead of looking for kcheck.toml (environment: KCHECK_CONFIG).",
        metavar="FILE",
        panel=INPUT,
    ),
    Option("--isolated", "Read no settings file at all.", FLAG, panel=INPUT),
    Option(
        "--allow-outside",
        "Let settings extend files from beyond the folder that holds the repository.",
        FLAG,
        panel=INPUT,
    ),
)
FILES = (
    Option(
        "--exclude",
        "Leave files that match the pattern out of walked folders.",
        metavar="PATTERN",
        repeat=True,
        panel=INPUT,
    ),
    Option(
        "--force-exclude",
        "Let excludes win over files that are named on the command line.",
        FLAG,
        panel=INPUT,
    ),
)
COLOR = Option(
    "--color",
    "Colour and links (environment: NO_COLOR, FORCE_COLOR).",
    choices=("auto", "always", "never"),
    default="auto",
    panel=OUTPUT,
)
QUIET = Option("--quiet -q", "No footer on stderr.", FLAG, panel=OUTPUT)
VERBOSE = Option(
    "--verbose -v", "More on stderr: settings, files left out, tracebacks.", COUNT, panel=OUTPUT
)
REPORT = Option(
    "--output",
    "The report: text, concise, json, jsonl, sarif, github, gitlab, junit, checkstyle, markdown or "
    "html, with =FILE into a file.",
    metavar="FORMAT[=FILE]",
    repeat=True,
    panel=OUTPUT,
)
JOBS = Option(
    "--jobs",
    "Over how many processes to spread a folder of many clusters; if nobody says, as many as there "
    "are processors where it is large. The findings are the same.",
    metavar="N",
    panel=INPUT,
)

FAIL = (
    Option(
        "--fail-on",
        "Exit with 1 from this severity on; error if nothing else is said.",
        choices=(*SEVERITIES, "never"),
        panel=FAILING,
    ),
    Option(
        "--min-severity",
        "Show findings of this severity and graver ones only.",
        choices=SEVERITIES,
        panel=FAILING,
    ),
    Option("--exit-zero", "Exit with 0 also if there are findings.", FLAG, panel=FAILING),
)
NO_IGNORES = Option(
    "--no-ignores", "Tell also what comments and settings ignore.", FLAG, panel=IGNORES
)
ALLOW_EMPTY = Option(
    "--allow-empty",
    "Finding no Kafka file in the named folders is no failure.",
    FLAG,
    panel=INPUT,
)

LINT = (
    *SELECT,
    *FACTS,
    *FAIL,
    REPORT,
    Option(
        "--statistics",
        "On stdout count the findings by rule and owner instead of telling them.",
        FLAG,
        panel=OUTPUT,
    ),
    COLOR,
    QUIET,
    VERBOSE,
    NO_IGNORES,
    Option(
        "--baseline",
        "Hide the findings that this file lists (see kcheck baseline).",
        metavar="FILE",
        panel=IGNORES,
    ),
    Option("--no-baseline", "Use no baseline, also if the settings name one.", FLAG, panel=IGNORES),
    Option(
        "--since",
        "Tell only what is new since this branch left that commit (a branch, a tag …), and what "
        "applying the change does to topics, brokers and clients.",
        metavar="REF",
        panel=IGNORES,
    ),
    Option(
        "--since-state",
        "The same against the state in this file: what kafka-topics and kafka-configs --describe "
        "print, or any other configuration that kcheck reads.",
        metavar="FILE",
        panel=IGNORES,
    ),
    Option(
        "--fix",
        "Make the safe fixes: those that change nothing of what runs, because the text means the "
        "same to Kafka or Kafka refuses it as it stands.",
        FLAG,
        panel=FIXING,
    ),
    Option(
        "--unsafe-fixes", "Make all fixes, those that change what runs too.", FLAG, panel=FIXING
    ),
    Option(
        "--diff",
        "Print what --fix (with --unsafe-fixes: all) would change, in place of a report, "
        "and change nothing.",
        FLAG,
        panel=FIXING,
    ),
    Option(
        "--stdin-filename",
        "The path that the text on standard input (-) would have.",
        metavar="PATH",
        panel=INPUT,
    ),
    Option(
        "--context",
        "Read this path too, so that values are checked across files, but tell only findings "
        "that have an end in the named paths: their place or a value of their evidence.",
        metavar="PATH",
        repeat=True,
        panel=INPUT,
    ),
    Option(
        "--context-since",
        "Of findings whose place is in the context, count those that stood at this commit "
        "already, in place of telling them.",
        metavar="REF",
        panel=INPUT,
    ),
    *FILES,
    *SETTINGS,
    ALLOW_EMPTY,
    JOBS,
)
