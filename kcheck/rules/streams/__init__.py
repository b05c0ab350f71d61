"""KC15: Kafka Streams and ksqlDB: state, threads, guarantees and internal topics."""
