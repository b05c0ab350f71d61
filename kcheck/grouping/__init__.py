"""Documents → groups: which files are of one cluster, why they are, and which belong to none.

Brokers and declarations form the clusters (``anchors``); everything else joins one of them
(``join``). What decides, the strongest first, wherever in the tree a file lies:

1. settings: ``[[clusters]]`` of kcheck.toml assigns the file;
2. references: what a file names of another: a cluster's label, a declared cluster name, a mount, a
   connector's workers, a Terraform module;
3. addresses: the bootstrap servers are those of one cluster's nodes (``index``);
4. one project: a single cluster that fits is all that there is;
5. nearness: among several clusters that fit the one of the own folder, region or environment.

What contradicts denies: another environment, region, namespace, managed service or example, or an
address that is surely another cluster's. Where nothing decides a file stays alone and that is reported
(``evidence.Unjoined``): an unknown cluster is better than a wrong one.
"""
