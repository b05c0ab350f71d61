"""KC09: the timeouts of clients, against each other and against brokers."""
