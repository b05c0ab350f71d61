"""KC04: listeners, TLS, SASL, authorizers and credentials of brokers and clients."""
