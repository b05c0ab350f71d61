"""A Strimzi ``Kafka`` changes its listeners or its authorization: what clients notice, and what not."""

from __future__ import annotations

import pytest
from states import compared

KAFKA = """\
apiVersion: kafka.strimzi.io/v1beta2
kind: Kafka
metadata:
  name: core
spec:
  kafka:
    version: 4.1.0
    replicas: 3
    listeners:
      - name: plain
        port: 9092
        type: internal
        tls: false
      - name: tls
        port: 9093
        type: internal
        tls: true
        authentication:
          type: tls
      - name: outside
        port: 9094
        type: nodeport
        tls: true
        authentication:
          type: scram-sha-512
        configuration:
          bootstrap:
            nodePort: 32100
            host: kafka.example.com
    authorization:
      type: simple
    config:
      min.insync.replicas: 2
"""
PLAIN = """\
      - name: plain
        port: 9092
        type: internal
        tls: false
"""
MTLS = "        authentication:\n          type: tls\n"
SCRAM = "        authentication:\n          type: scram-sha-512\n"

#: What is replaced by what: the rule, the line that it points at (of the text as it is then), a word.
DANGEROUS = {
    "a listener is gone": (PLAIN, "", "KC1910", "listeners:", "removes listener plain"),
    "another port": ("port: 9092", "port: 9192", "KC1910", "port: 9192", "from 9092 to 9192"),
    "another type": ("type: nodeport", "type: route", "KC1910", "type: route", "type of listener"),
    "another node port": ("32100", "32101", "KC1910", "nodePort: 32101", "32100 to 32101"),
    "another host": ("kafka.ex", "k.ex", "KC1910", "host: k.ex", "kafka.example.com to k."),
    "encrypted": ("tls: false", "tls: true", "KC1910", "tls: true", "tls of listener plain"),
    "no encryption": (
        "port: 9093\n        type: internal\n        tls: true",
        "port: 9093\n        type: internal\n        tls: false",
        "KC1910",
        "tls: false",
        "tls of listener tls from true to false",
    ),
    "no names of users": (MTLS, "", "KC1910", "name: tls", "removes authentication tls"),
    "no passwords": (SCRAM, "", "KC1910", "name: outside", "removes authentication scram"),
    "certificates": (
        "        tls: false\n",
        "        tls: false\n" + MTLS,
        "KC1911",
        "type: tls",
        "from none to tls",
    ),
    "another kind": (SCRAM, MTLS, "KC1911", "type: tls", "from scram-sha-512 to tls"),
    "a service of another name": (
        "name: outside",
        "name: external",
        "KC1910",
        "listeners:",
        "removes listener outside",
    ),
    "no authorization": (
        "    authorization:\n      type: simple\n",
        "",
        "KC1913",
        "name: core",
        "removes its authorizer",
    ),
}
HARMLESS = {
    "one more": (PLAIN, PLAIN + "      - {name: sasl, port: 9095, type: internal, tls: true}\n"),
    "another order": (
        PLAIN + "      - name: tls\n        port: 9093\n        type: internal\n        tls: true\n" + MTLS,
        "      - name: tls\n        port: 9093\n        type: internal\n        tls: true\n" + MTLS + PLAIN,
    ),
    "written in one line": (PLAIN, '      - {name: plain, port: 9092, type: "internal", tls: false}\n'),
    "a port that nobody dials": ("port: 9094", "port: 9096"),
    "another name inside": ("name: plain", "name: clear"),
    "filled in": ("port: 9092", "port: ${PORT}"),
    "a name that is filled in": ("name: plain", "name: ${NAME}"),
    "authentication that is filled in": (SCRAM, "        authentication: ${AUTHENTICATION}\n"),
    "left to Kubernetes": ("            nodePort: 32100\n", ""),
    "more about a listener": ("        tls: false\n", "        tls: false\n        networkPolicyPeers: []\n"),
    "more about the authorizer": ("      type: simple", "      type: simple\n      superUsers: [CN=root]"),
}  # fmt: skip


def edited(old: str, new: str) -> str:
    assert KAFKA.count(old) == 1
    return KAFKA.replace(old, new)


@pytest.mark.parametrize("name", DANGEROUS)
def test_what_clients_notice(name: str) -> None:
    old, new, rule, where, word = DANGEROUS[name]
    text = edited(old, new)
    (found,) = compared({"kafka.yaml": KAFKA}, {"kafka.yaml": text})
    assert (found.code, found.path) == (rule, "kafka.yaml")
    assert where in text.splitlines()[found.at[0] - 1]
    assert word in found.message
    assert found.consequence and found.fix


def test_an_authorizer_that_comes() -> None:
    without = edited("    authorization:\n      type: simple\n", "")
    (found,) = compared({"kafka.yaml": without}, {"kafka.yaml": KAFKA})
    assert found.code == "KC1913"
    assert "super.users" not in found.consequence


@pytest.mark.parametrize("name", HARMLESS)
def test_what_nobody_notices(name: str) -> None:
    assert compared({"kafka.yaml": KAFKA}, {"kafka.yaml": edited(*HARMLESS[name])}) == []


def test_the_mapping_of_old_versions_is_not_compared() -> None:
    old = KAFKA[: KAFKA.index("    listeners:")] + "    listeners:\n      plain: {}\n"
    assert compared({"kafka.yaml": old}, {"kafka.yaml": old.replace("plain", "tls")}) == []


def test_a_pool_in_another_file_changes_nothing() -> None:
    pool = """\
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaNodePool
metadata: {name: brokers, labels: {strimzi.io/cluster: core}}
spec: {replicas: 3, roles: [broker]}
"""
    moved = {"kafka.yaml": edited("port: 9092", "port: 9192"), "pool.yaml": pool}
    found = compared({"kafka.yaml": KAFKA, "pool.yaml": pool}, moved)
    assert [finding.code for finding in found] == ["KC1910"]
