"""The commands for fleets of clusters, which run on Spark."""

from __future__ import annotations

from kcheck.cli.command import Command, Word
from kcheck.cli.options import (
    COLOR,
    FACTS,
    FAILING,
    FILES,
    FLAG,
    INPUT,
    OUTPUT,
    QUIET,
    SELECT,
    SETTINGS,
    SEVERITIES,
    SPARK,
    VERBOSE,
    Option,
)

_OUT = Option(
    "--out",
    "The folder for the results, or its URI (hdfs://…, s3a://…).",
    metavar="DIR",
    panel=OUTPUT,
)
_FLEET = (
    Option(
        "--depth",
        "How many levels below an INPUT the cluster folders are: 1 for cluster/…, 2 for "
        "region/cluster/…; 0 makes it one project (default: detected from the files).",
        metavar="N",
        panel=INPUT,
    ),
    Option(
        "--master",
        "The Spark master (default: an embedded local[*], unless started by spark-submit).",
        metavar="URL",
        panel=SPARK,
    ),
    Option("--remote", "A Spark Connect server (sc://…).", metavar="URL", panel=SPARK),
    Option(
        "--conf",
        "A Spark setting, as for spark-submit; repeatable.",
        metavar="KEY=VALUE",
        repeat=True,
        panel=SPARK,
    ),
    Option(
        "--partitions",
        "The number of tasks; 0 determines it from the input size.",
        default="0",
        metavar="N",
        panel=SPARK,
    ),
    Option(
        "--cluster-seconds",
        "Time limit per cluster; 0 is unlimited.",
        default="300",
        metavar="S",
        panel=SPARK,
    ),
    Option(
        "--cluster-megabytes",
        "Memory limit per cluster (MiB); 0 is unlimited.",
        default="2048",
        metavar="M",
        panel=SPARK,
    ),
)
_INPUTS = Word(
    "paths",
    "INPUT...",
    "A folder with one folder per cluster, an archive of one, a table (Parquet, Delta, JSON lines) "
    "with the columns cluster, path and content, or a URI of any of these.",
    repeat=True,
)

FLEET = (
    Command(
        "audit",
        "audit.audit",
        "Audit a fleet of clusters with Spark (install the extra kcheck[spark]).\n\n"
        "Every folder directly below an INPUT is linted as one project, with the same findings as "
        "lint; folders that only group clusters, such as regions, are descended into, and an INPUT "
        "that contains Kafka files itself is one project. Results are Parquet tables and an HTML "
        "report below --out. Exit codes are those of lint; 2 if a cluster could not be audited, "
        "with the results of all others.",
        (_INPUTS,),
        (
            *SELECT,
            *FACTS,
            Option(
                "--fail-on",
                "Exit with 1 at or above this severity; new-… counts only findings new since the last run.",
                choices=(*SEVERITIES, *(f"new-{word}" for word in SEVERITIES), "never"),
                panel=FAILING,
            ),
            _OUT,
            Option("--run-id", "The id of the run (default: the time).", panel=OUTPUT),
            Option(
                "--format",
                "The table format; delta requires Delta in the Spark session.",
                choices=("parquet", "delta"),
                default="parquet",
                panel=OUTPUT,
            ),
            Option("--replace", "Replace the run with that id.", FLAG, panel=OUTPUT),
            COLOR,
            QUIET,
            VERBOSE,
            Option(
                "--inventory",
                "csv, jsonl, Parquet or Delta with a row per cluster: cluster (the full name of its "
                "folder, or the last part), environment, owner, region, and any fact of a "
                "declaration: kafka_version, service, brokers, ram … "
                "Its values have the same precedence as kcheck.toml.",
                metavar="FILE",
                panel=INPUT,
            ),
            *FILES[:1],
            *SETTINGS,
            *_FLEET,
        ),
    ),
    Command(
        "pack",
        "audit.pack",
        "Pack a folder tree or archives into one table with a row per cluster, for repeated audits.",
        (_INPUTS,),
        (_OUT, VERBOSE, *FILES[:1], *SETTINGS, *_FLEET),
    ),
)
