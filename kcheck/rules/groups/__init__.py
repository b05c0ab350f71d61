"""KC09: consumer groups: sessions, assignment, members and offsets."""
