"""The commands for files of one's own; those for fleets are in ``fleet_commands.py``, and
those that print what kcheck knows in ``reference_commands.py``.
"""

from __future__ import annotations

from kcheck.cli.command import PATHS, Command, Word, output
from kcheck.cli.options import (
    ALLOW_EMPTY,
    COLOR,
    FACTS,
    FAIL,
    FILES,
    FLAG,
    IGNORES,
    INPUT,
    KEYS,
    LINT,
    NO_IGNORES,
    OUTPUT,
    PLACES,
    QUIET,
    REPORT,
    SELECT,
    SETTINGS,
    VERBOSE,
    WAY,
    Option,
)
from kcheck.cli.reference_commands import REFERENCE
from kcheck.libraries import JAVA
from kcheck.partition.partitioners import PARTITIONERS

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


COMMANDS = (
    Command(
        "lint",
        "lint.lint",
        "Check files and folders as one project.\n\n"
        "Exit codes: 0 no findings at or above --fail-on, 1 findings, 2 kcheck failed. A named file "
        "is always read; - reads standard input. A file is checked against the other files of the "
        "same run: name the whole folder, or use --context, to check it against its surroundings.",
        (PATHS,),
        LINT,
    ),
    Command(
        "files",
        "files.files",
        "List each file: its format, cluster and resources, or why it is skipped.\n\n"
        "With --verbose the table shows why each file is in its cluster, or in none. kcheck files "
        "--why A B explains why two files are, or are not, in one cluster.",
        (PATHS,),
        (
            Option("--why", "Explain whether two files are in one cluster.", FLAG),
            Option(
                "--unread", "List Kafka's keys that kcheck does not read, with their lines.", FLAG
            ),
            *FACTS,
            output("text", "json"),
            VERBOSE,
            *FILES,
            *SETTINGS,
        ),
    ),
    Command(
        "show",
        "show.show",
        "Print effective configuration, and where each value comes from.\n\n"
        "kcheck show topic orders conf/ prints one topic of the project in conf/; without KIND all "
        "resources. NAME may contain * as a wildcard. Keys at their default are omitted unless --all "
        "is given.",
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
            Option("--all", "Include keys at their default.", FLAG, panel=OUTPUT),
            output("text", "json"),
            Option(
                "--graph",
                "Draw a graph of clients and topics instead.",
                choices=("mermaid", "dot"),
                panel=OUTPUT,
            ),
            COLOR,
            VERBOSE,
            *FACTS,
            *FILES,
            *SETTINGS,
        ),
    ),
    Command(
        "limits",
        "limits.limits",
        "Print the limits of a cluster: value, origin, and usage of each.\n\n"
        "HARD limits are compiled into Kafka, SOFT limits are settings, EMERGENT limits follow from "
        "hosts, settings and load: estimates with listed assumptions that --assume overrides. "
        "SERVICE limits are quotas of a managed service. kcheck limits payments prints the cluster "
        "of that name in the current folder. A limit that cannot be computed names the missing fact.",
        (
            Word(
                "paths",
                "[PATH|CLUSTER]...",
                "Files and folders (default: the current folder), or names of clusters.",
                repeat=True,
            ),
        ),
        (
            Option("--cluster", "Only this cluster.", metavar="NAME", panel=INPUT),
            Option(
                "--assume",
                "Override an assumption, also one from files; repeatable.",
                metavar="NAME=VALUE",
                repeat=True,
                panel=INPUT,
            ),
            output("text", "json", "markdown"),
            COLOR,
            VERBOSE,
            *FACTS,
            *FILES,
            *SETTINGS,
        ),
    ),
    Command(
        "upgrade",
        "upgrade.upgrade",
        "Report what a Kafka upgrade changes for this configuration, in the order of the upgrade.\n\n"
        "kcheck upgrade conf/ --from 3.9 --to 4.4 compares the findings of both versions: settings "
        "that are rejected, ignored or removed, findings that appear, change or disappear, changed "
        "defaults of keys that are not set, and required steps. Brokers are upgraded first, then "
        "the clients; --only checks one of them. Exit codes are those of lint.",
        (PATHS,),
        (
            Option(
                "--from",
                "The current version (default: the version in the files of each cluster).",
                metavar="VERSION",
                panel=WAY,
                name="start",
            ),
            Option(
                "--to",
                "The target version (default: the newest that kcheck covers).",
                metavar="VERSION",
                panel=WAY,
                name="goal",
            ),
            Option(
                "--only",
                "Upgrade only these, the others stay; --from and --to apply to them.",
                choices=("brokers", "clients"),
                panel=WAY,
            ),
            Option("--cluster", "Only this cluster.", metavar="NAME", panel=INPUT),
            *SELECT,
            *FACTS[1:],
            *FAIL,
            REPORT,
            Option(
                "--all",
                "Report each changed default separately, minor ones included.",
                FLAG,
                panel=OUTPUT,
            ),
            COLOR,
            QUIET,
            VERBOSE,
            NO_IGNORES,
            *FILES,
            *SETTINGS,
            ALLOW_EMPTY,
        ),
    ),
    Command(
        "partition",
        "partition.partition",
        "Compute the partition of a key, and which keys move when partitions are added.\n\n"
        "kcheck partition alice bob --partitions 12 --to 24 computes what clients do, without a "
        "broker. --file reads the keys of a topic, one line per record, and shows their "
        "distribution. --group and --transactional-id show the partition of the internal topic "
        "whose leader is the coordinator. Put a key that begins with a dash after --.",
        (
            Word(
                "keys",
                "[KEY]...",
                "Keys, as text unless --hex, --base64, --int or --long is given.",
                repeat=True,
            ),
        ),
        (
            Option("--partitions", "Current number of partitions.", metavar="N", panel=PLACES),
            Option("--to", "New number of partitions.", metavar="M", panel=PLACES),
            Option(
                "--partitioner",
                "Partitioner: a client's default, or one of librdkafka's by name.",
                choices=tuple(PARTITIONERS),
                default=JAVA.name,
                panel=PLACES,
            ),
            Option(
                "--group",
                "A consumer group: its partition of __consumer_offsets; repeatable.",
                metavar="NAME",
                repeat=True,
                panel=PLACES,
            ),
            Option(
                "--transactional-id",
                "A transactional.id: its partition of __transaction_state; repeatable.",
                metavar="ID",
                repeat=True,
                panel=PLACES,
            ),
            Option(
                "--file",
                "Read more keys from this file, one per line; - reads standard input.",
                metavar="FILE",
                panel=KEYS,
            ),
            Option("--hex", "Keys are hexadecimal bytes.", FLAG, panel=KEYS),
            Option("--base64", "Keys are base64-encoded bytes.", FLAG, panel=KEYS),
            Option(
                "--int", "Keys are integers, as IntegerSerializer writes them.", FLAG, panel=KEYS
            ),
            Option("--long", "Keys are integers, as LongSerializer writes them.", FLAG, panel=KEYS),
            Option(
                "--in",
                "Configuration from which to read the partition counts of --topic and internal "
                "topics.",
                metavar="PATH",
                panel=INPUT,
                name="project",
            ),
            Option("--topic", "A topic in --in.", metavar="NAME", panel=INPUT),
            Option("--cluster", "A cluster in --in.", metavar="NAME", panel=INPUT),
            Option("--all", "List every key and partition of a file.", FLAG, panel=OUTPUT),
            output("table", "json"),
            COLOR,
            VERBOSE,
            *FILES,
            *SETTINGS,
        ),
    ),
    Command(
        "init",
        "init.init",
        "Write a commented kcheck.toml from what is found in a folder.\n\n"
        "It contains clusters, versions and environments. Options add a pre-commit hook, a CI job "
        "and a baseline. Not interactive, and no file is overwritten: an entry for an existing file "
        "is printed instead.",
        (Word("path", "[PATH]", "The folder (default: the current one)."),),
        (
            Option("--baseline", "Write a baseline of the current findings.", FLAG, panel=OUTPUT),
            Option(
                "--pre-commit", "Write a hook into .pre-commit-config.yaml.", FLAG, panel=OUTPUT
            ),
            Option("--ci", "Write a CI job.", choices=("github", "gitlab"), panel=OUTPUT),
            VERBOSE,
            *FILES,
            *SETTINGS,
        ),
    ),
    *REFERENCE,
)

_BASELINE = Option(
    "--baseline",
    "The baseline file (default: that of the settings, else kcheck-baseline.jsonl).",
    metavar="FILE",
    panel=IGNORES,
)

#: ``kcheck baseline …``
BASELINE = (
    Command(
        "create",
        "baseline.create",
        "Replace the baseline with the current findings.",
        (PATHS,),
        (_BASELINE, *SELECT, *FACTS, VERBOSE, *FILES, *SETTINGS),
    ),
    Command(
        "prune",
        "baseline.prune",
        "Remove entries whose finding is gone; nothing is added.",
        (PATHS,),
        (
            _BASELINE,
            Option("--check", "Change nothing; exit with 1 if there are entries to remove.", FLAG),
            *SELECT,
            *FACTS,
            VERBOSE,
            *FILES,
            *SETTINGS,
        ),
    ),
)
