"""KC01: commands of Kafka's own tools, and requests to Connect's REST API, in scripts and containers."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.model import ERROR, Faulty, Finding
from kcheck.rule import rule
from kcheck.rules.shared.problems import findings


@rule("KC0190", "tool-command-refused", ERROR, refs=("KIP-546", "KIP-555"))
def tool_command_refused(document: Faulty) -> Iterator[Finding]:
    """A command of Kafka's tools has arguments that the tool or the brokers refuse.

    kafka-configs splits --add-config at commas and equals signs outside brackets, so a list needs
    brackets: ``cleanup.policy=[compact,delete]``. Quotas have underscores in their names; topics and
    brokers accept their own keys only, brokers those that are dynamic. kafka-acls requires a type
    with a principal, and a group with --consumer. Options for ZooKeeper are gone from 3.0 and 4.0 on.
    What each tool requires beside an option, or does not accept with it, is in a table of its sources.
    A warning for an ACL whose topic contains a *, which is no wildcard. kafka-storage format requires
    the first voters of a controller without controller.quorum.voters, and credentials of brokers that
    use SCRAM.

    Bad: a list without brackets
        --- topics.sh
        kafka-configs.sh --bootstrap-server kafka:9092 --alter --entity-type topics --entity-name state \\
          --add-config cleanup.policy=compact,delete,retention.ms=86400000
    Bad: names of quotas
        --- quotas.sh
        kafka-configs --bootstrap-server kafka:9092 --alter --entity-type users --entity-name shop \\
          --add-config 'producer.byte.rate=1048576'
    Bad: a broker's key on a topic
        --- topics.sh
        kafka-configs --bootstrap-server kafka:9092 --alter --topic state --add-config log.retention.ms=86400000
    Bad: a key of the brokers' files
        --- brokers.sh
        kafka-configs --bootstrap-server kafka:9092 --alter --entity-type brokers --entity-default \\
          --add-config num.partitions=12
    Bad: credentials without brackets
        --- users.sh
        kafka-configs --bootstrap-server kafka:9092 --alter --entity-type users --entity-name shop \\
          --add-config "SCRAM-SHA-512=password=$PASSWORD"
    Bad: a kind of entity in the singular
        --- topics.sh
        kafka-configs --bootstrap-server kafka:9092 --alter --entity-type topic --entity-name state \\
          --add-config retention.ms=86400000
    Bad: a principal without a type
        --- acls.sh
        kafka-acls --bootstrap-server kafka:9092 --add --allow-principal shop --operation Read --topic state
    Bad: a consumer without a group
        --- acls.sh
        kafka-acls --bootstrap-server kafka:9092 --add --allow-principal User:shop --consumer --topic state
    Bad: more copies of a topic
        --- topics.sh
        kafka-topics.sh --bootstrap-server k1.example.com:9092 --alter --topic orders --partitions 6 --replication-factor 3
    Bad: offsets without a new position
        --- offsets.sh
        kafka-consumer-groups.sh --bootstrap-server k1.example.com:9092 --group bills --reset-offsets --topic orders --execute
    Bad: a controller without its file
        --- quorum.sh
        kafka-metadata-quorum.sh --bootstrap-controller c1.example.com:9093 add-controller
    Bad: a key of one broker for all
        --- stores.sh
        kafka-configs.sh --bootstrap-server k1.example.com:9092 --alter --entity-type brokers --entity-default \\
          --add-config listener.name.external.ssl.keystore.location=/etc/kafka/new.p12
    Good: what a shell may add
        --- topics.sh
        OPTIONS="--topic orders"
        kafka-topics.sh --bootstrap-server k1.example.com:9092 --create "$@"
        xargs -n1 kafka-topics.sh --bootstrap-server k1.example.com:9092 --create < arguments
        kafka-consumer-groups.sh --bootstrap-server k1.example.com:9092 --group bills --reset-offsets --all-topics \\
          --to-earliest --execute
        kafka-topics.sh --bootstrap k1.example.com:9092 --create --topic orders --partition 6
    Bad: a star in a prefix
        --- acls.sh
        kafka-acls --bootstrap-server kafka:9092 --add --allow-principal User:shop --operation Read \\
          --topic 'orders-*' --resource-pattern-type prefixed
    Bad: an option that is gone
        --- docker-compose.yml
        services:
          init:
            image: confluentinc/cp-kafka:7.5.0
            command: kafka-topics --create --topic orders --zookeeper zookeeper:2181 --partitions 6
    Good:
        --- topics.sh
        set -e
        kafka-configs.sh --bootstrap-server kafka:9092 --alter --entity-type topics --entity-name state \\
          --add-config 'cleanup.policy=[compact,delete],retention.ms=86400000'
        kafka-configs.sh --bootstrap-server kafka:9092 --alter --entity-type users --entity-name shop \\
          --add-config 'producer_byte_rate=1048576,SCRAM-SHA-512=[iterations=8192,password=secret]'
        kafka-acls --bootstrap-server kafka:9092 --add --allow-principal User:shop --consumer \\
          --topic orders- --group shop --resource-pattern-type prefixed
    Good: what a shell fills in
        --- topics.sh
        kafka-configs.sh --bootstrap-server $SERVERS --alter --entity-type $TYPE --entity-name $NAME \\
          --add-config $CONFIG,$MORE
        kafka-acls --bootstrap-server kafka:9092 --add --allow-principal $USER --consumer "${@}"
    Good: a command that is only shown
        --- topics.sh
        # kafka-configs --alter --entity-type users --add-config producer.byte.rate=1
        echo "kafka-configs --alter --entity-type users --add-config producer.byte.rate=1"
    Bad: a job of Kubernetes
        --- job.yaml
        apiVersion: batch/v1
        kind: Job
        metadata: {name: topics}
        spec:
          template:
            spec:
              restartPolicy: OnFailure
              containers:
                - name: topics
                  image: apache/kafka:4.0.0
                  command: [/bin/bash, -c]
                  args:
                    - |
                      /opt/kafka/bin/kafka-configs.sh --bootstrap-server kafka:9092 --alter \\
                        --entity-type topics --entity-name state \\
                        --add-config cleanup.policy=compact,delete
    Bad: the voters of a dynamic quorum
        --- start.sh
        kafka-storage.sh format --cluster-id "$CLUSTER_ID" --config /opt/kafka/custom/controller.properties
        --- controller.properties
        process.roles=controller
        node.id=1
        controller.quorum.bootstrap.servers=c1:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
    Bad: no credentials at the first start
        --- start.sh
        bin/kafka-storage.sh format -t $(cat id) -c config/server.properties
        --- config/server.properties
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=SASL_PLAINTEXT://:9092,CONTROLLER://:9093
        listener.security.protocol.map=SASL_PLAINTEXT:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT
        inter.broker.listener.name=SASL_PLAINTEXT
        sasl.enabled.mechanisms=SCRAM-SHA-512
        sasl.mechanism.inter.broker.protocol=SCRAM-SHA-512
        listener.name.sasl_plaintext.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required username="broker" password="secret";
    Good: the first controller
        --- start.sh
        kafka-storage.sh format --standalone -t "$CLUSTER_ID" -c /opt/kafka/custom/controller.properties
        kafka-storage.sh format -t "$CLUSTER_ID" -c /opt/kafka/custom/controller.properties $FORMAT_OPTS
        --- controller.properties
        process.roles=controller
        node.id=1
        controller.quorum.bootstrap.servers=c1:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
    """
    yield from findings(document, "KC0190")


@rule("KC0179", "connect-request-refused", ERROR)
def connect_request_refused(document: Faulty) -> Iterator[Finding]:
    """A script sends a connector to Connect in a form that the REST API refuses.

    POST /connectors reads an object with name and config, PUT /connectors/NAME/config the settings
    alone. A name in the settings must be that of the URL, or the one beside config. Other methods are
    not allowed.

    Bad: name and config
        --- deploy.sh
        curl -X PUT -H 'Content-Type: application/json' -d @rows.json "$CONNECT/connectors/rows/config"
        --- rows.json
        {"name": "rows", "config": {"connector.class": "FileStreamSink", "topics": "orders"}}
    Bad: the settings alone
        --- scripts/deploy.sh
        curl -s http://connect:8083/connectors -H 'Content-Type: application/json' --data @connectors/rows.json
        --- connectors/rows.json
        {"name": "rows", "connector.class": "FileStreamSink", "topics": "orders"}
    Bad: the method
        --- deploy.sh
        curl --request POST --data @rows.json http://connect:8083/connectors/rows/config
        --- rows.json
        {"connector.class": "FileStreamSink", "topics": "orders"}
    Bad: another name
        --- deploy.sh
        curl -X PUT http://connect:8083/connectors/rows/config -d '{"name": "row", "connector.class": "FileStreamSink"}'
    Good:
        --- deploy.sh
        curl -X PUT -H 'Content-Type: application/json' -d @rows.json "$CONNECT/connectors/rows/config"
        curl -X POST --json @lines.json http://connect:8083/connectors/
        curl -X PUT http://connect:8083/connectors/rows/pause
        --- rows.json
        {"name": "rows", "connector.class": "FileStreamSink", "topics": "orders"}
        --- lines.json
        {"name": "lines", "config": {"name": "lines", "connector.class": "FileStreamSink", "topics": "lines"}}
    Good: what only the shell knows
        --- deploy.sh
        curl -X PUT -d @"$file" "$CONNECT/connectors/$name/config"
        curl -X PUT -d "$(jq .config rows.json)" "$CONNECT/connectors/rows/config"
        echo "curl -X POST $CONNECT/connectors/rows/config"
        --- rows.json
        {"name": "rows", "config": {"connector.class": "FileStreamSink", "topics": "orders"}}
    """
    yield from findings(document, "KC0179")
