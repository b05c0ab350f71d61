"""KC10: listeners and what is advertised."""
