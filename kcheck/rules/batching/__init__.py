"""KC13: batching, compression, timeouts and retries of producers and consumers."""
