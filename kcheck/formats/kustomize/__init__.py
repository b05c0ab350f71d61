"""Kustomize: what a kustomization builds."""
