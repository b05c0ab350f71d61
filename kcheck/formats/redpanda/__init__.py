"""Redpanda: containers, custom resources and values of its chart."""
