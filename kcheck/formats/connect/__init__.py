"""Connectors and their keys."""
