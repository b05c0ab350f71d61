"""kcheck's own YAML."""
