"""KC12: idempotence, transactions, requests in flight."""
