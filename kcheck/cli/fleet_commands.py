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
    "The folder that the results go to, or its URI (hdfs://…, s3a://…).",
    metavar="DIR",
    panel=OUTPUT,
)
_FLEET = (
    Option(
        "--depth",
        "How many levels below an INPUT the clusters lie: 1 for cluster/…, 2 for region/cluster/…; "
        "0 makes it one project. If nobody says, the files do.",
        metavar="N",
        panel=INPUT,
    ),
    Option(
        "--master",
        "The Spark master; an embedded local[*] if nobody says and nobody launched us.",
        metavar="URL",
        panel=SPARK,
    ),
    Option("--remote", "A Spark Connect server (sc://…).", metavar="URL", panel=SPARK),
    Option(
        "--conf",
        "A setting for Spark, as spark-submit takes it; may be repeated.",
        metavar="KEY=VALUE",
        repeat=True,
        panel=SPARK,
    ),
    Option(
        "--partitions",
        "Into how many tasks the work is split; 0 lets its size decide.",
        default="0",
        metavar="N",
        panel=SPARK,
    ),
    Option(
        "--cluster-seconds",
        "The longest that one cluster may take; 0 is for ever.",
        default="300",
        metavar="S",
        panel=SPARK,
    ),
    Option(
        "--cluster-megabytes",
        "The most memory (MiB) that one cluster may take; 0 is no limit.",
        default="2048",
        metavar="M",
        panel=SPARK,
    ),
)
_INPUTS = Word(
    "paths",
    "INPUT...",
    "A folder with one folder per cluster, an archive of one, a table (Parquet, Delta, JSON lines) "
    "of cluster, path, content, or a URI of any of them.",
    repeat=True,
)

FLEET = (
    Command(
        "audit",
        "audit.audit",
        "Audit a fleet of clusters with Spark (kcheck's extra called spark).\n\n"
        "Every folder directly below an INPUT is linted as one project, with the findings that "
        "lint has for it there; folders that only gather clusters, such as regions, give way to "
        "those, and an INPUT that holds Kafka files itself is one project. Results are "
        "Parquet tables and an HTML report below --out. Exit codes are those of lint; a cluster "
        "that could not be audited makes it 2, and the results of all others are there.",
        (_INPUTS,),
        (
            *SELECT,
            *FACTS,
            Option(
                "--fail-on",
                "Exit with 1 from this severity on; new-… counts only what the last run had not.",
                choices=(*SEVERITIES, *(f"new-{word}" for word in SEVERITIES), "never"),
                panel=FAILING,
            ),
            _OUT,
            Option("--run-id", "What the run is called; the time by default.", panel=OUTPUT),
            Option(
                "--format",
                "What the tables are written as; delta needs Delta in the Spark session.",
                choices=("parquet", "delta"),
                default="parquet",
                panel=OUTPUT,
            ),
            Option("--replace", "Write the run of that id anew.", FLAG, panel=OUTPUT),
            COLOR,
            QUIET,
            VERBOSE,
            Option(
                "--inventory",
                "csv, jsonl, Parquet or Delta with a row per cluster: cluster (the whole name of its "
                "folder, or the last part), environment, owner, region, and any fact that a "
                "declaration may tell: kafka_version, service, brokers, ram … "
                "What it says counts like kcheck.toml.",
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
        "Turn a tree or archives into one table with a row per cluster, for repeated audits.",
        (_INPUTS,),
        (_OUT, VERBOSE, *FILES[:1], *SETTINGS, *_FLEET),
    ),
)
