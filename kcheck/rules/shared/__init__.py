"""What rules of several families need to know of a cluster."""
