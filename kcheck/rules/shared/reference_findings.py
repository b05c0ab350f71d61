"""Findings on addresses, with the other place that has part in them."""

from __future__ import annotations

from kcheck.model import SET, Finding, Fix, Resource, Setting, Value


def finding(
    setting: Setting,
    message: str,
    other: Setting | None,
    breaks: str,
    fix: str,
    severity: str = "",
) -> Finding:
    told = value_of(setting)
    evidence = (told,) if other is None else (told, value_of(other))
    return Finding(
        message, told.resource, evidence, setting.path, setting.at, breaks, Fix(fix), severity
    )


def value_of(setting: Setting) -> Value:
    resource = Resource("file", setting.path, setting.path)
    return Value(setting.key, resource, SET, setting.text, setting.text, True, setting)
