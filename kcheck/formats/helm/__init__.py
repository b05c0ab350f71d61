"""Helm: values of charts, releases and templates."""
