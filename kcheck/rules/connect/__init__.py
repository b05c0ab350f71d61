"""KC14: Kafka Connect: workers, connectors, converters, transforms, and the topics behind them."""
