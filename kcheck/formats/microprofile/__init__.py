"""Quarkus and MicroProfile Reactive Messaging."""
