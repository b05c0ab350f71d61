"""KC10: listeners, the addresses that brokers advertise, and whether those who ask them arrive."""
