"""JSON Schemas of Kafka's keys for editors: completion, hover, and what a version refuses."""
