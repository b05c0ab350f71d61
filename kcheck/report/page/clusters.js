// clusters
