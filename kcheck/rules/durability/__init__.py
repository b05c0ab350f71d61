"""KC03: replicas, in-sync replicas and acks: whether an acknowledged record survives the loss of a broker."""
