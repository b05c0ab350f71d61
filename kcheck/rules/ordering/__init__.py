"""KC12: order, idempotence and transactions."""
