"""The tables of a published run: their columns.

``VERSION`` grows when a column is added; columns are never renamed or taken away. Each table is a
tuple of (column, type), with types as in ``column_types``.
"""

from __future__ import annotations

#: The version of all tables below; it stands in the manifest of each run.
VERSION = 2

_RESOURCE = (("kind", "string"), ("name", "string"))
_PLACE = (
    ("path", "string"),
    ("line", "int"),
    ("column", "int"),
    ("end_line", "int"),
    ("end_column", "int"),
)
#: One finding as ``--output jsonl`` of lint prints it, field by field in the same order.
RECORD = (
    ("rule", "string"),
    ("name", "string"),
    ("severity", "string"),
    ("message", "string"),
    ("consequence", "string"),
    ("keys", ["string"]),
    ("cluster", "string"),
    ("resource", _RESOURCE),
    *_PLACE,
    (
        "evidence",
        [
            (
                ("key", "string"),
                ("value", "string"),
                ("origin", "string"),
                ("from", "string"),
                ("resource", _RESOURCE),
                *_PLACE,
                ("kafka_version", "string"),
            )
        ],
    ),
    ("fix", (("text", "string"), ("safe", "boolean"), ("edits", [(*_PLACE, ("text", "string"))]))),
    ("fingerprint", "string"),
    ("url", "string"),
)

#: Whose a row is: the unit of work, and what the inventory says of it.
OWNER = (
    ("unit", "string"),
    ("environment", "string"),
    ("owner", "string"),
    ("region", "string"),
)

#: What stands in such a record only at times, or came later. ``clusters`` is null where a finding
#: holds in its ``cluster`` alone, ``kafka`` where it is unknown what Kafka does, ``inferred`` where
#: the files state the versions. ``cause`` is the fingerprint of the finding that leads the cause, and
#: ``also`` are the findings that this one stands for, null where there are none. Of a run that an
#: older kcheck published all but ``clusters`` are null.
BESIDE = (
    ("clusters", ["string"]),
    ("kafka", "string"),
    ("inferred", "string"),
    ("cause", "string"),
    (
        "also",
        [
            (
                ("rule", "string"),
                ("name", "string"),
                ("severity", "string"),
                ("message", "string"),
                ("keys", ["string"]),
                ("fix", "string"),
                ("path", "string"),
                ("line", "int"),
                ("column", "int"),
                ("fingerprint", "string"),
            )
        ],
    ),
)

FINDING = (*OWNER, *RECORD, *BESIDE)

#: What could not be read, was cut short or made kcheck fail. ``stage`` is read, lint, rule or
#: limit. ``fatal``: kcheck did not do its job there, which ends the audit with exit code 2.
ERROR = (
    *OWNER,
    ("path", "string"),
    ("stage", "string"),
    ("error", "string"),
    ("reason", "string"),
    ("fatal", "boolean"),
)

#: One row per unit of work. ``status`` is audited or failed; ``ignored_by`` are the lines of those
#: ``[[ignore]]`` entries of the settings that hid some of its findings.
UNIT = (
    *OWNER,
    ("status", "string"),
    ("clusters", "int"),
    ("files_read", "int"),
    ("files_passed_over", "int"),
    ("files_skipped", "int"),
    ("files_error", "int"),
    ("findings_error", "int"),
    ("findings_warning", "int"),
    ("findings_info", "int"),
    ("ignored", "int"),
    ("bytes", "bigint"),
    ("milliseconds", "double"),
    ("ignored_by", ["int"]),
)

#: One row per cluster that the engine found in a unit.
CLUSTER = (
    *OWNER,
    ("cluster", "string"),
    ("kafka_version", "string"),
    ("detected_environment", "string"),
    ("service", "string"),
    ("brokers", "int"),
    ("controllers", "int"),
    ("topics", "int"),
    ("clients", "int"),
    ("connectors", "int"),
)

#: Effective values: one row per cluster, with each key and distinct value in ``values``. There
#: ``resources`` counts those of the cluster that have it, ``resource`` names the first of them and
#: ``path`` where it is set there. The value of a secret is ``[hidden]``; its ``digest`` tells equal
#: from different all the same.
SETTING = (
    *OWNER,
    ("cluster", "string"),
    ("kafka_version", "string"),
    (
        "values",
        [
            (
                ("kind", "string"),
                ("resource", "string"),
                ("key", "string"),
                ("value", "string"),
                ("digest", "string"),
                ("origin", "string"),
                ("path", "string"),
                ("line", "int"),
                ("resources", "int"),
            )
        ],
    ),
)

#: Who strays: a broker from its cluster, or a cluster from the norm of a group of its peers.
STRAY = (
    *OWNER,
    ("cluster", "string"),
    ("scope", "string"),
    ("dimension", "string"),
    ("group", "string"),
    ("norm", "string"),
    ("support", "bigint"),
    ("of", "bigint"),
    ("share", "double"),
    ("confidence", "double"),
    ("resource", "string"),
    ("origin", "string"),
    ("key", "string"),
    ("value", "string"),
    ("path", "string"),
    ("line", "int"),
)

#: A cluster as its peers see it: what its brokers agree on. Not published. ``compared`` is null
#: where they differ or the value is unknown; ``own`` says whether Kafka's own defaults hold, those of
#: ``release``; ``groups`` are those in which it is compared.
PROFILE = (
    *OWNER,
    ("cluster", "string"),
    ("kafka_version", "string"),
    ("release", "string"),
    ("own", "boolean"),
    ("groups", [(("dimension", "string"), ("group", "string"))]),
    (
        "values",
        [
            (
                ("key", "string"),
                ("compared", "string"),
                ("value", "string"),
                ("path", "string"),
                ("line", "int"),
            )
        ],
    ),
)

#: How often clusters of a group say a value, as one task counts them. Not published.
SAID = (
    ("dimension", "string"),
    ("group", "string"),
    ("release", "string"),
    ("own", "boolean"),
    ("key", "string"),
    ("compared", "string"),
    ("n", "bigint"),
    ("value", "string"),
)

#: Which files and resources a unit holds (see ``matched.held``). Not published.
HELD = (("unit", "string"), ("held", "binary"))

#: What a task gives: ``kind`` names the one struct that is not null.
STREAM = (
    ("kind", "string"),
    ("finding", FINDING),
    ("error", ERROR),
    ("unit", UNIT),
    ("cluster", CLUSTER),
    ("setting", SETTING),
    ("stray", STRAY),
    ("profile", PROFILE),
    ("said", SAID),
    ("held", HELD),
)

#: What a row of the stream can be.
KINDS = tuple(kind for kind, _ in STREAM[1:])

#: The tables that are the stream's rows of one kind.
TABLES = {
    "finding": "findings",
    "error": "errors",
    "unit": "units",
    "cluster": "clusters",
    "setting": "settings",
}

_RUN = (("run", "string"),)

#: What a finding is known again by beside its fingerprint: its resource, first key, and the values
#: of other resources that it rests on. Null where an older kcheck wrote the row.
MARK = (
    ("kind", "string"),
    ("name", "string"),
    ("key", "string"),
    ("ends", [(("key", "string"), ("kind", "string"), ("name", "string"))]),
)

#: What is known of each finding from run to run.
STATE = (
    *_RUN,
    ("unit", "string"),
    ("fingerprint", "string"),
    ("status", "string"),
    ("first_seen", "string"),
    ("rule", "string"),
    ("severity", "string"),
    ("cluster", "string"),
    ("path", "string"),
    ("message", "string"),
    *MARK,
)

#: The most frequent value of a key in a group, by ``dimension`` and ``group``.
NORM = (
    ("dimension", "string"),
    ("group", "string"),
    ("key", "string"),
    ("norm_compared", "string"),
    ("norm", "string"),
    ("support", "bigint"),
    ("of", "bigint"),
    ("share", "double"),
    ("confidence", "double"),
    ("is_norm", "boolean"),
)

#: Findings per rule and severity, and the units that have one.
RULE = (
    ("rule", "string"),
    ("name", "string"),
    ("severity", "string"),
    ("findings", "bigint"),
    ("units", "bigint"),
)

#: The units with the most errors, then warnings; ``rank`` counts from 1.
WORST = (
    ("rank", "int"),
    *OWNER,
    ("findings_error", "int"),
    ("findings_warning", "int"),
    ("findings_info", "int"),
)

#: Every published table.
PUBLISHED = {
    "findings": (*_RUN, ("status", "string"), ("first_seen", "string"), *FINDING),
    "errors": (*_RUN, *ERROR),
    "units": (*_RUN, *UNIT),
    "clusters": (*_RUN, *CLUSTER),
    "settings": (*_RUN, *SETTING),
    "lifecycle": STATE,
    "rules": RULE,
    "worst": WORST,
    "consensus": NORM,
    "drift": STRAY,
}

#: One row of work for a task. ``place`` says how it is read: a folder of the tree (``ref``, from
#: the base of the home of that number), the files directly in one, an input that is one project as
#: a whole, or the files of the row itself. ``top`` is the folder of a tree in which the row's files
#: lie, ``problem`` why there are none. A file without content has the ``reason``.
WORK = (
    ("unit", "string"),
    ("place", "string"),
    ("ref", "string"),
    ("home", "int"),
    ("top", "string"),
    ("bytes", "bigint"),
    ("problem", "string"),
    ("files", [(("path", "string"), ("content", "binary"), ("reason", "string"))]),
)

#: What an inventory says of a unit, joined to its row of work: whose it is, ``facts`` as they are
#: written, and what the inventory is called.
FACTS = (
    ("environment", "string"),
    ("owner", "string"),
    ("region", "string"),
    ("facts", {"string": "string"}),
    ("inventory", "string"),
)

#: The table that ``kcheck pack`` writes and ``audit`` reads: one row per unit. ``problem`` says
#: why there are no files, ``notes`` by their paths why some are not read.
PACKED = (
    ("cluster", "string"),
    ("top", "string"),
    ("bytes", "bigint"),
    ("problem", "string"),
    ("files", {"string": "binary"}),
    ("notes", {"string": "string"}),
)
