"""Lists of topics, as tools for topics keep them."""
