"""KC04: protocols, mechanisms, credentials."""
