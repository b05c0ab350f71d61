"""Programs that carry logs, metrics and streams through Kafka."""
