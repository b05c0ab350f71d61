"""Directories that do not keep what is in them."""

from __future__ import annotations

import posixpath

_TEMPORARY = ("/tmp/", "/var/tmp/", "/dev/shm/", "/run/")
#: Where images of Kafka and the programs around it have files of their own.
_OF_IMAGES = (
    *("/usr/", "/bin/", "/lib/", "/lib64/", "/etc/ssl/", "/etc/pki/", "/etc/java", "/opt/java/"),
    *(
        "/opt/kafka/",
        "/opt/bitnami/",
        "/kafka/",
        "/debezium/",
        "/etc/kafka",
        "/etc/schema-registry/",
    ),
    *("/etc/ksqldb", "/etc/confluent", "/etc/confluent-", "/deployments/", "/etc/krb5.conf/"),
)
#: Of these, folders that are empty until something is mounted.
_EMPTY = (
    *("/etc/kafka/secrets/", "/etc/schema-registry/secrets/", "/etc/kafka-connect/secrets/"),
    "/opt/kafka/external-configuration/",
)


def from_image(path: str) -> bool:
    """Whether an image may bring this file itself."""
    whole = f"{posixpath.normpath(path)}/"
    return whole.startswith((*_OF_IMAGES, *_TEMPORARY[:2])) and not whole.startswith(_EMPTY)


def temporary(path: str) -> bool:
    """Whether a directory or file is gone after a reboot, or after a cleanup by age."""
    return f"{posixpath.normpath(path)}/".startswith(_TEMPORARY)
