"""Strimzi: its custom resources."""
