"""Programs that watch clusters, as clients of Kafka's."""
