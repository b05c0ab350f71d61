"""KC01: keys that Kafka does not know, knows elsewhere, or refuses the value of."""
