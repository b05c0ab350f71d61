"""KC15: statements of ksqlDB."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.model import ERROR, Faulty, Finding
from kcheck.rule import rule
from kcheck.rules.shared.problems import findings


@rule("KC1540", "ksql-statement-refused", ERROR)
def ksql_statement_refused(document: Faulty) -> Iterator[Finding]:
    """A statement of ksqlDB is one that its server refuses.

    From ksqlDB 0.10 on a table declares its key's column with PRIMARY KEY, and KEY is no property any
    more: a warning, since the server's version is mostly unknown. The sources of a join with a stream
    must have the same number of partitions. SET takes properties of ksqlDB, Streams and their clients,
    not of topics, and not behind Streams' prefixes for one client of several.

    Bad: a table without a key
        --- tables.sql
        CREATE TABLE customers (id VARCHAR, name VARCHAR)
          WITH (KAFKA_TOPIC='customers', VALUE_FORMAT='JSON');
    Bad: the key of earlier releases
        --- tables.ksql
        CREATE STREAM clicks (user VARCHAR, url VARCHAR)
          WITH (KAFKA_TOPIC='clicks', VALUE_FORMAT='JSON', KEY='user');
    Bad: a join of unequal partitions
        --- joins.sql
        CREATE STREAM orders (id VARCHAR KEY, total INT)
          WITH (KAFKA_TOPIC='orders', PARTITIONS=6, VALUE_FORMAT='JSON');
        CREATE TABLE customers (id VARCHAR PRIMARY KEY, name VARCHAR)
          WITH (KAFKA_TOPIC='customers', PARTITIONS=4, VALUE_FORMAT='JSON');
        CREATE STREAM named AS SELECT o.id, c.name FROM orders o JOIN customers c ON o.id = c.id EMIT CHANGES;
    Good:
        --- joins.sql
        -- CREATE TABLE old (id VARCHAR) WITH (KAFKA_TOPIC='old', VALUE_FORMAT='JSON');
        CREATE STREAM orders (id VARCHAR KEY, total INT)
          WITH (KAFKA_TOPIC='orders', PARTITIONS=6, VALUE_FORMAT='JSON');
        CREATE TABLE customers (id VARCHAR PRIMARY KEY, name VARCHAR)
          WITH (KAFKA_TOPIC='customers', PARTITIONS=6, VALUE_FORMAT='JSON');
        CREATE STREAM named AS SELECT o.id, c.name FROM orders o JOIN customers c ON o.id = c.id EMIT CHANGES;
    Good: keys from Schema Registry
        --- tables.sql
        CREATE TABLE customers (name VARCHAR) WITH (KAFKA_TOPIC='customers', FORMAT='AVRO');
    Good: a server of an earlier release
        --- docker-compose.yml
        services:
          ksql:
            image: confluentinc/cp-ksql-server:5.4.1
            environment:
              KSQL_BOOTSTRAP_SERVERS: kafka.example.com:9092
        --- tables.ksql
        CREATE TABLE customers (id VARCHAR, name VARCHAR)
          WITH (KAFKA_TOPIC='customers', VALUE_FORMAT='JSON', KEY='id');
    Bad: settings that it does not have
        --- tables.sql
        SET 'ksql.streams.retention.ms' = '86400000';
        SET 'auto.offsets.reset' = 'earliest';
        CREATE STREAM clicks (user VARCHAR KEY, url VARCHAR)
          WITH (KAFKA_TOPIC='clicks', VALUE_FORMAT='JSON');
    Bad: a prefix of Streams for one of its clients
        --- tables.sql
        SET 'ksql.streams.main.consumer.max.poll.records' = '300';
        CREATE STREAM clicks (user VARCHAR KEY, url VARCHAR)
          WITH (KAFKA_TOPIC='clicks', VALUE_FORMAT='JSON');
    Good: settings of Streams, and of its topics
        --- tables.sql
        SET 'auto.offset.reset' = 'earliest';
        SET 'ksql.streams.topic.retention.ms' = '86400000';
        SET 'ksql.streams.producer.linger.ms' = '50';
        SET 'ksql.query.pull.table.scan.enabled' = 'true';
        CREATE STREAM clicks (user VARCHAR KEY, url VARCHAR)
          WITH (KAFKA_TOPIC='clicks', VALUE_FORMAT='JSON');
    """
    yield from findings(document, "KC1540")
