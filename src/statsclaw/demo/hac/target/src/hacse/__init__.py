"""Ordinary least squares with standard errors for serially correlated errors. Nothing is implemented yet."""
