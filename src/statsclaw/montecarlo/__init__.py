"""Monte Carlo: records of replications, metrics with their own error, verdicts."""
