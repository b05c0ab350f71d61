"""KC08: connection limits, threads, buffers and requests of brokers and clients."""
