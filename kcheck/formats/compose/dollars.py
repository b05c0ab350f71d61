"""Dollar signs that Compose interpolates although they are intended for Kafka.

``$$`` becomes one dollar sign in the container. References to Kafka's config providers are not valid
Compose variables, so Compose rejects the file; the user name of Event Hubs' connection strings is a
valid one, and becomes the value of that shell variable, which is empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.formats.compose.environment import within
from kcheck.formats.compose.file import File
from kcheck.model import Problem, Setting
from kcheck.syntax import yaml

CODE = "KC0129"

#: ``${file:/run/secrets:key}``; what compose reads has -, + or ? behind the colon.
_PROVIDED = re.compile(r"(?<!\$)(?:\$\$)*(\$\{\w+:[^-+?}][^}]*\})")
_USER = re.compile(r"(?<!\$)(?:\$\$)*(\$ConnectionString\b|\$\{ConnectionString\})")
#: What Event Hubs' user is written for: a login module's option, or a variable of its own.
_LOGIN = re.compile(r"username\s*=|USER", re.IGNORECASE)


def faults(file: File) -> Iterator[Problem]:
    """What is wrong with the dollar signs in the variables of the file's services.

    The variables are named without their texts, which may hold passwords.
    """
    for service, (_, definition) in file.nodes.items():
        node = yaml.child(definition, "environment")
        listed = [("", item) for item in yaml.items(node)]
        for name, value in [*((n, v) for n, _, v in yaml.pairs(node)), *listed]:
            text = yaml.text(value) or ""
            variable = name or text.partition("=")[0]
            for found in _PROVIDED.finditer(text):
                at = within(file, value, found.start(1), found.end(1))
                yield Problem(
                    f"service {service}: {found[1]} is not a valid Compose variable",
                    at,
                    CODE,
                    consequence="docker compose rejects the whole file: invalid interpolation format",
                    fix=f"write ${found[1]} ($$ becomes $ in the container)",
                    setting=Setting(variable, None, file.path, at, name=variable),
                )
            for found in _USER.finditer(text) if _LOGIN.search(name + text) else ():
                at = within(file, value, found.start(1), found.end(1))
                yield Problem(
                    f"service {service}: Compose replaces {found[1]} with a shell variable",
                    at,
                    CODE,
                    consequence="the user name is empty and Event Hubs rejects the login: it requires "
                    "the user $ConnectionString",
                    fix="write $$ConnectionString ($$ becomes $ in the container)",
                    setting=Setting(variable, None, file.path, at, name=variable),
                )
