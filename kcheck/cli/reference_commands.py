"""The commands that print what kcheck knows: of Kafka, of its rules, and of its own settings."""

from __future__ import annotations

from kcheck.cli.command import Command, Word, output
from kcheck.cli.options import (
    COLOR,
    FACTS,
    FLAG,
    INPUT,
    OUTPUT,
    PLUGIN,
    SELECT,
    SETTINGS,
    VERBOSE,
    Option,
)

REFERENCE = (
    Command(
        "explain",
        "explain.explain",
        "Explain a rule, a Kafka key, an error, or a metric.\n\n"
        "A rule by code or name: what it finds, why it matters, examples. A key "
        "(kcheck explain max.message.bytes): type, default and bounds by version, inheritance, and "
        "the rules that check it. An error (kcheck explain NotEnoughReplicasException) or the text "
        "of a log line, in quotes or on standard input (-): its meaning, likely causes in the "
        "configuration, and the rules that find them. A metric (kcheck explain "
        "UnderReplicatedPartitions): likely causes of a bad value. With --in conf/ the rules that are "
        "named look for the cause in that configuration.",
        (
            Word(
                "subject",
                "RULE|KEY|ERROR|METRIC|TEXT...",
                "A rule's code or name, a key, the name of an error or metric, or the text of a log line.",
                required=True,
                repeat=True,
            ),
        ),
        (
            Option(
                "--as",
                "How to read a word that has several meanings.",
                choices=("rule", "key", "error", "metric"),
                panel=INPUT,
                name="kind",
            ),
            Option(
                "--in",
                "Run the rules that the explanation names on this configuration; repeatable.",
                metavar="PATH",
                repeat=True,
                panel=INPUT,
                name="project",
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
        "List all rules, or the selected ones; --output markdown prints the reference.",
        (),
        (
            *SELECT,
            output("table", "json", "markdown"),
            Option(
                "--coverage",
                "List what covers each invariant and claim, with counts: a rule, another command, or "
                "the reason why nothing can. Each claim is tried on its counter-example; exit code 1 "
                "if one is missed.",
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
        "Print a JSON Schema for editors: completion, hints, and what a version rejects.\n\n"
        "NAME is a config type of Kafka (broker, topic, producer …), a client library, or one of "
        "kcheck's own formats; without a name, all of them are listed.",
        (Word("name", "[NAME]", "A config type (broker, topic, producer …), library or format."),),
        (
            Option(
                "--kafka-version",
                "The Kafka version of the keys (default: the newest).",
                metavar="VERSION",
                panel=INPUT,
            ),
            Option(
                "--client-version",
                "The version of the client library (default: the newest).",
                metavar="VERSION",
                panel=INPUT,
            ),
            VERBOSE,
        ),
    ),
    Command(
        "config",
        "config.config",
        "Print the settings that apply to a file, and where each is set.",
        (Word("path", "[PATH]", "The file (default: the current folder)."),),
        (*SELECT, *FACTS, output("text", "json"), VERBOSE, *SETTINGS),
    ),
)
