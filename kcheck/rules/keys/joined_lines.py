"""KC0198: settings of templates that become a part of the value before them."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.model import WARNING, Faulty, Finding
from kcheck.rule import rule
from kcheck.rules.shared.problems import findings


@rule("KC0198", "template-line-joined", WARNING)
def joined_line(document: Faulty) -> Iterator[Finding]:
    """A setting in a template of Ansible becomes a part of the value in the line before it.

    Ansible renders templates with trim_blocks: the first newline after a block is removed. Behind an
    ``{% endif %}`` or ``{% endfor %}`` at the end of a line the next line goes on in the same line. The
    line ``#jinja2: trim_blocks:False`` at the top of the template keeps the newlines.

    Bad:
        --- roles/kafka/templates/server.properties.j2
        broker.id=1
        zookeeper.connect=zk1:2181{% if chroot is defined %}{{ chroot }}{% endif %}
        log.dirs=/data/kafka
        num.partitions=3
        --- roles/kafka/defaults/main.yml
        chroot: /kafka
    Good: an empty line
        --- roles/kafka/templates/server.properties.j2
        broker.id=1
        zookeeper.connect=zk1:2181{% if chroot is defined %}{{ chroot }}{% endif %}

        log.dirs=/data/kafka
        num.partitions=3
        --- roles/kafka/defaults/main.yml
        chroot: /kafka
    Good: the newlines stay
        --- roles/kafka/templates/server.properties.j2
        #jinja2: trim_blocks:False
        broker.id=1
        zookeeper.connect=zk1:2181{% if chroot is defined %}{{ chroot }}{% endif %}
        log.dirs=/data/kafka
        num.partitions=3
        --- roles/kafka/defaults/main.yml
        chroot: /kafka
    Good: a list over several lines
        --- roles/kafka/templates/server.properties.j2
        broker.id=1
        zookeeper.connect={% for host in zookeepers %}
        {{ host }}:2181{% if not loop.last %},{% endif %}
        {% endfor %}

        log.dirs=/data/kafka
        num.partitions=3
        --- roles/kafka/defaults/main.yml
        zookeepers: [zk1, zk2]
    """
    yield from findings(document, "KC0198")
