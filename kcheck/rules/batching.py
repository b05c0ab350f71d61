"""KC13: linger, batches, buffers, delivery timeouts."""
