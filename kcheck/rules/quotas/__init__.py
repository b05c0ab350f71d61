"""KC17: quotas of users, clients and addresses, and throttles."""
