"""KC02: settings that depend on the version of Kafka, a client or an image, and changes with an upgrade."""
