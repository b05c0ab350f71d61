"""Containers: their image, environment and processes, wherever they are defined."""
