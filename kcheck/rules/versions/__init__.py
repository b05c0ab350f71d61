"""KC02: what the version of Kafka, of a client or of an image makes of a setting, and what an upgrade changes."""
