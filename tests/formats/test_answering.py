"""Where nodes and their neighbours answer: listeners and ports as each format tells them."""

from __future__ import annotations

import pytest

from kcheck import formats
from kcheck.model import Address, Document, Resource


def read(text: str, path: str, **others: str) -> Document:
    """A file, with ``others`` beside it by their names without an ending."""
    found = {f"{name}.{path.rpartition('.')[2]}": held.encode() for name, held in others.items()}
    return formats.read(path, text.encode(), lambda name: found.get(name.rpartition("/")[2]))


def shown(addresses: tuple[Address, ...]) -> list[str]:
    return [f"{one.reach} {one.host}:{one.port or '*'} {one.listener}".strip() for one in addresses]


def node(document: Document, kind: str = "broker") -> Resource:
    (found,) = [one for one in document.resources if one.kind == kind]
    return found


def answers(text: str, path: str, **others: str) -> list[str]:
    return shown(node(read(text, path, **others)).traits.addresses)


def services(text: str, path: str) -> dict[str, list[str]]:
    """The neighbours of a file by kind and name."""
    found = read(text, path).services
    return {f"{one.kind} {one.name}": shown(one.addresses) for one in found}


# -- compose ----------------------------------------------------------------------------------

COMPOSE = """\
services:
  kafka:
    image: apache/kafka:4.1.0
    hostname: broker.shop
    container_name: shop-kafka
    networks:
      default: {{aliases: [events]}}
    environment:
      KAFKA_NODE_ID: 1
      KAFKA_PROCESS_ROLES: broker,controller
      {0}
    ports: {1}
"""
LISTENERS = "KAFKA_LISTENERS: IN://:9092,OUT://0.0.0.0:29092,NEAR://localhost:9999"


def test_names_in_the_network_of_compose() -> None:
    found = answers(COMPOSE.format(LISTENERS, "[]"), "compose.yaml")
    names = ("kafka", "broker.shop", "shop-kafka", "events")
    assert found == [
        f"network {name}:{port}" for name in names for port in ("9092 IN", "29092 OUT")
    ]


@pytest.mark.parametrize(
    ("ports", "found"),
    [
        ("['29092:29092']", ["machine localhost:29092 OUT"]),
        ("['127.0.0.1:19092:29092/tcp', '9999:9998']", ["machine localhost:19092 OUT"]),
        ("[{target: 9092, published: 19092}]", ["machine localhost:19092 IN"]),
        ("['29092']", []),
        ("['${PORT}:29092']", []),
        ("['9092-9094:9092-9094']", []),
    ],
)
def test_ports_of_the_host(ports: str, found: list[str]) -> None:
    told = answers(COMPOSE.format(LISTENERS, ports), "compose.yaml")
    assert [one for one in told if one.startswith("machine")] == found


def test_listeners_that_are_not_known() -> None:
    told = answers(
        COMPOSE.format("KAFKA_LISTENERS: ${LISTENERS}", "['29092:9092']"), "compose.yaml"
    )
    assert told[0] == "network kafka:*"
    assert told[-1] == "machine localhost:29092"


def test_advertised_listeners_are_opened_by_confluents_images() -> None:
    text = """\
services:
  kafka:
    image: confluentinc/cp-kafka:7.5.3
    environment:
      KAFKA_BROKER_ID: 1
      KAFKA_ZOOKEEPER_CONNECT: zk:2181
      KAFKA_ADVERTISED_LISTENERS: IN://kafka:9092,OUT://localhost:29092
    ports: ['39092:29092']
"""
    assert answers(text, "compose.yaml") == [
        "network kafka:9092 IN",
        "network kafka:29092 OUT",
        "machine localhost:39092 OUT",
    ]


NEIGHBOURS = """\
services:
  zk:
    image: confluentinc/cp-zookeeper:7.5.3
    environment: {ZOOKEEPER_CLIENT_PORT: 32181}
    ports: ['2181:32181', '8080:8080']
  zoo:
    image: zookeeper:3.9
  registry:
    image: confluentinc/cp-schema-registry:7.6.1
    hostname: schemas
    environment:
      SCHEMA_REGISTRY_LISTENERS: http://0.0.0.0:8085,https://0.0.0.0:8086
  rest:
    image: confluentinc/cp-kafka-rest:7.6.1
    environment: {KAFKA_REST_LISTENERS: '${REST}'}
  ksql:
    image: confluentinc/ksqldb-server:0.29.0
    env_file: ksql.env
  connect:
    image: confluentinc/cp-kafka-connect:7.6.1
    environment: {CONNECT_REST_PORT: 28083}
    ports: ['8083:28083']
  console:
    image: provectuslabs/kafka-ui
"""


def test_neighbours_in_compose() -> None:
    assert services(NEIGHBOURS, "compose.yaml") == {
        "zookeeper zk": ["network zk:32181", "machine localhost:2181"],
        "zookeeper zoo": ["network zoo:2181"],
        "schema-registry registry": [
            *("network registry:8085", "network registry:8086"),
            *("network schemas:8085", "network schemas:8086"),
        ],
        "rest-proxy rest": ["network rest:*"],
        "ksqldb ksql": ["network ksql:*"],
        "connect connect": ["network connect:28083", "machine localhost:8083"],
    }


# -- Confluent's operator -----------------------------------------------------------------------

CFK = """\
apiVersion: platform.confluent.io/v1beta1
kind: Kafka
metadata: {{name: events, namespace: shop}}
spec:
  replicas: 2
  listeners:
    {0}
"""
INSIDE = ["service events:9071 INTERNAL", "service events:9072 REPLICATION"]


def test_listeners_of_confluents_operator() -> None:
    text = CFK.format("custom: [{name: partner, port: 9204}, {name: open, port: '${PORT}'}]")
    assert answers(text, "kafka.yaml") == [
        *INSIDE,
        "service events:9092 EXTERNAL",
        "service events:9204 PARTNER",
        "service events:* OPEN",
    ]


def test_rbac_of_confluents_operator_opens_a_listener_for_tokens() -> None:
    text = CFK.format("internal: {}") + "  authorization: {type: rbac}\n"
    assert "service events:9073 TOKEN" in answers(text, "kafka.yaml")
    assert "service events:9073 TOKEN" not in answers(CFK.format("internal: {}"), "kafka.yaml")


@pytest.mark.parametrize(
    ("access", "found"),
    [
        (
            "{type: loadBalancer, loadBalancer: {domain: shop.example}}",
            ["events.shop.example:9092", "b0.shop.example:9092", "b1.shop.example:9092"],
        ),
        (
            "{type: route, route: {domain: shop.example, bootstrapPrefix: boot, brokerPrefix: n}}",
            ["boot.shop.example:443", "n0.shop.example:443", "n1.shop.example:443"],
        ),
        (
            "{type: loadBalancer, loadBalancer: {domain: shop.example, advertisedPort: 9999}}",
            ["events.shop.example:9999", "b0.shop.example:9999", "b1.shop.example:9999"],
        ),
        ("{type: nodePort, nodePort: {host: node.shop.example}}", ["node.shop.example:*"]),
        (
            "{type: nodePort, nodePort: {host: node.shop.example, nodePortOffset: 30000}}",
            [f"node.shop.example:{port}" for port in (30000, 30001, 30002)],
        ),
    ],
)
def test_external_access_of_confluents_operator(access: str, found: list[str]) -> None:
    told = answers(CFK.format(f"external: {{externalAccess: {access}}}"), "kafka.yaml")
    assert told == [
        *INSIDE,
        "service events:9092 EXTERNAL",
        *(f"anywhere {one} EXTERNAL" for one in found),
    ]


def test_a_domain_that_is_not_known_may_be_any() -> None:
    access = "external: {externalAccess: {type: loadBalancer, loadBalancer: {domain: '<yours>'}}}"
    assert answers(CFK.format(access), "kafka.yaml")[-1] == "pattern *:* EXTERNAL"


def test_neighbours_of_confluents_operator() -> None:
    text = "".join(
        f"""\
---
apiVersion: platform.confluent.io/v1beta1
kind: {kind}
metadata: {{name: {kind.lower()}, namespace: shop}}
spec:
  replicas: 1
  externalAccess: {{type: loadBalancer, loadBalancer: {{domain: shop.example, prefix: my}}}}
"""
        for kind in ("SchemaRegistry", "Zookeeper", "ControlCenter")
    )
    assert services(text, "kafka.yaml") == {
        "schema-registry schemaregistry": [
            *("service schemaregistry:8081",),
            *("anywhere my.shop.example:443", "anywhere my.shop.example:80"),
        ],
        "zookeeper zookeeper": [
            *("service zookeeper:2181", "service zookeeper:2182"),
            *("anywhere my.shop.example:443", "anywhere my.shop.example:80"),
        ],
    }
    assert {one.namespace for one in read(text, "kafka.yaml").services} == {"shop"}


def test_whom_a_worker_of_confluents_operator_asks() -> None:
    text = """\
apiVersion: platform.confluent.io/v1beta1
kind: Connect
metadata: {name: connect}
spec:
  replicas: 1
  dependencies: {kafka: {bootstrapEndpoint: 'events.shop.svc.cluster.local:9071'}}
"""
    asked = node(read(text, "connect.yaml"), "worker").image["bootstrap.servers"]
    assert (asked.text, asked.at[0]) == ("events.shop.svc.cluster.local:9071", 6)
    assert shown(read(text, "connect.yaml").services[0].addresses) == ["service connect:8083"]


# -- Strimzi ------------------------------------------------------------------------------------

STRIMZI = """\
apiVersion: kafka.strimzi.io/v1beta2
kind: Kafka
metadata: {{name: prod, namespace: kafka}}
spec:
  kafka:
    listeners:
      - {{name: plain, port: 9092, type: internal, tls: false}}
      - {{name: ext, port: 9094, tls: true, {0}}}
  {1}
"""
PLAIN = ["service prod-kafka-bootstrap:9092 plain", "service prod-kafka-brokers:9092 plain"]
EXT = ["service prod-kafka-ext-bootstrap:9094 ext", "service prod-kafka-brokers:9094 ext"]


@pytest.mark.parametrize(
    ("listener", "found"),
    [
        (
            "type: internal",
            ["service prod-kafka-bootstrap:9094 ext", "service prod-kafka-brokers:9094 ext"],
        ),
        ("type: cluster-ip", EXT),
        (
            "type: loadbalancer",
            [*EXT, "pattern *:* ext"],
        ),
        (
            "type: ingress, configuration: {bootstrap: {host: k.shop.example},"
            " brokers: [{broker: 0, host: k0.shop.example}]}",
            [
                *EXT,
                "anywhere k.shop.example:443 ext",
                "anywhere k0.shop.example:443 ext",
            ],
        ),
        (
            "type: nodeport, configuration: {bootstrap: {alternativeNames: [n.shop.example]},"
            " brokers: [{broker: 0, advertisedHost: n0.shop.example, advertisedPort: 31000}]}",
            [
                *EXT,
                "anywhere n.shop.example:* ext",
                "anywhere n0.shop.example:31000 ext",
            ],
        ),
    ],
)
def test_listeners_of_strimzi(listener: str, found: list[str]) -> None:
    assert answers(STRIMZI.format(listener, "entityOperator: {}"), "kafka.yaml") == PLAIN + found


def test_neighbours_of_strimzi() -> None:
    kafka = STRIMZI.format("type: internal", "zookeeper: {replicas: 3}")
    others = "".join(
        f"""\
---
apiVersion: kafka.strimzi.io/v1beta2
kind: {kind}
metadata: {{name: {name}, namespace: kafka}}
spec: {{replicas: 1, bootstrapServers: 'prod-kafka-bootstrap:9092', http: {{port: 8090}}}}
"""
        for kind, name in (("KafkaConnect", "sinks"), ("KafkaBridge", "web"))
    )
    assert services(kafka + others, "kafka.yaml") == {
        "zookeeper prod": ["service prod-zookeeper-client:2181"],
        "connect sinks": ["service sinks-connect-api:8083"],
        "bridge web": ["service web-bridge-service:8090"],
    }
    assert not services(STRIMZI.format("type: internal", ""), "kafka.yaml")


# -- plain Kubernetes ---------------------------------------------------------------------------

STATEFUL = """\
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: kafka, namespace: shop}
spec:
  serviceName: kafka-headless
  replicas: 3
  selector: {matchLabels: {app: kafka}}
  template:
    metadata: {labels: {app: kafka, tier: data}}
    spec:
      containers:
        - name: kafka
          image: apache/kafka:3.9.1
          ports: [{name: client, containerPort: 9092}, {name: jmx, containerPort: 9999}]
          env:
            - {name: KAFKA_PROCESS_ROLES, value: 'broker,controller'}
            - {name: KAFKA_LISTENERS, value: 'IN://:9092,CONTROLLER://:9093'}
"""
HEADLESS = [
    "service kafka-headless:9092 IN",
    "service kafka-headless:9093 CONTROLLER",
]


def service(spec: str, name: str = "kafka", metadata: str = "") -> str:
    return (
        "---\napiVersion: v1\nkind: Service\n"
        f"metadata: {{name: {name}, namespace: shop{metadata}}}\nspec: {{{spec}}}\n"
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", [*HEADLESS, "pattern *:*"]),
        (
            service("clusterIP: None, selector: {app: kafka}", "kafka-headless"),
            HEADLESS,
        ),
        (
            service(
                "selector: {app: kafka},"
                " ports: [{port: 19092, targetPort: client}, {port: 9999, targetPort: jmx}]"
            ),
            ["service kafka:19092 IN", *HEADLESS],
        ),
        (
            service(
                "type: LoadBalancer, loadBalancerIP: 10.0.0.9, selector: {tier: data},"
                " ports: [{port: 9092}]",
                metadata=", annotations: {external-dns.alpha.kubernetes.io/hostname: k.shop.example}",
            ),
            [
                *("service kafka:9092 IN", "anywhere 10.0.0.9:9092 IN"),
                *("anywhere k.shop.example:9092 IN", *HEADLESS),
            ],
        ),
        (
            service("type: NodePort, selector: {app: kafka}, ports: [{port: 9092}]"),
            ["service kafka:9092 IN", "pattern *:*", *HEADLESS],
        ),
        (
            service("selector: {app: other}, ports: [{port: 9092}]"),
            [*HEADLESS, "pattern *:*"],
        ),
    ],
)
def test_services_that_select_the_pods(text: str, found: list[str]) -> None:
    assert answers(STATEFUL + text, "kafka/statefulset.yaml") == found


@pytest.mark.parametrize(
    ("beside", "found"),
    [
        ("        - {name: tls, image: envoyproxy/envoy:v1.31.0}\n", True),
        ("      initContainers: [{name: tls, image: e, restartPolicy: Always}]\n", True),
        ("      initContainers: [{name: format, image: e}]\n", False),
    ],
)
def test_other_containers_of_the_pod_may_answer(beside: str, found: bool) -> None:
    held = service("selector: {app: kafka}, ports: [{port: 9092}, {port: 9094, targetPort: 9094}]")
    told = answers(STATEFUL + beside + held, "kafka/statefulset.yaml")
    assert ("service kafka:9094" in told) is found
    assert ("service kafka-headless:*" in told) is found


def test_services_of_a_file_beside() -> None:
    held = service("selector: {app: kafka}, ports: [{port: 9092}]")
    assert answers(STATEFUL, "kafka/statefulset.yaml", service=held) == [
        "service kafka:9092 IN",
        *HEADLESS,
    ]


def test_neighbours_in_kubernetes() -> None:
    text = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: registry, namespace: shop}
spec:
  template:
    metadata: {labels: {app: registry}}
    spec:
      containers:
        - name: registry
          image: confluentinc/cp-schema-registry:7.6.1
          env:
            - {name: SCHEMA_REGISTRY_LISTENERS, value: 'http://0.0.0.0:8085'}
""" + service(
        "selector: {app: registry}, ports: [{port: 8081, targetPort: 8085}, {port: 9999}]",
        "schemas",
    )
    found = read(text, "registry.yaml").services
    # What answers at the other port of the Service is not known.
    assert [shown(one.addresses) for one in found] == [
        ["service schemas:8081", "service schemas:*"]
    ]
    assert [one.namespace for one in found] == ["shop"]


# -- charts -------------------------------------------------------------------------------------

BITNAMI = """\
image: {{repository: bitnami/kafka, tag: 3.9.0}}
namespaceOverride: shop
{0}
"""
NAMED = [
    "service shop-kafka:9092 CLIENT",
    "service shop-kafka-headless:*",
    "service shop-kafka-controller-headless:*",
    "service shop-kafka-broker-headless:*",
]


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ("fullnameOverride: shop-kafka", NAMED),
        ("nameOverride: events", ["pattern *:*"]),
        ("fullnameOverride: '{{ .Values.name }}'", ["pattern *:*"]),
        (
            "fullnameOverride: shop-kafka\nservice: {ports: {client: 19092}}\n"
            "listeners: {client: {name: IN}}",
            ["service shop-kafka:19092 IN", *NAMED[1:]],
        ),
        (
            "fullnameOverride: shop-kafka\nexternalAccess: {enabled: true, broker: {service:"
            " {type: NodePort, domain: k.shop.example, ports: {external: 9095}}}}",
            [*NAMED, "pattern *:* EXTERNAL", "anywhere k.shop.example:* EXTERNAL"],
        ),
        (
            "fullnameOverride: shop-kafka\nexternalAccess: {enabled: true, controller: {service:"
            " {loadBalancerNames: [a.shop.example], ports: {external: 9095}}}}",
            [*NAMED, "pattern *:* EXTERNAL", "anywhere a.shop.example:9095 EXTERNAL"],
        ),
        (
            "fullnameOverride: shop-kafka\nexternalAccess: {enabled: true}",
            [*NAMED, "pattern *:* EXTERNAL"],
        ),
    ],
)
def test_bitnamis_chart(values: str, found: list[str]) -> None:
    document = read(BITNAMI.format(values), "values-kafka.yaml")
    broker = node(document)
    assert shown(broker.traits.addresses) == found
    assert broker.traits.namespace == "shop"


def test_controllers_of_bitnamis_chart() -> None:
    values = """\
fullnameOverride: shop-kafka
extraConfig: num.partitions=3
kraft: {enabled: true}
listeners: {interbroker: {name: INTERNAL}, controller: {name: CONTROLLER}}
controller: {controllerOnly: true, replicaCount: 3}
broker: {replicaCount: 3}
"""
    found = node(read(BITNAMI.format(values), "values-kafka.yaml"), "controller")
    assert shown(found.traits.addresses) == [NAMED[2]]
    assert found.traits.namespace == "shop"


def test_confluents_chart() -> None:
    text = """\
cp-kafka:
  {}
  configurationOverrides: {{num.partitions: 3}}
"""
    assert answers(text.format("fullnameOverride: shop-kafka"), "values.yaml") == [
        *("service shop-kafka:9092 PLAINTEXT", "service shop-kafka-headless:*"),
    ]
    assert answers(text.format("brokers: 3"), "values.yaml") == ["pattern *:*"]


# -- Amazon MSK -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "found"),
    [
        (
            "Orders",
            [f"pattern b-*.orders.*.kafka.*.amazonaws.com:{port}" for port in (9092, 9094, 9194)],
        ),
        ("!Ref Name", ["pattern b-*.kafka.*.amazonaws.com:*"]),
    ],
)
def test_clusters_of_cloudformation(name: str, found: list[str]) -> None:
    text = f"""\
Resources:
  Cluster:
    Type: AWS::MSK::Cluster
    Properties:
      ClusterName: {name}
      NumberOfBrokerNodes: 3
"""
    assert answers(text, "stack.yaml") == found
