"""Replications of a study written in Python."""
