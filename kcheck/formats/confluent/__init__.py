"""Confluent for Kubernetes: its custom resources."""
