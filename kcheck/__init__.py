"""kcheck: lint and audit Kafka configuration across brokers, topics and clients."""

__version__ = "0.1.0"

#: The project's home; every link that kcheck prints starts here.
HOME = "https://github.com/kcheck/kcheck"
