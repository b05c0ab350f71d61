"""KC17: quotas of clients, users and controllers."""
