"""Kafka's vocabulary: whose key a name is, in which versions, and which texts it takes.

Everything rests on the catalogue (``schemas/kafka``, extracted from the jars) and on a few facts
that no ConfigDef states (``schemas/keys``). Nothing here knows of clusters or of findings.
"""
