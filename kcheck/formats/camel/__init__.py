"""Camel: its component, endpoints and Kamelets."""
