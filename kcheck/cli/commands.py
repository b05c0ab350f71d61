"""The commands for files of one's own; those for fleets are in ``fleet_commands.py``."""

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
    PLUGIN,
    QUIET,
    REPORT,
    SELECT,
    SETTINGS,
    VERBOSE,
    WAY,
    Option,
)
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
        "List each file: its format, cluster and resources, or why it is skipped.\n\n"
        "With --verbose the table says why each file is in its cluster, or in none. kcheck files "
        "--why A B says why two files of the working directory are of one cluster, or are not.",
        (PATHS,),
        (
            Option("--why", "Explain whether the two named files are of one cluster.", FLAG),
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
            Option(
                "--graph",
                "Draw who writes and reads which topic instead.",
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
        "Print what bounds a cluster: its own values, their origin, and how much of each is used.\n\n"
        "HARD limits are compiled into Kafka, SOFT ones are settings, EMERGENT ones follow from "
        "hosts, settings and load: estimates, whose assumptions are named and may be replaced. "
        "SERVICE ones are quotas of a managed service. "
        "kcheck limits payments prints the cluster of that name found in the current folder. What "
        "cannot be computed says which fact is missing.",
        (
            Word(
                "paths",
                "[PATH|CLUSTER]...",
                "Files and folders, the current folder if none is given; or names of clusters.",
                repeat=True,
            ),
        ),
        (
            Option("--cluster", "Only this cluster.", metavar="NAME", panel=INPUT),
            Option(
                "--assume",
                "Take this value for an assumption, over what files say; may be repeated.",
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
        "Tell what an upgrade of Kafka changes for this configuration, in the order to do it.\n\n"
        "kcheck upgrade conf/ --from 3.9 --to 4.4 compares what lint says in both versions: "
        "settings that are refused, ignored or removed, verdicts that come, change or go, defaults "
        "that change under keys that nobody set, and steps that cannot be skipped. Brokers are "
        "upgraded first, then the clients; --only looks at one of them. Exit codes are those of "
        "lint.",
        (PATHS,),
        (
            Option(
                "--from",
                "The version before; that which the files say of each cluster if none is given.",
                metavar="VERSION",
                panel=WAY,
                name="start",
            ),
            Option(
                "--to",
                "The version to go to; the newest that kcheck knows if none is given.",
                metavar="VERSION",
                panel=WAY,
                name="goal",
            ),
            Option(
                "--only",
                "Who is upgraded while the others stay as they are; --from and --to are theirs.",
                choices=("brokers", "clients"),
                panel=WAY,
            ),
            Option("--cluster", "Only this cluster.", metavar="NAME", panel=INPUT),
            *SELECT,
            *FACTS[1:],
            *FAIL,
            REPORT,
            Option("--all", "Every changed default by itself, minor ones too.", FLAG, panel=OUTPUT),
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
        "Tell which partition a key goes to, and which keys move when partitions are added.\n\n"
        "kcheck partition alice bob --partitions 12 --to 24 computes what the clients do, without "
        "one. --file counts the keys of a topic, a line for each record, and tells how they spread. "
        "--group and --transactional-id name the partition of Kafka's own topics whose leader is "
        "the coordinator. A key that begins with a dash goes after --.",
        (Word("keys", "[KEY]...", "Keys, as text unless an option says otherwise.", repeat=True),),
        (
            Option("--partitions", "How many partitions there are.", metavar="N", panel=PLACES),
            Option("--to", "How many there are to be.", metavar="M", panel=PLACES),
            Option(
                "--partitioner",
                "Whose choice: a client's default, or one of librdkafka's by name.",
                choices=tuple(PARTITIONERS),
                default=JAVA.name,
                panel=PLACES,
            ),
            Option(
                "--group",
                "A consumer group: its partition of __consumer_offsets; may be repeated.",
                metavar="NAME",
                repeat=True,
                panel=PLACES,
            ),
            Option(
                "--transactional-id",
                "A transactional.id: its partition of __transaction_state; may be repeated.",
                metavar="ID",
                repeat=True,
                panel=PLACES,
            ),
            Option(
                "--file",
                "Read keys from this file too, one a line; - is standard input.",
                metavar="FILE",
                panel=KEYS,
            ),
            Option("--hex", "Keys are bytes in hexadecimal.", FLAG, panel=KEYS),
            Option("--base64", "Keys are bytes in base64.", FLAG, panel=KEYS),
            Option("--int", "Keys are what IntegerSerializer writes.", FLAG, panel=KEYS),
            Option("--long", "Keys are what LongSerializer writes.", FLAG, panel=KEYS),
            Option(
                "--in",
                "The configuration that says how many partitions --topic and Kafka's own topics "
                "have.",
                metavar="PATH",
                panel=INPUT,
                name="project",
            ),
            Option("--topic", "The topic of --in.", metavar="NAME", panel=INPUT),
            Option("--cluster", "The cluster of --in.", metavar="NAME", panel=INPUT),
            Option("--all", "Every key and partition of a file.", FLAG, panel=OUTPUT),
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
        "Clusters, versions and environments, and on demand the entry for pre-commit, a CI job and "
        "a baseline. It asks nothing and overwrites nothing; what would have to go into a file "
        "that is there is printed.",
        (Word("path", "[PATH]", "The folder; the current one if none is given."),),
        (
            Option("--baseline", "A baseline of the findings of today, too.", FLAG, panel=OUTPUT),
            Option("--pre-commit", "The hook in .pre-commit-config.yaml, too.", FLAG, panel=OUTPUT),
            Option("--ci", "A CI job, too.", choices=("github", "gitlab"), panel=OUTPUT),
            VERBOSE,
            *FILES,
            *SETTINGS,
        ),
    ),
    Command(
        "explain",
        "explain.explain",
        "Explain a rule, a key of Kafka's, or an error.\n\n"
        "A rule by code or name: what it finds, why it matters, examples. A key "
        "(kcheck explain max.message.bytes): type, default and bounds by version, who gives and "
        "takes it, which rules weigh it. An error (kcheck explain NotEnoughReplicasException) or "
        "the text of a log line, in quotes or on standard input (-): what it means, what of a "
        "configuration leads there, and which rules find that.",
        (
            Word(
                "subject",
                "RULE|KEY|ERROR|TEXT...",
                "Code or name of a rule, a key, the name of an error, or the text of a log line.",
                required=True,
                repeat=True,
            ),
        ),
        (
            Option(
                "--as",
                "What to take a word for that is several of them.",
                choices=("rule", "key", "error"),
                panel=INPUT,
                name="kind",
            ),
            output("text", "json"),
            COLOR,
            PLUGIN,
            VERBOSE,
            *SETTINGS,
        ),
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
                "What answers each invariant and claim: a rule, another command, or why nothing can, "
                "with counts.",
                FLAG,
                panel=OUTPUT,
            ),
            VERBOSE,
            *SETTINGS,
        ),
    ),
    Command(
        "schema",
        "schema.schema",
        "Print a JSON Schema for editors: completion, hints, and what a version refuses.\n\n"
        "Of the keys of a plane of Kafka, of a client library, or of a format of kcheck's own; "
        "without a name the list of them.",
        (Word("name", "[NAME]", "A plane (broker, topic, producer …), library or format."),),
        (
            Option(
                "--kafka-version",
                "The version of Kafka whose keys they are; the newest one if nobody says.",
                metavar="VERSION",
                panel=INPUT,
            ),
            Option(
                "--client-version",
                "The version of the client library; the newest one if nobody says.",
                metavar="VERSION",
                panel=INPUT,
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
