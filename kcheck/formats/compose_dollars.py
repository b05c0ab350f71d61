"""Dollar signs that compose takes for a variable of its own and that Kafka was meant to get.

``$$`` is the dollar sign that reaches the container. References of Kafka's config providers are no
variable that compose can read, so that it refuses the file; the user of Event Hubs' connection
strings is one, and becomes whatever the shell calls so, which is nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.formats.compose_environment import within
from kcheck.formats.compose_file import File
from kcheck.model import Problem
from kcheck.syntax import yaml

CODE = "KC0129"

#: ``${file:/run/secrets:key}``; what compose reads has -, + or ? behind the colon.
_PROVIDED = re.compile(r"(?<!\$)(?:\$\$)*(\$\{\w+:[^-+?}][^}]*\})")
_USER = re.compile(r"(?<!\$)(?:\$\$)*(\$ConnectionString\b|\$\{ConnectionString\})")
#: What Event Hubs' user is written for: a login module's option, or a variable of its own.
_LOGIN = re.compile(r"username\s*=|USER", re.IGNORECASE)


def faults(file: File) -> Iterator[Problem]:
    """What is wrong with the dollar signs in the variables of the file's services."""
    for service, (_, definition) in file.nodes.items():
        node = yaml.child(definition, "environment")
        listed = [("", item) for item in yaml.items(node)]
        for name, value in [*((n, v) for n, _, v in yaml.pairs(node)), *listed]:
            text = yaml.text(value) or ""
            for found in _PROVIDED.finditer(text):
                yield Problem(
                    f"service {service}: {found[1]} is no variable that compose can read",
                    within(file, value, found.start(1), found.end(1)),
                    CODE,
                    consequence="docker compose refuses the whole file: invalid interpolation format",
                    fix=f"write ${found[1]}: of two dollar signs one reaches the container",
                )
            for found in _USER.finditer(text) if _LOGIN.search(name + text) else ():
                yield Problem(
                    f"service {service}: compose puts a variable of the shell in place of {found[1]}",
                    within(file, value, found.start(1), found.end(1)),
                    CODE,
                    consequence="the user is empty, and Event Hubs refuses the login: the user of a "
                    "connection string is called $ConnectionString",
                    fix="write $$ConnectionString: of two dollar signs one reaches the container",
                )
