"""A package with an interface and no estimator yet."""
