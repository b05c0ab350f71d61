"""Findings made by hand from files held in memory, so that reports are tested without any rule."""

from __future__ import annotations

from kcheck import fingerprint
from kcheck.engine import Project, order
from kcheck.grouping.gather import Gathered
from kcheck.grouping.group import Group
from kcheck.model import (
    ABSENT,
    DEFAULT,
    FACT,
    INHERITED,
    SET,
    WARNING,
    Document,
    Edit,
    Finding,
    Fix,
    Position,
    Resource,
    Setting,
    Value,
)
from kcheck.report import Run


class Files:
    """Files by path; finds the place of a text in them."""

    def __init__(self, **texts: str) -> None:
        self.texts: dict[str, str] = {}
        self.documents: dict[str, Document] = {}
        for name, text in texts.items():
            self.add(name.replace("__", "/").replace("_", "."), text)

    def add(self, path: str, text: str) -> None:
        self.texts[path] = text
        self.documents[path] = Document(path, "properties")

    def source(self, path: str) -> bytes | None:
        text = self.texts.get(path)
        return None if text is None else text.encode()

    def place(self, path: str, text: str) -> Position:
        """Where ``text`` stands first, as positions of the model count."""
        whole = self.texts[path]
        at = whole.index(text)

        def line_column(offset: int) -> tuple[int, int]:
            before = whole[:offset]
            return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1

        return line_column(at) + line_column(at + len(text))

    def resource(self, kind: str, name: str, path: str, text: str = "") -> Resource:
        at = self.place(path, text) if text else (1, 1, 1, 1)
        resource = Resource(kind, name, path, at)
        resource.cluster = "payments"
        self.documents[path].resources.append(resource)
        return resource

    def set(self, resource: Resource, key: str, raw: str, name: str = "", path: str = "") -> Value:
        """The resource's own setting, where ``raw`` stands behind the name in the file."""
        path = path or resource.path
        line = self.place(path, name or key)
        start = self.texts[path].index(raw, self._offset(path, line[2], line[3]))
        before = self.texts[path][:start]
        first = (before.count("\n") + 1, start - (before.rfind("\n") + 1) + 1)
        end = before + raw
        last = (end.count("\n") + 1, len(end) - (end.rfind("\n") + 1) + 1)
        setting = Setting(key, raw, path, first + last, line, name or key)
        resource.settings[key] = setting
        return Value(key, resource, SET, setting.text, setting.text, True, setting, key)

    def _offset(self, path: str, line: int, column: int) -> int:
        lines = self.texts[path].split("\n")
        return sum(len(text) + 1 for text in lines[: line - 1]) + column - 1


def inherited(value: Value, resource: Resource, key: str) -> Value:
    """The value as another resource inherits it under its own name of the key."""
    return Value(key, resource, INHERITED, value.text, value.value, True, value.setting, value.key)


def default(resource: Resource, key: str, text: str | None, version: str = "3.9") -> Value:
    return Value(
        key, resource, DEFAULT, text, text, text is not None, kafka_version=version or None
    )


def absent(resource: Resource, key: str) -> Value:
    return Value(key, resource, ABSENT)


def fact(value: Value) -> Value:
    value.origin = FACT
    return value


def found(
    message: str,
    at: Value,
    *because: Value,
    owner: Resource | None = None,
    breaks: str = "",
    fix: str = "",
    set_to: str | None = None,
    code: str = "KC0307",
    name: str = "acks-bypass-min-isr",
    severity: str = WARNING,
) -> Finding:
    setting = at.setting
    resource = owner or at.resource
    path, place = (setting.path, setting.at) if setting else (at.resource.path, at.resource.at)
    edits = (Edit(path, place, set_to),) if set_to is not None else ()
    made = Finding(
        message,
        resource,
        (at, *because),
        path,
        place,
        breaks,
        Fix(fix, edits) if fix else None,
        severity,
        resource.cluster or "",
    )
    made.code, made.name = code, name
    return made


def project(files: Files, *findings: Finding) -> Project:
    ordered = sorted(findings, key=order)
    fingerprint.number(ordered)
    documents = list(files.documents.values())
    groups: dict[str | None, Group] = {}
    for document in documents:
        for resource in document.resources:
            name = resource.cluster
            group = groups.setdefault(name, Group(name, "", document.path))
            group.take(document, [resource])
    return Project(documents, [], ordered, [], Gathered(list(groups.values()), [], []))


def run(files: Files, *findings: Finding, **more: object) -> Run:
    return Run(project(files, *findings), files.source, **more)  # type: ignore[arg-type]
