"""What rules of several families share: facts about a cluster, and wording."""
