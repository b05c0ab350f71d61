"""kcheck: lint and audit Kafka configuration across brokers, topics and clients."""

__version__ = "0.1.0"

#: The project's home; every link that kcheck prints starts here.
HOME = "https://github.com/kcheck/kcheck"

#: Where recipes fetch kcheck from. Nothing is released, and no name on the package index or among
#: repositories is the project's yet: until then no forge and no index takes this for a name.
SOURCE = "<your-copy-of-kcheck>"
