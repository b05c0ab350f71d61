"""Texts for a shell: what their commands make of topics, brokers and clients."""
