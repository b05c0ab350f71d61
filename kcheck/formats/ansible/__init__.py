"""Ansible: variables, inventories, plays and tasks."""
