"""Concise and JSON output until ``kcheck.report`` stands."""

from __future__ import annotations

from kcheck.engine import Project


def render(format: str, project: Project) -> str:
    if format != "json":
        return "".join(
            f"{f.path}:{f.at[0]}:{f.at[1]} {f.severity} {f.code} {f.message}\n"
            for f in project.findings
        )
    import json

    return json.dumps(
        {
            "version": 1,
            "findings": [
                {
                    "rule": f.code,
                    "name": f.name,
                    "severity": f.severity,
                    "message": f.message,
                    "consequence": f.consequence,
                    "keys": list(
                        dict.fromkeys(
                            v.key
                            for v in f.evidence
                            if v.key
                            not in ("brokers", "kafka_version", "client.version", "environment")
                        )
                    ),
                    "path": f.path,
                    "line": f.at[0],
                    "column": f.at[1],
                    "fingerprint": f"{f.code}{f.path}{f.at}",
                }
                for f in project.findings
            ],
        },
        indent=1,
    )
