"""Schema Registry, the REST Proxy and ksqlDB by their own properties."""
