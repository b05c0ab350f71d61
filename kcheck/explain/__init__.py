"""What a word means to Kafka: a key with all that is known of it, or an error and where it comes from."""
