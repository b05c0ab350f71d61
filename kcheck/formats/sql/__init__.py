"""Statements of ksqlDB and of Flink's SQL."""
