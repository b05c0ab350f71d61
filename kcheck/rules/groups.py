"""KC09: sessions, timeouts and protocols of groups."""
