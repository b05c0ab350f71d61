"""Plain Kubernetes: containers, files in ConfigMaps, Services and objects inside of other files."""
