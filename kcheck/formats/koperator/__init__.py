"""Koperator: its custom resources."""
