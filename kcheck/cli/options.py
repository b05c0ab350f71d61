"""Every option of every command, declared once.

Both readers of a command line are built from these tables: the quick one for ``lint``
(``argv.py``) and the Typer commands (``app.py``), which also make the help.
"""

from __future__ import annotations

from kcheck.report import FORMATS

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


#: The parts of the help; each command has its own of them in the order of ``PANELS``.
RULES, FAILING, OUTPUT, IGNORES, INPUT = "Rules", "Failing", "Output", "Ignores", "Input"
FIXING = "Fixing"
SPARK, WAY = "Spark", "Way"
PLACES, KEYS = "Places", "Keys"
PANELS = (WAY, PLACES, KEYS, RULES, FAILING, OUTPUT, IGNORES, FIXING, INPUT, SPARK)

PLUGIN = Option(
    "--plugin",
    "Load the rules of an installed package, by the name of its kcheck.rules entry point.",
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
        "Run these rules in addition.",
        metavar="RULE,…",
        repeat=True,
        panel=RULES,
    ),
    Option("--ignore", "Do not run these rules.", metavar="RULE,…", repeat=True, panel=RULES),
    Option("--preview", "Also run preview rules.", FLAG, panel=RULES),
    PLUGIN,
)
FACTS = (
    Option(
        "--kafka-version",
        "The brokers' Kafka version; overrides the files.",
        metavar="VERSION",
        panel=RULES,
    ),
    Option(
        "--client-version",
        "The version of Java clients for which no file states one.",
        metavar="VERSION",
        panel=RULES,
    ),
    Option(
        "--environment",
        "The environment of the clusters; overrides the files.",
        choices=("production", "development"),
        panel=RULES,
    ),
)
SETTINGS = (
    Option(
        "--config",
        "Read settings from this file instead of the nearest kcheck.toml (environment: KCHECK_CONFIG).",
        metavar="FILE",
        panel=INPUT,
    ),
    Option("--isolated", "Read no settings file.", FLAG, panel=INPUT),
    Option(
        "--allow-outside",
        "Let settings extend files outside the folder that contains the repository.",
        FLAG,
        panel=INPUT,
    ),
)
FILES = (
    Option(
        "--exclude",
        "Leave files that match the pattern out of folders.",
        metavar="PATTERN",
        repeat=True,
        panel=INPUT,
    ),
    Option(
        "--force-exclude",
        "Apply excludes to files named on the command line too.",
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
    "--verbose -v", "More on stderr: settings, skipped files, tracebacks.", COUNT, panel=OUTPUT
)
REPORT = Option(
    "--output",
    f"Report format: {', '.join([*FORMATS][:-1])} or {[*FORMATS][-1]}; FORMAT=FILE writes to a file.",
    metavar="FORMAT[=FILE]",
    repeat=True,
    panel=OUTPUT,
)
JOBS = Option(
    "--jobs",
    "Number of processes for a folder with many clusters (default: one per processor for a large "
    "folder). The findings do not depend on it.",
    metavar="N",
    panel=INPUT,
)

FAIL = (
    Option(
        "--fail-on",
        "Exit with 1 at or above this severity (default: error).",
        choices=(*SEVERITIES, "never"),
        panel=FAILING,
    ),
    Option(
        "--gate",
        "Exit with 1 also for warnings of this gate's rules: default, durability, security, or one "
        "of [gates.NAME] in kcheck.toml. Severities stay.",
        metavar="NAME",
        panel=FAILING,
    ),
    Option(
        "--min-severity",
        "Show only findings at or above this severity.",
        choices=SEVERITIES,
        panel=FAILING,
    ),
    Option("--exit-zero", "Exit with 0 even if there are findings.", FLAG, panel=FAILING),
)
NO_IGNORES = Option(
    "--no-ignores", "Also report findings that comments and settings ignore.", FLAG, panel=IGNORES
)
ALLOW_EMPTY = Option(
    "--allow-empty",
    "Exit with 0 if no Kafka configuration is found in the named folders.",
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
        "Print counts by rule and owner on stdout instead of the findings.",
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
    Option("--no-baseline", "Use no baseline, even if the settings name one.", FLAG, panel=IGNORES),
    Option(
        "--since",
        "Report only findings that are new since the merge base with REF (a branch, a tag …), and the "
        "effects of applying the change to topics, brokers and clients.",
        metavar="REF",
        panel=IGNORES,
    ),
    Option(
        "--since-state",
        "The same against the state in this file: the output of kafka-topics and kafka-configs "
        "--describe, or any other configuration that kcheck reads.",
        metavar="FILE",
        panel=IGNORES,
    ),
    Option(
        "--fix",
        "Apply safe fixes: those that do not change a running configuration, because Kafka reads the "
        "new text the same way or rejects the old one.",
        FLAG,
        panel=FIXING,
    ),
    Option(
        "--unsafe-fixes",
        "Apply all fixes, including those that change the running configuration.",
        FLAG,
        panel=FIXING,
    ),
    Option(
        "--diff",
        "Print what --fix (with --unsafe-fixes: all fixes) would change instead of a report, and "
        "change nothing.",
        FLAG,
        panel=FIXING,
    ),
    Option(
        "--stdin-filename",
        "The path to assume for standard input (-).",
        metavar="PATH",
        panel=INPUT,
    ),
    Option(
        "--context",
        "Also read this path, to check values across files, but report only findings whose position "
        "or evidence is in the named paths.",
        metavar="PATH",
        repeat=True,
        panel=INPUT,
    ),
    Option(
        "--context-since",
        "Count, instead of reporting, findings in the context that already exist at this commit.",
        metavar="REF",
        panel=INPUT,
    ),
    *FILES,
    *SETTINGS,
    ALLOW_EMPTY,
    JOBS,
)
