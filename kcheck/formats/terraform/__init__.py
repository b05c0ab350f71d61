"""Terraform: the resources of its providers, and what they hold."""
