"""Where clusters of managed services answer, as Terraform and CloudFormation tell it."""

from __future__ import annotations

from textwrap import dedent

import pytest

from kcheck import formats
from kcheck.engine import Project, lint_project
from kcheck.model import Resource
from kcheck.settings import Settings

BOOTSTRAP = "b-1.core.k3x9ab.c6.kafka.eu-central-1.amazonaws.com"


def brokers(path: str, text: str) -> Resource:
    document = formats.read(path, dedent(text).encode(), lambda _: None)
    (found,) = [one for one in document.resources if one.kind == "broker"]
    return found


def ports(path: str, text: str) -> list[int | None]:
    return sorted({one.port for one in brokers(path, text).traits.addresses}, key=str)


def lint(files: dict[str, str]) -> Project:
    return lint_project([(p, t.encode()) for p, t in files.items()], Settings())


def msk(inner: str, name: str = '"core"') -> str:
    return (
        f'resource "aws_msk_cluster" "main" {{\n  cluster_name = {name}\n'
        f"  number_of_broker_nodes = 3\n{inner}\n}}\n"
    )


ENCRYPTED = 'encryption_info {\n encryption_in_transit {\n client_broker = "%s"\n}\n}'
LOGINS = "client_authentication {\n sasl {\n %s\n}\n}"


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        ("", [9092, 9094, 9194]),
        (ENCRYPTED % "TLS", [9094, 9194]),
        (ENCRYPTED % "TLS_PLAINTEXT", [9092, 9094, 9194]),
        (ENCRYPTED % "PLAINTEXT", [9092]),
        (ENCRYPTED % "${var.transit}", [9092, 9094, 9194]),
        (ENCRYPTED % "TLS" + "\n" + LOGINS % "iam = true", [9094, 9098, 9194, 9198]),
        (LOGINS % "scram = true\n iam = false", [9092, 9094, 9096, 9194, 9196]),
        (LOGINS % "iam = var.iam", [9092, 9094, 9098, 9194, 9198]),
        ("client_authentication {\n unauthenticated = true\n}", [9092, 9094, 9194]),
        # Nobody knows what is in it.
        (
            'dynamic "client_authentication" {\n for_each = var.a\n}',
            [9092, 9094, 9096, 9098, 9194, 9196, 9198],
        ),
        (
            "lifecycle {\n ignore_changes = [client_authentication]\n}",
            [9092, 9094, 9096, 9098, 9194, 9196, 9198],
        ),
    ],
)
def test_ports_that_may_be_open(inner: str, expected: list[int]) -> None:
    assert ports("msk.tf", msk(inner)) == expected


def test_a_name_that_is_made_says_nothing_of_ports() -> None:
    (address,) = brokers("msk.tf", msk("", '"${var.env}-core"')).traits.addresses
    assert (address.host, address.port) == ("b-*.kafka.*.amazonaws.com", None)


CLOUD = """\
    Resources:
      Main:
        Type: AWS::MSK::Cluster
        Properties:
          ClusterName: core
          NumberOfBrokerNodes: 3
          EncryptionInfo: {EncryptionInTransit: {ClientBroker: TLS}}
          ClientAuthentication: %s
    """


@pytest.mark.parametrize(
    ("logins", "expected"),
    [
        ("{Sasl: {Iam: {Enabled: true}}}", [9094, 9098, 9194, 9198]),
        ("{Sasl: {Iam: {Enabled: false}}}", [9094, 9194]),
        ("{Sasl: {Scram: {Enabled: !Ref Scram}}}", [9094, 9096, 9194, 9196]),
        ("{Sasl: !If [Login, {Iam: {Enabled: true}}, !Ref Other]}", [9094, 9096, 9098]),
        ("{'Fn::If': [a, b, c]}", [9094, 9096, 9098]),
    ],
)
def test_ports_by_cloudformation(logins: str, expected: list[int]) -> None:
    assert [port for port in ports("msk.yaml", CLOUD % logins) if port in expected] == expected


def asks(port: int, more: str = "") -> str:
    return f"bootstrap.servers={BOOTSTRAP}:{port}\ngroup.id=billing\n{more}"


IAM = (
    "security.protocol=SASL_SSL\nsasl.mechanism=AWS_MSK_IAM\n"
    "sasl.jaas.config=software.amazon.msk.auth.iam.IAMLoginModule required;\n"
    "sasl.client.callback.handler.class=software.amazon.msk.auth.iam.IAMClientCallbackHandler\n"
)


@pytest.mark.parametrize(
    ("inner", "client", "told"),
    [
        (ENCRYPTED % "TLS", asks(9092), True),
        ("", asks(9092), False),
        (ENCRYPTED % "TLS", asks(9094, "security.protocol=SSL"), False),
        (ENCRYPTED % "TLS", asks(9098, IAM), True),
        (LOGINS % "iam = true", asks(9098, IAM), False),
        (LOGINS % "iam = true", asks(9198, IAM), False),
        (LOGINS % "scram = true", asks(9198, IAM), True),
        # MSK's private links have ports of their own.
        (LOGINS % "scram = true", asks(14001, IAM), False),
        # One of several entries answers.
        (ENCRYPTED % "TLS", asks(9092).replace("\n", f",{BOOTSTRAP}:9094\n", 1), False),
    ],
)
def test_a_port_that_the_cluster_does_not_have(inner: str, client: str, told: bool) -> None:
    project = lint({"msk.tf": msk(inner), "app/consumer.properties": client})
    found = [f for f in project.findings if f.code == "KC1074"]
    assert [f.path for f in found] == (["app/consumer.properties"] if told else [])


def test_the_name_of_another_cluster_is_longer() -> None:
    other = asks(9098, IAM).replace("b-1.core.", "b-1.coreeu.")
    project = lint({"msk.tf": msk(ENCRYPTED % "TLS"), "app/consumer.properties": other})
    assert len(project.clusters) == 2
    assert "KC1074" not in [f.code for f in project.findings]


SERVERLESS = 'resource "aws_msk_serverless_cluster" "main" {\n  cluster_name = "core"\n}\n'


def test_a_serverless_cluster_has_one_port() -> None:
    assert ports("msk.tf", SERVERLESS) == [9098]
    text = "Resources: {C: {Type: AWS::MSK::ServerlessCluster, Properties: {ClusterName: core}}}\n"
    assert ports("msk.yaml", text) == [9098]
    host = "boot-7ab2.c3.kafka-serverless.eu-west-1.amazonaws.com"
    files = {
        "msk.tf": SERVERLESS,
        "a/consumer.properties": asks(9092, IAM).replace(BOOTSTRAP, host),
    }
    project = lint(files)
    assert [cluster.service for cluster in project.clusters] == ["msk"]
    assert [f.code for f in project.findings if f.code in ("KC0493", "KC1074")] == ["KC0493"]


HUBS = """\
resource "azurerm_eventhub_namespace" "main" {
  name = "brewery-prod"
  sku  = "Standard"
}

resource "azurerm_eventhub" "tanks" {
  name            = "tanks"
  namespace_id    = azurerm_eventhub_namespace.main.id
  partition_count = 4
}
"""


def test_a_namespace_of_event_hubs_is_a_cluster() -> None:
    asked = "bootstrap.servers=%s.servicebus.windows.net:9093\ngroup.id=a\n"
    project = lint(
        {
            "infra/hubs.tf": HUBS,
            "services/a/consumer.properties": asked % "brewery-prod",
            "services/b/consumer.properties": asked % "brewery-test",
        }
    )
    main, other = project.clusters
    assert [r.path for r in main.resources] == [
        "infra/hubs.tf",
        "infra/hubs.tf",
        "services/a/consumer.properties",
    ]
    assert (main.service, [t.name for t in main.topics]) == ("event-hubs", ["tanks"])
    assert main.topics[0].partitions.number == 4
    assert [r.path for r in other.resources] == ["services/b/consumer.properties"]


def test_a_namespace_with_a_made_name() -> None:
    (address,) = brokers(
        "hubs.tf", 'resource "azurerm_eventhub_namespace" "a" {\n  name = var.name\n}\n'
    ).traits.addresses
    assert (address.host, address.port) == ("*.servicebus.windows.net", 9093)
