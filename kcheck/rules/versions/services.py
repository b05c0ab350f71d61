"""KC02: what a managed service accepts of topics and of the settings of its brokers."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import accepted, catalogue, services
from kcheck.graph.nodes import Broker, Managed
from kcheck.graph.topics import Topic
from kcheck.model import ERROR, Faulty, Finding, Value
from kcheck.rule import FAILED, rule
from kcheck.rules.shared.problems import findings
from kcheck.rules.shared.service import service_of, severity_of
from kcheck.wording import count, plain

_FACTOR = "replication.factor"


@rule("KC0230", "service-topic-key", ERROR, kafka=FAILED)
def service_topic_key(topic: Topic) -> Iterator[Finding]:
    """A managed service does not accept a setting of a topic.

    Confluent Cloud lets its users set a part of the topic settings, some of them within bounds; so
    does MSK Serverless. Event Hubs limits the retention and partitions of an event hub by its tier.
    The service rejects the topic, so neither Terraform nor another tool creates or changes it.

    Bad: above the bound
        --- topics.tf
        resource "confluent_kafka_topic" "scans" {
          topic_name       = "scans"
          partitions_count = 6
          config = { "max.message.bytes" = "31457280" }
        }
    Bad: not editable
        --- topics.yaml
        topics: [{name: clicks, partitions: 6, replication_factor: 3, config: {compression.type: zstd}}]
        --- kcheck.yaml
        cluster: {name: core, service: confluent-cloud}
    Bad: the tier of the namespace
        --- hubs.tf
        resource "azurerm_eventhub_namespace" "main" {
          name = "core"
          sku  = "Standard"
        }
        resource "azurerm_eventhub" "orders" {
          name              = "orders"
          namespace_id      = azurerm_eventhub_namespace.main.id
          partition_count   = 4
          message_retention = 30
        }
    Bad: the type of the cluster
        --- main.tf
        resource "confluent_kafka_cluster" "sandbox" {
          display_name = "sandbox"
          availability = "SINGLE_ZONE"
          cloud        = "AWS"
          region       = "eu-central-1"
          basic {}
        }
        resource "confluent_kafka_topic" "scans" {
          kafka_cluster { id = confluent_kafka_cluster.sandbox.id }
          topic_name       = "scans"
          partitions_count = 6
          config           = { "max.message.bytes" = "16777216" }
        }
    Good:
        --- topics.tf
        resource "confluent_kafka_topic" "scans" {
          topic_name       = "scans"
          partitions_count = 6
          config = { "max.message.bytes" = "8388608", "min.insync.replicas" = "2" }
        }
    Good: the type of the cluster
        --- main.tf
        resource "confluent_kafka_cluster" "core" {
          display_name = "core"
          availability = "SINGLE_ZONE"
          cloud        = "AWS"
          region       = "eu-central-1"
          dedicated { cku = 1 }
        }
        resource "confluent_kafka_topic" "scans" {
          kafka_cluster { id = confluent_kafka_cluster.core.id }
          topic_name       = "scans"
          partitions_count = 6
          config           = { "max.message.bytes" = "16777216" }
        }
    Good: self-managed
        --- topics.yaml
        topics: [{name: clicks, partitions: 6, replication_factor: 3, config: {compression.type: zstd}}]
    """
    service = service_of(topic)
    if service is None:
        return
    tier = topic.resource.traits.tier
    rows = accepted.by(service.called, "topic", (tier and tier.text) or "")
    others = rows.get(accepted.OTHERS)
    for key, setting in topic.resource.settings.items():
        row = rows.get(key) or (others if key in catalogue.plane("topic") else None)
        if row is None or setting.text is None:
            continue
        value = topic[key]
        if row.closed and value.value == _default(topic, key):
            continue  # as the service has it
        wanted = "" if row.closed else row.fault(setting.text, value.number)
        if row.closed or wanted:
            yield topic.finding(
                f"{topic} sets {plain(value) if value.text is not None else value.key}, but {service.called} "
                + (f"accepts {wanted}" if wanted else "does not let users set this key"),
                at=value,
                breaks="the topic is neither created nor changed: the service rejects it",
                fix=f"set {key} within the bounds of the service" if wanted else f"remove {key}",
                severity=severity_of(topic, row),
            )
    for fact in topic.resource.facts:
        row, value = rows.get(fact), topic.fact(fact)
        if row is None or not value.known or (fact == _FACTOR and _chosen(topic, value)):
            continue
        wanted = row.fault(value.text or "", value.number)
        if wanted:
            named = value.setting.name if value.setting is not None else fact
            yield topic.finding(
                f"{topic} has {named}={value.text}, but {service.called}"
                + (f" ({tier.text})" if tier is not None else "")
                + f" accepts {wanted}",
                at=value,
                because=()
                if tier is None
                else (Value("sku", topic.resource, "set", tier.text, tier.text, True, tier),),
                breaks="the topic is neither created nor changed: the service rejects it",
                fix=f"set {named} within the bounds" + (", or use another tier" if tier else ""),
                severity=severity_of(topic, row),
            )


def _chosen(topic: Topic, factor: Value) -> bool:
    """Whether the service chooses the copies itself: by -1, and of topics without disks."""
    return factor.number == -1 or "diskless.enable" in topic.resource.settings


def _default(topic: Topic, key: str) -> object:
    """Kafka's default of a topic's key."""
    from kcheck.graph.resolve import from_default

    return from_default(key, topic.resource, "topic", topic.version).value


@rule("KC0233", "service-broker-key", ERROR, kafka=FAILED)
def service_broker_key(broker: Managed) -> Iterator[Finding]:
    """A managed service does not accept a setting of its brokers.

    A configuration of Amazon MSK contains only properties from a list: listeners, directories,
    security and the quorum belong to the service. Aiven accepts its settings within bounds. A warning
    for other properties that the list does not contain: the service may have added them.

    Bad: a directory
        --- msk.tf
        resource "aws_msk_configuration" "core" {
          kafka_versions    = ["3.6.0"]
          name              = "core"
          server_properties = <<PROPERTIES
        log.dirs=/kafka/data
        auto.create.topics.enable=false
        PROPERTIES
        }
    Bad: above the bound
        --- aiven.tf
        resource "aiven_kafka" "core" {
          service_name = "core"
          kafka_user_config {
            kafka { message_max_bytes = 200000000 }
          }
        }
    Bad: what Express brokers have fixed
        --- msk.tf
        resource "aws_msk_configuration" "core" {
          kafka_versions    = ["3.6.0"]
          name              = "core"
          server_properties = <<PROPERTIES
        num.partitions=6
        min.insync.replicas=1
        PROPERTIES
        }
        resource "aws_msk_cluster" "core" {
          cluster_name           = "core"
          kafka_version          = "3.6.0"
          number_of_broker_nodes = 3
          broker_node_group_info {
            instance_type  = "express.m7g.large"
            client_subnets = ["subnet-a", "subnet-b", "subnet-c"]
          }
          configuration_info {
            arn      = aws_msk_configuration.core.arn
            revision = aws_msk_configuration.core.latest_revision
          }
        }
    Good:
        --- msk.tf
        resource "aws_msk_configuration" "core" {
          kafka_versions    = ["3.6.0"]
          name              = "core"
          server_properties = <<PROPERTIES
        auto.create.topics.enable=false
        default.replication.factor=3
        min.insync.replicas=2
        PROPERTIES
        }
    """
    if not isinstance(broker, Broker):
        return
    told = services.named(broker.resource.traits.service)
    # Brokers that somebody configures are none of a serverless cluster.
    service = next(row for row in told if "Serverless" not in row.called)
    kind = broker.fact("instance_type").text or ""
    tier = "Express" if kind.startswith("express.") else ""
    rows = accepted.by(service.called, "broker", tier)
    called = f"{service.called} {tier}".rstrip()
    others = rows.get(accepted.OTHERS)
    for key, setting in broker.resource.settings.items():
        row = rows.get(key) or (others if key in catalogue.plane("broker") else None)
        if row is None:
            continue
        value = broker[key]
        wanted = ""
        if not row.closed:
            wanted = row.fault(setting.text, value.number) if setting.text is not None else ""
            if not wanted:
                continue
        yield broker.finding(
            f"{broker} sets {plain(value) if setting.text is not None else key}, but {called} "
            + (f"accepts {wanted}" if wanted else "does not accept this property"),
            at=value,
            breaks=(
                "the service rejects the configuration"
                if row.severity == ERROR
                else "the service rejects the configuration unless it has added the property to its list"
            ),
            fix=f"set {key} within the bounds of the service" if wanted else f"remove {key}",
            severity=row.severity,
        )


@rule("KC0234", "msk-brokers-per-zone", ERROR, kafka=FAILED)
def msk_brokers_per_zone(broker: Managed) -> Iterator[Finding]:
    """The brokers of an MSK cluster cannot be spread evenly over its availability zones.

    Amazon MSK places brokers in two or three subnets, each in another availability zone, and requires
    a number of brokers that is a multiple of the number of zones.

    Bad:
        --- msk.tf
        resource "aws_msk_cluster" "core" {
          cluster_name           = "core"
          kafka_version          = "3.6.0"
          number_of_broker_nodes = 4
          broker_node_group_info {
            instance_type  = "kafka.m5.large"
            client_subnets = [aws_subnet.a.id, aws_subnet.b.id, aws_subnet.c.id]
          }
        }
    Good:
        --- msk.tf
        resource "aws_msk_cluster" "core" {
          cluster_name           = "core"
          kafka_version          = "3.6.0"
          number_of_broker_nodes = 6
          broker_node_group_info {
            instance_type  = "kafka.m5.large"
            client_subnets = [aws_subnet.a.id, aws_subnet.b.id, aws_subnet.c.id]
          }
        }
    """
    zones, brokers = broker.fact("zones"), broker.fact("replicas")
    for value in (zones, brokers):
        # In the words of the file: Kafka has no names for them.
        value.key = value.setting.name if value.setting is not None else value.key
    row = accepted.by("Amazon MSK", "cluster")["zones"]
    wanted = row.fault("", zones.number)
    if wanted:
        yield broker.finding(
            f"{broker} has {count(zones.number, 'subnet')}, but Amazon MSK accepts {wanted}",
            at=zones,
            breaks="the service rejects the cluster",
            fix="list two or three subnets in different availability zones",
        )
    elif brokers.number % zones.number > 0:
        more = int(brokers.number + zones.number - brokers.number % zones.number)
        yield broker.finding(
            f"{broker} has {count(brokers.number, 'broker')} in {count(zones.number, 'subnet')}, which "
            "is no multiple",
            at=brokers,
            because=(zones,),
            breaks="the service rejects the cluster: the number of brokers must be a multiple of the "
            "availability zones",
            fix=f"set {brokers.key} to {more}",
        )


@rule("KC0249", "msk-secret-refused", ERROR)
def msk_secret_refused(document: Faulty) -> Iterator[Finding]:
    """A secret with credentials for SCRAM has a name or a key that Amazon MSK does not accept.

    MSK associates secrets only if their name begins with AmazonMSK_ and they are encrypted with a key
    of the customer: the default key of Secrets Manager cannot be used.

    Bad: another name
        --- users.tf
        resource "aws_secretsmanager_secret" "orders" {
          name       = "msk/orders"
          kms_key_id = aws_kms_key.msk.key_id
        }
        resource "aws_msk_scram_secret_association" "users" {
          cluster_arn     = aws_msk_cluster.main.arn
          secret_arn_list = [aws_secretsmanager_secret.orders.arn]
        }
    Bad: the default key
        --- users.tf
        resource "aws_secretsmanager_secret" "orders" {
          name = "AmazonMSK_orders"
        }
        resource "aws_msk_single_scram_secret_association" "orders" {
          cluster_arn = aws_msk_cluster.main.arn
          secret_arn  = aws_secretsmanager_secret.orders.arn
        }
    Good:
        --- users.tf
        resource "aws_secretsmanager_secret" "orders" {
          name       = "AmazonMSK_${var.environment}_orders"
          kms_key_id = aws_kms_key.msk.key_id
        }
        resource "aws_msk_scram_secret_association" "users" {
          cluster_arn     = aws_msk_cluster.main.arn
          secret_arn_list = [aws_secretsmanager_secret.orders.arn]
        }
    Good: a secret of another file, and one for something else
        --- users.tf
        resource "aws_secretsmanager_secret" "database" {
          name = "orders-database"
        }
        resource "aws_msk_scram_secret_association" "users" {
          cluster_arn     = aws_msk_cluster.main.arn
          secret_arn_list = [aws_secretsmanager_secret.orders.arn]
        }
    """
    yield from findings(document, "KC0249")
