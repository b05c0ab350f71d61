"""KC08: connections, threads, buffers and requests of brokers and clients."""
