"""KC11: brokers in ZooKeeper mode: their ids, the address of their ensemble, and its own file."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.coercions import used
from kcheck.graph.nodes import Broker
from kcheck.model import ABSENT, ERROR, WARNING, Faulty, Finding, Value
from kcheck.rule import REFUSED, rule
from kcheck.rules.quorum.roles import STOPS, may_have_value
from kcheck.rules.shared.problems import findings
from kcheck.wording import plain

_CONNECT = "zookeeper.connect"


@rule("KC1150", "zookeeper-refused", ERROR)
def zookeeper_refused(document: Faulty) -> Iterator[Finding]:
    """ZooKeeper refuses its own file: a setting is missing that another one requires.

    An ensemble of several servers requires initLimit and syncLimit, which have no default and are not in
    the file that comes with Kafka; each server has a port for the quorum and one for elections. A login
    between servers (quorum.auth) is switched on before it is demanded, and minSessionTimeout does not
    exceed maxSessionTimeout. Templates that may write more lines are not checked.

    Bad: servers added to the file that comes with Kafka
        --- config/zookeeper.properties
        dataDir=/var/lib/zookeeper
        clientPort=2181
        maxClientCnxns=0
        server.1=zk1.example.com:2888:3888
        server.2=zk2.example.com:2888:3888
        server.3=zk3.example.com:2888:3888
    Bad: one port for each server
        --- zoo.cfg
        tickTime=2000
        initLimit=10
        syncLimit=5
        dataDir=/var/lib/zookeeper
        clientPort=2181
        server.1=zk1.example.com:2888
        server.2=zk2.example.com:2888
        server.3=zk3.example.com:2888
    Bad: sessions
        --- config/zookeeper.properties
        tickTime=2000
        initLimit=10
        syncLimit=5
        dataDir=/var/lib/zookeeper
        clientPort=2181
        minSessionTimeout=60000
        server.1=zk1.example.com:2888:3888
        server.2=zk2.example.com:2888:3888
        server.3=zk3.example.com:2888:3888
    Bad: a login that is not switched on
        --- config/zookeeper.properties
        initLimit=10
        syncLimit=5
        dataDir=/var/lib/zookeeper
        clientPort=2181
        quorum.auth.learnerRequireSasl=true
        server.1=zk1.example.com:2888:3888
        server.2=zk2.example.com:2888:3888
    Good:
        --- config/zookeeper.properties
        tickTime=2000
        initLimit=10
        syncLimit=5
        dataDir=/var/lib/zookeeper
        clientPort=2181
        minSessionTimeout=4000
        maxSessionTimeout=-1
        quorum.auth.enableSasl=true
        quorum.auth.learnerRequireSasl=true
        quorum.auth.serverRequireSasl=true
        server.1=zk1.example.com:2888:3888;2181
        server.2=[2001:db8::2]:2888:3888:observer
        server.3=zk3.example.com:2888:3888:participant;2181
    Good: a template
        --- config/zoo.cfg
        tickTime=2000
        dataDir=/var/lib/zookeeper
        clientPort=2181
        {% include limits %}
        server.1=zk1.example.com:2888:3888
        server.2=zk2.example.com:2888:3888
    """
    yield from findings(document, "KC1150")


@rule("KC1157", "zookeeper-chroot-per-host", WARNING, on=(_CONNECT,), versions="≤3.9")
def zookeeper_chroot_per_host(broker: Broker) -> Iterator[Finding]:
    """zookeeper.connect has the chroot after each host instead of once, after the last.

    ZooKeeper's client takes everything behind the first slash as the chroot: only the hosts before it
    are servers, and the others are a part of the path. The broker depends on one server, and brokers
    whose lists differ register in different places.

    Bad:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181/kafka,zk2:2181/kafka,zk3:2181/kafka
    Bad: in the environment of an image
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zk-1.example.com:2181/kafka,zk-2.example.com:2181/kafka
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
    Good:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181,zk2:2181,zk3:2181/kafka
    """
    connect = broker[_CONNECT]
    before, _, behind = (connect.text or "").partition("/")
    lost = [one.partition("/")[0].strip() for one in behind.split(",")[1:]]
    if not any(":" in one for one in lost):
        return
    root = behind.partition(",")[0].strip()
    without = f"{', '.join(lost)} {'is no server' if len(lost) == 1 else 'are no servers'}"
    servers = [*(one.strip() for one in before.split(",")), *lost]
    yield broker.finding(
        f"{broker}: in zookeeper.connect everything behind the first slash is the chroot, "
        f"/{behind.strip()}",
        at=connect,
        breaks=f"{without}: without {before.strip()} the broker has no ensemble"
        if "," not in before
        else f"{without}, and the broker registers below another path",
        fix="write the chroot once, behind the last host",
        set_to=f"{','.join(servers)}/{root}",
    )


@rule(
    "KC1122",
    "broker-id-range-zk",
    ERROR,
    kafka=REFUSED,
    on=("broker.id", "node.id"),
    invariants=("broker-id-range-zk",),
    versions="≤3.9, ZooKeeper mode",
)
def broker_id_range_zk(broker: Broker) -> Iterator[Finding]:
    """broker.id is out of range in ZooKeeper mode.

    Ids above reserved.broker.max.id (1000 by default) are reserved for ids that ZooKeeper generates;
    -1 requests one. With broker.id.generation.enable=false every id from 0 on is valid.

    Bad:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.6"}
        --- server.properties
        broker.id=1001
        zookeeper.connect=zk1:2181
    Bad: no id, and id generation is disabled
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.6"}
        --- server.properties
        broker.id=-1
        broker.id.generation.enable=false
        zookeeper.connect=zk1:2181
    Good:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.6"}
        --- server.properties
        broker.id=2001
        reserved.broker.max.id=5000
        zookeeper.connect=zk1:2181
    Good: id generation is disabled
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.6"}
        --- server.properties
        broker.id=1001
        broker.id.generation.enable=false
        zookeeper.connect=zk1:2181
    Good: KRaft has no such limit
        --- server.properties
        node.id=3001
        process.roles=broker
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
    """
    if broker.kraft is not False:
        return
    identity = used(broker, "broker.id")
    generated, most = broker["broker.id.generation.enable"], broker["reserved.broker.max.id"]
    migrates = broker["zookeeper.metadata.migration.enable"]
    if not generated.known:
        return
    because: list[Value] = []
    if generated.value is False:
        wrong = identity.number < 0
        because = [generated]
    elif migrates.value is True and broker.version.at_least("3.9") and identity.number < 0:
        wrong, because = True, [migrates]
    else:
        above = identity.number > most.number
        wrong = above or identity.number < -1
        because = [most] if above else []
    if not wrong:
        return
    yield broker.finding(
        f"{broker}: {plain(identity)} is out of range"
        + "".join(f" with {plain(value)}" for value in because),
        at=identity,
        because=because,
        breaks=f"{STOPS} in ZooKeeper mode",
        fix="use an id from 0 to reserved.broker.max.id, or raise reserved.broker.max.id",
    )


@rule(
    "KC1123",
    "zk-connect-required",
    ERROR,
    kafka=REFUSED,
    invariants=("zk-connect-required",),
    versions="≤3.9",
)
def zk_connect_required(broker: Broker) -> Iterator[Finding]:
    """A broker has neither zookeeper.connect nor process.roles.

    Without process.roles a broker of Kafka 3.9 or earlier requires zookeeper.connect.

    Bad:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.6"}
        --- server.properties
        broker.id=1
        log.dirs=/data/kafka
    Good:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.6"}
        --- server.properties
        broker.id=1
        log.dirs=/data/kafka
        zookeeper.connect=zk1:2181
    Good: the version is unknown
        --- server.properties
        broker.id=1
        log.dirs=/data/kafka
    """
    owner = broker.resource
    # In versions without ZooKeeper, and where the version is unknown, the roles have no default.
    if owner.managed or broker.sets("zookeeper.connect") or may_have_value(broker["process.roles"]):
        return
    if not (broker.sets("broker.id") or broker.sets("node.id")) or not broker.sets("log.dirs"):
        return
    absent = Value("zookeeper.connect", owner, ABSENT)
    yield broker.finding(
        f"{broker} has neither zookeeper.connect nor process.roles",
        at=absent,
        breaks=f"{STOPS}: zookeeper.connect is missing",
        fix="set zookeeper.connect, or process.roles and the controller quorum",
    )
