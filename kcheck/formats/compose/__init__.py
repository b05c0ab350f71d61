"""docker-compose: the services of a file as brokers, workers and programs around them."""
