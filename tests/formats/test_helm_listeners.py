"""The listeners and logins of Bitnami's chart as settings of its brokers and controllers."""

from __future__ import annotations

import pytest
from spans import under

from kcheck import formats
from kcheck.model import Derived, Resource

VALUES = """\
kraft: {enabled: true}
listeners:
  client: {name: clients, containerPort: 9092, protocol: sasl_ssl}
  interbroker: {containerPort: 9094, protocol: PLAINTEXT}
  external: {containerPort: 9095, protocol: SSL}
  controller: {containerPort: 9093, protocol: SASL_PLAINTEXT}
sasl:
  enabledMechanisms: plain,SCRAM-SHA-512
  interBrokerMechanism: PLAIN
  controllerMechanism: PLAIN
controller: {replicaCount: 3}
"""


def brokers(text: str, beside: str = "") -> list[Resource]:
    document = formats.read(
        "values.yaml", text.encode(), lambda path: b"x" if path == beside else None
    )
    assert document.format == "helm-values"
    return document.resources


def texts(resource: Resource) -> dict[str, str | None]:
    return {key: setting.text for key, setting in resource.settings.items()}


def test_the_chart_makes_settings_of_its_parameters() -> None:
    (broker,) = brokers(VALUES)
    assert texts(broker) == {
        "process.roles": "controller,broker",
        "listener.security.protocol.map": "CLIENTS:SASL_SSL,INTERNAL:PLAINTEXT,CONTROLLER:SASL_PLAINTEXT",
        "listeners": "CLIENTS://:9092,INTERNAL://:9094,CONTROLLER://:9093",
        "controller.listener.names": "CONTROLLER",
        "inter.broker.listener.name": "INTERNAL",
        "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-512",
        "sasl.mechanism.controller.protocol": "PLAIN",
    }
    chosen = broker.settings["sasl.mechanism.controller.protocol"]
    assert (under(VALUES, chosen.at), chosen.name) == ("PLAIN", "controllerMechanism")
    assert under(VALUES, broker.settings["listeners"].at) == "listeners"
    assert under(VALUES, broker.settings["process.roles"].at) == "enabled"
    assert isinstance(broker.settings["listeners"], Derived)
    assert broker.facts["controllers"].text == "3"


@pytest.mark.parametrize(
    ("old", "new", "key", "expected"),
    [
        # ZooKeeper, now or still.
        ("enabled: true", "enabled: false", "controller.listener.names", None),
        ("enabled: true", "enabled: false", "listeners", "CLIENTS://:9092,INTERNAL://:9094"),
        ("kraft:", "zookeeper: {enabled: true}\nkraft:", "process.roles", None),
        ("kraft:", "externalZookeeper: {servers: [z:1]}\nkraft:", "listeners", None),
        ("kraft: {enabled: true}\n", "", "process.roles", "controller,broker"),
        ("enabled: true", "enabled: '{{ x }}'", "process.roles", None),
        # The one for the world outside is there when somebody asks for it.
        (
            "kraft:",
            "externalAccess: {enabled: true}\nkraft:",
            "listeners",
            "CLIENTS://:9092,INTERNAL://:9094,EXTERNAL://:9095,CONTROLLER://:9093",
        ),
        ("kraft:", "externalAccess: {enabled: '{{ x }}'}\nkraft:", "listeners", None),
        # Whatever the chart may say otherwise is unknown.
        ("containerPort: 9094, ", "", "listeners", None),
        ("containerPort: 9094, protocol: PLAINTEXT", "containerPort: 9094", "listeners", "CLIENTS"),
        (", protocol: PLAINTEXT", "", "listener.security.protocol.map", None),
        ("  client:", "  extraListeners: [{name: A}]\n  client:", "listeners", None),
        ("  client:", "  extraListeners: []\n  client:", "listeners", "CLIENTS"),
        ("name: clients", "name: '{{ x }}'", "listeners", None),
        # Texts that are taken as they are.
        ("  client:", "  overrideListeners: A://:1\n  client:", "listeners", "A://:1"),
        ("  client:", "  overrideListeners: ''\n  client:", "listeners", "CLIENTS"),
        (
            "  client:",
            "  securityProtocolMap: A:SSL\n  client:",
            "listener.security.protocol.map",
            "A:SSL",
        ),
        ("  client:", "  advertisedListeners: A://a:1\n  client:", "advertised.listeners", "A://a"),
        # Mechanisms are written for listeners with SASL.
        (
            "interbroker: {",
            "interbroker: {name: between, ",
            "inter.broker.listener.name",
            "between",
        ),
        ("protocol: PLAINTEXT", "protocol: SASL_SSL", "sasl.mechanism.inter.broker.protocol", "PL"),
        ("SASL_PLAINTEXT", "SSL", "sasl.mechanism.controller.protocol", None),
        ("kraft:", "config: a=b\nkraft:", "listeners", None),
        ("replicaCount: 3", "existingConfigmap: own", "listeners", None),
        ("kraft:", "extraConfig: listeners=A://:1\nkraft:", "listeners", "A://:1"),
    ],
)
def test_a_setting(old: str, new: str, key: str, expected: str | None) -> None:
    assert old in VALUES
    (broker,) = brokers(VALUES.replace(old, new))
    found = broker.settings.get(key)
    if expected is None:
        assert found is None
    else:
        assert found is not None
        assert (found.text or "").startswith(expected)


def test_nobody_logs_in() -> None:
    text = VALUES.replace("sasl_ssl", "ssl").replace("SASL_PLAINTEXT", "SSL")
    (broker,) = brokers(text)
    assert [key for key in broker.settings if key.startswith("sasl")] == []


def test_controllers_of_their_own() -> None:
    text = VALUES.replace("replicaCount: 3", "replicaCount: 3, controllerOnly: true")
    text = f"extraConfig: sasl.mechanism.controller.protocol=GSSAPI\n{text}"
    broker, controllers = brokers(text)
    assert (broker.kind, controllers.kind) == ("broker", "controller")
    assert broker.settings["listeners"].text == "CLIENTS://:9092,INTERNAL://:9094"
    assert broker.settings["process.roles"].text == "broker"
    assert texts(controllers) == {
        "process.roles": "controller",
        "listener.security.protocol.map": "CONTROLLER:SASL_PLAINTEXT",
        "listeners": "CONTROLLER://:9093",
        "controller.listener.names": "CONTROLLER",
        "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-512",
        "sasl.mechanism.controller.protocol": "GSSAPI",
    }


def test_another_file_may_say_more() -> None:
    (broker,) = brokers(VALUES.replace("kraft: {enabled: true}\n", ""), beside="values-prod.yaml")
    assert texts(broker) == {"sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-512"}
    (broker,) = brokers(VALUES, beside="values-prod.yaml")
    assert "listeners" not in broker.settings
    assert broker.settings["process.roles"].text == "controller,broker"


def test_lists_of_older_charts_say_nothing_here() -> None:
    text = (
        "image: {repository: bitnami/kafka}\nlisteners: [a]\nsasl: {controllerMechanism: PLAIN}\n"
    )
    (broker,) = brokers(text)
    assert broker.settings == {}
