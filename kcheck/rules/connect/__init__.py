"""KC14: Kafka Connect: workers, connectors, converters, transforms and internal topics."""
