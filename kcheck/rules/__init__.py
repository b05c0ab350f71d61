"""kcheck's own rules, one module per family."""

from __future__ import annotations

from importlib import import_module

from kcheck.rule import Rule, registered

#: The modules of this package that hold rules.
MODULES = (
    "files",
    "keys",
    "keys_names",
    "keys_text",
    "environment",
    "frameworks",
    "versions",
    "catalogue_range",
    "zookeeper",
    "classes",
    "plugins",
    "upgrade_steps",
    "upgrade_defaults",
    "upgrade_values",
    "durability",
    "internal_topics",
    "live",
    "replication",
    "security",
    "sasl",
    "stores",
    "broker_security",
    "message_size",
    "message_limits",
    "fetch_size",
    "librdkafka",
    "librdkafka_options",
    "libraries",
    "operators",
    "topics",
    "partitions",
    "growth",
    "state_topics",
    "connectors",
    "workers",
    "worker_clients",
    "connector_topics",
    "mirror",
    "storage",
    "log_dirs",
    "volumes",
    "segments",
    "indexes",
    "compaction",
    "cleaner",
    "tiers",
    "connections",
    "requests",
    "sessions",
    "groups",
    "group_bounds",
    "group_resources",
    "members",
    "timeouts",
    "listeners",
    "listener_lists",
    "addresses",
    "bootstrap",
    "quorum",
    "voters",
    "roles",
    "controller_listeners",
    "migration",
    "ordering",
    "transactions",
    "delivery",
    "batching",
    "streams",
    "streams_checks",
    "drift",
    "controllers",
    "change",
    "change_addresses",
    "change_clients",
    "capacity",
)


def load() -> dict[str, Rule]:
    """All rules of kcheck by code, in the order of their codes."""
    for module in MODULES:
        import_module(f"kcheck.rules.{module}")
    return dict(sorted(registered().items()))
