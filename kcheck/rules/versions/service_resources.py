"""KC02: resources of a managed service in Terraform that ask what it does not offer."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.model import ERROR, WARNING, Faulty, Finding
from kcheck.rule import rule
from kcheck.rules.shared.problems import findings


@rule("KC0269", "service-plan-offer", ERROR)
def service_plan_offer(document: Faulty) -> Iterator[Finding]:
    """A resource requires something that its plan or instance type does not offer.

    Amazon MSK has no tiered storage on kafka.t3.small, and Express brokers no storage to provision; a volume of others has up to 16384 GiB.
    Confluent Cloud has no roles on topics, groups and transactional ids of Basic clusters, which have
    ACLs only; Basic and Standard clusters have no client quotas, settings or cluster links to them,
    Enterprise clusters no ksqlDB, and clusters in several zones at least two units. Namespaces of Event
    Hubs inflate by themselves in the Standard tier alone. Clusters of Amazon MSK have logins by SASL with
    TLS alone, and those of Google 1 to 8 GiB of memory for each processor.

    Bad: tiered storage on the smallest brokers
        --- msk.tf
        resource "aws_msk_cluster" "audit" {
          cluster_name           = "audit"
          kafka_version          = "3.6.0"
          number_of_broker_nodes = 3
          storage_mode           = "TIERED"
          broker_node_group_info {
            instance_type  = "kafka.t3.small"
            client_subnets = var.subnets
          }
        }
    Bad: storage of Express brokers
        --- msk.tf
        resource "aws_msk_cluster" "audit" {
          cluster_name           = "audit"
          kafka_version          = "3.6.0"
          number_of_broker_nodes = 3
          broker_node_group_info {
            instance_type  = "express.m7g.large"
            client_subnets = var.subnets
            storage_info {
              ebs_storage_info { volume_size = 100 }
            }
          }
        }
    Bad: a role on a topic of a Basic cluster
        --- main.tf
        resource "confluent_kafka_cluster" "sandbox" {
          display_name = "sandbox"
          availability = "SINGLE_ZONE"
          cloud        = "AWS"
          region       = "eu-central-1"
          basic {}
        }
        resource "confluent_role_binding" "loader" {
          principal   = "User:${confluent_service_account.loader.id}"
          role_name   = "DeveloperWrite"
          crn_pattern = "${confluent_kafka_cluster.sandbox.rbac_crn}/kafka=${confluent_kafka_cluster.sandbox.id}/topic=clicks"
        }
    Bad: quotas of a Standard cluster
        --- main.tf
        resource "confluent_kafka_cluster" "orders" {
          display_name = "orders"
          availability = "SINGLE_ZONE"
          cloud        = "AWS"
          region       = "eu-central-1"
          standard {}
        }
        resource "confluent_kafka_client_quota" "shipping" {
          display_name = "shipping"
          throughput {
            ingress_byte_rate = "1000000"
            egress_byte_rate  = "1000000"
          }
          principals = [confluent_service_account.shipping.id]
          kafka_cluster { id = confluent_kafka_cluster.orders.id }
        }
    Bad: one unit in several zones
        --- main.tf
        resource "confluent_kafka_cluster" "orders" {
          display_name = "orders"
          availability = "MULTI_ZONE"
          cloud        = "AWS"
          region       = "eu-central-1"
          dedicated { cku = 1 }
        }
    Bad: a namespace of the Basic tier
        --- hubs.tf
        resource "azurerm_eventhub_namespace" "core" {
          name                     = "core"
          sku                      = "Basic"
          auto_inflate_enabled     = true
          maximum_throughput_units = 4
        }
    Good: quotas of a Dedicated cluster, whose type another file tells
        --- cluster.tf
        module "cluster" { source = "./cluster" }
        --- quotas.tf
        resource "confluent_kafka_client_quota" "shipping" {
          display_name = "shipping"
          throughput {
            ingress_byte_rate = "1000000"
            egress_byte_rate  = "1000000"
          }
          principals = [confluent_service_account.shipping.id]
          kafka_cluster { id = module.cluster.id }
        }
        --- cluster/main.tf
        resource "confluent_kafka_cluster" "this" {
          display_name = "orders"
          availability = "MULTI_ZONE"
          cloud        = "AWS"
          region       = "eu-central-1"
          dedicated { cku = 2 }
        }
        --- cluster/outputs.tf
        output "id" { value = confluent_kafka_cluster.this.id }
    Good:
        --- msk.tf
        resource "aws_msk_cluster" "audit" {
          cluster_name           = "audit"
          kafka_version          = "3.6.0"
          number_of_broker_nodes = 3
          storage_mode           = "TIERED"
          broker_node_group_info {
            instance_type  = "kafka.m5.large"
            client_subnets = var.subnets
          }
        }
    Good: a role on the whole cluster
        --- main.tf
        resource "confluent_kafka_cluster" "sandbox" {
          display_name = "sandbox"
          availability = "SINGLE_ZONE"
          cloud        = "AWS"
          region       = "eu-central-1"
          basic {}
        }
        resource "confluent_role_binding" "admin" {
          principal   = "User:${confluent_service_account.admin.id}"
          role_name   = "CloudClusterAdmin"
          crn_pattern = confluent_kafka_cluster.sandbox.rbac_crn
        }
    Good: the binding is made for other types of clusters only
        --- main.tf
        variable "type" { default = "Basic" }
        locals { has_roles = var.type != "Basic" }
        resource "confluent_kafka_cluster" "orders" {
          display_name = "orders"
          availability = "SINGLE_ZONE"
          cloud        = "AWS"
          region       = "eu-central-1"
          dynamic "basic" {
            for_each = var.type == "Basic" ? [1] : []
            content {}
          }
          dynamic "standard" {
            for_each = var.type == "Standard" ? [1] : []
            content {}
          }
        }
        resource "confluent_role_binding" "loader" {
          for_each    = local.has_roles ? toset(var.topics) : toset([])
          principal   = "User:${confluent_service_account.loader.id}"
          role_name   = "DeveloperWrite"
          crn_pattern = "${confluent_kafka_cluster.orders.rbac_crn}/kafka=${confluent_kafka_cluster.orders.id}/topic=${each.value}"
        }
        resource "confluent_kafka_client_quota" "shipping" {
          count        = var.type == "Dedicated" ? 1 : 0
          display_name = "shipping"
          throughput {
            ingress_byte_rate = "1000000"
            egress_byte_rate  = "1000000"
          }
          principals = [confluent_service_account.shipping.id]
          kafka_cluster { id = confluent_kafka_cluster.orders.id }
        }
    Bad: a volume that no broker has
        --- msk.tf
        resource "aws_msk_cluster" "audit" {
          cluster_name           = "audit"
          kafka_version          = "3.6.0"
          number_of_broker_nodes = 3
          broker_node_group_info {
            instance_type  = "kafka.m5.large"
            client_subnets = var.subnets
            storage_info {
              ebs_storage_info { volume_size = 32768 }
            }
          }
        }
    """
    yield from findings(document, "KC0269")


@rule("KC0270", "msk-configuration-unused", WARNING)
def msk_configuration_unused(document: Faulty) -> Iterator[Finding]:
    """A configuration of Amazon MSK is beside a cluster that has none.

    A cluster takes a configuration only if configuration_info names its ARN and revision. Without it
    the brokers run with the default configuration of the service.

    Bad:
        --- msk.tf
        resource "aws_msk_configuration" "events" {
          name              = "events"
          server_properties = "auto.create.topics.enable=false"
        }
        resource "aws_msk_cluster" "events" {
          cluster_name           = "events"
          kafka_version          = "3.6.0"
          number_of_broker_nodes = 3
          broker_node_group_info {
            instance_type  = "kafka.m5.large"
            client_subnets = var.subnets
          }
        }
    Good:
        --- msk.tf
        resource "aws_msk_configuration" "events" {
          name              = "events"
          server_properties = "auto.create.topics.enable=false"
        }
        resource "aws_msk_cluster" "events" {
          cluster_name           = "events"
          kafka_version          = "3.6.0"
          number_of_broker_nodes = 3
          configuration_info {
            arn      = aws_msk_configuration.events.arn
            revision = aws_msk_configuration.events.latest_revision
          }
          broker_node_group_info {
            instance_type  = "kafka.m5.large"
            client_subnets = var.subnets
          }
        }
    Good: another file may have its cluster
        --- configuration.tf
        resource "aws_msk_configuration" "events" {
          name              = "events"
          server_properties = "auto.create.topics.enable=false"
        }
    """
    yield from findings(document, "KC0270")


@rule("KC0271", "confluent-principal-id", WARNING)
def confluent_principal_id(document: Faulty) -> Iterator[Finding]:
    """A principal of Confluent Cloud is a display name instead of an id.

    ACLs and role bindings of Confluent Cloud name a service account, user or identity pool by its id
    (User:sa-1a2b3c). A display name is no principal.

    Bad:
        --- acls.tf
        resource "confluent_kafka_acl" "orders" {
          resource_type = "TOPIC"
          resource_name = "orders"
          pattern_type  = "LITERAL"
          principal     = "User:${confluent_service_account.shipping.display_name}"
          host          = "*"
          operation     = "READ"
          permission    = "ALLOW"
        }
    Bad: a name in so many words
        --- acls.tf
        resource "confluent_kafka_acl" "orders" {
          resource_type = "TOPIC"
          resource_name = "orders"
          pattern_type  = "LITERAL"
          principal     = "User:shipping"
          host          = "*"
          operation     = "READ"
          permission    = "ALLOW"
        }
    Bad: a role binding
        --- roles.tf
        resource "confluent_role_binding" "shipping" {
          principal   = "User:${confluent_service_account.shipping.display_name}"
          role_name   = "CloudClusterAdmin"
          crn_pattern = confluent_kafka_cluster.orders.rbac_crn
        }
    Good:
        --- acls.tf
        resource "confluent_kafka_acl" "orders" {
          resource_type = "TOPIC"
          resource_name = "orders"
          pattern_type  = "LITERAL"
          principal     = "User:${confluent_service_account.shipping.id}"
          host          = "*"
          operation     = "READ"
          permission    = "ALLOW"
        }
        resource "confluent_kafka_acl" "audit" {
          resource_type = "TOPIC"
          resource_name = "orders"
          pattern_type  = "LITERAL"
          principal     = "User:sa-1a2b3c"
          host          = "*"
          operation     = "READ"
          permission    = "ALLOW"
        }
    """
    yield from findings(document, "KC0271")


@rule("KC0272", "msk-scram-not-enabled", ERROR)
def msk_scram_not_enabled(document: Faulty) -> Iterator[Finding]:
    """Credentials for SASL/SCRAM are associated with an MSK cluster that does not enable it.

    Bad:
        --- msk.tf
        resource "aws_msk_cluster" "events" {
          cluster_name           = "events"
          kafka_version          = "3.6.0"
          number_of_broker_nodes = 3
          broker_node_group_info {
            instance_type  = "kafka.m5.large"
            client_subnets = var.subnets
          }
          client_authentication {
            sasl { iam = true }
          }
        }
        resource "aws_msk_scram_secret_association" "users" {
          cluster_arn     = aws_msk_cluster.events.arn
          secret_arn_list = [var.secret]
        }
    Good:
        --- msk.tf
        resource "aws_msk_cluster" "events" {
          cluster_name           = "events"
          kafka_version          = "3.6.0"
          number_of_broker_nodes = 3
          broker_node_group_info {
            instance_type  = "kafka.m5.large"
            client_subnets = var.subnets
          }
          client_authentication {
            sasl { scram = true }
          }
        }
        resource "aws_msk_scram_secret_association" "users" {
          cluster_arn     = aws_msk_cluster.events.arn
          secret_arn_list = [var.secret]
        }
    Good: the secrets are associated under a condition
        --- msk.tf
        resource "aws_msk_cluster" "events" {
          cluster_name           = "events"
          kafka_version          = "3.6.0"
          number_of_broker_nodes = 3
          broker_node_group_info {
            instance_type  = "kafka.m5.large"
            client_subnets = var.subnets
          }
          client_authentication {
            sasl { iam = true }
          }
        }
        resource "aws_msk_scram_secret_association" "users" {
          count           = var.scram ? 1 : 0
          cluster_arn     = aws_msk_cluster.events.arn
          secret_arn_list = [var.secret]
        }
    """
    yield from findings(document, "KC0272")
