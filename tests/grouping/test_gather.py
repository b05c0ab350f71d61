"""Which files form one cluster, in the layouts that people use."""

from __future__ import annotations

import pytest

from kcheck.engine import Project, lint_project, read_project
from kcheck.grouping import gather
from kcheck.settings import ClusterEntry, ClusterSettings, Settings

COMPOSE = "services:\n  kafka:\n    image: apache/kafka:4.1.0\n"


def broker(identity: object, quorum: str = "zookeeper.connect=z1:2181,z2:2181") -> str:
    return f"broker.id={identity}\n{quorum}\nlog.dirs=/data\n"


def kraft(identity: object, voters: str = "1@k1:9093,2@k2:9093,3@k3:9093") -> str:
    return (
        f"process.roles=broker,controller\nnode.id={identity}\ncontroller.quorum.voters={voters}\n"
    )


def kafka(name: str, namespace: str = "") -> str:
    space = f", namespace: {namespace}" if namespace else ""
    return (
        f"apiVersion: kafka.strimzi.io/v1\nkind: Kafka\nmetadata: {{name: {name}{space}}}\n"
        "spec: {kafka: {config: {}}}\n"
    )


def pool(name: str, cluster: str) -> str:
    return (
        f"apiVersion: kafka.strimzi.io/v1\nkind: KafkaNodePool\nmetadata:\n  name: {name}\n"
        f"  labels: {{strimzi.io/cluster: {cluster}}}\nspec: {{replicas: 3, roles: [broker]}}\n"
    )


def topic(name: str, cluster: str = "", namespace: str = "") -> str:
    label = f"  labels: {{strimzi.io/cluster: {cluster}}}\n" if cluster else ""
    space = f"  namespace: {namespace}\n" if namespace else ""
    return (
        "apiVersion: kafka.strimzi.io/v1\nkind: KafkaTopic\n"
        f"metadata:\n  name: {name}\n{label}{space}spec: {{partitions: 1}}\n"
    )


def producer(bootstrap: str = "k:9092") -> str:
    return f"bootstrap.servers={bootstrap}\nacks=all\n"


def project(files: dict[str, str], settings: Settings | None = None) -> Project:
    sources = {path: text.encode() for path, text in files.items()}
    found = read_project(sources.items(), settings or Settings(), sources.get)
    assert found.failures == []
    assert all(d.resources or not d.problems for d in found.documents)
    return found


def clusters(files: dict[str, str], settings: Settings | None = None) -> dict[str, list[str]]:
    """The paths of each cluster, by its name; a name that occurs twice gets a mark."""
    found: dict[str, list[str]] = {}
    for cluster in project(files, settings).clusters:
        name = cluster.name
        while name in found:
            name += "'"
        found[name] = list(dict.fromkeys(resource.path for resource in cluster.resources))
    return found


# -- broker files ---------------------------------------------------------------------------


def test_numbered_files_in_one_folder_are_nodes_of_one_cluster() -> None:
    files = {f"config/server-{n}.properties": broker(n) for n in (1, 2, 3)}
    assert clusters(files) == {"config": list(files)}


def test_numbered_files_need_no_ids() -> None:
    text = "log.dirs=/data\nzookeeper.connect=z:2181\n"
    files = {f"server-{n}.properties": text for n in (1, 2)}
    assert clusters(files) == {".": list(files)}
    assert len(clusters({"server.properties": text, "secure.properties": text})) == 2


@pytest.mark.parametrize("inner", ["", "config/"])
@pytest.mark.parametrize("word", ["kafka", "broker-", "node_"])
def test_numbered_folders_hold_one_node_each(word: str, inner: str) -> None:
    files = {f"docker/{word}{n}/{inner}server.properties": broker(n) for n in (1, 2, 3)}
    assert clusters(files) == {"docker": list(files)}


def test_controllers_and_brokers_in_numbered_folders() -> None:
    files = {
        f"{role}-{n}/server.properties": kraft(n + shift)
        for role, shift in (("broker", 0), ("controller", 10))
        for n in (1, 2)
    }
    assert clusters(files) == {".": list(files)}


def test_numbered_folders_of_a_course_are_alternatives() -> None:
    files = {f"chapter{n}/server.properties": broker(n, "zookeeper.connect=z:2181") for n in (1, 2)}
    assert len(clusters(files)) == 2


def test_siblings_that_name_one_quorum_of_several_members() -> None:
    files = {f"{host}/server.properties": kraft(n) for n, host in ((1, "oslo"), (2, "bergen"))}
    assert clusters(files) == {".": list(files)}
    apart = {
        f"{host}/server.properties": kraft(n, f"{n}@{host}:9093")
        for n, host in ((1, "oslo"), (2, "bergen"))
    }
    assert len(clusters(apart)) == 2
    both = {
        f"kafka{n}-{side}/server.properties": kraft(n, f"1@kafka1-{side}:9093,2@kafka2-{side}:9093")
        for side in "ab"
        for n in (1, 2)
    }
    assert sorted(map(sorted, clusters(both).values())) == [
        [f"kafka{n}-{side}/server.properties" for n in (1, 2)] for side in "ab"
    ]


@pytest.mark.parametrize(
    "texts",
    [
        # The same id, two quorums, two environments, or no id at all.
        {"plain.properties": broker(0), "secure.properties": broker(0)},
        {"a.properties": kraft(1, "1@a:9093"), "b.properties": kraft(2, "2@b:9093")},
        {"a.properties": broker(1), "b.properties": kraft(2)},
        {
            "a.properties": broker(1, "zookeeper.connect=z:2181/a"),
            "b.properties": broker(2, "zookeeper.connect=z:2181/b"),
        },
        {"server-dev.properties": broker(1), "server-prod.properties": broker(2)},
        {"a.properties": "log.dirs=/data\n", "b.properties": broker(1)},
    ],
)
def test_files_that_contradict_each_other_are_alternatives(texts: dict[str, str]) -> None:
    assert clusters(texts) == {path: [path] for path in texts}


def test_one_node_that_lists_a_voter_wrongly_still_belongs() -> None:
    files = {
        "server-1.properties": kraft(1),
        "server-2.properties": kraft(2, "1@k1:9093,2@k2:9093,3@k3:9094"),
    }
    assert clusters(files) == {".": list(files)}


def test_an_alternative_beside_a_series_stands_apart() -> None:
    series = {f"server-{n}.properties": broker(n) for n in (1, 2, 3)}
    found = clusters({**series, "standalone.properties": broker(1)})
    assert list(found.values()) == [list(series), ["standalone.properties"]]


# -- declarations ---------------------------------------------------------------------------


def test_a_declaration_speaks_of_the_brokers_beside_it() -> None:
    files = {
        "cluster.yaml": "cluster: {name: payments, brokers: 3}\n",
        "server.properties": broker(1),
        "topics.yaml": "topics: [{name: orders}]\n",
        "producer.properties": producer(),
    }
    assert clusters(files) == {"payments": list(files)}


def test_a_declaration_covers_what_lies_below() -> None:
    files = {
        "kafka/kcheck.yaml": "cluster: {name: payments}\n",
        **{f"kafka/brokers/{n}/server.properties": broker(n) for n in (1, 2)},
        "kafka/a/b/c/d/producer.properties": producer(),
        "kafka/topics/orders.yaml": "topics: [{name: orders}]\n",
    }
    assert clusters(files) == {"payments": list(files)}


def test_a_declaration_does_not_cover_what_it_cannot_mean() -> None:
    files = {
        "kcheck.yaml": "cluster: {name: payments, environment: production}\n",
        "prod/server.properties": broker(1),
        "dev/server.properties": broker(1),
        "prod/topics.yaml": "topics: [{name: orders}]\n",
        "dev/topics.yaml": "topics: [{name: orders}]\n",
    }
    assert clusters(files) == {
        "payments": ["kcheck.yaml", "prod/server.properties", "prod/topics.yaml"],
        "dev": ["dev/server.properties", "dev/topics.yaml"],
    }


@pytest.mark.parametrize(
    ("folder", "told"),
    [("production", "development"), ("dev", "production"), ("prod/eu", "development")],
)
def test_a_declaration_says_more_than_the_folder_that_it_is_in(folder: str, told: str) -> None:
    files = {
        f"{folder}/kcheck.yaml": f"cluster: {{name: trial, environment: {told}}}\n",
        f"{folder}/server.properties": broker(1),
        f"{folder}/app/producer.properties": producer(),
    }
    assert clusters(files) == {"trial": list(files)}


def test_a_declaration_of_no_environment_covers_one_but_not_two() -> None:
    declared = {"kcheck.yaml": "cluster: {name: payments}\n"}
    one = {"apps/prod/producer.properties": producer(), "apps/consumer.properties": producer()}
    assert clusters({**declared, **one}) == {"payments": [*declared, *one]}
    two = {**one, "apps/dev/producer.properties": producer()}
    assert clusters({**declared, **two}) == {
        "payments": ["kcheck.yaml", "apps/consumer.properties"],
        "apps/prod": ["apps/prod/producer.properties"],
        "apps/dev": ["apps/dev/producer.properties"],
    }


def test_two_declarations_in_one_folder_leave_the_rest_alone() -> None:
    files = {
        "a.yaml": "cluster: {name: a}\n",
        "b.yaml": "cluster: {name: b}\n",
        "topics.yaml": "topics: [{name: orders}]\n",
    }
    assert clusters(files) == {"a": ["a.yaml"], "b": ["b.yaml"], ".": ["topics.yaml"]}


def test_what_one_declaration_holds_stays_together() -> None:
    both = "cluster: {name: a}\ntopics: [{name: x}]\n---\ncluster: {name: b}\ntopics: [{name: y}]\n"
    found = project({"clusters.yaml": both}).clusters
    assert [(c.name, [t.name for t in c.topics]) for c in found] == [("a", ["x"]), ("b", ["y"])]


def test_several_declarations_of_one_cluster_are_one() -> None:
    found = project(
        {
            "facts.yaml": "cluster: {name: a, kafka_version: '4.1'}\n",
            "hosts.yaml": "cluster: {name: a, brokers: 5, host: {ram: 1GiB}}\n",
        }
    ).clusters
    assert [(c.name, str(c.version), c.broker_count.value) for c in found] == [("a", "4.1", 5)]
    assert found[0].fact("ram").value == 2**30


def test_a_declared_broker_is_the_node_of_that_id() -> None:
    (found,) = project(
        {
            "cluster.yaml": "cluster: {brokers: [{id: 1, rack: a, config: {log.dirs: /x}}]}\n",
            "server.properties": broker(1),
        }
    ).clusters
    (node,) = found.brokers
    assert (node.resource.path, node["broker.rack"].text) == ("server.properties", "a")
    assert node["log.dirs"].text == "/data"


# -- Strimzi --------------------------------------------------------------------------------


def test_labels_join_over_files_and_folders() -> None:
    files = {
        "clusters/payments.yaml": kafka("payments"),
        "clusters/pools.yaml": pool("brokers", "payments"),
        "clusters/billing.yaml": kafka("billing"),
        "apps/x/y/z/orders.yaml": topic("orders", "payments"),
        "apps/bills.yaml": topic("bills", "billing"),
    }
    assert clusters(files) == {
        "payments": [
            "clusters/payments.yaml",
            "clusters/pools.yaml",
            "apps/x/y/z/orders.yaml",
        ],
        "billing": ["clusters/billing.yaml", "apps/bills.yaml"],
    }


def test_pools_of_two_clusters_in_one_file() -> None:
    files = {
        "kafka.yaml": kafka("a") + "---\n" + kafka("b"),
        "pools.yaml": pool("x", "a") + "---\n" + pool("y", "b"),
    }
    found = {c.name: [r.name for r in c.resources] for c in project(files).clusters}
    assert found == {"a": ["a", "x"], "b": ["b", "y"]}


def test_pools_without_their_cluster_tell_neither_its_defaults_nor_its_brokers() -> None:
    (found,) = project({"pool.yaml": pool("x", "a"), "t.yaml": topic("t", "a")}).clusters
    assert (found.brokers, found.broker_count.known) == ([], False)
    assert not found.topics[0]["min.insync.replicas"].known


def test_one_name_in_many_example_files_is_many_clusters() -> None:
    files = {
        "examples/kafka/ephemeral.yaml": kafka("my-cluster") + "---\n" + pool("a", "my-cluster"),
        "examples/kafka/persistent.yaml": kafka("my-cluster") + "---\n" + pool("b", "my-cluster"),
        "examples/topic/topic.yaml": topic("t", "my-cluster"),
    }
    assert clusters(files) == {
        "my-cluster": ["examples/kafka/ephemeral.yaml"],
        "my-cluster'": ["examples/kafka/persistent.yaml"],
        "my-cluster''": ["examples/topic/topic.yaml"],
    }


@pytest.mark.parametrize("where", ["{}/kafka.yaml", "clusters/kafka-{}.yaml"])
def test_one_name_in_two_environments(where: str) -> None:
    files = {where.format(env): kafka("main") for env in ("dev", "prod")}
    topics = {f"topics/{env}/orders.yaml": topic("orders", "main") for env in ("dev", "prod")}
    found = clusters({**files, **topics})
    assert list(found.values()) == [
        [where.format("dev"), "topics/dev/orders.yaml"],
        [where.format("prod"), "topics/prod/orders.yaml"],
    ]


def test_a_label_never_leads_into_another_environment() -> None:
    files = {"dev/kafka.yaml": kafka("main"), "prod/topic.yaml": topic("orders", "main")}
    assert list(clusters(files).values()) == [["dev/kafka.yaml"], ["prod/topic.yaml"]]


def test_one_name_in_two_namespaces() -> None:
    files = {
        "a.yaml": kafka("main", "blue"),
        "b.yaml": kafka("main", "green"),
        "t.yaml": topic("orders", "main", "green"),
        "u.yaml": topic("bills", "main"),
    }
    assert list(clusters(files).values()) == [["a.yaml"], ["b.yaml", "t.yaml"], ["u.yaml"]]


def test_a_topic_without_a_label_joins_the_cluster_of_its_folder() -> None:
    files = {"kafka.yaml": kafka("main"), "topic.yaml": topic("orders")}
    assert clusters(files) == {"main": list(files)}
    assert len(clusters({**files, "other.yaml": kafka("other")})) == 3


def test_a_label_that_nothing_carries_joins_nothing() -> None:
    files = {"kafka.yaml": kafka("main"), "topic.yaml": topic("orders", "elsewhere")}
    assert clusters(files) == {"main": ["kafka.yaml"], "elsewhere": ["topic.yaml"]}


def test_a_nameless_declaration_takes_the_only_label() -> None:
    files = {
        "kcheck.yaml": "cluster: {brokers: 3}\n",
        "a.yaml": topic("x", "main"),
        "b.yaml": topic("y", "main"),
    }
    assert clusters(files) == {".": list(files)}
    assert len(clusters({**files, "c.yaml": topic("z", "other")})) == 3


# -- everything else joins an anchor --------------------------------------------------------


def test_clients_below_a_compose_file() -> None:
    files = {
        "demo/docker-compose.yml": COMPOSE,
        "demo/producer.properties": producer("localhost:9092"),
        "demo/client/config/consumer.properties": producer("kafka:9092"),
    }
    assert clusters(files) == {"demo": list(files)}


def test_clients_too_far_away_stay_alone() -> None:
    files = {"demo/docker-compose.yml": COMPOSE, "demo/a/b/c/producer.properties": producer()}
    assert clusters(files) == {"demo": ["demo/docker-compose.yml"], "demo/a/b/c": [list(files)[1]]}


def test_clients_between_two_clusters_belong_to_neither() -> None:
    files = {
        "a/docker-compose.yml": COMPOSE,
        "b/docker-compose.yml": COMPOSE,
        "producer.properties": producer(),
    }
    assert len(clusters(files)) == 3


def test_clients_between_two_clusters_follow_the_host_that_they_ask() -> None:
    files = {
        "a/server.properties": broker(1) + "advertised.listeners=PLAINTEXT://blue.example:9092\n",
        "b/server.properties": broker(1) + "advertised.listeners=PLAINTEXT://red.example:9092\n",
        "producer.properties": producer("red.example:9092"),
        "consumer.properties": producer("localhost:9092"),
    }
    assert clusters(files) == {
        "a": ["a/server.properties"],
        "b": ["b/server.properties", "producer.properties"],
        ".": ["consumer.properties"],
    }


def test_a_client_that_asks_for_other_hosts_is_none_of_the_containers() -> None:
    files = {
        "docker-compose.yml": COMPOSE,
        "consumer.properties": "group.id=x\n" + producer("kafka.prod.example.com:9092"),
        "producer.properties": producer("kafka:9092"),
    }
    assert list(clusters(files).values()) == [
        ["docker-compose.yml", "producer.properties"],
        ["consumer.properties"],
    ]
    vague = COMPOSE + "    environment: {KAFKA_ADVERTISED_LISTENERS: 'A://${HOST}:9092'}\n"
    assert len(clusters({**files, "docker-compose.yml": vague})) == 1


def worker(bootstrap: str = "${BROKERS}", name: str = "connect") -> str:
    return (
        f"  {name}:\n    image: confluentinc/cp-kafka-connect:7.5.0\n"
        f"    environment: {{CONNECT_BOOTSTRAP_SERVERS: '{bootstrap}'}}\n"
    )


def test_a_compose_file_is_no_part_of_a_sibling() -> None:
    alone = "services:\n"
    assert len(clusters({"a/docker-compose.yml": COMPOSE, "b/compose.yml": alone + worker()})) == 2
    named = {"a/docker-compose.yml": COMPOSE, "b/compose.yml": alone + worker("kafka:9092")}
    assert len(clusters(named)) == 2
    assert len(clusters({"docker-compose.yml": COMPOSE, "b/compose.yml": alone + worker()})) == 2
    beside = {"docker-compose.yml": COMPOSE, "docker-compose.connect.yml": alone + worker()}
    assert len(clusters(beside)) == 2
    beside["docker-compose.connect.yml"] = alone + worker("kafka:9092")
    assert clusters(beside) == {".": ["docker-compose.yml", "docker-compose.connect.yml"]}
    declared = {"kcheck.yaml": "cluster: {name: x}\n", "b/compose.yml": alone + worker()}
    assert clusters(declared) == {"x": list(declared)}


def test_the_containers_of_a_sibling_are_joined_by_name_alone() -> None:
    files = {"01/client.properties": producer("localhost:9092"), "02/docker-compose.yml": COMPOSE}
    assert len(clusters(files)) == 2
    files["01/client.properties"] = producer("kafka:9092")
    assert len(clusters(files)) == 1
    below = {"docker-compose.yml": COMPOSE, "a/b/client.properties": producer("localhost:9092")}
    assert len(clusters(below)) == 1


def test_workers_of_two_compose_files_are_of_two_clusters() -> None:
    files = {f"docker-compose.{n}.yml": "services:\n" + worker() for n in ("local", "cloud")}
    assert len(clusters(files)) == 2


def test_a_worker_beside_a_broker_that_it_does_not_ask() -> None:
    both = COMPOSE + worker("broker.example.com:9092")
    found = project({"docker-compose.yml": both}).clusters
    assert [(len(c.brokers), len(c.clients)) for c in found] == [(1, 0), (0, 1)]
    cloud = COMPOSE + worker("pkc-1.eu.aws.confluent.cloud:9092")
    found = project({"docker-compose.yml": cloud}).clusters
    assert [(c.managed, len(c.clients)) for c in found] == [(False, 0), (True, 1)]
    named = COMPOSE + worker("${NAMESPACE}.servicebus.windows.net:9093")
    assert [c.service for c in project({"docker-compose.yml": named}).clusters][1:] == [
        "event-hubs"
    ]
    several = COMPOSE + worker("x.example:1", "c1") + worker("y.example:1", "c2")
    assert len(clusters({"docker-compose.yml": several})) == 3


# -- pieces of a cluster and mounted files --------------------------------------------------


def node(identity: int, extra: str = "") -> str:
    """A compose file with one of three combined nodes."""
    voters = ",".join(f"{n}@node{n}.example:9093" for n in (1, 2, 3))
    return (
        "services:\n  kafka:\n    image: apache/kafka:4.1.0\n    environment:\n"
        f"      KAFKA_NODE_ID: {identity}\n      KAFKA_PROCESS_ROLES: broker,controller\n"
        f"      KAFKA_CONTROLLER_QUORUM_VOTERS: {voters}\n{extra}"
    )


@pytest.mark.parametrize("where", ["compose-{}.yml", "node{}/docker-compose.yml"])
def test_the_hosts_of_one_cluster_have_a_file_each(where: str) -> None:
    files = {where.format(n): node(n) for n in (1, 2, 3)}
    assert clusters(files) == {".": list(files)}
    (found,) = project(files).clusters
    assert len(found.brokers) == 3
    # Each voter has a file, and each is a broker: there are no others.
    assert found.broker_count.value == 3


def test_a_piece_takes_in_nothing_from_elsewhere() -> None:
    files = {
        "docker-compose.yml": COMPOSE,
        "scripts/more/docker-compose.yml": node(3),
        "scripts/more/consumer.properties": producer("${BROKERS}"),
        "scripts/security/client.properties": producer("${BROKERS}"),
    }
    assert clusters(files) == {
        ".": ["docker-compose.yml", "scripts/security/client.properties"],
        "scripts/more": ["scripts/more/docker-compose.yml", "scripts/more/consumer.properties"],
    }


def mounting(name: str, source: str) -> str:
    """A service that starts Kafka with a mounted file."""
    return (
        f"  {name}:\n    image: apache/kafka:4.1.0\n    command: kafka-server-start.sh /etc/x\n"
        f"    volumes: ['{source}:/etc/x']\n"
    )


def test_mounted_files_belong_to_their_service() -> None:
    files = {
        "demo/docker-compose.yml": "services:\n"
        + mounting("k1", "./etc/one/server.properties")
        + mounting("k2", "./etc/two")
        + worker("k1:9092"),
        "demo/etc/one/server.properties": broker(1, "zookeeper.connect=z:2181"),
        "demo/etc/two/server.properties": broker(2, "zookeeper.connect=z:2181"),
        "demo/etc/two/client.properties": producer("k1:9092"),
    }
    assert clusters(files) == {"demo": list(files)}
    (found,) = project(files).clusters
    assert not found.broker_count.known


def test_mounted_files_that_cannot_be_nodes_of_one_cluster_stay_apart() -> None:
    files = {
        "docker-compose.yml": "services:\n"
        + mounting("k1", "./a/server.properties")
        + mounting("k2", "./b/server.properties")
        + worker("k1:9092"),
        "a/server.properties": broker(1),
        "b/server.properties": broker(1),
    }
    assert len(clusters(files)) == 3


def test_mounted_files_of_a_compose_file_that_says_nothing_else() -> None:
    mounts = "".join(mounting(f"k{n}", f"./k{n}/server.properties") for n in (1, 2))
    nodes = {f"k{n}/server.properties": broker(n) for n in (1, 2)}
    files = {"docker-compose.yml": "services:\n" + mounts, **nodes}
    sources = [(path, text.encode()) for path, text in files.items()]
    found = read_project(sources, Settings(), lambda path: None)
    assert [len(c.brokers) for c in found.clusters] == [2]


def test_a_file_that_two_compose_files_mount_belongs_to_neither() -> None:
    text = "services:\n" + mounting("k1", "./etc/server.properties") + worker()
    files = {
        "docker-compose.yml": text,
        "docker-compose.other.yml": text,
        "etc/server.properties": broker(1),
    }
    assert len(clusters(files)) == 3


def test_environments_beyond_the_own_folder_have_to_be_the_same() -> None:
    files = {
        "dev/server.properties": broker(1),
        "prod/server.properties": broker(1),
        "dev/app/producer.properties": producer(),
        "app/prod/producer.properties": producer(),
        "app/producer.properties": producer(),
    }
    assert clusters(files) == {
        "dev": ["dev/server.properties", "dev/app/producer.properties"],
        "prod": ["prod/server.properties", "app/prod/producer.properties"],
        "app": ["app/producer.properties"],
    }


def test_clients_beside_alternatives_follow_the_environment_that_they_name() -> None:
    files = {
        "docker-compose.yml": COMPOSE,
        "docker-compose.prod.yml": COMPOSE,
        "producer-prod.properties": producer("kafka:9092"),
        "producer.properties": producer("kafka:9092"),
    }
    found = clusters(files)
    assert found["docker-compose.prod.yml"] == [
        "docker-compose.prod.yml",
        "producer-prod.properties",
    ]
    assert ["producer.properties"] in found.values()


def test_a_managed_client_is_no_client_of_broker_files() -> None:
    files = {
        "server.properties": broker(1),
        "producer.properties": producer("pkc-1.aws.confluent.cloud:9092"),
    }
    found = project(files).clusters
    assert [(c.service, c.managed, len(c.clients)) for c in found] == [
        ("", False, 0),
        ("confluent-cloud", True, 1),
    ]
    declared = {
        "kcheck.yaml": "cluster: {name: x}\n",
        "producer.properties": producer("a.aivencloud.com:1"),
    }
    assert [(c.name, c.service) for c in project(declared).clusters] == [("x", "aiven")]


@pytest.mark.parametrize(
    ("bootstrap", "service"),
    [
        ("x.servicebus.windows.net:9093", "event-hubs"),
        ("pkc-4r.eu-west-1.aws.confluent.cloud:9092", "confluent-cloud"),
        ("b-1.k.ab.c2.kafka.us-east-1.amazonaws.com:9098", "msk"),
        ("boot-x.c1.kafka-serverless.us-east-1.amazonaws.com:9098", "msk"),
        ("SASL_SSL://kafka-x.aivencloud.com:12835", "aiven"),
        ("seed-1.c.byoc.prd.cloud.redpanda.com:9092", "redpanda"),
        ("bootstrap.c.europe-west1.managedkafka.p.cloud.goog:9092", "other"),
        ("ec2-1-2-3-4.compute-1.amazonaws.com:9092", ""),
        ("kafka.example.com:9092", ""),
        ("pkc.confluent.cloud:9092,kafka.example.com:9092", ""),
        ("${BOOTSTRAP}", ""),
    ],
)
def test_a_managed_service_shows_in_the_hosts(bootstrap: str, service: str) -> None:
    for files in (
        {"client.properties": producer(bootstrap)},
        {
            "clients.yaml": f'producers: [{{name: p, config: {{bootstrap.servers: "{bootstrap}"}}}}]\n'
        },
    ):
        (found,) = project(files).clusters
        assert found.service == service


def test_the_settings_win_over_everything() -> None:
    def matches(path: str) -> bool:
        return path.startswith("x/")

    entry = ClusterEntry("mine", matches, ClusterSettings(), "kcheck.toml")
    settings = Settings(clusters=(entry,))
    files = {
        "x/kafka.yaml": kafka("main"),
        "x/a/producer.properties": producer(),
        "y/topic.yaml": topic("orders", "main"),
        "y/labelled.yaml": topic("bills", "mine"),
    }
    assert clusters(files, settings) == {
        "mine": ["x/kafka.yaml", "x/a/producer.properties", "y/labelled.yaml"],
        "main": ["y/topic.yaml"],
    }


def test_clusters_come_in_the_order_of_their_files() -> None:
    files = {
        "a/producer.properties": producer("b-1.x.c2.kafka.eu-west-1.amazonaws.com:9098"),
        "b/c/d/server.properties": broker(1),
        "c/topic.yaml": topic("t", "x"),
    }
    assert list(clusters(files)) == ["a", "b/c/d", "x"]


# -- several projects in one repository -------------------------------------------------------

CONNECT = (
    "  connect:\n    image: confluentinc/cp-kafka-connect:7.6.0\n    environment:\n"
    "      CONNECT_BOOTSTRAP_SERVERS: kafka:9092\n      CONNECT_GROUP_ID: connect\n"
)
SINK = '{"name": "sink", "config": {"connector.class": "FileStreamSink", "topics": "orders"}}'


def published(port: int = 9092) -> str:
    """A compose file with one broker that its host knows as localhost."""
    return (
        f"{COMPOSE}    ports: ['{port}:{port}']\n    environment:\n"
        f"      KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://localhost:{port}\n"
    )


@pytest.mark.parametrize(
    "path", ["docs/configs/java.properties", "docs/service.yml/client.properties"]
)
def test_the_words_of_every_layout_decide_nothing(path: str) -> None:
    files = {
        "security/configs/docker-compose.yml": published(),
        "stream/docker-compose.yaml": published(),
        path: producer("localhost:9092"),
    }
    assert clusters(files)[path.rpartition("/")[0]] == [path]


def test_what_a_path_shares_with_all_clusters_tells_nothing() -> None:
    files = {
        "flink-spark/docker-compose-flink.yaml": published(),
        "flink-spark/docker-compose-spark.yaml": published(),
        "flink-spark/client-flink.properties": producer("localhost:9092"),
    }
    first, *_ = clusters(files).values()
    assert first == ["flink-spark/docker-compose-flink.yaml", "flink-spark/client-flink.properties"]


def test_only_the_clusters_beside_a_file_are_candidates() -> None:
    files = {
        **{f"{name}/docker-compose.yml": published() for name in "abc"},
        "d/docker-compose-mysql.yml": published(),
        "d/docker-compose-oracle.yml": published(),
        "d/client.properties": producer("localhost:9092"),
        "d/sink.json": SINK,
    }
    for left in project(files).unjoined:
        assert [g.path for g in left.candidates] == [
            "d/docker-compose-mysql.yml",
            "d/docker-compose-oracle.yml",
        ]


def test_beside_many_projects_no_sibling_is_the_nearest() -> None:
    files = {
        "a/docker-compose.yml": published(),
        "b/docker-compose.yml": published(),
        "openshift/kafka.yaml": kafka("main"),
        "podman/sink.json": SINK,
    }
    assert clusters(files)["podman"] == ["podman/sink.json"]


def test_the_workers_of_another_folder_run_a_connector_of_the_only_cluster() -> None:
    files = {"compose/docker-compose.yml": COMPOSE + CONNECT, "connectors/sink.json": SINK}
    assert clusters(files) == {"compose": list(files)}
    files["infra/terraform/modules/msk/main.tf"] = (
        'resource "aws_msk_cluster" "main" {\n  cluster_name = "main"\n'
        '  kafka_version = "3.6.0"\n  number_of_broker_nodes = 3\n}\n'
    )
    assert clusters(files)["connectors"] == ["connectors/sink.json"]


def test_containers_beside_two_clusters_go_with_the_one_that_they_ask() -> None:
    registry = (
        "  {0}registry:\n    image: confluentinc/cp-schema-registry:7.6.0\n    environment:\n"
        "      SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: {0}:9092\n"
        "      SCHEMA_REGISTRY_HOST_NAME: registry\n"
    )
    node = (
        "  {0}:\n    image: confluentinc/cp-kafka:7.6.0\n    environment:\n"
        "      KAFKA_BROKER_ID: 1\n      KAFKA_ZOOKEEPER_CONNECT: {0}zk:2181\n"
        "      KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://{0}:9092\n"
    )
    text = "services:\n" + "".join(
        part.format(name) for part in (node, registry) for name in ("src", "dest")
    )
    found = project({"docker-compose.yml": text})
    assert found.found.conflicts == []
    assert {c.name: sorted(r.name for r in c.resources) for c in found.clusters} == {
        "src": ["src", "srcregistry"],
        "dest": ["dest", "destregistry"],
    }


def test_each_file_of_a_group_without_brokers_has_its_own_reason() -> None:
    files = {
        "app/a.properties": producer("broker:9092"),
        "app/b.properties": "acks=all\nlinger.ms=5\nenable.idempotence=true\n",
    }
    homes = project(files).homes
    reasons = {path: homes.of(path)[0].unjoined for path in files}
    assert {path: left.reason for path, left in reasons.items() if left is not None} == {
        "app/a.properties": "unread",
        "app/b.properties": "unnamed",
    }


@pytest.mark.parametrize("name", ["{{ .Values.name }}", '"{{ .Values.name }}"'])
def test_a_chart_names_its_cluster_later(name: str) -> None:
    files = {
        "chart/templates/kafka.yaml": f"{pool('combined', name)}---\n{kafka(name)}".replace(
            f"{{name: {name}}}", f"\n  name: {name}"
        ),
        "chart/templates/topic.yaml": topic("orders"),
    }
    assert list(clusters(files).values()) == [list(files)]


@pytest.mark.parametrize("bootstrap", ["${SOURCE}:9093", "kafka.apps.<HOST>:443"])
def test_the_source_of_a_mirror_is_not_its_target(bootstrap: str) -> None:
    files = {
        "target/kafka.yaml": kafka("new"),
        "target/mirror.yaml": (
            "apiVersion: kafka.strimzi.io/v1\nkind: KafkaMirrorMaker2\nmetadata: {name: mirror}\n"
            "spec:\n  target: {alias: new, bootstrapServers: 'new-kafka-bootstrap:9092'}\n"
            f"  mirrors: [{{source: {{alias: old, bootstrapServers: '{bootstrap}'}}, sourceConnector: {{}}}}]\n"
        ),
    }
    found = {c.name: [r.name for r in c.resources] for c in project(files).clusters}
    assert found == {"new": ["new", "mirror", "mirror old sourceConnector"], "old": ["old"]}
    files["source/kafka.yaml"] = kafka("old")
    found = {c.name: [r.name for r in c.resources] for c in project(files).clusters}
    assert sorted(found["old"]) == ["old", "old"]


def test_a_service_that_everybody_calls_so_is_that_of_the_own_example() -> None:
    def operated(namespace: str) -> str:
        return (
            "apiVersion: platform.confluent.io/v1beta1\nkind: Kafka\n"
            f"metadata: {{name: kafka, namespace: {namespace}}}\nspec: {{replicas: 3}}\n"
        )

    files = {
        **{f"example{n}/kafka.yaml": operated("confluent") for n in (1, 2, 3)},
        "mirror/kafka.yaml": operated("source"),
        "mirror/apps/producer.properties": producer("kafka.source.svc.cluster.local:9071"),
        "replicator/client.properties": producer("kafka.source.svc.cluster.local:9071"),
    }
    assert list(clusters(files).values())[3:] == [
        ["mirror/kafka.yaml", "mirror/apps/producer.properties"],
        ["replicator/client.properties"],
    ]


LINK = "link.mode=SOURCE\nconnection.mode=OUTBOUND\nsecurity.protocol=PLAINTEXT\n"
ADVERTISED = (
    kraft(1, "1@k1.a.example:9093") + "advertised.listeners=PLAINTEXT://k1.a.example:9092\n"
)


@pytest.mark.parametrize(
    "text",
    [
        LINK,
        "cluster.link.prefix=east.\nsecurity.protocol=PLAINTEXT\n",
        "link.name=east\nsecurity.protocol=SASL_SSL\nsasl.mechanism=PLAIN\n",
        f"{LINK}bootstrap.servers=${{REMOTE}}\n",
        f"{LINK}bootstrap.servers=kafka-west:9092\n",
        f"{LINK}bootstrap.servers=k1.west.example:9092\n",
    ],
)
@pytest.mark.parametrize(
    "beside",
    [
        {"a/server.properties": ADVERTISED},
        {"a/kcheck.yaml": "cluster: {name: core, brokers: 3}\n"},
        {
            "a/server.properties": ADVERTISED,
            "docker-compose.yml": f"{COMPOSE}    volumes: ['./a/link.properties:/link.properties']\n",
        },
        {"a/client.properties": producer("k9.b.example:9092")},
    ],
)
def test_a_cluster_link_is_not_of_the_cluster_beside_it(beside: dict[str, str], text: str) -> None:
    found = clusters({**beside, "a/link.properties": text})
    assert ["a/link.properties"] in found.values()


def test_the_address_of_a_cluster_link_joins_it() -> None:
    files = {
        "a/server.properties": ADVERTISED,
        "b/link.properties": f"{LINK}bootstrap.servers=k1.a.example:9092\n",
    }
    assert list(clusters(files).values()) == [list(files)]


def test_nothing_joins_the_other_end_of_a_cluster_link_by_nearness() -> None:
    files = {
        "b/link.properties": f"{LINK}bootstrap.servers=k1.west.example:9092\n",
        "b/producer.properties": "acks=all\nlinger.ms=5\nenable.idempotence=true\n",
    }
    assert len(clusters(files)) == 2


def _left(files: dict[str, str], path: str) -> tuple[str, str]:
    (found,) = [one for one in project(files).found.unjoined if one.document.path == path]
    return found.reason, found.text


NOBODY = "acks=all\nlinger.ms=5\nenable.idempotence=true\n"
#: Where brokers lie, where a client lies that asks nobody, and what contradicts.
CONTRADICTED = [
    (["prod/kafka/server.properties"], "dev/app/producer.properties", "another environment"),
    (["eu/kafka/server.properties"], "us/app/producer.properties", "another region"),
    (["examples/a/server.properties"], "services/app/producer.properties", "another example"),
    (
        ["prod/eu/kafka/server.properties"],
        "dev/us/app/producer.properties",
        "another environment or region",
    ),
    (
        ["prod/kafka/server.properties", "examples/a/server.properties"],
        "dev/app/producer.properties",
        "another environment or example",
    ),
    (
        ["prod/eu/server.properties", "examples/a/server.properties"],
        "dev/us/app/producer.properties",
        "another environment, region or example",
    ),
]


@pytest.mark.parametrize(("brokers", "client", "words"), CONTRADICTED)
def test_a_denied_join_says_in_which_respects(brokers: list[str], client: str, words: str) -> None:
    files = {path: broker(n, f"zookeeper.connect=z{n}:2181") for n, path in enumerate(brokers)}
    assert _left({**files, client: NOBODY}, client) == (
        "denied",
        f"the known clusters are in {words}",
    )


def test_a_cluster_of_no_environment_is_denied_to_files_of_several() -> None:
    files = {
        "kafka/server.properties": broker(1),
        "services/dev/app/producer.properties": NOBODY,
        "services/prod/app/producer.properties": NOBODY,
    }
    assert _left(files, "services/dev/app/producer.properties") == (
        "denied",
        "the known clusters are in no environment, though files are in several",
    )


def test_a_service_of_another_kind_is_said() -> None:
    files = {
        "infra/main.tf": 'resource "aws_msk_cluster" "this" {\n  cluster_name = "core"\n'
        '  kafka_version = "3.6.0"\n  number_of_broker_nodes = 3\n}\n',
        "app/producer.properties": producer("pkc-1.eu-west-1.aws.confluent.cloud:9092"),
    }
    assert _left(files, "app/producer.properties")[0] in ("unread", "denied")


def test_an_address_of_a_cluster_that_is_denied_is_no_unknown_one() -> None:
    files = {
        "examples/a/kafka.yaml": kafka("core"),
        "examples/b/kafka.yaml": kafka("other"),
        "examples/b/app/producer.properties": producer("core-kafka-bootstrap:9092"),
    }
    path = "examples/b/app/producer.properties"
    assert _left(files, path) == (
        "denied",
        "core-kafka-bootstrap:9092 is an address of another example",
    )


def test_a_denied_label_says_in_which_respects() -> None:
    files = {
        "prod/kafka.yaml": kafka("core", "kafka"),
        "dev/topic.yaml": topic("orders", "core", "kafka"),
        "prod/topic.yaml": topic("orders", "core", "other"),
    }
    assert _left(files, "dev/topic.yaml")[1] == "cluster core is in another environment"
    assert _left(files, "prod/topic.yaml")[1] == "cluster core is in another namespace"


def operated(name: str, *ports: int) -> str:
    listeners = ", ".join(
        f"{{name: p{port}, port: {port}, type: internal, tls: false}}" for port in ports
    )
    return (
        f"apiVersion: kafka.strimzi.io/v1\nkind: Kafka\nmetadata: {{name: {name}}}\n"
        f"spec: {{kafka: {{version: 4.1.0, listeners: [{listeners}]}}}}\n"
    )


BRIDGE = (
    "apiVersion: kafka.strimzi.io/v1\nkind: KafkaBridge\nmetadata: {name: b}\n"
    "spec: {replicas: 1, bootstrapServers: 'my-cluster-kafka-bootstrap:9092'}\n"
)


def _ports(files: dict[str, str]) -> list[str]:
    sources = {path: text.encode() for path, text in files.items()}
    found = lint_project(sources.items(), Settings(), sources.get)
    assert found.failures == []
    return [one.severity for one in found.findings if one.code == "KC1074"]


@pytest.mark.parametrize("top", ["", "examples/"])
def test_a_reference_to_one_of_several_alternatives_is_wrong_if_it_is_wrong_in_all(
    top: str,
) -> None:
    right = {
        f"{top}kafka/kafka.yaml": operated("my-cluster", 9092, 9093),
        f"{top}security/tls-auth/kafka.yaml": operated("my-cluster", 9093),
        f"{top}security/tls-other/kafka.yaml": operated("my-cluster", 9094),
        f"{top}bridge/kafka-bridge-tls-auth.yaml": BRIDGE,
    }
    assert _ports(right) == []
    wrong = {**right, f"{top}kafka/kafka.yaml": operated("my-cluster", 9095)}
    assert _ports(wrong) == ["warning"]


@pytest.mark.parametrize(
    "files",
    [
        {"kafka/kafka.yaml": operated("my-cluster", 9093), "bridge/bridge.yaml": BRIDGE},
        {
            "a/kafka.yaml": operated("my-cluster", 9093),
            "b/kafka.yaml": operated("my-cluster", 9094),
            "a/bridge.yaml": BRIDGE,
        },
        {
            "a/kafka/kafka.yaml": operated("my-cluster", 9093),
            "b/kafka/kafka.yaml": operated("my-cluster", 9094),
            "a/bridge/bridge.yaml": BRIDGE,
        },
        {
            "eu/kafka.yaml": operated("my-cluster", 9093),
            "us/kafka.yaml": operated("my-cluster", 9094),
            "apps/eu/bridge.yaml": BRIDGE,
        },
    ],
)
def test_a_reference_to_the_cluster_of_its_place_is_wrong_for_certain(
    files: dict[str, str],
) -> None:
    assert _ports(files) == ["error"]


def test_a_patch_of_another_kind_leaves_the_brokers_known() -> None:
    """Only what is not read may change them: a patch of Control Center is of Control Center alone."""
    head = "apiVersion: platform.confluent.io/v1beta1\n"
    files = {
        "base/kustomization.yaml": "resources: [kafka.yaml]\n",
        "base/kafka.yaml": head + "kind: Kafka\nmetadata: {name: kafka}\nspec: {replicas: 3}\n",
        "prod/kustomization.yaml": "resources: [../base]\npatches: [{path: other.yaml}]\n",
        "prod/other.yaml": head
        + "kind: ControlCenter\nmetadata: {name: cc}\nspec: {replicas: 1}\n",
    }
    (group,) = gather.gathered(project(files).documents, Settings()).groups
    assert group.unknown == []
    files["prod/other.yaml"] = "- op: remove\n  path: /spec/replicas\n"
    (group,) = gather.gathered(project(files).documents, Settings()).groups
    assert [resource.name for resource in group.unknown] == ["kafka"]
