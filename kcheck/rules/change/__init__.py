"""KC19: what a change of the files does when it is applied."""
