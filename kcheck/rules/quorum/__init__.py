"""KC11: KRaft controllers, voters and ZooKeeper ensembles."""
