"""kcheck's own rules, one module per family."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module

from kcheck.rule import Rule, registered

#: The modules of this package that hold rules, each with what these look at.
MODULES = {
    "files": "Document Faulty",
    "layout": "Layout",
    "urls": "Layout",
    "keys": "Node",
    "keys_names": "Node",
    "keys_text": "Node",
    "dynamic": "ClusterWithNodes",
    "environment": "Broker Document Note",
    "dollars": "Document Note",
    "frameworks": "Consumer Note",
    "versions": "Broker Node Produces Topic",
    "catalogue_range": "ClusterWithNodes",
    "zookeeper": "ClusterWithNodes",
    "early_versions": "ClusterWithNodes",
    "classes": "Broker Client Controller",
    "plugins": "Broker Client Connector Controller",
    "upgrade_steps": "Upgrade",
    "upgrade_defaults": "Upgrade",
    "upgrade_values": "Upgrade",
    "durability": "Broker Topic",
    "acks": "Produces",
    "auto_created": "ClusterWithNodes TopicDefaults",
    "internal_topics": "Broker ClusterWithNodes Controller",
    "live": "Cluster Topic",
    "replication": "Broker Controller",
    "racks": "ClusterWithNodes Topic",
    "leadership": "Broker",
    "hidden_topics": "ClusterWithNodes",
    "vendor_topics": "ClusterWithNodes",
    "security": "Broker Client Connects Controller",
    "sasl": "Broker Client Controller",
    "client_sasl": "Client",
    "stores": "Client",
    "broker_security": "Broker",
    "authorization": "Broker ClusterWithNodes Controller",
    "principals": "Broker Controller",
    "broker_sasl": "Broker Controller",
    "sasl_mechanisms": "Broker Connects Controller",
    "broker_tls": "Broker Client Controller",
    "exposed": "Broker Client Controller Worker",
    "message_size": "Connects Producer Produces",
    "message_limits": "Broker Controller Produces Topic TopicDefaults",
    "fetch_size": "Connects Consumer Consumes",
    "librdkafka": "Client Consumes Producer Produces",
    "librdkafka_options": "Client Consumer Producer",
    "libraries": "Client",
    "operators": "Note",
    "strimzi_resources": "ClusterWithNodes Connector Note",
    "topic_names": "Cluster",
    "topic_declarations": "Cluster Topic",
    "partitions": "Cluster Topic",
    "growth": "Streams Topic",
    "state_topics": "ClusterWithClients Stores Topic Worker",
    "connectors": "Connector",
    "workers": "Worker",
    "worker_clients": "Worker",
    "worker_group": "ClusterWithClients",
    "worker_storage": "Worker",
    "worker_settings": "Worker",
    "connector_topics": "Connector",
    "connector_workers": "Connector Worker",
    "connector_records": "Connector",
    "connector_tables": "Connector",
    "converters": "Connector Worker",
    "mirror": "Connector Note",
    "mirror_flows": "ClusterWithClients",
    "mirror_settings": "ClusterWithClients Connector Note",
    "storage": "Broker Controller Topic TopicDefaults",
    "log_dirs": "Broker ClusterWithNodes Controller",
    "volumes": "Broker ClusterWithNodes",
    "segments": "Broker Controller Topic TopicDefaults",
    "indexes": "Topic TopicDefaults",
    "compaction": "Topic TopicDefaults",
    "cleaner": "Broker Controller",
    "retained": "Broker ClusterWithNodes Topic",
    "tiers": "Broker Controller Topic",
    "tier_retention": "Broker Topic",
    "tier_setup": "Broker Connects Topic",
    "connections": "Broker ClusterWithNodes Controller",
    "requests": "Broker ClusterWithNodes",
    "sessions": "Broker Consumer Streams Worker",
    "groups": "ClusterWithClients Connects Consumer",
    "group_bounds": "Broker Controller",
    "group_resources": "Group",
    "members": "Consumer Streams",
    "protocols": "ClusterWithNodes Connects",
    "client_dialects": "Client Consumer",
    "offsets": "Broker Connects",
    "readers": "Connects Consumer",
    "timeouts": "Client Connects Consumer Streams Worker",
    "listeners": "Broker Controller",
    "listener_lists": "Broker Controller",
    "addresses": "Broker",
    "callers": "Broker",
    "references": "Broker Controller",
    "quorum_addresses": "Nodes",
    "service_addresses": "Broker Nodes",
    "misspelt_hosts": "Broker Controller Worker",
    "bootstrap": "Client Note",
    "quorum": "Broker Controller",
    "voters": "Broker ClusterWithNodes Controller",
    "quorum_shape": "Broker ClusterWithNodes Controller",
    "metadata_log": "Broker Controller",
    "advertised": "Broker Controller",
    "roles": "Broker Controller",
    "controller_listeners": "Broker Controller",
    "listener_uses": "Broker Controller",
    "migration": "Broker Controller",
    "idempotence": "Producer Streams Worker",
    "ordering": "Producer Produces Streams Worker",
    "transactions": "Producer Streams Worker",
    "transactional_ids": "Broker ClusterWithClients Connects Controller",
    "producers": "ClusterWithClients Connects Consumer Producer",
    "delivery": "Connects Producer Streams Worker",
    "batching": "Producer Produces Streams Topic TopicDefaults Worker",
    "streams": "Streams",
    "streams_checks": "Streams",
    "streams_group": "ClusterWithClients Note Streams",
    "streams_settings": "Streams",
    "quotas": "Cluster Node Topic",
    "drift": "ClusterWithNodes",
    "identity": "ClusterWithNodes",
    "controllers": "ClusterWithNodes",
    "change_topics": "TopicChange TopicRemoval",
    "change_settings": "DefaultsChange TopicChange",
    "change_addresses": "BrokerChange",
    "change_clients": "ClientChange",
    "change_storage": "DefaultsChange TopicChange",
    "capacity": "ClusterWithNodes",
    "rates": "ClusterWithNodes Topic",
}


_loaded: set[str] = set()


def load() -> dict[str, Rule]:
    """All rules of kcheck by code, in the order of their codes."""
    _load(MODULES)
    return dict(sorted(registered().items()))


def looking_at(scope: str) -> list[Rule]:
    """The rules that run on what is called ``scope``, in the order of their codes.

    Loads those modules alone that have any: a run over some topics needs the half of them.
    """
    _load(module for module, scopes in MODULES.items() if scope in scopes.split())
    return [rule for _, rule in sorted(registered().items()) if scope in rule.scopes]


def _load(modules: Iterable[str]) -> None:
    for module in modules:
        if module not in _loaded:  # even a module that is there is slow to import
            import_module(f"kcheck.rules.{module}")
            _loaded.add(module)
