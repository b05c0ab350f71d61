"""KC08: caps, queues, threads and sockets of brokers."""
