"""KC15: Kafka Streams and ksqlDB: state, threads, processing guarantees and internal topics."""
