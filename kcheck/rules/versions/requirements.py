"""KC02: what products' documents require of fields of their resources and files."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.model import ERROR, WARNING, Faulty, Finding
from kcheck.rule import PREVIEW, rule
from kcheck.rules.shared.problems import findings


@rule("KC0276", "requirement-not-met", ERROR)
def requirement_not_met(document: Faulty) -> Iterator[Finding]:
    """A resource or a file lacks what its service or program requires, or has what it excludes.

    Public access to Amazon MSK requires that all clients log in, a schema of Aiven's a service with a
    registry, a gateway by server names TLS, a topic of Confluent Cloud's an endpoint. Durations of exporters written in Go have a unit.

    Bad: public access without a login
        --- msk.tf
        resource "aws_msk_cluster" "audit" {
          cluster_name           = "audit"
          kafka_version          = "3.6.0"
          number_of_broker_nodes = 3
          broker_node_group_info {
            instance_type  = "kafka.m5.large"
            client_subnets = var.subnets
            connectivity_info {
              public_access { type = "SERVICE_PROVIDED_EIPS" }
            }
          }
          client_authentication {
            unauthenticated = true
            sasl { iam = true }
          }
        }
    Bad: a schema without a registry
        --- aiven.tf
        resource "aiven_kafka" "parcels" {
          project      = "parcels"
          plan         = "business-4"
          cloud_name   = "google-europe-west3"
          service_name = "parcels"
          kafka_user_config { kafka_version = "3.8" }
        }
        resource "aiven_kafka_schema" "shipments" {
          project      = aiven_kafka.parcels.project
          service_name = aiven_kafka.parcels.service_name
          subject_name = "shipments-value"
          schema       = file("shipments.avsc")
        }
    Bad: a topic without an endpoint
        --- topics.tf
        provider "confluent" {
          cloud_api_key    = var.cloud_key
          cloud_api_secret = var.cloud_secret
        }
        resource "confluent_kafka_topic" "visits" {
          kafka_cluster { id = var.cluster }
          topic_name = "visits"
        }
    Bad: a provider without TLS
        --- topics.tf
        provider "kafka" {
          bootstrap_servers = ["pkc-41abc.eu-west-1.aws.confluent.cloud:9092"]
          tls_enabled       = false
          sasl_username     = var.key
          sasl_password     = var.secret
        }
        resource "kafka_topic" "visits" {
          name               = "visits"
          replication_factor = 3
          partitions         = 6
        }
    Good: the endpoint is the provider's
        --- topics.tf
        provider "confluent" {
          kafka_id            = var.cluster
          kafka_rest_endpoint = var.endpoint
          kafka_api_key       = var.key
          kafka_api_secret    = var.secret
        }
        resource "confluent_kafka_topic" "visits" {
          topic_name = "visits"
        }
    Good: a provider for brokers of one's own
        --- topics.tf
        provider "kafka" {
          bootstrap_servers = ["broker.internal:9092"]
          tls_enabled       = false
        }
        resource "kafka_topic" "visits" {
          name               = "visits"
          replication_factor = 3
          partitions         = 6
        }
    Good: public access with logins
        --- msk.tf
        resource "aws_msk_cluster" "audit" {
          cluster_name           = "audit"
          kafka_version          = "3.6.0"
          number_of_broker_nodes = 3
          broker_node_group_info {
            instance_type  = "kafka.m5.large"
            client_subnets = var.subnets
            connectivity_info {
              public_access { type = "SERVICE_PROVIDED_EIPS" }
            }
          }
          client_authentication {
            sasl { iam = true }
          }
        }
    Good: the registry is enabled by a variable
        --- aiven.tf
        resource "aiven_kafka" "parcels" {
          project      = "parcels"
          plan         = "business-4"
          cloud_name   = "google-europe-west3"
          service_name = "parcels"
          kafka_user_config { schema_registry = var.registry }
        }
        resource "aiven_kafka_schema" "shipments" {
          project      = aiven_kafka.parcels.project
          service_name = aiven_kafka.parcels.service_name
          subject_name = "shipments-value"
          schema       = file("shipments.avsc")
        }
    """
    yield from findings(document, "KC0276")


@rule("KC0277", "field-without-effect", WARNING, set=PREVIEW)
def field_without_effect(document: Faulty) -> Iterator[Finding]:
    """A field of a resource or a file has no effect, because another field does not enable it.

    Bad: a maximum without auto-inflate
        --- hubs.tf
        resource "azurerm_eventhub_namespace" "meters" {
          name                     = "meter-events"
          sku                      = "Standard"
          capacity                 = 2
          maximum_throughput_units = 10
        }
    Good:
        --- hubs.tf
        resource "azurerm_eventhub_namespace" "meters" {
          name                     = "meter-events"
          sku                      = "Standard"
          capacity                 = 2
          auto_inflate_enabled     = true
          maximum_throughput_units = 10
        }
    """
    yield from findings(document, "KC0277")
