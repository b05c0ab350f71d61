"""Workloads and the ConfigMaps that they have their settings from, in one file and in several."""

from __future__ import annotations

import pytest

from kcheck.engine import Project, lint_project
from kcheck.graph.running import instances
from kcheck.settings import Settings

MAP = """apiVersion: v1
kind: ConfigMap
metadata: {name: orders-config, namespace: shop}
data:
  SPRING_KAFKA_BOOTSTRAP_SERVERS: "k:9092"
  SPRING_KAFKA_PRODUCER_ACKS: "1"
"""
FILE = """apiVersion: v1
kind: ConfigMap
metadata: {name: orders-config, namespace: shop}
data:
  application.yml: |
    spring:
      kafka:
        bootstrap-servers: k:9092
        consumer: {group-id: orders}
"""
DEPLOYMENT = """apiVersion: apps/v1
kind: Deployment
metadata: {name: orders, namespace: %s}
spec:
  replicas: %s
  template:
    spec:
      containers:
        - name: app
          image: example.com/orders:1
%s
"""
DRAWS = "          envFrom: [{configMapRef: {name: orders-config}}]"
MOUNTS = "      volumes: [{name: a, configMap: {name: orders-config}}]"
PROJECTS = "      volumes: [{name: a, projected: {sources: [{configMap: {name: orders-config}}]}}]"
OWN = DRAWS + '\n          env: [{name: SPRING_KAFKA_PRODUCER_ACKS, value: "%s"}]'
KUSTOMIZATION = "resources: [10-settings.yaml, 20-run.yaml]\n"


def deployment(uses: str = DRAWS, replicas: object = 3, namespace: str = "shop") -> str:
    return DEPLOYMENT % (namespace, replicas, uses)


def lint(files: dict[str, str]) -> Project:
    data = {path: text.encode() for path, text in files.items()}
    return lint_project(list(data.items()), Settings(), data.get)


def counts(files: dict[str, str]) -> dict[str, float]:
    """The clients of a project by kind, and how many processes run each; -1 where nobody tells."""
    clients = [client for cluster in lint(files).clusters for client in cluster.clients]
    assert len({client.resource.kind for client in clients}) == len(clients)
    return {
        client.resource.kind: number if (number := instances(client).number) >= 0 else -1
        for client in clients
    }


@pytest.mark.parametrize(
    ("settings", "run", "others"),
    [
        ("configmap.yaml", "deployment.yaml", {}),
        ("k8s/config.yml", "k8s/deploy.yml", {}),
        ("k8s/orders-configmap.yaml", "k8s/orders.yaml", {}),
        ("k8s/cm-orders.yaml", "k8s/deployment-orders.yaml", {}),
        ("k8s/10-settings.yaml", "k8s/20-run.yaml", {"k8s/kustomization.yaml": KUSTOMIZATION}),
    ],
)
@pytest.mark.parametrize(
    ("held", "uses", "kind"),
    [(MAP, DRAWS, "producer"), (FILE, MOUNTS, "consumer"), (FILE, PROJECTS, "consumer")],
)
def test_clients_have_the_replicas_of_their_workload(
    settings: str, run: str, others: dict[str, str], held: str, uses: str, kind: str
) -> None:
    assert counts({settings: held, run: deployment(uses), **others}) == {kind: 3}


def test_one_file_holds_both() -> None:
    assert counts({"a.yaml": f"{FILE}---\n{deployment(MOUNTS)}"}) == {"consumer": 3}
    assert counts({"a.yaml": f"{MAP}---\n{deployment()}"}) == {"producer": 3}


@pytest.mark.parametrize(
    "other",
    [
        deployment("          env: []"),
        deployment(DRAWS, "{{ .Values.replicas }}"),
        deployment(DRAWS, namespace="billing"),
        deployment(DRAWS.replace("orders-config", "orders-other")),
        # Two programs have it, and nobody knows which of them this is.
        f"{deployment()}---\n{deployment(replicas=5).replace('name: orders,', 'name: again,')}",
    ],
)
def test_no_workload_that_counts(other: str) -> None:
    assert counts({"configmap.yaml": MAP, "deployment.yaml": other}) == {"producer": -1}


def test_what_a_container_sets_itself_goes_over_a_map_of_another_file() -> None:
    files = {"k8s/configmap.yaml": MAP, "k8s/deployment.yaml": deployment(OWN % "all")}
    (client,) = [client for cluster in lint(files).clusters for client in cluster.clients]
    assert client.name == "orders"
    acks, servers = client["acks"], client["bootstrap.servers"]
    assert (acks.value, servers.text) == ("all", "k:9092")
    assert acks.setting is not None and acks.setting.path == "k8s/deployment.yaml"
    assert servers.setting is not None and servers.setting.path == "k8s/configmap.yaml"
    assert instances(client).number == 3


def test_the_file_of_the_map_is_of_the_cluster_of_its_workload() -> None:
    files = {
        "kafka/server.properties": "node.id=1\nprocess.roles=broker\n"
        "listeners=PLAINTEXT://k.example.com:9092\n",
        "shop/k8s/configmap.yaml": MAP.replace("k:9092", "k.example.com:9092"),
        "shop/k8s/deployment.yaml": deployment(OWN % "all"),
    }
    project = lint(files)
    (cluster,) = project.clusters
    assert [client.resource.path for client in cluster.clients] == ["shop/k8s/deployment.yaml"]
    assert {project.homes.cluster(path) for path in files} == {cluster.name}
    assert project.unjoined == []


def test_a_map_is_judged_alone_where_its_workload_is_not_read() -> None:
    data = {"k8s/configmap.yaml": MAP, "k8s/deployment.yaml": deployment(OWN % "all")}
    look = {path: text.encode() for path, text in data.items()}
    project = lint_project([("k8s/configmap.yaml", MAP.encode())], Settings(), look.get)
    assert [c.resource.path for one in project.clusters for c in one.clients] == [
        "k8s/configmap.yaml"
    ]


def test_a_member_of_a_map_of_another_file() -> None:
    variable = (
        "          env:\n            - name: SPRING_KAFKA_PRODUCER_ACKS\n"
        "              valueFrom: {configMapKeyRef: {name: orders-config, key: acks}}\n"
    )
    held = MAP.replace("SPRING_KAFKA_PRODUCER_ACKS", "acks").replace(
        '  SPRING_KAFKA_BOOTSTRAP_SERVERS: "k:9092"\n', ""
    )
    files = {"configmap.yaml": held, "deployment.yaml": deployment(variable)}
    (client,) = [client for cluster in lint(files).clusters for client in cluster.clients]
    assert client["acks"].value == "1"


def test_a_broker_has_the_variables_of_a_map_of_another_file() -> None:
    broker = deployment().replace("example.com/orders:1", "apache/kafka:3.9.1")
    held = MAP.replace("SPRING_KAFKA_PRODUCER_ACKS", "KAFKA_MIN_INSYNC_REPLICAS")
    (cluster,) = lint({"configmap.yaml": held, "deployment.yaml": broker}).clusters
    assert cluster.brokers[0]["min.insync.replicas"].value == 1


SCALER = """apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: orders}
spec: {scaleTargetRef: {kind: Deployment, name: %s}, minReplicas: 1, maxReplicas: 9}
"""


@pytest.mark.parametrize(
    ("name", "fewest", "count"), [("orders", 1, -1), ("orders", 2, 2), ("other", 2, 3)]
)
def test_what_something_scales_has_the_count_that_it_keeps(
    name: str, fewest: int, count: int
) -> None:
    scaler = (SCALER % name).replace("minReplicas: 1", f"minReplicas: {fewest}")
    held = {"configmap.yaml": MAP, "deployment.yaml": deployment()}
    assert counts({**held, "hpa.yaml": scaler}) == {"producer": count}
    own = deployment(OWN % "all")
    assert counts({"deployment.yaml": own, "hpa.yaml": scaler}) == {"producer": count}
    assert counts({"a.yaml": f"{own}---\n{scaler}"}) == {"producer": count}


BROKER = """apiVersion: apps/v1
kind: Deployment
metadata: {name: fights-kafka}
spec:
  replicas: 1
  template:
    spec:
      containers:
        - name: kafka
          image: apache/kafka:3.9.0
          env:
            - {name: KAFKA_NODE_ID, value: "1"}
            - {name: KAFKA_PROCESS_ROLES, value: "broker,controller"}
            - {name: KAFKA_CONTROLLER_QUORUM_VOTERS, value: "1@localhost:9093"}
            - {name: KAFKA_CONTROLLER_LISTENER_NAMES, value: CONTROLLER}
            - {name: KAFKA_LISTENERS, value: "PLAINTEXT://:9092,CONTROLLER://:9093"}
            - {name: KAFKA_MESSAGE_MAX_BYTES, value: "%s"}
"""


def test_an_object_that_stands_twice_in_a_file_is_applied_over_itself() -> None:
    text = "---\n".join(BROKER % most for most in ("1000", "2000"))
    project = lint_project([("all.yml", text.encode())], Settings())
    (broker,) = project.clusters[0].brokers
    assert broker["message.max.bytes"].text == "2000"
    assert not [f for f in project.findings if f.code == "KC1805"]


@pytest.mark.parametrize(
    ("mounts", "known"),
    [
        ("[{name: data, mountPath: /var/lib/kafka/data}]", 1),
        ("null", 0),
        ('"${MOUNTS}"', None),
        ('[{name: data, mountPath: "${DIR}"}]', None),
    ],
)
def test_mounts_of_a_template_are_unknown(mounts: str, known: int | None) -> None:
    text = f"""apiVersion: apps/v1
kind: StatefulSet
metadata: {{name: kafka}}
spec:
  template:
    spec:
      containers:
        - name: kafka
          image: confluentinc/cp-kafka:7.6.0
          env: [{{name: KAFKA_ZOOKEEPER_CONNECT, value: "zk:2181"}}]
          volumeMounts: {mounts}
"""
    (process,) = lint({"kafka.yaml": text}).documents[0].processes
    assert (None if process.mounts is None else len(process.mounts)) == known
